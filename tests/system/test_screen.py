"""Screen and keyboard. UEFI gives no text mode: what stands on it is read from QEMU's screenshot, by the font that the
build took, and compared with the serial line."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pexpect
import pytest

from helpers import ROOT, Console, Monitor

sys.path.insert(0, str(ROOT / "tools"))

from font import COLUMNS, ROWS, glyphs_of

pytestmark = pytest.mark.usefixtures("images")

FONT = Path("/usr/share/grub/ascii.pf2")  # Debian: grub-common
UEFI, BIOS = ["--firmware", "uefi"], ["--firmware", "bios"]
PROMPT = "mxk> "


class Screen:
    """The screen of a machine that is booted with `options`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "qmp"
        socket = f"unix:{self.path},server=on,wait=off"
        self.options = [it for word in ("-vga", "std", "-qmp", socket) for it in ("--qemu", word)]
        self.characters = {bytes(rows): it for it, rows in glyphs_of(FONT.read_bytes()).items()}

    def text(self) -> list[str]:
        """Its lines; where no character stands, `~`. A cursor covers the lowest rows of its cell: `_`."""
        picture = self.path.with_suffix(".ppm")
        Monitor(self.path).obey("screendump", filename=str(picture))
        kind, size, _, pixels = picture.read_bytes().split(b"\n", 3)
        assert kind == b"P6"
        width, height = map(int, size.split())
        scale = max(width // 960, 1)
        lit = [any(pixels[at : at + 3]) for at in range(0, len(pixels), 3)]

        def cell(column: int, row: int) -> str:
            rows = bytes(
                sum(lit[(row * ROWS + y) * scale * width + (column * COLUMNS + x) * scale] << (COLUMNS - 1 - x)
                    for x in range(COLUMNS))
                for y in range(ROWS)
            )  # fmt: skip
            return "_" if rows[-2:] == b"\xff\xff" else self.characters.get(rows, "~")

        lines = range(height // (ROWS * scale))
        return ["".join(cell(x, y) for x in range(width // (COLUMNS * scale))).rstrip() for y in lines]


def shown(output: str) -> list[str]:
    """What a terminal shows of a command's output."""
    return [line.rstrip() for line in output.replace("\r", "").splitlines() if line.strip()]


def boot(folder: Path, more: Sequence[str]) -> tuple[Screen, Console]:
    """A machine with a screen, at its prompt."""
    screen = Screen(folder)
    return screen, Console(folder / "log", cpus=2, more=["--boot", "iso", *more, *screen.options])


def test_the_screen_shows_what_the_serial_line_shows(tmp_path: Path) -> None:
    screen, console = boot(tmp_path, UEFI)
    with console:
        expected = shown(console.run("topology"))
        text = screen.text()
        last = max(number for number, line in enumerate(text) if line)
        assert text[last] == f"{PROMPT}_"
        assert expected[-1] in text[last - 1]
        assert [line for line in expected if len(line) <= len(max(text, key=len))][-5:] == text[last - 5 : last]
        assert not any("~" in line for line in text)


def test_keys_of_the_keyboard_reach_the_console(tmp_path: Path) -> None:
    screen = Screen(tmp_path)
    with Console(tmp_path / "log", cpus=2, more=screen.options) as console:
        keyboard = Monitor(screen.path)

        def press(*keys: str) -> None:
            keyboard.obey("send-key", keys=[{"type": "qcode", "data": key} for key in keys])

        for key in ("h", "e", "l", "o", "left", "p", "delete", "spc"):
            press(key)
        press("shift", "e")
        press("ret")
        console.child.expect("unknown.*E|error:.*E")
        console.expect_prompt()
        console.child.send("bench table --cores 1 --ops 3M --repeat 50\r")
        console.child.expect("verified")  # the table's heading
        press("ctrl", "c")
        console.child.expect("interrupted|cancelled|Ctrl-C")
        console.expect_prompt()


def test_a_panic_is_on_the_screen(tmp_path: Path) -> None:
    screen, console = boot(tmp_path, [*BIOS, "--qemu", "-cpu", "--qemu", "max,-hypervisor"])
    with console:
        console.child.send("crash assert\r")
        console.child.expect_exact("Type r to reset the machine")
        console.child.expect(pexpect.TIMEOUT, timeout=0.2)
        text = "\n".join(screen.text())
        assert "PANIC" in text
        assert "backtrace" in text
        assert "Type r to reset the machine" in text

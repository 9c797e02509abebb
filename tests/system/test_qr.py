"""Results leave a machine by its screen: `show qr`, photos of the codes, `tools/mxk qr`, and the report of the log."""

import json
import math
import re
import shutil
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from helpers import Console, Monitor, drive, run_linux, run_mxk
from mxk_host import qr
from mxk_host.errors import DriverError, UsageError
from mxk_host.qr import Part, parts_of, text_of

BENCHES = ("bench memory --part latency --repeat 1 --json", "bench table --ops 100K --mix insert,find --json")
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"


def rows_of(text: str) -> list[str]:
    """The JSON lines, as they stand there."""
    return [line for line in text.replace("\r", "").splitlines() if line.startswith('{"benchmark"')]


def photograph(monitor: Monitor, console: Console, folder: Path, count: int) -> list[Path]:
    """A picture of each code; a key brings the next one."""
    pictures = []
    for number in range(1, count + 1):
        pictures.append(folder / f"code {number}.ppm")
        deadline = time.monotonic() + 20
        while True:  # until the whole of this one is there
            monitor.obey("screendump", filename=str(pictures[-1]))
            missing = re.search(r"missing ([\d, ]+)", drive("qr", str(pictures[-1])).complaint)
            if missing and str(number) not in missing[1].split(", "):
                break
            assert time.monotonic() < deadline
        console.child.send(" ")
    return pictures


def boot(folder: Path, firmware: str, *more: str) -> tuple[Console, Monitor]:
    """A machine with a screen, at its prompt."""
    socket = folder / "qmp"
    words = (*more, "-vga", "std", "-qmp", f"unix:{socket},server=on,wait=off")
    screen = [it for word in words for it in ("--qemu", word)]
    console = Console(folder / "log", cpus=2, more=["--boot", "iso", "--firmware", firmware, *screen])
    return console, Monitor(socket)


def as_by_a_phone(picture: Path) -> Path:
    """The same from the side, out of focus, darker on the right, and with noise."""
    _, size, _, pixels = picture.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    screen = np.frombuffer(pixels, np.uint8).reshape(height, width, 3)[:, :, 0].astype(float)
    zoom, turn = 1.5, math.radians(5)
    y, x = np.mgrid[0 : int(height * zoom), 0 : int(width * zoom)] / zoom
    down, across = y - height / 2, x - width / 2
    away = 1.1 + 0.1 * down / height + 0.05 * across / width
    places = (
        (math.sin(turn) * across + math.cos(turn) * down) * away + height / 2,
        (math.cos(turn) * across - math.sin(turn) * down) * away + width / 2,
    )
    seen = ndimage.gaussian_filter(ndimage.map_coordinates(screen, places, order=1), 1.2)
    noise = np.random.default_rng(1).normal(0, 4, seen.shape)
    photo = picture.with_name(f"photo of {picture.stem}.pgm")
    rows = np.clip(seen * (1 - 0.3 * x / width) + noise + 20, 0, 255).astype(np.uint8)
    photo.write_bytes(b"P5\n%d %d\n255\n" % rows.shape[::-1] + rows.tobytes())
    return photo


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize("firmware", ["bios", "uefi"])
def test_rows_leave_by_the_screen_as_they_were_printed(tmp_path: Path, firmware: str) -> None:
    console, monitor = boot(tmp_path, firmware)
    with console:
        printed = [row for bench in BENCHES for row in rows_of(console.run(bench))]
        console.child.send("show qr\r")
        console.child.expect(r"codes on the screen: (\d+), with 20 of (\d+) rows, (\d+) left out")
        count, rows, left_out = map(int, console.child.match.groups())
        assert rows == len(printed)
        assert left_out == rows - 20
        assert 2 < count <= 10
        photos = photograph(monitor, console, tmp_path, count)
        console.child.send("q")
        console.expect_prompt()

    log = tmp_path / "joined.log"
    ended = drive("qr", *(str(it) for it in [*map(as_by_a_phone, photos[::-1]), photos[0]]), "--output", str(log))
    assert (ended.code, ended.complaint) == (0, "")
    assert f"{rows} rows: 20 are here, {left_out} left out" in ended.output
    joined = rows_of(log.read_text())
    assert len(joined) == 20
    assert [row for row in printed if row in joined] == joined
    assert {json.loads(row)["benchmark"] for row in joined} == {"memory", "table"}
    assert printed[0] in joined
    assert printed[-1] in joined
    page = tmp_path / "page.html"
    assert drive("report", str(log), "--output", str(page)).complaint == ""
    assert page.is_file()

    ended = drive("qr", *map(str, photos[1:]), "--output", str(log))
    assert (ended.code, f"all {count} codes: missing 1\n" in ended.complaint) == (1, True)


@pytest.mark.usefixtures("images")
def test_what_is_shown_when_there_is_nothing_to_show(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", [], "show qr", code=1)
    assert "error: expected a screen, as GRUB sets it up: got none" in ended.output
    ended = run_mxk(tmp_path / "log", [], "show qr --unattended")
    assert "no QR codes: expected a screen" in ended.output
    console, _ = boot(tmp_path, "bios")
    with console:
        assert "error: expected a benchmark with --json before it" in console.run("show qr")
    assert "is in the terminal already" in run_linux("show qr", code=1).output


@pytest.mark.usefixtures("images")
def test_codes_go_on_by_themselves_until_a_key(tmp_path: Path) -> None:
    console, monitor = boot(tmp_path, "bios")
    with console:
        console.run(BENCHES[0])
        console.child.send("show qr --last --unattended\r")
        console.child.expect("codes on the screen")
        pictures = set()
        deadline = time.monotonic() + 30
        while len(pictures) < 3:
            monitor.obey("screendump", filename=str(tmp_path / "now.ppm"))
            ended = drive("qr", str(tmp_path / "now.ppm"))
            if shown := re.search(r"missing ([\d, ]+)", ended.complaint):
                pictures.add(shown[1])
            assert time.monotonic() < deadline
        console.child.send("q")
        console.expect_prompt()
        console.child.send("show qr\r")
        console.child.expect("codes on the screen")
        console.child.send("\x03")
        console.expect_prompt()


@pytest.mark.usefixtures("images")
def test_a_panic_takes_the_code_away(tmp_path: Path) -> None:
    console, monitor = boot(tmp_path, "bios", "-cpu", "max,-hypervisor")
    with console:
        console.run(BENCHES[1])
        console.child.send("show qr\r")
        photograph(monitor, console, tmp_path, 1)
        monitor.obey("inject-nmi")
        console.child.expect_exact("Type r to reset the machine")
        monitor.obey("screendump", filename=str(tmp_path / "panic.ppm"))
        assert "got none" in drive("qr", str(tmp_path / "panic.ppm")).complaint
        assert is_text(tmp_path / "panic.ppm")


def is_text(picture: Path) -> bool:
    """Whether it is a console's: black but for its characters, and no white square of a code's margin."""
    pixels = picture.read_bytes().split(b"\n255\n", 1)[1][::3]
    return 0.002 < sum(value > 100 for value in pixels) / len(pixels) < 0.2


def base45(data: bytes) -> str:
    """Bytes as a code has them."""
    text = ""
    for at in range(0, len(data), 2):
        pair = data[at : at + 2]
        value = int.from_bytes(pair, "big")
        text += "".join(ALPHABET[value // 45**place % 45] for place in range(len(pair) + 1))
    return text


def codes_of(text: str, count: int) -> list[str]:
    """The codes of a summary, as the kernel makes them."""
    packer = zlib.compressobj(wbits=-15)
    data = base45(packer.compress(text.encode()) + packer.flush())
    size = -(-len(data) // count)
    bodies = [
        f"MXK1 {number + 1}/{count} {zlib.crc32(text.encode()):08X} {data[number * size :][:size]}"
        for number in range(count)
    ]
    return [f"{body} {zlib.crc32(body.encode()):08X}" for body in bodies]


def joined(codes: Sequence[str]) -> str:
    """What the tool makes of the codes of a photo."""
    return text_of(parts_of(codes, "a.jpg"))


TEXT = "summary of 1 rows\n" + '{"benchmark":"table","cores":4,"crc32":"33d8c4af"}\n' * 9


def refusal(codes: Sequence[str]) -> str:
    """Why it makes nothing of them."""
    with pytest.raises(DriverError) as error:
        joined(codes)
    return str(error.value)


def test_codes_in_any_order_and_twice_are_joined() -> None:
    for count in (1, 3, 10):
        codes = codes_of(TEXT, count)
        assert joined([*codes[::-1], codes[0], "https://example.org"]) == TEXT


def test_a_missing_part_is_named() -> None:
    assert refusal([codes_of(TEXT, 5)[i] for i in (0, 3)]) == "expected photos of all 5 codes: missing 2, 3, 5"


def test_a_damaged_code_is_refused() -> None:
    first, *others = codes_of(TEXT, 3)
    assert "a.jpg: the check sum of code 1/3: expected" in refusal([first[:40] + "$" + first[41:], *others])
    assert "got MXK1 1/3" in refusal([first[:20]])
    assert refusal([]) == refusal(["https://example.org"]) == "expected QR codes of `show qr`, got none"


def test_two_summaries_are_not_mixed() -> None:
    mixed = [codes_of(TEXT, 2)[0], codes_of(TEXT + "more\n", 2)[1]]
    assert "expected photos of one summary, got those of 2: " in refusal(mixed)


def test_parts_that_are_none_are_refused_by_name() -> None:
    for data in ("", "A", "::::::", base45(zlib.compress(b"text")), base45(b"\x01")):
        with pytest.raises(DriverError, match="expected codes of `show qr` that"):
            text_of([Part(1, 1, "00000000", data)])


def test_pictures_without_a_code_and_files_that_are_none(tmp_path: Path) -> None:
    white = tmp_path / "white.pgm"
    white.write_bytes(b"P5\n64 64\n255\n" + b"\xff" * 64 * 64)
    ended = drive("qr", str(white))
    assert (ended.code, "got none; no code was found in " + str(white) in ended.complaint) == (1, True)
    text = tmp_path / "text.png"
    text.write_text("no picture")
    ended = drive("qr", str(text))
    assert (ended.code, "expected a photo that zbarimg can read" in ended.complaint) == (2, True)
    assert drive("qr", str(tmp_path / "absent")).code == 2
    assert drive("qr").code == 2


def test_a_reader_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(UsageError, match="expected zbarimg to be installed"):
        qr.join([tmp_path / "photo"], tmp_path / "log")

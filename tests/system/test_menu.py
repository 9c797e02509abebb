"""GRUB's menu as a person at the serial line of a server meets it, and the commands that its entries run."""

import json
import re
import shlex
from pathlib import Path

import pexpect
import pytest

from helpers import DRIVER, ROOT, run_linux

MENU = (ROOT / "boot/grub.cfg").read_text()
UP, DOWN, CTRL_N, CTRL_E, CTRL_X = "\x1b[A", "\x1b[B", "\x0e", "\x05", "\x18"
MAX_TITLE = 74  # characters: of a longer one GRUB shows a part
MIN_TIMEOUT = 3  # seconds: who connects to a server's serial line has to have the time to press a key


def entries() -> dict[str, str]:
    """The entries that boot the kernel: what each is called, and what it runs; empty: the console."""
    found = re.findall(r"^menuentry '([^']+)' \{\n    multiboot2 /boot/mxk(?:-test)?.elf (.*)\n\}", MENU, re.MULTILINE)
    return {
        title: next((word[4:] for word in shlex.split(line) if word.startswith("run=")), "") for title, line in found
    }


def commands() -> list[str]:
    """All that entries run, each once, but for what ends the machine."""
    found = (command.strip() for line in entries().values() for command in line.split(";"))
    return [command for command in dict.fromkeys(found) if command not in ("", "exit", "again --all")]


def test_the_menu_has_what_a_server_is_booted_for_and_says_how_long_it_takes() -> None:
    assert len(entries()) >= 4
    for title, line in entries().items():
        assert bool(line) == bool(re.search(r"\(about (an hour|\d+ minutes)\), then halt", title)), title
        assert len(title) <= MAX_TITLE, title
        assert not line or line.endswith("; exit")
    assert "bench figure 4.1 --json" in commands()
    assert "test" in commands()


def test_every_command_of_the_menu_is_accepted() -> None:
    """Options are read from left to right: where only the last one is refused, all others are understood."""
    wanted = commands()
    ended = run_linux("--calibrate", "no", "; ".join(f"{command} --beyond" for command in wanted), code=1)
    complaints = [line for line in ended.output.splitlines() if line.startswith("error")]
    assert [line for line in complaints if "unknown option --beyond" not in line] == []
    assert len(complaints) == len(wanted)
    listed = json.loads(run_linux("bench figure --json").output)["figures"]
    figures = [command.split()[2] for command in wanted if command.startswith("bench figure")]
    assert figures == [figure["number"] for figure in listed]


@pytest.mark.usefixtures("images")
def test_a_person_chooses_edits_and_boots(tmp_path: Path) -> None:
    options = ["--boot", "iso", "--menu", "--cpus", "1", "--mem", "512M", "--timeout", "60"]
    child = pexpect.spawn(DRIVER, ["run", "--no-build", *options, "--log", str(tmp_path / "log")], timeout=30)
    try:
        child.expect(rb"executed automatically in (\d+)s")
        assert int(child.match[1]) >= MIN_TIMEOUT
        child.send(DOWN)
        child.expect_exact(b"*Measure this machine")
        child.send(UP)
        child.expect_exact(b"*Console")
        child.send("e")
        child.expect_exact(b"multiboot2 /boot/mxk.elf")
        child.send(CTRL_N * 2 + CTRL_E + " 'run=topology; exit'" + CTRL_X)
        child.expect_exact(b"mxk> topology")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert child.exitstatus == 0

"""The console as a person uses it: keys through the real serial line, on a pseudo-terminal."""

import re
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from helpers import Console

pytestmark = pytest.mark.usefixtures("images")

LEFT, UP, DOWN = "\x1b[D", "\x1b[A", "\x1b[B"
CTRL_A, CTRL_C, CTRL_E, CTRL_U, CTRL_W = "\x01", "\x03", "\x05", "\x15", "\x17"
QEMU_ESCAPE = "\x01"  # QEMU's own escape key is Ctrl-A, too: typed twice it reaches the kernel
BACKSPACE = "\x7f"

UNKNOWN = "qqq"  # no command: the console's complaint shows the line that it took


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    """A booted kernel that is ended with the test."""
    with Console(tmp_path / "serial.log") as console:
        yield console


def test_exit_succeeds(console: Console) -> None:
    console.obeys("topology", r"cores \d+")
    assert console.leave() == 0


def test_exit_after_a_failed_command_does_not(console: Console) -> None:
    console.obeys(UNKNOWN, UNKNOWN)
    assert console.leave() == 1


EDITED = {
    "left and insert": "toplogy" + LEFT * 4 + "o",
    "backspace": "topologyxx" + BACKSPACE * 2,
    "ctrl-a": "opology" + QEMU_ESCAPE + CTRL_A + "t",
    "ctrl-e": "opolog" + QEMU_ESCAPE + CTRL_A + "t" + CTRL_E + "y",
    "ctrl-u": "rubbish" + CTRL_U + "topology",
    "ctrl-w": "topology rubbish" + CTRL_W,
    "tab": "topo\t",
}


def test_the_edited_line_is_the_one_obeyed(console: Console) -> None:
    for keys in EDITED.values():
        console.obeys(keys, r"cores \d+")
    assert console.leave() == 0, "an edited line that went wrong is an unknown command"


def test_history_up_and_down(console: Console) -> None:
    console.obeys("topology", r"cores \d+")
    console.obeys("help", "topology")
    console.obeys(UP + UP, r"cores \d+")
    console.obeys(UP + UP + DOWN, r"cores \d+")  # up: topology (again), help; down: topology
    assert console.leave() == 0


def test_tab_completes_a_command_of_two_words(console: Console) -> None:
    console.obeys("bench tab\t --cores 1 --ops 10k --json", r'"verified":\s*true')
    assert console.leave() == 0


def test_ctrl_c_clears_the_line(console: Console) -> None:
    console.child.send("rubbish" + CTRL_C)
    console.expect_prompt()
    console.obeys("topology", r"cores \d+")
    assert console.leave() == 0


def test_ctrl_a_x_ends_qemu_without_a_verdict(console: Console) -> None:
    console.child.send(QEMU_ESCAPE + "x")
    console.child.expect(pexpect.EOF)
    console.child.close()
    assert console.child.exitstatus == 5
    assert re.search("without a verdict", console.child.before or "")


def booted_with(log: Path, line: str) -> Console:
    return Console(log, more=["--qemu", "-append", "--qemu", line])


def test_a_serial_line_without_interrupts_is_polled(tmp_path: Path) -> None:
    with booted_with(tmp_path / "log", "serial=com1,115200,poll") as console:
        console.obeys("topology", r"cores \d+")
        console.child.send("bench table --ops 1M --cores 1 --repeat 1000\r")
        console.child.expect_exact("measuring")
        console.child.send(CTRL_C)
        console.child.expect_exact("interrupted by Ctrl-C")
        console.expect_prompt()
        assert console.leave() == 1, "a command was interrupted"
    assert "console: the serial line is polled" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("com1,force", ""),
        ("com1,loud", "expected a baud rate that divides 115200, 'force' or 'poll', got 'loud'; staying on com1"),
        ("com5", "expected com1 to com4 or a port such as 0x3f8, got 'com5'; staying on com1"),
    ],
)
def test_what_may_be_said_of_the_serial_line(tmp_path: Path, word: str, complaint: str) -> None:
    with booted_with(tmp_path / "log", f"serial={word}") as console:
        console.obeys("topology", r"cores \d+")
    warnings = re.findall(r"WARN serial: (.*?)\r?\n", (tmp_path / "log").read_text())
    assert warnings == ([complaint] if complaint else [])

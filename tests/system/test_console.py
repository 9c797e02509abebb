"""The console as a person uses it: keys through the real serial line, on a pseudo-terminal."""

import re
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from helpers import DRIVER, Console, Monitor, run_mxk

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


def test_a_long_list_is_asked_for_and_paged(tmp_path: Path) -> None:
    with Console(tmp_path / "serial.log", more=["--tests"]) as console:
        console.child.send("describe t\t\t")  # the tests of several rooms
        console.child.expect(r"\d+ possibilities: y, space: a page; Enter: a row; n, q: no more ")
        console.child.send("y")
        console.child.expect(r"23 of \d+ rows: ")
        console.child.send("\r")
        console.child.expect(r"24 of \d+ rows: ")
        console.child.send("q")
        console.expect_prompt()
        console.child.send(CTRL_U)
        console.child.send("describe t\t\t")
        console.child.expect("possibilities: ")
        console.child.send("n" + CTRL_U)
        console.obeys("topology", r"cores \d+")  # nothing of the list is in the line
        assert console.leave() == 0


def test_ctrl_c_clears_the_line(console: Console) -> None:
    console.child.send("rubbish" + CTRL_C)
    console.expect_prompt()
    console.obeys("topology", r"cores \d+")
    assert console.leave() == 0


ROOM = 16384  # bytes that are kept while a command runs (arch/terminal.hpp)
WORD = "q" * 199  # no command, a line of 200 bytes with its Enter


def paste_during_a_command(console: Console, lines: int) -> None:
    """Types a command, and lines behind it that arrive while it runs: the console obeys nothing until it is over."""
    console.child.send("soak --seconds 3\r")
    console.child.expect("soak")
    console.child.send(f"{WORD}\r" * lines)


def test_what_is_pasted_during_a_command_is_kept(console: Console) -> None:
    lines = ROOM // (len(WORD) + 1)
    paste_during_a_command(console, lines)
    console.child.send("topology\r")
    console.child.expect(r"cores \d+ \(listed")
    assert console.child.before.count("'help' lists") == lines, "a complaint for each line, all of them whole"
    assert "lost" not in console.child.before


def test_input_beyond_that_is_lost_and_the_count_is_a_warning(console: Console) -> None:
    lines = ROOM // (len(WORD) + 1) + 20
    paste_during_a_command(console, lines)
    console.child.expect(rf"WARN console: (\d+) bytes of input are lost: expected up to {ROOM} while a command runs")
    lost = int(console.child.match[1])
    assert lost == lines * (len(WORD) + 1) - ROOM


BARE = ["--qemu", "-cpu", "--qemu", "max,-hypervisor"]  # as a server: the exit device is not asked for


def test_exit_on_a_server_offers_a_reset(tmp_path: Path) -> None:
    # Of the same option the last one counts: the machine is to come up again.
    more = [*BARE, "--qemu", "-action", "--qemu", "reboot=reset"]
    with Console(tmp_path / "serial.log", cpus=2, more=more) as console:
        console.child.send("exit\r")
        console.child.expect_exact("MXK has ended: every command succeeded.")
        console.child.expect_exact("Type r to reset the machine, p to switch it off.")
        for order in ("", "nmi\r"):  # by the emulator's monitor: it changes nothing
            console.child.send(order or f"{QEMU_ESCAPE}c")
            console.child.expect_exact("(qemu) ")
        console.child.send(f"{QEMU_ESCAPE}cxr")
        console.child.expect_exact("started by")  # the banner
        console.expect_prompt()


def test_exit_on_a_server_offers_to_switch_it_off(tmp_path: Path) -> None:
    with Console(tmp_path / "serial.log", cpus=2, more=BARE) as console:
        console.child.send(f"{UNKNOWN}\r")
        console.expect_prompt()
        console.child.send("exit\r")
        console.child.expect_exact("MXK has ended: a command failed.")
        console.child.expect_exact("p to switch it off.")
        console.child.send("p")
        console.child.expect_exact("the machine was reset or closed without a verdict")
        console.child.expect(pexpect.EOF)


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


def firmware_console(folder: Path, port: int, baud: int) -> list[str]:
    """QEMU's arguments for an SPCR that names this line, and for a COM2 whose output is kept in the file com2."""
    # Behind the header: a 16550 at a port, the ISA bus' interrupt 3 or 4 (SPCR revision 2).
    irq = 3 if port in (0x2F8, 0x2E8) else 4
    address = struct.pack("<BBBBQ", 1, 8, 0, 1, port)
    body = struct.pack("<B3x12sBBIB", 0, address, 1, irq, irq, baud) + bytes(21)
    (folder / "spcr").write_bytes(body)
    table = f"sig=SPCR,rev=2,oem_id=MXK,oem_table_id=TEST,data={folder / 'spcr'}"
    more = ("-acpitable", table, "-serial", f"file:{folder / 'com2'}")
    return [word for argument in more for word in ("--qemu", argument)]


def test_the_console_is_where_firmware_has_its_own(tmp_path: Path) -> None:
    line = firmware_console(tmp_path, 0x2F8, 6)
    first = run_mxk(tmp_path / "log", ["--cpus", "2", *line], "topology").output
    second = (tmp_path / "com2").read_text()
    said = "console: the serial line at port 0x2f8, 57600 baud, which the firmware names (SPCR)\n"
    assert first.endswith(said)
    assert second.replace("\r", "").startswith(said)
    assert "mxk> topology" in second
    (tmp_path / "com2").unlink()
    # Who names a line gets it.
    named = ["--qemu", "-append", "--qemu", 'serial=com1 run="topology; exit"']
    assert "mxk> topology" in run_mxk(tmp_path / "log", ["--cpus", "2", *line, *named], "topology").output
    assert (tmp_path / "com2").read_text() == ""


def test_a_console_of_firmware_that_does_not_answer_is_told(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2", *firmware_console(tmp_path, 0x3E8, 7)], "topology")
    assert (
        "WARN console: the firmware's serial line (SPCR) at port 0x3e8 does not answer; staying at port 0x3f8"
        in ended.output
    )
    assert "mxk> topology" in ended.output


def firmware_console_in_memory(folder: Path, address: int, bits: int = 32) -> list[str]:
    """QEMU's arguments for an SPCR that names a UART with registers in memory, of this width and as far apart."""
    body = struct.pack("<B3xBBBBQBBIB", 0x12, 0, bits, 0, {8: 1, 16: 2, 32: 3}[bits], address, 0, 0, 0, 0) + bytes(21)
    (folder / "spcr").write_bytes(body)
    table = f"sig=SPCR,rev=2,oem_id=MXK,oem_table_id=TEST,data={folder / 'spcr'}"
    return ["--qemu", "-acpitable", "--qemu", table]


def test_the_console_is_a_uart_with_registers_in_memory(tmp_path: Path) -> None:
    """No PC of QEMU has one. The last line of its text screen keeps what is written, as a scratch register does, and
    four bytes apart it has spaces, which say that the transmitter is empty: enough to be taken for a UART."""
    last_line = 0xB8000 + 24 * 160
    monitor = tmp_path / "monitor"
    line = [*firmware_console_in_memory(tmp_path, last_line), "--qemu", "-vga", "--qemu", "std"]
    line += ["--qemu", "-qmp", "--qemu", f"unix:{monitor},server=on,wait=off"]
    options = ["run", "--no-build", "--cpus", "2", "--mem", "512M", "--timeout", "60", "--log", str(tmp_path / "log")]
    child = pexpect.spawn(DRIVER, [*options, *line, "--", "hang"], encoding="utf-8", timeout=30)
    try:
        child.expect_exact("console: the serial line in memory at 0xb8f00, at the rate that it has")
        screen = Monitor(monitor)
        deadline = time.monotonic() + 20
        while screen.memory(last_line, 1) != b"\n" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert screen.memory(last_line, 1) == b"\n", "what was written last: the end of the command's line"
        registers = screen.memory(last_line, 32)[::4]
        assert registers[3] == 3, "line control: eight bits"
        assert registers[4] == 0x0B, "modem control: ready"
        assert registers[7] == 0xA5, "scratch"
    finally:
        child.close(force=True)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (0x1000000, "ACPI: SPCR, base address: expected a device, got 0x1000000, where memory is: it is not used"),
        (
            0x4000_0000_0000,
            "ACPI: SPCR, base address: expected a device, got 0x400000000000, beyond the 40 address bits of the ",
        ),
        (
            0xFED90000,
            "console: the firmware's serial line (SPCR) in memory at 0xfed90000 does not answer; staying at port 0x3f8",
        ),
    ],
    ids=["ram", "beyond", "hole"],
)
def test_a_uart_in_memory_that_is_none_is_told(tmp_path: Path, address: int, expected: str) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "1", *firmware_console_in_memory(tmp_path, address)], "topology")
    assert f"WARN {expected}" in ended.output


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("com1,force", ""),
        ("com1,loud", "expected a baud rate that divides 115200, 'force' or 'poll', got 'loud'; staying on com1"),
        (
            "com5",
            "expected com1 to com4, a port such as 0x3f8, or registers in memory such as mmio:0xfe034000, mmio16:..., "
            "mmio32:..., got 'com5'; staying on com1",
        ),
        (
            "mmio:0x1000000",
            "mmio:0x1000000: expected a device, got 0x1000000, where memory is: it is not used",
        ),
        (
            "mmio:0xfffffffffffff",
            "mmio:0xfffffffffffff: expected a device, got 0xfffffffffffff, beyond the 40 address bits of the "
            "processor: it is not used",
        ),
    ],
)
def test_what_may_be_said_of_the_serial_line(tmp_path: Path, word: str, complaint: str) -> None:
    with booted_with(tmp_path / "log", f"serial={word}") as console:
        console.obeys("topology", r"cores \d+")
    warnings = re.findall(r"WARN serial[:=] ?(.*?)\r?\n", (tmp_path / "log").read_text())
    assert warnings == ([complaint] if complaint else [])


@pytest.mark.parametrize(("words", "widest"), [([], 80), (["columns=132"], 132), (["columns=7"], 80)])
def test_rows_fit_the_width_that_is_told(tmp_path: Path, words: list[str], widest: int) -> None:
    options = ["--cpus", "2", *(option for word in words for option in ("--word", word))]
    ended = run_mxk(tmp_path / "log", options, "bench table --cores 1,2 --ops 10K")
    rows = [line for line in ended.output.splitlines() if re.match(r" +(cores mix|\d+ insert) ", line)]
    assert len(rows) == 3
    assert max(map(len, rows)) <= widest
    assert ("per core" in rows[0]) == (widest == 132)
    warnings = re.findall(r"WARN (columns.*)", ended.output)
    assert warnings == (
        ["columns=7: expected a count such as 24M (48 to 1000), got '7'"] if words == ["columns=7"] else []
    )

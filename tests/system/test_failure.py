"""A run that failed anywhere must not end with 0, and must say what happened."""

import re
import socket
import subprocess
from pathlib import Path

import pexpect
import pytest

from helpers import DRIVER, ROOT, Console, Monitor, run_mxk
from mxk_host.firmware import tables

pytestmark = pytest.mark.usefixtures("images")


def test_a_failed_command_fails_the_run(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "1"], "bogus; topology", code=1)
    assert "a command failed" in ended.complaint


# What is broken -> what the report says of it.
CRASHES = {
    "null": "writing 0x0: nothing is mapped there",
    "stack": "stack overflow: the 65536 bytes of the task stack are used up",
    "write-text": "not allowed there",
    "write-constant": "not allowed there",
    "execute-data": "executing",
    "assert": "an assertion that does not hold\n  at tests/soak/crash_command.cpp:",
    "other-core": "on core 1: crash other-core: an assertion that does not hold",
    "thread-stack": "stack overflow: the 65536 bytes of the thread 'deep' stack are used up",
    "task-waits": "a task must not wait for a semaphore",
    "lock-twice": "a thread locks a mutex that it has already",
    "synchronize-in-section": "nobody waits for a grace period in a read section",
    "barrier-in-section": "nobody waits for a grace period in a read section",
}


@pytest.mark.parametrize("kind", CRASHES)
def test_a_panic_tells_where_and_why(tmp_path: Path, kind: str) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], f"crash {kind}", code=3)
    _, panic, report = ended.output.partition("PANIC")
    assert panic, f"no panic report:\n{ended.output}"
    assert CRASHES[kind] in report
    assert re.match(r" on core \d+: ", report), "the core"
    assert re.search(r"\brip [0-9a-f]{16}", report), "the registers"
    assert re.search(r"0x[0-9a-f]{16} .*[a-z_]{4,}.*\+0x[0-9a-f]+", report), "a backtrace with function names"


def panic_of(console: Console, order: str) -> str:
    """What the kernel says when the emulator is told to do this to it; its exit code is a panic's. The monitor's
    prompt, which comes when the order is carried out, may stand anywhere in it."""
    console.child.send("\x01c")  # from the kernel's console to the emulator's monitor
    console.child.expect_exact("(qemu) ")
    console.child.send(f"{order}\r")
    console.child.expect(pexpect.EOF)
    console.child.close()
    assert console.child.exitstatus == 3
    _, panic, report = console.child.before.replace("\r", "").replace("(qemu) ", "").partition("PANIC")
    assert panic, console.child.before
    return report


def test_an_nmi_tells_what_it_is_and_which_core_had_it(tmp_path: Path) -> None:
    with Console(tmp_path / "log", cpus=2) as console:
        report = panic_of(console, "nmi")
    assert re.match(r" on core [01]: non-maskable interrupt \(exception 2\)\n", report)
    assert "  its source is not told: the NMI button, a management controller, a watchdog\n" in report
    assert re.search(r"\brip [0-9a-f]{16}", report)


class Debugger:
    """The emulator's own (gdb's remote protocol). The machine stands still from here on, until go_on()."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self.said = ""
        self.obey("?", "T05")

    def obey(self, order: str, answer: str) -> None:
        """Returns when it answers so; what it says of stops before that is passed over."""
        self.socket.sendall(f"${order}#{sum(order.encode()) % 256:02x}".encode())
        while not (found := re.search(rf"\${answer}[^#]*#..", self.said)):
            received = self.socket.recv(4096).decode()
            assert received, f"no {answer} to {order}: {self.said}"
            self.said += received
        self.said = self.said[found.end() :]
        self.socket.sendall(b"+")

    def go_on(self) -> None:
        """For good."""
        self.socket.sendall(b"$D#44")


def address_of(name: str) -> int:
    """Where the kernel has this function."""
    symbols = subprocess.run(
        ["nm", "-C", ROOT / "build/metal/mxk.elf.debug"], capture_output=True, text=True, check=True
    )
    found = re.search(rf"^([0-9a-f]+) T {re.escape(name)}\(", symbols.stdout, re.MULTILINE)
    assert found, f"the kernel has no function {name}"
    return int(found[1], 16)


def test_an_nmi_while_a_panic_is_printed_stops_neither_the_report_nor_the_end(tmp_path: Path) -> None:
    sockets = {name: tmp_path / name for name in ("gdb", "qmp")}
    more = ["-gdb", f"unix:{sockets['gdb']},server=on,wait=off", "-qmp", f"unix:{sockets['qmp']},server=on,wait=off"]
    with Console(tmp_path / "log", cpus=2, more=[word for one in more for word in ("--qemu", one)]) as console:
        monitor, debugger = Monitor(sockets["qmp"]), Debugger(sockets["gdb"])
        at = f"1,{address_of('mxk::arch::find_symbol'):x},1"  # for the first line of the backtrace
        debugger.obey(f"Z{at}", "OK")
        console.child.send("crash assert\r")
        debugger.obey("c", "T05")
        monitor.obey("inject-nmi")
        debugger.obey(f"z{at}", "OK")
        debugger.go_on()
        console.child.expect(pexpect.EOF)
        console.child.close()
    assert console.child.exitstatus == 3
    report = console.child.before.replace("\r", "")
    assert re.search(r"PANIC on core 0: crash assert: .*  backtrace:\n +0x[0-9a-f]+ .*\+0x", report, re.DOTALL), report
    assert report.count("PANIC on") == 1


def machine_with_nmi_source(folder: Path, interrupt: int) -> list[str]:
    """Options of a machine of one core whose MADT wants this interrupt to be an NMI."""
    folder.mkdir()
    records = [tables.local_apic(0, 0), tables.io_apic(), tables.interrupt_override(0, 2), tables.nmi_source(interrupt)]
    (folder / "APIC").write_bytes(tables.madt(records))
    return ["--cpus", "1", "--acpi", str(folder)]


def test_an_input_that_the_madt_makes_an_nmi_is_one(tmp_path: Path) -> None:
    timer = 2  # where a PC's first timer is; the firmware has left it running, 18 times a second
    machine = machine_with_nmi_source(tmp_path / "tables", timer)
    ended = run_mxk(tmp_path / "log", machine, "bench table --ops 4M", code=3)
    assert "interrupts: an NMI at interrupt 2, as the MADT has it\n" in ended.output
    assert "PANIC on core 0: non-maskable interrupt (exception 2)\n" in ended.output


def test_an_nmi_input_that_there_is_not_is_left_out_and_the_serial_lines_is_not_taken(tmp_path: Path) -> None:
    nowhere = run_mxk(tmp_path / "log", machine_with_nmi_source(tmp_path / "nowhere", 99), "topology")
    assert "WARN ACPI: MADT has an NMI at interrupt 99: no I/O APIC has that input: it is left out" in nowhere.output
    shared = run_mxk(tmp_path / "log", machine_with_nmi_source(tmp_path / "shared", 4), "topology")
    assert "WARN console: the MADT has an NMI at the serial line's interrupt 4: the line is polled" in shared.output


@pytest.mark.parametrize("to_all", ["", "-b "], ids=["one-core", "broadcast"])
def test_a_machine_check_tells_what_it_is_and_which_core_found_it(tmp_path: Path, to_all: str) -> None:
    with Console(tmp_path / "log", cpus=2) as console:
        report = panic_of(console, f"mce {to_all}1 5 0xbe0000000000009f 0x4 0x12345000 0x8c")
    assert report.startswith(" on core 1: machine check (exception 18)\n")
    what = (
        "bank 5: not corrected, the core's state is corrupt; memory controller, read, channel not known, at 0x12345000"
    )
    assert what in report
    assert "the interrupted code could not have gone on (IA32_MCG_STATUS 0x4)" in report


def test_a_hang_ends_at_the_deadline(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "1"], "hang", code=4, seconds=5)
    assert "mxk> hang" in ended.output


def test_ctrl_c_ends_a_benchmark_but_not_the_kernel(tmp_path: Path) -> None:
    options = ["run", "--no-build", "--cpus", "2", "--mem", "1G", "--timeout", "120", "--log", str(tmp_path / "log")]
    console = pexpect.spawn(DRIVER, options, timeout=60, encoding="utf-8")
    console.expect_exact("mxk> ")
    console.send("bench table --ops 8M --cores 2\r")
    console.expect_exact("measuring")
    console.send("\x03")
    console.expect_exact("interrupted by Ctrl-C")
    console.expect_exact("mxk> ")
    console.send("memory\r")
    console.expect(r"\n +0 +[\d.]+ +([\d.]+) ")
    assert float(console.match[1]) < 10, "an interrupted benchmark gives its memory back"
    console.send("exit\r")
    console.expect(pexpect.EOF)
    console.close()
    assert console.exitstatus == 1, "a run with an interrupted command has not succeeded"

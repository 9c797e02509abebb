"""Watchdogs that firmware has started are stopped: without that each of these machines is reset in mid-run. A stand-in
for firmware starts them before the first instruction, by the emulator's protocol for tests."""

import socket
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

from helpers import DRIVER

pytestmark = pytest.mark.usefixtures("images")

PM_BASE = 0x600  # where a PC's firmware has the ACPI registers
TCO = PM_BASE + 0x60
LPC_BRIDGE = 0x8000F800  # bus 0, device 31, function 0, in the configuration's address register

ROOT_COMPLEX = 0xFED1C000
CONTROL_AND_STATUS = ROOT_COMPLEX + 0x3410  # its bit 5, NO_REBOOT, is set at reset

# Two times four periods of 0.6 s until the reset; the machine stops when it is reset.
START_TCO = [
    *(f"outl 0xcf8 {LPC_BRIDGE | 0x40:#x}", f"outl 0xcfc {PM_BASE | 1:#x}"),
    *(f"outl 0xcf8 {LPC_BRIDGE | 0x44:#x}", "outl 0xcfc 0x80"),
    *(f"outl 0xcf8 {LPC_BRIDGE | 0xF0:#x}", f"outl 0xcfc {ROOT_COMPLEX | 1:#x}", f"writel {CONTROL_AND_STATUS:#x} 0"),
    *(f"outw {TCO + 8:#x} 0", f"outw {TCO + 0x12:#x} 4", f"outw {TCO:#x} 1"),
]
CAN_RESET = ["-global", "ICH9-LPC.noreboot=false"]
LONGER_THAN_IT = "soak --seconds 8"


def run_after(folder: Path, orders: Sequence[str], qemu: Sequence[str], commands: str) -> tuple[int, str]:
    """Boots with these arguments after the orders; the exit code, and all that the machine said."""
    place = folder / "qtest"
    more = ["-S", "-qtest", f"unix:{place},server=on", "-qmp", f"unix:{folder / 'qmp'},server=on,wait=off", *qemu]
    options = ["--no-build", "--cpus", "2", "--mem", "256M", "--timeout", "60", "--log", str(folder / "log")]
    words = [word for argument in more for word in ("--qemu", argument)]
    kernel = pexpect.spawn(DRIVER, ["run", *options, *words, "--", commands], encoding="utf-8", timeout=90)
    try:
        with connected(place) as test:
            for order in orders:
                test.write(f"{order}\n")
                test.flush()
                assert test.readline().startswith("OK"), order
            with connected(folder / "qmp") as monitor:
                for order in ("qmp_capabilities", "cont"):
                    monitor.write(f'{{"execute": "{order}"}}\n')
                    monitor.flush()
                kernel.expect(pexpect.EOF)
    finally:
        kernel.close(force=True)
    return kernel.exitstatus, (folder / "log").read_text().replace("\r", "")


@contextmanager
def connected(place: Path) -> Iterator:
    """A connection with the socket there, once there is one."""
    with socket.socket(socket.AF_UNIX) as connection:
        end = time.monotonic() + 30
        while connection.connect_ex(str(place)) != 0:
            assert time.monotonic() < end, f"nobody listens at {place}"
            time.sleep(0.02)
        with connection.makefile("rw") as stream:
            yield stream


def table(folder: Path, signature: str, body: bytes) -> list[str]:
    """QEMU's arguments for one more ACPI table with this behind its header."""
    (folder / signature).write_bytes(body)
    return ["-acpitable", f"sig={signature},rev=1,oem_id=MXK,oem_table_id=TEST,data={folder / signature}"]


def wdat(folder: Path, register: int) -> list[str]:
    """A WDAT as firmware has it for TCO: it runs while bit 11 of this register is 0."""
    place = struct.pack("<BBBBQ", 1, 16, 11, 2, register)
    query_running = struct.pack("<BBH", 8, 0, 0) + place + struct.pack("<II", 0, 1)
    set_stopped = struct.pack("<BBH", 11, 0x82, 0) + place + struct.pack("<II", 1, 1)
    head = struct.pack("<IHBBB3xIIIB3xI", 32, 0xFF, 0xFF, 0xFF, 0xFF, 600, 1023, 2, 1, 2)
    return table(folder, "WDAT", head + query_running + set_stopped)


def test_the_chip_sets_watchdog_is_halted(tmp_path: Path) -> None:
    code, said = run_after(tmp_path, START_TCO, CAN_RESET, LONGER_THAN_IT)
    assert f"\nwatchdogs: the chip set's (TCO, port {TCO:#x}) ran: it has been halted\n" in said
    assert code == 0, said


def test_a_watchdog_that_firmware_describes_is_stopped_by_its_instructions(tmp_path: Path) -> None:
    code, said = run_after(tmp_path, START_TCO, [*CAN_RESET, *wdat(tmp_path, TCO + 8)], LONGER_THAN_IT)
    assert "\nwatchdogs: the one that firmware has started (WDAT) ran: it has been stopped\n" in said
    assert "TCO" not in said, "there it was halted"
    assert code == 0, said


def test_a_description_that_names_no_register_is_told_and_the_chip_sets_is_halted(tmp_path: Path) -> None:
    code, said = run_after(tmp_path, START_TCO, [*CAN_RESET, *wdat(tmp_path, 0x1_0000)], "topology")
    assert "\nWARN ACPI: WDAT of 116 bytes with 2 entries: entry 0 cannot be carried out; none is\n" in said
    assert "\nwatchdogs: the chip set's (TCO, port 0x660) ran: it has been halted\n" in said
    assert code == 0, said


def test_nothing_is_said_where_none_can_reset_the_machine(tmp_path: Path) -> None:
    code, said = run_after(tmp_path, [], ["-global", "ICH9-LPC.noreboot=true"], "topology")
    assert (code, "watchdogs" in said) == (0, False)

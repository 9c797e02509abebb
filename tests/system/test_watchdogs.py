"""Watchdogs that firmware has started are stopped: without that each of these machines is reset in mid-run. A stand-in
for firmware starts them before the first instruction, by the emulator's protocol for tests."""

import re
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


def run_after(
    folder: Path, orders: Sequence[str], qemu: Sequence[str], commands: str, boot: Sequence[str] = ()
) -> tuple[int, str]:
    """Boots with these arguments after the orders; the exit code, and all that the machine said."""
    place = folder / "qtest"
    more = ["-S", "-qtest", f"unix:{place},server=on", "-qmp", f"unix:{folder / 'qmp'},server=on,wait=off", *qemu]
    options = ["--no-build", "--cpus", "2", "--mem", "256M", "--timeout", "60", "--log", str(folder / "log")]
    words = [word for argument in more for word in ("--qemu", argument)]
    kernel = pexpect.spawn(DRIVER, ["run", *options, *boot, *words, "--", commands], encoding="utf-8", timeout=90)
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
    wrong = "ACPI: WDAT of 116 bytes with 2 entries: entry 0 cannot be carried out, its register "
    assert f"\nWARN {wrong}is at 0x10000, neither a port nor in memory; none is\n" in said
    assert "\nwatchdogs: the chip set's (TCO, port 0x660) ran: it has been halted\n" in said
    assert code == 0, said


def kcs_message(port: int, message: Sequence[int]) -> list[str]:
    """Orders that send a message to the management controller and take its answer of three bytes (IPMI 2.0, 9)."""
    command = port + 1
    orders = [f"outb {command:#x} 0x61", f"inb {port:#x}"]
    for byte in message[:-1]:
        orders += [f"outb {port:#x} {byte:#x}", f"inb {port:#x}"]
    orders += [f"outb {command:#x} 0x62", f"inb {port:#x}", f"outb {port:#x} {message[-1]:#x}"]
    return [*orders, *[f"inb {port:#x}", f"outb {port:#x} 0x68"] * 3, f"inb {port:#x}"]


KCS = 0xCA2
SET, START = 0x24, 0x22
# For the system's start (4), with a reset (1) after 4 seconds.
START_BMC = [*kcs_message(KCS, [0x18, SET, 4, 1, 0, 0, 40, 0]), *kcs_message(KCS, [0x18, START])]
BMC = ["-device", "ipmi-bmc-sim,id=bmc0", "-device", "isa-ipmi-kcs,bmc=bmc0"]  # SMBIOS says where it is


def spmi(folder: Path, kind: int, space: int, address: int) -> list[str]:
    """An SPMI that names an interface of this type there."""
    return table(
        folder, "SPMI", struct.pack("<BBHBBBBIBBBBQI", kind, 1, 0x200, 0, 0, 0, 0, 0, space, 8, 0, 0, address, 0)
    )


BMC_RAN = r"^watchdogs: the management controller's \(IPMI, KCS at port 0xca2\) ran, \d+\.\d s before a reset"


def test_the_management_controllers_watchdog_is_stopped(tmp_path: Path) -> None:
    code, said = run_after(tmp_path, START_BMC, BMC, LONGER_THAN_IT)
    assert code == 0, said
    assert re.search(rf"{BMC_RAN}: it has been stopped$", said, re.MULTILINE), said


def test_a_uefi_machines_management_controller_is_found_too(tmp_path: Path) -> None:
    a_minute = [*kcs_message(KCS, [0x18, SET, 4, 1, 0, 0, 0x58, 2]), *kcs_message(KCS, [0x18, START])]
    uefi = ["--boot", "iso", "--firmware", "uefi"]
    code, said = run_after(tmp_path, a_minute, BMC, "topology", uefi)
    assert code == 0, said
    assert re.search(rf"{BMC_RAN}: it has been stopped$", said, re.MULTILINE), said


def test_a_management_controller_whose_watchdog_does_not_run_is_left_alone(tmp_path: Path) -> None:
    code, said = run_after(tmp_path, [], BMC, "topology")
    assert (code, "watchdogs" in said) == (0, False), said


UNKNOWN = "watchdogs: whether the management controller's"
ADVICE = "'ipmitool mc watchdog off' stops it before the boot"


@pytest.mark.parametrize(
    ("kind", "space", "address", "expected"),
    [
        (4, 4, 0, f"\n{UNKNOWN} runs is not known: it speaks SSIF, expected KCS; {ADVICE}\n"),
        (1, 1, 0xE80, f"\nWARN {UNKNOWN} (IPMI, KCS at port 0xe80) runs is not known: nothing answers; {ADVICE}\n"),
        (
            1,
            0,
            0x1000000,
            "\nWARN ACPI: SPMI, base address: expected a device, got 0x1000000, where memory is: it is not used\n",
        ),
        (9, 1, KCS, "\nWARN ACPI: SPMI of 64 bytes names an interface of type 9, expected one of 1 to 4"),
    ],
    ids=["ssif", "nobody", "ram", "unknown"],
)
def test_a_controller_that_cannot_be_asked_is_told(
    tmp_path: Path, kind: int, space: int, address: int, expected: str
) -> None:
    code, said = run_after(tmp_path, [], spmi(tmp_path, kind, space, address), "topology")
    assert (code, expected in said) == (0, True), said


def test_nothing_is_said_where_none_can_reset_the_machine(tmp_path: Path) -> None:
    code, said = run_after(tmp_path, [], ["-global", "ICH9-LPC.noreboot=true"], "topology")
    assert (code, "watchdogs" in said) == (0, False)

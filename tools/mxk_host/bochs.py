"""Bochs, a second machine: an interpreter of instructions that is strict where QEMU lets things pass, with the local
APIC, the timer and the CPUID of a named processor, and without a hypervisor's bit. Slow: for a boot and a few tests."""

import os
import pty
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from mxk_host import files
from mxk_host.errors import ExitCode, UsageError
from mxk_host.qemu import Machine
from mxk_host.runner import child
from mxk_host.shape import Shape
from mxk_host.verdict import Verdict

BOCHS = "bochs"
BIOS = Path("/usr/share/bochs/BIOS-bochs-latest")
VIDEO_BIOS = Path("/usr/share/vgabios/vgabios.bin")
DISPLAY = Path("/usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so")  # the one that opens no network port
MAX_CPUS = 8
MAX_MEBIBYTES = 2048
HERTZ = 50_000_000  # of the emulated time-stamp counter, an instruction each: at half of it slices of 10 us do nothing
_WAIT_STEP = 0.05  # seconds

# What the kernel says at its end, where no emulator can be told a status.
ENDINGS = {
    "MXK has ended: every command succeeded.": Verdict(ExitCode.SUCCESS),
    "MXK has ended: a command failed.": Verdict(
        ExitCode.COMMAND_FAILED, "a command failed (its message is in the output)"
    ),
    "MXK has ended in a panic.": Verdict(ExitCode.PANIC, "the kernel panicked"),
}


class Model(StrEnum):
    """A processor that Bochs knows."""

    SKYLAKE_X = "skylake-x"  # x2APIC, the timer by time stamps
    RYZEN = "ryzen"  # xAPIC, the timer that counts

    @property
    def bochs_name(self) -> str:
        """What Bochs calls it."""
        return {Model.SKYLAKE_X: "corei7_skylake_x", Model.RYZEN: "ryzen"}[self]


def expect_possible(machine: Machine) -> None:
    """Raises if Bochs cannot be that machine."""
    shape = machine.shape
    if len(shape.nodes) != 1 or not shape.srat or shape.hmat:
        raise UsageError("expected one node and no tables with --emulator bochs, which has no SRAT and no HMAT")
    if shape.cpus > MAX_CPUS:
        raise UsageError(f"expected --cpus up to {MAX_CPUS} with --emulator bochs, got {shape.cpus}")
    if shape.mebibytes > MAX_MEBIBYTES:
        raise UsageError(f"expected --mem up to {MAX_MEBIBYTES}M with --emulator bochs, got {shape.mebibytes}M")
    if machine.extra or machine.module:
        raise UsageError("expected neither --qemu nor --trace with --emulator bochs")


def missing() -> list[Path]:
    """The files of Debian's packages bochs, bochs-term, bochsbios and vgabios that are not there."""
    return [path for path in (Path("/usr/bin") / BOCHS, BIOS, VIDEO_BIOS, DISPLAY) if not path.exists()]


def expect_bochs() -> None:
    """Raises if it is not installed."""
    if gone := missing():
        raise UsageError(f"expected Bochs, of which {gone[0]} is missing: run tools/setup machines")


def settings(shape: Shape, model: Model, image: Path, serial: Path, folder: Path) -> str:
    """Bochs' configuration file: a machine that boots the ISO and writes its serial line to a file. Its graphics card
    has no modes beyond VGA's, since the terminal that shows them has text only. The BIOS does not wait for
    the key of its menu."""
    return f"""\
plugin_ctrl: unmapped=1, biosdev=1, extfpuirq=1, serial=1, speaker=0, parallel=0, gameport=0, e1000=0
config_interface: textconfig
display_library: term
cpu: model={model.bochs_name}, count={shape.cpus}, ips={HERTZ}, reset_on_triple_fault=0, ignore_bad_msrs=1
memory: guest={shape.mebibytes}, host={shape.mebibytes}
romimage: file={BIOS}, options=fastboot
vgaromimage: file={VIDEO_BIOS}
vga: extension=none
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path="{image}", status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev="{serial}"
log: {folder / "bochs.log"}
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
clock: sync=none, time0=1700000000
"""


def arguments(folder: Path) -> list[str]:
    """The command line. Debian's has the debugger, which has to be told to go on."""
    return [BOCHS, "-q", "-f", str(folder / "bochsrc"), "-rc", str(folder / "debugger")]


def run(
    shape: Shape, model: Model, image: Path, log: Path, timeout: float, show: Callable[[bytes], None], folder: Path
) -> Verdict:
    """Boots the ISO, until the kernel says that it has ended or for `timeout` seconds; every byte of the serial line
    goes to `log` and to `show`."""
    log = log.resolve()
    files.log(log).close()
    files.write_text(folder / "bochsrc", settings(shape, model, image, log, folder))
    files.write_text(folder / "debugger", "continue\n")
    said = b""
    with (
        _screen() as screen,
        child(arguments(folder), screen, screen, TERM="vt100") as process,
        files.reading(log, "the serial line's log") as lines,
    ):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            has_ended = process.poll() is not None  # first: what it wrote before is read below
            data = lines.read()
            show(data)
            said += data
            for text, verdict in ENDINGS.items():
                if text.encode() in said:
                    return verdict
            if has_ended:
                return Verdict(ExitCode.NO_VERDICT, f"Bochs ended with status {process.returncode}")
            said = said[-1000:]
            time.sleep(_WAIT_STEP)
    return Verdict(ExitCode.TIMEOUT, f"no end after {timeout:g} s: Bochs was killed")


@contextmanager
def _screen() -> Iterator[int]:
    """A terminal for the emulated screen, at which nobody looks; what is drawn there is thrown away."""
    ours, its = pty.openpty()
    os.set_blocking(its, False)  # full, it drops what is drawn, and does not stop the machine
    try:
        yield its
    finally:
        os.close(its)
        os.close(ours)

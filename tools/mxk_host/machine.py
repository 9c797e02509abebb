"""What this host offers for a run: the accelerator, QEMU itself, the UEFI firmware."""

import os
import shutil
from enum import StrEnum
from pathlib import Path

from mxk_host.errors import UsageError
from mxk_host.files import read_text

QEMU = "qemu-system-x86_64"
# tools/setup machines; elsewhere: for tests
MACHINES = Path(os.environ.get("MXK_MACHINES", Path(__file__).resolve().parents[2] / "build/machines"))
QEMU10 = MACHINES / "qemu-10/usr"
OVMF = Path("/usr/share/ovmf/OVMF.fd")
KVM = Path("/dev/kvm")


class Accelerator(StrEnum):
    """Who runs the guest's instructions."""

    AUTO = "auto"
    TCG = "tcg"
    KVM = "kvm"


class Emulator(StrEnum):
    """The program that is the machine. QEMU 10 emulates an x2APIC, and so more cores than 255; Bochs is another program
    altogether (bochs.py)."""

    QEMU = "qemu"
    QEMU10 = "qemu10"
    BOCHS = "bochs"

    @property
    def line(self) -> list[str]:
        """The command that starts it."""
        if self is Emulator.QEMU:
            return [QEMU]
        firmware = (QEMU10 / "share/qemu", QEMU10 / "share/seabios")
        return [str(QEMU10 / "bin" / QEMU), *(argument for folder in firmware for argument in ("-L", str(folder)))]

    @property
    def cpu(self) -> str:
        """Its processor with all that it emulates."""
        return "max" if self is Emulator.QEMU else "max,x2apic=on"

    @property
    def max_cpus(self) -> int:
        """QEMU 7.2 emulates no x2APIC: APIC ids have 8 bits, and 255 is the broadcast. QEMU 10 ends at 4096."""
        return 4096 if self is Emulator.QEMU10 else 255

    def expect_installed(self) -> None:
        """Raises if it is not there."""
        if self is Emulator.QEMU:
            expect_installed(QEMU)
        elif not Path(self.line[0]).is_file():
            raise UsageError(f"expected QEMU 10 at {self.line[0]}: run tools/setup machines")


class Boot(StrEnum):
    """Whether QEMU loads the ELF itself (PVH), or the firmware and GRUB load it from the ISO or over the network."""

    KERNEL = "kernel"
    ISO = "iso"
    PXE = "pxe"


class Firmware(StrEnum):
    """The firmware under GRUB."""

    BIOS = "bios"
    UEFI = "uefi"


def choose_accelerator(asked: Accelerator, cpuinfo: Path = Path("/proc/cpuinfo"), kvm: Path = KVM) -> Accelerator:
    """KVM or TCG. `auto` wants the cpu flag besides the device: without it KVM is itself emulated, and far slower."""
    accessible = os.access(kvm, os.R_OK | os.W_OK)
    if asked is Accelerator.KVM and not accessible:
        raise UsageError(f"expected {kvm} to be readable and writable for --accel kvm; use --accel tcg")
    if asked is not Accelerator.AUTO:
        return asked
    return Accelerator.KVM if accessible and _has_virtualisation(cpuinfo) else Accelerator.TCG


def _has_virtualisation(cpuinfo: Path) -> bool:
    flags = (line for line in read_text(cpuinfo, "what processors there are").splitlines() if line.startswith("flags"))
    return not {"vmx", "svm"}.isdisjoint(next(flags, "").split())


def expect_installed(tool: str) -> None:
    """Raises if the program is not on the PATH."""
    if shutil.which(tool) is None:
        raise UsageError(f"expected {tool} to be installed: run tools/setup")


def expect_firmware(boot: Boot, firmware: Firmware) -> None:
    """Raises if the firmware does not fit the way of booting or is not installed."""
    if firmware is Firmware.BIOS:
        return
    if boot is Boot.KERNEL:
        raise UsageError(
            "expected --boot iso or --boot pxe with --firmware uefi: QEMU loads a kernel without firmware's help"
        )
    if not OVMF.exists():
        raise UsageError(f"expected the UEFI firmware {OVMF}: run tools/setup")

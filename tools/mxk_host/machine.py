"""What this host offers for a run: the accelerator, QEMU itself, the UEFI firmware."""

import os
import shutil
from enum import StrEnum
from pathlib import Path

from mxk_host.errors import UsageError

QEMU = "qemu-system-x86_64"
OVMF = Path("/usr/share/ovmf/OVMF.fd")
KVM = Path("/dev/kvm")


class Accelerator(StrEnum):
    """Who runs the guest's instructions."""

    AUTO = "auto"
    TCG = "tcg"
    KVM = "kvm"


class Emulator(StrEnum):
    """Who is the machine."""

    QEMU = "qemu"
    BOCHS = "bochs"


class Boot(StrEnum):
    """Whether QEMU loads the ELF itself (PVH) or the firmware and GRUB load it from the ISO."""

    KERNEL = "kernel"
    ISO = "iso"


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
    flags = (line for line in cpuinfo.read_text().splitlines() if line.startswith("flags"))
    return not {"vmx", "svm"}.isdisjoint(next(flags, "").split())


def expect_installed(tool: str) -> None:
    """Raises if the program is not on the PATH."""
    if shutil.which(tool) is None:
        raise UsageError(f"expected {tool} to be installed: run tools/setup")


def expect_firmware(boot: Boot, firmware: Firmware) -> None:
    """Raises if the firmware does not fit the way of booting or is not installed."""
    if firmware is Firmware.BIOS:
        return
    if boot is not Boot.ISO:
        raise UsageError("expected --boot iso with --firmware uefi: QEMU loads a kernel without firmware's help")
    if not OVMF.exists():
        raise UsageError(f"expected the UEFI firmware {OVMF}: run tools/setup")

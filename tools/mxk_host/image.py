"""The kernel image: built when it is out of date, and for a run by GRUB copied with the run's own grub.cfg."""

import os
import re
import shutil
from pathlib import Path

from mxk_host import building, files
from mxk_host.building import BUILD, ROOT, run_quietly
from mxk_host.commands import KERNEL
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.machine import Boot, expect_installed

PRESET = os.environ.get("MXK_METAL_PRESET", "metal")  # another one: metal-debug
METAL = BUILD / PRESET
_NAMES = {Boot.ISO: "mxk.iso", Boot.PXE: "pxe"}
_TOOLS = {Boot.KERNEL: (), Boot.ISO: ("grub-mkrescue", "xorriso", "xz"), Boot.PXE: ("grub-mknetdir",)}
MAX_MODULE_BYTES = 2 << 30  # a loader puts it below 4 GiB, beside the holes for devices


def shown(path: Path) -> Path:
    """As a person finds it: from the repository's root, if it is below it."""
    path = path.resolve()
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def image_path(boot: Boot, kernel: str = KERNEL) -> Path:
    """Where the build puts the image: a file, or the directory that a TFTP server serves; ISO and directory have the
    kernel without tests and the one with them."""
    return METAL / _NAMES.get(boot, kernel)


def build(boot: Boot, kernel: str = KERNEL) -> None:
    """Brings the image up to date; shows the compiler's output only on failure. Safe to call from several processes."""
    for tool in ("cmake", "ninja", "nasm", *_TOOLS[boot]):
        expect_installed(tool)
    building.build(PRESET, image_path(boot, kernel).name)


def expect_image(boot: Boot, kernel: str = KERNEL) -> None:
    """Raises if there is no image to boot."""
    path = image_path(boot, kernel)
    if not path.exists():
        raise DriverError(f"expected the image {shown(path)}: leave out --no-build", ExitCode.NO_VERDICT)


def copy_for(boot: Boot, menu_text: str, module: Path | None, folder: Path) -> Path:
    """A copy of the ISO or of the directory in `folder` with this grub.cfg, and the module that it may name."""
    menu = folder / "grub.cfg"
    files.write_text(menu, menu_text)
    if boot is Boot.ISO:
        return _iso_with({"/boot/grub/grub.cfg": menu} | ({} if module is None else {"/boot/module": module}), folder)
    return _directory_with(menu, module, folder)


def unpacked_iso(menu_text: str, kernel: str, folder: Path) -> Path:
    """A copy of the ISO in `folder` with this grub.cfg and with the kernel as it is, not compressed: for an emulator
    that takes longer to expand it than to read it."""
    menu = folder / "grub.cfg"
    files.write_text(menu, menu_text)
    return _iso_with({"/boot/grub/grub.cfg": menu, f"/boot/{kernel}": image_path(Boot.KERNEL, kernel)}, folder)


def _directory_with(menu: Path, module: Path | None, folder: Path) -> Path:
    """Of links, which QEMU's TFTP server follows."""
    copy = Path(shutil.copytree(image_path(Boot.PXE), folder / "pxe", copy_function=os.symlink))
    for file, place in ((menu, "boot/grub/grub.cfg"), (module, "boot/module")):
        if file is not None:
            (copy / place).unlink(missing_ok=True)
            (copy / place).symlink_to(file.resolve())
    return copy


def _iso_with(files: dict[str, Path], folder: Path) -> Path:
    expect_installed("xorriso")
    # What is new is appended to a plain copy, as to a disc: boot sectors and EFI partition stay byte for byte.
    # Writing the image anew fails, because libisofs sees the old EFI partition and its own overlap.
    copy = Path(shutil.copy(image_path(Boot.ISO), folder / "run.iso"))
    insert = ["-dev", str(copy), "-boot_image", "any", "keep"]
    for place, file in files.items():
        insert += ["-map", str(file), place]
    run_quietly(["xorriso", "-report_about", "WARNING", *insert], "the ISO's files could not be replaced")
    return copy


def checked_module(path: Path | None) -> Path | None:
    """A file that the loader can bring, and that a console command can name; raises if it is not."""
    if path is None:
        return None
    if not path.is_file():
        raise UsageError(f"--trace: expected a file, got {path}")
    if not re.fullmatch(r"[A-Za-z0-9._+-]{1,64}", path.name):
        raise UsageError(f"--trace: expected a file name of up to 64 letters, digits and . _ + -, got {path.name}")
    if not 0 < path.stat().st_size <= MAX_MODULE_BYTES:
        size = path.stat().st_size
        raise UsageError(f"--trace: expected 1 to {MAX_MODULE_BYTES} bytes, which a loader can bring, got {size}")
    return path

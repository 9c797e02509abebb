"""Makes an image of a disk that boots under BIOS and under UEFI, without root and loop devices: a GPT, two partitions.

    tools/disk_image.py IMAGE --boot boot.img --core core.img [--qcow2 COPY] PLACE=FILE...

    sector 0        GRUB's boot.img, which BIOS starts, and the MBR that says "this is a GPT"
    1 to 33         the GPT; its copy is at the end
    34 to 2047      1, BIOS boot partition: GRUB's core.img, which boot.img loads
    from 2048       2, EFI system partition (FAT): the files, each at its PLACE. UEFI starts EFI/BOOT/BOOTX64.EFI; both
                    GRUBs read their menu and the kernels here

The same files give the same bytes. Needs sfdisk (Debian: fdisk) and mtools; for COPY, which else is left out, qemu-img.
Plain Python 3.
"""

import argparse
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path, PurePosixPath

SECTOR = 512
MEBIBYTE = 2048  # sectors
BIOS_START, FILES_START = 34, MEBIBYTE
SPARE = MEBIBYTE  # sectors, for the file system's own tables and a menu of one's own
MIN_FILES = 4 * MEBIBYTE  # sectors: with fewer than 4085 clusters it is FAT12, which not all firmware reads

# Fields of GRUB 2's boot.img (GRUB_BOOT_MACHINE_... in its include/grub/i386/pc/boot.h) and core.img (grub-core/boot/
# i386/pc/diskboot.S: the list of blocks grows downwards from the end of the first sector).
KERNEL_SECTOR = 0x5C  # 8 bytes: where core.img begins
DRIVE_CHECK = 0x66  # 2 bytes, a jump; nops: a drive number that is no hard disk's is firmware's error, and is made 0x80
BOOT_CODE_END = 0x1B8  # then the disk's signature and MBR partitions
FIRST_BLOCK = 0x1F4  # 8 bytes: where the rest of core.img begins; then its length, and where it goes

BIOS_TYPE, EFI_TYPE = "21686148-6449-6E6F-744E-656564454649", "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"
IDENTITY = "4D584B00-0000-4000-8000-00000000000"  # and a digit: 0 the disk, then the partitions
TABLE = f"""label: gpt
label-id: {IDENTITY}0
first-lba: {BIOS_START}
start={BIOS_START}, size={FILES_START - BIOS_START}, type={BIOS_TYPE}, uuid={IDENTITY}1, name=GRUB
start={FILES_START}, size={{files}}, type={EFI_TYPE}, uuid={IDENTITY}2, name=MXK
"""
DEBIAN = {"sfdisk": "fdisk", "mformat": "mtools", "mmd": "mtools", "mcopy": "mtools", "qemu-img": "qemu-utils"}
# The first second that FAT knows; no settings of the person who builds.
ENVIRONMENT = {"SOURCE_DATE_EPOCH": "315532800", "TZ": "UTC", "MTOOLSRC": os.devnull, "LC_ALL": "C"}


def find(tool: str) -> str | None:
    """Where a tool is: also where only root looks."""
    return shutil.which(tool, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")


def missing(tool: str) -> str:
    """What is said where a tool is not there."""
    return f"disk_image: expected {tool}, which is not there (Debian: {DEBIAN[tool]})"


def run(tool: str, *arguments: str, text: str = "") -> None:
    """Ends the program if the tool is not there or fails."""
    found = find(tool) or sys.exit(missing(tool))
    environment = {**os.environ, **ENVIRONMENT}
    done = subprocess.run([found, *arguments], input=text, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"disk_image: {tool} {' '.join(arguments)} failed: {done.stdout}{done.stderr}")


def make_file_system(image: Path, sectors: int, files: dict[PurePosixPath, Path]) -> None:
    """The second partition's; folders come before what is in them."""
    drive = ("-i", f"{image}@@{FILES_START * SECTOR}")
    shape = ("-T", str(sectors), "-h", "16", "-s", "63", "-H", str(FILES_START), "-c", "1", "-N", "4D584B00")
    run("mformat", *drive, *shape, "-v", "MXK", "::")
    folders = {folder for place in files for folder in place.parents if folder.name}
    for folder in sorted(folders):
        run("mmd", *drive, f"::/{folder}")
    for place, file in files.items():
        run("mcopy", *drive, str(file), f"::/{place}")


def loaders(boot: bytes, core: bytes) -> tuple[bytes, bytes]:
    """GRUB's code for BIOS, told where it lies."""
    if len(boot) != SECTOR or boot[-2:] != b"\x55\xaa" or struct.unpack_from("<Q", boot, KERNEL_SECTOR) != (1,):
        sys.exit("disk_image: expected GRUB 2's boot.img: a sector that names sector 1")
    if struct.unpack_from("<Q", core, FIRST_BLOCK) != (2,):
        sys.exit("disk_image: expected GRUB 2's core.img of grub-mkimage, whose second sector is the disk's sector 2")
    if len(core) > (FILES_START - BIOS_START) * SECTOR:
        sys.exit(
            f"disk_image: expected a core.img of up to {(FILES_START - BIOS_START) * SECTOR} bytes, got {len(core)}"
        )
    boot_code, whole_core = bytearray(boot[:BOOT_CODE_END]), bytearray(core)
    struct.pack_into("<Q", boot_code, KERNEL_SECTOR, BIOS_START)
    boot_code[DRIVE_CHECK : DRIVE_CHECK + 2] = b"\x90\x90"
    struct.pack_into("<Q", whole_core, FIRST_BLOCK, BIOS_START + 1)
    return bytes(boot_code), bytes(whole_core)


def main() -> None:
    """Makes the image under another name first: what is there is whole."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("image", type=Path)
    parser.add_argument("--boot", type=Path, required=True)
    parser.add_argument("--core", type=Path, required=True)
    parser.add_argument("--qcow2", type=Path)
    parser.add_argument("files", nargs="+", metavar="PLACE=FILE")
    asked = parser.parse_args()
    files = {PurePosixPath(place): Path(file) for place, _, file in (it.partition("=") for it in asked.files)}
    boot_code, core = loaders(asked.boot.read_bytes(), asked.core.read_bytes())

    content = sum(-(-file.stat().st_size // SECTOR) for file in files.values())
    sectors = max(-(-(content + SPARE) // MEBIBYTE) * MEBIBYTE, MIN_FILES)
    image = asked.image.with_name(f"{asked.image.name}.part")
    image.unlink(missing_ok=True)
    with image.open("wb") as disk:
        disk.truncate((FILES_START + sectors + MEBIBYTE) * SECTOR)  # whole MiB; the GPT's copy takes part of the last
    run("sfdisk", "--quiet", str(image), text=TABLE.format(files=sectors))
    make_file_system(image, sectors, files)
    with image.open("r+b") as disk:
        for place, code in ((0, boot_code), (BIOS_START * SECTOR, core)):
            disk.seek(place)
            disk.write(code)
    image.replace(asked.image)
    if asked.qcow2 is not None:
        asked.qcow2.unlink(missing_ok=True)
        if find("qemu-img") is None:
            print(f"{missing('qemu-img')}: no {asked.qcow2.name}", file=sys.stderr)
        else:
            run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", str(asked.image), str(asked.qcow2))


if __name__ == "__main__":
    main()

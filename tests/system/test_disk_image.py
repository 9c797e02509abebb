"""The image of a disk (make image): what is in it, and that it boots under both firmwares from disks as servers and
clouds have them, also where it is written to a larger one."""

import gzip
import lzma
import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

from helpers import ROOT
from mxk_host.building import build
from mxk_host.image import METAL, PRESET
from mxk_host.machine import OVMF, QEMU

SECTOR = 512
IMAGE, QCOW2 = METAL / "mxk.img", METAL / "mxk.qcow2"
IMAGE_BYTES = 9_000_000  # it is to be
FIRST_MENU_ENTRY, DOWN = "*Console", "\x1b[B"
DISKS = {  # how a machine has it
    "ide": ["-device", "ide-hd,drive=disk"],
    "stick": ["-device", "qemu-xhci", "-device", "usb-storage,drive=disk"],
    "nvme": ["-device", "nvme,serial=1,drive=disk"],  # EC2
    "virtio-scsi": ["-device", "virtio-scsi-pci", "-device", "scsi-hd,drive=disk"],  # GCP, Hetzner
}
BOOT_SECTOR = Path("/usr/lib/grub/i386-pc/boot.img")  # Debian: grub-pc-bin
TOOL = ROOT / "tools/disk_image.py"


@pytest.fixture(scope="module", autouse=True)
def image() -> None:
    """It is up to date."""
    build(PRESET, "image")


def partitions(disk: bytes, header_sector: int) -> list[tuple[int, int]]:
    """First and last sector of each partition, by one of two headers with right check sums (UEFI 2.10, 5.3)."""
    header = disk[header_sector * SECTOR :][:92]
    signature, size, told, here = struct.unpack_from("<8s4xII4xQ", header)
    assert (signature, size, here) == (b"EFI PART", 92, header_sector)
    assert zlib.crc32(header[:16] + bytes(4) + header[20:]) == told
    first, count, entry_size, entries_told = struct.unpack_from("<QIII", header, 72)
    entries = disk[first * SECTOR :][: count * entry_size]
    assert zlib.crc32(entries) == entries_told
    found = [struct.unpack_from("<QQ", entries, at + 32) for at in range(0, len(entries), entry_size)]
    return [place for place in found if place != (0, 0)]


def test_the_partition_table_is_sound_and_so_is_its_copy() -> None:
    disk = IMAGE.read_bytes()
    assert len(disk) <= IMAGE_BYTES
    assert len(disk) % (1 << 20) == 0
    assert (disk[510:512], disk[0x1BE], disk[0x1C2]) == (b"\x55\xaa", 0, 0xEE), "a protective MBR"
    last = len(disk) // SECTOR - 1
    bios, files = partitions(disk, 1)
    assert partitions(disk, last) == [bios, files]
    assert (bios[0], bios[1] + 1, files[0] % 2048) == (34, files[0], 0)
    assert files[1] <= last - 33
    if checker := shutil.which("sgdisk"):
        said = subprocess.run([checker, "--verify", str(IMAGE)], capture_output=True, text=True, check=True).stdout
        assert "No problems found" in said


def test_the_disk_has_kernels_menu_and_licences(tmp_path: Path) -> None:
    start = partitions(IMAGE.read_bytes(), 1)[1][0] * SECTOR
    subprocess.run(["mcopy", "-s", "-i", f"{IMAGE}@@{start}", "::/*", str(tmp_path)], check=True)
    assert (tmp_path / "boot/grub/grub.cfg").read_bytes() == (ROOT / "boot/grub.cfg").read_bytes()
    for kernel in ("mxk.elf", "mxk-test.elf"):
        assert lzma.decompress((tmp_path / "boot" / kernel).read_bytes()) == (METAL / kernel).read_bytes()
    texts = gzip.decompress((tmp_path / "licences.txt.gz").read_bytes())
    for name in ("NOTICE", "LICENSE", "LICENSES/OFL-1.1.txt"):
        assert (ROOT / name).read_bytes() in texts
    assert (tmp_path / "EFI/BOOT/BOOTX64.EFI").exists()


@contextmanager
def booted(disk: Path, kind: str, firmware: str) -> Iterator[pexpect.spawn]:
    """A machine with this disk alone."""
    line = ["-accel", "tcg", "-cpu", "max", "-machine", "q35", "-m", "512M", "-smp", "2", "-nodefaults", "-no-reboot"]
    line += [
        "-display",
        "none",
        "-vga",
        "std",
        "-serial",
        "stdio",
        *(["-bios", str(OVMF)] if firmware == "uefi" else []),
    ]
    line += ["-drive", f"if=none,id=disk,snapshot=on,format={disk.suffix[1:].replace('img', 'raw')},file={disk}"]
    # Firmware and GRUB draw with bytes that are no UTF-8.
    machine = pexpect.spawn(QEMU, [*line, *DISKS[kind]], encoding="utf-8", codec_errors="replace", timeout=60)
    try:
        yield machine
    finally:
        machine.close(force=True)


@pytest.mark.parametrize(
    ("name", "kind", "firmware"),
    [
        ("mxk.img", "stick", "bios"),
        ("mxk.img", "nvme", "uefi"),
        ("mxk.qcow2", "ide", "bios"),
        ("mxk.qcow2", "virtio-scsi", "uefi"),
    ],
)
def test_it_boots_as_a_disk(tmp_path: Path, name: str, kind: str, firmware: str) -> None:
    disk = METAL / name
    if name == "mxk.img":  # as dd leaves it, and as GCP wants it: the GPT's copy is not at the end
        disk = Path(shutil.copy(disk, tmp_path))
        os.truncate(disk, 1 << 30)
    with booted(disk, kind, firmware) as machine:
        machine.expect_exact(FIRST_MENU_ENTRY)
        machine.send("\r")
        machine.expect("MXK .*\n")
        machine.expect_exact("mxk> ")
        machine.send("topology\r")
        machine.expect("cores 2 .*, nodes 1,")
        machine.expect_exact("mxk> ")


def test_its_menu_boots_the_kernel_with_the_tests_inside() -> None:
    with booted(IMAGE, "ide", "bios") as machine:
        machine.expect_exact(FIRST_MENU_ENTRY)
        for title in ("*Measure", "*All figures", "*Tests inside the kernel"):
            machine.send(DOWN)
            machine.expect_exact(title)
        machine.send("\r")
        machine.expect(r"mxk> test\s")
        machine.expect(r"TEST \S+ PASS")


def made(folder: Path, core: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What the tool says where it makes an image of one file."""
    image = ["-I", str(TOOL), str(folder / "disk.img"), *options, f"a/b={ROOT / 'LICENSE'}"]
    line = [sys.executable, *image, "--boot", str(BOOT_SECTOR), "--core", str(core)]
    return subprocess.run(line, env={**os.environ, **variables}, capture_output=True, text=True, check=False)


def test_the_same_files_make_the_same_image(tmp_path: Path) -> None:
    core = METAL / "disk-bios.img"
    images = []
    for zone in ("UTC", "Asia/Tokyo"):
        assert made(tmp_path, core, TZ=zone).stderr == ""
        images.append((tmp_path / "disk.img").read_bytes())
    assert images[0] == images[1]


def test_what_cannot_be_made_is_told_by_name(tmp_path: Path) -> None:
    core = METAL / "disk-bios.img"
    told = made(tmp_path, core, PATH="/nowhere").stderr
    assert told == "disk_image: expected mformat, which is not there (Debian: mtools)\n"
    assert "expected GRUB 2's core.img of grub-mkimage" in made(tmp_path, METAL / "mxk.elf").stderr
    large = tmp_path / "large.img"
    large.write_bytes(core.read_bytes().ljust(2 << 20, b"\0"))
    assert "expected a core.img of up to 1031168 bytes, got 2097152" in made(tmp_path, large).stderr
    assert not (tmp_path / "disk.img").exists()


def test_without_qemu_img_there_is_the_raw_image_alone(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for tool in ("mformat", "mmd", "mcopy"):
        (tmp_path / "bin" / tool).symlink_to(Path(shutil.which(tool) or tool).resolve())
    copy = tmp_path / "disk.qcow2"
    copy.write_text("of an image before")
    ended = made(tmp_path, METAL / "disk-bios.img", "--qcow2", str(copy), PATH=str(tmp_path / "bin"))
    said = "disk_image: expected qemu-img, which is not there (Debian: qemu-utils): no disk.qcow2\n"
    assert (ended.returncode, ended.stderr) == (0, said)
    assert (tmp_path / "disk.img").exists()
    assert not copy.exists()

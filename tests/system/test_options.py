"""The driver's options: what it refuses and says, and the QEMU lines it builds. No kernel is needed."""

import shlex
import subprocess
import tempfile
import time

import pytest

from helpers import drive


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--cpus", "0"], "expected --cpus between 1 and 255, got 0"),
        (["--cpus", "256"], "expected --cpus between 1 and 255, got 256"),
        (["--nodes", "0"], "expected --nodes between 1 and 4"),
        (["--cpus", "2", "--nodes", "3"], "expected --nodes between 1 and 2"),
        (["--mem", "4"], "expected --mem as a number with the suffix M or G"),
        (["--mem", "0M"], "expected --mem as a number with the suffix M or G"),
        (["--nodes", "3", "--mem", "1G"], "expected --mem to divide over 3 nodes in MiB, such as 1023M"),
        (["--firmware", "uefi"], "expected --boot iso or --boot pxe with --firmware uefi"),
        (["--no-srat", "--nodes", "2"], "expected --no-srat with one node only"),
        (["--cpus", "2", "--nodes", "2", "--memoryless-node"], "expected --nodes below 2"),
        (["--menu"], "expected --menu with --boot iso or pxe, and neither commands nor a file"),
        (["--boot", "pxe", "--menu", "topology"], "expected --menu with --boot iso or pxe, and neither commands"),
        (["--boot", "floppy"], "floppy"),
        (["--word", "apic"], "expected --word NAME=VALUE without spaces"),
        (["--word", "apic=x2 apic"], "expected --word NAME=VALUE without spaces"),
        (["--", 'echo "x"'], "without quotes"),
        (["--", "help " + "x" * 4079], "a command line of up to 4095 characters, all that QEMU hands over; got 4096"),
    ],
)
def test_refuses_and_says_what_it_expected(arguments: list[str], expected: str) -> None:
    ended = drive("run", "--dry-run", *arguments)
    assert ended.code == 2
    assert expected in ended.complaint
    assert ended.output == ""


def test_dry_run_line_is_complete() -> None:
    words = shlex.split(drive("run", "--dry-run", "--accel", "tcg", "--cpus", "5", "--nodes", "2", "topology").output)
    line = " ".join(words)
    assert "-machine q35 -accel tcg,thread=multi -cpu max" in line
    assert "-device isa-debug-exit,iobase=0xf4,iosize=0x04" in line
    assert "-m 4096M -smp 5" in line
    assert "-numa node,nodeid=0,cpus=0-2,memdev=memory0" in line
    assert "-numa node,nodeid=1,cpus=3-4,memdev=memory1" in line
    assert line.count("-numa dist,") == 4
    assert words[-2:] == ["-append", 'run="topology; exit"']
    assert "-no-reboot" in words


def test_one_node_has_an_srat_unless_told_otherwise() -> None:
    assert "nodeid=0" in drive("run", "--dry-run", "topology").output
    assert "-numa" not in drive("run", "--dry-run", "--no-srat", "topology").output


def test_words_reach_the_kernels_command_line() -> None:
    line = drive("run", "--dry-run", "--word", "apic=xapic", "--word", "tsc-fault=skew:5000", "topology").output
    assert """'run="topology; exit" apic=xapic tsc-fault=skew:5000'""" in line


@pytest.mark.parametrize("commands", ["topology; exit", "topology;exit;", "reboot"])
def test_commands_that_end_the_machine_stay_as_they_are(commands: str) -> None:
    assert f"""'run="{commands}"'""" in drive("run", "--dry-run", "--", commands).output


@pytest.mark.parametrize(
    ("firmware", "card", "loader"),
    [("bios", "e1000", "boot/grub/i386-pc/core.0"), ("uefi", "virtio-net-pci", "boot/grub/x86_64-efi/core.efi")],
)
def test_a_boot_over_the_network_serves_the_directory(firmware: str, card: str, loader: str) -> None:
    line = drive("run", "--dry-run", "--boot", "pxe", "--firmware", firmware, "topology").output
    assert f"build/metal/run,bootfile={loader} -device {card},netdev=network,bootindex=0" in line
    assert ("-bios " in line) == (firmware == "uefi")


def test_the_images_own_menu_is_shown_on_request() -> None:
    shown = drive("run", "--dry-run", "--boot", "iso", "--menu")
    assert "build/metal/mxk.iso" in shown.output
    assert "grub.cfg" not in shown.complaint
    assert "build/metal/run.iso" in drive("run", "--dry-run", "--boot", "iso").output


def test_raw_qemu_arguments_come_last() -> None:
    ended = drive("run", "--dry-run", "--qemu", "-smp", "--qemu", "6,sockets=2,cores=3", "topology")
    assert ended.output.endswith("-smp 6,sockets=2,cores=3\n")


SHAPES = [
    ["--cpus", "1"],
    ["--cpus", "16", "--nodes", "4"],
    ["--cpus", "255", "--nodes", "5", "--mem", "320M"],
    ["--cpus", "4", "--no-srat"],
    ["--cpus", "4", "--nodes", "2", "--memoryless-node"],
    ["--cpus", "4", "--nodes", "3", "--coreless-node"],
    ["--cpus", "6", "--nodes", "2", "--qemu", "-smp", "--qemu", "6,sockets=2,cores=3"],
]


@pytest.mark.parametrize("shape", SHAPES, ids=" ".join)
def test_qemu_accepts_the_line(shape: list[str]) -> None:
    """Interactive lines boot without an image's content: QEMU is told to stop before the first instruction."""
    words = shlex.split(drive("run", "--dry-run", "--accel", "tcg", "--mem", "256M", *shape, "topology").output)
    image = words.index("-kernel")
    line = [*words[:image], *words[image + 4 :], "-S"]
    with tempfile.TemporaryFile() as complaint:
        qemu = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaint)
        try:
            time.sleep(1)
            assert qemu.poll() is None, "QEMU did not start"
        finally:
            qemu.kill()
            qemu.wait()
        complaint.seek(0)
        assert complaint.read() == b""

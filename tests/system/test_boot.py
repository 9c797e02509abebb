"""The kernel comes up on every way to boot and every shape of machine, and finds the machine that QEMU made."""

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pexpect
import pytest

from helpers import (
    DRIVER,
    HAS_QEMU10,
    UEFI_ISO,
    WAYS,
    Console,
    Ended,
    check_kernel_tests,
    kernel_tests,
    run_linux,
    run_mxk,
)
from mxk_host.image import image_path
from mxk_host.machine import Boot

pytestmark = pytest.mark.usefixtures("images")

# Of a kernel, or an ISO: sixty kinds of locks are 0.5 MB of it, dataflow graphs and queries as much.
BOOTED_BYTES = 8_000_000
SERVED_BYTES = 10_000_000  # of what a TFTP server is to serve


def test_what_is_booted_is_small_and_its_debug_file_is_whole() -> None:
    kernel, debug = image_path(Boot.KERNEL), image_path(Boot.KERNEL).with_name("mxk.elf.debug")
    for image in (kernel, image_path(Boot.ISO)):
        assert image.stat().st_size <= BOOTED_BYTES, image
    assert sections(kernel) >= {".text", ".rodata", ".gnu_debuglink"}
    assert not any(name.startswith(".debug_") for name in sections(kernel))
    assert sections(debug) >= {".text", ".symtab", ".debug_info", ".debug_line"}


def test_what_is_served_is_small_and_has_both_loaders() -> None:
    served = image_path(Boot.PXE)
    files = {str(file.relative_to(served)) for file in served.rglob("*") if file.is_file()}
    loaders = {"boot/grub/i386-pc/core.0", "boot/grub/x86_64-efi/core.efi"}
    assert files >= {*loaders, "boot/mxk.elf", "boot/mxk-test.elf", "boot/grub/grub.cfg"}
    assert sum((served / file).stat().st_size for file in files) <= SERVED_BYTES


def sections(file: Path) -> set[str]:
    """The names of an ELF file's sections."""
    table = subprocess.run(["readelf", "--sections", "--wide", str(file)], capture_output=True, text=True, check=True)
    return set(re.findall(r"^ +\[ *\d+\] (\.\S+)", table.stdout, re.MULTILINE))


def counted(ended: Ended, noun: str) -> int:
    """The number after `noun` (nodes, cores) in the topology's first line: cores 4 (...), nodes 2, ..."""
    found = re.search(rf"\b{noun} (\d+)\b", ended.after("topology").splitlines()[0])
    assert found is not None, f"topology does not count {noun}:\n{ended.output}"
    return int(found[1])


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("x2apic", "WARN apic=x2apic: expected a processor with an x2APIC (CPUID 1, ECX bit 21), this one has none"),
        ("fast", "WARN apic: expected x2apic, xapic or auto, got 'fast'; going on as with auto"),
        ("auto", None),
    ],
)
def test_an_apic_mode_that_cannot_be_is_a_warning(tmp_path: Path, word: str, expected: str | None) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2", "--word", f"apic={word}"], "topology")
    assert "cores: 2 of 2 run, 1 nodes, x APIC" in ended.output
    assert ("WARN apic" in ended.output) == (expected is not None)
    assert expected is None or expected in ended.output


@pytest.mark.parametrize("boot", WAYS.values(), ids=WAYS)
def test_every_way_to_boot(tmp_path: Path, boot: list[str]) -> None:
    shape = [*boot, "--cpus", "2", "--nodes", "2"]
    ended = run_mxk(tmp_path / "log", shape, "topology; bench table --ops 20k --cores 2 --json")
    assert (counted(ended, "nodes"), counted(ended, "cores")) == (2, 2)
    assert [row["verified"] for row in ended.rows] == [True]
    read = re.search(r"memory: EFI's map with (\d+) entries was read", ended.output)
    assert (read is not None) == ("uefi" in boot), "GRUB brings it where it has ended boot services"
    assert read is None or int(read[1]) > 10
    assert "WARN memory map" not in ended.output, "both maps say the same here"


@pytest.mark.parametrize(
    ("cpus", "nodes", "more"),
    [
        (1, 1, []),
        (2, 1, []),
        (4, 2, []),
        (16, 4, []),
        (4, 1, ["--no-srat"]),
        (6, 1, ["--qemu", "-smp", "--qemu", "6,sockets=2,cores=3"]),  # APIC ids 0-2 and 4-6
    ],
    ids=["1", "2", "4-on-2-nodes", "16-on-4-nodes", "no-srat", "sparse-apic-ids"],
)
def test_topology_is_the_one_qemu_made(tmp_path: Path, cpus: int, nodes: int, more: list[str]) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", str(cpus), "--nodes", str(nodes), *more], "topology")
    assert (counted(ended, "nodes"), counted(ended, "cores")) == (nodes, cpus)


def test_siblings_are_numbered_last(tmp_path: Path) -> None:
    shape = ["--cpus", "4", "--nodes", "2", "--qemu", "-smp", "--qemu", "4,sockets=2,cores=1,threads=2"]
    said = run_mxk(tmp_path / "log", shape, "topology; test topology").after("topology")
    places = re.findall(r"^  cores +(\S+)\n  apic +(\S+)$", said, re.MULTILINE)
    assert places == [("0,2", "0-1"), ("1,3", "2-3")]


def test_memoryless_node(tmp_path: Path) -> None:
    shape = ["--cpus", "6", "--nodes", "2", "--memoryless-node"]
    ended = run_mxk(tmp_path / "log", shape, "topology; bench table --ops 100k --json")
    assert (counted(ended, "nodes"), counted(ended, "cores")) == (3, 6)
    assert all(row["verified"] for row in ended.rows)


def test_coreless_node(tmp_path: Path) -> None:
    # As memory of CXL devices is: its node has distances, is chosen by name, and runs nothing.
    shape = ["--cpus", "4", "--nodes", "2", "--coreless-node", "--mem", "384M", "--hmat"]
    commands = [
        "test topology memory",
        "bench table --ops 100k --memory node:2 --json",
        "bench memory --part latency --node 2 --max 64K --repeat 1 --json",
        "topology",
    ]
    ended = run_mxk(tmp_path / "log", shape, "; ".join(commands))
    assert (counted(ended, "nodes"), counted(ended, "cores")) == (3, 4)
    said = ended.after("topology")
    assert re.search(r"^node 2: cores 0, memory 12\d\.\d MiB", said, re.MULTILINE)
    assert "  cores   none" in said
    assert re.search(r"^ +2 +21 +21 +10$", said, re.MULTILINE), "its distances"
    assert ended.rows
    assert all(row["verified"] for row in ended.rows)
    ended = run_mxk(tmp_path / "log", shape, "bench table --cores node:2 --ops 1k", code=1)
    assert "expected a node with cores, got 2, which has none" in ended.output


def test_memory_that_could_be_plugged_in_is_no_ram(tmp_path: Path) -> None:
    # The SRAT has a hot-pluggable range up to maxmem. The memory map has nothing of it, not even what is plugged in.
    room = ["--qemu", "-m", "--qemu", "512M,slots=2,maxmem=2G"]
    module = ["--qemu", "-object", "--qemu", "memory-backend-ram,id=more,size=256M"]
    plugged = ["--qemu", "-device", "--qemu", "pc-dimm,memdev=more"]
    for shape in (room, [*room, *module, *plugged]):
        ended = run_mxk(
            tmp_path / "log", ["--cpus", "2", "--nodes", "2", *shape], "topology; bench table --ops 10k --json"
        )
        found = re.search(r"memory ([\d.]+) MiB", ended.after("topology"))
        assert found
        assert 505 < float(found[1]) <= 512
        assert ended.rows[-1]["verified"]
        assert "WARN ACPI" not in ended.output


def test_a_core_that_does_not_come_up_is_named_and_left_out(tmp_path: Path) -> None:
    line = 'phantom-core=77 run="topology; test topology; bench table --ops 20k --json; exit"'
    shape = ["--tests", "--cpus", "3", "--qemu", "-append", "--qemu", line]
    ended = run_mxk(tmp_path / "log", shape, "topology")
    complaint = "cores: the core with APIC id 77 did not start: it is left out"
    assert f"WARN {complaint}" in ended.output
    assert (counted(ended, "nodes"), counted(ended, "cores")) == (1, 3)
    assert [row["warnings"] for row in ended.rows] == [[complaint]] * 3, "a warning stands in every result"


def test_a_core_that_an_xapic_cannot_reach_is_left_out(tmp_path: Path) -> None:
    shape = ["--cpus", "2", "--qemu", "-append", "--qemu", 'phantom-core=300 run="topology; exit"']
    ended = run_mxk(tmp_path / "log", shape, "topology")
    assert "APIC id 300 cannot be reached, which takes an x2APIC" in ended.output
    assert counted(ended, "cores") == 2


def test_interrupts_that_the_firmware_left_open_are_masked(tmp_path: Path) -> None:
    # Before the first instruction the last pin of the I/O APIC is opened, by the emulator's protocol for tests.
    place = tmp_path / "qtest"
    log = ["--no-build", "--cpus", "1", "--mem", "256M", "--timeout", "60", "--log", str(tmp_path / "log")]
    stopped = ["--qemu", "-S", "--qemu", "-qtest", "--qemu", f"unix:{place},server=on"]
    kernel = pexpect.spawn(DRIVER, ["run", *log, *stopped], encoding="utf-8", timeout=30)
    try:
        with connected(place) as test:
            for order in ("writel 0xfec00000 0x3e", "writel 0xfec00010 0x40"):  # register select, window
                test.write(f"{order}\n")
                test.flush()
                assert test.readline() == "OK\n"
            kernel.send("\x01c")  # to the emulator's monitor
            kernel.expect_exact("(qemu) ")
            kernel.send("cont\r")
            kernel.expect_exact("interrupts: masked 1 pins of I/O APICs that the firmware left open")
            kernel.expect_exact("mxk> ")
    finally:
        kernel.close(force=True)


@contextmanager
def connected(place: Path) -> Iterator[TextIO]:
    """A connection with the socket there, once there is one."""
    with socket.socket(socket.AF_UNIX) as connection:
        end = time.monotonic() + 30
        while connection.connect_ex(str(place)) != 0:
            assert time.monotonic() < end, f"nobody listens at {place}"
            time.sleep(0.02)
        with connection.makefile("rw") as stream:
            yield stream


@pytest.mark.parametrize(
    ("cpu", "skips"),
    [("max,-pdpe1gb", 0), ("max,-nx", 2), ("max,-smep,-smap", 0), ("qemu64", 0)],
    ids=["2-mib-pages", "no-nx", "no-smep", "qemu64"],
)
def test_lesser_processors(tmp_path: Path, cpu: str, skips: int) -> None:
    shape = ["--cpus", "2", "--qemu", "-cpu", "--qemu", cpu]
    _, (passed, failed, skipped) = kernel_tests(run_mxk(tmp_path / "log", shape, "test paging topology"))
    assert (passed + skipped, failed, skipped) == (14, 0, skips)


@pytest.mark.parametrize(("cpu", "skips"), [("max,la57=on", 1), ("max,-avx", 1), ("qemu64,-xsave", 4)])
def test_what_the_cores_have_switched_on(tmp_path: Path, cpu: str, skips: int) -> None:
    shape = ["--cpus", "2", "--qemu", "-cpu", "--qemu", cpu]
    _, counts = kernel_tests(run_mxk(tmp_path / "log", shape, "test processor"))
    assert counts == (5 - skips, 0, skips)


@pytest.mark.parametrize(
    ("cpu", "revision"),
    [("max,vendor=GenuineIntel,ucode-rev=0xd00038900000000", "0xd000389"), ("max,ucode-rev=0xa201210", "0xa201210")],
    ids=["intel", "amd"],
)
def test_microcode_and_mitigations_are_said(tmp_path: Path, cpu: str, revision: str) -> None:
    shape = ["--cpus", "1", "--qemu", "-cpu", "--qemu", cpu]
    ended = run_mxk(tmp_path / "log", shape, "topology; topology --json; bench task --measure local --json")
    assert f"\ncpu: microcode {revision}, no controls\n" in ended.output
    assert ended.after("topology").endswith(f", microcode {revision}, no controls")
    shown, row = ended.rows
    for machine in (shown, row["machine"]):
        assert (machine["microcode"], machine["mitigations"]) == (revision, "no controls")


def test_a_processor_without_xsave_preempts_threads_too(tmp_path: Path) -> None:
    shape = ["--cpus", "2", "--qemu", "-cpu", "--qemu", "qemu64,-xsave"]
    _, counts = kernel_tests(run_mxk(tmp_path / "log", shape, "test threads.preemption_changes", seconds=180))
    assert counts == (1, 0, 0)


def test_locks_without_a_hypervisor(tmp_path: Path) -> None:
    # There spin locks go by tickets. What has ended stays: a bare machine does not end QEMU.
    with Console(tmp_path / "log", cpus=2, more=["--tests", "--qemu", "-cpu", "--qemu", "max,-hypervisor"]) as console:
        assert re.search(r"^3 passed, 0 failed, 0 skipped", console.run("test semaphore1.all"), re.MULTILINE)


@pytest.mark.parametrize(
    ("cpu", "missing"),
    [("max,-hypervisor", "an invariant TSC"), ("max,-hypervisor,-nx,-smep,-smap", "NX, SMEP, SMAP, an invariant TSC")],
    ids=["tsc", "all"],
)
def test_a_bare_machine_without_protection_is_said(tmp_path: Path, cpu: str, missing: str) -> None:
    with Console(tmp_path / "log", more=["--qemu", "-cpu", "--qemu", cpu]) as console:
        console.obeys("topology", r"cores \d+")
    warnings = re.findall(r"WARN (.*?)\r?\n", (tmp_path / "log").read_text())
    assert warnings == [f"cpu: expected {missing}, which this processor lacks or the firmware has switched off"]


def test_a_processor_without_avx2_runs_batches_too(tmp_path: Path) -> None:
    # The functions that have a second edition for AVX2 (base/vectors.hpp): here the first one runs.
    shape = ["--cpus", "2", "--qemu", "-cpu", "--qemu", "max,-avx2"]
    ended = run_mxk(tmp_path / "log", shape, "test batched tables")
    _, (passed, failed, skipped) = kernel_tests(ended)
    assert passed > 0
    assert failed == 0
    assert skipped == ended.output.count("SKIP (long; use --long)")


@pytest.mark.skipif(HAS_QEMU10 and "MXK_LONG_TESTS" not in os.environ, reason="QEMU 10 runs them all (test_qemu10.py)")
@pytest.mark.long(reason="all tests inside, on four emulated cores")
def test_kernel_tests_pass(tmp_path: Path) -> None:
    check_kernel_tests(run_mxk(tmp_path / "log", ["--cpus", "4", "--nodes", "2"], "test", seconds=400))


@pytest.fixture(scope="module")
def rooms(images: None, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The first part of the names of the kernel's tests."""
    listed = run_mxk(tmp_path_factory.mktemp("names") / "log", ["--cpus", "1"], "test --list").output
    found = {name.split(".")[0] for name in re.findall(r"^\w+\.\w+$", listed, re.MULTILINE)}
    assert found > {"bench_table", "tables", "threads"}
    return found


# Benchmarks of tables are tested on up to four cores, however many there are: the shape above has done that, and the
# Linux program with one core.
@pytest.mark.parametrize(
    "shape",
    [["--cpus", "1"], ["--cpus", "16", "--nodes", "4", "--mem", "1G", *UEFI_ISO]],
    ids=["1-cpu", "16-cpus-uefi"],
)
@pytest.mark.long(reason="all tests inside but those of benchmarks, emulated")
def test_kernel_tests_but_for_benchmarks_pass(tmp_path: Path, rooms: set[str], shape: list[str]) -> None:
    # As few words as say it, for a command takes up to 32: a letter says all rooms that begin with it.
    needed = sorted({room if room[0] == "b" else room[0] for room in rooms - {"bench_table"}})
    command = f"test {' '.join(needed)}"
    check_kernel_tests(run_mxk(tmp_path / "log", shape, command, seconds=400))


@pytest.mark.long(reason="255 emulated cores")
def test_every_one_of_255_cores_sends_to_all_others(tmp_path: Path) -> None:
    shape = ["--cpus", "255", "--mem", "2G"]
    _, counts = kernel_tests(run_mxk(tmp_path / "log", shape, "test tasks.every_core_sends_to_all", seconds=180))
    assert counts == (1, 0, 0)


def test_a_word_that_the_kernel_does_not_know_is_told(tmp_path: Path) -> None:
    line = (
        "srial=com2 cores=0 foo RUN=help apic= phantom-core=none calibrate=no calibrate=yes 'run=topology --json; exit'"
    )
    ended = run_mxk(tmp_path / "log", ["--cpus", "1", "--qemu", "-append", "--qemu", line], "topology")
    (machine,) = ended.rows
    told = [warning for warning in machine["warnings"] if warning.startswith(("command line", "phantom-core"))]
    expected = (
        "expected NAME=VALUE with one of run, serial, columns, apic, calibrate, module-name, acpi-image, tsc-fault, "
        "phantom-core, got "
    )
    assert told == [
        *(f"command line: {expected}'{word}': it is ignored" for word in ("srial=com2", "cores=0", "foo", "RUN=help")),
        "command line: expected a value behind 'apic=': it is ignored",
        "command line: expected 'calibrate=' once, got it again: 'calibrate=yes' is ignored",
        "phantom-core: expected a count such as 24M (0 to 4294967295), got 'none'; there is none",
    ]


# What a machine has besides the processor's own counter -> what measures that one; none: nothing does.
CLOCKS = {
    "microvm": "i8254",
    "isapc": "i8254",
    "microvm,pit=off,rtc=on": "CMOS clock",
    "microvm,pit=off,rtc=off,pic=off": None,
}


@pytest.mark.parametrize("machine", CLOCKS)
def test_what_measures_the_time_stamps_where_there_is_neither_hpet_nor_pm_timer(tmp_path: Path, machine: str) -> None:
    shape = ["--cpus", "1", "--no-srat", "--qemu", "-machine", "--qemu", machine]
    commands = (
        "bench table --ops 10K --latency --json; bench memory --part latency --max 16Ki --repeat 1 --json; sysinfo"
    )
    ended = run_mxk(tmp_path / "log", shape, commands)
    source = CLOCKS[machine]
    table, *chases = ended.rows
    hertz = table["machine"]["tsc_hz"]
    assert all(row["verified"] and row["machine"]["tsc_hz"] == hertz for row in ended.rows)
    is_unknown = [warning for warning in table["warnings"] if warning.endswith("and so are no seconds and no rates")]
    times = [table["seconds"], table["throughput"]["median"], *(row["nanoseconds"]["median"] for row in chases)]
    if source is None:
        assert is_unknown
        assert hertz is None
        assert times == [None] * len(times)
        assert table["not_quiet"].startswith("nothing is known of its time")
        assert "its frequency is not known" in ended.after("sysinfo")
        return
    assert not is_unknown
    # The emulator's is its host's.
    whole = run_linux("bench table --ops 10K --json").rows[0]["machine"]["tsc_hz"]
    assert re.search(rf"^clock: TSC at \S+ MHz \({source}\)", ended.output, re.MULTILINE)
    assert hertz == pytest.approx(whole, rel=0.05)
    assert all(times)


def test_a_boot_node_without_memory_measures_the_nearest(tmp_path: Path) -> None:
    node = ["-object", "memory-backend-ram,id=far,size=512M", "-numa", "node,nodeid=0,cpus=0-1"]
    node += ["-numa", "node,nodeid=1,cpus=2-3,memdev=far", "-numa", "dist,src=0,dst=1,val=21"]
    shape = ["--cpus", "4", "--no-srat", *(word for each in node for word in ("--qemu", each))]
    one = "--repeat 1 --json"
    machine = f"topology; bench memory --max 64K --set 64K {one}; bench tlb --max 64K {one}"
    place = f"bench dataflow place {one} --rows 100 --envelopes 64 --requests 5 --table-kib 4"
    ended = run_mxk(tmp_path / "log", shape, f"{machine}; {place}")
    assert "node 0: cores 2, memory 0.0 MiB" in ended.after("topology")
    assert {row["benchmark"] for row in ended.rows} == {"memory", "tlb", "dataflow place"}
    assert all(row["verified"] for row in ended.rows if "verified" in row)
    assert {row["memory_node"] for row in ended.rows if "memory_node" in row} == {1}

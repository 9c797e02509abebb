"""`topology --acpi` shows what the kernel then brings up: QEMU's own tables are taken out of its memory, previewed by
the Linux program, and compared with what the kernel says on that machine. And the HMAT, which only some machines have.
"""

import json
import re
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from helpers import DRIVER, ROOT, Monitor, drive, linux_program, run_mxk

pytestmark = pytest.mark.usefixtures("images")

BIOS_AREA = (0xE0000, 0x20000)  # where SeaBIOS leaves the root pointer
TABLES = ("APIC", "SRAT", "SLIT", "HMAT")
DUMPS = ROOT / "../shared/acpi-dumps"


def dumped_tables(monitor: Monitor) -> Iterator[tuple[str, bytes]]:
    """The tables that the topology is made from, by way of root pointer and RSDT (ACPI 6.5 section 5.2.5)."""
    bios = monitor.memory(*BIOS_AREA)
    root = bios.index(b"RSD PTR ")
    (rsdt,) = struct.unpack_from("<I", bios, root + 16)

    def table(address: int) -> bytes:
        (length,) = struct.unpack_from("<I", monitor.memory(address, 36), 4)
        return monitor.memory(address, length)

    for (address,) in struct.iter_unpack("<I", table(rsdt)[36:]):
        found = table(address)
        name = found[:4].decode()
        if name in TABLES:
            yield name, found


def previewed(path: Path) -> dict[str, Any]:
    """What the Linux program says of the tables there."""
    done = subprocess.run(
        [linux_program(), f"topology --json --acpi '{path}'"], capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(done.stdout)


def without_memory(topology: dict[str, Any]) -> list[object]:
    """All that a preview and the machine itself must agree on. Firmware tables say nothing of what cores share."""
    levels = ("physical_core", "package", "caches")
    cores = [{key: core[key] for key in core if key not in levels} for core in topology["cores"]]
    nodes = [{key: node[key] for key in node if key != "memory"} for node in topology["nodes"]]
    return [topology["listed_cores"], cores, nodes]


def lies_in(part: dict[str, int], whole: dict[str, int]) -> bool:
    """Whether a range of memory is part of another."""
    return whole["start"] <= part["start"] and part["start"] + part["bytes"] <= whole["start"] + whole["bytes"]


@pytest.mark.parametrize(
    ("shape", "cores", "nodes"),
    [
        (["--cpus", "4", "--nodes", "2", "--hmat"], 4, 2),
        (["--cpus", "5", "--nodes", "2", "--memoryless-node", "--hmat"], 5, 3),
        (["--cpus", "6", "--qemu", "-smp", "--qemu", "6,sockets=2,cores=3"], 6, 1),  # APIC ids 0-2 and 4-6
        (["--cpus", "2", "--no-srat"], 2, 1),
    ],
    ids=["2-nodes", "memoryless", "sparse", "no-srat"],
)
def test_preview_is_what_the_kernel_brings_up(tmp_path: Path, shape: list[str], cores: int, nodes: int) -> None:
    monitor = tmp_path / "monitor"
    options = ["--no-build", "--mem", "512M", "--timeout", "60", "--log", str(tmp_path / "log"), *shape]
    qmp = ["--qemu", "-qmp", "--qemu", f"unix:{monitor},server=on,wait=off"]
    child = pexpect.spawn(DRIVER, ["run", *options, *qmp], encoding="utf-8", timeout=30, dimensions=(24, 200))
    try:
        child.expect_exact("mxk> ")
        child.send("topology --json\r")
        child.expect(r'(\{"topology".*\})\r*\n')  # a pseudo-terminal doubles the CR
        booted = json.loads(child.match[1])
        for name, table in dumped_tables(Monitor(monitor)):
            (tmp_path / name).write_bytes(table)
        child.send("exit\r")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)

    preview = previewed(tmp_path)
    assert without_memory(preview) == without_memory(booted)
    assert (len(preview["cores"]), len(preview["nodes"])) == (cores, nodes)
    assert preview["warnings"] == []
    assert preview["memory_known"] == ("--no-srat" not in shape)
    if preview["memory_known"]:  # the loader's map cuts holes into the SRAT's ranges
        for ours, theirs in zip(booted["nodes"], preview["nodes"], strict=True):
            assert all(any(lies_in(part, whole) for whole in theirs["memory"]) for part in ours["memory"])
            assert bool(ours["memory"]) == bool(theirs["memory"])


def test_latencies_and_bandwidths_are_those_of_the_hmat(tmp_path: Path) -> None:
    shape = ["--cpus", "3", "--nodes", "2", "--memoryless-node", "--hmat"]
    ended = run_mxk(tmp_path / "log", shape, "topology; topology --json; test topology")
    nodes = ended.rows[0]["nodes"]
    latencies = [[80_000, 140_000, None], [140_000, 80_000, None], [140_000, 140_000, None]]
    assert [node["read_latency_ps"] for node in nodes] == latencies
    assert [node["write_latency_ps"] for node in nodes] == latencies
    bandwidths = [[20000, 10000, None], [10000, 20000, None], [10000, 10000, None]]
    assert [node["read_bandwidth_mb_per_s"] for node in nodes] == bandwidths
    assert re.search(r"latency in ns from \(row\) to \(column\)\n +0 +1 +2\n +0 +80\.0 140\.0 +-\n", ended.output)


def test_hmat_needs_an_srat() -> None:
    ended = drive("run", "--dry-run", "--hmat", "--no-srat")
    assert ended.code == 2
    assert "expected --hmat without --no-srat" in ended.complaint


def test_the_bare_machine_has_no_files(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "1"], "topology --acpi /sys/firmware/acpi/tables", code=1)
    assert "error: the bare machine has no files; use the Linux program mxk" in ended.output


@pytest.mark.skipif(not DUMPS.exists(), reason="no tables of real servers at ../shared/acpi-dumps")
@pytest.mark.parametrize(
    ("name", "cores", "listed", "nodes", "warnings"),
    [
        ("Server-Dell-PowerEdge-PowerEdge-R820", 80, 96, 4, 0),
        ("Server-Hewlett-Packard-ProLiant-ProLiant-DL360-G7", 16, 32, 2, 1),
        ("Server-Hewlett-Packard-ProLiant-ProLiant-DL380e-Gen8", 8, 64, 2, 1),
        ("Server-Supermicro-X8-X8DTT", 16, 24, 2, 0),
        ("Server-Supermicro-H8-H8DGU", 24, 32, 4, 0),
        ("Server-Quanta-QuantaMicro-QuantaMicro-X10E-9N", 8, 8, 1, 0),
    ],
)
def test_real_servers(name: str, cores: int, listed: int, nodes: int, warnings: int) -> None:
    (directory,) = DUMPS.glob(f"{name}*")
    seen = previewed(directory)
    found = (len(seen["cores"]), seen["listed_cores"], len(seen["nodes"]), len(seen["warnings"]))
    assert found == (cores, listed, nodes, warnings)


def test_a_preview_that_cannot_be_made_fails(tmp_path: Path) -> None:
    done = subprocess.run(
        [linux_program(), f"topology --acpi '{tmp_path}'"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout.startswith("error: no ACPI tables: expected files such as APIC and SRAT")

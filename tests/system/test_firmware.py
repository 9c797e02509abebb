"""Firmware that lies: every fault is read as it is documented, with a WARN for each lie, by the Linux program's preview
of all of them and by the kernel on some; and the kernel boots on the tables of real servers."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from helpers import ROOT, drive, run_linux, run_mxk
from mxk_host.firmware import faults, job
from mxk_host.firmware.faults import FAULTS, SOUND
from mxk_host.firmware.field_faults import TOGETHER
from mxk_host.firmware.fields import Kind, fields, known_names
from mxk_host.firmware.parts import Fault
from mxk_host.shape import Shape

DUMPS = ROOT / "../shared/acpi-dumps"
SHAPE = ["--cpus", "4", "--nodes", "2"]
STAND_IN = "stand in for this machine's, as acpi-image= says"

# One of each kind; the others the preview has read by the same code. All of them with MXK_ALL_FAULTS=1.
BOOTED = [
    "rsdp-checksum",
    "rsdp-revision-0-with-xsdt",
    "xsdt-lists-itself",
    "madt-duplicate-core",
    "madt-without-boot-core",
    "madt-core-that-is-not-there",
    "madt-core-out-of-reach",
    "madt-thousands-of-cores",
    "srat-range-in-another",
    "srat-memory-of-no-domain",
    "srat-ram-non-volatile",
    "srat-all-non-volatile",
    "slit-asymmetric",
    "hmat-against-slit",
    *(f"every-address-{wrong}" for wrong in ("zero", "in-memory", "unaligned", "far")),
    "every-port-too-wide",
]


def expect_warnings(fault: Fault, warnings: list[str]) -> None:
    """One for each lie, and no other; where several fields lie, in whatever order."""
    if fault.warns is None:
        return
    assert len(warnings) == len(fault.warns), warnings
    if fault in TOGETHER:
        assert all(sum(expected in warning for warning in warnings) == 1 for expected in fault.warns), warnings
        return
    for expected, warning in zip(fault.warns, warnings, strict=True):
        assert expected in warning


def expect_machine(fault: Fault, seen: dict[str, Any]) -> None:
    """What is to run of it does."""
    shape = (len(seen["cores"]), len(seen["nodes"]))
    assert shape >= (1, 1) if fault.warns is None else shape == (fault.cores, fault.nodes)


@pytest.fixture(scope="module")
def previews(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the Linux program says of each fault, and of the tables without any."""
    folder = tmp_path_factory.mktemp("faults")
    shape = Shape.checked(4, 2, "512M")
    names = [SOUND, *FAULTS]
    for name in names:
        (folder / name).write_bytes(faults.image_for(name, shape))
    rows = run_linux("; ".join(f"topology --json --acpi {folder / name}" for name in names)).rows
    return dict(zip(names, rows, strict=True))


def test_without_a_fault_nothing_is_said(previews: dict[str, dict[str, Any]]) -> None:
    sound = previews[SOUND]
    assert (len(sound["cores"]), len(sound["nodes"]), sound["warnings"]) == (4, 2, [])
    assert [node["distances"] for node in sound["nodes"]] == [[10, 21], [21, 10]]
    assert [node["read_latency_ps"] for node in sound["nodes"]] == [[80_000, 140_000], [140_000, 80_000]]


@pytest.mark.parametrize("name", [name for name in FAULTS if not FAULTS[name].only_booted])
def test_a_fault_is_read_as_documented(previews: dict[str, dict[str, Any]], name: str) -> None:
    fault, seen = FAULTS[name], previews[name]
    expect_warnings(fault, seen["warnings"])
    expect_machine(fault, seen)


def test_every_field_of_the_structs_has_a_kind_and_its_faults() -> None:
    found = {f"{field.struct}.{field.name}" for field in fields()}
    assert found == known_names(), "a kind of a field that there is no more, or the reverse"
    assert {field.meaning.kind for field in fields()} == set(Kind)
    assert all(field.wrong() for field in fields())


def test_what_is_taken_where_firmware_contradicts_itself(previews: dict[str, dict[str, Any]]) -> None:
    def distances(name: str) -> list[list[int]]:
        return [node["distances"] for node in previews[name]["nodes"]]

    assert distances("slit-asymmetric") == [[10, 40], [21, 10]]
    assert distances("slit-10-off-diagonal") == [[10, 10], [10, 10]]
    assert distances("slit-below-10") == distances("slit-missing") == [[10, 20], [20, 10]]
    node_of = {core["apic_id"]: core["node"] for core in previews["srat-core-in-two-domains"]["cores"]}
    assert node_of == {0: 0, 1: 0, 2: 1, 3: 1}
    first, second = (node["memory"] for node in previews["srat-range-in-another"]["nodes"])
    assert (first, second) == ([{"start": 0, "bytes": 512 << 20}], [])


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize("name", list(FAULTS) if os.environ.get("MXK_ALL_FAULTS") else BOOTED)
def test_the_kernel_boots_with_a_fault(tmp_path: Path, name: str) -> None:
    fault = FAULTS[name]
    ended = run_mxk(
        tmp_path / "log", [*SHAPE, "--firmware-fault", name], "topology --json; bench table --ops 10K --json"
    )
    machine, row, *_ = ended.rows
    said = [warning for warning in machine["warnings"] if re.match("ACPI|cores:", warning)]
    assert STAND_IN in said[0]
    expect_warnings(fault, said[1:])
    expect_machine(fault, machine)
    assert row["verified"]
    assert set(machine["warnings"]) <= set(row["warnings"])  # each result says what its machine's firmware said


@pytest.mark.usefixtures("images")
def test_a_small_machine_leaves_out_the_cores_that_it_has_no_memory_for(tmp_path: Path) -> None:
    shape = [*SHAPE, "--mem", "64M", "--firmware-fault", "madt-thousands-of-cores"]
    ended = run_mxk(tmp_path / "log", shape, "memory; topology --json; bench table --ops 10K --json")
    machine, row, *_ = ended.rows
    found = re.search(
        r"WARN cores: (\d+) of 4100 are left out, from APIC id (\d+) on: there is no memory for more than (\d+)",
        ended.output,
    )
    assert found, ended.output
    left_out, first, awaited = map(int, found.groups())
    assert (first, left_out) == (awaited, 255 - awaited), "the ids up to 254 can be reached, one by one"
    assert f"{awaited - 4} cores, with the APIC ids 4, 5, 6, 7, 8, 9, 10, 11 and others, did not start" in ended.output
    assert len(machine["cores"]) == 4
    assert row["verified"]
    used = re.findall(r"^ +\d +[\d.]+ +([\d.]+)", ended.after("memory"), re.MULTILINE)
    assert sum(map(float, used)) < 5, "what was prepared for cores that did not come went back"


@pytest.mark.usefixtures("images")
@pytest.mark.skipif(not DUMPS.exists(), reason="no tables of real servers at ../shared/acpi-dumps")
@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("Server-Dell-PowerEdge-PowerEdge-R820", 4),
        ("Server-Hewlett-Packard-ProLiant-ProLiant-DL360-G7", 2),
        ("Server-Hewlett-Packard-ProLiant-ProLiant-DL380e-Gen8", 2),
        ("Server-Supermicro-X8-X8DTT", 2),
        ("Server-Supermicro-H8-H8DGU", 4),
        ("Server-Quanta-QuantaMicro-QuantaMicro-X10E-9N", 1),
    ],
)
def test_the_kernel_boots_on_the_tables_of_servers(tmp_path: Path, name: str, nodes: int) -> None:
    (directory,) = DUMPS.glob(f"{name}*")
    options = ["--cpus", "8", "--mem", "1G", "--acpi", str(directory)]
    ended = run_mxk(tmp_path / "log", options, "topology --json; bench table --ops 10K --json")
    machine, row, *_ = ended.rows
    server = run_linux(f"topology --json --acpi '{directory}'").rows[0]
    ids = {core["apic_id"] for core in server["cores"]}
    # QEMU's cores have the ids 0 to 7: those of the server that are among them start, the boot core in any case.
    assert {core["apic_id"] for core in machine["cores"]} == (ids & set(range(8))) | {0}
    assert machine["listed_cores"] >= server["listed_cores"]
    # Nodes are the server's, as far as they have a core or memory that is here.
    assert 1 <= len(machine["nodes"]) <= nodes
    assert row["verified"]


def test_a_fault_or_a_machine_that_is_none_is_told(tmp_path: Path) -> None:
    told = drive("run", "--dry-run", *SHAPE, "--mem", "512M", "--firmware-fault", "slit-odd")
    assert (told.code, "expected one of the faults that tools/mxk firmware faults lists" in told.complaint) == (2, True)
    told = drive("run", "--dry-run", "--firmware-fault", "slit-missing")
    assert (told.code, "expected a machine of 4 or more cores, 2 or more nodes" in told.complaint) == (2, True)
    told = drive("run", "--dry-run", "--acpi", str(tmp_path))
    assert (told.code, "expected one of the files APIC, SRAT, SLIT, HMAT" in told.complaint) == (2, True)


def test_the_list_of_faults_has_each(capsys: pytest.CaptureFixture[str]) -> None:
    job.show_faults()
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(FAULTS)
    assert len(listed) >= 40


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"no image", "expected an image of firmware's memory, which begins with 'MXKACPI1'"),
        (b"MXKACPI1" + bytes(8), "expected an address and memory behind 'MXKACPI1'"),
    ],
)
def test_a_module_that_is_no_image_is_told_and_left_alone(tmp_path: Path, content: bytes, complaint: str) -> None:
    module = tmp_path / "wrong.acpi"
    module.write_bytes(content)
    words = ["--trace", str(module), "--qemu", "-append", "--qemu"]
    line = 'run="topology --json; exit" module-name=wrong.acpi acpi-image=wrong.acpi'
    ended = run_mxk(tmp_path / "log", ["--cpus", "2", *words, line], "topology")
    (machine,) = ended.rows
    assert any(complaint in warning and "reading this machine's tables" in warning for warning in machine["warnings"])
    assert len(machine["cores"]) == 2

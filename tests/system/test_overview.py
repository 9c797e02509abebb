"""What `make bench` runs: every step, the numbers at the end, and what is told where it cannot be."""

import json
from pathlib import Path

import pytest

from helpers import drive
from mxk_host.overview.job import core_counts, fitting_operations
from mxk_host.overview.plan import NUMBERS, OPERATIONS, STEPS


@pytest.mark.usefixtures("images")
def test_every_step_runs_and_every_number_is_there(tmp_path: Path) -> None:
    done = drive("overview", "--ops", "20K", "--accel", "tcg", "--results", str(tmp_path), timeout=120)
    assert done.code == 0, done.output + done.complaint
    for number, step in enumerate(STEPS, 1):
        assert f"{number}/{len(STEPS)} {step.name}" in done.complaint
    assert all(number.name in done.output for number in NUMBERS)
    assert "not measured" not in done.output
    assert "emulated" in done.output
    (folder,) = [path for path in tmp_path.iterdir() if not path.is_symlink()]
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert {row["side"] for row in rows} == {"kernel", "linux", "peers"}
    assert all(row["verified"] for row in rows)
    of_tables = [row for row in rows if row["benchmark"] in ("table", "peer") and row["side"] != "kernel"]
    assert {row["operations"] for row in of_tables} == {20_000}
    assert {row["benchmark"] for row in rows} == {"table", "peer", "memory", "lines", "tlb"}
    assert (folder / "report.html").stat().st_size > 1_000_000  # the page holds all that it needs


def test_a_failed_step_is_named(tmp_path: Path) -> None:
    for name in ("mxk", "mxk-peers"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\necho 'error: out of memory'\nexit 1\n")
        program.chmod(0o755)
    done = drive("overview", "--ops", "20K", "--build", str(tmp_path), "--results", str(tmp_path / "r"), timeout=60)
    assert done.code == 1
    assert "exit status 1" in done.complaint
    assert "bench memory" in done.complaint  # the first step of that program


def test_programs_that_are_not_built_are_told(tmp_path: Path) -> None:
    done = drive("overview", "--build", str(tmp_path))
    assert (done.code, "make linux builds it first" in done.complaint) == (2, True)


@pytest.mark.parametrize(("cores", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])])
def test_numbers_of_cores_double_up_to_all(cores: int, counts: list[int]) -> None:
    assert core_counts(cores) == counts


def test_operations_leave_half_of_the_memory_free() -> None:
    assert fitting_operations(64 << 30) == OPERATIONS
    assert fitting_operations(2 << 30) == (1 << 30) // 128


def made_up(benchmark: str, mix: str, cores: int, millions: float, **fields: object) -> dict[str, object]:
    """A row as the Linux programs write them, as far as the numbers look at it."""
    throughput = {"median": millions * 1e6}
    return {"benchmark": benchmark, "side": "linux", "mix": mix, "cores": cores, "throughput": throughput} | fields


def test_the_numbers_are_those_of_their_rows() -> None:
    batch = {"layout": "bucketed", "submit": "batch"}
    latency = {"p50_ns": 3200, "p99_ns": 41_900}
    rows = [
        made_up("table", "insert", 2, 5.0, layout="chained"),
        made_up("table", "insert", 2, 0.1, layout="chained", side="kernel"),
        *(made_up("table", "find", cores, 40.0 * cores, **batch) for cores in (1, 2)),
        made_up("table", "find", 2, 40.0, **batch, rate="50%", latency=latency),
        made_up("peer", "find", 2, 4.0, peer="tbb-hash-map"),
        made_up("peer", "find", 2, 160.0, peer="reference-buckets-ring"),
        {"benchmark": "memory", "measure": "latency", "side": "linux", "nanoseconds": {"median": 1.1}},
        {"benchmark": "memory", "measure": "latency", "side": "linux", "nanoseconds": {"median": 98.7}},
        {"benchmark": "lines", "measure": "round-trip", "side": "linux", "nanoseconds": {"median": 120.0}},
    ]
    assert {number.name: number.value(rows) for number in NUMBERS} == {
        "inserts, the thesis' table": "5.0 M/s on 2",
        "inserts in batches, one core": None,
        "inserts in batches, all cores": None,
        "finds in batches, one core": "40.0 M/s on 1",
        "finds in batches, all cores": "80.0 M/s on 2",
        "finds, a task each, all cores": None,
        "finds in batches by TBB's": "20.00 x",
        "finds in batches by the bound's": "0.50 x",
        "a load from memory, largest working set": "98.7 ns",
        "a load from the first cache": "1.1 ns",
        "a line to another core and back": "120.0 ns",
        "a find at half of the load, p50": "3.2 us",
        "a find at half of the load, p99": "41.9 us",
    }

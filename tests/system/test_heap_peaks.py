"""Allocators of others beside MXK's: each that is there is measured and verified, a trace is replayed, and peaks are of
processes of their own."""

import json
from pathlib import Path

import pytest

from helpers import LINUX_BUILD, drive, run_linux
from mxk_host.heap_peaks import HEAPS, best, peaks_of


def test_all_allocators_are_verified() -> None:
    ended = run_linux(
        "--cores",
        "2",
        "bench heap micro --size 16,600 --ops 2000 --live 50 --repeat 1 --cores 1 --json;"
        " bench heap remote --ops 2000 --repeat 1 --cores 2 --json;"
        " bench heap larson --rounds 3 --replacements 2000 --objects 100 --repeat 1 --cores 2 --json",
        name="mxk-peers",
    )
    rows = [row for row in ended.rows if "heap" in row]
    assert {row["heap"] for row in rows} == set(HEAPS)
    built_by_itself = {row["reason"] for row in rows if row["heap"] == "snmalloc" and "reason" in row}
    assert all("make snmalloc, which needs cargo" in reason for reason in built_by_itself)
    for row in (row for row in rows if row["heap"] != "snmalloc" or "reason" not in row):
        assert row["verified"], row
        assert (row["library"] == "none") == (row["heap"] in ("mxk", "locked"))
    said = {row["statement"] for row in ended.rows if "statement" in row}
    assert len(said) == 3


def test_a_trace_that_is_wrong_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "heap.trace"
    trace.write_text("mxk-heap-trace 1\n0 a 1 64\n1 f 1 64\n")
    replay = ("--cores", "2", f"bench heap replay {trace} --cores 2 --repeat 1")
    run_linux(*replay)
    trace.write_text("mxk-heap-trace 1\n0 a 1 64\n1 f 2 64\n")
    ended = run_linux(*replay, code=1)
    assert "line 3: expected object 2 to be allocated before it is freed" in ended.output + ended.complaint


def test_peaks_are_of_one_allocator_each() -> None:
    ended = drive(
        "heap-peaks", "--heap", "mxk,glibc", "--part", "footprint", "--build", str(LINUX_BUILD), "--json", timeout=120
    )
    assert ended.code == 0, ended.output + ended.complaint
    measured = json.loads(ended.output.splitlines()[-1])["heap_peaks"]
    assert set(measured["resident_max_mib"]) == {"mxk", "glibc"}
    assert min(measured["by_best"][heap]["footprint"] for heap in ("mxk", "glibc")) == pytest.approx(1)


def test_a_library_that_is_missing_costs_its_rows() -> None:
    peaks, missing = peaks_of(
        [
            {"benchmark": "heap micro", "heap": "mxk", "resident_max_mib": 2.0},
            {"benchmark": "heap micro", "heap": "mxk", "resident_max_mib": 3.0},
            {"benchmark": "heap micro", "heap": "mimalloc", "reason": "not there"},
        ]
    )
    assert peaks == {"mxk": {"micro": 3.0}}
    assert best(peaks, "micro") == 3
    assert [(lost.heap, lost.reason) for lost in missing] == [("mimalloc", "not there")]

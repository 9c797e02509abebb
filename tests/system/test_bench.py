"""The benchmark through the whole way: console, kernel, JSON lines, the driver's table and files."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import ROOT, drive, run_mxk

pytestmark = pytest.mark.usefixtures("images")


def table_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of `bench table`, in the order measured."""
    return [row for row in rows if row.get("benchmark") == "table"]


def test_a_verified_row_for_each_number_of_cores(tmp_path: Path) -> None:
    shape = ["--cpus", "4", "--nodes", "2"]
    ended = run_mxk(tmp_path / "log", shape, "bench table --cores 1,2,4 --ops 200k --json")
    rows = table_rows(ended.rows)
    assert [row["cores"] for row in rows] == [1, 2, 4]
    for row in rows:
        assert row["verified"] is True
        assert row["operations"] == 200_000
        spread = row["throughput"]
        assert 0 < spread["min"] <= spread["median"] <= spread["max"]


MIXES = ("insert", "find", "erase", "mixed:50/40/10")


def test_each_mix(tmp_path: Path) -> None:
    commands = "; ".join(f"bench table --cores 2 --ops 100k --mix {mix} --json" for mix in MIXES)
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], commands)
    rows = table_rows(ended.rows)
    assert [(row["mix"], row["verified"]) for row in rows] == [(mix, True) for mix in MIXES]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--mix bogus", "expected insert, find, erase or mixed:I/F/E"),
        ("--mix mixed:50/40/20", "three percentages that add up to 100"),
        ("--cores 3", "expected at most 2, the cores of this machine, got 3"),
        ("--cores 0", "expected"),
        ("--ops x", "expected a count such as 24M"),
        ("--opps 1M", "unknown option --opps"),
        ("--buckets 0", "expected"),
        ("--ops 3G", "out of memory"),
    ],
)
def test_bad_options_say_what_is_expected_and_nothing_runs(tmp_path: Path, options: str, complaint: str) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], f"bench table {options} --json; topology", code=1)
    assert complaint in ended.output
    assert not ended.rows
    assert "nodes 1" in ended.output, "the commands behind a failed one still run"


def test_the_driver_keeps_and_shows_the_result() -> None:
    commands = "topology; bench table --cores 1,2 --ops 100k --json"
    ended = drive("bench", "--no-build", "--cpus", "2", "--mem", "512M", "--", commands, timeout=180)
    assert ended.code == 0, ended.complaint + ended.output
    folder = ROOT / ended.output.split("results: ")[-1].strip()
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert [row["cores"] for row in table_rows(rows)] == [1, 2]
    assert b"mxk> topology" in (folder / "console.log").read_bytes()
    assert (folder / "command.txt").read_text().startswith("qemu-system-x86_64 ")
    assert "speed-up" in ended.output

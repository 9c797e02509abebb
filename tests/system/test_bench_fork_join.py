"""`bench fork-join` in QEMU and in the Linux programs: every program of every runtime is verified, small; the trees as
they were published; and what cannot be measured is said."""

from pathlib import Path
from typing import Any

import pytest

from helpers import LINUX_BUILD, run_linux, run_mxk

PROGRAMS = ["fib", "queens", "matrix", "sort", "loop-10", "loop-100", "loop-1000", "spmv"]
SMALL = "--fib 16 --queens 6 --matrix 64 --keys 20k --loop-ms 1 --rows 500 --repeat 1 --warm-up 0 --json"
COMMAND = f"bench fork-join --program {','.join(PROGRAMS)} --cores 1,2 {SMALL}"
STEALS = {"steals_cache", "steals_node", "steals_beyond"}
COUNTS = {"fib": 1596, "queens": 153, "matrix": 8, "sort": 20_000, "loop-10": 100_000, "loop-1000": 1000}


def expect_sound(rows: list[dict[str, Any]], runtimes: list[str]) -> None:
    """Each program by each runtime on each set, in this order, right."""
    expected = [(cores, program, runtime) for cores in (1, 2) for program in PROGRAMS for runtime in runtimes]
    assert [(row["cores"], row["program"], row["runtime"]) for row in rows] == expected
    for row in rows:
        assert row["verified"] is True
        assert row["cycles"]["median"] > 0
        assert row["count"] == COUNTS.get(row["program"], row["count"])
        assert (row.keys() >= STEALS) == (row["runtime"] == "mxk")
        if row["cores"] == 1 and row["runtime"] == "mxk":
            assert all(row[field] == 0 for field in STEALS), "other cores do not help"


@pytest.mark.usefixtures("images")
def test_the_kernel_runs_them(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], COMMAND)
    expect_sound(ended.rows, ["serial", "mxk"])


def test_ours_are_compared_with_the_serial_program() -> None:
    ended = run_linux("--cores", "3", COMMAND)
    expect_sound(ended.rows, ["serial", "mxk"])
    assert ended.output.count(": speed-up over serial: mxk ") == 2 * len(PROGRAMS)


@pytest.mark.skipif(not (LINUX_BUILD / "mxk-peers").exists(), reason="needs mxk-peers: make linux")
def test_others_run_the_same() -> None:
    ended = run_linux("--cores", "2", COMMAND, name="mxk-peers")
    missing = {row["runtime"] for row in ended.rows if "reason" in row}
    runtimes = [name for name in ("serial", "mxk", "openmp", "tbb") if name not in missing]
    expect_sound([row for row in ended.rows if row["runtime"] in runtimes], runtimes)


def test_trees_are_those_that_were_published() -> None:
    ended = run_linux("--cores", "2", f"bench fork-join --program tree-t1,tree-t3 --cores 2 {SMALL}")
    counts = [(row["program"], row["runtime"], row["verified"], row["count"]) for row in ended.rows]
    assert counts == [
        ("tree-t1", "serial", True, 4_130_071),
        ("tree-t1", "mxk", True, 4_130_071),
        ("tree-t3", "serial", True, 4_112_897),
        ("tree-t3", "mxk", True, 4_112_897),
    ]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--fib 0", "--fib"),
        ("--keys 0", "--keys"),
        ("--loop-ms 0", "--loop-ms"),
        ("--matrix 48", "--matrix: expected a power of two, got 48"),
        ("--program fibb", "got 'fibb'"),
        ("--runtime mxkk", "unknown runtime 'mxkk'; did you mean mxk?"),
        ("--cores 3", "3"),
    ],
)
def test_wrong_options_say_what_was_expected(options: str, complaint: str) -> None:
    output = run_linux("--cores", "2", f"bench fork-join {options}", code=1).output
    assert output.count("error: ") == 1
    assert complaint in output

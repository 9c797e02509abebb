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
    assert {row["operations"] for row in rows if row["side"] != "kernel"} == {20_000}


def test_a_failed_step_is_named(tmp_path: Path) -> None:
    for name in ("mxk", "mxk-peers"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\necho 'error: out of memory'\nexit 1\n")
        program.chmod(0o755)
    done = drive("overview", "--ops", "20K", "--build", str(tmp_path), "--results", str(tmp_path / "r"), timeout=60)
    assert done.code == 1
    assert "exit status 1" in done.complaint
    assert "--layout chained" in done.complaint


def test_programs_that_are_not_built_are_told(tmp_path: Path) -> None:
    done = drive("overview", "--build", str(tmp_path))
    assert (done.code, "make linux builds it first" in done.complaint) == (2, True)


@pytest.mark.parametrize(("cores", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])])
def test_numbers_of_cores_double_up_to_all(cores: int, counts: list[int]) -> None:
    assert core_counts(cores) == counts


def test_operations_leave_half_of_the_memory_free() -> None:
    assert fitting_operations(64 << 30) == OPERATIONS
    assert fitting_operations(2 << 30) == (1 << 30) // 128

"""`bench rcu` and `rcu`, in QEMU and in the Linux program: rows, their self-check, and what is counted."""

import re
from pathlib import Path
from typing import Any

import pytest

from helpers import run_linux, run_mxk

COMMANDS = "bench rcu --ops 20k --waits 100 --repeat 2 --json; rcu"
COUNTS = {"section": 20_000, "callback": 20_000, "synchronize": 100, "expedite": 100}


def expect_sound(rows: list[dict[str, Any]], output: str) -> None:
    assert {row["measure"]: row["count"] for row in rows} == COUNTS
    for row in rows:
        assert row["verified"] is True
        assert row["cores"] == ([0, 1] if row["measure"] in ("synchronize", "expedite") else [0])
        assert ("p99" in row) == (row["measure"] in ("synchronize", "expedite"))
    counted = re.search(r"grace periods: (\d+) completed, of these (\d+) expedited", output)
    assert counted is not None
    completed, expedited = int(counted[1]), int(counted[2])
    assert completed >= expedited >= 200  # 100 waits in each of two runs
    assert completed >= 400
    core = re.search(r"^ +0 +(\d+) +(\d+) +\d+ +\d+ +\d+$", output, re.MULTILINE)
    assert core is not None
    assert int(core[1]) == int(core[2]) >= 40_000  # callbacks that core 0 was given, and has run


@pytest.mark.usefixtures("images")
def test_in_the_kernel(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], COMMANDS)
    expect_sound(ended.rows, ended.output)


def test_in_the_linux_program() -> None:
    ended = run_linux("--cores", "2", COMMANDS)
    expect_sound(ended.rows, ended.output)

"""A run that failed anywhere must not end with 0, and must say what happened."""

import re
from pathlib import Path

import pytest

from helpers import run_mxk

pytestmark = pytest.mark.usefixtures("images")


@pytest.mark.parametrize("commands", ["bogus", "bogus; topology", "bench table --bogus", "bench table --ops many"])
def test_a_failed_command_fails_the_run(tmp_path: Path, commands: str) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "1"], commands, code=1)
    assert "a command failed" in ended.complaint


CRASHES = {"null": "", "stack": "stack overflow", "write-text": "", "execute-data": "", "assert": ""}


@pytest.mark.parametrize("kind", CRASHES)
def test_a_panic_tells_where_and_why(tmp_path: Path, kind: str) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], f"crash {kind}", code=3)
    _, panic, report = ended.output.partition("PANIC")
    assert panic, f"no panic report:\n{ended.output}"
    assert CRASHES[kind] in report
    assert re.search(r"\bcore \d+", report), "the core"
    assert re.search(r"\brip [0-9a-f]{16}", report), "the registers"
    assert re.search(r"0x[0-9a-f]{16} .*[a-z_]{4,}.*\+0x[0-9a-f]+", report), "a backtrace with function names"


def test_a_hang_ends_at_the_deadline(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "1"], "hang", code=4, seconds=5)
    assert "mxk> hang" in ended.output

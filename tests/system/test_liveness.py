"""Sleep and wake lose nothing, by Spin: tests/liveness/run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT

RUN = ROOT / "tests/liveness/run"
LINE = re.compile(r"liveness (\S+): (\w+) \(.*\): (\d+) states, depth \d+, [\d.]+ s: (.*)")
REAL = {"mail", "mail-from-outside", "tasks", "tasks-not-counted", "tasks-original", "callbacks"}
BROKEN = {
    "mail": {"doorbell-first", "no-last-look", "no-second-look", "no-mail-wake"},
    "tasks": {"lie-down-late", "no-task-wake-original", "no-task-wake", "split-sleep", "no-look-at-queues"},
    "callbacks": {"tell-blindly", "enlist-once", "flag-late", "no-next-begin", "presence-late"},
}


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What the runner did."""
    return subprocess.run([RUN, *words], env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def test_the_protocols_hold_and_each_variant_fails() -> None:
    ended = run("--steps", "3")
    assert (ended.returncode, ended.stderr) == (0, "")
    holds, fails = set(), {}
    for block in re.split(r"\n(?=liveness )", ended.stdout.rstrip()):
        first, *steps = block.splitlines()
        name, of, states, verdict = LINE.fullmatch(first).groups()
        assert int(states) > 100
        if verdict == "holds":
            assert steps == []
            holds.add(name)
        else:
            assert re.fullmatch("fails, as it must: .+", verdict)
            assert len(steps) == 3
            assert all(re.match(r"    (core [01]|thread), sleep\.pml:\d+: .", step) for step in steps), steps
            fails.setdefault(of, set()).add(name)
    assert holds == REAL
    assert fails == BROKEN


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nothing"], "expected one of mail, .*, got 'nothing'"),
        (["--long", "mail"], "expected one of callbacks-2, .*, got 'mail'"),
        (["--steps", "-1"], "expected a number from 0 on, got '-1'"),
        (["--short"], "unrecognized arguments: --short"),
    ],
)
def test_bad_usage_is_said(words: list[str], complaint: str) -> None:
    ended = run(*words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.search(complaint, ended.stderr), ended.stderr


@pytest.mark.parametrize(("there", "complaint"), [([], "expected Spin"), (["spin"], "expected a C compiler")])
def test_a_missing_program_is_named(tmp_path: Path, there: list[str], complaint: str) -> None:
    for name in there:
        (tmp_path / name).symlink_to(shutil.which(name))
    (tmp_path / "python3").symlink_to(Path(sys.executable).resolve())
    ended = run(PATH=str(tmp_path))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"tests/liveness/run: {complaint}"), ended.stderr


def test_a_wrong_verdict_is_an_error(tmp_path: Path) -> None:
    model = RUN.with_name("sleep.pml").read_text()
    (tmp_path / "run").write_text(RUN.read_text())
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "sleep.pml").write_text("#define NO_MAIL_WAKE\n" + model)
    ended = subprocess.run([tmp_path / "run", "mail"], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert re.search(r"liveness mail: .* s: fails\n", ended.stdout), ended.stdout

"""tools/slowest: which tests and objects were the slowest, and that a long test says why."""

import json
import subprocess
from pathlib import Path

import pytest

from helpers import ROOT


def slowest(build: Path) -> tuple[int, str, str]:
    """Exit status, output and complaint for the times that lie in this folder."""
    line = [str(ROOT / "tools/slowest"), "--build", str(build), "--top", "2"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def write_times(build: Path, **tests: tuple[float, str]) -> None:
    lines = [{"test": name, "seconds": seconds, "reason": reason} for name, (seconds, reason) in tests.items()]
    (build / "test-times.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_the_slowest_of_each_kind_are_printed(tmp_path: Path) -> None:
    write_times(tmp_path, boots=(31.5, "boots twelve machines"), shows=(2.0, ""), types=(3.0, ""))
    (tmp_path / "unit-asan.log").write_text("[ RUN ] A.b\n[  SECONDS ] A.b 12.5 \n[  SECONDS ] A.c 1.0 \n")
    (tmp_path / "inner-asan.log").write_text("TEST soak PASS 61000 ms\nTEST rcu: nested PASS 5 ms, seed 1\n")
    (tmp_path / "linux").mkdir()
    rows = ("0\t9000\t0\tCMakeFiles/t.dir/a.cpp.o\tx", "0\t2500\t0\tmxk\tx", "5\t7005\t0\tCMakeFiles/t.dir/a.cpp.o\tx")
    (tmp_path / "linux/.ninja_log").write_text("# ninja log v5\n" + "\n".join(rows) + "\n")
    assert slowest(tmp_path) == (
        0,
        "slowest tests, processor seconds:\n"
        "    31.5 s  boots (boots twelve machines)\n"
        "    12.5 s  unit-asan: A.b\n"
        "slowest tests inside the kernel, by the clock:\n"
        "    61.0 s  inner-asan: soak\n"
        "     0.0 s  inner-asan: rcu: nested\n"
        "slowest objects, by the clock:\n"
        "     7.0 s  linux: t.dir/a.cpp.o\n",
        "",
    )


@pytest.mark.parametrize(("reason", "status"), [("", 1), ("compiles a program", 0)])
def test_a_long_test_says_why(tmp_path: Path, reason: str, status: int) -> None:
    write_times(tmp_path, compiles=(20.5, reason), other=(20.0, ""))
    code, _, complaint = slowest(tmp_path)
    assert code == status
    assert ("more than 20 processor seconds without a reason:     20.5 s  compiles" in complaint) == bool(status)
    write_times(tmp_path, compiles=(20.5, reason), **{f"other{i}": (19.0, "") for i in range(120)})  # a slower host
    assert slowest(tmp_path)[0] == 0
    (tmp_path / "test-times.jsonl").unlink()
    (tmp_path / "unit-tsan.log").write_text(f"[  SECONDS ] A.b 20.1 {reason}\n")
    assert slowest(tmp_path)[0] == status


def test_times_of_a_run_are_kept(tmp_path: Path) -> None:
    """As conftest.py writes them: of the test and of what it ran; the reason is the marker's."""
    (tmp_path / "tests/system").mkdir(parents=True)
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    conftest = (ROOT / "tests/system/conftest.py").read_text().replace('BUILD / "test', f'Path("{tmp_path}") / "test')
    (tmp_path / "tests/system/conftest.py").write_text(conftest)
    (tmp_path / "tests/system/test_it.py").write_text(
        "import subprocess, pytest\n"
        "@pytest.mark.long(reason='counts')\n"
        "def test_counts(): subprocess.run(['python3', '-c', 'sum(range(10**7))'], check=True)\n"
        "def test_fails(): assert False\n"
    )
    python = ROOT / "build/venv/bin/python"
    line = [str(python), "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "tests/system")]
    assert subprocess.run(line, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    counts, fails = (json.loads(row) for row in (tmp_path / "test-times.jsonl").read_text().splitlines())
    assert counts["test"].endswith("::test_counts")
    assert (counts["reason"], fails["reason"]) == ("counts", "")
    assert counts["seconds"] > 0.05
    assert counts["seconds"] > fails["seconds"]

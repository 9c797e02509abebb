"""tools/skips: a test that is skipped stands in the list, and what stands there is skipped."""

import json
import subprocess
from pathlib import Path

from helpers import ROOT

LISTED = """
[[skip]]
ring = "unit"
reason = "root may *"
runs = "as another user"

[[skip]]
ring = "inside"
reason = "long; use --long"
runs = "make test-long"

[[skip]]
ring = "system"
reason = "needs Bochs"
runs = "where tools/setup machines has it"
host = "whether it can be had"
"""
UNIT = """[ RUN      ] A.reads
a_test.cpp:5: Skipped
root may read everything

[  SECONDS ] A.reads 0.0
[  SKIPPED ] A.reads (0 ms)
[  PASSED  ] 3 tests.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] A.reads
"""


def skips(build: Path, listed: str = LISTED) -> tuple[int, str, str]:
    """Exit status, output and complaint for the logs that lie in this folder."""
    (build / "skips.toml").write_text(listed)
    line = [str(ROOT / "tools/skips"), "--build", str(build), "--listed", str(build / "skips.toml")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def write_logs(build: Path, inside: str = "TEST soak SKIP (long; use --long)\n") -> None:
    (build / "unit-asan.log").write_text(UNIT)
    (build / "inner-tsan.log").write_text("TEST rcu: nested PASS 5 ms\n" + inside)


def test_skips_that_are_listed_are_counted(tmp_path: Path) -> None:
    write_logs(tmp_path)
    assert skips(tmp_path) == (0, "skipped: 1 unit, 1 inside\n", "")


def test_a_skip_that_is_not_listed_fails_in_each_ring(tmp_path: Path) -> None:
    write_logs(tmp_path, "TEST soak SKIP (long; use --long)\nTEST numa SKIP (needs two nodes)\n")
    (tmp_path / "unit-tsan.log").write_text(UNIT.replace("root may read everything", "no time"))
    (tmp_path / "test-skips.jsonl").write_text(json.dumps({"test": "t.py::boots", "reason": "no QEMU"}) + "\n")
    code, output, complaint = skips(tmp_path)
    assert (code, output) == (1, "skipped: 2 unit, 2 inside, 1 system\n")
    for said in (
        "unit A.reads: skipped (no time)",
        "inside numa: skipped (needs two nodes)",
        "system t.py::boots: skipped (no QEMU)",
    ):
        assert f"tools/skips: {said}: expected tests/skips.toml to say so\n" in complaint


def test_an_entry_by_which_nothing_is_skipped_fails(tmp_path: Path) -> None:
    write_logs(tmp_path, "")
    code, _, complaint = skips(tmp_path)
    assert code == 1
    assert complaint == (
        "tools/skips: inside, long; use --long: nothing was skipped: expected tests/skips.toml to say so\n"
    )


def test_what_is_no_entry_is_refused(tmp_path: Path) -> None:
    code, _, complaint = skips(tmp_path, LISTED.replace('ring = "unit"', 'ring = "moon"'))
    assert code == 1
    assert "ring: expected one of unit, inside, system, got 'moon'" in complaint
    code, _, complaint = skips(tmp_path, '[[skip]]\nring = "unit"\n')
    assert code == 1
    assert "expected [[skip]] entries with ring, reason and runs" in complaint


def test_skips_of_a_run_are_kept(tmp_path: Path) -> None:
    """As conftest.py writes them."""
    (tmp_path / "tests/system").mkdir(parents=True)
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    conftest = (ROOT / "tests/system/conftest.py").read_text().replace('BUILD / "test', f'Path("{tmp_path}") / "test')
    (tmp_path / "tests/system/conftest.py").write_text(conftest)
    (tmp_path / "tests/system/test_it.py").write_text(
        "import pytest\n\n@pytest.mark.skipif(True, reason='no time')\ndef test_a(): pass\n\n"
        "def test_b(): pytest.skip('no room')\n\ndef test_c(): pass\n"
    )
    line = [str(ROOT / "build/venv/bin/python"), "-P", "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
    subprocess.run([*line, str(tmp_path / "tests/system")], check=True, capture_output=True)
    kept = [json.loads(text) for text in (tmp_path / "test-skips.jsonl").read_text().splitlines()]
    assert sorted((line["test"].partition("::")[2], line["reason"]) for line in kept) == [
        ("test_a", "no time"),
        ("test_b", "no room"),
    ]

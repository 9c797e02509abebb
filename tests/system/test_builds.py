"""Two builds compared: the statistics, and the driver around programs and a QEMU of our own that report what a test has
told them."""

import json
import os
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from helpers import drive
from mxk_host.builds.plan import TABLES, commands
from mxk_host.builds.statistics import geometric_mean, mean_with_interval, median_with_interval
from mxk_host.compare.plan import CONFIGURATIONS

# A build of mxk: rates (M ops/s) and cycles as the file beside it says, a round's behind the other.
PROGRAM = """#!{python}
import json, pathlib, sys
told = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
words = sys.argv[-1].split()
runs = pathlib.Path(__file__).with_suffix("." + words[1])
run = len(runs.read_text()) if runs.exists() else 0
runs.write_text("." * (run + 1))
verified = told.get("verified", True)
if words[1] == "table":
    for mix, rates in told["table"].items():
        rate = rates[run % len(rates)] * 1e6
        print(json.dumps({{"benchmark": "table", "mix": mix, "cores": 1, "verified": verified,
                           "throughput": {{"median": rate / 2, "max": rate}}}}))
else:
    cycles = told[words[1]][run % len(told[words[1]])]
    print(json.dumps({{"benchmark": words[1], "measure": "local", "verified": verified,
                       "cycles": {{"median": cycles * 2, "min": cycles}}}}))
"""

# A QEMU for kernels that are text: the instructions of an operation. It counts a thousand more for each phase.
QEMU = """#!{python}
import json, pathlib, re, sys
kernel = sys.argv[sys.argv.index("-kernel") + 1]
assert "shift=0,sleep=off" in sys.argv and "tcg,thread=single" in sys.argv
needs = float(pathlib.Path(kernel).read_text())
for command in sys.argv[sys.argv.index("-append") + 1].strip('run="').split("; "):
    words = command.split()
    if words[:2] == ["bench", "table"]:
        operations = int(words[words.index("--ops") + 1])
        seconds = (1000 + needs * operations) / 1e9
        row = {{"benchmark": "table", "mix": "find", "operations": operations, "machine": {{"tsc_hz": 1e9}},
                "throughput": {{"median": operations / seconds}}}}
    elif words[0] == "bench":
        row = {{"benchmark": words[1], "measure": "local", "cycles": {{"median": needs}}}}
    else:
        sys.exit(33)
    print(json.dumps(row | {{"verified": True}}))
"""


class Builds:
    """Both programs in a folder, and the driver run on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def build(self, name: str, **told: Any) -> None:  # noqa: ANN401
        """A build that reports this."""
        program = self.folder / name
        program.write_text(PROGRAM.format(python=sys.executable))
        program.chmod(0o755)
        program.with_suffix(".json").write_text(json.dumps(told))

    def compare(self, *options: str) -> tuple[int, str, dict[str, Any]]:
        """The exit code, what was complained about, and the summary."""
        both = [str(self.folder / name) for name in ("old", "new")]
        ended = drive("compare-builds", *both, "--results", str(self.folder / "results"), "--json", *options)
        return ended.code, ended.complaint, json.loads(ended.output.splitlines()[-1])


@pytest.fixture
def builds(tmp_path: Path) -> Builds:
    """A folder for programs that obey the test."""
    return Builds(tmp_path)


ONLY = ("--only", "bucketed-batch,task", "--rounds", "4")


def test_a_build_that_is_as_fast_passes(builds: Builds) -> None:
    builds.build("old", table={"insert": [10, 20, 10, 40], "find": [50]}, task=[100])
    builds.build("new", table={"insert": [20, 20, 10, 20], "find": [49]}, task=[80])
    code, complaint, summary = builds.compare(*ONLY)
    assert code == 0, complaint
    rows = {(row["command"], row["what"]): row for row in summary["rows"]}
    insert = rows["bucketed-batch", "insert, 1 core"]
    assert insert["ratio"] == {"value": 1.0, "low": 0.5, "high": 2.0, "n": 4}, "paired by the round"
    assert rows["task", "local"]["ratio"]["value"] == 1.25, "fewer cycles are better"
    assert summary["mean"]["value"] == pytest.approx((1.0 * 0.98 * 1.25) ** (1 / 3))
    assert summary["slowest"] == "bucketed-batch find, 1 core"
    order = [(row["round"], row["build"]) for row in kept(builds) if row["command"] == "task"]
    alternating = [(1, "old"), (1, "new"), (2, "new"), (2, "old"), (3, "old"), (3, "new"), (4, "new"), (4, "old")]
    assert order == alternating


def kept(builds: Builds) -> list[dict[str, Any]]:
    lines = (builds.folder / "results/latest/results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_a_slow_row_is_measured_again_and_fails(builds: Builds) -> None:
    builds.build("old", table={"insert": [10], "find": [50]}, task=[100])
    builds.build("new", table={"insert": [9], "find": [500]}, task=[100])
    code, complaint, summary = builds.compare(*ONLY)
    assert code == 1
    assert "below 0.93 of the old build: bucketed-batch insert, 1 core" in complaint
    counts = {row["what"]: row["ratio"]["n"] for row in summary["rows"]}
    assert counts == {"insert, 1 core": 8, "find, 1 core": 8, "local": 4}
    assert builds.compare(*ONLY, "--min-row", "0.9")[0] == 0


def test_a_row_that_was_slow_by_chance_passes(builds: Builds) -> None:
    builds.build("old", table={"insert": [10]}, task=[100])
    builds.build("new", table={"insert": [8, 8, 8, 10, 10, 10, 10, 10]}, task=[100])
    code, complaint, summary = builds.compare(*ONLY)
    assert code == 0, complaint
    assert summary["rows"][0]["ratio"]["value"] == 1.0
    builds.build("new", table={"insert": [8, 8, 8, 10]}, task=[100])
    assert builds.compare(*ONLY, "--confirming", "0")[0] == 1


def test_a_mean_below_the_floor_fails(builds: Builds) -> None:
    builds.build("old", table={"insert": [100]}, task=[100])
    builds.build("new", table={"insert": [96]}, task=[104])
    code, complaint, _ = builds.compare(*ONLY)
    assert code == 1
    assert "expected a mean of no less than 0.98, got 0.961" in complaint


def test_what_fails_or_is_not_there_fails_the_comparison(builds: Builds) -> None:
    builds.build("old", table={"insert": [10], "erase": [10]}, task=[100])
    builds.build("new", table={"insert": [10]}, task=[100])
    code, complaint, _ = builds.compare(*ONLY)
    assert code == 1
    assert "bucketed-batch erase, 1 core: only old has it" in complaint
    builds.build("new", table={"insert": [10], "erase": [10]}, task=[100], verified=False)
    code, complaint, summary = builds.compare(*ONLY)
    assert (code, summary["passed"]) == (1, False)
    assert "task: new, round 1: verification failed" in complaint
    assert drive("compare-builds", str(builds.folder / "old"), str(builds.folder / "none")).code == 2


def test_every_option_that_decides_is_said() -> None:
    for command in commands("1M", "1,2", "table"):
        assert "--queue node-local" in command.text
        assert ("--submit task" in command.text) == ("--prefetch 16" in command.text), "batches take no such option"
    assert [command.name for command in commands("1M", "1", "task,open-batch")] == ["open-batch", "task"]
    for options in CONFIGURATIONS.values():
        assert "--queue " in options
        if "--layout chained" in options:
            assert "--prefetch " in options, "by default as in the thesis; the others' is the machine's"


def test_the_interval_of_a_median_is_by_rank() -> None:
    ratios = {number: [float(number)] for number in range(1, 11)}
    estimate = median_with_interval(ratios)
    assert (estimate.value, estimate.low, estimate.high) == (5.5, 2.0, 9.0), "98 %; the next ranks have 89 %"
    assert median_with_interval({1: [1.0], 2: [3.0]}).low == 1.0


def test_the_interval_of_a_median_has_it_as_often_as_it_says() -> None:
    """2000 draws of ten: the chance is 0.979, so that fewer than 0.96 come by chance once in 10^8 (six deviations)."""
    draw = Random(1)
    inside = 0
    for _ in range(2000):
        estimate = median_with_interval({number: [draw.lognormvariate(0, 0.1)] for number in range(10)})
        inside += estimate.low <= 1 <= estimate.high
    assert inside / 2000 > 0.96


def test_the_interval_of_the_mean_keeps_rounds_together() -> None:
    assert geometric_mean([2.0, 0.5]) == pytest.approx(1.0)
    disturbed = {number: [0.5 if number == 3 else 1.0] for number in range(10)}
    alike = mean_with_interval([disturbed] * 50)
    assert (alike.low, alike.value, alike.high) == pytest.approx((1.0, 1.0, 1.0)), "one round of ten moves no median"
    halves = {number: [0.5 if number % 2 else 1.0] for number in range(10)}
    both = mean_with_interval([halves] * 50)
    assert (both.low, both.high) == pytest.approx((0.5, 1.0)), "fifty rows of the same rounds are not fifty samples"


@pytest.mark.parametrize(("new", "code"), [("200", 0), ("201", 1)])
def test_instructions_are_the_slope_between_two_numbers_of_operations(tmp_path: Path, new: str, code: int) -> None:
    qemu = tmp_path / "qemu-system-x86_64"
    qemu.write_text(QEMU.format(python=sys.executable))
    qemu.chmod(0o755)
    (tmp_path / "old").write_text("200")
    (tmp_path / "new").write_text(new)
    both = [str(tmp_path / name) for name in ("old", "new")]
    ended = drive("compare-instructions", *both, "--json", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert ended.code == code, ended.complaint
    rows = {row["row"]: row for row in json.loads(ended.output.splitlines()[-1])["rows"]}
    assert rows.keys() == {*(f"{name} find" for name in TABLES), "task local", "thread local", "semaphore local"}
    assert rows["open-task find"]["old"] == pytest.approx(200)
    assert ("more instructions than 1.0 of the old build's" in ended.complaint) == (code == 1)

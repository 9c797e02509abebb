"""The comparison's driver, around programs of our own that report what a test has told them; then the real programs
once, with a few operations."""

import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from helpers import DRIVER, Ended, drive, linux_program
from mxk_host.compare.cells import Cells, paired_ratio
from mxk_host.compare.figures import FIGURES, Figure, Unit, evaluate
from mxk_host.compare.plan import CONFIGURATIONS, LEAST_ROUNDS, ZIPF, ZIPF_ENGINES, Cell, Column, Part
from mxk_host.compare.run import Record, Sample
from mxk_host.order import balanced_order

MXK = "mxk-batch"

# Both programs. told.json: what each engine does, round by round: a rate (operations per second with one core,
# inserting), or a way to fail. The n-th run of an engine is that of round n. With skewed keys it is NAME-zipf.
FAKE = """#!{python}
import json, os, pathlib, signal, sys
here = pathlib.Path(__file__).parent
told = json.loads((here / "told.json").read_text())
words = sys.argv[-1].split()
if words[1:3] == ["peer", "--list"]:
    sys.exit(print(json.dumps({{"benchmark": "peer-list", "peers": told["list"]}})))
costs = {{"task": "mxk-tasks", "task-peer": "peer-tasks", "thread": "mxk-threads", "thread-peer": "peer-threads"}}
name = costs.get(words[1]) or words[3]
if words[1] == "table":
    (name,) = [name for name, options in told["configurations"].items() if f"table {{options}} --mix" in sys.argv[-1]]
engine = name
if "--dist" in words:
    assert "--dist zipf:0.99 " in sys.argv[-1]
    name += "-zipf"
option = lambda key: words[words.index(key) + 1]
count = here / f"{{name}}.runs"
run = len(count.read_text()) if count.exists() else 0
count.write_text("." * (run + 1))
does = told["does"][name][run]
machine = {{"cpu": "Fake CPU", "tsc_hz": 2.5e9, "nodes": 1, "cores": 2, "memory_bytes": 2**32, "pages": "2 MiB",
            "hypervisor": "", "build": "0123abcd gcc"}}
if words[1] in costs:
    for engine, measure, cycles in does:
        print(json.dumps({{"benchmark": words[1], "peer": engine, "measure": measure, "unit": "cycles",
                           "cycles": {{"median": cycles}}, "nanoseconds": cycles / 2.5, "verified": True}}))
    sys.exit()
if does == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
if does == "hang":
    signal.pause()
if does == "error":
    print("table: 24M operations")
    print("error: out of memory on node 0")
    sys.exit(1)
wrong = does == "wrong"
for mix, factor in (("insert", 1), ("find", 2), ("erase", 4)):
    if mix not in option("--mix").split(","):
        continue
    for cores in map(int, option("--cores").split(",")):
        if does == "half" and mix == "erase":
            continue
        row = {{"benchmark": words[1], "peer": engine, "mix": mix, "cores": cores}}
        if name == "no-erase" and mix == "erase":
            print(json.dumps(row | {{"supported": False, "reason": "it cannot erase"}}))
            continue
        rate = (1e6 if isinstance(does, str) else does) * factor * cores
        print(json.dumps(row | {{"operations": int(option("--ops")), "throughput": {{"n": 1, "median": rate}},
                                 "machine": machine, "warnings": ["memory: pages are small"],
                                 "verified": not (wrong and mix == "find")}}))
sys.exit(1 if wrong else 0)
"""


class Fakes:
    """A folder with both programs, and the driver run on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.peers: list[dict[str, Any]] = []
        self.does: dict[str, list[Any]] = {}
        for program in ("mxk", "mxk-peers"):
            (folder / program).write_text(FAKE.format(python=sys.executable))
            (folder / program).chmod(0o755)

    def engine(self, name: str, *does: Any, kind: str = "peer", missing: str = "") -> None:  # noqa: ANN401
        """An engine and what it does in each round."""
        if name not in CONFIGURATIONS:
            peer = {"name": name, "kind": kind, "library": f"lib{name} 1.0", "built": not missing, "reason": missing}
            self.peers.append(peer)
        self.does[name] = list(does)

    def arguments(self, *options: str) -> list[str]:
        """The driver's arguments for this folder."""
        told = {"list": self.peers, "does": self.does, "configurations": CONFIGURATIONS}
        (self.folder / "told.json").write_text(json.dumps(told))
        where = ["--build", str(self.folder), "--results", str(self.folder / "results"), "--ops", "200K"]
        mxk = [name for name in CONFIGURATIONS if name in self.does] or [MXK]
        parts = ["table"] + ["zipf"] * any(name.endswith("-zipf") for name in self.does)
        parts += [part for part in ("tasks", "threads") if f"mxk-{part}" in self.does]
        return ["compare", *where, "--mxk", ",".join(mxk), "--only", ",".join(parts), "--json", *options]

    def compare(self, *options: str) -> Ended:
        """Runs the comparison: of its parts those for which somebody does anything."""
        return drive(*self.arguments(*options))


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    """Programs that obey the test."""
    return Fakes(tmp_path)


def summary(ended: Ended) -> dict[str, Any]:
    """The one JSON line, which is the last of the output."""
    return json.loads(ended.output.splitlines()[-1])


def row(result: dict[str, Any], engine: str, mix: str, cores: int, section: str = "table") -> dict[str, Any]:
    """The row of an engine in a column."""
    wanted = (section, engine, mix, cores)
    found = [r for r in result["rows"] if (r["section"], r["engine"], r.get("mix"), r.get("cores")) == wanted]
    assert len(found) == 1, f"rows of {engine}, {mix}, {cores}: {found}"
    return found[0]


def test_ratios_are_taken_within_a_round_and_the_median_is_that_of_the_ratios(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 20e6, 60e6)
    fakes.engine("peer", 5e6, 20e6, 20e6)
    fakes.engine("bound", 40e6, 40e6, 80e6, kind="reference")
    ended = fakes.compare("--rounds", "3", "--cores", "1,2")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert row(result, MXK, "insert", 1)["throughput"] == {"n": 3, "median": 20e6, "min": 10e6, "max": 60e6}
    assert row(result, MXK, "erase", 2)["throughput"]["median"] == 20e6 * 4 * 2
    for mix, cores in (("insert", 1), ("find", 1), ("erase", 2)):
        peer = row(result, "peer", mix, cores)
        assert peer["ratio"] == {"n": 3, "median": 2.0, "min": 1.0, "max": 3.0}, "the medians' ratio would be 1"
        assert peer["share"]["bound"] == {"n": 3, "median": 0.25, "min": 0.125, "max": 0.5}
        assert peer["verified"] is True
    assert "ratio" not in row(result, MXK, "find", 1)
    assert row(result, "bound", "find", 1)["ratio"]["median"] == 0.5
    assert (result["rounds"], result["quick_look"], result["verified"]) == (3, True, True)


def test_a_ratio_needs_a_round_that_both_have() -> None:
    assert paired_ratio({1: 4.0, 2: 9.0}, {2: 3.0, 3: 1.0}) == {"n": 1, "median": 3.0, "min": 3.0, "max": 3.0}
    assert paired_ratio({1: 4.0}, {2: 3.0}) is None


@pytest.mark.parametrize("count", range(2, 13))
def test_over_the_rounds_no_engine_keeps_its_neighbours(count: int) -> None:
    rounds = [balanced_order(range(count), number) for number in range(1, count + 1)]
    assert all(sorted(order) == list(range(count)) for order in rounds)
    for place in range(count):
        assert len({order[place] for order in rounds}) == count, "each stands once at each place"
    neighbours = [pair for order in rounds for pair in pairwise(order)]
    assert max(map(neighbours.count, neighbours)) == (1 if count % 2 == 0 else 2)


def test_the_table_says_it_all(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6)
    fakes.engine("no-erase", 5e6)
    fakes.engine("bound", 40e6, kind="reference")
    fakes.engine("absent", kind="peer", missing="libabsent-dev was not found")
    ended = fakes.compare("--rounds", "1")
    assert ended.code == 0, "a library that is missing is no failure"
    shown = ended.output
    assert "200,000 operations in each phase, cores 1, 2, seed 1, 1 round of 1" in shown
    assert "Fake CPU, TSC 2.500 GHz" in shown
    assert "pages: 2 MiB" in shown
    assert "build: 0123abcd gcc" in shown
    assert f"a quick look: a comparison takes no less than {LEAST_ROUNDS} rounds" in shown
    assert "MISSING absent: libabsent-dev was not found" in shown
    assert "- no-erase has no erase: it cannot erase" in shown
    assert "WARN memory: pages are small" in shown
    assert "\x1b" not in shown, "no colours where no terminal is"
    lines = shown.splitlines()[:-1]
    assert max(map(len, lines)) <= 120
    at = next(number for number, line in enumerate(lines) if line.startswith(" no-erase"))
    assert lines[at].split() == ["no-erase", "M", "ops/s", "5.00", "10.0", "10.0", "20.0", "-", "-", "yes"]
    assert lines[at + 1].split()[:3] == ["libno-erase", "1.0", "min-max"]
    assert lines[at + 2].split() == ["mxk/this", *["2.00"] * 4]
    assert lines[at + 3].split() == ["share", *["12"] * 4]  # of 12.5
    result = summary(ended)
    assert result["missing"] == [{"engine": "absent", "reason": "libabsent-dev was not found"}]
    assert result["ratios_of"] == {"table": MXK}
    assert [(u["engine"], u["mix"], u["cores"]) for u in result["unsupported"]] == [
        ("no-erase", "erase", 1),
        ("no-erase", "erase", 2),
    ]


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        ("crash", "crashed: SIGSEGV"),
        ("hang", "no end after 5 s: killed"),
        ("error", "exit status 1: error: out of memory on node 0"),
        ("wrong", "verification failed: bad find at 1 core, bad find at 2 cores"),
        ("half", "no row for erase at 1 core, erase at 2 cores"),
    ],
)
def test_an_engine_that_fails_is_named_and_fails_the_comparison(fakes: Fakes, does: str, reason: str) -> None:
    fakes.engine(MXK, 10e6, 10e6)
    fakes.engine("bad", does)  # its second run would find nothing to do, and fail differently
    fakes.engine("good", 5e6, 5e6)
    ended = fakes.compare("--rounds", "2", "--timeout", "5" if does == "hang" else "60")
    assert ended.code == 1
    assert "failed: bad" in ended.complaint
    assert f"FAILED bad: round 1: {reason}" in ended.output
    result = summary(ended)
    assert result["verified"] is False
    assert result["failures"] == [{"process": "bad", "reason": f"round 1: {reason}"}]
    assert row(result, "bad", "find", 1)["verified"] is False
    assert row(result, "good", "erase", 2)["ratio"] == {"n": 2, "median": 2.0, "min": 2.0, "max": 2.0}
    assert row(result, "good", "erase", 2)["verified"] is True


def test_task_costs(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 10e6, 10e6)
    fakes.does["mxk-tasks"] = [[("", "local", c), ("", "wake", 5000)] for c in (20, 30, 40)]
    fakes.engine("absent", missing="not found")
    fakes.does["peer-tasks"] = [[("pool", "local", c), ("arena", "local", 100)] for c in (200, 100, 400)]
    ended = fakes.compare("--rounds", "3")
    assert ended.code == 0, ended.complaint
    costs = {(r["engine"], r["measure"]): r for r in summary(ended)["rows"] if r["section"] == "tasks"}
    assert costs["mxk", "local"]["cycles"] == {"n": 3, "median": 30, "min": 20, "max": 40}
    assert costs["pool", "local"]["ratio"] == {"n": 3, "median": 0.1, "min": 0.1, "max": 0.3}
    assert ("pool", "wake") not in costs
    assert all(cost["verified"] for cost in costs.values())
    assert "what tasks cost, in cycles" in ended.output


def test_skewed_keys_are_a_part_of_their_own(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 10e6, 10e6)
    fakes.engine("tbb-hash-map", 5e6, 5e6, 5e6)
    fakes.engine("cuckoo", 5e6, 5e6, 5e6)  # is not measured with them
    fakes.engine("reference-prefetch", 40e6, 40e6, 40e6, kind="reference")
    fakes.does |= {f"{MXK}-zipf": [8e6, 12e6, 9e6], "tbb-hash-map-zipf": [2e6] * 3}
    fakes.does["reference-prefetch-zipf"] = [80e6] * 3
    ended = fakes.compare("--rounds", "3")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    skewed = [r for r in result["rows"] if r["section"] == "zipf"]
    assert {(r["engine"], r["mix"], r["cores"]) for r in skewed} == {
        (engine, "find", cores) for engine in (MXK, "tbb-hash-map", "reference-prefetch") for cores in (1, 2)
    }
    assert row(result, "tbb-hash-map", "find", 2, "zipf")["ratio"] == {"n": 3, "median": 4.5, "min": 4.0, "max": 6.0}
    assert row(result, "tbb-hash-map", "find", 2)["ratio"]["median"] == 2.0, "the other part keeps its own"
    assert row(result, MXK, "find", 2, "zipf")["share"]["reference-prefetch"]["median"] == pytest.approx(9 / 80)
    assert result["ratios_of"] == {"table": MXK, "zipf": MXK}
    assert result["dist"] == {"zipf": ZIPF}
    (figure,) = [f for f in result["figures"] if "zipf" in f["figure"]]
    assert (figure["figure"], figure["reached"]) == (f"{MXK} zipf:0.99 find at 2 cores by tbb-hash-map", True)
    assert f"keys drawn by zipf:0.99; mxk: {MXK}" in ended.output


def test_a_failure_with_skewed_keys_leaves_the_other_part_alone(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 10e6)
    fakes.engine("tbb-hash-map", 5e6, 5e6)
    fakes.does |= {f"{MXK}-zipf": [8e6, 8e6], "tbb-hash-map-zipf": ["wrong"]}
    ended = fakes.compare("--rounds", "2")
    assert ended.code == 1
    assert "failed: tbb-hash-map-zipf" in ended.complaint
    wrong = "tbb-hash-map zipf:0.99 find at 1 core, tbb-hash-map zipf:0.99 find at 2 cores"
    assert f"FAILED tbb-hash-map-zipf: round 1: verification failed: {wrong}" in ended.output
    result = summary(ended)
    assert row(result, "tbb-hash-map", "find", 2, "zipf")["verified"] is False
    assert row(result, "tbb-hash-map", "find", 2)["verified"] is True
    assert row(result, "tbb-hash-map", "find", 2)["throughput"]["n"] == 2
    (figure,) = [f for f in result["figures"] if "zipf" in f["figure"]]
    assert (figure["reached"], figure["failed"]) == (None, True)


def test_only_skewed_keys(fakes: Fakes) -> None:
    fakes.engine(MXK)
    fakes.does[f"{MXK}-zipf"] = [8e6]
    fakes.engine("absent", missing="not found")
    fakes.engine("cuckoo")
    ended = fakes.compare("--rounds", "1", "--only", "zipf", "--cores", "2")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert [(r["section"], r["engine"], r["cores"]) for r in result["rows"]] == [("zipf", MXK, 2)]
    assert "mxk/this" not in ended.output
    assert "- figures not measured: 1, for which not all was run" in ended.output


# A machine on which everything is just good enough: operations per second, cycles at 2.5 GHz.
_GOOD = {
    Cell(part, engine, Column(mix, cores)): rate * scale
    for part in (Part.TABLE, Part.ZIPF)
    for engine, rates in {
        "mxk-batch": (40e6, 68e6),
        "mxk-task": (32e6, 41e6),
        "mxk-coroutine": (30e6, 38e6),
        "mxk-chained-0.1": (10e6, 12e6),
        "mxk-chained-0.1-interleaved": (30e6, 36e6),
        "tbb-hash-map": (4e6, 6.8e6),
        "tbb-hash-map-stock": (2e6, 3e6),
        "reference-prefetch": (50e6, 104e6),
        "mxk-open": (40e6, 68e6),
        "mxk-open-growing": (20e6, 34e6),
        "tbb-hash-map-growing": (2.5e6, 4.25e6),
        "mxk-cuckoo": (32e6, 55e6),
    }.items()
    for mix, scale in (("insert", 1), ("find", 2), ("erase", 1))
    for cores, rate in enumerate(rates, 1)
} | {
    Cell(Part.TASKS, engine, Column(measure)): cycles
    for engine, measure, cycles in (("mxk", "local", 12.5), ("mxk", "stream", 62.5), ("tbb-task-group", "local", 75.0))
}


def figures_of(values: dict[Cell, float], **record: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401
    """The figures of a machine that has these values in each of three rounds, faster by the round."""
    samples = []
    for cell, value in values.items():
        for number in (1, 2, 3):
            now = value / number if cell.part is Part.TASKS else value * number
            row = {"nanoseconds": now / 2.5} if cell.part is Part.TASKS else {}
            samples.append(Sample("", cell, number, now, True, row))
    everything = evaluate(FIGURES, Cells(Record(samples, **record)), tuple(Part))
    return {figure["figure"]: figure for figure in everything}


def test_a_machine_that_reaches_every_figure() -> None:
    figures = figures_of(_GOOD)
    assert [name for name, figure in figures.items() if figure["reached"] is not True] == []
    assert len(figures) == len(FIGURES), "no name twice"
    best = figures["mxk-batch insert at 1 core by tbb-hash-map"]
    assert (best["measured"]["median"], best["unit"], best["bound"]) == (10.0, "x", 10)
    assert best["beside"] == {"engine": "tbb-hash-map-stock", "measured": {"n": 3, "median": 20, "min": 20, "max": 20}}
    assert figures["mxk-batch insert at 2 cores by 1 core"]["measured"]["median"] == pytest.approx(1.7)
    assert figures["empty task from the core's own queue"]["measured"]["median"] == pytest.approx(2.5)


@pytest.mark.parametrize("cell", _GOOD, ids=str)
def test_each_figure_depends_on_its_cells(cell: Cell) -> None:
    """Far worse, and where it is what others are compared with, far better: exactly the figures made of it fall."""
    made_of_it = [figure for figure in FIGURES if cell in figure.cells]
    fallen: set[str] = set()
    for factor in (0.1, 10.0):
        figures = figures_of(_GOOD | {cell: _GOOD[cell] * factor})
        fallen |= {name for name, figure in figures.items() if figure["reached"] is False}
    assert fallen == {figure.name for figure in made_of_it}


def test_a_figure_is_not_judged_by_what_failed_or_was_not_measured() -> None:
    tbb = "tbb-hash-map"
    without = figures_of({cell: value for cell, value in _GOOD.items() if cell.engine != tbb})
    name = "mxk-batch insert at 2 cores by tbb-hash-map"
    assert (without[name]["reached"], without[name]["failed"]) == (None, False)
    assert without[name]["reason"] == "not measured: tbb-hash-map insert at 2 cores"
    failed = figures_of(_GOOD, failures={tbb: "round 2: crashed", "mxk-tasks": "round 2: panicked"})
    assert (failed[name]["reached"], failed[name]["failed"]) == (None, True)
    assert failed["empty task from the core's own queue"]["failed"] is True
    assert failed["mxk-batch zipf:0.99 find at 2 cores by tbb-hash-map"]["reached"] is True, "another process"


def test_a_bound_belongs_to_what_reaches_it() -> None:
    cell = Cell(Part.TASKS, "mxk", Column("local"))
    assert Figure("", "", Unit.TIMES, cell, cell, 3).reached_by(3)
    assert not Figure("", "", Unit.TIMES, cell, cell, 3).reached_by(2.99)
    assert Figure("", "", Unit.NANOSECONDS, cell, None, 5, at_most=True).reached_by(5)
    assert not Figure("", "", Unit.NANOSECONDS, cell, None, 5, at_most=True).reached_by(5.01)


def test_the_figures_are_shown_and_decide_nothing(fakes: Fakes) -> None:
    fakes.engine(MXK, 60e6, 50e6)
    fakes.engine("tbb-hash-map", 5e6, 5e6)
    fakes.engine("tbb-hash-map-stock", 3e6, 2e6)
    fakes.engine("reference-prefetch", 100e6, 100e6, kind="reference")
    fakes.does["mxk-tasks"] = [[("", "local", 20), ("", "stream", 40)]] * 2
    fakes.does["peer-tasks"] = [[("tbb-task-group", "local", 90)]] * 2
    ended = fakes.compare("--rounds", "2")
    assert ended.code == 0, "the comparison measures, it does not judge"
    figures = {f["figure"]: f for f in summary(ended)["figures"]}
    assert figures[f"{MXK} insert at 1 core by tbb-hash-map"]["measured"]["median"] == 11.0
    assert figures[f"{MXK} insert at 1 core of reference-prefetch"]["reached"] is False
    lines = ended.output.splitlines()[:-1]
    assert max(map(len, lines)) <= 120
    assert "figures: 6 of 12 reached; medians of the rounds" in lines
    table = "\n".join(" ".join(line.split()) for line in lines)
    assert f"{MXK} insert at 1 core by tbb-hash-map 11.0 x 10.0-12.0 >= 10 x reached 22.5 x\n" in table
    assert f"{MXK} insert at 1 core of reference-prefetch 55.0 % 50.0-60.0 >= 80 % NOT REACHED\n" in table
    assert "empty task from the core's own queue 8.00 ns 8.00-8.00 <= 5 ns NOT REACHED\n" in table
    assert "empty task from the core's own queue below tbb-task-group 4.50 x 4.50-4.50 >= 6 x NOT REACHED\n" in table
    assert "- beside: by tbb-hash-map-stock" in lines
    assert f"- figures not measured: {len(figures) - 12}, for which not all was run" in lines


def test_only_what_tasks_cost(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    fakes.does |= {"mxk-tasks": [[("", "local", 20)]], "peer-tasks": [[("pool", "local", 200)]]}
    ended = fakes.compare("--rounds", "1", "--only", "tasks")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert [(r["section"], r["engine"]) for r in result["rows"]] == [("tasks", "mxk"), ("tasks", "pool")]
    assert result["missing"] == [], "no table was asked for"


def test_what_threads_cost_is_a_part_of_its_own(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    fakes.does |= {"mxk-tasks": [[("", "wake", 20)]], "peer-tasks": [[("pool", "wake", 200)]]}
    fakes.does |= {"mxk-threads": [[("", "wake", 300)]], "peer-threads": [[("sem-t", "wake", 200)]]}
    ended = fakes.compare("--rounds", "1", "--only", "tasks,threads")
    assert ended.code == 0, ended.complaint
    costs = {(r["section"], r["engine"]): r for r in summary(ended)["rows"]}
    assert costs.keys() == {("tasks", "mxk"), ("tasks", "pool"), ("threads", "mxk"), ("threads", "sem-t")}
    assert costs["threads", "sem-t"]["ratio"]["median"] == 1.5
    assert "what threads cost, in cycles" in ended.output


def test_everything_is_kept(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 11e6)
    fakes.engine("peer", 5e6, "error")
    ended = fakes.compare("--rounds", "2", "--cores", "2")
    folder = Path(summary(ended)["results"])
    assert folder == (fakes.folder / "results/latest").resolve()
    raw = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert {(r["round"], r["order"], r["process"]) for r in raw} == {(1, 1, MXK), (1, 2, "peer"), (2, 2, MXK)}
    commands = (folder / "commands.txt").read_text().splitlines()
    assert len(commands) == 4
    program = fakes.folder / "mxk"
    work = "--mix insert,find,erase --ops 200000 --cores 2 --seed 1 --repeat 1 --json"
    command = f"bench table {CONFIGURATIONS[MXK]} {work}"
    assert commands[0] == f"{program} --cores 2 '{command}'  # logs/01-01-{MXK}.log"
    assert (folder / "logs/02-01-peer.log").read_text().endswith("error: out of memory on node 0\n")
    assert (folder / "table.txt").read_text() in ended.output
    assert json.loads((folder / "summary.json").read_text())["rows"] == summary(ended)["rows"]


def test_ctrl_c_ends_the_child_and_shows_what_was_measured(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 10e6)
    fakes.engine("sleeper", 5e6, "hang")
    arguments = [DRIVER, *fakes.arguments("--rounds", "2")]
    driver = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert driver.stderr is not None
    while "round 2/2 sleeper" not in driver.stderr.readline():
        assert driver.poll() is None
    driver.send_signal(signal.SIGINT)
    output, complaint = driver.communicate(timeout=30)  # the child holds stderr: this would wait for an orphan, too
    assert driver.returncode == 128 + signal.SIGINT
    assert "ended by SIGINT" in complaint
    result = summary(Ended(driver.returncode, output, complaint))
    assert (result["interrupted"], result["rounds"]) == (True, 1)
    assert row(result, "sleeper", "insert", 1)["throughput"]["n"] == 1
    assert "interrupted: what had been measured until then" in output


def test_only_the_peers_asked_for(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6)
    for name in ("one", "two", "three"):
        fakes.engine(name, 5e6)
    result = summary(fakes.compare("--rounds", "1", "--peers", "three,one"))
    assert list(dict.fromkeys(r["engine"] for r in result["rows"])) == [MXK, "one", "three"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--ops", "many"], "expected --ops as a count such as 24M or 200K, got many"),
        (["--ops", "0"], "expected --ops to be no less than 1, got 0"),
        (["--cores", "1,,2"], "expected --cores as a list of core counts such as 1,2, got 1,,2"),
        (["--cores", "0"], "expected --cores as a list"),
        (["--rounds", "0"], "--rounds"),
        (["--peers", "one,four"], "--peers: expected names out of one; got four"),
        (["--only", "zipf,table,wake"], "--only: expected names out of table, zipf, tasks, threads; got wake"),
    ],
)
def test_refuses_and_says_what_it_expected(fakes: Fakes, options: list[str], expected: str) -> None:
    fakes.engine(MXK)
    fakes.engine("one")
    ended = fakes.compare(*options)
    assert ended.code == 2
    assert expected in ended.complaint
    assert not (fakes.folder / "results").exists()


def test_programs_that_are_not_built_are_named(tmp_path: Path) -> None:
    ended = drive("compare", "--build", str(tmp_path))
    assert ended.code == 2
    assert f"expected the program {tmp_path}/mxk: make compare builds it first" in ended.complaint


def test_an_unknown_configuration_is_refused(fakes: Fakes) -> None:
    ended = fakes.compare("--mxk", "mxk-fast,mxk-task")
    assert ended.code == 2
    assert f"--mxk: expected names out of {', '.join(CONFIGURATIONS)}; got mxk-fast" in ended.complaint


def test_a_program_without_peers_is_no_comparison(fakes: Fakes) -> None:
    (fakes.folder / "mxk-peers").write_text("#!/bin/sh\necho 'error: unknown option --list'\nexit 1\n")
    ended = fakes.compare()
    assert ended.code == 5
    assert "expected a list of peers" in ended.complaint
    assert "exit status 1: error: unknown option --list" in ended.complaint


def test_the_real_programs(tmp_path: Path) -> None:
    where = ["--build", str(Path(linux_program("mxk-peers")).parent), "--results", str(tmp_path)]
    ended = drive("compare", *where, "--ops", "20K", "--cores", "1,2", "--rounds", "1", "--json", timeout=240)
    assert ended.code == 0, ended.complaint + ended.output
    result = summary(ended)
    assert result["verified"] is True
    for mix in ("insert", "find", "erase"):
        for cores in (1, 2):
            assert row(result, MXK, mix, cores)["throughput"]["median"] > 0
    assert len(result["references"]) == 2
    named = {r["engine"] for r in result["rows"] if r["section"] == "table"} | {m["engine"] for m in result["missing"]}
    listed = subprocess.run(
        [linux_program("mxk-peers"), "bench peer --list --json"], capture_output=True, text=True, env=os.environ
    )
    peers = json.loads(listed.stdout.splitlines()[-1])["peers"]
    assert named == {*CONFIGURATIONS, *(peer["name"] for peer in peers)}
    measured = {r["measure"] for r in result["rows"] if r["section"] == "tasks"}
    assert measured >= {"local", "hop", "stream", "mail", "round-trip"}
    measured = {r["measure"] for r in result["rows"] if r["section"] == "threads"}
    assert measured >= {"yield", "wake", "preempt", "uncontended", "ping-pong", "crowd"}
    skewed = {r["engine"] for r in result["rows"] if r["section"] == "zipf"}
    assert skewed == ZIPF_ENGINES, "each is an engine that there is"
    assert [figure["figure"] for figure in result["figures"] if "measured" not in figure] == []

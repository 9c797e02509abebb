"""The comparison's driver, around programs of our own that report what a test has told them; then the real programs
once, with a few operations."""

import json
import os
import shlex
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from compare_fakes import MXK, Fakes, row, summary
from helpers import DRIVER, ROOT, Ended, drive, linux_program
from mxk_host import pages
from mxk_host.arguments import choose_names, parse_cores, parse_count
from mxk_host.compare.cells import paired_ratio
from mxk_host.compare.figures import FIGURES
from mxk_host.compare.plan import CONFIGURATIONS, MIXES, YCSB_ONLY, YCSB_WORKLOADS, ZIPF_ENGINES, Part
from mxk_host.errors import UsageError
from mxk_host.order import balanced_order
from mxk_host.quiet import MIN_ROUNDS, Values, largest

TBB = "tbb-hash-map"
BOUND = "reference-buckets-ring"


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    """Programs that obey the test."""
    return Fakes(tmp_path)


def test_ratios_are_taken_within_a_round_and_the_median_is_that_of_the_ratios(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 20e6, 60e6)
    fakes.engine("peer", 5e6, 20e6, 20e6)
    fakes.engine(BOUND, 40e6, 40e6, 80e6, kind="bound")
    ended = fakes.compare("--rounds", "3", "--cores", "1,2")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert row(result, MXK, "insert", 1)["throughput"] == {"n": 3, "median": 20e6, "min": 10e6, "max": 60e6}
    assert row(result, MXK, "erase", 2)["throughput"]["median"] == 20e6 * 4 * 2
    peer = row(result, "peer", "find", 2)
    assert peer["ratio"] == {"n": 3, "median": 2.0, "min": 1.0, "max": 3.0}, "the medians' ratio would be 1"
    assert peer["share"] == {"n": 3, "median": 0.25, "min": 0.125, "max": 0.5, "low": 0.125, "high": 0.5}
    assert "ratio" not in row(result, MXK, "find", 1)
    assert row(result, BOUND, "find", 1)["ratio"]["median"] == 0.5
    assert (result["rounds"], result["quick_look"], result["verified"]) == (3, True, True)


def test_a_ratio_needs_a_round_that_both_have() -> None:
    over = Values({1: 4.0, 2: 9.0})
    assert paired_ratio(over, Values({2: 3.0, 3: 1.0})) == {"n": 1, "median": 3.0, "min": 3.0, "max": 3.0}
    assert paired_ratio(Values({1: 4.0}), Values({2: 3.0})) is None


def test_of_three_quiet_rounds_and_more_the_disturbed_ones_do_not_count() -> None:
    rounds = [(1, 10.0, True), (2, 11.0, True), (3, 99.0, False), (4, 12.0, True)]
    assert Values.of(rounds).counted == [10.0, 11.0, 12.0]
    assert Values.of(rounds[1:]).counted == [11.0, 99.0, 12.0], "two are too few"
    assert Values.of([*rounds[:2], (3, 5.0, None)]).counted == [10.0, 11.0, 5.0], "not known is not disturbed"
    ratios = Values.of(rounds).over(Values.of([(number, 2.0, number != 1) for number in range(1, 6)]))
    assert (ratios.disturbed, ratios.rounds) == ({1, 3}, [1, 2, 3, 4]), "a pair is quiet where both are"
    assert largest([Values.of(rounds), Values({2: 20.0, 5: 1.0})]) == Values(
        {1: 10.0, 2: 20.0, 3: 99.0, 4: 12.0, 5: 1.0}, frozenset({3})
    )


def test_values_are_known_well_by_quiet_ones_alone() -> None:
    assert Values({1: 100.0, 2: 104.0, 3: 109.0}).known_well()
    assert not Values({1: 100.0, 2: 104.0}).known_well()
    assert not Values({1: 100.0, 2: 104.0, 3: 116.0}).known_well()
    assert not Values({1: 100.0, 2: 104.0, 3: 109.0}, frozenset({2})).known_well()
    assert Values({1: 100.0, 2: 104.0, 3: 109.0, 4: 900.0}, frozenset({4})).known_well()


def test_as_many_rounds_as_it_takes(fakes: Fakes) -> None:
    noisy = {"rate": 50e6, "quiet": False, "not_quiet": "stopped"}
    fakes.engine(MXK, 10e6, noisy, noisy, noisy, 10e6, noisy, 10.5e6, 99e6)
    fakes.engine("peer", *[5e6] * 8)
    ended = fakes.compare("--only", "table")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert (result["rounds"], result["rounds_asked"], result["quick_look"]) == (7, "auto", False)
    mine = row(result, MXK, "insert", 1)
    assert mine["throughput"] == {"n": 3, "median": 10e6, "min": 10e6, "max": 10.5e6}
    assert (mine["disturbed_rounds"], mine["quiet"], "not_quiet" in mine) == (4, True, False)
    assert row(result, "peer", "insert", 1)["ratio"]["n"] == 3, "of the pairs that are quiet"
    assert "7 rounds of auto; 24 disturbed values do not count" in ended.output
    fakes.engine(MXK, *[10e6, 20e6] * 4)  # the last one is missing: no round begins after that time
    over = summary(fakes.compare("--only", "table", "--minutes", "0"))
    assert over["rounds"] == MIN_ROUNDS
    wrong = fakes.compare("--rounds", "0")
    assert (wrong.code, "expected --rounds as auto or a count such as 5, got 0" in wrong.complaint) == (2, True)


def test_the_bound_is_the_larger_of_two_and_no_share_lies_beyond_it(fakes: Fakes) -> None:
    fakes.engine(MXK, *[60e6] * 5)
    fakes.engine(BOUND, *[40e6] * 5, kind="bound")
    fakes.does["random-lines"] = [80e6] * 5
    ended = fakes.compare("--only", "table")
    assert ended.code == 1
    result = summary(ended)
    assert result["bounds"] == [BOUND, "random-lines"]
    assert row(result, MXK, "insert", 1)["share"]["median"] == 0.75, "of lines that are read and written"
    assert row(result, MXK, "find", 2)["share"]["median"] == 0.75, "of lines that are read"
    beyond = [failure["reason"] for failure in result["failures"]]
    assert beyond == [
        f"erase at {cores} cores: 1.50 of the bounds (1.50 to 1.50), expected up to 1" for cores in (1, 2)
    ]
    assert result["verified"] is False
    commands = (Path(result["results"]) / "commands.txt").read_text()
    assert commands.count("'bench memory --part random --cores 1,2 --set 8388608 --repeat 1 --json'") == 5


@pytest.mark.parametrize("count", [2, 5, 12])
def test_over_the_rounds_no_engine_keeps_its_neighbours(count: int) -> None:
    rounds = [balanced_order(range(count), number) for number in range(1, count + 1)]
    assert all(sorted(order) == list(range(count)) for order in rounds)
    for place in range(count):
        assert len({order[place] for order in rounds}) == count, "each stands once at each place"
    neighbours = [pair for order in rounds for pair in pairwise(order)]
    assert max(map(neighbours.count, neighbours)) == (1 if count % 2 == 0 else 2)


def test_the_table_says_it_all(fakes: Fakes) -> None:
    memory = {"table_bytes": 3.5e6, "touched_bytes": 9e6}
    fakes.engine(MXK, {"rate": 10e6, "quiet": False, "not_quiet": "drift 0.53"} | memory)
    fakes.engine("no-erase", 5e6)
    fakes.engine(BOUND, 40e6, kind="bound")
    fakes.engine("absent", kind="peer", missing="libabsent-dev was not found")
    ended = fakes.compare("--rounds", "1")
    assert ended.code == 0, "a library that is missing is no failure"
    shown = ended.output
    assert "200,000 operations in each phase, cores 1, 2, seed 1, 1 round of 1" in shown
    assert "Fake CPU, TSC 2.500 GHz" in shown
    assert f"a quick look: a comparison takes no less than {MIN_ROUNDS} rounds" in shown
    assert "MXK's engines are asynchronous" in shown
    assert f"share: throughput as a part of the larger of {BOUND}, in percent" in shown
    assert "MISSING absent: libabsent-dev was not found" in shown
    assert "- no-erase has no erase: it cannot erase" in shown
    assert "WARN memory: pages are small" in shown
    assert f"WARN the machine was not quiet: {MXK} find at 2 cores, round 1: drift 0.53" in shown
    assert "\x1b" not in shown, "no colours where no terminal is"
    lines = [line.split() for line in shown.splitlines()[:-1]]
    assert max(map(len, shown.splitlines()[:-1])) <= 120
    at = next(number for number, line in enumerate(lines) if line[:1] == ["no-erase"])
    assert lines[at] == ["no-erase", "M", "ops/s", "5.00", "10.0", "10.0", "20.0", "-", "-", "yes"]
    assert lines[at + 1][:3] == ["libno-erase", "1.0", "min-max"]
    assert lines[at + 2] == ["mxk/this", *["2.00"] * 4]
    assert lines[at + 3] == ["share", *["12"] * 4]  # of 12.5
    noisy = [MXK, "M", "ops/s", *(f"{rate}~" for rate in ("10.0", "20.0", "20.0", "40.0", "40.0", "80.0")), "yes"]
    assert noisy in lines
    memory_lines = {line[0]: line[1:] for line in lines if len(line) == 4}
    assert memory_lines[MXK][:2] == ["3.50", "9.00"]
    assert memory_lines["no-erase"][:2] == ["-", "-"]
    assert all(5 < float(memory_lines[name][2]) < 100 for name in (MXK, "no-erase")), "of a Python program"
    result = summary(ended)
    assert result["missing"] == [{"engine": "absent", "reason": "libabsent-dev was not found"}]
    assert {(u["engine"], u["mix"], u["cores"]) for u in result["unsupported"]} == {
        ("no-erase", "erase", 1),
        ("no-erase", "erase", 2),
    }


def test_latency_stands_beside_throughput_and_comes_from_runs_of_its_own(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 10e6)
    fakes.engine("mxk-coroutine", 10e6, 10e6)  # has none
    fakes.engine("peer", 5e6, 5e6)
    ended = fakes.compare("--rounds", "2")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert row(result, MXK, "find", 2)["latency"]["p99_ns"] == {"n": 1, "median": 31000, "min": 31000, "max": 31000}
    assert row(result, MXK, "find", 2)["throughput"]["n"] == 2, "those of the latency runs do not count"
    assert "latency" not in row(result, MXK, "erase", 2)
    assert "latency" not in row(result, "mxk-coroutine", "find", 2)
    assert "latency" in row(result, "peer", "find", 2)
    lines = [line.split() for line in ended.output.splitlines()]
    assert lines.count(["p99", "us", *["31.0"] * 4, "-", "-"]) == 2


def test_engines_that_fail_are_named_and_fail_the_comparison(fakes: Fakes) -> None:
    reasons = {
        "crash": "crashed: SIGSEGV",
        "hang": "no end after 3 s: killed",
        "error": "exit status 1: error: out of memory on node 0",
        "wrong": "verification failed: wrong find at 1 core, wrong find at 2 cores",
        "half": "no row for erase at 1 core, erase at 2 cores",
    }
    fakes.engine(MXK, 10e6, 10e6)
    for does in reasons:
        fakes.engine(does, does)  # its second run would find nothing to do, and fail differently
    fakes.engine("good", 5e6, 5e6)
    fakes.does[f"{MXK}-latency"] = ["wrong"]
    ended = fakes.compare("--rounds", "2", "--timeout", "3")
    assert ended.code == 1
    result = summary(ended)
    assert result["verified"] is False
    failures = {it["process"]: it["reason"] for it in result["failures"]}
    latency = {f"{MXK}-latency": f"verification failed: {MXK} find at 1 core, {MXK} find at 2 cores"}
    assert failures == {name: f"round 1: {reason}" for name, reason in (reasons | latency).items()}
    assert "(reasons in the table)" in ended.complaint
    assert f"FAILED crash: round 1: {reasons['crash']}" in ended.output
    assert row(result, "wrong", "find", 1)["verified"] is False
    assert row(result, "good", "erase", 2)["ratio"] == {"n": 2, "median": 2.0, "min": 2.0, "max": 2.0}
    assert row(result, "good", "erase", 2)["verified"] is True


def test_what_tasks_and_threads_cost(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    fakes.does["mxk-tasks"] = [[("", "local", cycles), ("", "wake", 5000)] for cycles in (20, 30, 40)]
    fakes.does["peer-tasks"] = [[("pool", "local", cycles), ("arena", "local", 100)] for cycles in (200, 100, 400)]
    fakes.does |= {"mxk-threads": [[("", "wake", 300)]] * 3, "peer-threads": [[("sem-t", "wake", 200)]] * 3}
    ended = fakes.compare("--rounds", "3", "--only", "tasks,threads")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    costs = {(r["section"], r["engine"], r["measure"]): r for r in result["rows"]}
    assert costs["tasks", "mxk", "local"]["cycles"] == {"n": 3, "median": 30, "min": 20, "max": 40}
    assert costs["tasks", "pool", "local"]["ratio"] == {"n": 3, "median": 0.1, "min": 0.1, "max": 0.3}
    assert costs["threads", "sem-t", "wake"]["ratio"]["median"] == 1.5
    assert ("tasks", "pool", "wake") not in costs
    assert all(cost["verified"] for cost in costs.values())
    assert result["missing"] == [], "no table was asked for"
    assert "what tasks cost, in cycles" in ended.output


def test_chains_are_measured_on_machines_of_as_many_cores_as_the_column_says(fakes: Fakes) -> None:
    chains = "mxk-concurrent-growing"
    fakes.engine("absent", missing="not found")
    fakes.engine(MXK, 10e6, 10e6)
    fakes.engine(chains, 4e6, 6e6, 4e6, "crash")  # one and two cores, in each round; the order is that of the design
    ended = fakes.compare("--rounds", "2")
    assert ended.code == 1
    result = summary(ended)
    commands = (Path(result["results"]) / "commands.txt").read_text().splitlines()
    mine = [shlex.split(line, comments=True) for line in commands if "--layout concurrent --initial-slots" in line]
    machines = {(words[2], words[3].partition("--cores ")[2][0], "--latency" in words[3]) for words in mine}
    assert machines == {(cores, cores, latency) for cores in "12" for latency in (False, True)}
    others = [shlex.split(line, comments=True) for line in commands if "--layout bucketed" in line]
    assert {(words[2], "--cores 1,2" in words[3]) for words in others} == {("2", True)}
    assert [failure["process"][:-1] for failure in result["failures"]] == [f"{chains}-at-"]
    (failed,) = [failure["process"][-1] for failure in result["failures"]]
    verified = {r["cores"]: r["verified"] for r in result["rows"] if r["engine"] == chains}
    assert verified == {int(failed): False, 3 - int(failed): True}, "the other one is judged by itself"
    assert "FAILED" in ended.output


def test_memory_is_measured_twice_by_working_set(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    small, large = 16 << 10, 128 << 20
    fakes.does["mxk-memory"] = [[("", small, 1.5), ("", large, large_cost)] for large_cost in (100, 104, 90)]
    fakes.does["peer-memory"] = [[("chase", small, 1.5), ("chase", large, 80)]] * 3
    ended = fakes.compare("--rounds", "3", "--only", "memory")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    costs = {(r["engine"], r["measure"]): r for r in result["rows"]}
    assert costs["mxk", "128 MiB"]["nanoseconds"] == {"n": 3, "median": 100, "min": 90, "max": 104}
    assert costs["chase", "128 MiB"]["ratio"]["median"] == 1.25
    figures = {f["figure"]: f["reached"] for f in result["figures"] if f["reached"] is not None}
    assert figures == {"latency of 16 KiB by chase": True, "latency of 128 MiB by chase": False}
    assert "ns per load by working set" in ended.output
    assert "0.9-1.1 x" in ended.output
    commands = (Path(result["results"]) / "commands.txt").read_text()
    assert commands.count("'bench memory --part latency --max 128Mi --repeat 1 --json'") == 3
    assert commands.count("'bench memory-peer --max 128Mi --repeat 1 --json'") == 3


def test_read_sections_are_measured_in_one_process(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    rates = {"rcu": 800e6, "qsbr": 3000e6, "rwlock": 200e6, "urcu-qsbr": 1500e6}  # with one core
    libraries = {"urcu-qsbr": "liburcu 0.0"}
    fakes.does["rcu"] = [
        [
            ((kind, libraries.get(kind, "none")), (body, cores), rate * cores * factor)
            for kind, rate in rates.items()
            for body in ("empty", "pointer")
            for cores in (1, 2)
        ]
        for factor in (1, 2, 1)
    ]
    ended = fakes.compare("--rounds", "3", "--only", "rcu")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    sections = {(r["engine"], r["measure"]): r for r in result["rows"]}
    assert len(sections) == 16
    assert next(iter(sections)) == ("qsbr", "empty, 1 core"), "what ratios are about comes first"
    assert sections["rcu", "empty, 2 cores"]["throughput"] == {"n": 3, "median": 1600e6, "min": 1600e6, "max": 3200e6}
    assert sections["urcu-qsbr", "pointer, 1 core"]["ratio"]["median"] == 2
    assert sections["rwlock", "empty, 1 core"]["ratio"]["median"] == 15
    assert {(r["engine"], r["kind"]) for r in result["rows"]} == {
        ("qsbr", "mxk"),
        ("rcu", "mxk"),
        ("rwlock", "mxk"),
        ("urcu-qsbr", "peer"),
    }
    assert {f["figure"]: f["measured"]["median"] for f in result["figures"] if "measured" in f} == {
        "qsbr read sections at 2 cores by 1 core": 2,
        "qsbr read sections at 2 cores by urcu-qsbr": 2,
    }
    assert "read sections in M/s" in ended.output
    commands = (Path(result["results"]) / "commands.txt").read_text()
    for body in ("empty", "pointer"):
        assert commands.count(f"bench rcu-read --body {body} --cores 1,2 --ms 50 --repeat 1 --json") == 3


def test_grace_periods_and_look_ups_beside_a_resize_are_a_part_with_figures(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    fakes.does["grace"] = [
        [
            ("", "synchronize", synchronize * 2500),  # cycles at 2.5 GHz: of us
            ("", "expedite", 12 * 2500),
            ("concurrent", "quiet", 500),
            ("concurrent", "growing", growing),
            ("concurrent-lines", "quiet", 1000),
            ("concurrent-lines", "growing", 7700),
        ]
        for synchronize, growing in ((20, 3000), (30, 6000), (900, 90_000))
    ]
    ended = fakes.compare("--rounds", "3", "--only", "grace")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    times = {(r["engine"], r["measure"]): r["nanoseconds"]["median"] for r in result["rows"]}
    assert times["mxk", "synchronize"] == 30_000
    assert times["concurrent", "p99 growing, 2 cores"] == 6000
    figures = {f["figure"]: (f["measured"]["median"], f["reached"]) for f in result["figures"] if "measured" in f}
    resize = "p99 of look-ups in {} at 2 cores while it doubles by twice the quiet one and 5 us"
    assert figures == {
        "synchronize beside a busy core": (30, True),
        "expedited grace period beside a busy core": (12, False),
        resize.format("concurrent"): (1.0, True),
        resize.format("concurrent-lines"): (1.1, False),
    }
    assert "ns until a grace period has ended" in ended.output
    commands = (Path(result["results"]) / "commands.txt").read_text()
    assert commands.count("bench resize --cores 2 --keys 200000 --repeat 3 --json") == 3
    assert commands.count("mxk --cores 2 'bench rcu --measure synchronize,expedite --waits 1000") == 3


def test_skewed_keys_are_used_on_shared_tables_too() -> None:
    assert {"mxk-shared", "mxk-lines-batch"} <= ZIPF_ENGINES


def test_workloads_of_ycsb_are_a_part_of_their_own(fakes: Fakes) -> None:
    threads = "mxk-open-threads"
    fakes.engine(MXK, 10e6, 10e6, 10e6)
    fakes.engine(threads)
    fakes.engine(TBB, 5e6, 5e6, 5e6)
    fakes.engine("cuckoo", 5e6, 5e6, 5e6)
    fakes.engine(BOUND, 40e6, 40e6, 40e6, kind="bound")  # has keys of its own, and is not measured with them
    fakes.does |= {f"{MXK}-ycsb": [8e6] * 8, f"{threads}-ycsb": [4e6] * 8, f"{TBB}-ycsb": [2e6] * 8}
    fakes.does["cuckoo-ycsb"] = ["wrong"] * 8
    ended = fakes.compare("--rounds", "2", "--only", "table,ycsb", "--mxk", f"{MXK},{threads}")
    assert ended.code == 1
    result = summary(ended)
    rows = [r for r in result["rows"] if r["section"] == "ycsb"]
    assert {(r["engine"], r["mix"], r["cores"]) for r in rows} == {
        (engine, workload, cores)
        for engine in (MXK, threads, TBB, "cuckoo")
        for workload in YCSB_WORKLOADS
        for cores in (1, 2)
    }
    assert row(result, TBB, "ycsb-f", 2, "ycsb")["ratio"] == {"n": 2, "median": 4.0, "min": 4.0, "max": 4.0}
    assert row(result, threads, "ycsb-a", 1, "ycsb")["ratio"]["median"] == 2.0
    assert row(result, "cuckoo", "ycsb-b", 2, "ycsb")["verified"] is False
    assert threads not in {r["engine"] for r in result["rows"] if r["section"] == "table"}
    assert "keys drawn by zipf:0.99 and used by all cores" in ended.output


def test_updates_are_measured_on_a_full_table_and_figures_are_chosen_by_engine(fakes: Fakes) -> None:
    fakes.engine("mxk-shared", *[15e6] * 5)
    fakes.engine("urcu-lfht", *[4e6] * 5)
    fakes.engine(TBB, *[5e6] * 5)
    fakes.engine("tbb-hash-map-stock", *[4e6] * 5)
    fakes.does |= {"mxk-shared-updates": [12e6] * 5, "urcu-lfht-updates": [5e6] * 5, f"{TBB}-updates": [6e6] * 5}
    fakes.does["tbb-hash-map-stock-updates"] = [3e6] * 5
    fakes.tell()
    ended = drive("figures-check", "--of", "mxk-shared", *fakes.places())
    assert ended.code == 1
    latest = str(fakes.folder / "results/latest")
    name = "mxk-shared loaded:5/90/5 at 2 cores by tbb-hash-map"
    assert ended.complaint.splitlines()[-2:] == [
        "tools/mxk: 1 of 5 figures are not reached:",
        f"  {name}: 2 x, wanted >= 3 x",
    ]
    assert "on a table that holds all keys some operations insert or erase" in ended.output
    rows = json.loads((Path(latest) / "summary.json").read_text())["rows"]
    updates = {r["mix"] for r in rows if r["section"] == "updates"}
    assert updates == {"loaded:1/99/0", "loaded:5/90/5", "loaded:25/50/25"}, "1, 10 and 50 % of the operations"
    assert "mxk-lines-batch" not in ended.output, "of another figure"
    wrong = drive("figures-check", "--of", "mxk-shred", "--from", latest)
    assert (wrong.code, "--of: expected names out of mxk-batch, " in wrong.complaint) == (2, True)


def test_skewed_keys_are_a_part_of_their_own(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 10e6, 10e6)
    fakes.engine(TBB, 5e6, 5e6, 5e6)
    fakes.engine("tbb-hash-map-stock", 5e6, 5e6, 5e6)
    fakes.engine("cuckoo", 5e6, 5e6, 5e6)  # is not measured with them
    fakes.engine(BOUND, 40e6, 40e6, 40e6, kind="bound")
    fakes.does |= {f"{MXK}-zipf": [8e6, 12e6, 9e6], f"{TBB}-zipf": [2e6] * 3, "tbb-hash-map-stock-zipf": ["wrong"]}
    fakes.does[f"{BOUND}-zipf"] = [16e6] * 3
    ended = fakes.compare("--rounds", "3")
    assert ended.code == 1
    assert "failed: tbb-hash-map-stock-zipf" in ended.complaint
    result = summary(ended)
    assert {(r["engine"], r["mix"]) for r in result["rows"] if r["section"] == "zipf"} == {
        (engine, "find") for engine in (MXK, TBB, "tbb-hash-map-stock", BOUND)
    }
    assert row(result, TBB, "find", 2, "zipf")["ratio"] == {"n": 3, "median": 4.5, "min": 4.0, "max": 6.0}
    assert row(result, TBB, "find", 2)["ratio"]["median"] == 2.0, "the other part keeps its own"
    assert row(result, "tbb-hash-map-stock", "find", 2, "zipf")["verified"] is False
    assert row(result, "tbb-hash-map-stock", "find", 2)["verified"] is True
    assert {f["figure"]: f["reached"] for f in result["figures"] if "zipf" in f["figure"]} == {
        f"{MXK} zipf:0.99 find at 2 cores of bound": True,
        f"{MXK} zipf:0.99 find at 2 cores by {TBB}": True,
    }
    assert f"keys drawn by zipf:0.99; mxk: {MXK}" in ended.output


def is_running(process: int) -> bool:
    """Whether it does anything yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a disturbed run needs two processors")
def test_a_busy_process_beside_is_a_part_of_its_own_and_ends(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    fakes.engine(MXK, 10e6, 20e6, 10e6)
    fakes.does[f"{MXK}-disturbed"] = [5e6, 12e6, 4e6]
    ended = fakes.compare("--rounds", "3", "--only", "disturbed", "--mxk", f"{MXK},mxk-open")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert {(r["section"], r["engine"], r["cores"]) for r in result["rows"]} == {
        ("disturbed", MXK, 2),
        ("undisturbed", MXK, 2),
    }
    assert row(result, MXK, "find", 2, "disturbed")["throughput"]["median"] == 5e6 * 2 * 2
    figures = {f["figure"]: f for f in result["figures"] if f["reached"] is not None}
    assert list(figures) == [f"{MXK} {mix} at 2 cores beside a busy process of undisturbed" for mix in MIXES]
    assert figures[f"{MXK} find at 2 cores beside a busy process of undisturbed"]["measured"] == {
        "n": 3, "median": 0.5, "min": 0.4, "max": 0.6,
    }  # fmt: skip
    assert "beside a process that keeps the second processor busy\n" in ended.output
    busy = (fakes.folder / "busy.pids").read_text().split()
    assert len(busy) == 3
    assert not any(is_running(int(process)) for process in busy)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a disturbed run needs two processors")
def test_the_busy_process_ends_with_its_parent(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    fakes.engine(MXK, 10e6)
    fakes.does[f"{MXK}-disturbed"] = ["hang"]
    arguments = [DRIVER, *fakes.arguments("--rounds", "1", "--only", "disturbed")]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        noted = fakes.folder / "busy.pids"
        while not noted.exists() or not noted.read_text().endswith(" "):
            assert driver.poll() is None
        (busy,) = map(int, noted.read_text().split())
        (program,) = {
            int(child) for child in Path(f"/proc/{driver.pid}/task/{driver.pid}/children").read_text().split()
        } - {busy}
        driver.kill()  # it cannot clean up
    while is_running(busy):
        pass
    os.kill(program, signal.SIGKILL)


def test_latency_at_half_of_the_throughput_is_a_part_of_its_own(fakes: Fakes) -> None:
    fakes.engine("absent", missing="not found")
    fakes.engine(MXK, 10e6)
    fakes.does[f"{MXK}-load"] = [
        {"rate": 5e6, "latency": {"count": 9, "p50_ns": 2000, "p99_ns": at}} for at in (7e4, 4e4)
    ]
    ended = fakes.compare("--rounds", "2", "--only", "load")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert [(r["section"], r["mix"], r["cores"]) for r in result["rows"]] == [("load", "find", 2)]
    assert row(result, MXK, "find", 2, "load")["latency"]["p99_ns"]["median"] == 55000
    (figure,) = [f for f in result["figures"] if f["reached"] is not None]
    assert figure["measured"] == {"n": 2, "median": 55.0, "min": 40.0, "max": 70.0}
    assert (figure["target"], figure["unit"], figure["is_maximum"], figure["reached"]) == (50, "us", True, False)
    commands = (Path(result["results"]) / "commands.txt").read_text()
    assert "--mix find --rate 50% --latency --max-latency 50 --ops 200000 --cores 2 " in commands


def test_figures_are_shown_put_into_pages_and_checked(fakes: Fakes) -> None:
    fakes.engine(MXK, 90e6, 80e6)
    fakes.engine(TBB, 5e6, 5e6)
    fakes.engine(BOUND, 100e6, 100e6, kind="bound")
    fakes.does["mxk-tasks"] = [[("", "local", 20), ("", "stream", 40)]] * 2
    fakes.does["peer-tasks"] = [[("tbb-task-group", "local", 90)]] * 2
    page, made = fakes.folder / "page.md", fakes.folder / "made.md"
    page.write_text("before\n<!-- compare: throughput -->\nold\n<!-- end of compare: throughput -->\nbehind\n")
    ended = fakes.compare("--rounds", "2", "--markdown", str(page), "--markdown", str(made))
    assert ended.code == 0, "the comparison measures, it does not judge"
    shown = "\n".join(" ".join(line.split()) for line in ended.output.splitlines())
    assert "figures: 12 of 14 reached; medians of the rounds" in shown
    assert f"{MXK} insert at 1 core by {TBB} 17.0 x 16.0-18.0 >= 15 x reached\n" in shown
    assert "empty task from the core's own queue 8.00 ns 8.00-8.00 <= 5 ns NOT REACHED\n" in shown

    throughput = pages.block(made.read_text(), "compare: throughput")
    assert f"|MXK, bucketed, in batches (`{MXK}`)|85.0|170|170|340|340|680|2.00, 31.0|" in throughput
    assert "MXK's engines are asynchronous" in throughput
    assert page.read_text() == (
        f"before\n<!-- compare: throughput -->\n{throughput}<!-- end of compare: throughput -->\nbehind\n"
    )
    assert f"|{MXK} insert at 1 core by {TBB}|>= 15 x|17.0 x|16.0-18.0||" in made.read_text()
    assert "|<= 5 ns|8.00 ns|8.00-8.00|**not reached**|" in made.read_text()

    latest = str(fakes.folder / "results/latest")
    checked = drive("figures-check", "--from", latest)
    assert checked.code == 1
    assert f"of {len(FIGURES)} figures are not reached:" not in checked.output
    assert "empty task from the core's own queue: 8 ns, wanted <= 5 ns\n" in checked.complaint
    assert f"{MXK} insert at 1 core by {TBB}:" not in checked.complaint
    assert "mxk-cuckoo find at 1 core of mxk-open: not measured" in checked.complaint
    again = drive("compare", "--from", latest, "--markdown", str(fakes.folder / "again.md"))
    assert (again.code, (fakes.folder / "again.md").read_text()) == (0, made.read_text())


def test_the_page_embeds_one_and_the_same_run() -> None:
    measured = (ROOT / "docs/measured.md").read_text()
    throughput = pages.block(measured, "compare: throughput")
    assert "|MXK, bucketed, in batches (`mxk-batch`)|" in throughput
    assert throughput.splitlines()[-1] == pages.block(measured, "compare: figures").splitlines()[-1], (
        "the run's own line"
    )


def test_everything_is_kept(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 11e6)
    fakes.engine("peer", 5e6, "error")
    fakes.engine("other", 5e6, 5e6)
    ended = fakes.compare("--rounds", "2", "--cores", "2", "--peers", "peer")
    folder = Path(summary(ended)["results"])
    assert folder == (fakes.folder / "results/latest").resolve()
    raw = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert {(r["round"], r["order"], r["process"]) for r in raw} == {
        (1, 1, MXK), (1, 2, "peer"), (1, 3, f"{MXK}-latency"), (1, 4, "peer-latency"), (2, 2, MXK),
    }  # fmt: skip
    commands = (folder / "commands.txt").read_text().splitlines()
    assert len(commands) == 6
    work = "--mix insert,find,erase --ops 200000 --cores 2 --seed 1 --repeat 1 --json"
    command = f"bench table {CONFIGURATIONS[MXK]} {work}"
    assert commands[0] == f"{fakes.folder / 'mxk'} --cores 2 '{command}'  # logs/01-01-{MXK}.log"
    assert (folder / "logs/02-01-peer.log").read_text().endswith("error: out of memory on node 0\n")
    assert (folder / "table.txt").read_text() in ended.output
    assert json.loads((folder / "summary.json").read_text()) == summary(ended)


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


def test_arguments_that_cannot_be_used_are_refused_with_what_was_expected() -> None:
    with pytest.raises(UsageError, match="expected --ops as a count such as 24M or 200K, got many"):
        parse_count("--ops", "many")
    with pytest.raises(UsageError, match="expected --ops to be no less than 1, got 0"):
        parse_count("--ops", "0")
    for text in ("1,,2", "0"):
        with pytest.raises(UsageError, match="expected --cores as a list of core counts such as 1,2, got"):
            parse_cores(text)
    with pytest.raises(UsageError, match="--peers: expected names out of one; got four"):
        choose_names("--peers", ["one"], "one,four")


def test_a_refusal_measures_nothing(fakes: Fakes) -> None:
    fakes.engine(MXK)
    ended = fakes.compare("--only", "zipf,table,wake")
    assert ended.code == 2
    assert f"--only: expected names out of {', '.join(Part)}; got wake" in ended.complaint
    assert not (fakes.folder / "results").exists()


# In place of the Python in which the module stands: counts as fast as the test says, and keeps how it was called.
FAKE_PYTHON = """#!{python}
import json, pathlib, os, sys
(pathlib.Path(__file__).parent / "calls").open("a").write(f"{{os.environ['PYTHONPATH']}} {{' '.join(sys.argv[1:])}}\\n")
for engine, rate in (("mxk_table", 50e6), ("polars", 10e6), ("polars, streaming", 20e6)):
    print(json.dumps({{"benchmark": "group-by", "engine": engine, "measure": "count by key", "verified": True,
                       "throughput": {{"median": rate}}}}))
"""


def test_counting_by_key_is_a_part_for_which_the_module_must_be_there(fakes: Fakes) -> None:
    fakes.engine(MXK, 10e6, 10e6)
    fakes.engine("peer", 5e6, 5e6)
    lacking = summary(fakes.compare("--only", "table,group-by", "--rounds", "1"))
    assert lacking["skipped"] == ["group-by, for which 'make python' has to be run first"]
    assert lacking["verified"] is True
    python = fakes.folder / "python/env/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(FAKE_PYTHON.format(python=sys.executable))
    python.chmod(0o755)
    ended = fakes.compare("--only", "group-by", "--rounds", "2")
    assert ended.code == 0, ended.complaint
    result = summary(ended)
    assert result["skipped"] == []
    rates = {row["engine"]: row["throughput"]["median"] for row in result["rows"]}
    assert rates == {"mxk_table": 50e6, "polars": 10e6, "polars, streaming": 20e6}
    assert {row["engine"]: row["ratio"]["median"] for row in result["rows"] if "ratio" in row} == {
        "polars": 5,
        "polars, streaming": 2.5,
    }
    assert {it["what"]: it["measured"]["median"] for it in result["figures"] if "measured" in it} == {
        "mxk_table count by key": 2.5
    }
    assert "M rows/s" in ended.output
    program = ROOT / "examples/python/benchmark.py"
    options = "--json --rows 200000 --keys 8333 --rounds 1 --threads 2"
    calls = (python.parent / "calls").read_text().splitlines()
    assert calls == [f"{fakes.folder}/python/module {program} {options}"] * 2


def test_programs_that_are_no_comparison(fakes: Fakes, tmp_path: Path) -> None:
    (fakes.folder / "mxk-peers").write_text("#!/bin/sh\necho 'error: unknown option --list'\nexit 1\n")
    ended = fakes.compare()
    assert ended.code == 5
    assert "expected a list of peers" in ended.complaint
    assert "exit status 1: error: unknown option --list" in ended.complaint
    (tmp_path / "mxk").unlink()
    ended = fakes.compare()
    assert ended.code == 2
    assert f"expected the program {tmp_path}/mxk: make compare builds it first" in ended.complaint


@pytest.mark.long(reason="compares the real programs, every engine once")
def test_the_real_programs(tmp_path: Path) -> None:
    # Tasks take half a minute beside other tests, threads that wait for each other a whole one; their rows are in the
    # tests of each benchmark.
    parts = ["table", "zipf", *["tasks", "threads"] * ("MXK_LONG_TESTS" in os.environ)]
    where = ["--build", str(Path(linux_program("mxk-peers")).parent), "--results", str(tmp_path)]
    options = ["--only", ",".join(parts), "--ops", "20K", "--rounds", "1", "--json"]
    ended = drive("compare", *where, *options, timeout=400)
    assert ended.code == 0, ended.complaint + ended.output
    result = summary(ended)
    assert result["verified"] is True
    for mix in ("insert", "find", "erase"):
        for cores in (1, 2):
            assert row(result, MXK, mix, cores)["throughput"]["median"] > 0
    assert row(result, MXK, "find", 2)["latency"]["p50_ns"]["median"] > 0
    assert result["bounds"] == [BOUND, "random-lines"]
    named = {r["engine"] for r in result["rows"] if r["section"] == "table"} | {m["engine"] for m in result["missing"]}
    listed = subprocess.run(
        [linux_program("mxk-peers"), "bench peer --list --json"], capture_output=True, text=True, env=os.environ
    )
    peers = json.loads(listed.stdout.splitlines()[-1])["peers"]
    assert named == {*CONFIGURATIONS} - YCSB_ONLY | {*(peer["name"] for peer in peers), "random-lines"}
    if "threads" in parts:
        measured = {r["measure"] for r in result["rows"] if r["section"] == "tasks"}
        assert measured >= {"local", "hop", "stream", "mail", "round-trip"}
        measured = {r["measure"] for r in result["rows"] if r["section"] == "threads"}
        assert measured >= {"yield", "wake", "preempt", "uncontended", "ping-pong", "crowd"}
    skewed = {r["engine"] for r in result["rows"] if r["section"] == "zipf"}
    assert skewed == ZIPF_ENGINES, "each is an engine that there is"
    assert [figure["figure"] for figure in result["figures"] if "measured" not in figure] == []

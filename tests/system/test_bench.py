"""The benchmark through the whole way: console, kernel, JSON lines, the driver's table and files."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from helpers import drive, run_linux, run_mxk

pytestmark = pytest.mark.usefixtures("images")


def table_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of `bench table`, in the order measured."""
    return [row for row in rows if row.get("benchmark") == "table"]


def test_a_verified_row_for_each_number_of_cores(tmp_path: Path) -> None:
    shape = ["--cpus", "4", "--nodes", "2"]
    ended = run_mxk(tmp_path / "log", shape, "bench table --cores 1,2,4 --ops 200k --json")
    rows = table_rows(ended.rows)
    assert [row["cores"] for row in rows] == [1, 2, 4]
    for row in rows:
        assert row["verified"] is True
        assert row["operations"] == 200_000
        spread = row["throughput"]
        assert 0 < spread["min"] <= spread["median"] <= spread["max"]


MIXES = ("insert", "find", "erase", "mixed:50/40/10")


def test_each_mix(tmp_path: Path) -> None:
    commands = "; ".join(f"bench table --cores 2 --ops 100k --mix {mix} --json" for mix in MIXES)
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], f"{commands}; {SWEEP}; {SEVERAL_THREADS}; {TRAVEL_AND_GROW}")
    rows = table_rows(ended.rows)
    of_mixes, swept, of_threads = rows[: len(MIXES)], rows[len(MIXES) : -6], rows[-6:-3]
    check_growth(rows[-3:])
    assert [(row["mix"], row["verified"]) for row in of_mixes] == [(mix, True) for mix in MIXES]
    check_sweep(swept)
    check_several_threads(of_threads)


SWEEP = "bench table --sweep 64Ki --mix find --layout bucketed --cores 1,2 --ops 20k --json"


def check_sweep(rows: list[dict[str, Any]]) -> None:
    sizes = [16 << 10, 32 << 10, 64 << 10]
    assert [(row["size_bytes"], row["cores"]) for row in rows] == [(size, cores) for size in sizes for cores in (1, 2)]
    for row in rows:
        assert row["verified"] is True
        assert row["operations"] == row["size_bytes"] // 32, "a line for two keys"
        assert row["table_bytes"] == row["size_bytes"]
        assert row["passes"] == 20_000 // row["operations"]
        made = row["seconds"] * row["throughput"]["median"]
        assert made == pytest.approx(row["operations"] * row["passes"], rel=0.01)
        (first,) = [it for it in rows if it["size_bytes"] == row["size_bytes"] and it["cores"] == 1]
        assert row["speed_up"] == pytest.approx(row["throughput"]["median"] / first["throughput"]["median"])


SEVERAL_THREADS = "; ".join(
    f"bench table --model threads --layout {layout} --threads-per-core 3 --cores 2 --ops 20k --json"
    for layout in ("chained", "open", "open --probe travel")
)
TRAVEL_AND_GROW = (
    "bench table --layout open --probe travel --initial-slots 1 --cores 2 --ops 20k --mix insert,find,erase --json"
)


def check_several_threads(rows: list[dict[str, Any]]) -> None:
    ways = [(row["layout"], row["probe"], row["threads_per_core"], row["verified"]) for row in rows]
    assert ways == [("chained", "local", 3, True), ("open", "local", 3, True), ("open", "travel", 3, True)]


def check_growth(rows: list[dict[str, Any]]) -> None:
    assert [(row["mix"], row["probe"], row["initial_slots"], row["verified"]) for row in rows] == [
        (mix, "travel", 1, True) for mix in PHASES
    ]
    for row in rows[:2]:
        assert row["buckets"] > row["operations"], "there is a slot for each key"


def test_sizes_and_threads_in_the_linux_program() -> None:
    rows = table_rows(run_linux("--cores", "2", f"{SWEEP}; {SEVERAL_THREADS}; {TRAVEL_AND_GROW}").rows)
    check_sweep(rows[:-6])
    check_several_threads(rows[-6:-3])
    check_growth(rows[-3:])
    rows = table_rows(
        run_linux(
            "bench table --sweep auto --mix find --layout bucketed --submit batch --cores 1 --ops 1 --warm-up 0 --json"
        ).rows
    )
    assert rows[-1]["size_bytes"] >= 1 << 20
    assert all(row["verified"] for row in rows)
    levels = [row["level"] for row in rows if "level" in row]
    assert levels == sorted(levels, key=["L1", "L2", "L3", "L4", "memory"].index)


LAYOUTS = ("chained", "bucketed")
QUEUES = ("shared", "per-core", "node-local")
PHASES = ["insert", "find", "erase"]


def test_a_bucketed_table_takes_24_bytes_for_a_pair_whatever_it_has_grown_to() -> None:
    commands = [
        f"bench table --layout bucketed --submit batch --reads {reads} --initial-slots 1024 --mix insert,find --cores 2"
        f" --ops {operations} --repeat 1 --json"
        for operations, reads in (("1M", "travel"), ("1400K", "in-place"), ("2200K", "auto"))
    ]
    rows = table_rows(run_linux("--cores", "2", "--memory", "1G", "; ".join(commands)).rows)
    assert len(rows) == 6
    for row in rows:
        assert row["verified"]
        assert 22 < row["table_bytes"] / row["operations"] <= 24, row
        assert row["table_bytes"] < sum(row["placed"]) <= row["peak_bytes"] <= 1.3 * sum(row["placed"]), row


def test_each_layout_from_each_queue(tmp_path: Path) -> None:
    ways = [(layout, queue) for layout in LAYOUTS for queue in QUEUES]
    options = "--cores 4 --ops 50k --mix insert,find,erase --json"
    commands = "; ".join(f"bench table --layout {layout} --queue {queue} {options}" for layout, queue in ways)
    ended = run_mxk(tmp_path / "log", ["--cpus", "4", "--nodes", "2"], commands)
    rows = table_rows(ended.rows)
    assert [(row["layout"], row["queue"], row["mix"]) for row in rows] == [
        (*way, mix) for way in ways for mix in PHASES
    ]
    for row in rows:
        assert row["verified"] is True
        assert (row["submit"], row["notation"], row["walk"], row["dist"]) == ("task", "function", "whole", "uniform")
        assert row["buckets"] == {"chained": 5_000, "bucketed": 25_000}[row["layout"]]


def test_keys_by_zipfs_law(tmp_path: Path) -> None:
    mixes = ["insert,find,erase", "find", "erase", "mixed:50/30/20", "loaded:5/90/5"]
    runs = [(layout, mix, theta) for layout in LAYOUTS for mix in mixes for theta in ("0.99", "1.2")]
    runs = [run for run in runs if run[:2] != ("chained", "loaded:5/90/5")]  # is refused
    commands = "; ".join(
        f"bench table --layout {layout} --mix {mix} --dist zipf:{theta} --cores 2 --ops 20k --json"
        for layout, mix, theta in runs
    )
    commands += "; bench table --queue shared --dist zipf:0.99 --mix find --cores 2 --ops 20k --json"
    workloads = [("ycsb-a", "zipf:0.99"), ("ycsb-d", "latest"), ("ycsb-f", "hotset:0.2:0.8")]
    batches = [("open", name, dist) for name, dist in workloads]
    batches += [("bucketed --reads in-place", name, dist) for name, dist in workloads]
    for layout, name, distribution in batches:
        given = f" --dist {distribution}" * distribution.startswith("hotset")
        commands += (
            f"; bench table --layout {layout} --submit batch --workload {name}{given} --cores 2 --ops 20k --json"
        )
    rows = table_rows(run_mxk(tmp_path / "log", ["--cpus", "2"], commands).rows)
    expected = [(layout, phase, f"zipf:{theta}") for layout, mix, theta in runs for phase in mix.split(",")]
    expected.append(("chained", "find", "zipf:0.99"))
    expected += [(layout.split()[0], phase, dist) for layout, _, dist in batches for phase in ("load", "run")]
    assert [(row["layout"], row["mix"], row["dist"]) for row in rows] == expected
    assert all(row["verified"] for row in rows)
    assert [row["workload"] for row in rows if "workload" in row] == [name for _, name, _ in batches for _ in range(2)]
    assert [row["reads"] for row in rows if "reads" in row] == ["in-place"] * 6


def test_each_kind_of_keys_and_hash(tmp_path: Path) -> None:
    options = "--ops 20k --cores 1,2 --mix insert,find,erase --json"
    ways = [
        ("open", "sequential", "modulo"),
        ("open", "strided:64", "mixed"),
        ("cuckoo", "strided:64Ki", "modulo"),
        ("chained", "sequential", "modulo"),
        ("bucketed", "strided:3", "multiplicative"),
        ("chained", "random", "modulo"),
    ]
    commands = "; ".join(
        f"bench table --layout {layout} --keys {keys} --hash {hash_name} {options}" for layout, keys, hash_name in ways
    )
    commands += f"; bench table --layout open {options}"
    rows = table_rows(run_mxk(tmp_path / "log", ["--cpus", "2"], commands).rows)
    assert all(row["verified"] for row in rows)
    assert [(row["layout"], row["keys"], row["hash"], row["cores"], row["mix"]) for row in rows] == [
        (*way, cores, mix) for way in [*ways, ("open", "random", "mixed")] for cores in (1, 2) for mix in PHASES
    ]


def test_a_prefetch_distance_holds_for_its_run_only(tmp_path: Path) -> None:
    run = "bench table --layout bucketed --cores 2 --ops 20k --mix insert,find --json"
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], f"{run}; {run} --prefetch 16; {run} --prefetch 127; {run}")
    rows = table_rows(ended.rows)
    assert all(row["verified"] for row in rows)
    default, *wanted, again = [row["prefetch"] for row in rows[::2]]
    assert wanted == [16, 127]
    assert default == again
    assert (default == 0) == (rows[0]["machine"]["hypervisor"] == "TCGTCGTCGTCG")  # an emulator has no caches


def test_the_hint_of_prefetching_holds_for_its_run_only(tmp_path: Path) -> None:
    run = "bench table --layout bucketed --submit batch --cores 2 --ops 20k --mix insert,find --json"
    hints = ("t0", "t1", "nta", "t2")
    typed = "; ".join(f"{run} --prefetch-hint {hint}; {run}" for hint in hints)
    rows = table_rows(run_mxk(tmp_path / "log", ["--cpus", "2"], typed).rows)
    assert all(row["verified"] for row in rows)
    assert [row["prefetch_hint"] for row in rows[::2]] == [one for hint in hints for one in (hint, "t2")]


def test_the_plan_of_prefetching_is_the_same_at_each_start_and_stands_in_the_rows(tmp_path: Path) -> None:
    batch = "bench table --layout bucketed --submit batch --cores 2 --ops 20k --mix insert,find,erase --json"
    task = "bench table --layout bucketed --cores 2 --ops 20k --json"
    given = "prefetch --hint t1 --far 64 --near 4"
    typed = f"{batch}; {batch} --prefetch-near 8; {task} --prefetch-far 48; {given}; {batch}; {task}"
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], f"{typed}; prefetch --default; {batch}; {task}")
    rows = table_rows(ended.rows)
    assert all(row["verified"] for row in rows)
    begun = {"hint": "t2", "far": 32, "near": 0, "calibrated": False, "source": "default"}  # an emulator has no caches
    given = {"hint": "t1", "far": 64, "near": 4, "calibrated": False, "source": "given"}
    machines = [row["machine"]["prefetch"] for row in rows]
    assert machines == [begun] * 7 + [given] * 4 + [begun] * 4
    batches = [(row["prefetch_hint"], row["prefetch_near"]) for row in rows if row["submit"] == "batch"]
    assert batches == [("t2", 0)] * 3 + [("t2", 8)] * 3 + [("t1", 4)] * 3 + [("t2", 0)] * 3
    assert [row["prefetch"] for row in rows if row["submit"] == "task"] == [24, 32, 0]
    assert "prefetch: t1, 64 lines on their way, 32 tasks ahead, second stage 4 operations" in ended.output


def test_calibrating_measures_each_hint_and_says_what_came_of_it(tmp_path: Path) -> None:
    typed = "prefetch --calibrate --near 4; prefetch --calibrate --json; prefetch; prefetch --default --json"
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], typed, code=1)
    assert "--calibrate: expected no plan besides" in ended.output
    calibrated, default = [row for row in ended.rows if "prefetch" in row]
    found = calibrated["calibration"]
    assert calibrated["prefetch"]["calibrated"] == (found["rounds"] >= 3)
    assert all(len(found[hint]) == 4 and min(found[hint]) > 0 for hint in ("t0", "t1", "t2", "nta"))
    assert " inf" not in ended.output, "what was not measured is no number"
    assert default["prefetch"] == {"hint": "t2", "far": 32, "near": 0, "calibrated": False, "source": "default"}


def test_help_lists_the_combinations_and_each_of_them_runs(tmp_path: Path) -> None:
    listed = run_mxk(tmp_path / "help", ["--cpus", "1"], "help bench table").output
    lines = [line.strip() for line in listed.partition("Combinations:")[2].splitlines() if line.startswith("  --")]
    ways = [re.sub(r" \[.*\]", "", line).replace("COUNT", "1K") for line in lines]
    ways = [way.replace("mixed|modulo", word) for way in ways for word in ("mixed", "modulo")[: 1 + ("|" in way)]]
    assert len(ways) >= len(LAYOUTS) + len(MODELS)
    commands = [
        f"bench table {way} --cores {1 if '--locking none' in way else 2} --ops 20k --mix insert,find,erase --json"
        for way in ways
    ]
    # QEMU hands over no more than 4095 characters.
    half = len(commands) // 2
    rows = [
        row
        for part in (commands[:half], commands[half:])
        for row in table_rows(run_mxk(tmp_path / "log", ["--cpus", "2"], "; ".join(part)).rows)
    ]
    assert len(rows) == len(ways) * len(PHASES)
    assert all(row["verified"] or row["model"] == "threads-unsafe" for row in rows)


MODELS = ("tasks", "threads", "threads-unsafe")


def test_each_model_of_work(tmp_path: Path) -> None:
    commands = "; ".join(f"bench table --model {model} --cores 1,2 --ops 50k --json" for model in MODELS)
    rows = table_rows(run_mxk(tmp_path / "log", ["--cpus", "2"], commands).rows)
    assert [(row["model"], row["cores"]) for row in rows] == [(model, cores) for model in MODELS for cores in (1, 2)]
    for row in rows:
        assert row["verified"] is True or row["lost"] > 0
        assert ("lost" in row) == (row["model"] == "threads-unsafe")
        assert ("semaphore" in row) == (row["model"] == "threads")
        assert ("tasks_per_core" in row) == ("submit" in row) == (row["model"] == "tasks")


BAD_WAYS = [
    ("--mix bogus", "expected insert, find, erase, mixed:I/F/E or loaded:I/F/E"),
    ("--mix mixed:50/40/20", "three percentages that add up to 100"),
    ("--mix loaded:5/90/5", "--mix loaded: expected --layout bucketed, open, cuckoo, concurrent or concurrent-lines"),
    ("--cores 3", "expected up to 2, the cores of this machine, got 3"),
    ("--cores 1-", "--cores: expected counts such as 1,2,4, or a set such as 0-7"),
    ("--ops x", "expected a count such as 24M"),
    ("--opps 1M", "unknown option --opps"),
    ("--buckets 0", "expected"),
    ("--ops 3G", "out of memory"),
    ("--layout open --cores 2 --owners 1,4", "--owners: expected up to 2 cores in a run on 2, got 4"),
    ("--owners 1,2", "--owners: expected a table of partitions"),
    ("--model ants", "--model: expected one of tasks, shared, threads, threads-unsafe, got 'ants'"),
    ("--model threads --submit batch", "--submit: expected --model tasks or shared, got --model threads"),
    ("--model threads --layout cuckoo", "got --model threads --layout cuckoo"),
    ("--model threads-unsafe --layout open", "--model threads-unsafe: expected --layout chained"),
    (
        "--model threads-unsafe --semaphore fast",
        "--semaphore: expected --model threads and a table that has semaphores",
    ),
    ("--model threads --slice 9", "--slice: expected a count such as 24M (10 to 1000000), got '9'"),
    ("--slice 100", "--slice: expected --model threads, got --model tasks"),
    (
        "--layout oak",
        "--layout: expected one of chained, bucketed, open, cuckoo, concurrent, concurrent-lines, got 'oak'",
    ),
    ("--probe travel", "--probe: expected --layout open"),
    ("--submit thread", "--submit: expected one of task, batch, got 'thread'"),
    ("--notation prose", "--notation: expected one of function, coroutine, got 'prose'"),
    ("--walk backwards", "--walk: expected one of whole, interleaved, got 'backwards'"),
    ("--layout bucketed --walk interleaved", "--walk interleaved: expected --layout chained"),
    ("--reads in-place --layout bucketed", "--reads: expected --submit batch, got --submit task"),
    ("--reads in-place --submit batch --layout open", "--reads: expected --layout bucketed, which any core may read"),
    ("--reads travel --submit batch --layout cuckoo", "--reads: expected --layout bucketed, which any core may read"),
    ("--reads here --submit batch", "--reads: expected one of travel, in-place, auto, got 'here'"),
    ("--submit batch --notation coroutine", "--notation: expected --submit task"),
    ("--submit batch --prefetch 8 --layout bucketed", "--prefetch: expected --submit task, got --submit batch"),
    ("--submit batch --tasks-per-core 8", "--tasks-per-core: expected --submit task, got --submit batch"),
    ("--model threads --tasks-per-core 8", "--tasks-per-core: expected --model tasks or shared, got --model threads"),
    ("--prefetch-hint t2", "--prefetch-hint: expected --submit batch, or --prefetch with a number of tasks"),
    ("--prefetch-hint t9 --submit batch", "--prefetch-hint: expected one of t0, t1, t2, nta, got 't9'"),
    ("--prefetch-hint t0 --model threads", "--prefetch-hint: expected --model tasks or shared, got --model threads"),
    ("--rate 1M --latency", "--rate: expected --submit batch, got --submit task"),
    ("--rate 1M --submit batch", "--rate: expected --latency, too, which shows what came of it"),
    ("--rate 50% --model threads", "--rate: expected --model tasks, got --model threads"),
    ("--rate fast", "--rate: expected operations per second, such as 20M, or a share from 1% to 100%, got 'fast'"),
    ("--rate 0%", "got '0%'"),
    ("--max-latency 50 --latency", "--max-latency: expected --submit batch, got --submit task"),
    ("--max-latency 50 --submit batch", "--max-latency: expected --latency, too"),
    ("--max-latency 0", "--max-latency: expected a count such as 24M (1 to 1000000), got '0'"),
    ("--prefetch x", "--prefetch: expected a count"),
    ("--prefetch-far 1", "--prefetch-far: expected a count such as 24M (2 to 256), got '1'"),
    ("--prefetch-far 64 --submit batch", "--prefetch-far: expected --submit task, got --submit batch"),
    ("--prefetch-far 64 --model threads", "--prefetch-far: expected --model tasks or shared, got --model threads"),
    ("--prefetch-far 64 --prefetch 9", "--prefetch-far: expected no --prefetch besides, which is the same in tasks"),
    ("--prefetch-near 32", "--prefetch-near: expected a count such as 24M (0 to 31), got '32'"),
    ("--prefetch-near 8", "--prefetch-near: expected --submit batch, got --submit task"),
    ("--prefetch 129", "--prefetch: expected a count such as 24M (0 to 128), got '129'"),
    ("--queue mine", "--queue: expected one of shared, per-core, node-local, owner, got 'mine'"),
    ("--sweep auto", "--sweep: expected --mix find, whose instructions can be run again and again"),
    ("--sweep 1Ki --mix find", "--sweep: expected auto, or the bytes of the largest table, from 16Ki on"),
    ("--sweep 64Gi --mix find --layout bucketed", "--sweep: expected a table for which there is memory, got "),
    ("--sweep auto --mix find --queue shared", "--sweep: expected --queue per-core or node-local"),
    ("--sweep auto --mix find --layout open --initial-slots 9", "--sweep: expected a table that begins large enough"),
    ("--sweep auto --mix find --layout open --owners 1", "--sweep: expected no --rate and no --owners besides"),
    ("--threads-per-core 2", "--threads-per-core: expected --model threads, got --model tasks"),
    ("--model threads --threads-per-core 0", "--threads-per-core: expected a count such as 24M (1 to 256), got '0'"),
    ("--model threads --threads-per-core 2 --mix mixed:50/40/10", "which thread takes which instruction"),
    ("--slices wide", "--slices: expected one of lines, packed, got 'wide'"),
    ("--slices packed --queue shared", "--slices packed: expected --queue per-core, which has slices on one node"),
    ("--slices packed --queue node-local", "got --queue node-local"),
    ("--queue shared --mix mixed:50/40/10", "--queue shared: expected phases whose results do not depend on"),
    ("--queue shared --dist zipf:0.99", "with other keys than uniform only find), got --mix insert --dist zipf:0.99"),
    ("--workload ycsb-e", "got 'ycsb-e', which scans ranges of keys: a hash table has no order to scan in"),
    ("--workload a", "--workload: expected ycsb-a, ycsb-b, ycsb-c, ycsb-d or ycsb-f, got 'a'"),
    (
        "--workload ycsb-a",
        "--workload: expected --layout bucketed, open, cuckoo, concurrent or concurrent-lines, which keep values",
    ),
    ("--workload ycsb-a --mix find", "--workload: expected no --mix besides, since it has phases of its own"),
    ("--workload ycsb-c --queue shared", "--queue shared: expected no --workload"),
    ("--dist hotset:0.2", "hotset:KEYS:SHARE with two numbers between 0 and 1, such as hotset:0.2:0.8"),
    ("--queue shared --mix find,erase --dist zipf:1", "got --mix erase --dist zipf:1"),
    ("--dist zipf", "--dist: expected uniform, latest, zipf:THETA with THETA from 0.001 to 10, such as zipf:0.99"),
    ("--dist zipf:0", "got 'zipf:0'"),
    ("--dist zipf:11", "got 'zipf:11'"),
    (
        "--keys odd",
        "--keys: expected random, random:BITS (keys of 8 to 62 bits, which may come again), sequential",
    ),
    ("--keys strided:0", "got 'strided:0'"),
    ("--keys file:", "got 'file:'"),
    ("--keys strided:2000000G", "--keys strided:N: expected N of up to 1844674407370955, so that 10000 keys fit"),
    ("--keys file:/keys", "--keys file: the bare machine has no files; use the Linux program mxk for '/keys'"),
    ("--hash good", "--hash: expected one of mixed, modulo, multiplicative, got 'good'"),
    ("--hash mixed", "--hash mixed: expected modulo with --layout chained"),
    ("--layout bucketed --hash modulo", "--hash modulo: expected multiplicative with --layout bucketed"),
    ("--layout open --probe travel --hash mixed", "--hash mixed: expected modulo with --layout open"),
]


def test_bad_ways_say_what_is_expected_and_nothing_runs(tmp_path: Path) -> None:
    half = len(BAD_WAYS) // 2
    for number, bad_ways in enumerate((BAD_WAYS[:half], BAD_WAYS[half:])):  # all do not fit into one command line
        ways = [options if "--op" in options else f"{options} --ops 10k" for options, _ in bad_ways]
        commands = "; ".join(f"bench table {way} --json" for way in ways)
        ended = run_mxk(tmp_path / f"log{number}", ["--cpus", "2"], f"{commands}; topology", code=1)
        assert not [row for row in ended.rows if "benchmark" in row]
        assert "nodes 1" in ended.output, "the commands behind a failed one still run"
        complaints = [line for line in ended.output.splitlines() if line.startswith("error: ")]
        assert len(complaints) == len(bad_ways)
        for (options, expected), complaint in zip(bad_ways, complaints, strict=True):
            assert expected in complaint, options


def test_the_driver_keeps_and_shows_the_result() -> None:
    commands = "topology; bench table --cores 1,2 --ops 100k --json"
    ended = drive("bench", "--no-build", "--cpus", "2", "--mem", "512M", "--", commands, timeout=180)
    assert ended.code == 0, ended.complaint + ended.output
    folder = ended.results
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert [row["cores"] for row in table_rows(rows)] == [1, 2]
    assert b"mxk> topology" in (folder / "console.log").read_bytes()
    assert (folder / "command.txt").read_text().startswith("qemu-system-x86_64 ")
    assert "speed-up" in ended.output

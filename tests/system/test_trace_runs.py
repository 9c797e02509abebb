"""`bench table --trace`: a run comes to what `tools/mxk trace replay` finds, in both builds and by both loaders."""

import random
import shlex
from pathlib import Path
from typing import Any

import pytest

import ycsb_log
from helpers import Ended, run_linux, run_mxk
from mxk_host.runs.command import command_of
from mxk_host.runs.log import Found
from mxk_host.runs.point import points_of
from mxk_host.trace import binary, job, ycsb
from mxk_host.trace.operations import FIND, NAMES, WRITES_VALUE, Operations
from mxk_host.trace.replay import replay

BATCHES = "--layout open --submit batch"


def ycsb_trace(path: Path, workload: str, operations: int) -> Path:
    """Of a generated log, converted."""
    log = ycsb_log.write(path.with_suffix(".log"), operations, operations // 10, workload)
    path.write_bytes(binary.encode(ycsb.decode([log]).operations))
    return path


def random_trace(path: Path, kinds: int, operations: int = 3000) -> Path:
    """All operations, or only the first of them, on few keys, so that nearly every one depends on others."""
    draw = random.Random(3)
    drawn = [draw.randrange(kinds) for _ in range(operations)]
    keys = [draw.randrange(1, 50) for _ in drawn]
    values = [draw.getrandbits(64) if WRITES_VALUE[kind] else 0 for kind in drawn]
    path.write_bytes(binary.encode(Operations.of(drawn, keys, values)))
    return path


def expect_replayed(ended: Ended, trace: Path, rows: int) -> list[dict[str, Any]]:
    expected = replay(job.read(trace)).as_row()
    found = [row for row in ended.rows if row.get("benchmark") == "table"]
    assert len(found) == rows
    for row in found:
        assert row["verified"] is True
        assert row["mix"] == "trace"
        assert row["operations"] == expected["operations"]
        assert row["trace"] == expected
    return found


@pytest.mark.parametrize("workload", ["a", "d", "f"])
def test_a_trace_of_ycsb_in_the_linux_program(tmp_path: Path, workload: str) -> None:
    trace = ycsb_trace(tmp_path / "ycsb.trace", workload, 5000)
    ways = (BATCHES, "--layout bucketed", "--layout open --model threads", f"{BATCHES} --latency")
    commands = "; ".join(f"bench table --trace {trace} {way} --cores 1,2 --json" for way in ways)
    rows = expect_replayed(run_linux("--cores", "2", commands), trace, 2 * len(ways))
    assert rows[0]["trace_name"] == str(trace)
    assert rows[-1]["latency"]["count"] > 0


def test_every_operation(tmp_path: Path) -> None:
    trace = random_trace(tmp_path / "all.trace", len(NAMES))
    ways = (BATCHES, "--layout cuckoo --submit batch", f"{BATCHES} --initial-slots 16", "--layout bucketed")
    commands = "; ".join(f"bench table --trace {trace} {way} --cores 1,2,4 --repeat 2 --json" for way in ways)
    expect_replayed(run_linux("--cores", "4", commands), trace, 3 * len(ways))


def test_tables_of_keys_run_what_overwrites_nothing(tmp_path: Path) -> None:
    trace = random_trace(tmp_path / "keys.trace", 3)
    expect_replayed(run_linux("--cores", "2", f"bench table --trace {trace} --cores 1,2 --json"), trace, 2)


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize("boot", ["kernel", "iso"])
def test_a_trace_that_the_loader_brings(tmp_path: Path, boot: str) -> None:
    trace = ycsb_trace(tmp_path / "ycsb-a.trace", "a", 3000)
    command = f"bench table --trace {trace.name} {BATCHES} --cores 1,2 --json"
    shape = ["--cpus", "2", "--nodes", "2", "--boot", boot, "--trace", str(trace)]
    # Behind a table that wants much memory: the module's is not handed out.
    ended = run_mxk(
        tmp_path / "log", shape, f"bench table --ops 200K --cores 2; {command}; bench table --trace other", 1
    )
    expect_replayed(ended, trace, 2)
    assert "error: --trace: expected one of the loader's modules: 'ycsb-a.trace'; got 'other'" in ended.output


BAD_WAYS = [
    ("--ops 1M", "--trace: expected no --ops besides: a trace has its own operations and keys"),
    ("--mix find", "--trace: expected no --mix besides"),
    ("--keys sequential", "--trace: expected no --keys besides"),
    ("--dist zipf:0.99", "--trace: expected no --dist besides"),
    ("--seed 7", "--trace: expected no --seed besides"),
    ("--queue shared", "--trace: expected --queue node-local or per-core: from a shared queue operations on one key"),
    (
        "--layout chained",
        "--trace: expected --layout bucketed, open, cuckoo, concurrent or concurrent-lines without --probe travel,"
        " whose values can",
    ),
    (
        "--layout open --probe travel",
        "--trace: expected --layout bucketed, open, cuckoo, concurrent or concurrent-lines without --probe travel",
    ),
    (f"{BATCHES} --latency --rate 1M", "--rate: expected no --trace besides, whose operations are not shared equally"),
]


def test_bad_ways_say_what_is_expected(tmp_path: Path) -> None:
    trace = random_trace(tmp_path / "all.trace", len(NAMES))
    cut = tmp_path / "cut.trace"
    cut.write_bytes(trace.read_bytes()[:-1])
    cases = [(f"--trace {trace} {way}", complaint) for way, complaint in BAD_WAYS]
    cases.append((f"--trace {cut}", "--trace: offset 51031: expected 51032 bytes, for 3000 operations, got the end"))
    cases.append((f"--trace {tmp_path}/none", "--trace: cannot open: No such file or directory"))
    commands = "; ".join(f"bench table {way} --cores 1" for way, _ in cases)
    complaints = [line for line in run_linux(commands, code=1).output.splitlines() if line.startswith("error: ")]
    assert len(complaints) == len(cases)
    for (way, expected), complaint in zip(cases, complaints, strict=True):
        assert expected in complaint, way


def test_the_command_of_a_row_brings_the_trace(tmp_path: Path) -> None:
    trace = random_trace(tmp_path / "all.trace", len(NAMES), operations=100)
    ended = run_linux(f"bench table --trace {trace} --layout open --cores 1 --json")
    (point,) = points_of([Found(row, "") for row in ended.rows])
    program, command = shlex.split(command_of(point))
    assert program == "build/linux/mxk"
    expect_replayed(run_linux(command), trace, 1)


@pytest.mark.parametrize("peer", ["sharded-map", "mxk-table", "reference-prefetch"])
def test_peers_run_traces(tmp_path: Path, peer: str) -> None:
    trace = ycsb_trace(tmp_path / "ycsb.trace", "a", 3000)
    command = f"bench peer --peer {peer} --trace {trace} --cores 1,2 --json"
    rows = run_linux("--cores", "2", command, name="mxk-peers").rows
    if peer == "reference-prefetch":
        assert {row["reason"] for row in rows} == {"each core has its own keys, in its own slice"}
        return
    expected = replay(job.read(trace)).as_row()
    assert [(row["verified"], row["trace"]) for row in rows] == [(True, expected)] * 2


def test_a_trace_that_only_finds_needs_no_table_of_values(tmp_path: Path) -> None:
    trace = tmp_path / "finds.trace"
    trace.write_bytes(binary.encode(Operations.of([FIND] * 100, list(range(1, 101)), [0] * 100)))
    expect_replayed(run_linux("--cores", "8", f"bench table --trace {trace} --cores 8 --buckets 1 --json"), trace, 1)

"""`bench memory`, `lines`, `tlb` and `noise` in QEMU and, where it is built, in the Linux program: a row for each
cell, their self-check, what is skipped and what is refused."""

import json
import re
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from helpers import LINUX_BUILD, Console, interrupt_linux, linux_program, run_linux, run_mxk, stop_for, wait_for_work

PROGRAM = LINUX_BUILD / "mxk"
KIB = 1024
FEW = "--loads 20k --repeat 2 --json"
MEMORY = f"bench memory --max 32Ki --set 256Ki {FEW}"
LINES = "bench lines --trips 100 --passes 5 --limit 30000 --repeat 2 --json"
TLB = f"bench tlb --max 4Mi {FEW}"
TRANSFERS = ("read", "write", "copy", "write-streaming")
SETS = [count * KIB for count in (4, 6, 8, 12, 16, 24, 32)]

in_qemu = pytest.mark.usefixtures("images")
on_linux = pytest.mark.skipif(not PROGRAM.exists(), reason=f"needs {PROGRAM}: make linux")


def of(rows: list[dict[str, Any]], measure: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["measure"] == measure]


def expect_sound(rows: list[dict[str, Any]], runs: int = 2) -> None:
    """Each row is verified, and its numbers hold together."""
    for row in rows:
        assert row["verified"] is True, row
        names = {"nanoseconds", "bytes_per_second"} & row.keys()
        assert names
        for spread in (row[name] for name in names):
            assert spread["n"] == runs
            floor = 0 if row.get("load") == 0 else 1e-3
            assert floor <= spread["min"] <= spread["median"] <= spread["max"], row


def expect_memory(rows: list[dict[str, Any]], nodes: int) -> None:
    expect_sound(rows)
    assert {row["benchmark"] for row in rows} == {"memory"}
    assert [row["bytes"] for row in of(rows, "latency")] == SETS
    assert all((row["core"], row["memory_node"]) == (0, 0) for row in of(rows, "latency"))
    pairs = list(product(range(nodes), repeat=2))
    for measure in ("latency-matrix", *TRANSFERS):
        cells = of(rows, measure)
        assert [(row["core_node"], row["memory_node"]) for row in cells] == pairs
        assert all((row["slit"] == 10) == (row["core_node"] == row["memory_node"]) for row in cells)
    for row in (row for measure in TRANSFERS for row in of(rows, measure)):
        assert row["moved_bytes"] >= 20_000 * 64 * (2 if row["measure"] == "copy" else 1)
    assert [row["load"] for row in of(rows, "loaded-latency")] == [0, 0.125, 0.25, 0.5, 0.75, 1]
    assert [row["bytes_per_second"]["median"] > 0 for row in of(rows, "loaded-latency")] == [False] + 5 * [True]
    assert [row["chains"] for row in of(rows, "chains")] == [1, 2, 4, 8, 16, 32]
    assert [row["distance"] for row in of(rows, "prefetch")] == [0, 1, 2, 4, 8, 16, 32, 64]
    assert all(row["bytes"] == 256 * KIB for measure in ("chains", "prefetch") for row in of(rows, measure))


def expect_lines(rows: list[dict[str, Any]], cores: int) -> None:
    expect_sound(rows)
    pairs = list(product(range(cores), repeat=2))
    for measure in ("round-trip", "atomic-owned", "atomic-shared", "atomic-remote"):
        cells = [(row["from"], row["to"]) for row in of(rows, measure)]
        assert cells == [(a, b) for a, b in pairs if (a == b) == (measure == "atomic-owned")]
    assert {row["count"] for row in of(rows, "round-trip")} == {100}
    assert {row["count"] for row in rows if row["measure"] != "round-trip"} == {5 * 128}


def expect_pages(rows: list[dict[str, Any]], page_bytes: int, counts: list[int]) -> None:
    expect_sound(rows)
    measured = [row for row in rows if row["page_bytes"] == page_bytes]
    assert [row["pages"] for row in measured] == counts
    assert [row["bytes"] for row in measured] == [count * page_bytes for count in counts]


MIXES = ["read", "3:1", "2:1", "1:1", "streamed"]
RANDOM = "--set 256Ki --loads 20k --repeat 1 --json"  # one run: what a row says of it belongs together


def expect_random(rows: list[dict[str, Any]], cores: list[int]) -> None:
    """What is moved counts what a line that is added to costs the memory: it is read, and written back."""
    expect_sound(rows, runs=1)
    assert [(row["mix"], row["cores"]) for row in rows] == list(product(MIXES, cores))
    for row in rows:
        moved = {"3:1": 4 / 3, "2:1": 3 / 2, "1:1": 2}.get(row["mix"], 1)
        assert row["moved_bytes"] / row["cores"] / 64 / moved == pytest.approx(20_000, rel=0.5)
        assert row["lines_per_second"] * 64 * moved == pytest.approx(row["bytes_per_second"]["median"], rel=0.5)
        assert (row["measure"], row["bytes"]) == ("random", 256 * KIB)


SMALL_PAGES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024]


@in_qemu
def test_rows_of_a_machine_with_two_nodes(tmp_path: Path) -> None:
    shape = ["--cpus", "4", "--nodes", "2"]
    ended = run_mxk(tmp_path / "log", shape, f"{MEMORY}; {LINES}; {TLB}")
    by_name = {name: [row for row in ended.rows if row["benchmark"] == name] for name in ("memory", "lines", "tlb")}
    expect_memory(by_name["memory"], nodes=2)
    expect_lines(by_name["lines"], cores=4)
    expect_pages(by_name["tlb"], 4 * KIB, SMALL_PAGES)
    expect_pages(by_name["tlb"], 2 * KIB * KIB, [1, 2])
    assert ended.output.count("\nemulated: shows function, not the hardware") == 7  # a line for each table
    assert "cores\\memory        0        1\n" in ended.output
    assert "     from\\to        0        1        2        3\n" in ended.output
    assert "skipped: pages of 1 GiB: one is more than --max" in ended.output
    assert all(row["machine"]["hypervisor"] == "TCGTCGTCGTCG" for row in ended.rows)


@in_qemu
def test_without_sizes_an_emulated_machine_measures_small_sets(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], "bench memory --part latency --loads 1000 --repeat 1 --json")
    assert ended.rows[-1]["bytes"] == 16 * KIB * KIB
    assert "sets of up to 16Mi bytes, so that it takes seconds\n" in ended.output


@in_qemu
def test_one_core_has_no_other_to_share_with(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "1"], f"{LINES}; bench memory --part loaded --set 64Ki {FEW}")
    expect_sound(ended.rows)
    assert [(row["measure"], row.get("load")) for row in ended.rows] == [("atomic-owned", None), ("loaded-latency", 0)]
    for measure in ("round-trip", "atomic-shared", "atomic-remote"):
        assert f"skipped: {measure}: needs two cores\n" in ended.output
    assert "skipped: loads above 0: needs another core of core 0's node\n" in ended.output


@in_qemu
def test_a_node_without_memory_has_no_column(tmp_path: Path) -> None:
    shape = ["--cpus", "3", "--nodes", "2", "--memoryless-node"]
    rows = run_mxk(tmp_path / "log", shape, f"bench memory --part matrix --set 64Ki {FEW}").rows
    expect_sound(rows)
    pairs = [(row["core_node"], row["memory_node"]) for row in of(rows, "latency-matrix")]
    assert pairs == list(product(range(3), range(2))), "the third node has no memory"
    assert len(rows) == 5 * len(pairs)


@in_qemu
def test_a_table_is_not_placed_on_a_node_without_memory(tmp_path: Path) -> None:
    shape = ["--cpus", "3", "--nodes", "2", "--memoryless-node"]
    table = "bench table --ops 1K --cores 1 --mix insert --json"
    ended = run_mxk(tmp_path / "log", shape, f"{table} --memory node:2; {table} --memory node:1; {table}", code=1)
    assert "--memory node:N: expected a node that has memory, got 2" in ended.output
    placed = [row["placed"] for row in ended.rows]
    assert len(placed) == 2, "the one that cannot be kept has no row"
    assert placed[0][1] > 0 == placed[0][2], placed


@in_qemu
def test_memory_that_leaves_none_for_page_tables_is_skipped_with_a_reason(tmp_path: Path) -> None:
    def free_frames(console: Console) -> int:
        found = re.search(r"^ +0 +\d+ +\d+ +(\d+)", console.run("memory --zones"), re.MULTILINE)
        assert found
        return int(found[1])

    # All that is free but some 440 KiB is one block. All but 470; the tables of so many pages of 4 KiB take more.
    with Console(tmp_path / "log", more=["--tests", "--mem", "256M"]) as console:
        free = free_frames(console)
        said = console.run(f"bench tlb --max {free * 4 * KIB - 470 * KIB} --repeat 1 --loads 1000")
        reason = r"skipped: pages of 4 KiB: out of memory: no frame for a page table \(\d+ of \d+ bytes are mapped\)"
        assert re.search(reason, said)
        assert free_frames(console) > free - 128, "page tables stay, the memory went back"
        assert "yes" in console.run("bench tlb --max 64Ki --repeat 1 --loads 1000")
        assert console.leave() == 0


@in_qemu
def test_what_cannot_be_is_refused_with_what_was_expected(tmp_path: Path) -> None:
    wrong = {
        "memory --cores 7": "--cores: expected a core from 0 to 1, those of this machine, got 7",
        "memory --cores 0,1": "--cores: expected one core, got 2",
        "memory --node 3": "--node: expected a node from 0 to 0, those of this machine, got 3",
        "memory --part latency,all": "--part: expected one of latency, matrix, loaded, overlap, random, curves, got",
        "memory --part matrix --max 1K": "--max: expected",
        "memory --part random --node 3": "--node: expected a node from 0 to 0, those of this machine, got 3",
        "memory --part random --cores 3": "--cores: expected up to 2, the cores of this machine, got 3",
        "memory --cores node:0": "--cores: expected one core, got 2",
        "lines --cores 1,2": "--cores: expected one set of cores, got 2",
        "lines --cores 1 --measure round-trip": "--cores: expected two cores or more for these measures, got one",
        "tlb --cores 0,1": "--cores: expected one core, got 2",
    }
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], "; ".join(f"bench {words}" for words in wrong), code=1)
    for words, complaint in wrong.items():
        assert f"error: {complaint}" in ended.after(f"bench {words}"), words


@on_linux
def test_the_linux_program_gives_the_same_rows() -> None:
    shape = ("--cores", "4", "--nodes", "2")
    expect_memory(run_linux(*shape, MEMORY).rows, nodes=2)
    expect_lines(run_linux(*shape, LINES).rows, cores=4)
    ended = run_linux(*shape, TLB)
    expect_pages(ended.rows, 4 * KIB, SMALL_PAGES)
    large = [row for row in ended.rows if row["page_bytes"] > 4 * KIB]
    assert large or "skipped: pages of 2 MiB: " in ended.output


def expect_homes(rows: list[dict[str, Any]]) -> None:
    """Of three cores on as many nodes, read by one, in the memory of each; what cannot be has a reason."""
    of_node = {row["memory_node"] for row in rows if row["memory"] == "third"}
    assert of_node == {0, 1, 2}
    for row in rows:
        nodes = {"own": [row["to"]], "other": [row["from"]]}
        third = [node for node in range(3) if node not in (row["from"], row["to"])]
        assert [row["memory_node"]] == nodes.get(row["memory"], third)
    expect_sound(rows)
    assert len(rows) == 3 * 3 * 6
    assert {row["count"] for row in rows} == {5 * 128}


READS = "read-modified,read-exclusive,read-shared"


@on_linux
def test_lines_by_state_and_by_where_they_lie() -> None:
    command = f"{LINES} --measure {READS} --memory own,other,third"
    expect_homes(run_linux("--cores", "3", "--nodes", "3", command).rows)
    ended = run_linux("--cores", "2", "--nodes", "1", command)
    assert "skipped: read-shared: needs three cores\n" in ended.output
    reasons = {row["memory"]: (row["memory_node"], row.get("reason")) for row in ended.rows}
    one_node = "both cores are on one node, or it has no memory"
    assert reasons == {"own": (0, None), "other": (None, one_node), "third": (None, "no third node has memory")}


@in_qemu
def test_random_lines_in_the_kernel(tmp_path: Path) -> None:
    shape = ["--cpus", "3", "--nodes", "2"]
    ended = run_mxk(tmp_path / "log", shape, f"bench memory --part random --cores 2,3 {RANDOM}")
    expect_random(ended.rows, [2, 3])
    hints = {(row["hint"], row["distance"]) for row in of(ended.rows, "random") if row["mix"] == "streamed"}
    assert hints == {("none", 0)}


@on_linux
@pytest.mark.skipif(not (LINUX_BUILD / "mxk-peers").exists(), reason="needs mxk-peers: make linux")
def test_random_lines_of_the_linux_program_and_of_its_peer() -> None:
    ended = run_linux("--cores", "2", f"bench memory --part random --cores 1,2 {RANDOM}", name="mxk-peers")
    expect_random(ended.rows, [1, 2])
    ended = run_linux("--cores", "2", f"bench memory-random-peer --cores 1,2 {RANDOM}", name="mxk-peers")
    expect_random(ended.rows, [1, 2])
    assert {(row["benchmark"], row["peer"]) for row in ended.rows} == {("memory-random-peer", "plain-loop")}


@on_linux
def test_noise_is_what_takes_a_core_away() -> None:
    with subprocess.Popen(
        [linux_program(), "--cores", "2", "bench noise --seconds 2 --repeat 1 --json"],
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("noise: 2 cores")
        wait_for_work(program.pid, threads=2, seconds=0.2)  # its cores watch
        assert stop_for(program.pid, 0.2)
        output, _ = program.communicate(timeout=30)
    rows = [json.loads(line) for line in output.splitlines() if line.startswith('{"')]
    assert [(row["measure"], row["core"], row["seconds"]) for row in rows] == [("gaps", 0, 2), ("gaps", 1, 2)]
    for row in rows:
        assert row["verified"]
        assert row["nanoseconds"]["median"] > 190e6
        assert row["lost_share"] > 0.09
        assert row["quiet"] is False
        gaps = {gap["from_ns"]: gap["count"] for gap in row["gaps"]}
        assert gaps[131_072_000] >= 1
        assert sum(gaps.values()) == pytest.approx(row["gaps_per_second"] * 2, rel=0.1)
    assert re.search(r"gaps, by us:.* 131072\+: \d", output)


@on_linux
def test_cores_that_share_processors_come_to_an_end() -> None:
    # The limit is that of a host with other work, where a thread may wait for its processor for tens of milliseconds.
    ended = run_linux("--cores", "4", "bench lines --measure round-trip --trips 20k --limit 250 --repeat 1 --json")
    assert len(ended.rows) == 4 * 3
    assert all(row["verified"] for row in ended.rows)
    shared = [row for row in ended.rows if row["long_waits"] * 10 > row["count"] or row["missing"] > 0]
    for row in shared:
        assert f"round-trip from core {row['from']} to core {row['to']}: " in ended.output


@on_linux
def test_less_memory_than_wanted_is_said() -> None:
    small = ("--cores", "1", "--memory", "64M")
    ended = run_linux(*small, "bench memory --part latency --max 1Gi --loads 1000 --repeat 1 --json")
    assert ended.rows[-1]["bytes"] == 32 * KIB * KIB
    assert "sets up to 32 MiB: node 0 has no 1 GiB of free memory in one piece\n" in ended.output


@on_linux
@pytest.mark.parametrize(
    "command",
    [
        "memory --part latency",
        "memory --part loaded",
        "memory --part overlap",
        "memory --part random",
        "memory --part curves",
        "noise --seconds 60",
        "lines",
        "tlb",
    ],
)
def test_ctrl_c_ends_each_benchmark(command: str) -> None:
    first_line = {
        "memory --part latency": "memory latency",
        "memory --part loaded": "loaded",
        "memory --part overlap": "overlapping",
        "memory --part random": "random",
        "memory --part curves": "loaded",
        "noise --seconds 60": "noise",
    }.get(command, command)
    output = interrupt_linux(f"bench {command} --repeat 1000", first_line, "--cores", "2")
    assert "error: interrupted by Ctrl-C" in output


@on_linux
@pytest.mark.skipif(not (LINUX_BUILD / "mxk-peers").exists(), reason="needs mxk-peers: make linux")
def test_the_peer_measures_the_same_sets() -> None:
    ended = run_linux("--cores", "2", f"bench memory-peer --cores 1 --max 32Ki {FEW}", name="mxk-peers")
    expect_sound(ended.rows)
    assert [row["bytes"] for row in ended.rows] == SETS
    assert all((row["benchmark"], row["peer"], row["core"]) == ("memory-peer", "chase", 1) for row in ended.rows)
    refused = run_linux("--cores", "2", "bench memory-peer --cores 2", name="mxk-peers", code=1)
    assert "error: --cores: expected a core from 0 to 1, those of this machine, got 2" in refused.output

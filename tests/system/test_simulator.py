"""The simulator itself: the kernel's own benchmarks, in QEMU 10 with the plugin, measure what the machine's file says,
to 3 %. What they do not measure, hand-over of a lock and false sharing, is part of the unit tests of the model."""

from pathlib import Path
from typing import Any

import pytest

from helpers import HAS_QEMU10, Ended, drive
from mxk_host.simulate.machine_file import read_machine
from mxk_host.simulate.result_file import NAME, read_document, result_of

pytestmark = [
    pytest.mark.skipif(not HAS_QEMU10, reason="no QEMU 10: tools/setup machines"),
    pytest.mark.usefixtures("images"),
]
MACHINE = "test-2x2"  # 1 GHz: a cycle is a nanosecond
SECTIONS = read_machine(MACHINE, None).sections
LATENCY = SECTIONS["memory"]["latency_ns"][0][0]
STAIRCASE = "bench memory --part latency --max 2Mi --repeat 1 --json"
# Eight times the L3: of the run before so little is left in it that few loads find their line.
OVERLAP = "bench memory --part overlap --set 8Mi --loads 1 --repeat 1 --json"
REST = f"bench memory --part matrix --set 4Mi --loads 1 --repeat 1 --json; {OVERLAP}; bench lines --repeat 1 --json"


def about(expected: object) -> object:
    return pytest.approx(expected, rel=0.03)


def simulate(commands: str, *machine: str) -> Ended:
    ended = drive("simulate", *(machine or ("--machine", MACHINE)), "--no-build", "--", commands, timeout=240)
    assert ended.code == 0, ended.output + ended.complaint
    assert all(row["verified"] for row in ended.rows)
    return ended


def simulated(commands: str, *machine: str) -> list[dict[str, Any]]:
    return simulate(commands, *machine).rows


def nanoseconds(rows: list[dict[str, Any]], measure: str, *names: str) -> dict[Any, float]:
    """Of the rows of a measure, by these settings."""
    mine = [row for row in rows if row["measure"] == measure]
    return {
        tuple(row[name] for name in names) if len(names) > 1 else row[names[0]]: row["nanoseconds"]["median"]
        for row in mine
    }


@pytest.mark.long(reason="caches are simulated load by load")
def test_latencies_are_those_of_the_machine_and_the_same_in_every_run() -> None:
    measured = nanoseconds(simulated(STAIRCASE), "latency", "bytes")
    expected = {
        8 << 10: SECTIONS["l1"]["latency_cycles"],
        64 << 10: SECTIONS["l2"]["latency_cycles"],
        512 << 10: SECTIONS["l3"]["latency_cycles"],
        2 << 20: LATENCY,
    }
    assert {size: measured[size] for size in expected} == about(expected)
    assert nanoseconds(simulated(STAIRCASE), "latency", "bytes") == measured


@pytest.mark.long(reason="caches are simulated load by load")
def test_nodes_overlapping_loads_and_shared_lines_cost_what_the_machine_says() -> None:
    rows = simulated(REST)
    matrix = nanoseconds(rows, "latency-matrix", "core_node", "memory_node")
    assert matrix == about({(a, b): SECTIONS["memory"]["latency_ns"][a][b] for a in (0, 1) for b in (0, 1)})

    buffers = SECTIONS["core"]["line_fill_buffers"]
    chains = nanoseconds(rows, "chains", "chains")
    assert chains == about({count: LATENCY / min(count, buffers) for count in chains})
    prefetched = nanoseconds(rows, "prefetch", "distance")
    by_itself = prefetched[1]  # as long as without a prefetch: it is asked for when it is loaded
    assert by_itself == about(prefetched[0])
    for distance in (2, 4, 8):
        assert prefetched[distance] == about(by_itself / distance)
    for distance in (16, 32, 64):
        assert prefetched[distance] == about(LATENCY / buffers), "behind the knee"

    transfer = SECTIONS["coherence"]["transfer_cross_node_cycles"][0]
    invalidate = SECTIONS["coherence"]["invalidate_cycles"][0]
    near, far = (0, 1), (0, 2)  # cores of one node, and of two
    # Each core takes the line from the other one; in its own node it has asked while that took the right to write it.
    trips = nanoseconds(rows, "round-trip", "from", "to")
    looks = 4 * SECTIONS["l1"]["latency_cycles"]  # that find what the other one has written, and those before
    assert trips[near] == about(2 * (transfer[0] / 2 + invalidate[0]) + looks)
    assert trips[far] == about(2 * (transfer[1] + invalidate[1]) + looks / 2)
    remote = nanoseconds(rows, "atomic-remote", "from", "to")
    shared = nanoseconds(rows, "atomic-shared", "from", "to")
    assert remote[far] - remote[near] == about(transfer[1] - transfer[0])
    assert remote[near] - shared[near] == about(transfer[0] - invalidate[0])
    assert remote[far] - shared[far] == about(transfer[1] - invalidate[1])


@pytest.mark.long(reason="caches are simulated load by load")
def test_loads_that_overlap_saturate_a_channel(tmp_path: Path) -> None:
    slow = tmp_path / "slow.toml"
    text = read_machine(MACHINE, None).path.read_text()
    wide, narrow = "channel_bytes_per_second = 6_400_000_000", "channel_bytes_per_second = 2_560_000_000"
    assert wide in text
    slow.write_text(text.replace(wide, narrow))  # a line in 25 cycles: as fast as four misses at a time
    chains = nanoseconds(simulated(OVERLAP, "--machine-file", str(slow)), "chains", "chains")
    assert {count: chains[count] for count in (1, 2, 8, 16, 32)} == about({1: 100, 2: 50, 8: 25, 16: 25, 32: 25})


PAIR = "bench lines --cores {} --measure {} --repeat 1 --json"


def changed(commands: str, *changes: str) -> list[dict[str, Any]]:
    options = [word for change in changes for word in ("--change", change)]
    return simulated(commands, "--machine", MACHINE, *options)


@pytest.mark.long(reason="lines are simulated trip by trip")
def test_l3s_of_a_node_and_lines_that_migrate_cost_what_the_machine_says() -> None:
    far = ("l3.cores=1", "coherence.transfer_other_l3_cycles=150", "coherence.invalidate_other_l3_cycles=80")
    rows = changed(PAIR.format("0-1", "atomic-owned,atomic-shared,atomic-remote"), *far)
    owned, shared, remote = (
        nanoseconds(rows, f"atomic-{measure}", "from", "to") for measure in ("owned", "shared", "remote")
    )
    l1 = SECTIONS["l1"]["latency_cycles"]
    assert remote[0, 1] - owned[0, 0] == about(150 - l1)
    assert shared[0, 1] - owned[0, 0] == about(80 - l1)

    transfer = SECTIONS["coherence"]["transfer_same_l3_cycles"]
    trips = nanoseconds(changed(PAIR.format("0-1", "round-trip"), "coherence.migratory=1"), "round-trip", "from", "to")
    # No way to the directory for the right to write; and a waiter for the line has only half of the way left.
    assert transfer < trips[0, 1] < 2 * transfer


@pytest.mark.long(reason="lines are simulated trip by trip")
def test_threads_of_a_core_share_its_caches() -> None:
    rows = simulated(PAIR.format("node:0", "atomic-owned,atomic-remote"), "--machine", MACHINE, "--smt")
    owned, remote = (nanoseconds(rows, f"atomic-{measure}", "from", "to") for measure in ("owned", "remote"))
    # The kernel numbers the first thread of each core first.
    assert owned[0, 0] <= remote[0, 4] < 1.3 * owned[0, 0], "the other thread, which waits, takes part of the width"
    assert remote[0, 1] > 2 * owned[0, 0]


@pytest.mark.long(reason="caches are simulated load by load")
def test_refreshes_cost_what_the_machine_says() -> None:
    chain = "bench memory --part latency --max 2Mi --loads 20K --repeat 1 --json"
    interval, refresh = 2000, 400
    dram = ("memory.banks=32", f"memory.refresh_interval_ns={interval}", f"memory.refresh_ns={refresh}")
    with_dram = nanoseconds(changed(chain, "memory.channels=1", *dram), "latency", "bytes")[2 << 20]
    # An interval has as many loads as begin outside of its refresh, at whose end the next one begins.
    assert with_dram == about(interval / ((interval - refresh) / LATENCY))


def check_sampled(inserts: str, *machine: str, max_modelled: float, max_error: float) -> None:
    """It is as near to the whole run as it says, and the same every time."""
    where = ("--machine", MACHINE, *machine)
    (whole,) = simulated(inserts, *where)
    sampled = [simulated(inserts, *where, "--sample", "0.1")[0] for _ in range(2)]
    assert sampled[0]["throughput"] == sampled[1]["throughput"]
    said = sampled[0]["simulated"]
    assert said == sampled[1]["simulated"]
    assert 0.08 < said["modelled"] < max_modelled
    assert 0.01 <= said["error"] < max_error
    off = sampled[0]["throughput"]["median"] / whole["throughput"]["median"] - 1
    assert off != 0, "all was modelled"
    assert abs(off) <= said["error"]


def test_a_sampled_run_is_as_near_to_a_whole_one_as_it_says_and_the_same_every_time() -> None:
    inserts = "bench table --cores 4 --ops 30K --repeat 1 --warm-up 0 --json"
    check_sampled(inserts, max_modelled=0.25, max_error=0.15)


def test_a_sampled_run_waits_for_memory_as_a_whole_one() -> None:
    narrow = ("--change", "memory.channels=1", "--change", "memory.channel_bytes_per_second=2000000000")
    inserts = "bench table --layout bucketed --submit batch --cores 4 --ops 100K --repeat 1 --warm-up 0 --json"
    # Wrong by 0.47 if memory were not modelled again behind a gap. What is stated depends on the build: 0.16, 0.3.
    check_sampled(inserts, *narrow, max_modelled=0.35, max_error=0.45)


@pytest.mark.long(reason="caches are simulated load by load")
def test_benchmarks_without_parts_of_their_own_are_measured_as_a_whole() -> None:
    commands = (
        "bench task --measure local --ops 10K",
        "bench rcu-read --cores 1 --ms 1 --kind qsbr",
        "bench list --cores 1 --ms 1 --kind rcu",
        "bench resize --cores 1 --ms 1 --keys 1000 --layout concurrent",
        "bench dataflow mix --cores 1 --discipline requests --requests 1x1 --rows 64",
    )
    ended = simulate("; ".join(f"{command} --repeat 1 --warm-up 0 --json" for command in commands))
    assert {row["benchmark"] for row in ended.rows} == {"task", "rcu-read", "list", "resize", "dataflow mix"}
    result = result_of(read_document(ended.results / NAME))
    assert len(result.regions) == len(commands)

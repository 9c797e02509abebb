"""`bench thread`, `bench semaphore` and their peers, in QEMU and in the Linux programs: rows and their self-check."""

from pathlib import Path
from typing import Any

import pytest

from helpers import interrupt_linux, run_linux, run_mxk

THREAD = "--yields 2k --switches 20 --wakes 20 --repeat 2 --json"
SEMAPHORE = "--ops 5k --yields 2k --trips 200 --threads 3 --repeat 2 --json"
COMMANDS = f"bench thread {THREAD}; bench semaphore {SEMAPHORE}"
PEERS = f"bench thread-peer {THREAD}; bench semaphore-peer {SEMAPHORE}"

LATENCIES = {"wake", "wake-across", "preempt", "ping-pong", "ping-pong-across"}
COUNTS = {
    **dict.fromkeys(("wake", "wake-across", "preempt"), 20),
    **dict.fromkeys(("ping-pong", "ping-pong-across"), 200),
    **dict.fromkeys(("uncontended", "crowd", "crowd-across"), 5000),
}
FOUND = {
    "preempt": {"turn_us"},
    "uncontended": {"yield_pair", "of_yield_pair"},
    "crowd": {"fairness"},
    "crowd-across": {"fairness"},
}
MEASURES = {
    "thread": {"yield", "wake", "wake-across", "preempt"},
    "semaphore": {"uncontended", "ping-pong", "ping-pong-across", "crowd", "crowd-across"},
}
ACROSS = {"wake-across", "ping-pong-across", "crowd-across"}
BY_PEER = {
    ("thread-peer", "sched-yield"): {"yield", "preempt"},
    ("thread-peer", "futex"): {"wake", "wake-across"},
    ("thread-peer", "sem-t"): {"wake", "wake-across"},
    ("thread-peer", "std-semaphore"): {"wake", "wake-across"},
    ("semaphore-peer", "futex"): {"ping-pong", "ping-pong-across"},
    ("semaphore-peer", "sem-t"): MEASURES["semaphore"],
    ("semaphore-peer", "std-semaphore"): MEASURES["semaphore"],
}


def expect_sound(rows: list[dict[str, Any]], pair: list[int]) -> None:
    """Each row holds together, and was taken on these cores, or on the first of them."""
    for row in rows:
        measure, spread = row["measure"], row["cycles"]
        assert row["verified"] is True
        assert row["cores"] == (pair if measure in ACROSS else pair[:1])
        assert spread["n"] == 2
        assert 0 < spread["min"] <= spread["median"] <= spread["max"]
        assert row["nanoseconds"] == pytest.approx(spread["median"] * 1e9 / row["machine"]["tsc_hz"], rel=1e-6)
        assert ("p99" in row) == (measure in LATENCIES)
        if measure == "yield":  # 1000 of the leader; of both, no fewer than one in ten were switches
            assert row["count"] >= 100
        else:
            assert row["count"] == COUNTS[measure]
        assert FOUND.get(measure, set()) <= row.keys()
        if "fairness" in row:
            assert row["threads"] == 3
            assert 0 <= row["fairness"] <= 1
        if "yield_pair" in row:
            assert 0 < row["of_yield_pair"] <= 3  # what docs/bench-thread.md promises


def expect_all(rows: list[dict[str, Any]], pair: list[int]) -> None:
    """Both benchmarks have every measure that needs no more than these cores."""
    expect_sound(rows, pair)
    measured = {name: [row["measure"] for row in rows if row["benchmark"] == name] for name in MEASURES}
    for name, measures in MEASURES.items():
        assert sorted(measured[name]) == sorted(measures - (ACROSS if len(pair) == 1 else set()))
    for row in rows:
        assert row["slice_us"] == (50 if row["measure"] == "preempt" else 1000)
        assert row.get("semaphore") == ("fast" if row["benchmark"] == "semaphore" else None)


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize("cpus", [1, 2])
def test_rows_of_each_machine(tmp_path: Path, cpus: int) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", str(cpus)], COMMANDS)
    expect_all(ended.rows, list(range(cpus)))
    assert ("skipped: wake-across: needs two cores" in ended.output) == (cpus == 1)


@pytest.mark.usefixtures("images")
def test_every_operation_through_the_kernel(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], f"bench semaphore --semaphore syscall {SEMAPHORE}")
    expect_sound(ended.rows, [0, 1])
    assert {row["semaphore"] for row in ended.rows} == {"syscall"}


@pytest.mark.parametrize("cores", [1, 2])
def test_the_linux_program_gives_the_same_rows(cores: int) -> None:
    ended = run_linux("--cores", str(cores), COMMANDS)
    expect_all(ended.rows, list(range(cores)))
    assert ("skipped: wake-across: needs two cores" in ended.output) == (cores == 1)


def test_cores_that_share_processors_make_progress() -> None:
    for pair in ([0, 1], [0, 2], [7, 3]):
        where = f"--cores {pair[0]},{pair[1]}"
        commands = f"bench thread {THREAD} {where}; bench semaphore {SEMAPHORE} {where}"
        expect_all(run_linux("--cores", "8", commands).rows, pair)


def test_every_peer_is_verified() -> None:
    rows = run_linux("--cores", "2", PEERS, name="mxk-peers").rows
    expect_sound(rows, [0, 1])
    measured: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        measured.setdefault((row["benchmark"], row["peer"]), set()).add(row["measure"])
        assert "glibc" in row["library"]
        assert "slice_us" not in row, "a peer's slices are the system's"
    assert measured == BY_PEER


def test_wrong_options_say_what_was_expected() -> None:
    for command, complaint in (
        ("bench thread --measure crowd", "--measure: expected one of yield, wake, wake-across, preempt, got 'crowd'"),
        ("bench thread --slice 9", "10"),
        ("bench semaphore --semaphore syscall", "--semaphore: expected a kind that this build has, got syscall"),
        ("bench semaphore --measure crowd-across", "--measure crowd-across: needs two cores"),
    ):
        output = run_linux("--cores", "1", command, code=1).output
        assert "error: " in output
        assert complaint in output
    output = run_linux("bench semaphore-peer --peer sem", name="mxk-peers", code=1).output
    assert "unknown peer 'sem'; did you mean sem-t?" in output


@pytest.mark.parametrize(
    "benchmark",
    [
        "thread --measure yield --yields 1G",
        "thread --measure preempt --switches 1M",
        "thread --measure wake --wakes 1M --repeat 1000",
        "thread --measure wake-across --wakes 1M",
        "semaphore --measure uncontended --ops 4G",
        "semaphore --measure ping-pong --trips 10M --repeat 1000",
        "semaphore --measure ping-pong-across --trips 10M --repeat 1000",
        "semaphore --measure crowd --ops 4G",
        "semaphore --measure crowd-across --ops 4G",
    ],
)
def test_ctrl_c_ends_each_measure(benchmark: str) -> None:
    output = interrupt_linux(f"bench {benchmark}", "cycles ", "--cores", "2")
    assert "error: interrupted by Ctrl-C" in output

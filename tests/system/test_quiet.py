"""What the host does to a run of the Linux program is told with its row: a stop by a signal, another processor than the
core's, a process that wants the same processor. What a clean run is called: tests/kernel/bench_frame_test.cpp."""

import functools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from helpers import linux_program, run_linux, stop_for

COMMAND = "bench table --ops 8M --cores {cores} --warm-up 0 --json"


EVENTS = {
    *("cycles", "instructions", "l2_misses", "l3_misses", "remote_lines", "branch_misses"),
    *("page_faults", "switches", "migrations"),
}


def test_what_is_counted_is_told_or_why_it_is_not() -> None:
    command = "bench table --layout bucketed --submit batch --mix insert,find --ops 200K --cores 1,2 --repeat 3 --json"
    rows = run_linux(f"{command} --counters; bench memory --part random --set 1Mi --cores 1 --counters --json").rows
    assert {row["counters"]["per"] for row in rows} == {"operation", "line of 64 bytes"}
    for row in rows:
        counters = row["counters"]
        assert set(counters) == EVENTS | {"per", "not_counted"}
        absent = {event for event in EVENTS if counters[event] is None}
        assert bool(absent) == (counters["not_counted"] is not None)
        for event in absent:
            name = event.replace("_", " ").replace("l2", "L2").replace("l3", "L3")
            assert name in counters["not_counted"], event
        assert absent & {"page_faults", "switches", "migrations"} in (set(), {"switches", "migrations"})
        assert 0 <= counters["page_faults"] < 1, "the table was touched before"
        if counters["instructions"] is not None:
            assert counters["instructions"] > 1
            assert counters["cycles"] > 1
    assert "counters" not in run_linux(command).rows[0]


RATE = "bench table --layout bucketed --submit batch --mix find --latency --cores 1 --ops 2M --warm-up 0 --json --rate "


def row_of(cores: int, disturb: Callable[[int], None], command: str = COMMAND) -> dict[str, Any]:
    """The row of a run that this, which is given the process' number, disturbs once it has begun."""
    start = [linux_program(), command.format(cores=cores)]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
        try:
            assert program.stdout is not None
            while not program.stdout.readline().startswith("table: "):
                assert program.poll() is None
            disturb(program.pid)
            output, _ = program.communicate(timeout=120)
        finally:
            program.kill()
    (row,) = [json.loads(line) for line in output.splitlines() if line.startswith('{"')]
    return row


def test_a_stop_by_a_signal_is_told() -> None:
    def stop(process: int) -> None:
        while stop_for(process, 0.05):  # before the run, in it and behind it
            time.sleep(0.05)

    row = row_of(1, stop)
    assert row["quiet"] is False
    stops = row["conditions"]["stopped"]
    assert stops >= 2
    assert f"{stops} times stopped by a signal" in row["not_quiet"]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a disturbed run needs two processors")
def test_cores_that_are_moved_to_one_processor_are_told() -> None:
    first = min(os.sched_getaffinity(0))

    def move(process: int) -> None:
        for thread in Path(f"/proc/{process}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {first})

    row = row_of(2, move)
    assert row["quiet"] is False
    assert row["conditions"]["moved"] >= 1
    assert "on another processor than the core's" in row["not_quiet"]
    assert row["conditions"]["waited"] > 0.1


@contextmanager
def busy_loop(processor: int, what: str = "pass", nice: int = 0) -> Iterator[None]:
    """A process that never leaves this processor to another one."""
    code = (
        f"import os, subprocess\nos.sched_setaffinity(0, {{{processor}}})\nos.nice({nice})\n"
        f"print(flush=True)\nwhile True: {what}"
    )
    # A group of its own, with what it starts.
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True) as loop:
        try:
            assert loop.stdout is not None
            loop.stdout.readline()
            yield
        finally:
            os.killpg(loop.pid, signal.SIGKILL)


# What wants the same processor, and how nice it is.
COMPILE = 'subprocess.run(["g++", "-O2", "-fsyntax-only", "-x", "c++", "-"], input=b"#include <regex>\\n", check=True)'
WANTS = {
    "loop": ("pass", 0),
    "compiler": (COMPILE, 10),
    "memory": ("bytearray(1 << 28)", 0),
}


@pytest.mark.long(reason="a loop beside it takes a processor")
def test_a_process_that_wants_the_same_processor_is_told() -> None:
    check_told("loop")


def check_told(name: str) -> None:
    what, nice = WANTS[name]
    with busy_loop(min(os.sched_getaffinity(0)), what, nice):
        row = row_of(1, lambda _: None)
    assert row["quiet"] is False
    assert row["conditions"]["waited"] > 0.01
    assert "% of the time a core had no processor" in row["not_quiet"]


PLANTS: dict[str, Callable[[], None]] = {
    "stop": test_a_stop_by_a_signal_is_told,
    "taskset": test_cores_that_are_moved_to_one_processor_are_told,
    **{name: functools.partial(check_told, name) for name in WANTS},
}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a disturbed run needs two processors")
@pytest.mark.parametrize("name", PLANTS)
@pytest.mark.long(reason="ten runs of each by make test-long, none of which may be called quiet")
def test_what_disturbs_is_told_every_time(name: str) -> None:
    for _ in range(10 if os.environ.get("MXK_LONG_TESTS") else 1):
        PLANTS[name]()


def test_a_rate_that_is_not_reached_has_no_latency() -> None:
    row = row_of(1, lambda _: None, f"{RATE} 900M")
    assert row["served"] is False
    assert row["runs_served"] == 0
    assert row["reached"] < 0.99 * row["offered"] == 0.99 * 900e6
    assert not [key for key in row if key.startswith(("latency", "host_pause"))]
    ended = run_linux(f"{RATE} 900M".replace("--json ", ""))
    assert re.search(r"offered 900\.000 M ops/s, reached [\d.]+: not served, so there is no latency", ended.output)
    assert "p99" not in ended.output


def test_latency_is_told_with_and_without_the_time_that_the_host_had() -> None:
    with busy_loop(min(os.sched_getaffinity(0))):
        row = row_of(1, lambda _: None, f"{RATE} 200K".replace("--ops 2M", "--ops 400K"))
    assert row["served"] is True
    assert row["host_pauses"] > 10
    assert row["host_pause_ms"] > 100
    every, rest = row["latency"], row["latency_without_host"]
    assert rest["count"] < every["count"]
    assert every["p99_ns"] > 1_000_000, "the scheduler gives the other process milliseconds"
    assert rest["p99_ns"] < every["p99_ns"]


def test_a_share_is_of_what_the_machine_could_do_before_and_after() -> None:
    row = row_of(1, lambda _: None, f"{RATE} 5%")
    assert row["offered"] == pytest.approx(0.05 * row["max_speed"])
    changed = abs(row["max_speed_after"] / row["max_speed"] - 1)
    assert row["served"] is (changed <= 0.1 and row["reached"] >= 0.99 * row["offered"])
    assert ("latency" in row) is row["served"]

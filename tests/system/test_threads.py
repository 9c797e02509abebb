"""Threads as a person sees them: in the background of the console, and with tasks for a while."""

import re
import time
from pathlib import Path

import pytest

from helpers import Console, run_mxk

pytestmark = pytest.mark.usefixtures("images")

SLICES = (1000, 2000, 4000)


def run_times(console: Console) -> dict[int, float]:
    """Milliseconds that each of the threads of `spin` has had, by its slice."""
    found = re.findall(r"spin (\d+) us +1 \w+ +\d+ +([\d.]+)", console.run("threads"))
    return {int(slice_): float(run) for slice_, run in found}


def test_threads_run_behind_the_console(tmp_path: Path) -> None:
    with Console(tmp_path / "log", cpus=2) as console:
        console.run(f"spin --seconds 4 --core 1 --slices {','.join(map(str, SLICES))}")
        time.sleep(2)  # as a person who looks on
        seen = run_times(console)
        assert set(seen) == set(SLICES)
        for slice_ in SLICES:
            share = seen[slice_] / sum(seen.values())
            assert share == pytest.approx(slice_ / sum(SLICES), rel=0.1), "shares are as the slices are"
        deadline = time.monotonic() + 20
        while run_times(console) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert run_times(console) == {}, "they end when their time is over"
        assert console.leave() == 0


BAD_SPINS = ("--core 2", "--slices 9", "--seconds 0", "--slices -1000")


def test_spin_says_what_it_expects(tmp_path: Path) -> None:
    commands = "; ".join(f"spin {options}" for options in BAD_SPINS)
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], commands, code=1)
    complaints = [line for line in ended.output.splitlines() if line.startswith("error: ")]
    assert len(complaints) == len(BAD_SPINS)
    assert all("expected" in complaint for complaint in complaints)


def used_mebibytes(output: str) -> list[float]:
    """What node 0 has given out, each time that `memory` was asked."""
    return [float(used) for used in re.findall(r"(?m)^ +0 +[\d.]+ +([\d.]+) +[\d.]+ +[\d.]+\s*$", output)]


def test_stacks_go_back_to_the_node(tmp_path: Path) -> None:
    commands = "memory; soak --threads 10K --seconds 1; memory; spin --slices 1000 --seconds 1; memory"
    ended = run_mxk(tmp_path / "log", ["--cpus", "2", "--mem", "128M"], commands, code=1)
    assert re.search(r"soak: 10000 threads, .*: [1-9]\d* failed checks", ended.output), "more than there is memory for"
    before, after, at_last = used_mebibytes(ended.output)
    assert before < 2
    assert after < 10, "4 MiB of stacks are kept, page tables and pools stay; all but those came back"
    assert at_last < 10
    assert "error:" not in ended.output, "there is room for a thread again"


@pytest.mark.long(reason="ten seconds of all emulated cores")
def test_threads_and_tasks_together_for_ten_seconds(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "4", "--nodes", "2"], "soak --seconds 10")
    assert "soak: 64 threads, 10 s, seed 1: 0 failed checks" in ended.output

"""Threads as a person sees them: in the background of the console, and with tasks for a while."""

import re
import time
from pathlib import Path

import pexpect
import pytest

from helpers import DRIVER, AtPrompt, run_mxk

pytestmark = pytest.mark.usefixtures("images")

SLICES = (1000, 2000, 4000)


class Console(AtPrompt):
    """A kernel with two cores at its prompt."""

    def __init__(self, log: Path) -> None:
        options = ["--no-build", "--cpus", "2", "--mem", "512M", "--timeout", "60", "--log", str(log)]
        self.child = pexpect.spawn(DRIVER, ["run", *options], encoding="utf-8", timeout=30, dimensions=(24, 200))
        self.child.delaybeforesend = 0.02
        self.expect_prompt()

    def run(self, command: str) -> str:
        """What the command printed."""
        self.child.send(command + "\r")
        self.child.expect(r"\n")  # the edited line ends here
        self.expect_prompt()
        return self.child.before

    def run_times(self) -> dict[int, float]:
        """Milliseconds that each of the threads of `spin` has had, by its slice."""
        found = re.findall(r"spin (\d+) us +1 \w+ +\d+ +([\d.]+)", self.run("threads"))
        return {int(slice_): float(run) for slice_, run in found}


def test_threads_run_behind_the_console(tmp_path: Path) -> None:
    console = Console(tmp_path / "log")
    console.run(f"spin --seconds 4 --core 1 --slices {','.join(map(str, SLICES))}")
    time.sleep(2)  # as a person who looks on
    seen = console.run_times()
    assert set(seen) == set(SLICES)
    for slice_ in SLICES:
        share = seen[slice_] / sum(seen.values())
        assert share == pytest.approx(slice_ / sum(SLICES), rel=0.1), "shares are as the slices are"
    deadline = time.monotonic() + 20
    while console.run_times() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert console.run_times() == {}, "they end when their time is over"
    console.child.send("exit\r")
    console.child.expect(pexpect.EOF)
    console.child.close()
    assert console.child.exitstatus == 0


@pytest.mark.parametrize("options", ["--core 2", "--slices 9", "--seconds 0", "--slices -1000"])
def test_spin_says_what_it_expects(tmp_path: Path, options: str) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], f"spin {options}", code=1)
    assert "expected" in ended.output


def test_threads_and_tasks_together_for_twenty_seconds(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "4", "--nodes", "2"], "soak --seconds 20")
    assert "soak: 64 threads, 20 s, seed 1: 0 failed checks" in ended.output

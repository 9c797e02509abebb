"""Starts mxk-mpi, the locks over MPI, by the starter of one of the implementations."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.image import ROOT
from mxk_host.mpi import Mpi, check_ranks, kept_environment


@dataclass(frozen=True)
class MpiRun:
    """What is run, by whom, and on how many ranks."""

    mpi: Mpi
    ranks: int
    nodes: int
    commands: str
    folder: Path = ROOT / "build/linux"  # with the programs
    osc: str | None = None
    region: int | None = None  # KiB

    def check(self) -> None:
        """Raises where this cannot be run."""
        check_ranks(self.ranks)
        if self.nodes < 1 or self.ranks % self.nodes != 0:
            raise UsageError(f"expected --nodes to divide the {self.ranks} ranks, got {self.nodes}")
        if not self.commands.strip():
            raise UsageError("expected commands, such as 'gate --sections 200'; 'list' names the locks")
        if self.osc is not None and self.mpi is not Mpi.OPENMPI:
            raise UsageError("expected --mpi openmpi with --osc, a parameter of Open MPI")
        self.mpi.check(self.program, "mpi")

    @property
    def program(self) -> Path:
        """The program for this implementation."""
        return self.folder / f"mxk-mpi-{self.mpi}"

    @property
    def line(self) -> list[str]:
        """The starter's arguments."""
        component = ["--mca", "osc", self.osc] if self.osc is not None else []
        region = ["--region", str(self.region)] if self.region is not None else []
        asked = ["--nodes", str(self.nodes), *region, self.commands]
        return [
            self.mpi.starter,
            *self.mpi.starter_options,
            *component,
            "-n",
            str(self.ranks),
            str(self.program),
            *asked,
        ]


def run(job: MpiRun, timeout: float) -> None:
    """Runs it to its end, with the ranks' output as it comes. Raises unless all holds."""
    job.check()
    status = run_group(job.line, kept_environment(), timeout)
    if status == ExitCode.SUCCESS:
        return
    reason: dict[int, str] = {
        ExitCode.COMMAND_FAILED: "something does not hold",
        ExitCode.USAGE: "wrong usage",
        ExitCode.TIMEOUT: "a lock hangs",
    }
    if status is None:
        raise DriverError(f"the run took longer than {timeout:g} s: {shlex.join(job.line)}", ExitCode.TIMEOUT)
    said = reason.get(status, f"the run ended with status {status}")
    raise DriverError(f"{said}: {shlex.join(job.line)}", status if status in reason else ExitCode.NO_VERDICT)


def run_group(line: Sequence[str], environment: dict[str, str], timeout: float) -> int | None:
    """The exit status, or None where time was over. The starter and its ranks are a group of processes, which is ended
    with it: a starter that is killed leaves its ranks behind."""
    sys.stdout.flush()
    with subprocess.Popen(line, env=environment, stdin=subprocess.DEVNULL, start_new_session=True) as starter:
        try:
            return starter.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            end_group(starter)


def end_group(starter: "subprocess.Popen[bytes]") -> None:
    """Ends what is left of the group, first as a person would."""
    for number, seconds in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        if starter.poll() is not None:
            return
        os.killpg(starter.pid, number)
        try:
            starter.wait(seconds)
        except subprocess.TimeoutExpired:
            continue

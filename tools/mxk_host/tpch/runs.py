"""Queries by MXK: as a Linux program, or by the kernel in QEMU, which brings the column file as a module."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mxk_host import image
from mxk_host.commands import command_text
from mxk_host.errors import DriverError, ExitCode, UsageError, signal_name
from mxk_host.jobs import Job
from mxk_host.machine import Accelerator, Boot, Firmware
from mxk_host.qemu import Machine
from mxk_host.results import judge_rows
from mxk_host.rounds import Ran, run
from mxk_host.shape import Shape
from mxk_host.stream import Row
from mxk_host.verdict import judge

PROGRAM = "mxk"


@dataclass(frozen=True)
class Run:
    """What `bench query` says of one query: how long it took, and the rows that it came to."""

    query: str
    seconds: float
    result: object


@dataclass(frozen=True)
class LinuxProgram:
    """MXK as a Linux program. Each query is a process of its own."""

    folder: Path  # with the program
    memory: str  # of its nodes, such as 8G
    timeout: float  # seconds for each process
    log: Path  # of the last process

    def expect_built(self) -> None:
        """Raises where it is not."""
        if not self._program.is_file():
            raise UsageError(f"expected the program {self._program}: make linux builds it first")

    def run(self, query: str, cores: int, column_file: Path) -> Run:
        """Runs the query once, on so many cores."""
        command = _command(query, shlex.quote(str(column_file)), cores)
        line = [str(self._program), "--cores", str(cores), "--memory", self.memory, "--", command]
        ran = run(line, self.log, self.timeout)
        if (status := ran.outcome.status) != 0:
            raise DriverError(f"{_ending(status)}: {shlex.join(line)}{_end_of(ran, self.log)}", ExitCode.COMMAND_FAILED)
        return _one(query, _runs(ran.rows), shlex.join(line))

    @property
    def _program(self) -> Path:
        return self.folder / PROGRAM


@dataclass(frozen=True)
class Kernel:
    """MXK in QEMU. All queries are run by one boot."""

    cores: int
    memory: str
    accelerator: Accelerator
    timeout: float  # seconds
    log: Path  # of the serial line

    def run(self, queries: Sequence[str], column_file: Path) -> list[Run]:
        """Runs the queries one after the other, on all cores."""
        if column_file.stat().st_size > image.MAX_MODULE_BYTES:
            raise UsageError(
                f"expected a scale whose column file a loader can bring, of up to {image.MAX_MODULE_BYTES:,} bytes, "
                f"got {column_file.stat().st_size:,}"
            )
        shape = Shape.checked(self.cores, 1, self.memory)
        machine = Machine(shape, Boot.KERNEL, Firmware.BIOS, self.accelerator, module=column_file)
        commands = [_command(query, column_file.name, self.cores) for query in queries]
        line = Job(machine, command_text(["; ".join(commands)])).qemu_line(image.image_path(Boot.KERNEL))
        ran = run(line, self.log, self.timeout)
        verdict = judge(ran.outcome, self.timeout)
        if verdict.code is not ExitCode.SUCCESS:
            raise DriverError(f"{verdict.reason}: {shlex.join(line)}{_end_of(ran, self.log)}", verdict.code)
        found = _runs(ran.rows)
        return [_one(query, [run for run in found if run.query == query], shlex.join(line)) for query in queries]


def _command(query: str, column_file: str, cores: int) -> str:
    return f"bench query {query} --data {column_file} --cores {cores} --repeat 1 --warm-up 1 --json"


def _runs(rows: Sequence[Row]) -> list[Run]:
    found = [row for row in rows if str(row.get("benchmark")).startswith("query ")]
    verdict = judge_rows(found)
    if verdict.code is not ExitCode.SUCCESS:
        raise DriverError(verdict.reason, verdict.code)
    return [Run(row["query"], float(row["seconds"]), row.get("result")) for row in found]


def _one(query: str, runs: Sequence[Run], said: str) -> Run:
    if [run.query for run in runs] != [query]:
        names = ", ".join(run.query for run in runs) or "none"
        raise DriverError(f"expected one row of {query}, got {names}: {said}", ExitCode.COMMAND_FAILED)
    return runs[0]


def _ending(status: int | None) -> str:
    if status is None:
        return "ran too long"
    return f"ended by {signal_name(-status)}" if status < 0 else f"exit status {status}"


def _end_of(ran: Ran, log: Path) -> str:
    """An error that the console has printed."""
    error = ran.line_with("error: ")
    return f": {error}" if error else f" (log: {image.shown(log)})"

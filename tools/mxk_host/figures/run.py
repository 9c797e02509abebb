"""Runs what a figure needs, as Linux programs and in QEMU, and gives its rows."""

import shlex
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from mxk_host.commands import command_text
from mxk_host.errors import DriverError, ExitCode
from mxk_host.figures.plan import Figure, Side, Throughputs
from mxk_host.image import image_path
from mxk_host.jobs import Job
from mxk_host.machine import Accelerator, Boot, Firmware
from mxk_host.order import balanced_order
from mxk_host.qemu import Machine
from mxk_host.runner import run_captured
from mxk_host.shape import Shape
from mxk_host.stream import Line, Row, SerialStream, json_row
from mxk_host.verdict import judge

# What the tables of so many keys take, and the instructions.
_MEMORY_PER_OPERATION = 128
_MIN_MEMORY = 1 << 30


@dataclass(frozen=True)
class Settings:
    """How a figure is measured."""

    programs: Path  # the folder with mxk and mxk-peers
    cores: tuple[int, ...]
    operations: int | None  # None: the thesis'
    kernel_operations: int | None  # in the kernel
    rounds: int
    nodes: int  # of the kernel's machine
    accelerator: Accelerator
    timeout: float  # seconds for each process
    logs: Path

    @property
    def emulated(self) -> bool:
        """Whether the kernel's figures say nothing of speed."""
        return self.accelerator is Accelerator.TCG

    def options(self, side: Side) -> str:
        """What all benchmarks of this side are told."""
        operations = self.kernel_operations if side is Side.KERNEL else self.operations
        cores = ",".join(map(str, self.cores))
        return f"--cores {cores}{f' --ops {operations}' if operations else ''} --json"


def run_program(settings: Settings, side: Side, command: str) -> list[Row]:
    """The rows of a console command, obeyed by a program or by the kernel. Raises if it fails."""
    line = _kernel_line(settings, command) if side is Side.KERNEL else _program_line(settings, side, command)
    rows: list[Row] = []
    stream = SerialStream()

    def read(data: bytes) -> None:
        lines = (part.text for part in stream.feed(data) if isinstance(part, Line))
        rows.extend(row for text in lines if (row := json_row(text)) is not None)

    log = settings.logs / f"{side}-{len(list(settings.logs.glob('*.log')))}.log"
    outcome = run_captured(line, log, settings.timeout, read)
    said = f"{shlex.join(line)} (log: {log})"
    if side is Side.KERNEL:
        verdict = judge(outcome, settings.timeout)
        if verdict.code is not ExitCode.SUCCESS:
            raise DriverError(f"{verdict.reason}: {said}", verdict.code)
    elif outcome.status != 0:
        how = "ran too long" if outcome.status is None else f"exit status {outcome.status}"
        raise DriverError(f"{how}: {said}", ExitCode.COMMAND_FAILED)
    return rows


def run_figure(settings: Settings, figure: Figure, announce: Callable[[int, str], None]) -> list[Row]:
    """All curves in every round, in a new order each; a row for each curve and number of cores."""
    values: dict[tuple[str, int], list[float]] = defaultdict(list)
    first: dict[tuple[str, int], Row] = {}
    for number in range(1, settings.rounds + 1):
        for curve in balanced_order(figure.curves, number):
            announce(number, f"figure {figure.number}, {curve.name}")
            command = f"bench {curve.benchmark} --mix insert {settings.options(curve.side)}"
            for row in run_program(settings, curve.side, command):
                key = curve.name, row["cores"]
                values[key].append(row["throughput"]["median"])
                first.setdefault(key, row)
    return [_row(figure, curve, cores, first[curve, cores], found) for (curve, cores), found in values.items()]


def medians(rows: Sequence[Row]) -> Throughputs:
    """What the statements are judged by."""
    return Throughputs({(row["series"], row["cores"]): row["throughput"]["median"] for row in rows})


def _row(figure: Figure, curve: str, cores: int, row: Row, values: Sequence[float]) -> Row:
    throughput = {
        "n": len(values),
        "median": median(values),
        "min": min(values),
        "max": max(values),
        "mean": mean(values),
    }
    subject = {"figure": figure.number, "title": figure.title, "series": curve}
    return row | subject | {"cores": cores, "throughput": throughput}


def _program_line(settings: Settings, side: Side, command: str) -> list[str]:
    program = settings.programs / ("mxk-peers" if side is Side.PEERS else "mxk")
    return [str(program), "--cores", str(max(settings.cores)), command]


def _kernel_line(settings: Settings, command: str) -> list[str]:
    operations = settings.kernel_operations or 24_000_000
    memory = max(_MIN_MEMORY, operations * _MEMORY_PER_OPERATION)
    cores = max(settings.cores)
    shape = Shape.checked(cores, min(settings.nodes, cores), f"{memory >> 20}M")
    machine = Machine(shape, Boot.KERNEL, Firmware.BIOS, settings.accelerator, ())
    return Job(machine, command_text([command])).qemu_line(image_path(Boot.KERNEL))

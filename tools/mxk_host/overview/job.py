"""The job of `tools/mxk overview`: runs every step, shows how far it is and how long it will take, keeps the rows, and
ends with the numbers that matter and the page."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from mxk_host import image, results
from mxk_host.errors import DriverError, ExitCode
from mxk_host.jobs import EMULATED
from mxk_host.machine import QEMU, Boot, expect_installed
from mxk_host.overview.plan import BYTES_PER_OPERATION, NUMBERS, OPERATIONS, STEPS, Step
from mxk_host.programs import Programs, Side
from mxk_host.report import job as report
from mxk_host.stream import Row

_KERNEL_CORES = 4


def core_counts(cores: int) -> list[int]:
    """1, 2, 4 and so on, and all."""
    return [count for count in (1 << i for i in range(cores.bit_length())) if count < cores] + [cores]


def fitting_operations(memory: int) -> int:
    """As many as there is memory for; half of it stays free."""
    return min(OPERATIONS, memory // 2 // BYTES_PER_OPERATION)


def available_memory() -> int:
    """Bytes that the machine has for programs."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise DriverError("expected /proc/meminfo to have a line MemAvailable", ExitCode.USAGE)


def overview(programs: Programs, operations: int | None) -> None:
    """Measures everything once. `operations`: None: as many as there is memory for, up to 24M."""
    console = Console(stderr=True)
    expect_installed(QEMU)
    image.build(Boot.KERNEL)
    if operations is None:
        operations = fitting_operations(available_memory())
        if operations < OPERATIONS:
            console.print(f"{operations:,} operations, for which there is memory, in place of {OPERATIONS:,}")
    estimate = sum(step.estimate(operations) for step in STEPS)
    console.print(f"{len(STEPS)} steps, about {round(estimate)} seconds on two cores")
    rows = _run(programs, operations, console, estimate)
    results.store(programs.logs, rows)
    verdict = results.judge_rows([row for row in rows if "benchmark" in row])  # the others describe
    out = Console()
    out.print(_numbers(rows))
    if programs.emulated:
        out.print(f"kernel: {EMULATED}")
    report.report([str(programs.logs)], output=None, pdf=False)
    if verdict.code is not ExitCode.SUCCESS:
        raise DriverError(verdict.reason, verdict.code)


def _run(programs: Programs, operations: int, console: Console, estimate: float) -> list[Row]:
    """All steps; the bar stands by what their estimates say."""
    cores = os.cpu_count() or 1
    rows: list[Row] = []
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(20), TimeElapsedColumn(), TextColumn("{task.fields[left]}"),
        console=console, transient=True, refresh_per_second=1,  # what measures needs the processors
    )  # fmt: skip
    task = bar.add_task("", total=estimate, left="")
    done = 0.0
    started = time.monotonic()
    with bar:
        for number, step in enumerate(STEPS, 1):
            elapsed = time.monotonic() - started
            slower = elapsed / done if done else 1.0
            left = f"about {round((estimate - done) * slower)} s left"
            bar.update(task, completed=done, description=f"{number}/{len(STEPS)} {step.name}", left=left)
            if not console.is_terminal:
                console.print(f"{number}/{len(STEPS)} {step.name}, {left}", highlight=False, soft_wrap=True)
            rows += _rows_of(programs, step, cores, operations)
            done += step.estimate(operations)
    return rows


def _rows_of(programs: Programs, step: Step, cores: int, operations: int) -> list[Row]:
    if step.side is Side.KERNEL:
        cores = _KERNEL_CORES
    counts = ",".join(map(str, core_counts(cores)))
    # As much memory as a table has, so that a small look stays small.
    working_set = min(1 << 30, max(16 << 20, 1 << (operations * 32).bit_length()))
    command = step.command.format(ops=operations, working_set=working_set, counts=counts, cores=cores)
    rows = programs.rows(step.side, command, cores)
    return [row | {"side": step.side} for row in rows]


def _numbers(rows: Sequence[Row]) -> Table:
    drawn = Table(show_header=False)
    drawn.add_column()
    drawn.add_column(justify="right")
    for number in NUMBERS:
        drawn.add_row(number.name, number.value(rows) or "not measured")
    return drawn

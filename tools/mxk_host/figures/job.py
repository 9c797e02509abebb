"""The job of `tools/mxk figure`: says how long it will take, measures, judges, keeps the rows and shows what holds."""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from mxk_host import image, results
from mxk_host.errors import UsageError
from mxk_host.figures.markdown import HOLDS
from mxk_host.figures.plan import FIGURES, OF_ONE_PROGRAM, THESIS_CORES, THESIS_OPERATIONS, Figure, Statement
from mxk_host.figures.run import Settings, medians, run_figure
from mxk_host.machine import Boot
from mxk_host.programs import Side
from mxk_host.progress import RoundsProgress
from mxk_host.stream import Row

NUMBERS = (*OF_ONE_PROGRAM, *FIGURES)
_TRIAL = 1_000_000


def choose(numbers: Sequence[str]) -> tuple[str, ...]:
    """Which figures; all, where none is named."""
    if unknown := [number for number in numbers if number not in NUMBERS]:
        raise UsageError(f"expected numbers of figures out of {', '.join(NUMBERS)}; got {', '.join(unknown)}")
    return tuple(number for number in NUMBERS if number in numbers) if numbers else NUMBERS


def thesis_cores() -> tuple[int, ...]:
    """Those of the thesis' machine that this one has."""
    return tuple(cores for cores in THESIS_CORES if cores <= (os.cpu_count() or 1))


def measure(settings: Settings, numbers: Sequence[str], sides: Sequence[Side], folder: Path) -> list[Row]:
    """Measures the figures, keeps their rows in `folder`, and shows what the thesis says beside what was found."""
    console = Console()
    if Side.KERNEL in sides or any(FIGURES[number].compares_builds for number in numbers if number in FIGURES):
        image.build(Boot.KERNEL)
    _say_how_long(console, settings, numbers, sides)
    rows: list[Row] = []
    with RoundsProgress(_plan(settings, numbers, sides)) as progress:
        for number in numbers:
            rows += _rows_of(settings, number, sides, progress)
            results.store(folder, rows)
    console.print(_table(rows))
    if settings.programs.emulated:
        console.print("kernel: emulated, says nothing of speed")
    console.print(f"results: {image.shown(folder)}", soft_wrap=True, highlight=False)
    return rows


def _rows_of(settings: Settings, number: str, sides: Sequence[Side], progress: RoundsProgress) -> list[Row]:
    if number in FIGURES:
        figure = FIGURES[number]
        rows = run_figure(settings, figure, progress.announce)
        return rows + [_judged(figure, statement, rows, settings) for statement in figure.statements]
    rows = []
    for side in sides:
        progress.announce(1, _name(number, side))
        command = f"bench figure {number} --repeat {settings.rounds} {settings.options(side)}"
        rows += [row | {"side": side} for row in settings.run(side, command)]
    return rows


def _judged(figure: Figure, statement: Statement, rows: Sequence[Row], settings: Settings) -> Row:
    value = statement.value(medians(rows))
    holds = statement.holds(value)
    measured = "needs other cores" if value is None else f"{value:.2f}"
    if figure.compares_builds and settings.programs.emulated:
        measured, holds = f"{measured} (emulated kernel)", None
    return {
        "benchmark": "figure",
        "figure": figure.number,
        "title": figure.title,
        "statement": statement.says,
        "wanted": f"{statement.low:.2f} to {statement.high:.2f}",
        "measured": measured,
        "holds": holds,
        "machine": rows[0]["machine"],
    }


def _plan(settings: Settings, numbers: Sequence[str], sides: Sequence[Side]) -> list[list[str]]:
    names = [_name(number, side) for number in numbers if number not in FIGURES for side in sides]
    figures = [FIGURES[number] for number in numbers if number in FIGURES]
    names += [
        f"figure {figure.number}, {curve.name}"
        for figure in figures
        for _ in range(settings.rounds)
        for curve in figure.curves
    ]
    return [names]


def _name(number: str, side: Side) -> str:
    return f"figure {number}, {side}"


def _say_how_long(console: Console, settings: Settings, numbers: Sequence[str], sides: Sequence[Side]) -> None:
    """By the thesis' table, on each side: what a process takes besides its operations, and what an operation takes."""
    seconds = 0.0
    listed = _listed_runs(settings)
    for side in (Side.LINUX, Side.KERNEL):
        runs = sum(_runs(number, side, sides, listed) for number in numbers)
        if runs == 0:
            continue
        trial = _TRIAL if side is Side.LINUX or not settings.programs.emulated else _TRIAL // 10
        start = _seconds(settings, side, _TRIAL // 1000)
        per_operation = max(_seconds(settings, side, trial) - start, 0) / trial
        operations = settings.kernel_operations if side is Side.KERNEL else settings.operations
        total = (operations or THESIS_OPERATIONS) * runs * len(settings.cores) * settings.rounds
        seconds += total * per_operation + start * _processes(numbers, side, settings.rounds)
    console.print(f"{len(numbers)} figures, {settings.rounds} rounds: about {max(1, round(seconds / 60))} minutes")


def _seconds(settings: Settings, side: Side, operations: int) -> float:
    begin = time.monotonic()
    settings.run(side, f"bench table --ops {operations} --cores {max(settings.cores)} --json")
    return time.monotonic() - begin


def _processes(numbers: Sequence[str], side: Side, rounds: int) -> int:
    return sum(
        sum((side is Side.KERNEL) == (curve.side is Side.KERNEL) for curve in FIGURES[number].curves) * rounds
        if number in FIGURES
        else 1
        for number in numbers
    )


def _listed_runs(settings: Settings) -> dict[str, float]:
    """Of each figure that one program measures: its curves, in runs of the thesis' operations, as the program says."""
    (listed,) = (row for row in settings.run(Side.LINUX, "bench figure --json") if row["benchmark"] == "figure-list")
    return {
        figure["number"]: len(figure["series"]) * figure["operations"] / THESIS_OPERATIONS
        for figure in listed["figures"]
    }


def _runs(number: str, side: Side, sides: Sequence[Side], listed: Mapping[str, float]) -> float:
    if number in FIGURES:
        return sum((side is Side.KERNEL) == (curve.side is Side.KERNEL) for curve in FIGURES[number].curves)
    return listed[number] if side in sides else 0


def _table(rows: Sequence[Row]) -> Table:
    drawn = Table()
    for heading in ("figure", "on", "the thesis", "expected", "measured", "holds"):
        drawn.add_column(heading)
    for row in rows:
        if "statement" not in row:
            continue
        words = (row["figure"], row.get("side", "both"), row["statement"], row["wanted"], row["measured"])
        drawn.add_row(*words, HOLDS[row["holds"]])
    return drawn

"""The job of `tools/mxk figure`: says how long it will take, measures, judges, keeps the rows and shows what holds."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path

from rich.console import Console
from rich.table import Table

from mxk_host import image, results
from mxk_host.errors import UsageError
from mxk_host.figures.markdown import HOLDS
from mxk_host.figures.plan import FIGURES, OF_ONE_PROGRAM, THESIS_CORES, THESIS_OPERATIONS, Figure, Throughputs
from mxk_host.figures.run import Settings, medians, run_figure
from mxk_host.machine import Boot
from mxk_host.programs import Side
from mxk_host.progress import RoundsProgress
from mxk_host.statement import Statement
from mxk_host.stream import Row

NUMBERS = (*OF_ONE_PROGRAM, *FIGURES)
_TRIAL_PART = 5  # of the operations, once: a twenty-fifth of what five rounds take


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
    for side, command in _commands(settings, number, sides):
        progress.announce(1, _name(number, side))
        rows += [row | {"side": side} for row in settings.run(side, command)]
    return rows


def _judged(figure: Figure, statement: Statement[Throughputs], rows: Sequence[Row], settings: Settings) -> Row:
    value = statement.value(medians(rows))
    holds = statement.holds(value)
    measured = "needs other cores" if isnan(value) else f"{value:.2f}"
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
    """By a trial of each process, with a part of the operations: besides them a process takes what its start takes."""
    seconds = 0.0
    trial = replace(
        settings,
        operations=(settings.operations or THESIS_OPERATIONS) // _TRIAL_PART,
        kernel_operations=(settings.kernel_operations or THESIS_OPERATIONS) // _TRIAL_PART,
        rounds=1,
    )
    started: dict[Side, float] = {}
    for number in numbers:
        for side, command in _commands(trial, number, sides):
            if side not in started:
                started[side] = _seconds(settings, side, "bench")
            with_operations = max(_seconds(trial, side, command) - started[side], 0)
            starts = settings.rounds if number in FIGURES else 1
            seconds += with_operations * _TRIAL_PART * settings.rounds + started[side] * starts
    minutes = max(1, round(seconds / 60))
    console.print(f"{len(numbers)} figures, {settings.rounds} rounds: about {minutes} minutes")


def _seconds(settings: Settings, side: Side, command: str) -> float:
    begin = time.monotonic()
    settings.run(side, command)
    return time.monotonic() - begin


def _commands(settings: Settings, number: str, sides: Sequence[Side]) -> list[tuple[Side, str]]:
    """What measures a figure, a process each; where it has curves in several programs, once in each round."""
    if number in FIGURES:
        return [(curve.side, settings.command(curve)) for curve in FIGURES[number].curves]
    return [(side, f"bench figure {number} --repeat {settings.rounds} {settings.options(side)}") for side in sides]


def _table(rows: Sequence[Row]) -> Table:
    drawn = Table("figure", "on", "the thesis", "expected", "measured", "holds")
    for row in rows:
        if "statement" not in row:
            continue
        words = (row["figure"], row.get("side", "both"), row["statement"], row["wanted"], row["measured"])
        drawn.add_row(*words, HOLDS[row["holds"]])
    return drawn

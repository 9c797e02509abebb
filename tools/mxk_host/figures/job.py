"""The job of `tools/mxk figure`: says how long it will take, measures, judges, keeps the rows and shows what holds."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isinf, isnan
from pathlib import Path
from statistics import mean, median

from rich.console import Console
from rich.table import Table

from mxk_host import image, pages, results
from mxk_host.errors import UsageError
from mxk_host.figures.plan import (
    EXPERIMENTS,
    FIGURES,
    OF_ONE_PROGRAM,
    THESIS_CORES,
    THESIS_OPERATIONS,
    Curve,
    Figure,
    Throughputs,
)
from mxk_host.machine import Boot
from mxk_host.order import balanced_order
from mxk_host.programs import Programs, Side
from mxk_host.progress import RoundsProgress
from mxk_host.quiet import MIN_ROUNDS, Values, rounds
from mxk_host.runs.point import machine_of, simulation_of
from mxk_host.runs.source import read_runs
from mxk_host.statement import Statement
from mxk_host.stream import Row

HOLDS = {True: "yes", False: "NO", None: "unknown"}
NUMBERS = (*OF_ONE_PROGRAM, *FIGURES, *EXPERIMENTS)
_MAX_SECONDS = 60  # for a point of a figure, where rounds are as many as it takes
_TRIAL_PART = 5  # of the operations, once: a twenty-fifth of what five rounds take


# What the tables of so many keys take, and the instructions.
_MEMORY_PER_OPERATION = 128
_MIN_MEMORY = 1 << 30


@dataclass(frozen=True)
class Settings:
    """How a figure is measured."""

    programs: Programs
    cores: tuple[int, ...]
    operations: int | None  # None: the thesis'
    kernel_operations: int | None  # in the kernel
    rounds: int | None  # None: as many as it takes (mxk_host.quiet)
    part: int = 1  # of an experiment's size, one by this
    kernel_part: int = 1

    def run(self, side: Side, command: str) -> list[Row]:
        """The rows of a command."""
        operations = self.kernel_operations or THESIS_OPERATIONS
        memory = max(_MIN_MEMORY, operations * _MEMORY_PER_OPERATION)
        return self.programs.rows(side, command, max(self.cores), memory >> 20)

    def options(self, side: Side) -> str:
        """What all benchmarks of this side are told."""
        operations = self.kernel_operations if side is Side.KERNEL else self.operations
        cores = ",".join(map(str, self.cores))
        return f"--cores {cores}{f' --ops {operations}' if operations else ''} --json"

    def command(self, curve: Curve) -> str:
        """What measures a curve."""
        return f"bench {curve.benchmark} --mix insert {self.options(curve.side)}"


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
        shown = Side.LINUX if side is Side.PEERS else side
        found = [row | {"side": shown} for row in settings.run(side, command)]
        rows += _without_speed(found) if side is Side.KERNEL and settings.programs.emulated else found
    return rows


_EMULATED = "(emulated kernel)"


def _without_speed(rows: Sequence[Row]) -> list[Row]:
    """An emulated machine says nothing of speed."""
    return [
        row | {"holds": None, "measured": f"{row['measured']} {_EMULATED}"}
        if row.get("of_speed") and row["holds"] is not None
        else row
        for row in rows
    ]


def _judged(figure: Figure, statement: Statement[Throughputs], rows: Sequence[Row], settings: Settings) -> Row:
    value = statement.value(medians(rows))
    holds = statement.holds(value)
    measured = "needs other cores" if isnan(value) else f"{value:.2f}"
    if figure.compares_builds and settings.programs.emulated:
        measured, holds = f"{measured} {_EMULATED}", None
    return {
        "benchmark": "figure",
        "figure": figure.number,
        "title": figure.title,
        "statement": statement.says,
        "wanted": f"{statement.low:.2f} or more"
        if isinf(statement.high)
        else f"{statement.low:.2f} to {statement.high:.2f}",
        "measured": measured,
        "holds": holds,
        "operations": rows[0]["operations"],
        "machine": rows[0]["machine"],
    }


def _plan(settings: Settings, numbers: Sequence[str], sides: Sequence[Side]) -> list[list[str]]:
    names = [_name(number, side) for number in numbers if number not in FIGURES for side in sides]
    figures = [FIGURES[number] for number in numbers if number in FIGURES]
    names += [
        f"figure {figure.number}, {curve.name}"
        for figure in figures
        for _ in range(settings.rounds or MIN_ROUNDS)
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
        part=settings.part * _TRIAL_PART,
        kernel_part=settings.kernel_part * _TRIAL_PART,
    )
    started: dict[Side, float] = {}
    count = settings.rounds or MIN_ROUNDS
    for number in numbers:
        for side, command in _commands(trial, number, sides):
            if side not in started:
                started[side] = _seconds(settings, side, "bench")
            with_operations = max(_seconds(trial, side, command) - started[side], 0)
            seconds += with_operations * _TRIAL_PART * count + started[side] * (count if number in FIGURES else 1)
    minutes = max(1, round(seconds / 60))
    more = "" if settings.rounds else ", more where the machine is not quiet"
    console.print(f"{len(numbers)} figures, {count} rounds: about {minutes} minutes{more}")


def _seconds(settings: Settings, side: Side, command: str) -> float:
    begin = time.monotonic()
    settings.run(side, command)
    return time.monotonic() - begin


def _commands(settings: Settings, number: str, sides: Sequence[Side]) -> list[tuple[Side, str]]:
    """What measures a figure, a process each; where it has curves in several programs, once in each round."""
    if number in FIGURES:
        return [(curve.side, settings.command(curve)) for curve in FIGURES[number].curves]
    begin = f"bench figure {number} --repeat {settings.rounds or 'auto'}"
    if number not in EXPERIMENTS:
        return [(side, f"{begin} {settings.options(side)}") for side in sides]
    parts = {Side.PEERS: settings.part, Side.KERNEL: settings.kernel_part}  # peers have the other allocators
    programs = [Side.PEERS if side is Side.LINUX else side for side in sides]
    return [(side, f"{begin} --part {parts[side]} --json") for side in programs]


def _table(rows: Sequence[Row]) -> Table:
    drawn = Table("figure", "on", "operations", "the thesis", "expected", "measured", "holds")
    for row in rows:
        if "statement" not in row:
            continue
        size = _size_of(row)
        words = (row["figure"], row.get("side", "both"), size, row["statement"], row["wanted"], row["measured"])
        drawn.add_row(*words, HOLDS[row["holds"]])
    return drawn


def run_figure(settings: Settings, figure: Figure, announce: Callable[[int, str], None]) -> list[Row]:
    """All curves in every round, in a new order each; a row for each curve and number of cores."""
    values: dict[tuple[str, int], list[tuple[int, float, bool | None]]] = defaultdict(list)
    first: dict[tuple[str, int], Row] = {}
    seconds = _MAX_SECONDS * len(figure.curves) * len(settings.cores)
    for number in rounds(settings.rounds, seconds, lambda: all(Values.of(it).known_well() for it in values.values())):
        for curve in balanced_order(figure.curves, number):
            announce(number, f"figure {figure.number}, {curve.name}")
            for row in settings.run(curve.side, settings.command(curve)):
                key = curve.name, row["cores"]
                values[key].append((number, row["throughput"]["median"], row.get("quiet")))
                first.setdefault(key, row)
    points = [(curve.name, cores) for curve in figure.curves for cores in settings.cores]
    return [_row_of(figure, *point, first[point], Values.of(values[point])) for point in points]


def medians(rows: Sequence[Row]) -> Throughputs:
    """What the statements are judged by."""
    return Throughputs({(row["series"], row["cores"]): row["throughput"]["median"] for row in rows})


def _row_of(figure: Figure, curve: str, cores: int, row: Row, of_rounds: Values) -> Row:
    values = of_rounds.counted
    disturbed = len(of_rounds.disturbed)
    is_disturbed = bool(of_rounds.disturbed & set(of_rounds.rounds))
    throughput = {
        "n": len(values),
        "median": median(values),
        "min": min(values),
        "max": max(values),
        "mean": mean(values),
    }
    subject = {"figure": figure.number, "title": figure.title, "series": curve}
    quiet: Row = {"disturbed_runs": 0 if is_disturbed else disturbed}
    if is_disturbed:
        quiet |= {"quiet": False, "not_quiet": f"{disturbed} of {len(of_rounds.by_round)} rounds were disturbed"}
    return row | subject | {"cores": cores, "throughput": throughput} | quiet


_BLOCK = "figures: statements"
_SIMULATED = "simulated"  # beside the sides that are measured


def put(rows: Sequence[Row], command: str, page: Path) -> None:
    """Replaces the table in the page, which has a place for it or is not there yet."""
    pages.put(page, {_BLOCK: statements(rows, command)})


def simulated_statements(folder: Path, numbers: Sequence[str]) -> list[Row]:
    """What a simulation has said of these figures (`tools/mxk simulate -- 'bench figure 4.2 --json'`). Raises where it
    has said nothing of any, or was none."""
    found = [it.row for run in read_runs([str(folder)]) for it in run.rows]
    rows = [row for row in found if "statement" in row and row.get("figure") in numbers and simulation_of(row)]
    if not rows:
        raise UsageError(
            f"--simulated: expected a run of simulate with 'bench figure {numbers[0]} --json', got {folder}"
        )
    return [row | {"side": _SIMULATED} for row in rows]


def statements(rows: Sequence[Row], command: str) -> Iterable[str]:
    """A row for each statement of the thesis; what sets the two builds, or a peer, beside each other has one cell."""
    said: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if "statement" in row:
            said.setdefault((row["figure"], row["statement"]), {})[row.get("side", "")] = row
    columns = {"Linux program": ("", Side.LINUX), "kernel": (Side.KERNEL,), _SIMULATED: (_SIMULATED,)}
    chosen = {name: [_first(by_side, sides) for by_side in said.values()] for name, sides in columns.items()}
    chosen = {name: rows for name, rows in chosen.items() if any(rows)}
    common = {name: _common_size(rows) for name, rows in chosen.items()}
    headings = [f"{name}, {_size(common[name])}" if common[name] else name for name in chosen]
    yield f"| figure | the thesis | expected | {' | '.join(headings)} |"
    yield "|---" * (3 + len(headings)) + "|"
    for at, ((figure, statement), by_side) in enumerate(said.items()):
        wanted = next(iter(by_side.values()))["wanted"]
        cells = [_cell(column[at], common[name]) for name, column in chosen.items()]
        if "" in by_side and Side.KERNEL in chosen:
            cells[1] = "the same"
        yield f"| {figure} | {statement} | {wanted} | {' | '.join(cells)} |"
    yield ""
    yield _origin([row for row in rows if row.get("side") != _SIMULATED], command)
    for text in sorted({_machine(row) for row in rows if row.get("side") == _SIMULATED}):
        yield f"Simulated: {text}."


def _first(by_side: Mapping[str, Row], sides: Iterable[str]) -> Row | None:
    return next((by_side[side] for side in sides if side in by_side), None)


def _common_size(rows: Iterable[Row | None]) -> int:
    """That of a column, which more verdicts have than any other; 0: none names one."""
    sizes = [row["operations"] for row in rows if row is not None and "operations" in row]
    return max(sizes, key=sizes.count, default=0)


def _size(operations: int) -> str:
    return f"{operations / 1e6:g} M"


def _size_of(row: Row) -> str:
    """Of a statement's runs: operations, or which part of an experiment; empty: all of it, as the thesis."""
    if "operations" in row:
        return _size(row["operations"])
    return f"1/{row['part']}" if "part" in row else ""


def _cell(row: Row | None, common: int) -> str:
    """The verdict, and the size of what it is about, where it is not that of the column."""
    if row is None:
        return "-"
    size = "" if row.get("operations") == common else _size_of(row)
    return f"{HOLDS[row['holds']]}: {row['measured']}{f', {size}' if size else ''}"


def _machine(row: Row) -> str:
    simulation = simulation_of(row)
    scale = simulation.get("scale_caches")
    last_caches = f", its last caches {scale:g} times as large" if scale else ""
    return f"{simulation.get('machine')}{last_caches}, build {machine_of(row).get('build', '?')}"


def _origin(rows: Sequence[Row], command: str) -> str:
    machine = next((row["machine"] for row in rows if row.get("side", Side.LINUX) == Side.LINUX), rows[0]["machine"])
    measured = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"`{command}`, {measured}: {machine.get('cpu', '?')}, build {machine.get('build', '?')}."

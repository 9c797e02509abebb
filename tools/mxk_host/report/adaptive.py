"""Locks that adapt and coherence of TLBs (`bench adaptive`): what the source says of each experiment, what was measured
here, whether it holds; and the plots."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from operator import truediv

import numpy as np

from mxk_host.digits import number
from mxk_host.order import grouped
from mxk_host.report.lines import plot_varied
from mxk_host.report.plot import Plot, found_table
from mxk_host.report.statements import statement_line, statements_table
from mxk_host.runs.log import Found
from mxk_host.runs.point import Point, number_of, points_of, text_of
from mxk_host.statement import Statement
from mxk_host.stream import Row

_PREFIX = "adaptive "
_SETTINGS = ("locking", "pages", "cores")
_COUNTS = ("interrupts", "flushes", "locks", "atomics", "messages")


def is_adaptive(point: Point) -> bool:
    """Whether it is one of the source's experiments."""
    return point.benchmark.startswith(_PREFIX)


def adaptive_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """The statements, a plot for each experiment, and what its operations took besides time."""
    plots = _statements(points, names)
    for (benchmark, _), same in grouped(points, lambda it: (it.benchmark, it.kind)).items():
        title = f"{benchmark.removeprefix(_PREFIX)}: {_ABOUT.get(benchmark, '')}".removesuffix(": ")
        plots.append(plot_varied(title, same, "cycles", "cores", names))
        if counted := [point for point in same if number_of(point.first.get("atomics")) is not None]:
            named = [[text_of(point.settings.get(name)) for name in _SETTINGS] for point in counted]
            found = {name: name for name in _COUNTS}
            plots.append(found_table(f"{title}, counted", counted, names, _SETTINGS, named, found))
    return plots


_ABOUT = {
    "adaptive ipc": "cycles of a critical section on one core",
    "adaptive fork-join": "cycles to let all cores do something once",
    "adaptive mapping": "cycles to unmap a page",
    "adaptive revoke": "cycles to withdraw the right to write, while others do",
    "adaptive revoke-independent": "cycles to withdraw a right, each core its own",
}


class _Rows:
    """The points of one run: what one of them measured, or NaN, which all that is computed of it is then, too."""

    def __init__(self, points: Iterable[Point]) -> None:
        self._points = list(points)

    def cores(self, benchmark: str) -> list[float]:
        """How many there were, from the fewest on; NaN unless they were several."""
        same = (point for point in self._points if point.benchmark == _PREFIX + benchmark)
        found = sorted({count for point in same if (count := number_of(point.settings.get("cores")))})
        return found if found[1:] else [nan, nan]

    def cycles(self, benchmark: str, **settings: str | float) -> float:
        """The median."""
        point = self._find(benchmark, settings)
        return (point.values["cycles"].median or nan) if point is not None and "cycles" in point.values else nan

    def count(self, name: str, benchmark: str, **settings: str | float) -> float:
        """Of something for each operation."""
        point = self._find(benchmark, settings)
        found = number_of(point.first.get(name)) if point is not None else None
        return nan if found is None else found

    def grown(self, benchmark: str, locking: str, **settings: float) -> float:
        """Cycles on all cores by those on one."""
        cores = self.cores(benchmark)
        ends = (self.cycles(benchmark, locking=locking, cores=count, **settings) for count in (cores[-1], cores[0]))
        return truediv(*ends)

    def _find(self, benchmark: str, settings: dict[str, str | float]) -> Point | None:
        for point in self._points:
            same = all(point.settings.get(name) == value for name, value in settings.items())
            if same and point.benchmark == _PREFIX + benchmark and point.is_verified:
                return point
        return None


@dataclass(frozen=True)
class _Statement(Statement[_Rows]):
    """`is_counted`: holds or not also where time is an emulator's."""

    is_counted: bool = False


# A processor may execute all of a lock beside the section: what is left of less than that is noise.
_MIN_LOCK_CYCLES = 1.0
_INDEPENDENT = "revoke-independent"


def _more_than_none(way: str) -> Callable[[_Rows], float]:
    """Percent of it."""
    return lambda rows: (rows.cycles("ipc", measure=way) / rows.cycles("ipc", measure="none") - 1) * 100


def _left_of_a_lock(rows: _Rows) -> float:
    none, lock, dynamic = (rows.cycles("ipc", measure=way) for way in ("none", "lock", "dynamic"))
    return nan if lock < none + _MIN_LOCK_CYCLES else max((dynamic - none) / (lock - none) * 100, 0.0)


def _faster_by_locks(cores: int) -> Callable[[_Rows], float]:
    ways = ("message", "lock")
    return lambda rows: truediv(*(rows.cycles("fork-join", way=way, cores=cores) for way in ways))


def _fine_by_coarse(pages: int) -> Callable[[_Rows], float]:
    kinds = ("fine", "coarse")
    return lambda rows: (
        truediv(*(rows.cycles("mapping", locking=kind, pages=pages, cores=1) for kind in kinds)) * 100 - 100
    )


def _counts_of_fine_that_change(rows: _Rows) -> float:
    """The largest difference between numbers of cores, of interrupts and atomic operations."""
    found = [
        [rows.count(name, _INDEPENDENT, locking="fine", cores=count) for count in rows.cores(_INDEPENDENT)]
        for name in ("interrupts", "atomics")
    ]
    return float(np.ptp(found, axis=1).max())


def _interrupts_of_coarse(rows: _Rows) -> float:
    """On all cores, for each other one."""
    cores = rows.cores(_INDEPENDENT)[-1]
    return rows.count("interrupts", _INDEPENDENT, locking="coarse", cores=cores) / (cores - 1)


_STATEMENTS = (
    _Statement("ipc: messages cost 2.9 to 8.6 % (%)", -5.0, 17.2, _more_than_none("message")),
    _Statement("ipc: locks cost 27.6 to 81.2 % (%)", 13.8, 162.4, _more_than_none("lock")),
    _Statement("ipc: dynamic locks remove nearly all of that (% of it left)", 0.0, 10.0, _left_of_a_lock),
    _Statement("fork-join, 2 cores: locks are 2.5 times as fast as messages", 1.25, 5.0, _faster_by_locks(2)),
    _Statement("fork-join, 16 cores: 3.6 times", 1.8, 7.2, _faster_by_locks(16)),
    _Statement("mapping, 128 pages: fine locks cost 24 % more than coarse (%)", 12.0, 48.0, _fine_by_coarse(128)),
    _Statement("mapping, 256 pages: 32 % (%)", 16.0, 64.0, _fine_by_coarse(256)),
    _Statement("revoke, 1 page: fine nearly constant, coarse steep: the growth of the one by that of the other",
               0.0, 0.5, lambda rows: rows.grown("revoke", "fine", pages=1) / rows.grown("revoke", "coarse", pages=1)),
    _Statement("independent: fine scales perfectly: cycles on all cores by those on one", 0.9, 1.1,
               lambda rows: rows.grown(_INDEPENDENT, "fine")),
    _Statement("independent: coarse grows linearly: its growth, for each core", 0.5, 4.0,
               lambda rows: rows.grown(_INDEPENDENT, "coarse") / rows.cores(_INDEPENDENT)[-1]),
    _Statement("independent: interrupts and atomic operations of fine: the largest change with the number of cores",
               0.0, 0.0, _counts_of_fine_that_change, is_counted=True),
    _Statement("independent: coarse interrupts all others: interrupts of an operation for each of them", 0.5, 2.0,
               _interrupts_of_coarse, is_counted=True),
)  # fmt: skip


def _statements(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    lines = []
    for (run, kind), same in grouped(points, lambda it: (it.run, it.kind)).items():
        rows = _Rows(same)
        for statement in _STATEMENTS:
            value = statement.value(rows)
            if isnan(value):
                continue
            holds = statement.holds(value) if statement.is_counted or not kind else None
            cells = [statement.says, _range(statement), number(value)]
            lines.append(statement_line(cells, holds, [kind], run, names, otherwise="unknown"))
    return statements_table("Locks that adapt: what the source says", "the source says", lines, names)


def source_statements(rows: Sequence[Row]) -> Iterator[Row]:
    """The source's statements of these rows, as a benchmark's own are written; those that they do not tell left out."""
    points = _Rows(points_of([Found(row, "") for row in rows]))
    for statement in _STATEMENTS:
        if not isnan(value := statement.value(points)):
            yield {"statement": statement.says, "measured": number(value), "holds": statement.holds(value)}


def _range(statement: _Statement) -> str:
    if statement.low == statement.high:
        return f"{statement.low:g}"
    return f"up to {statement.high:g}" if statement.low <= 0 else f"{statement.low:g} to {statement.high:g}"

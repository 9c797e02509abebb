"""Locks alone and under contention (`bench lock`): what the source says of their order and whether it holds here; time
by cores, by the wait before a section, by the critical part of the work; how fairly they are passed on."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mxk_host.order import grouped
from mxk_host.report.labels import series_names
from mxk_host.report.lines import plot_dots, plot_over
from mxk_host.report.plot import Plot, found_table
from mxk_host.report.statements import said_by, statements_table
from mxk_host.runs.point import NANOSECONDS, Kind, Point, Unit, Value, number_of, text_of

_PREFIX = "lock "
_PERCENT = Unit("%", 1, False)
_SWEPT = {"lock ecsb": "cores", "lock wbab": "wait_ns", "lock ccwb": "k"}
_ABOUT = {
    "lock ecsb": "ECSB: from one empty section to the next",
    "lock wbab": "WBAB: the same above the wait that workers make before",
    "lock ccwb": "CCWB: from one iteration to the next, by critical increments",
    "lock upb": "UPB: a free lock, by where it was last and where it is wanted",
    "lock alone": "A lock of one core",
    "lock crowd": "One lock for more threads than cores",
}
_FOUND = {
    "variation_pct": "variation (%)", "iterations_min": "min", "iterations_median": "median", "iterations_max": "max",
    "contention_pct": "delayed (%)", "local_pct": "local (%)", "cache_pct": "in the cache (%)",
    "node_pct": "else in the node (%)", "node_changes": "node changes", "max_bypass": "bypass",
    "operations_home": "home", "operations_others": "other nodes'", "operations_near": "own node's",
    "messages": "messages",
}  # fmt: skip


def is_lock(point: Point) -> bool:
    """Whether a benchmark of locks made it."""
    return point.benchmark.startswith(_PREFIX)


def lock_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """The statements first; then for each benchmark and fabric its times, and what else was found."""
    plots = _statements(points, names)
    measured = [point for point in points if not point.is_statement]
    where = ("fabric", "nodes")
    groups = grouped(measured, lambda it: (it.benchmark, it.kind, *(text_of(it.settings.get(name)) for name in where)))
    for (benchmark, _, fabric, nodes), same in groups.items():
        title = f"{_ABOUT.get(benchmark, benchmark)} ({fabric}, {nodes} nodes)"
        if axis := _SWEPT.get(benchmark):
            plots += _swept(title, same, axis, names)
        elif benchmark == "lock crowd":
            plots.append(plot_over(_ABOUT[benchmark], same, "throughput", "threads_per_core", names))
        else:
            quantity = "cycles" if benchmark == "lock alone" else "nanoseconds"
            plots.append(plot_dots(title, same, quantity, names))
    return plots


def _swept(title: str, points: Sequence[Point], axis: str, names: Sequence[str]) -> list[Plot]:
    timed = [_with_times(point) for point in points]
    plots = [plot_over(title, timed, "time", axis, names)]
    if any(number_of(point.settings.get("cores")) not in (None, 1) for point in points):
        plots.append(plot_over(f"{title}, variation of workers' iterations", timed, "variation", axis, names))
        plots.append(_found(f"{title}, fairness and what it took", points, names))
    return plots


def _with_times(point: Point) -> Point:
    """With the time from one iteration to the next, above the wait where there is one; and with the variation."""
    values = dict(point.values)
    if (rate := values.get("throughput")) is not None and rate.low > 0:
        wait = number_of(point.settings.get("wait_ns")) or 0.0
        middle, low, high = (1e9 / it - wait for it in (rate.median, rate.high, rate.low))
        values["time"] = Value(NANOSECONDS, rate.n, middle, low, high)
        if (variation := number_of(point.first.get("variation_pct"))) is not None:
            values["variation"] = Value(_PERCENT, rate.n, variation, variation, variation)
    return replace(point, values=values)


def _found(title: str, points: Sequence[Point], names: Sequence[str]) -> Plot:
    shown = {
        name: words
        for name, words in _FOUND.items()
        if any(number_of(point.first.get(name)) is not None for point in points)
    }
    return found_table(title, points, names, ["series"], [[label] for label in series_names(points)], shown)


def _statements(points: Iterable[Point], names: Sequence[str]) -> list[Plot]:
    lines = []
    for point in points:
        if point.is_statement:
            says = f"{point.benchmark.removeprefix(_PREFIX)}: {text_of(point.first.get('statement'))}"
            lines.append(said_by(point, says, [], names, "unknown", is_judged=point.kind is Kind.MEASURED))
    return statements_table("Locks: what the source says of their order", "the source says", lines, names)

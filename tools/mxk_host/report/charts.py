"""What is drawn of many benchmarks, a description for each: which points, which quantity over which setting, and what
is said of it. And those that the report has no description of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mxk_host.order import grouped
from mxk_host.report.labels import count_text
from mxk_host.report.lines import MAX_LINES, plot_over, plot_varied
from mxk_host.report.plot import Axis, Plot, bytes_axis, logarithmic
from mxk_host.runs.point import UNITS, Point, number_of, text_of

# What has to be the same for two points about tables to be in one plot.
_PANEL = ("workload", "mix", "dist", "keys", "rate", "operations")
_BY_SIZE = ("operations", "passes", "buckets", "load")  # other for each size, or nearly the same
_SIZE, _BYTES = "size_bytes", "bytes"
Points = Sequence[Point]


def is_table(point: Point) -> bool:
    """Whether it is about hash tables: MXK's or a peer's."""
    return point.benchmark in ("table", "peer")


def is_sweep(point: Point) -> bool:
    """Whether it is one of several sizes of a table."""
    return point.benchmark == "table" and number_of(point.settings.get(_SIZE)) is not None


@dataclass(frozen=True)
class Chart:
    """A plot for each group of points. `axis`: the setting to the right; empty: the one that varies. `remark`: behind
    the caption."""

    title: Callable[[Points], str]
    takes: Callable[[Point], bool]
    apart: Sequence[str] = _PANEL  # settings that are the same in a group
    quantity: str = "throughput"
    axis: str = "cores"
    remark: str = ""
    max_lines: int = MAX_LINES
    axes: Callable[[Points], Mapping[str, Axis]] = field(default=lambda _: {})

    def plots(self, points: Points, names: Sequence[str]) -> list[Plot]:
        """Of those among the points that it is about."""
        plots = []
        for same in panels([point for point in points if self.takes(point)], self.apart):
            axis = self.axis or axis_of(same)
            plot = plot_over(self.title(same), same, self.quantity, axis, names, self.max_lines, **self.axes(same))
            plot.caption += self.remark
            plots.append(plot)
        return plots


def panels(points: Iterable[Point], apart: Sequence[str] = _PANEL) -> list[list[Point]]:
    """Those that belong into one plot: with the same settings, on machines of the same kind."""
    return list(grouped(points, lambda it: (it.kind, *(text_of(it.settings.get(name)) for name in apart))).values())


def panel_title(points: Sequence[Point]) -> str:
    """Insert, 24M operations, uniform, random keys."""
    settings = points[0].settings
    operations = number_of(settings.get("operations"))
    parts = [text_of(settings.get("workload")), text_of(settings.get("mix"))]
    parts += [f"{count_text(operations)} operations" if operations else "", text_of(settings.get("dist"))]
    parts += [f"{keys} keys" if (keys := text_of(settings.get("keys"))) else ""]
    parts += [f"at {rate}" if (rate := text_of(settings.get("rate"))) else ""]
    return ", ".join(part for part in parts if part) or points[0].benchmark


def axis_of(points: Iterable[Point]) -> str:
    """Cores, unless their number is always the same and another one is not."""
    values: dict[str, set[float]] = {}
    for point in points:
        for name, setting in point.settings.items():
            if (value := number_of(setting)) is not None:
                values.setdefault(name, set()).add(value)
    if len(values.get("cores", ())) > 1:
        return "cores"
    varied = [name for name in values if len(values[name]) > 1 and name not in ("prefetch", "seed", "buckets")]
    return max(varied, key=lambda name: len(values[name]), default="cores")


def _list_title(points: Points) -> str:
    settings = points[0].settings
    keys, updates = (number_of(settings.get(name)) for name in ("keys", "update_pct"))
    parts = [f"{count_text(keys)} keys" if keys else "", text_of(settings.get("dist"))]
    parts += [f"{updates:g} % updates" if updates is not None else ""]
    return ": ".join(text for text in ("One sorted list", ", ".join(filter(None, parts))) if text)


def _sections_title(points: Points) -> str:
    body = text_of(points[0].settings.get("body"))
    return f"Read sections per second{f': {body}' if body else ''}"


def _sweep_title(points: Points) -> str:
    what = (text_of(points[0].settings.get(name)) for name in ("mix", "dist", "keys"))
    return f"Throughput by size of the table: {', '.join(filter(None, what))} keys"


def _sizes(points: Points) -> dict[str, Axis]:
    return {"x": bytes_axis((point.settings.get(_SIZE) for point in points), "size of the table")}


def _working_sets(points: Points) -> dict[str, Axis]:
    x = bytes_axis((point.settings.get(_BYTES) for point in points), "working set")
    times = [value for point in points if (value := point.values.get("nanoseconds")) is not None]
    return {"x": x, "y": logarithmic([end for it in times for end in (it.low, it.high)], "ns")}


def _is(measure: str, *benchmarks: str) -> Callable[[Point], bool]:
    """Points of these benchmarks that measured this."""
    return lambda it: it.benchmark in benchmarks and it.settings.get("measure") == measure


def _of_times(title: str, takes: Callable[[Point], bool], axis: str) -> Chart:
    return Chart(lambda _: title, takes, (), "nanoseconds", axis)


_STEPS = " Both axes are logarithmic: each step up is the end of a cache, or of what the TLB reaches."
THROUGHPUT = Chart(lambda same: panel_title(same), is_table, axis="")
READ_SECTIONS = Chart(
    _sections_title,
    lambda it: it.benchmark == "rcu-read",
    ("body",),
    remark=" Locks: one for each core, or one for all (NAME-shared).",
    max_lines=16,  # all ways to protect a reader in one plot: it is about which one, not about each
)
ONE_LIST = Chart(_list_title, lambda it: it.benchmark == "list", ("keys", "update_pct", "dist"))
_SWEEP = Chart(
    _sweep_title,
    is_sweep,
    axis=_SIZE,
    remark=" The axis of sizes is logarithmic: each step down is the end of a cache.",
    axes=_sizes,
)
_LATENCY = _of_times("Memory latency by working set", _is("latency", "memory", "memory-peer"), _BYTES)
LATENCY = replace(_LATENCY, remark=_STEPS, axes=_working_sets)
TLB = replace(
    LATENCY, title=lambda _: "Latency by page size: what the TLB reaches", takes=lambda it: it.benchmark == "tlb"
)
LOADED = _of_times("Memory latency under load", _is("loaded-latency", "memory"), "load")
CURVES = _of_times("Memory latency by bandwidth, for mixes of reads and writes", _is("curve", "memory"), "load")
# Loads that overlap, by measure.
OVERLAPS = {
    "chains": _of_times("Loads that overlap: chains followed at a time", _is("chains", "memory"), "chains"),
    "prefetch": _of_times(
        "Loads that overlap: how far ahead a place is prefetched", _is("prefetch", "memory"), "distance"
    ),
}


def sweep_plots(points: Points, names: Sequence[str]) -> list[Plot]:
    """One for each mix of operations, with the sizes of tables to the right: which cache they fit into."""
    of_lines = [
        replace(it, settings={name: value for name, value in it.settings.items() if name not in _BY_SIZE})
        for it in points
    ]
    return _SWEEP.plots(of_lines, names)


def other_plots(points: Points, names: Sequence[str]) -> list[Plot]:
    """Of benchmarks without a description: one for each of them, quantity and kind of machine."""
    groups = grouped(
        points, lambda it: (it.benchmark, next((name for name in UNITS if name in it.values), ""), it.kind)
    )
    return [
        plot_varied(benchmark, same, quantity, axis_of(same), names, min_values=3)
        for (benchmark, quantity, _), same in groups.items()
    ]

"""Operations per second: of MXK's tables and of peers, which do the same operations, in one plot; and what that comes
to as ratios."""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

from mxk_host.report.labels import cores_text, count_text, series_names
from mxk_host.report.lines import dots, plot_over
from mxk_host.report.plot import Line, Mark, Plot, Series, hover, logarithmic, value_cells
from mxk_host.runs.command import command_of
from mxk_host.runs.point import Point, Unit, Value, number_of, text_of, together

TIMES = Unit("x", 1, True)
_TABLES = ("table", "peer")
# What has to be the same for two points to be in one plot.
_PANEL = ("workload", "mix", "dist", "keys", "rate", "operations")


def is_table(point: Point) -> bool:
    """Whether it is about hash tables: MXK's or a peer's."""
    return point.benchmark in _TABLES


def throughput_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """One for each mix of operations, over the number of cores."""
    return [
        plot_over(panel_title(same), same, "throughput", axis_of(same), names) for same in panels(points)
    ]  # fmt: skip


def panels(points: Sequence[Point]) -> list[list[Point]]:
    """Those that belong into one plot: the same operations, on machines of the same kind."""

    def key(point: Point) -> tuple[str, ...]:
        return (point.kind, *(text_of(point.settings.get(name)) for name in _PANEL))

    order: dict[tuple[str, ...], list[Point]] = {}
    for point in points:
        order.setdefault(key(point), []).append(point)
    return list(order.values())


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


def ratio_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """MXK by each peer: for each run and mix one plot, the configuration of MXK that is fastest in it against all."""
    plots = []
    for run, of_run in groupby(sorted(points, key=lambda point: point.run), key=lambda point: point.run):
        for same in panels(list(of_run)):
            plot = _ratios(same, run, names)
            if plot is not None:
                plots.append(plot)
    return plots


def _ratios(points: Sequence[Point], run: int, names: Sequence[str]) -> Plot | None:
    labels = dict(zip(map(id, points), series_names(points, apart=("cores",)), strict=True))
    measured = [point for point in points if "throughput" in point.values and point.is_verified]
    mine = [point for point in measured if point.benchmark == "table" and "latency" not in point.durations]
    peers = [point for point in measured if point.benchmark == "peer" and "latency" not in point.durations]
    if not mine or not peers:
        return None
    fastest = max(mine, key=lambda point: point.values["throughput"].median)
    baseline = labels[id(fastest)]
    of_cores = {point.settings.get("cores"): point for point in mine if labels[id(point)] == baseline}
    marks: dict[str, list[Mark]] = {}
    lines = []
    for peer in peers:
        cores = number_of(peer.settings.get("cores"))
        over = of_cores.get(peer.settings.get("cores"))
        if cores is None or over is None:
            continue
        ratio, name = ratio_of(over, peer, "throughput"), labels[id(peer)]
        if ratio is None:
            continue
        marks.setdefault(cores_text(cores), []).append(
            Mark(name, _with_interval_as_bars(ratio), hover(name, cores_text(cores), ratio), peer)
        )
        kind = text_of(peer.first.get("kind"))
        lines.append(Line([name, kind, f"{cores:g}", *value_cells(ratio)], run, command_of(peer)))
    if not lines:
        return None
    series = [Series(text, place, run, of) for place, (text, of) in enumerate(marks.items())]
    shown = [mark.value for it in series for mark in it.marks]
    x = logarithmic([edge for value in shown for edge in (value.low, value.high, 1.0)], "times as fast")
    figure = dots(series, {run: names[run]}, x)
    figure["layout"]["shapes"] = [
        {"type": "line", "x0": 1, "x1": 1, "y0": 0, "y1": 1, "yref": "paper", "line": {"width": 1}, "name": "one"}
    ]
    return Plot(
        f"{panel_title(points)}: {baseline} by each peer",
        ["peer", "kind", "cores", "ratio", "min to max", "95 % interval", "pairs"],
        lines,
        figure,
        caption=f"Above 1, {baseline} is faster: it is the fastest of MXK's configurations here. The bars are 95 % "
        "intervals where there is one.",
        kind=points[0].kind,
        run=run,
    )


def ratio_of(over: Point, under: Point, quantity: str) -> Value | None:
    """Of two points of a run: taken within each round where there are rounds, otherwise of the medians, with an
    interval from both intervals (of a quotient, to the first order, as if both were independent)."""
    rounds_over, rounds_under = (_by_round(point, quantity) for point in (over, under))
    pairs = [rounds_over[number] / rounds_under[number] for number in rounds_over.keys() & rounds_under.keys()]
    if len(pairs) > 1:
        return together([Value(TIMES, 1, ratio, ratio, ratio) for ratio in pairs])
    a, b = over.values[quantity], under.values[quantity]
    if min(a.low, b.low) <= 0:
        return None
    ratio = a.median / b.median
    interval = None
    if a.interval and b.interval:
        width = math.hypot(
            *((value.interval[1] - value.interval[0]) / 2 / value.median for value in (a, b) if value.interval)
        )
        interval = (ratio * math.exp(-width), ratio * math.exp(width)) if width < _MAX_WIDTH else None
    return Value(TIMES, min(a.n, b.n), ratio, a.low / b.high, a.high / b.low, interval)


_MAX_WIDTH = 5.0  # of the logarithm of a ratio: with more of it nothing is known


def _by_round(point: Point, quantity: str) -> dict[float, float]:
    found = {}
    for row in point.rows:
        number, value = number_of(row.get("round")), row.get(quantity)
        middle = number_of(value.get("median")) if isinstance(value, dict) else None
        if number is not None and middle is not None and middle > 0:
            found[number] = middle
    return found


def _with_interval_as_bars(ratio: Value) -> Value:
    if ratio.interval is None or ratio.interval[0] <= 0:
        return ratio
    return Value(ratio.unit, ratio.n, ratio.median, *ratio.interval, ratio.interval)

"""MXK's throughput by the peers', which do the same operations, as ratios."""

import math
from collections.abc import Sequence
from dataclasses import replace

from mxk_host.digits import cores_text
from mxk_host.order import grouped
from mxk_host.report.charts import panel_title, panels
from mxk_host.report.labels import series_names
from mxk_host.report.lines import logarithmic_dots
from mxk_host.report.plot import Line, Mark, Plot, bars_text, has_bar, hover, runs_of, value_cells
from mxk_host.runs.command import command_of
from mxk_host.runs.point import Point, Unit, Value, median_of, number_of, text_of, together

TIMES = Unit("x", 1, True)


def ratio_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """MXK by each peer: for each run and mix one plot, the configuration of MXK that is fastest in it against all."""
    by_run = grouped(sorted(points, key=lambda point: point.run), lambda point: point.run)
    drawn = (_ratios(same, run, names) for run, of_run in by_run.items() for same in panels(of_run))
    return [plot for plot in drawn if plot is not None]


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
    marks: list[tuple[str, Mark]] = []
    lines = []
    for peer in peers:
        cores = number_of(peer.settings.get("cores"))
        over = of_cores.get(peer.settings.get("cores"))
        if cores is None or over is None:
            continue
        ratio, name = ratio_of(over, peer, "throughput"), labels[id(peer)]
        if ratio is None:
            continue
        mark = Mark(name, _with_interval_as_bars(ratio), hover(name, cores_text(cores), ratio), peer)
        marks.append((cores_text(cores), mark))
        kind = text_of(peer.first.get("kind"))
        cells = [name, kind, f"{cores:g}", *value_cells(ratio)]
        lines.append(Line(cells, run, command_of(peer), anchor=peer.anchor("ratio")))
    figure = logarithmic_dots(marks, runs_of(points, names), "times as fast", (1.0,))
    if figure is None:
        return None
    figure["layout"]["shapes"] = [
        {"type": "line", "x0": 1, "x1": 1, "y0": 0, "y1": 1, "yref": "paper", "line": {"width": 1}, "name": "one"}
    ]
    return Plot(
        f"{panel_title(points)}: {baseline} by each peer",
        ["peer", "kind", "cores", "ratio", "min to max", "95 % interval", "pairs"],
        lines,
        figure,
        caption=f"Above 1, {baseline} is faster: it is the fastest of MXK's configurations here. "
        + _bars_text([mark.value for _, mark in marks]),
        kind=points[0].kind,
        run=run,
    )


def ratio_of(over: Point, under: Point, quantity: str) -> Value | None:
    """Of two points: of a run taken within each round where there are rounds, otherwise of the medians, with an
    interval from both intervals (of a quotient, to the first order, as if both were independent)."""
    rounds_over, rounds_under = (_by_round(point, quantity) for point in (over, under))
    pairs = [rounds_over[number] / rounds_under[number] for number in rounds_over.keys() & rounds_under.keys()]
    if len(pairs) > 1 and over.run == under.run:
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
    found = ((number_of(row.get("round")), median_of(row, quantity)) for row in point.rows)
    return {number: middle for number, middle in found if number is not None and middle is not None and middle > 0}


def _bars_text(ratios: Sequence[Value]) -> str:
    if not any(map(has_bar, ratios)):
        return bars_text(ratios)
    return f"The bars are 95 % intervals{'' if all(map(has_bar, ratios)) else ', where there is one'}."


def _with_interval_as_bars(ratio: Value) -> Value:
    if ratio.interval is None or ratio.interval[0] <= 0:
        return replace(ratio, low=ratio.median, high=ratio.median)
    return Value(ratio.unit, ratio.n, ratio.median, *ratio.interval, ratio.interval)

"""Plots of a value over a number, such as throughput over cores; or, where that number is always the same or there are
too many lines to tell apart, a row of dots for each series."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from mxk_host.digits import bytes_text, cores_text
from mxk_host.order import grouped
from mxk_host.report.labels import series_names, setting_text
from mxk_host.report.plot import (
    VALUE_HEADINGS,
    Axis,
    Figure,
    Mark,
    Plot,
    Runs,
    Series,
    bars_text,
    bytes_axis,
    edges,
    height_for,
    hover,
    layout,
    logarithmic,
    runs_of,
    table_lines,
    trace,
)
from mxk_host.runs.point import Point, number_of

_MAX_FACTOR = 20
_MIN_BETWEEN_TICKS = 1 / 16  # of an axis, so that they can be read in a narrow window, too
MAX_LINES = 10  # more of them cannot be followed


def plot_over(
    title: str,
    points: Sequence[Point],
    quantity: str,
    axis: str,
    names: Sequence[str],
    max_lines: int = MAX_LINES,
    **axes: Axis,
) -> Plot:
    """`axis`: the setting that is drawn to the right. `names`: of the runs. `max_lines`: with more series it is a row
    of dots for each. `axes`: more about `x` and `y`."""
    # Rows without a value, such as what a peer cannot do, stand in the table only.
    drawn = [point for point in points if quantity in point.values and number_of(point.settings.get(axis)) is not None]
    labels = dict(zip(map(id, points), series_names(points, apart=(axis,)), strict=True))
    runs = runs_of(drawn, names)
    several = len({point.settings[axis] for point in drawn}) > 1
    series = _series(drawn, lambda point: labels[id(point)], lambda point: point.settings[axis], quantity)
    headings = ["series", axis.replace("_", " "), *VALUE_HEADINGS, ""]
    lines = table_lines(points, [labels[id(point)] for point in points], quantity, (axis,))
    plot = Plot(title, headings, lines, caption=_bars_of(drawn, quantity), kind=points[0].kind)
    _add_speed_up(plot, points)
    if drawn and several and len({it.name for it in series}) <= max_lines:
        plot.figure = _lines(series, axis, runs, axes)
    elif drawn:
        by_axis = _series(
            drawn,
            lambda point: _axis_text(axis, point),
            lambda point: labels[id(point)] + runs[point.run].suffix,
            quantity,
        )
        plot.figure = dots(by_axis, runs)
    return plot


def _add_speed_up(plot: Plot, points: Sequence[Point]) -> None:
    """Against the fewest cores, where rows say it."""
    found = [number_of(point.first.get("speed_up")) for point in points]
    if any(it is not None for it in found):
        plot.insert(-1, "speed-up", ("-" if it is None else f"{it:.2f}" for it in found))


def plot_dots(
    title: str, points: Sequence[Point], quantity: str, names: Sequence[str], apart: Collection[str] = ()
) -> Plot:
    """Each point in a line of its own."""
    labels = series_names(points, apart)
    of = {id(point): label for point, label in zip(points, labels, strict=True) if quantity in point.values}
    lines = table_lines(points, labels, quantity, ())
    drawn = [it for it in points if id(it) in of]
    caption = _bars_of(drawn, quantity)
    plot = Plot(title, ["series", *VALUE_HEADINGS, ""], lines, caption=caption, kind=points[0].kind)
    if of:
        series = _series(drawn, lambda _: "", lambda point: of[id(point)], quantity)
        plot.figure = dots(series, runs_of(points, names))
    return plot


def _bars_of(points: Sequence[Point], quantity: str) -> str:
    return bars_text([point.values[quantity] for point in points])


def plot_varied(
    title: str, points: Sequence[Point], quantity: str, axis: str, names: Sequence[str], min_values: int = 2
) -> Plot:
    """Over the axis, if it has so many values; otherwise a line for each point."""
    if len({point.settings.get(axis) for point in points}) >= min_values:
        return plot_over(title, points, quantity, axis, names)
    return plot_dots(title, points, quantity, names)


def logarithmic_dots(
    named: Iterable[tuple[str, Mark]], runs: Runs, title: str = "", beside: Iterable[float] = ()
) -> Figure | None:
    """Marks by the names of their series, on a logarithmic axis that has the values `beside`, too. None without any."""
    series = _series_of(named)
    if not series:
        return None
    ends = edges(mark for it in series for mark in it.marks)
    return dots(series, runs, logarithmic([*ends, *beside], title or series[0].marks[0].value.unit.name))


def dots(series: Sequence[Series], runs: Runs, x: Axis | None = None) -> Figure:
    """Values to the right, what was measured above each other, the largest on top. With one series, each row has the
    colour that its name has elsewhere."""
    largest: dict[str, float] = {}
    for it in series:
        for mark in it.marks:
            largest[mark.x] = max(largest.get(mark.x, mark.value.shown), mark.value.shown)
    order = sorted(largest, key=lambda name: largest[name])
    unit = next((mark.value.unit.name for it in series for mark in it.marks), "")
    is_one = len({it.name for it in series}) == 1
    if is_one:
        rows = ((mark.x.removesuffix(runs[it.run].suffix), mark) for it in series for mark in it.marks)
        series = _series_of(rows)
    data = [trace(it, runs, sideways=True, lines=False) for it in series]
    for it in data:
        it["meta"]["is_row"] = is_one
    return {
        "data": data,
        "layout": layout(
            x or {"title": {"text": unit}, "rangemode": "tozero"},
            {"type": "category", "categoryorder": "array", "categoryarray": order, "range": [-0.6, len(order) - 0.4]},
            height=height_for(len(order)),
            showlegend=not is_one,
            margin={"l": 60, "r": 20, "t": 40, "b": 50},
        ),
    }


def _lines(series: Sequence[Series], axis: str, runs: Runs, axes: dict[str, Axis]) -> Figure:
    values = sorted({mark.x for it in series for mark in it.marks})
    unit = series[0].marks[0].value.unit.name
    ticks = _ticks(values)
    x = {"title": {"text": axis.replace("_", " ")}, "tickvals": ticks, "ticktext": list(map(setting_text, ticks))}
    if _is_of_bytes(axis):
        x = bytes_axis(values, axis.removesuffix("_bytes").replace("_", " "))
    shown = [mark.value.shown for it in series for mark in it.marks]
    y = {"title": {"text": unit}, "rangemode": "tozero"}
    if min(shown) > 0 and max(shown) > _MAX_FACTOR * min(shown):  # the smaller ones would lie on the axis
        y = logarithmic(edges(mark for it in series for mark in it.marks), f"{unit}, logarithmic")
    data = [drawn for it in series for drawn in _line(it, axis, runs, (values[0], values[-1]))]
    return {"data": data, "layout": layout(x | axes.get("x", {}), y | axes.get("y", {}))}


def _ticks(values: Sequence[float]) -> list[float]:
    """Those that are far enough from the next one."""
    ticks: list[float] = []
    for value in reversed(values):
        if not ticks or ticks[0] - value >= _MIN_BETWEEN_TICKS * (values[-1] - values[0]):
            ticks.insert(0, value)
    return ticks


def _line(series: Series, axis: str, runs: Runs, ends: tuple[float, float]) -> list[Figure]:
    """One that has been measured at one place only says so, and is a level to compare with."""
    drawn = trace(series, runs)
    if len(series.marks) > 1:
        return [drawn]
    only = series.marks[0]
    drawn |= {"mode": "markers", "name": f"{drawn['name']} ({_axis_text(axis, only.point)} only)"}
    drawn["marker"]["size"] = 11
    level = {"type": "scatter", "x": list(ends), "y": [only.value.shown] * 2, "mode": "lines", "meta": drawn["meta"]}
    level |= {"legendgroup": series.name, "showlegend": False, "hoverinfo": "skip"}
    return [level | {"line": {"dash": "longdash", "width": 1}}, drawn]


def _axis_text(axis: str, point: Point) -> str:
    value = point.settings[axis]
    if _is_of_bytes(axis) and (size := number_of(value)) is not None:
        return bytes_text(size)
    return cores_text(value) if axis == "cores" and number_of(value) is not None else f"{axis} {setting_text(value)}"


def _is_of_bytes(axis: str) -> bool:
    return axis == "bytes" or axis.endswith("_bytes")


def _series(
    points: Sequence[Point], name_of: Callable[[Point], str], x_of: Callable[[Point], Any], quantity: str
) -> list[Series]:
    """Those of the same name and run together, in the order of what is drawn to the right."""
    named = ((name, _mark(point, x_of(point), quantity, name)) for point in points for name in (name_of(point),))
    return [replace(it, marks=sorted(it.marks, key=_place)) for it in _series_of(named)]


def _series_of(named: Iterable[tuple[str, Mark]]) -> list[Series]:
    """Those of the same name and run together."""
    groups = grouped(named, lambda it: (it[0], it[1].point.run))
    return [Series(name, run, [mark for _, mark in same]) for (name, run), same in groups.items()]


def _mark(point: Point, x: Any, quantity: str, name: str) -> Mark:  # noqa: ANN401
    value = point.values[quantity]
    return Mark(x, value, hover(name, setting_text(x), value), point)


def _place(mark: Mark) -> tuple[float, str]:
    number = number_of(mark.x)
    return (number, "") if number is not None else (0.0, str(mark.x))

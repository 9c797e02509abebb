"""Plots of a value over a number, such as throughput over cores; or, where that number is always the same or there are
too many lines to tell apart, a row of dots for each series."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from mxk_host.digits import cores_text
from mxk_host.order import grouped
from mxk_host.report.labels import series_names, setting_text
from mxk_host.report.plot import (
    VALUE_HEADINGS,
    Axis,
    Mark,
    Plot,
    Runs,
    Series,
    height_for,
    hover,
    layout,
    logarithmic,
    run_suffix,
    runs_of,
    table_lines,
    trace,
)
from mxk_host.runs.point import Point, number_of

_MAX_FACTOR = 20
MAX_LINES = 10  # more of them cannot be followed
BARS = "Medians; the bars go from the smallest to the largest value measured."


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
    plot = Plot(title, headings, lines, caption=BARS, kind=points[0].kind)
    _add_speed_up(plot, points)
    if drawn and several and len({it.name for it in series}) <= max_lines:
        plot.figure = _lines(series, axis, runs, axes)
    elif drawn:
        by_axis = _series(
            drawn,
            lambda point: _axis_text(axis, point),
            lambda point: labels[id(point)] + run_suffix(point.run, runs),
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
    plot = Plot(title, ["series", *VALUE_HEADINGS, ""], lines, caption=BARS, kind=points[0].kind)
    if of:
        series = _series([it for it in points if id(it) in of], lambda _: "", lambda point: of[id(point)], quantity)
        plot.figure = dots(series, runs_of(points, names))
    return plot


def plot_varied(
    title: str, points: Sequence[Point], quantity: str, axis: str, names: Sequence[str], min_values: int = 2
) -> Plot:
    """Over the axis, if it has so many values; otherwise a line for each point."""
    if len({point.settings.get(axis) for point in points}) >= min_values:
        return plot_over(title, points, quantity, axis, names)
    return plot_dots(title, points, quantity, names)


def logarithmic_dots(
    named: Iterable[tuple[str, Mark]], runs: Runs, title: str = "", beside: Iterable[float] = ()
) -> dict[str, Any] | None:
    """Marks by the names of their series, on a logarithmic axis that has the values `beside`, too. None without any."""
    series = _series_of(named)
    if not series:
        return None
    edges = [edge for it in series for mark in it.marks for edge in (mark.value.low, mark.value.high)]
    return dots(series, runs, logarithmic([*edges, *beside], title or series[0].marks[0].value.unit.name))


def dots(series: Sequence[Series], runs: Runs, x: Axis | None = None) -> dict[str, Any]:
    """Values to the right, what was measured above each other, the largest on top."""
    largest: dict[str, float] = {}
    for it in series:
        for mark in it.marks:
            largest[mark.x] = max(largest.get(mark.x, mark.value.shown), mark.value.shown)
    order = sorted(largest, key=lambda name: largest[name])
    unit = next((mark.value.unit.name for it in series for mark in it.marks), "")
    return {
        "data": [trace(it, runs, sideways=True, lines=False) for it in series],
        "layout": layout(
            x or {"title": {"text": unit}, "rangemode": "tozero"},
            {"type": "category", "categoryorder": "array", "categoryarray": order, "range": [-0.6, len(order) - 0.4]},
            height=height_for(len(order)),
            showlegend=len(series) > 1,
            margin={"l": 60, "r": 20, "t": 40, "b": 50},
        ),
    }


def _lines(series: Sequence[Series], axis: str, runs: Runs, axes: dict[str, Axis]) -> dict[str, Any]:
    values = sorted({mark.x for it in series for mark in it.marks})
    unit = series[0].marks[0].value.unit.name
    x = {"title": {"text": axis.replace("_", " ")}, "tickvals": values, "ticktext": [setting_text(v) for v in values]}
    shown = [mark.value.shown for it in series for mark in it.marks]
    y = {"title": {"text": unit}, "rangemode": "tozero"}
    if min(shown) > 0 and max(shown) > _MAX_FACTOR * min(shown):  # the smaller ones would lie on the axis
        y = logarithmic(shown, f"{unit}, logarithmic")
    return {"data": [trace(it, runs) for it in series], "layout": layout(x | axes.get("x", {}), y | axes.get("y", {}))}


def _axis_text(axis: str, point: Point) -> str:
    value = point.settings[axis]
    return cores_text(value) if axis == "cores" and number_of(value) is not None else f"{axis} {setting_text(value)}"


def _series(
    points: Sequence[Point], name_of: Callable[[Point], str], x_of: Callable[[Point], Any], quantity: str
) -> list[Series]:
    """Those of the same name and run together, in the order of what is drawn to the right."""
    named = ((name, _mark(point, x_of(point), quantity, name)) for point in points for name in (name_of(point),))
    return [replace(it, marks=sorted(it.marks, key=_place)) for it in _series_of(named)]


def _series_of(named: Iterable[tuple[str, Mark]]) -> list[Series]:
    """Those of the same name and run together."""
    groups = grouped(named, lambda it: (it[0], it[1].point.run))
    places = list(dict.fromkeys(name for name, _ in groups))
    return [Series(name, places.index(name), run, [mark for _, mark in same]) for (name, run), same in groups.items()]


def _mark(point: Point, x: Any, quantity: str, name: str) -> Mark:  # noqa: ANN401
    value = point.values[quantity]
    return Mark(x, value, hover(name, setting_text(x), value), point)


def _place(mark: Mark) -> tuple[float, str]:
    number = number_of(mark.x)
    return (number, "") if number is not None else (0.0, str(mark.x))

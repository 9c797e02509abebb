"""A plot of the report: what is drawn, the same numbers as a table, and what measures each of them again. The page
gives it colours, so that it is legible in light and dark and on paper."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log2, log10
from typing import Any

import plotly.graph_objects as go

from mxk_host.digits import bytes_text, number
from mxk_host.order import grouped
from mxk_host.report.labels import setting_text
from mxk_host.runs.command import command_of
from mxk_host.runs.point import Kind, Point, Value, number_of

# Legible on white and on dark grey, and apart for people who see red and green alike; more are made by their hue.
_COLOURS = ("#2f7fd1", "#d9730d", "#1c9a77", "#c2528b", "#8f7a00", "#7a6ad8", "#b0523c", "#4a8aa5", "#6b8e23")
_NO_COLOUR = "#777f8c"  # of what has its name beside it
_GOLDEN_ANGLE = 137.5  # degrees between hues: any number of them are far apart
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "triangle-down", "star")
_DASHES = ("solid", "dash", "dot", "dashdot")
Axis = dict[str, Any]  # as Plotly takes it
Figure = dict[str, Any]

_MIN_SPAN = 2.0  # of a logarithmic scale: nearly equal values look nearly equal
_MAX_TICKS = 10
_MIN_VALUE = 1e-300  # half of less may be none
_HEIGHT = 380  # pixels
_ROW_HEIGHT = 24  # of one line of a dot plot


@dataclass(frozen=True)
class Line:
    """A line of a table."""

    cells: list[str]
    run: int = 0
    command: str = ""
    failed: bool = False
    anchor: str = ""  # what links to it go to


@dataclass
class Plot:
    """`run`: the only one it shows; None: each of its traces says which one it belongs to. Without a `figure`: a table
    only."""

    title: str
    headings: list[str]
    lines: list[Line]
    figure: Figure | None = None
    caption: str = ""
    kind: Kind = Kind.MEASURED
    run: int | None = None
    identifier: str = ""
    is_of_statements: bool = False
    findings: list[str] = field(default_factory=list)

    def insert(self, at: int, heading: str, cells: Iterable[str]) -> None:
        """A column more in the table, in front of the one that is there."""
        self.headings.insert(at, heading)
        for line, cell in zip(self.lines, cells, strict=True):
            line.cells.insert(at, cell)


@dataclass(frozen=True)
class Mark:
    """A point of a plot with the value that is drawn."""

    x: Any
    value: Value
    text: str
    point: Point


@dataclass(frozen=True)
class Series:
    """A line of a plot."""

    name: str
    run: int
    marks: list[Mark]


@dataclass(frozen=True)
class RunLook:
    """What tells a run's series from those of its machine's other runs: what their names end in, and their dashes.
    Another machine's stand in a panel of their own."""

    suffix: str = ""
    dash: str = _DASHES[0]


Runs = Mapping[int, RunLook]  # those that have a part in a plot


def runs_of(points: Iterable[Point], names: Sequence[str]) -> Runs:
    """Those that these points are of."""
    machines = grouped(sorted({(point.run, point.machine) for point in points}), lambda it: it[1])
    return {
        run: RunLook(f" · {names[run]}" if len(same) > 1 else "", _DASHES[place % len(_DASHES)])
        for same in machines.values()
        for place, (run, _) in enumerate(same)
    }


def run_cells(run: int, names: Sequence[str]) -> list[str]:
    """A cell with its name where there are several runs; `run_heading` is what stands above it."""
    return [names[run]] if len(names) > 1 else []


def run_heading(names: Sequence[str]) -> list[str]:
    """Where there are several runs."""
    return ["run"] if len(names) > 1 else []


def trace(series: Series, runs: Runs, *, sideways: bool = False, lines: bool = True) -> Figure:
    """The medians with bars from the smallest to the largest value measured. Sideways: values to the right. `paint`
    gives it its colour."""
    values = [mark.value.shown for mark in series.marks]
    positions = [mark.x for mark in series.marks]
    bars = _bars(series.marks)
    drawn = go.Scatter(
        x=values if sideways else positions,
        y=positions if sideways else values,
        name=series.name + runs[series.run].suffix,
        mode="lines+markers" if lines else "markers",
        legendgroup=series.name,
        meta={"run": series.run, "quiet": [mark.point.is_quiet is True for mark in series.marks]},
        customdata=[mark.text for mark in series.marks],
        hovertemplate="%{customdata}<extra></extra>",
        error_x=bars if sideways else None,
        error_y=None if sideways else bars,
        marker={"size": 8},
        line={"dash": runs[series.run].dash, "width": 2},
    )
    return drawn.to_plotly_json()


def paint(figures: Iterable[Figure]) -> None:
    """Gives each name one colour and symbol in all figures of a page, and no two in one figure the same; hollow where
    nothing says that the machine was quiet. Names of rows have a colour only where they are also those of lines."""
    drawn = [(it, [trace for trace in it["data"] if "legendgroup" in trace]) for it in figures]
    every = [trace for _, traces in drawn for trace in traces]
    order = dict.fromkeys(it["legendgroup"] for it in every if not it.get("meta", {}).get("is_row"))
    beside: dict[str, set[str]] = {}
    for figure, traces in drawn:
        rows = figure["layout"]["yaxis"].get("categoryarray", ()) if traces else ()
        names = {*rows, *(trace["legendgroup"] for trace in traces)} & order.keys()
        for name in names:
            beside.setdefault(name, set()).update(names - {name})
    places: dict[str, int] = {}
    for name in order:
        taken = {places[other] for other in beside[name] if other in places}
        places[name] = next(place for place in range(len(order)) if place not in taken)
    for trace in every:
        place = places.get(trace["legendgroup"])
        for part in ("marker", "line") if trace["type"] == "scatter" else ("marker",):
            trace[part] = {"color": _NO_COLOUR if place is None else _colour(place)} | trace.get(part, {})
        if "markers" in trace.get("mode", ""):
            symbol = _SYMBOLS[(place or 0) % len(_SYMBOLS)]
            quiet = trace.get("meta", {}).get("quiet", [])
            trace["marker"]["symbol"] = symbol if all(quiet) else [symbol if it else f"{symbol}-open" for it in quiet]


def _colour(place: int) -> str:
    more = place - len(_COLOURS)
    return _COLOURS[place] if more < 0 else f"hsl({more * _GOLDEN_ANGLE % 360:g}, 60%, {40 + more % 3 * 12}%)"


def has_bar(value: Value) -> bool:
    """Whether several runs differ."""
    return value.n > 1 and value.low < value.high


def bars_text(values: Collection[Value]) -> str:
    """What a caption says of them."""
    if all(value.n == 1 for value in values):
        return "One run each."
    with_bars = [has_bar(value) for value in values]
    bars = "; the bars go from the smallest to the largest value measured" if any(with_bars) else ""
    return f"Medians{bars}{', where there are several' if bars and not all(with_bars) else ''}."


def edges(marks: Iterable[Mark]) -> list[float]:
    """All ends of bars and values, in their unit."""
    values = [mark.value for mark in marks]
    ends = [end for it in values for end in ((it.low, it.median, it.high) if has_bar(it) else (it.median,))]
    return [end * values[0].unit.scale for end in ends]


def _bars(marks: Sequence[Mark]) -> dict[str, Any] | None:
    if not any(has_bar(mark.value) for mark in marks):
        return None
    above = [_bar(mark.value, mark.value.high - mark.value.median) for mark in marks]
    below = [_bar(mark.value, mark.value.median - mark.value.low) for mark in marks]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.3, "width": 4}


def _bar(value: Value, length: float) -> float | str:
    """No number is no bar: Plotly takes null for 0."""
    return max(length, 0) * value.unit.scale if has_bar(value) else "-"


def layout(x: Axis, y: Axis, *, height: int = _HEIGHT, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Axes, and a legend above the plot, where it takes no width."""
    plain = {
        "height": height,
        "margin": {"l": 60, "r": 20, "t": 16, "b": 50},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "maxheight": 0.9},
        "xaxis": {"automargin": True, "autotickangles": [0, 90]} | x,
        "yaxis": {"automargin": True} | y,
        "hovermode": "closest",
    }
    return go.Layout(plain | more).to_plotly_json()


def logarithmic(values: Iterable[float], title: str) -> Axis:
    """An axis on which every step is a factor, with ticks at the powers of ten, at 1, 2, 5 of each, or, where it is
    short, at equal steps: never less than two."""
    low, high = min_span(values)
    if high / low < 10:
        step = 10.0 ** floor(log10((high - low) / 2))
        step *= next(factor for factor in (5, 2, 1) if (high - low) / (factor * step) >= 2)
        ticks = [step * count for count in range(ceil(low / step), floor(high / step) + 1)]
    else:
        steps = (1, 2, 5) if high / low < 1000 else (1,)
        first, last = floor(log10(low)), ceil(log10(high))
        powers = range(first, last + 1, -(-(last - first) // _MAX_TICKS))
        ticks = [tick for power in powers for step in steps if low <= (tick := step * 10.0**power) <= high]
    return _logarithmic(low, high, ticks, title, "{:,g}".format)


def bytes_axis(sizes: Iterable[Any], title: str) -> Axis:
    """A logarithmic axis of sizes of memory, with ticks at powers of two, or at every second, third, ... of them."""
    low, high = min_span((size for it in sizes if (size := number_of(it))), 4.0)
    powers = range(ceil(log2(low)), floor(log2(high)) + 1)
    step = -(-len(powers) // _MAX_TICKS)
    ticks = [2.0**power for power in powers if power % step == 0]
    return _logarithmic(low, high, ticks, title, bytes_text)


def min_span(values: Iterable[float], factor: float = _MIN_SPAN) -> tuple[float, float]:
    """The ends of a logarithmic scale for these values."""
    known = [value for value in values if value > _MIN_VALUE] or [1.0]
    low, high = min(known), max(known)
    beside = max(math.sqrt(factor * low / high), 1.0)
    return low / beside, high * beside


def _logarithmic(low: float, high: float, ticks: list[float], title: str, text_of: Callable[[float], str]) -> Axis:
    first, last = log10(low), log10(high)
    beside = 0.04 * (last - first)  # room for the marks at the ends
    ends = [first - beside, last + beside]
    texts = list(map(text_of, ticks))
    return {"type": "log", "title": {"text": title}, "range": ends, "tickvals": ticks, "ticktext": texts}


def height_for(lines: int) -> int:
    """Of a plot with one line of text for each of so many."""
    return 130 + _ROW_HEIGHT * lines


def value_cells(value: Value | None) -> list[str]:
    """Median, extremes and interval, as VALUE_HEADINGS names them."""
    if value is None:
        return ["-", "", "", ""]
    scale = value.unit.scale
    interval = (
        f"{_number(value.interval[0] * scale)} to {_number(value.interval[1] * scale)}" if value.interval else "-"
    )
    extremes = f"{_number(value.low * scale)} to {_number(value.high * scale)}"
    return [f"{_number(value.shown)} {value.unit.name}", extremes if value.n > 1 else "-", interval, str(value.n)]


VALUE_HEADINGS = ["median", "min to max", "95 % interval", "runs"]


def hover(name: str, what: str, value: Value) -> str:
    """What stands beside the pointer."""
    median, extremes, interval, n = value_cells(value)
    return f"<b>{name}</b><br>{what}<br>{median}<br>min to max: {extremes}<br>95 % interval: {interval}<br>runs: {n}"


def table_lines(points: Sequence[Point], names: Sequence[str], quantity: str, columns: Sequence[str]) -> list[Line]:
    """A line for each point: its series, these settings, its value; with why where there is none."""
    lines = []
    for point, name in zip(points, names, strict=True):
        value = point.values.get(quantity)
        cells = value_cells(value) if value else [point.reason or "no value", "", "", ""]
        settings = [setting_text(point.settings.get(column)) for column in columns]
        cells = [name, *settings, *cells, _state(point)]
        lines.append(Line(cells, point.run, command_of(point), point.is_wrong, point.anchor(quantity)))
    return lines


def found_table(
    title: str,
    points: Sequence[Point],
    names: Sequence[str],
    headings: Sequence[str],
    named: Sequence[Sequence[str]],
    found: Mapping[str, str],
) -> Plot:
    """What rows say besides values. `named`: the cells in front, under `headings`; `found`: headings of fields."""
    lines = []
    for point, in_front in zip(points, named, strict=True):
        numbers = [number_of(point.first.get(name)) for name in found]
        cells = [*run_cells(point.run, names), *in_front, *("-" if it is None else number(it) for it in numbers)]
        lines.append(Line(cells, point.run, command_of(point), point.is_wrong))
    return Plot(title, [*run_heading(names), *headings, *found.values()], lines, kind=points[0].kind)


def _state(point: Point) -> str:
    if point.first.get("supported") is False or "verified" not in point.first:
        return ""
    if not point.is_verified:
        return "NOT VERIFIED" if point.is_wrong else "entries lost, as expected"
    return {True: "", False: "not quiet", None: "not known to be quiet"}[point.is_quiet]


def _number(value: float) -> str:
    return number(value) if abs(value) < 1e11 else f"{value:.3g}"

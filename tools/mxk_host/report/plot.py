"""A plot of the report: what is drawn, the same numbers as a table, and what measures each of them again. The page
gives it colours, so that it is legible in light and dark and on paper."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any

import plotly.graph_objects as go

from mxk_host.digits import bytes_text, number
from mxk_host.report.labels import setting_text
from mxk_host.runs.command import command_of
from mxk_host.runs.point import Kind, Point, Value, number_of

# Legible on white and on dark grey, and apart for people who see red and green alike; after them symbols differ.
COLOURS = ("#2f7fd1", "#d9730d", "#1c9a77", "#c2528b", "#8f7a00", "#7a6ad8", "#b0523c", "#4a8aa5", "#6b8e23", "#777f8c")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "triangle-down", "star")
_DASHES = ("solid", "dash", "dot", "dashdot")
Axis = dict[str, Any]  # as Plotly takes it

_HEIGHT = 380  # pixels
_ROW_HEIGHT = 24  # of one line of a dot plot


@dataclass(frozen=True)
class Line:
    """A line of a table."""

    cells: list[str]
    run: int = 0
    command: str = ""
    failed: bool = False


@dataclass
class Plot:
    """`run`: the only one it shows; None: each of its traces says which one it belongs to. Without a `figure`: a table
    only."""

    title: str
    headings: list[str]
    lines: list[Line]
    figure: dict[str, Any] | None = None
    caption: str = ""
    kind: Kind = Kind.MEASURED
    run: int | None = None
    identifier: str = ""
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
    """A line of a plot. `place`: of its name among all names, so that it has the same colour in every run."""

    name: str
    place: int
    run: int
    marks: list[Mark]


Runs = Mapping[int, str]  # names of those that have a part in a plot


def runs_of(points: Iterable[Point], names: Sequence[str]) -> Runs:
    """Those that these points are of."""
    return {run: names[run] for run in sorted({point.run for point in points})}


def run_suffix(run: int, runs: Runs) -> str:
    """Said with each name where there are several runs."""
    return f" · {runs[run]}" if len(runs) > 1 else ""


def run_cells(run: int, names: Sequence[str]) -> list[str]:
    """A cell with its name where there are several runs; `run_heading` is what stands above it."""
    return [names[run]] if len(names) > 1 else []


def run_heading(names: Sequence[str]) -> list[str]:
    """Where there are several runs."""
    return ["run"] if len(names) > 1 else []


def dash(run: int, runs: Runs) -> str:
    """What tells the lines of runs apart."""
    return _DASHES[list(runs).index(run) % len(_DASHES)]


def trace(series: Series, runs: Runs, *, sideways: bool = False, lines: bool = True) -> dict[str, Any]:
    """The medians with bars from the smallest to the largest value measured. Sideways: values to the right."""
    values = [mark.value.shown for mark in series.marks]
    positions = [mark.x for mark in series.marks]
    bars = _bars(series.marks)
    drawn = go.Scatter(
        x=values if sideways else positions,
        y=positions if sideways else values,
        name=series.name + run_suffix(series.run, runs),
        mode="lines+markers" if lines else "markers",
        legendgroup=series.name,
        meta={"run": series.run},
        customdata=[mark.text for mark in series.marks],
        hovertemplate="%{customdata}<extra></extra>",
        error_x=bars if sideways else None,
        error_y=None if sideways else bars,
        marker={"color": colour(series.place), "symbol": _SYMBOLS[series.place % len(_SYMBOLS)], "size": 8},
        line={"color": colour(series.place), "dash": dash(series.run, runs), "width": 2},
    )
    return drawn.to_plotly_json()


def colour(place: int) -> str:
    """Of the series at this place."""
    return COLOURS[place % len(COLOURS)]


def _bars(marks: Sequence[Mark]) -> dict[str, Any]:
    above = [max(mark.value.high - mark.value.median, 0) * mark.value.unit.scale for mark in marks]
    below = [max(mark.value.median - mark.value.low, 0) * mark.value.unit.scale for mark in marks]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.3, "width": 4}


def layout(x: Axis, y: Axis, *, height: int = _HEIGHT, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Axes, and a legend above the plot, where it takes no width."""
    plain = {
        "height": height,
        "margin": {"l": 60, "r": 20, "t": 16, "b": 50},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        "xaxis": {"automargin": True} | x,
        "yaxis": {"automargin": True} | y,
        "hovermode": "closest",
    }
    return go.Layout(plain | more).to_plotly_json()


def logarithmic(values: Iterable[float], title: str, text_of: Callable[[float], str] = lambda it: f"{it:,g}") -> Axis:
    """An axis on which every step is a factor, with ticks at 1, 2, 5 of each power of ten, or at the powers alone."""
    known = [value for value in values if value > 0] or [1.0]
    first, last = floor(log10(min(known))), ceil(log10(max(known)))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return {"type": "log", "title": {"text": title}, "rangemode": "normal", "tickvals": ticks} | {
        "ticktext": list(map(text_of, ticks))
    }


def bytes_axis(sizes: Iterable[Any], title: str) -> Axis:
    """A logarithmic axis of sizes of memory, with ticks at up to ten of them."""
    known = sorted({size for it in sizes if (size := number_of(it)) and size > 0})
    ticks = known[:: max(1, -(-len(known) // 10))]
    return {"type": "log", "title": {"text": title}, "tickvals": ticks, "ticktext": list(map(bytes_text, ticks))}


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
        lines.append(Line([name, *settings, *cells, _state(point)], point.run, command_of(point), point.is_wrong))
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

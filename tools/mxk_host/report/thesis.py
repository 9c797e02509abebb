"""The figures of the thesis: what it says of each, what was measured here, whether it holds; and the plots."""

from collections.abc import Sequence
from dataclasses import replace

from mxk_host.report.charts import axis_of, panel_title, panels
from mxk_host.report.lines import plot_varied
from mxk_host.report.plot import Plot
from mxk_host.report.statements import said_by, statements_table
from mxk_host.runs.command import command_of
from mxk_host.runs.point import UNITS, Point, Unit, number_of, text_of


def figure_numbers(points: Sequence[Point]) -> list[str]:
    """4.2 before 4.10."""
    return sorted({point.figure for point in points if point.figure}, key=_place)


def figure_title(figure: str, points: Sequence[Point]) -> str:
    """With what the figure is about, as its rows say."""
    about = next(
        (text for point in points if point.figure == figure and (text := text_of(point.first.get("title")))), ""
    )
    return f"Figure {figure} of the thesis{f': {about}' if about else ''}"


def _place(figure: str) -> tuple[list[int], str]:
    return [int(part) if part.isdecimal() and len(part) < 10 else 0 for part in figure.split(".")], figure


def figure_plots(figure: str, points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """The statements first, then a plot for each mix of operations."""
    mine = [_as_shown(point) for point in points if point.figure == figure]
    plots = _statements(figure, mine, names)
    for same in panels([point for point in mine if not point.is_statement]):
        quantity = next((name for name in UNITS if any(name in point.values for point in same)), "throughput")
        plots.append(plot_varied(f"Figure {figure}: {panel_title(same)}", same, quantity, axis_of(same), names))
    return plots


_PER_CORE = Unit("M ops/s per core", 1e-6, True)


def _as_shown(point: Point) -> Point:
    """With the throughput of one core, where the figure is about that."""
    cores, total = number_of(point.settings.get("cores")), point.values.get("throughput")
    if text_of(point.first.get("shows")) != "throughput_per_core" or not cores or total is None:
        return point
    return replace(point, values=point.values | {"throughput": total.times(1 / cores, _PER_CORE)})


def _statements(figure: str, points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    lines = [
        said_by(
            point,
            text_of(point.first.get("statement")),
            [text_of(point.first.get("side"))],
            names,
            "not measured",
            command=command_of(point),
        )
        for point in points
        if point.is_statement
    ]
    return statements_table(f"Figure {figure}: what the thesis says of it", "the thesis says", lines, names)

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
    """4.2 before 4.10, and the experiments of Bobox' thesis behind them: E2 before E10."""
    return sorted({point.figure for point in points if point.figure}, key=_place)


def figure_title(figure: str, points: Sequence[Point]) -> str:
    """With what the figure is about, as its rows say."""
    about = next(
        (text for point in points if point.figure == figure and (text := text_of(point.first.get("title")))), ""
    )
    whose = "Bobox'" if _is_experiment(figure) else "the"
    return f"{figure_name(figure)} of {whose} thesis{f': {about}' if about else ''}"


def figure_name(figure: str) -> str:
    """Figure 4.2, E9."""
    return figure if _is_experiment(figure) else f"Figure {figure}"


def _is_experiment(figure: str) -> bool:
    return figure.startswith("E")


def _place(figure: str) -> tuple[bool, list[int], str]:
    parts = figure.removeprefix("E").split(".")
    places = [int(part) if part.isdecimal() and len(part) < 10 else 0 for part in parts]
    return _is_experiment(figure), places, figure


def figure_plots(figure: str, points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """The statements first, then a plot for each mix of operations."""
    mine = [_as_shown(point) for point in points if point.figure == figure]
    plots = _statements(figure, mine, names)
    for same in panels([point for point in mine if not point.is_statement]):
        quantity = next((name for name in UNITS if any(name in point.values for point in same)), "throughput")
        plots.append(plot_varied(f"{figure_name(figure)}: {panel_title(same)}", same, quantity, axis_of(same), names))
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
            "unknown",
            command=command_of(point),
        )
        for point in points
        if point.is_statement
    ]
    return statements_table(f"{figure_name(figure)}: what the thesis says of it", "the thesis says", lines, names)

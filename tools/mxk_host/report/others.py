"""Benchmarks that the report has no drawing of its own for: their rows as a table, and a plot of the
values."""

from collections.abc import Sequence

from mxk_host.report.lines import plot_dots, plot_over
from mxk_host.report.plot import Plot
from mxk_host.report.throughput import axis_of
from mxk_host.runs.point import UNITS, Kind, Point


def other_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """One for each benchmark, quantity and kind of machine."""
    groups: dict[tuple[str, str, Kind], list[Point]] = {}
    for point in points:
        quantity = next((name for name in UNITS if name in point.values), "")
        groups.setdefault((point.benchmark, quantity, point.kind), []).append(point)
    plots = []
    for (benchmark, quantity, _), same in groups.items():
        axis = axis_of(same)
        several = len({point.settings.get(axis) for point in same}) > 2
        plots.append(
            plot_over(benchmark, same, quantity, axis, names)
            if several
            else plot_dots(benchmark, same, quantity, names)
        )
    return plots

"""Throughput by the size of the table: which cache it fits into."""

from collections.abc import Sequence
from dataclasses import replace

from mxk_host.report.lines import plot_over
from mxk_host.report.plot import Plot, bytes_axis
from mxk_host.report.throughput import panels
from mxk_host.runs.point import Point, number_of, text_of

_SIZE = "size_bytes"
_BY_SIZE = ("operations", "passes", "buckets", "load")  # other for each size, or nearly the same


def is_sweep(point: Point) -> bool:
    """Whether it is one of several sizes of a table."""
    return point.benchmark == "table" and number_of(point.settings.get(_SIZE)) is not None


def sweep_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """One for each mix of operations, with the sizes to the right."""
    return [_plot(same, names) for same in panels([_of_a_line(point) for point in points])]


def _of_a_line(point: Point) -> Point:
    """With the settings that are the same for all sizes."""
    return replace(point, settings={name: it for name, it in point.settings.items() if name not in _BY_SIZE})


def _plot(points: Sequence[Point], names: Sequence[str]) -> Plot:
    settings = points[0].settings
    what = ", ".join(text for name in ("mix", "dist", "keys") if (text := text_of(settings.get(name))))
    x = bytes_axis((point.settings.get(_SIZE) for point in points), "size of the table")
    plot = plot_over(f"Throughput by size of the table: {what} keys", points, "throughput", _SIZE, names, x=x)
    plot.caption += " The axis of sizes is logarithmic: each step down is the end of a cache."
    return plot

"""What tasks, threads and semaphores cost, each in a line, on a logarithmic axis: from nanoseconds to milliseconds."""

from collections.abc import Sequence
from dataclasses import replace

from mxk_host.report.labels import series_names
from mxk_host.report.lines import BARS, dots
from mxk_host.report.plot import (
    VALUE_HEADINGS,
    Mark,
    Plot,
    Series,
    hover,
    logarithmic,
    run_suffix,
    runs_of,
    table_lines,
)
from mxk_host.runs.point import Kind, Point, text_of

_COSTS = ("task", "thread", "semaphore")


def is_cost(point: Point) -> bool:
    """Whether it is what something costs."""
    return point.benchmark.removesuffix("-peer") in _COSTS


def cost_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """One for tasks, threads and semaphores each, with the peers'."""
    plots = []
    for subject in _COSTS:
        of_subject = [point for point in points if point.benchmark.removesuffix("-peer") == subject]
        for kind in Kind:
            same = [point for point in of_subject if point.kind is kind]
            if same:
                plots.append(_plot(subject, same, names))
    return plots


def _plot(subject: str, points: Sequence[Point], names: Sequence[str]) -> Plot:
    # The measure first, so that the same measure of a peer is near.
    measures = [text_of(point.settings.get("measure")) or point.benchmark for point in points]
    labels = series_names(points, apart=("measure", "peer", "core_nodes", "depth"), begin=measures)
    whose = [text_of(point.settings.get("peer")) or "mxk" for point in points]
    runs = runs_of(points, names)
    quantity = "nanoseconds" if any("nanoseconds" in point.values for point in points) else "cycles"
    marks: dict[tuple[str, int], list[Mark]] = {}
    for point, label, who in zip(points, labels, whose, strict=True):
        if (value := point.values.get(quantity)) is not None and value.median > 0:
            line = label + run_suffix(point.run, runs)
            marks.setdefault((who, point.run), []).append(Mark(line, value, hover(who, label, value), point))
    plot = Plot(
        f"What {_PLURAL[subject]} cost",
        ["what", "of", *VALUE_HEADINGS, ""],
        [
            replace(line, cells=[line.cells[0], who, *line.cells[1:]])
            for line, who in zip(table_lines(points, labels, quantity, ()), whose, strict=True)
        ],
        caption=f"{BARS} The axis is logarithmic.",
        kind=points[0].kind,
    )
    places = {who: place for place, who in enumerate(dict.fromkeys(who for who, _ in marks))}
    series = [Series(who, places[who], run, of) for (who, run), of in marks.items()]
    if series:
        values = [edge for it in series for mark in it.marks for edge in (mark.value.low, mark.value.high)]
        plot.figure = dots(series, runs, logarithmic(values, series[0].marks[0].value.unit.name))
    return plot


_PLURAL = {"task": "tasks", "thread": "threads", "semaphore": "semaphores"}

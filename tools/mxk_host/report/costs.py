"""What tasks, threads, semaphores and grace periods cost, each in a line, on a logarithmic axis: from nanoseconds to
milliseconds."""

from collections.abc import Sequence

from mxk_host.report.labels import series_names
from mxk_host.report.lines import logarithmic_dots
from mxk_host.report.plot import VALUE_HEADINGS, Mark, Plot, bars_text, hover, runs_of, table_lines
from mxk_host.runs.point import Kind, Point, text_of

_PLURAL = {"task": "tasks", "thread": "threads", "semaphore": "semaphores", "rcu": "read sections and grace periods"}


def is_cost(point: Point) -> bool:
    """Whether it is what something costs."""
    return point.benchmark.removesuffix("-peer") in _PLURAL


def cost_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """One for tasks, threads, semaphores and RCU each, with the peers'."""
    found = {
        (subject, kind): [it for it in points if it.benchmark.removesuffix("-peer") == subject and it.kind is kind]
        for subject in _PLURAL
        for kind in Kind
    }
    return [_plot(subject, same, names) for (subject, _), same in found.items() if same]


def _plot(subject: str, points: Sequence[Point], names: Sequence[str]) -> Plot:
    # The measure first, so that the same measure of a peer is near.
    measures = [text_of(point.settings.get("measure")) or point.benchmark for point in points]
    labels = series_names(points, apart=("measure", "peer", "core_nodes", "depth"), begin=measures)
    whose = [text_of(point.settings.get("peer")) or "mxk" for point in points]
    runs = runs_of(points, names)
    quantity = "nanoseconds" if any("nanoseconds" in point.values for point in points) else "cycles"
    marks = []
    for point, label, who in zip(points, labels, whose, strict=True):
        if (value := point.values.get(quantity)) is not None and value.median > 0:
            line = label + runs[point.run].suffix
            marks.append((who, Mark(line, value, hover(who, label, value), point)))
    plot = Plot(
        f"What {_PLURAL[subject]} cost",
        ["what", *VALUE_HEADINGS, ""],
        table_lines(points, labels, quantity, ()),
        caption=f"{bars_text([mark.value for _, mark in marks])} The axis is logarithmic.",
        kind=points[0].kind,
    )
    plot.insert(1, "of", whose)
    plot.figure = logarithmic_dots(marks, runs)
    return plot

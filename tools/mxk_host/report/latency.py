"""How long single operations took, by percentile."""

from collections.abc import Sequence

import plotly.graph_objects as go

from mxk_host.digits import cores_text, number
from mxk_host.report.charts import panel_title, panels
from mxk_host.report.labels import series_names
from mxk_host.report.lines import MAX_LINES
from mxk_host.report.plot import Line, Plot, layout, logarithmic, runs_of
from mxk_host.runs.command import command_of
from mxk_host.runs.point import Durations, Point, number_of

_OF = {
    "latency": "of operations, from their submission to their result",
    "latency_without_host": "of the operations that were not late because the host had a core, from when they were due",
    "tasks": "of tasks",
}
_OF_A_RATE = "of operations, from when they were due to their result"
_TICKS = ("50", "99", "99.9", "max")


def latency_plots(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """For each kind of duration and mix one, with a line for each configuration."""
    kinds = dict.fromkeys(kind for point in points for kind in point.durations)
    return [
        _plot(kind, same, names)
        for kind in kinds
        for same in panels([point for point in points if kind in point.durations])
    ]


def _plot(kind: str, points: Sequence[Point], names: Sequence[str]) -> Plot:
    labels = [
        f"{name}, {cores_text(cores)}" if (cores := number_of(point.settings.get("cores"))) is not None else name
        for point, name in zip(points, series_names(points, apart=("cores",)), strict=True)
    ]
    lines = [
        Line([label, *_cells(point.durations[kind])], point.run, command_of(point), anchor=point.anchor(kind))
        for point, label in zip(points, labels, strict=True)
    ]
    places = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    drawn = [(point, label) for point, label in zip(points, labels, strict=True) if places[label] < MAX_LINES]
    runs = runs_of(points, names)
    data = []
    for point, label in drawn:
        it = point.durations[kind]
        known = [
            (tick, value / 1000)
            for tick, value in zip(_TICKS, (it.p50, it.p99, it.p999, it.max), strict=True)
            if value is not None and value > 0
        ]
        data.append(
            go.Scatter(
                x=[tick for tick, _ in known],
                y=[value for _, value in known],
                name=label + runs[point.run].suffix,
                mode="lines+markers",
                legendgroup=label,
                meta={"run": point.run},
                hovertemplate=f"<b>{label}</b><br>percentile %{{x}}: %{{y:.3g}} µs<extra></extra>",
                line={"dash": runs[point.run].dash},
                marker={"size": 8},
            ).to_plotly_json()
        )
    hidden = len(places) - len({label for _, label in drawn})
    return Plot(
        f"{panel_title(points)}: latency" if kind == "latency" else f"{panel_title(points)}: {kind.replace('_', ' ')}",
        ["series", "count", "p50", "p99", "p99.9", "max"],
        lines,
        {
            "data": data,
            "layout": layout(
                {"type": "category", "title": {"text": "percentile"}},
                logarithmic([time for it in data for time in it["y"]], "µs"),
            ),
        },
        caption=f"How long it took, {_of(kind, points)}."
        + (f" The first {MAX_LINES} are drawn; {hidden} more stand in the table." if hidden else ""),
        kind=points[0].kind,
    )


def _of(kind: str, points: Sequence[Point]) -> str:
    if kind == "latency" and all("rate" in point.settings for point in points):
        return _OF_A_RATE
    return _OF.get(kind, kind.replace("_", " "))


def _cells(it: Durations) -> list[str]:
    times = (it.p50, it.p99, it.p999, it.max)
    return [str(it.count), *("-" if time is None else f"{number(time / 1000)} µs" for time in times)]

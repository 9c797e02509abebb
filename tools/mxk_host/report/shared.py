"""What all cores read and write at once: read sections, one list, tables while they grow; and the shared tables beside
those that are parts of cores."""

from collections.abc import Sequence
from dataclasses import replace

from mxk_host.digits import cores_text, number
from mxk_host.report.charts import ONE_LIST, READ_SECTIONS, panel_title, panels
from mxk_host.report.labels import count_text, series_names
from mxk_host.report.lines import logarithmic_dots, plot_over
from mxk_host.report.plot import VALUE_HEADINGS, Mark, Plot, bars_text, hover, runs_of, table_lines
from mxk_host.runs.point import NANOSECONDS, Point, Value, number_of, text_of, together

_READ, _LIST, _RESIZE = "rcu-read", "list", "resize"
_MILLISECOND = 1e6  # ns
# How a table of each model is used by several cores.
_HOW = {"shared": "shared", "tasks": "partitioned", "threads": "parts behind locks"}


def is_shared(point: Point) -> bool:
    """Whether it is of a benchmark that has its drawing here; tables have others besides."""
    return point.benchmark in (_READ, _LIST, _RESIZE)


def shared_plots(points: Sequence[Point], tables: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """`tables`: those of the plots of throughput."""
    plots = [*READ_SECTIONS.plots(points, names), *ONE_LIST.plots(points, names)]
    plots += [_resize(same, names) for same in panels([it for it in points if it.benchmark == _RESIZE], ("keys",))]
    mine = [point for point in tables if point.benchmark == "table"]
    return plots + [plot for same in panels(mine) if (plot := _tables(same, names)) is not None]


def _resize(points: Sequence[Point], names: Sequence[str]) -> Plot:
    """A line for each table, number of cores and phase, with the median and the 99th percentile."""
    ordered = sorted(points, key=_place)
    labels = series_names(ordered, apart=("phase", "cores"))
    labels = [_with_cores_and_phase(label, point) for label, point in zip(labels, ordered, strict=True)]
    runs = runs_of(ordered, names)
    lines = []
    marks = []
    table = table_lines(ordered, labels, "nanoseconds", ())
    for point, label, line in zip(ordered, labels, table, strict=True):
        p50, p99 = point.values.get("nanoseconds"), _of_rows(point, "p99")
        for name, value in (("p50", p50), ("p99", p99)):
            if value is not None and value.median > 0:
                text = hover(label, name, value)
                marks.append((name, Mark(label + runs[point.run].suffix, value, text, point)))
        more = [_time(p99), _time(_of_rows(point, "p99_quiet")), _within(point), _time(_of_rows(point, "max_ns"))]
        lines.append(replace(line, cells=[*line.cells[:-1], *more, line.cells[-1]]))
    keys = number_of(points[0].settings.get("keys"))
    bars = bars_text([mark.value for _, mark in marks])
    plot = Plot(
        f"Look-ups while a table doubles{f': {count_text(keys)} keys' if keys else ''}",
        ["series", *VALUE_HEADINGS, "p99", "p99 when quiet", "within", "max", ""],
        lines,
        caption=f"How long a look-up took, quiet and while the table grew. {bars} Within: the p99 is "
        " no more than twice that of the quiet table and 5 µs. The axis is logarithmic.",
        kind=points[0].kind,
    )
    plot.figure = logarithmic_dots(sorted(marks, key=lambda it: (it[0], it[1].point.run)), runs)
    if plot.figure is not None:
        drawn = dict.fromkeys(label + runs[point.run].suffix for label, point in zip(labels, ordered, strict=True))
        plot.figure["layout"]["yaxis"]["categoryarray"] = list(reversed(drawn))
    return plot


def _place(point: Point) -> tuple[str, float, bool]:
    """Growing below quiet, fewer cores above more."""
    settings = point.settings
    return text_of(settings.get("layout")), number_of(settings.get("cores")) or 0, settings.get("phase") != "quiet"


def _with_cores_and_phase(label: str, point: Point) -> str:
    cores = number_of(point.settings.get("cores"))
    return ", ".join(filter(None, (label, cores_text(cores) if cores else "", text_of(point.settings.get("phase")))))


def _of_rows(point: Point, name: str) -> Value | None:
    """A time that is no value of the frame's, of all rounds."""
    found = [value for row in point.rows if (value := number_of(row.get(name))) is not None]
    return together([Value(NANOSECONDS, 1, it, it, it) for it in found]) if found else None


def _time(value: Value | None) -> str:
    if value is None:
        return "-"
    return f"{number(value.median)} ns" if value.median < _MILLISECOND else f"{number(value.median / 1e6)} ms"


def _within(point: Point) -> str:
    said = [row["within"] for row in point.rows if isinstance(row.get("within"), bool)]
    return "" if not said else "yes" if all(said) else "NO"


def _tables(points: Sequence[Point], names: Sequence[str]) -> Plot | None:
    """None where there is nothing to set beside a shared table."""
    hows = [_how(point) for point in points]
    if len(set(hows)) < 2 or _HOW["shared"] not in hows:
        return None
    labels = series_names(points, apart=("cores", "model"))
    named = [
        replace(point, settings=point.settings | {"series": f"{how}: {label}"})
        for point, how, label in zip(points, hows, labels, strict=True)
    ]
    order = sorted(named, key=lambda point: _how(point) != _HOW["shared"])
    plot = plot_over(f"Shared and partitioned: {panel_title(points)}", order, "throughput", "cores", names)
    plot.caption += " Shared: any core works on all of the table; partitioned: each core on its part, for the others."
    return plot


def _how(point: Point) -> str:
    model = text_of(point.settings.get("model"))
    return _HOW.get(model, model or _HOW["tasks"])

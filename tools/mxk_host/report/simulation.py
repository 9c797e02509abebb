"""What a simulation says besides rows: where the cycles went, which lines are expensive, how throughput scales."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from mxk_host.report.charts import is_table, panel_title, panels
from mxk_host.report.lines import plot_over
from mxk_host.report.plot import Line, Plot, layout
from mxk_host.runs.point import Kind, Point, Unit, number_of
from mxk_host.simulate.result import Region, Result, Stack
from mxk_host.simulate.tables import Limits, grids, short, word
from mxk_host.simulate.totals import total_of

_LIMITS = Limits(lines=32, functions=24, cores=4096)
_EFFICIENCY = Unit("of linear", 1, True)
_IDLE = "rgba(128, 128, 128, 0.3)"  # what is no work is pale
_MIN_SHARE = 0.005  # of all cycles, lost at a line: a finding


def simulation_plots(results: Mapping[int, Result], points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """`results`: by the number of the run that each is of."""
    plots = _scaling(points, names)
    for run, result in results.items():
        for grid in grids(result, _LIMITS) if result.regions else ():
            rows = [[cell.replace("\n", "; ") for cell in row] for row in grid.rows]
            lines = [Line(row, run, failed=any(cell.startswith("FALSE") for cell in row)) for row in rows]
            plot = Plot(grid.title, list(grid.headings), lines, kind=Kind.SIMULATED, run=run)
            if grid.stacks:
                plot.figure = _stacked(grid.headings[0], grid.stacks)
                plot.caption = "Of the cores that did anything. CPI is of the cycles that are not idle."
            if "sharing" in grid.headings:
                plot.findings = list(_false_sharing(total_of(result.regions)))
            plots.append(plot)
    return plots


def _stacked(axis: str, stacks: Mapping[str, Stack]) -> dict[str, Any]:
    known = dict.fromkeys(part for stack in stacks.values() for part in stack.parts)
    data: list[dict[str, Any]] = [
        go.Bar(
            x=list(stacks),
            y=[100 * stack.share(part) for stack in stacks.values()],
            name=word(part),
            legendgroup=word(part),
            marker={"color": _IDLE} if part == "idle" else None,
            hovertemplate=f"{axis} %{{x}}<br>{word(part)}: %{{y:.1f}} %<extra></extra>",
        ).to_plotly_json()
        for part in known
        if any(stack.cycles.get(part) for stack in stacks.values())
    ]
    y = {"title": {"text": "% of cycles"}, "range": [0, 100]}
    return {"data": data, "layout": layout({"type": "category", "title": {"text": axis}}, y, barmode="stack")}


def _false_sharing(total: Region) -> Iterator[str]:
    cycles = sum(core.stack.busy for core in total.cores)
    for it in total.lines[: _LIMITS.lines]:
        if it.is_false_sharing and cycles and (share := it.cycles / cycles) >= _MIN_SHARE:
            yield f"false sharing: {short(it.what)} ({it.physical:#x}), {100 * share:.1f} % of the cycles"


def _scaling(points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """Of tables: what each core does, by what it does where there are fewest."""
    simulated = [it for it in points if it.kind is Kind.SIMULATED and is_table(it) and "throughput" in it.values]
    plots = []
    for same in panels([point for point in simulated if number_of(point.settings.get("cores"))]):
        first: dict[tuple[Any, ...], tuple[float, float]] = {}
        for point in sorted(same, key=_cores):
            first.setdefault(_apart_from_cores(point), (_cores(point), point.values["throughput"].median))
        scaled = [_scaled(point, *first[_apart_from_cores(point)]) for point in same]
        if len({_cores(point) for point in scaled}) > 1:
            plot = plot_over(f"Scaling: {panel_title(same)}", scaled, "throughput", "cores", names)
            plot.caption = f"Throughput of each core by that where there are fewest: 1 is linear. {plot.caption}"
            plots.append(plot)
    return plots


def _cores(point: Point) -> float:
    return number_of(point.settings.get("cores")) or 1.0


def _apart_from_cores(point: Point) -> tuple[Any, ...]:
    settings = ((name, it) for name, it in point.settings.items() if name not in ("cores", "core_set"))
    return (point.run, *sorted(settings, key=repr))


def _scaled(point: Point, cores: float, median: float) -> Point:
    it, factor = point.values["throughput"], cores / _cores(point) / median if median else 0.0
    return replace(point, values={"throughput": it.times(factor, _EFFICIENCY)})

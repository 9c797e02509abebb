"""What a simulation says besides rows: where the cycles went, which lines are expensive, how throughput scales."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from mxk_host.digits import number
from mxk_host.report.charts import is_table, panel_title, panels
from mxk_host.report.lines import plot_over
from mxk_host.report.plot import Line, Plot, colour, layout
from mxk_host.runs.point import Kind, Point, Unit, Value, number_of
from mxk_host.simulate.result import PARTS, Region, Result, Stack
from mxk_host.simulate.tables import short, who
from mxk_host.simulate.totals import by_name, total_of

_LINES, _FUNCTIONS = 32, 24
_EFFICIENCY = Unit("of linear", 1, True)
_IDLE = "rgba(128, 128, 128, 0.3)"  # what is no work is pale
_MIN_SHARE = 0.005  # of all cycles, lost at a line: a finding


def simulation_plots(results: Mapping[int, Result], points: Sequence[Point], names: Sequence[str]) -> list[Plot]:
    """`results`: by the number of the run that each is of."""
    plots = _scaling(points, names)
    for run, result in results.items():
        suffix = f" · {names[run]}" if len(names) > 1 else ""
        made = list(_plots(result)) if result.regions else []
        for plot in made:
            plot.title, plot.run, plot.kind = plot.title + suffix, run, Kind.SIMULATED
            plot.lines = [replace(line, run=run) for line in plot.lines]
        plots += made
    return plots


def _plots(result: Result) -> Iterable[Plot]:
    total = total_of(result.regions)
    if len(result.regions) > 1:
        yield _by_region(result)
    yield _by_core(total)
    if total.lines:
        yield _line_table(total)
    if total.functions:
        yield _function_table(total)
    if len(total.traffic) > 1:
        yield _traffic(total)


def _by_region(result: Result) -> Plot:
    stacks = {}
    for place, region in enumerate(result.regions, 1):
        milliseconds = 1000 * region.cycles / result.hertz
        stacks[f"{place}: {len(region.active_cores)} cores, {number(milliseconds)} ms"] = _sum(region)
    plot = _stacked("Where the cycles went, part by part", "measured part", stacks)
    plot.caption = "Of all cores that did anything in the part."
    return plot


def _by_core(total: Region) -> Plot:
    stacks = {str(core.number): core.stack for core in total.active_cores}
    plot = _stacked("Where the cycles went, core by core", "core", stacks)
    plot.headings = [plot.headings[0], "node", "CPI", *plot.headings[1:]]
    plot.lines = [
        replace(line, cells=[line.cells[0], str(core.node), _cpi(core.stack, core.instructions), *line.cells[1:]])
        for line, core in zip(plot.lines, total.active_cores, strict=True)
    ]
    plot.caption = "Of all measured parts together. CPI is of the cycles that are not idle."
    return plot


def _stacked(title: str, axis: str, stacks: Mapping[str, Stack]) -> Plot:
    parts = [part for part in _known(stacks.values()) if any(stack.cycles.get(part) for stack in stacks.values())]
    data: list[dict[str, Any]] = [
        go.Bar(
            x=list(stacks),
            y=[100 * stack.share(part) for stack in stacks.values()],
            name=_word(part),
            marker={"color": _IDLE if part == "idle" else colour(PARTS.index(part) if part in PARTS else len(PARTS))},
            hovertemplate=f"{axis} %{{x}}<br>{_word(part)}: %{{y:.1f}} %<extra></extra>",
        ).to_plotly_json()
        for part in parts
    ]
    lines = [Line([name, *(_percent(stack.share(part)) for part in parts)]) for name, stack in stacks.items()]
    figure = {
        "data": data,
        "layout": layout(
            {"type": "category", "title": {"text": axis}},
            {"title": {"text": "% of cycles"}, "range": [0, 100]},
            barmode="stack",
        ),
    }
    return Plot(title, [axis, *map(_word, parts)], lines, figure)


def _line_table(total: Region) -> Plot:
    cycles = sum(core.stack.busy for core in total.cores)
    lines, findings = [], []
    for it in total.lines[:_LINES]:
        share = it.cycles / cycles if cycles else 0.0
        node = "" if it.node is None else f", node {it.node}"
        moved = (f"{it.transfers:,.0f}", f"{it.invalidations:,.0f}")
        cells = [_percent(share), it.sharing, short(it.what), f"{it.physical:#x}{node}", "; ".join(who(it)), *moved]
        lines.append(Line(cells, failed=it.is_false_sharing))
        if it.is_false_sharing and share >= _MIN_SHARE:
            findings.append(f"false sharing: {short(it.what)} ({it.physical:#x}), {_percent(share)} of the cycles")
    headings = ["cycles", "sharing", "what", "where", "who", "transfers", "invalidations"]
    return Plot("Expensive cache lines", headings, lines, findings=findings)


def _function_table(total: Region) -> Plot:
    cycles = sum(core.stack.busy for core in total.cores)
    functions = by_name(total.functions)[:_FUNCTIONS]
    parts = [
        part for part in _known(it.stack for it in functions) if any(it.stack.cycles.get(part) for it in functions)
    ]
    lines = []
    for it in functions:
        shares = [_percent(it.stack.share(part)) for part in parts]
        of_all = _percent(it.cycles / cycles) if cycles else "-"
        lines.append(Line([short(it.name) or f"{it.address:#x}", of_all, _cpi(it.stack, it.instructions), *shares]))
    return Plot("Expensive functions", ["function", "cycles", "CPI", *map(_word, parts)], lines)


def _traffic(total: Region) -> Plot:
    nodes = range(len(total.traffic))
    channels = {channel.node: channel for channel in total.channels}
    lines = []
    for node in nodes:
        it = channels.get(node)
        memory = ["-", "-"] if it is None else [f"{it.bytes:,.0f}", _percent(it.busy)]
        lines.append(Line([str(node), *(f"{cell:,.0f}" for cell in total.traffic[node]), *memory]))
    headings = ["from node", *(f"to {node}" for node in nodes), "of its memory", "channels busy"]
    return Plot("Bytes moved between nodes", headings, lines)


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
            plot.caption = "Throughput of each core by that where there are fewest: 1 is linear."
            plots.append(plot)
    return plots


def _cores(point: Point) -> float:
    return number_of(point.settings.get("cores")) or 1.0


def _apart_from_cores(point: Point) -> tuple[Any, ...]:
    settings = ((name, it) for name, it in point.settings.items() if name not in ("cores", "core_set"))
    return (point.run, *sorted(settings, key=repr))


def _scaled(point: Point, cores: float, median: float) -> Point:
    it, factor = point.values["throughput"], cores / _cores(point) / median if median else 0.0
    interval = (it.interval[0] * factor, it.interval[1] * factor) if it.interval else None
    value = Value(_EFFICIENCY, it.n, it.median * factor, it.low * factor, it.high * factor, interval)
    return replace(point, values={"throughput": value})


def _sum(region: Region) -> Stack:
    stack = Stack()
    for core in region.active_cores:
        stack.add(core.stack)
    return stack


def _known(stacks: Iterable[Stack]) -> list[str]:
    return list(dict.fromkeys(part for stack in stacks for part in stack.parts))


def _cpi(stack: Stack, instructions: float) -> str:
    return f"{stack.busy / instructions:.2f}" if instructions else "-"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _word(part: str) -> str:
    return part.replace("_", " ")

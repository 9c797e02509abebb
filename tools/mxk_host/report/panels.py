"""What stands beside each other where a page is about several machines: panels of a plot, one for each machine, and
plots of one run each. They have the same scale, and a series has the same colour in all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mxk_host.order import grouped
from mxk_host.report.plot import Axis, Figure, Plot, logarithmic
from mxk_host.runs.point import number_of
from mxk_host.runs.source import Run

_BESIDE = 0.05  # of an axis: room for the marks at its ends


@dataclass(frozen=True)
class Panel:
    """Where there are several machines it is of one: `title`, with `runs`."""

    identifier: str
    title: str
    runs: list[int]
    figure: Figure


def panels_of(plot: Plot, runs: Sequence[Run], titles: Sequence[str]) -> list[Panel]:
    """`titles`: of the machines."""
    if plot.figure is None:
        return []
    if len(titles) == 1:
        return [Panel(plot.identifier, "", [], plot.figure)]
    data, layout = plot.figure["data"], dict(plot.figure["layout"])
    of = grouped(data, lambda it: runs[_run_of(plot, it)].machine)
    if len(of) > 1:
        layout["xaxis"], layout["yaxis"] = (_fixed(layout[f"{axis}axis"], axis, data) for axis in "xy")
        layout.setdefault("showlegend", len({it.get("legendgroup") for it in data}) > 1)
    panels = []
    for machine, mine in sorted(of.items()):
        shown = sorted({_run_of(plot, it) for it in mine})
        panels.append(Panel(f"{plot.identifier}-{machine}", titles[machine], shown, {"data": mine, "layout": layout}))
    return panels


def _run_of(plot: Plot, trace: Figure) -> int:
    return trace["meta"]["run"] if plot.run is None else plot.run


def _fixed(axis: Axis, name: str, data: Sequence[Figure]) -> Axis:
    """With a range that has all that is drawn."""
    if "range" in axis:
        return axis
    if axis.get("type") == "category":
        names = list(dict.fromkeys(value for it in data for value in it[name]))
        return axis | {"categoryorder": "array", "categoryarray": names, "range": [-0.3, len(names) - 0.7]}
    is_to_zero = axis.get("rangemode") == "tozero"
    ends = [0.0] if is_to_zero else []
    for it in data:
        bars = it.get(f"error_{name}") or {}
        above, below = (bars.get(side) or [0] * len(it[name]) for side in ("array", "arrayminus"))
        for value, more, less in zip(it[name], above, below, strict=True):
            if (at := number_of(value)) is not None:
                ends += [at + (number_of(more) or 0), at - (number_of(less) or 0)]
    low, high = min(ends, default=0.0), max(ends, default=0.0)
    beside = _BESIDE * (high - low)
    return axis | {"range": [0.0 if is_to_zero and low == 0 else low - beside, high + beside]}


def beside(plots: Sequence[Plot]) -> list[list[Plot]]:
    """Plots of one run each that have the same title together, with the same scale."""
    groups = grouped(plots, lambda it: it.identifier if it.run is None else (it.title, it.kind))
    for same in groups.values():
        _share([plot.figure for plot in same if plot.run is not None and plot.figure is not None])
    return list(groups.values())


def _share(figures: Sequence[Figure]) -> None:
    maps: dict[str, list[dict[str, Any]]] = {}
    for figure in figures:
        for trace, title in zip(figure["data"], figure["layout"].get("annotations", ()), strict=False):
            maps.setdefault(title["text"], []).append(trace)
    for same in maps.values():
        low, high = min(it["zmin"] for it in same), max(it["zmax"] for it in same)
        for it in same:
            it.update({"zmin": low, "zmax": high})
    axes = [figure["layout"]["xaxis"] for figure in figures]
    if len(axes) > 1 and all(axis.get("type") == "log" for axis in axes):
        wide = logarithmic([10**end for axis in axes for end in axis["range"]], axes[0]["title"]["text"])
        for axis in axes:
            axis.update(wide)

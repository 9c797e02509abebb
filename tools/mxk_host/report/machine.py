"""What a machine is like: its memory, its cache lines, its TLB; and the firmware's own word for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas
import plotly.graph_objects as go

from mxk_host.digits import number
from mxk_host.report.charts import CURVES, LATENCY, LOADED, OVERLAPS, TLB
from mxk_host.report.plot import VALUE_HEADINGS, Line, Plot, min_span, value_cells
from mxk_host.runs.command import command_of
from mxk_host.runs.point import Kind, Point, machine_of, number_of, text_of
from mxk_host.stream import Row

Place = tuple[float, float]
Matrix = Mapping[Place, float]
_SCALE = "Viridis"
_CELL_WIDTH, _CELL_HEIGHT, _MAX_HEIGHT = 100, 40, 560  # pixels
_TEXT_UP_TO = 16  # rows; in smaller cells numbers cannot be read
_LOCAL = 10  # what a SLIT calls the distance of a node to itself
_MAX_DIFFERENCE = 2.0  # a SLIT further from what was measured is a finding
_NODES = ("core_node", "memory_node")
_CORES = ("from", "to")


@dataclass(frozen=True)
class Maps:
    """Heat maps that stand beside each other: one for each measure."""

    title: str
    quantity: str
    axes: tuple[str, str]
    benchmark: str
    measures: tuple[str, ...]


_BANDWIDTHS = ("read", "write", "copy", "write-streaming")
_ATOMICS = ("atomic-owned", "atomic-shared", "atomic-remote")
_HEAT_MAPS = (
    Maps("Memory latency, node by node", "nanoseconds", _NODES, "memory", ("latency-matrix",)),
    Maps("Memory bandwidth, node by node", "bytes_per_second", _NODES, "memory", _BANDWIDTHS),
    Maps("A cache line there and back, core by core", "nanoseconds", _CORES, "lines", ("round-trip",)),
    Maps("An atomic addition, by who has the line", "nanoseconds", _CORES, "lines", _ATOMICS),
)
_SUBJECTS = ("memory", "lines", "tlb")


def is_machine(point: Point) -> bool:
    """Whether it says what the machine is like."""
    subject = point.benchmark.removesuffix("-peer")
    of_maps = (measure for kind in _HEAT_MAPS for measure in kind.measures)
    measures = ("latency", "loaded-latency", "curve", *OVERLAPS, *of_maps)
    return subject == "tlb" or (subject in _SUBJECTS and text_of(point.settings.get("measure")) in measures)


def machine_plots(points: Sequence[Point], names: Sequence[str], topologies: Mapping[int, Row]) -> list[Plot]:
    """Of several runs: lines together, a heat map for each."""
    plots = []
    for kind in Kind:
        same = [point for point in points if point.kind is kind]
        plots += LATENCY.plots(same, names)
        for chart in (LOADED, CURVES):
            drawn = [point for point in same if chart.takes(point)]
            plots += [_beside_used(plot, drawn) for plot in chart.plots(drawn, names)]
        plots += [plot for chart in OVERLAPS.values() for plot in chart.plots(same, names)]
        plots += [plot for maps in _HEAT_MAPS for plot in _heat_maps(same, maps, topologies)]
        plots += TLB.plots(same, names)
    return plots


def _of(points: Sequence[Point], benchmark: str, measure: str) -> list[Point]:
    return [it for it in points if it.benchmark == benchmark and it.settings.get("measure") == measure]


def _beside_used(plot: Plot, points: Sequence[Point]) -> Plot:
    """The latency over the bandwidth that is used beside it, each series in the order of its loads."""
    keys = [(it.run, line.cells[0], it.settings.get("load")) for it, line in zip(points, plot.lines, strict=True)]
    beside = [point.values.get("bytes_per_second") for point in points]
    used = {key: value.shown for key, value in zip(keys, beside, strict=True) if value is not None}
    plot.insert(2, "GB/s beside it", ("-" if it is None else f"{it.shown:.3g}" for it in beside))
    if plot.figure is not None and len(used) == len(set(keys)) and len(used) > 1:
        for trace in plot.figure["data"]:
            trace["x"] = [used.get((trace["meta"]["run"], trace["legendgroup"], load)) for load in trace["x"]]
        axis = plot.figure["layout"]["xaxis"]
        axis.pop("tickvals", None)
        axis.pop("ticktext", None)
        axis["title"] = {"text": "GB/s that others use"}
    return plot


def _heat_maps(points: Sequence[Point], kind: Maps, topologies: Mapping[int, Row]) -> list[Plot]:
    """One plot for each run."""
    plots = []
    for run in sorted({point.run for point in points}):
        mine = [point for point in points if point.run == run]
        maps = {measure: same for measure in kind.measures if (same := _of(mine, kind.benchmark, measure))}
        if not maps:
            continue
        by_nodes = kind.axes == _NODES
        firmware = _firmware(next(iter(maps.values())), topologies.get(run, {}), kind.quantity) if by_nodes else {}
        plots.append(_matrix_plot(kind.title, maps, kind.quantity, kind.axes, firmware))
    return plots


_TABLES = {
    "nanoseconds": ("HMAT read, ns", "hmat_read_nanoseconds", 1.0, "read_latency_ps", 1e-3),
    "bytes_per_second": ("HMAT read, GB/s", "hmat_read_bytes_per_second", 1e-9, "read_bandwidth_mb_per_s", 1e-3),
}


def _firmware(points: Sequence[Point], topology: Row, quantity: str) -> dict[str, Matrix]:
    """SLIT and HMAT: from the rows themselves, from their machine, or from the line of `topology --json`."""
    nodes = topology.get("nodes")
    nodes = [node for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []
    title, field, scale, of_nodes, nodes_scale = _TABLES[quantity]
    found = {
        title: _from_rows(points, field, scale) or _from_lists([node.get(of_nodes) for node in nodes], nodes_scale)
    }
    if quantity == "nanoseconds":
        slit = _from_rows(points, "slit", 1) or _from_lists(machine_of(points[0].first).get("slit"), 1)
        found = {"SLIT": slit or _from_lists([node.get("distances") for node in nodes], 1)} | found
    return {name: matrix for name, matrix in found.items() if matrix}


def _from_rows(points: Sequence[Point], name: str, scale: float) -> Matrix:
    matrix = {}
    for point in points:
        here, there = (number_of(point.settings.get(axis)) for axis in _NODES)
        value = number_of(point.first.get(name))
        if here is not None and there is not None and value is not None:
            matrix[here, there] = value * scale
    return matrix


def _from_lists(lists: Any, scale: float) -> Matrix:  # noqa: ANN401
    """A list of rows, each a list of numbers."""
    matrix = {}
    for here, row in enumerate(lists if isinstance(lists, list) else []):
        for there, value in enumerate(row if isinstance(row, list) else []):
            if (found := number_of(value)) is not None:
                matrix[float(here), float(there)] = found * scale
    return matrix


def _matrix_plot(
    title: str,
    maps: Mapping[str, Sequence[Point]],
    quantity: str,
    axes: tuple[str, str],
    firmware: Mapping[str, Matrix],
) -> Plot:
    """`maps`: the points of each measure, all of one run. `axes`: the settings that say from where (down) and to where
    (right). `firmware`: its tables by name."""
    first = next(iter(maps.values()))[0]
    measured: dict[str, dict[Place, float]] = {}
    lines = []
    for measure, points in maps.items():
        for point in points:
            place = _place(point, axes)
            value = point.values.get(quantity)
            if value is not None and place is not None:
                measured.setdefault(f"{measure}, {value.unit.name}", {})[place] = value.shown
            cells = value_cells(value) if value else [point.reason or "no value", "", "", ""]
            beside = [f"{matrix[place]:g}" if place in matrix else "-" for matrix in firmware.values()]
            where = [f"{it:g}" for it in place] if place is not None else ["?", "?"]
            cells = [measure, *where, *cells, *beside]
            lines.append(Line(cells, first.run, command_of(point), point.is_wrong, point.anchor(quantity)))
    headings = ["measure", *map(_word, axes), *VALUE_HEADINGS, *firmware]
    plot = Plot(title, headings, lines, kind=first.kind, run=first.run)
    if measured:
        plot.figure = _draw_maps(measured | firmware, axes)
        plot.caption = "Colours are each measure's own, over no less than a factor of 2: the lighter, the more."
        if quantity == "nanoseconds" and first.kind is not Kind.EMULATED:  # the emulator has one memory
            plot.findings = _slit_findings(next(iter(measured.values())), firmware.get("SLIT", {}))
    return plot


def _place(point: Point, axes: tuple[str, str]) -> Place | None:
    here, there = (number_of(point.settings.get(axis)) for axis in axes)
    return None if here is None or there is None else (here, there)


def _draw_maps(matrices: Mapping[str, Matrix], axes: tuple[str, str]) -> dict[str, Any]:
    """Each with colours of its own. The page places them, by the room that it has."""
    tables = {
        title: pandas.Series(it).unstack().sort_index(axis=0).sort_index(axis=1) for title, it in matrices.items()
    }
    size = {
        "width": _CELL_WIDTH * max(len(table.columns) for table in tables.values()),
        "height": min(_CELL_HEIGHT * max(map(len, tables.values())), _MAX_HEIGHT),
    }
    drawn: dict[str, Any] = {"meta": size, "margin": {"l": 60, "r": 20, "t": 40, "b": 50}, "annotations": []}
    data = []
    for place, (title, table) in enumerate(tables.items()):
        number_of_axis = "" if place == 0 else str(place + 1)
        data.append(_heat_map(table, axes) | {"xaxis": f"x{number_of_axis}", "yaxis": f"y{number_of_axis}"})
        kind = {"type": "category", "automargin": True}  # as numbers they would have ticks between them
        drawn[f"xaxis{number_of_axis}"] = kind | {"title": {"text": _word(axes[1])}}
        drawn[f"yaxis{number_of_axis}"] = kind | {"title": {"text": _word(axes[0])}, "autorange": "reversed"}
        drawn[f"yaxis{number_of_axis}"]["anchor"] = f"x{number_of_axis}"
        drawn[f"xaxis{number_of_axis}"]["anchor"] = f"y{number_of_axis}"
        where = {"xanchor": "left", "yanchor": "bottom", "xref": "paper", "yref": "paper"}
        drawn["annotations"].append({"text": title, "showarrow": False} | where)
    return {"data": data, "layout": go.Layout(drawn).to_plotly_json()}


def _heat_map(table: pandas.DataFrame, axes: tuple[str, str]) -> dict[str, Any]:
    cells = [[None if pandas.isna(cell) else float(cell) for cell in row] for row in table.to_numpy()]
    low, high = min_span(cell for row in cells for cell in row if cell is not None)
    return go.Heatmap(
        z=cells,
        x=[f"{it:g}" for it in table.columns],
        y=[f"{it:g}" for it in table.index],
        text=[["" if cell is None else number(cell) for cell in row] for row in cells],
        texttemplate="%{text}" if len(table) <= _TEXT_UP_TO else None,
        hovertemplate=f"{_word(axes[0])} %{{y}}, {_word(axes[1])} %{{x}}: %{{text}}<extra></extra>",
        colorscale=_SCALE,
        zmin=low,
        zmax=high,
        xgap=1,
        ygap=1,
        showscale=False,
    ).to_plotly_json()


def _word(axis: str) -> str:
    return axis.replace("_", " ")


def _slit_findings(measured: Matrix, slit: Matrix) -> list[str]:
    """Pairs of which the SLIT says something else than was measured: both against the node itself."""
    findings = []
    for (here, there), time in sorted(measured.items()):
        local, said = measured.get((here, here)), slit.get((here, there))
        if here == there or not local or not said or time <= 0:
            continue
        found = _LOCAL * time / local
        if max(found / said, said / found) > _MAX_DIFFERENCE:
            findings.append(
                f"SLIT: from node {here:g} to node {there:g} it says {said:g}, "
                f"measured is {found:.0f} (10: the node itself)"
            )
    return findings

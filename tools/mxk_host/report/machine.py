"""What a machine is like: its memory, its cache lines, its TLB; and the firmware's own word for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mxk_host.report.lines import plot_over
from mxk_host.report.matrix import Matrix, matrix_plot
from mxk_host.report.plot import Plot, bytes_axis, logarithmic
from mxk_host.runs.point import Kind, Point, machine_of, number_of, text_of
from mxk_host.stream import Row

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
# Measures by what their loads overlap by: the setting that is drawn to the right, and a title.
_OVERLAPS = {
    "chains": ("chains", "Loads that overlap: chains followed at a time"),
    "prefetch": ("distance", "Loads that overlap: how far ahead a place is prefetched"),
}
_SUBJECTS = ("memory", "lines", "tlb")
_BYTES = "bytes"


def is_machine(point: Point) -> bool:
    """Whether it says what the machine is like."""
    subject = point.benchmark.removesuffix("-peer")
    measures = ("latency", "loaded-latency", *_OVERLAPS, *(measure for kind in _HEAT_MAPS for measure in kind.measures))
    return subject == "tlb" or (subject in _SUBJECTS and text_of(point.settings.get("measure")) in measures)


def machine_plots(points: Sequence[Point], names: Sequence[str], topologies: Mapping[int, Row]) -> list[Plot]:
    """Of several runs: lines together, a heat map for each."""
    plots = []
    for kind in Kind:
        same = [point for point in points if point.kind is kind]
        latency = _of(same, "memory", "latency") + _of(same, "memory-peer", "latency")
        if latency:
            plots.append(_by_size("Memory latency by working set", latency, names))
        loaded = _of(same, "memory", "loaded-latency")
        if loaded:
            plots.append(_loaded(loaded, names))
        for measure, (axis, title) in _OVERLAPS.items():
            if overlapping := _of(same, "memory", measure):
                plots.append(plot_over(title, overlapping, "nanoseconds", axis, names))
        plots += [plot for maps in _HEAT_MAPS for plot in _heat_maps(same, maps, names, topologies)]
        tlb = [point for point in same if point.benchmark == "tlb"]
        if tlb:
            plots.append(_by_size("Latency by page size: what the TLB reaches", tlb, names))
    return plots


def _of(points: Sequence[Point], benchmark: str, measure: str) -> list[Point]:
    return [it for it in points if it.benchmark == benchmark and it.settings.get("measure") == measure]


def _by_size(title: str, points: Sequence[Point], names: Sequence[str]) -> Plot:
    x = bytes_axis((point.settings.get(_BYTES) for point in points), "working set")
    times = [value.median for point in points if (value := point.values.get("nanoseconds")) is not None]
    plot = plot_over(title, points, "nanoseconds", _BYTES, names, x=x, y=logarithmic(times, "ns"))
    plot.caption += " Both axes are logarithmic: each step up is the end of a cache, or of what the TLB reaches."
    return plot


def _loaded(points: Sequence[Point], names: Sequence[str]) -> Plot:
    """The latency over the bandwidth that is used beside it, in the order of the load."""
    plot = plot_over("Memory latency under load", points, "nanoseconds", "load", names)
    of_load = {(point.run, point.settings.get("load")): point.values.get("bytes_per_second") for point in points}
    used = {key: value.shown for key, value in of_load.items() if value is not None}
    plot.headings = [*plot.headings[:2], "GB/s beside it", *plot.headings[2:]]
    plot.lines = [
        replace(
            line, cells=[*line.cells[:2], _shown(used.get((point.run, point.settings.get("load")))), *line.cells[2:]]
        )
        for line, point in zip(plot.lines, points, strict=True)
    ]
    if plot.figure is not None and len(used) == len(of_load) and len(used) > 1:
        for trace in plot.figure["data"]:
            trace["x"] = [used.get((trace["meta"]["run"], load)) for load in trace["x"]]
        axis = plot.figure["layout"]["xaxis"]
        axis.pop("tickvals", None)
        axis.pop("ticktext", None)
        axis["title"] = {"text": "GB/s that others use"}
    return plot


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _heat_maps(points: Sequence[Point], kind: Maps, names: Sequence[str], topologies: Mapping[int, Row]) -> list[Plot]:
    """One plot for each run."""
    plots = []
    for run in sorted({point.run for point in points}):
        mine = [point for point in points if point.run == run]
        maps = {measure: same for measure in kind.measures if (same := _of(mine, kind.benchmark, measure))}
        if not maps:
            continue
        by_nodes = kind.axes == _NODES
        firmware = _firmware(next(iter(maps.values())), topologies.get(run, {}), kind.quantity) if by_nodes else {}
        named = f"{kind.title} · {names[run]}" if len(names) > 1 else kind.title
        plots.append(matrix_plot(named, maps, kind.quantity, kind.axes, firmware))
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

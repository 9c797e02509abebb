"""Heat maps: what it takes from each node or core to each other one, beside what the firmware says of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas
import plotly.graph_objects as go

from mxk_host.digits import number
from mxk_host.report.plot import VALUE_HEADINGS, Line, Plot, value_cells
from mxk_host.runs.command import command_of
from mxk_host.runs.point import Kind, Point, number_of

Place = tuple[float, float]
Matrix = Mapping[Place, float]
_SCALE = "Viridis"
_CELL, _GAP = 0.1, 0.08  # shares of the page's width
_CELL_HEIGHT = 40  # pixels
_TEXT_UP_TO = 16  # rows; in smaller cells numbers cannot be read
_LOCAL = 10  # what a SLIT calls the distance of a node to itself
_MAX_DIFFERENCE = 2.0  # a SLIT further from what was measured is a finding


def matrix_plot(
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
            lines.append(Line([measure, *where, *cells, *beside], first.run, command_of(point), point.is_wrong))
    headings = ["measure", *map(_word, axes), *VALUE_HEADINGS, *firmware]
    plot = Plot(title, headings, lines, kind=first.kind, run=first.run)
    if measured:
        plot.figure = _heat_maps(measured | firmware, axes)
        plot.caption = "Colours are each map's own: the lighter, the more."
        if quantity == "nanoseconds" and first.kind is not Kind.EMULATED:  # the emulator has one memory
            plot.findings = slit_findings(next(iter(measured.values())), firmware.get("SLIT", {}))
    return plot


def _place(point: Point, axes: tuple[str, str]) -> Place | None:
    here, there = (number_of(point.settings.get(axis)) for axis in axes)
    return None if here is None or there is None else (here, there)


def _heat_maps(matrices: Mapping[str, Matrix], axes: tuple[str, str]) -> dict[str, Any]:
    """Beside each other, each with colours of its own."""
    tables = {title: _table(matrix) for title, matrix in matrices.items()}
    share = min(1 / len(tables) - _GAP, _CELL * max(len(table.columns) for table in tables.values()))
    height = 130 + min(_CELL_HEIGHT * max(map(len, tables.values())), 560)
    drawn: dict[str, Any] = {"height": height, "margin": {"l": 60, "r": 20, "t": 40, "b": 50}, "annotations": []}
    data = []
    for place, (title, table) in enumerate(tables.items()):
        number_of_axis = "" if place == 0 else str(place + 1)
        left = place * (share + _GAP)
        data.append(_heat_map(table, axes) | {"xaxis": f"x{number_of_axis}", "yaxis": f"y{number_of_axis}"})
        kind = {"type": "category", "automargin": True}  # as numbers they would have ticks between them
        drawn[f"xaxis{number_of_axis}"] = kind | {"title": {"text": _word(axes[1])}, "domain": [left, left + share]}
        beside = _word(axes[0]) if place == 0 else ""  # said once, as there is little room between the maps
        drawn[f"yaxis{number_of_axis}"] = kind | {"title": {"text": beside}, "autorange": "reversed"}
        drawn[f"yaxis{number_of_axis}"]["anchor"] = f"x{number_of_axis}"
        drawn[f"xaxis{number_of_axis}"]["anchor"] = f"y{number_of_axis}"
        where = {"x": left, "xanchor": "left", "y": 1.0, "yanchor": "bottom", "xref": "paper", "yref": "paper"}
        drawn["annotations"].append({"text": title, "showarrow": False} | where)
    return {"data": data, "layout": go.Layout(drawn).to_plotly_json()}


def _table(matrix: Matrix) -> pandas.DataFrame:
    return pandas.Series(matrix).unstack().sort_index(axis=0).sort_index(axis=1)


def _heat_map(table: pandas.DataFrame, axes: tuple[str, str]) -> dict[str, Any]:
    cells = [[None if pandas.isna(cell) else float(cell) for cell in row] for row in table.to_numpy()]
    return go.Heatmap(
        z=cells,
        x=[f"{it:g}" for it in table.columns],
        y=[f"{it:g}" for it in table.index],
        text=[["" if cell is None else number(cell) for cell in row] for row in cells],
        texttemplate="%{text}" if len(table) <= _TEXT_UP_TO else None,
        hovertemplate=f"{_word(axes[0])} %{{y}}, {_word(axes[1])} %{{x}}: %{{text}}<extra></extra>",
        colorscale=_SCALE,
        xgap=1,
        ygap=1,
        showscale=False,
    ).to_plotly_json()


def _word(axis: str) -> str:
    return axis.replace("_", " ")


def slit_findings(measured: Matrix, slit: Matrix) -> list[str]:
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

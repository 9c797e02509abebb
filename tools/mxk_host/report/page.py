"""Puts the page together: sections of plots, warnings, and the rows to download. The result is one text that asks for
nothing from elsewhere, and its policy forbids it to."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from mxk_host import files
from mxk_host.report import summary
from mxk_host.report.adaptive import adaptive_plots, is_adaptive
from mxk_host.report.charts import THROUGHPUT, is_sweep, is_table, other_plots, sweep_plots
from mxk_host.report.costs import cost_plots, is_cost
from mxk_host.report.latency import latency_plots
from mxk_host.report.locks import is_lock, lock_plots
from mxk_host.report.machine import is_machine, machine_plots
from mxk_host.report.panels import beside, panels_of
from mxk_host.report.plot import Plot, paint
from mxk_host.report.ratios import ratio_plots
from mxk_host.report.shared import is_shared, shared_plots
from mxk_host.report.simulation import simulation_plots
from mxk_host.report.thesis import figure_name, figure_numbers, figure_plots, figure_title
from mxk_host.runs.point import Point, points_of
from mxk_host.runs.source import Run
from mxk_host.stream import Row

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Section:
    """A part of the page; `identifier` is what links go to."""

    identifier: str
    short: str  # in the page's list of sections
    title: str
    intro: str
    plots: list[Plot]


def sections_of(runs: Sequence[Run], points: Sequence[Point]) -> list[Section]:
    """Those that have anything to show."""
    names = [run.name for run in runs]
    topologies = {number: row for number, run in enumerate(runs) if (row := _topology(run))}
    every = [point for point in points if not point.figure and not point.is_statement]
    free = [point for point in every if not is_sweep(point)]
    untimed = [point for point in free if is_table(point) and "latency" not in point.durations]
    timed = [point for point in free if point.durations]
    # Time stamps for each operation cost throughput: such runs count only where there are no others.
    tables = untimed or [point for point in free if is_table(point)]
    shown_elsewhere = (is_table, is_cost, is_machine, is_shared, is_adaptive, is_lock)
    rest = [point for point in free if not any(shows(point) for shows in shown_elsewhere)]
    of = {shows: [point for point in free if shows(point)] for shows in (is_adaptive, is_cost, is_machine)}
    simulations = {number: run.simulation for number, run in enumerate(runs) if run.simulation is not None}
    figures = [
        Section(f"figure-{it}", figure_name(it), figure_title(it, points), "", figure_plots(it, points, names))
        for it in figure_numbers(points)
    ]
    plots = {
        "throughput": THROUGHPUT.plots(tables, names),
        "simulation": simulation_plots(simulations, untimed, names),
        "sizes": sweep_plots([point for point in every if is_sweep(point)], names),
        "ratios": ratio_plots(tables, names),
        "latency": latency_plots(timed, names),
        "shared": shared_plots(free, tables, names),
        "adaptive": adaptive_plots(of[is_adaptive], names),
        "locks": lock_plots([point for point in points if is_lock(point)], names),
        "costs": cost_plots(of[is_cost], names),
        "machine": machine_plots(of[is_machine], names, topologies),
        "others": other_plots(rest, names),
    }
    every = [*figures, *(Section(name, *_SECTIONS[name], drawn) for name, drawn in plots.items())]
    statements = [plot for section in every for plot in section.plots if plot.is_of_statements]
    rest = [replace(it, plots=[plot for plot in it.plots if not plot.is_of_statements]) for it in every]
    sections = [Section("statements", *_SECTIONS["statements"], statements), *rest]
    shown = [section for section in sections if section.plots]
    _name_apart([plot for section in shown for plot in section.plots], names)
    paint(plot.figure for section in shown for plot in section.plots if plot.figure is not None)
    return shown


def _name_apart(plots: Sequence[Plot], names: Sequence[str]) -> None:
    """What links go to stands once on the page: rows where they are shown first. Of several runs each row has its."""
    anchors: set[str] = set()
    for place, plot in enumerate(plots):
        plot.identifier = f"plot-{place}"
        plot.lines = [replace(line, anchor="") if line.anchor in anchors else line for line in plot.lines]
        anchors.update(line.anchor for line in plot.lines)
        if len(names) > 1 and "run" not in plot.headings:
            plot.insert(len(plot.headings), "run", (names[line.run] for line in plot.lines))


def _names_of_rows(sections: Sequence[Section]) -> dict[str, str]:
    """By what links go to: of rows the plot, and the cells in front of the value with their headings."""
    named = {"statements": "each with its verdict"}
    for plot in (plot for section in sections for plot in section.plots):
        first = next((at for at, it in enumerate(plot.headings) if it in ("median", "ratio", "count", "wanted")), 1)
        for line in plot.lines:
            more = [
                f"{heading} {cell}" for heading, cell in zip(plot.headings[1:first], line.cells[1:first], strict=True)
            ]
            named[line.anchor] = f"{plot.title}: {', '.join([line.cells[0], *more])}"
    return named


# Of each section: its name in the page's list, its title, and what is said before its plots.
_SECTIONS = {
    "statements": ("Statements", "What sources say, and whether it holds here", ""),
    "throughput": ("Throughput", "Throughput",
                   "Operations per second. Peers do the same operations on the same cores."),
    "simulation": ("Simulation", "What the simulator says",
                   "Of a model of a machine, not measured; see docs/simulation.md for how far to trust it."),
    "sizes": ("Sizes", "Tables in caches and in memory",
              "The same keys are looked for again and again, in tables of every size (`bench table --sweep`)."),
    "ratios": ("Peers", "Against peers",
               "MXK's throughput by the peer's. MXK's engines are asynchronous: an operation's result comes home "
               "later, so look at latency, too."),
    "latency": ("Latency", "Latency", "Measured in runs of their own, with a time stamp for each operation."),
    "shared": ("Shared", "What all cores read and write",
               "Read sections, a list and tables that all cores use at once, without owners of parts."),
    "adaptive": ("Adaptive locks", "Locks that adapt",
                 "The experiments of V. Uhlig's dissertation (Karlsruhe 2005), which says the statements (`bench "
                 "adaptive`)."),
    "locks": ("Locks", "Locks",
              "The benchmarks of A. Uffmann's thesis (LMU Munich 2022), which says the statements (`bench lock`). On "
              "emu words of other nodes take a set time and are never cached."),
    "costs": ("Costs", "What tasks, threads and grace periods cost", "MXK's own, and what others have for the same."),
    "machine": ("Memory", "What the machine is like", "Measured by the same program, not read from a data sheet."),
    "others": ("Others", "Further benchmarks", ""),
}  # fmt: skip


def _topology(run: Run) -> Row:
    """The line of `topology --json`, if the run has one of its machine."""
    return next((found.row for found in run.rows if found.row.get("topology") == "this machine"), {})


def page_of(runs: Sequence[Run], machines: Sequence[Row], written: str) -> str:
    """The whole page. `machines`: those of the runs. `written`: when, for the page's foot."""
    points = points_of_runs(runs)
    table = summary.machines_table(machines, points)
    titles = list(map(summary.machine_title, table))
    sections = sections_of(runs, points)
    several = len(machines) > 1
    rows = {it.identifier: beside(it.plots) if several else [[plot] for plot in it.plots] for it in sections}
    panels = {plot.identifier: panels_of(plot, runs, titles) for section in sections for plot in section.plots}
    templates = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    figures = [
        {"id": panel.identifier, "kind": plot.kind, **panel.figure}
        for section in sections
        for plot in section.plots
        for panel in panels[plot.identifier]
    ]
    statements = [line for it in sections for plot in it.plots if plot.is_of_statements for line in plot.lines]
    numbers = range(len(runs))
    cards = [it for run in numbers for it in summary.numbers_of(points, run, statements)]
    return templates.get_template("page.html").render(
        runs=runs,
        sections=sections,
        names_of_rows=_names_of_rows(sections),
        cards=summary.beside(cards) if several else [cards],
        table=table,
        columns=summary.MACHINE_COLUMNS,
        beside=rows,
        panels=panels,
        machines=[machine for run in numbers for machine in summary.machines_of(points, run)],
        trusts=[summary.trust_of(points, run) for run in numbers],
        warnings=[summary.warnings_of(run) for run in runs],
        skipped=[summary.skipped_of(run) for run in runs],
        findings=list(dict.fromkeys(text for section in sections for plot in section.plots for text in plot.findings)),
        kinds={point.kind for point in points},
        has_hollow=any(point.is_quiet is not True for point in points),
        rows_as_csv=[csv_of([found.row for found in run.rows]) for run in runs],
        plot_as_csv=plot_as_csv,
        written=written,
        style=files.read_text(_HERE / "page.css", "the style of pages"),
        script=files.read_text(_HERE / "page.js", "the script of pages"),
        plotly=get_plotlyjs(),
        figures=_for_script(figures),
    )


def points_of_runs(runs: Sequence[Run]) -> list[Point]:
    """All of them, each with its run and machine."""
    return [point for number, run in enumerate(runs) for point in points_of(run.rows, number, run.machine)]


def csv_of(rows: Sequence[Row]) -> str:
    """Rows as a data: address, what stands inside an object with a column of its own."""
    return _address(pandas.json_normalize(list(rows)))


def plot_as_csv(plot: Plot) -> str:
    """A plot's table as a data: address."""
    headings = [heading or "remark" for heading in plot.headings]
    return _address(
        pandas.DataFrame([[*line.cells, line.command] for line in plot.lines], columns=[*headings, "command"])
    )


def _address(table: pandas.DataFrame) -> str:
    return (
        "data:text/csv;charset=utf-8;base64,"
        + base64.b64encode(table.to_csv(index=False).encode(errors="backslashreplace")).decode()
    )


def _for_script(value: Any) -> str:  # noqa: ANN401
    """JSON that can stand in a script element: no text in it ends the element."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")

"""The options of report and compare-runs. What they need is imported when they run: it takes a second, which the other
commands need not wait."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import finite
from mxk_host.image import ROOT


def report(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="A run's folder, a .jsonl file or a serial log; - is standard input. Default: the latest run.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The page to write; default report.html in the first run's folder.", dir_okay=False),
    ] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print it, too: the same name with .pdf.")] = False,
    machine_card: Annotated[
        bool,
        typer.Option("--machine-card", help="In its place what they say of the machine, to be posted: .json, .svg."),
    ] = False,
) -> None:
    """Shows runs as one HTML page: plots, machines, ratios, warnings, commands, and the rows to download.

    Exit codes: 0 written, 2 wrong usage, or there is nothing to show.
    """
    from mxk_host.report import job

    job.report(runs or [], output=output, pdf=pdf, card=machine_card)


def compare_runs(
    a: Annotated[str, typer.Argument(metavar="A", help="The run as it was, named as for report.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The run as it is.")],
    confidence: Annotated[
        float, typer.Option(callback=finite, min=0.5, max=0.9999, help="That no row is called changed by chance.")
    ] = 0.99,
    floor: Annotated[
        float, typer.Option(callback=finite, min=0, max=0.5, help="A change up to this share does not matter.")
    ] = 0.02,
    all_rows: Annotated[bool, typer.Option("--all", help="Show rows that did not change, too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON line at the end.")] = False,
) -> None:
    """Says what changed between two runs beyond noise.

    Exit codes: 0 nothing became slower, 1 something did or is not verified, 2 wrong usage or nothing to compare.
    """
    from mxk_host.runs import compare

    compare.compare_runs(a, b, confidence=confidence, floor=floor, all_rows=all_rows, as_json=json)


def measured(
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="RUN", help="As for report. Default: the latest run.")
    ] = None,
    page: Annotated[
        Path, typer.Option(help="The page to write.", dir_okay=False, show_default="docs/measured.md")
    ] = ROOT / "docs/measured.md",
) -> None:
    """Puts what stored runs have measured into the page of figures: command, machine, day, and a row for each value.

    Exit codes: 0 written, 2 wrong usage, or there is nothing to show.
    """
    from mxk_host import measured as figures

    for command in figures.put(runs or [], page):
        print(f"{page.name}: {command}")

"""The options of compare."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.compare import job as comparison
from mxk_host.compare.plan import Settings
from mxk_host.image import BUILD
from mxk_host.results import RESULTS


def compare(
    ops: Annotated[str, typer.Option(help="Operations in each phase, such as 24M or 200K.")] = "24M",
    cores: Annotated[str, typer.Option(help="Core counts, with commas between.")] = "1,2",
    rounds: Annotated[int, typer.Option(min=1, help="Fewer than 5 are a quick look.")] = 5,
    peers: Annotated[
        str | None, typer.Option(help="Only these, with commas between; default all.", show_default=False)
    ] = None,
    mxk: Annotated[
        str | None,
        typer.Option(help="Only these of MXK's configurations; ratios are about the first.", show_default=False),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(help="Only these parts of table, zipf, tasks, threads, with commas between.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the keys and of their order.")] = 1,
    timeout: Annotated[float, typer.Option(min=0, help="Seconds for each process.")] = 1800,
    json: Annotated[bool, typer.Option("--json", help="One JSON line at the end.")] = False,
    build: Annotated[
        Path, typer.Option(help="The folder with the programs mxk and mxk-peers.", show_default="build/linux")
    ] = BUILD / "linux",
    results: Annotated[
        Path, typer.Option(help="Where the run's folder, <UTC time>, is made.", show_default="build/results")
    ] = RESULTS,
) -> None:
    """Measures MXK and its peers on this machine, as Linux programs, interleaved; shows one table with ratios.

    Exit codes: 0 all that is built ran and is verified, 1 something failed (it is named), 2 wrong usage or not built.
    """
    settings = Settings.checked(ops, cores, rounds, seed, timeout, build, mxk, only)
    comparison.compare(settings, peers=peers, as_json=json, folder=results)

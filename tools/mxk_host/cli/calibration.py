"""The options of calibration."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import parse_count, typed_command
from mxk_host.cli.comparison import Build, Markdown, Results, Timeout
from mxk_host.cli.kernel import NoBuild
from mxk_host.image import BUILD
from mxk_host.programs import expect_built
from mxk_host.results import RESULTS


def calibration(
    machine: Annotated[str, typer.Option(help="The model of this host.")] = "this-host",
    machine_file: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The same, a file that is elsewhere.")
    ] = None,
    ops: Annotated[str, typer.Option(help="Operations of a table's run.")] = "1M",
    rounds: Annotated[int, typer.Option(min=1, help="Of the native runs; their median counts.")] = 5,
    native: Annotated[
        Path | None, typer.Option(help="The folder of a calibration whose native rows are taken.")
    ] = None,
    no_build: NoBuild = False,
    timeout: Timeout = 3600,
    markdown: Markdown = None,
    build: Build = BUILD / "linux",
    results: Results = RESULTS,
) -> None:
    """Measures this host natively and as it is modelled, and shows how near the model comes.

    Exit codes: 0 measured, however near, 1 a run failed, 2 wrong usage or not built, 3 to 5 as for run.
    """
    from mxk_host.simulate import calibration_job
    from mxk_host.simulate.machine_file import read_machine

    expect_built(build)
    described, operations = read_machine(None if machine_file else machine, machine_file), parse_count("--ops", ops)
    settings = calibration_job.Settings(described, operations, rounds, timeout, build, not no_build, native)
    calibration_job.calibrate(settings, results, typed_command(), markdown or [])

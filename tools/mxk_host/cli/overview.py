"""The options of overview."""

from typing import Annotated

import typer

from mxk_host.arguments import parse_count
from mxk_host.cli.comparison import Build, Results, Timeout
from mxk_host.cli.kernel import Accel
from mxk_host.image import BUILD
from mxk_host.machine import Accelerator, choose_accelerator
from mxk_host.programs import Programs, expect_built
from mxk_host.results import RESULTS, new_folder


def overview(
    ops: Annotated[
        str | None,
        typer.Option(help="Operations of each table; default 24M, or what there is memory for.", show_default=False),
    ] = None,
    accel: Accel = Accelerator.AUTO,
    timeout: Timeout = 600,
    build: Build = BUILD / "linux",
    results: Results = RESULTS,
) -> None:
    """Measures what MXK does on this machine: the kernel in QEMU, its tables and others, the machine; writes one page.

    Exit codes: 0 all ran and is verified, 1 something failed, 2 wrong usage or not built, 3 to 5 as for run.
    """
    operations = parse_count("--ops", ops) if ops else None
    expect_built(build)
    programs = Programs(build, new_folder(results), timeout, choose_accelerator(accel))
    from mxk_host.overview import job  # what draws the page takes a second to import

    job.overview(programs, operations)

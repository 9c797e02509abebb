"""The options of overview."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host import results
from mxk_host.arguments import parse_count
from mxk_host.image import BUILD
from mxk_host.machine import Accelerator, choose_accelerator
from mxk_host.programs import Programs


def overview(
    ops: Annotated[
        str | None,
        typer.Option(help="Operations of each table; default 24M, or what there is memory for.", show_default=False),
    ] = None,
    accel: Annotated[Accelerator, typer.Option(help="auto: KVM where the hardware has it, else TCG.")] = (
        Accelerator.AUTO
    ),
    timeout: Annotated[float, typer.Option(min=0, help="Seconds for each process.")] = 600,
    build: Annotated[
        Path, typer.Option(help="The folder with the programs mxk and mxk-peers.", show_default="build/linux")
    ] = BUILD / "linux",
    folder: Annotated[
        Path, typer.Option("--results", help="Where the folder <UTC time> is made.", show_default="build/results")
    ] = results.RESULTS,
) -> None:
    """Measures what MXK does on this machine: the kernel in QEMU, its tables and others, the machine; writes one page.

    Exit codes: 0 all ran and is verified, 1 something failed, 2 wrong usage or not built, 3 to 5 as for run.
    """
    operations = parse_count("--ops", ops) if ops else None
    programs = Programs(build, results.folder_name(folder), timeout, choose_accelerator(accel))
    programs.expect_built()
    programs.logs.mkdir(parents=True)
    from mxk_host.overview import job  # what draws the page takes a second to import

    job.overview(programs, operations)

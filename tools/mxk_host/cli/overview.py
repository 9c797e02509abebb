"""The options of overview."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import parse_count
from mxk_host.cli.comparison import Results, Timeout
from mxk_host.cli.kernel import Accel
from mxk_host.image import BUILD
from mxk_host.machine import Accelerator, choose_accelerator
from mxk_host.programs import PROGRAMS, Programs, expect_built
from mxk_host.results import RESULTS, new_folder


def overview(
    ops: Annotated[
        str | None, typer.Option(help="Operations of each table; default 8M, or what there is memory or time for.")
    ] = None,
    accel: Accel = Accelerator.AUTO,
    timeout: Timeout = 600,
    build: Annotated[
        Path | None, typer.Option(help="A folder with the programs mxk and mxk-peers; default: small ones, compiled.")
    ] = None,
    no_build: Annotated[bool, typer.Option("--no-build", help="Nothing is compiled.")] = False,
    results: Results = RESULTS,
) -> None:
    """Measures what MXK does on this machine: the kernel in QEMU, its tables and others, the machine; writes one page.

    Exit codes: 0 all ran and is verified, 1 something failed, 2 wrong usage or not built, 3 to 5 as for run.
    """
    operations = parse_count("--ops", ops) if ops else None
    accelerator = choose_accelerator(accel)
    from mxk_host.overview import job  # what draws the page takes a second to import
    from mxk_host.overview.plan import TARGETS

    names = {side: target.name for side, target in TARGETS.items()}
    if build is not None:
        names |= PROGRAMS
    compiled = [side for side in TARGETS if not no_build and (build is None or side not in PROGRAMS)]
    folder = build or BUILD / "linux"
    expect_built(folder, [names[side] for side in PROGRAMS if side not in compiled])
    programs = Programs(folder, new_folder(results), timeout, accelerator, names=names)
    job.overview(programs, operations, compiled)

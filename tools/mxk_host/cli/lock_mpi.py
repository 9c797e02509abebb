"""The options of lock-mpi."""

from typing import Annotated

import typer

from mxk_host.arguments import finite
from mxk_host.lock_mpi import MpiRun, run
from mxk_host.mpi import Mpi


def lock_mpi(
    commands: Annotated[
        list[str] | None, typer.Argument(help="What all ranks run: list, self-test, gate, ...; separated by ';'.")
    ] = None,
    mpi: Annotated[Mpi, typer.Option(help="The implementation.")] = Mpi.OPENMPI,
    ranks: Annotated[int, typer.Option(help="Processes, on this machine.")] = 8,
    nodes: Annotated[int, typer.Option(help="Pretended nodes: equal parts of the ranks.")] = 2,
    osc: Annotated[
        str | None, typer.Option(help="Open MPI's components for one-sided operations; default pt2pt,sm.")
    ] = None,
    region: Annotated[
        int | None, typer.Option(min=64, help="KiB for locks and words, of each rank; default 8192.")
    ] = None,
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds.")] = 600,
) -> None:
    """Runs commands of mxk-mpi, locks over MPI-3, on so many ranks of this machine.

    Exit codes: 0 all holds, 1 something does not, 2 wrong usage, 4 a lock hangs or the run took too long, 5 it crashed.
    """
    run(MpiRun(mpi, ranks, nodes, " ".join(commands or []), osc=osc, region=region), timeout)

"""The options of cluster."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import finite
from mxk_host.cluster import run
from mxk_host.cluster_hosts import read_hosts
from mxk_host.cluster_run import LOST_AFTER, ClusterRun, Network, Transport
from mxk_host.errors import UsageError
from mxk_host.mpi import Mpi, check_ranks


def cluster(
    commands: Annotated[
        list[str] | None,
        typer.Argument(help="What is run: topology, bench table, ...; separated by ';'. Default: standard input."),
    ] = None,
    mpi: Annotated[Mpi, typer.Option(help="The implementation.")] = Mpi.OPENMPI,
    ranks: Annotated[int, typer.Option(help="Processes.")] = 2,
    cores: Annotated[int | None, typer.Option(help="Of each rank; default: the program's.")] = None,
    hosts: Annotated[
        Path | None, typer.Option(help="A file, a line for each host: its name, slots. Default: this machine alone.")
    ] = None,
    transport: Annotated[Transport, typer.Option(help="Between ranks of one host.")] = Transport.SHM,
    network: Annotated[
        Network | None, typer.Option(help="Which cores talk to other ranks: one for all of a rank, or each.")
    ] = None,
    lost_after: Annotated[
        int, typer.Option(help="Seconds in which nothing is heard of a rank that is lost.")
    ] = LOST_AFTER,
    start_within: Annotated[
        float, typer.Option(callback=finite, help="Seconds until all ranks have to be there.")
    ] = 120,
    agent: Annotated[str, typer.Option(help="With --hosts: AGENT HOST COMMAND... runs a command on a host.")] = "ssh",
    options: Annotated[
        str, typer.Option(help="Of mxk-cluster, besides: '--message 4096 --memory 2G'; its --help lists them.")
    ] = "",
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds.")] = 600,
) -> None:
    """Runs commands of mxk-cluster on so many ranks, by MPI, of this machine or of several.

    Exit codes: 0 all holds, 1 something does not, 2 wrong usage, 3 a panic, 4 the run took too long, 5 a rank was lost.
    """
    check_ranks(ranks)
    if start_within <= 0:
        raise UsageError(f"expected --start-within as more than 0 s, got {start_within:g}")
    text = " ".join(commands or []).strip()
    found = read_hosts(hosts, ranks) if hosts is not None else ()
    more = tuple(shlex.split(options))
    job = ClusterRun(mpi, ranks, text, cores, found, transport, network, more, lost_after, agent)
    run(job, start_within, timeout)

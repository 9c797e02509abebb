"""The options of simulate, and of simulate machines."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import finite
from mxk_host.cli.comparison import Build
from mxk_host.cli.kernel import Memory, NoBuild
from mxk_host.commands import command_text
from mxk_host.errors import UsageError
from mxk_host.image import BUILD
from mxk_host.simulate.samples import MIN_SHARE

_LIST = "machines"


def _share(value: float) -> float:
    if not MIN_SHARE <= value <= 1:
        raise UsageError(f"expected --sample as a share of what is measured, from {MIN_SHARE} to 1, got {value}")
    return value


def simulate(
    commands: Annotated[
        list[str] | None, typer.Argument(help="Console commands, separated by ';'; or 'machines': lists them.")
    ] = None,
    machine: Annotated[str | None, typer.Option(help="One of 'simulate machines'.")] = None,
    machine_file: Annotated[
        Path | None, typer.Option(metavar="PATH", help="A machine's file that is elsewhere.")
    ] = None,
    cpus: Annotated[
        int | None, typer.Option(help="Only so many of its processors, node after node; default all.")
    ] = None,
    scale_caches: Annotated[
        float | None,
        typer.Option(callback=finite, help="The last caches so many times as large: 0.03 for a small table."),
    ] = None,
    smt: Annotated[bool, typer.Option("--smt", help="All threads of each core are on; else one.")] = False,
    change: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="Another value than the machine's file has: memory.banks=0. Repeatable."
        ),
    ] = None,
    sample: Annotated[
        float,
        typer.Option(callback=_share, help="Model this share of what is measured, in intervals: 0.1 for long runs."),
    ] = 1,
    mem: Memory = "4G",
    seed: Annotated[int, typer.Option(min=0, help="Of what the model draws by chance.")] = 1,
    whole: Annotated[bool, typer.Option("--whole", help="Model all, from the boot on: slow.")] = False,
    no_build: NoBuild = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the QEMU line; build and run nothing.")] = False,
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds.")] = 3600,
    build: Build = BUILD / "linux",
) -> None:
    """Runs commands in the kernel on a machine that is not there: its caches, memory and time are modelled.

    Rows have "simulated" added. Exit codes as for run. docs/simulation.md says how far to trust it.
    """
    # What reads the kernel's debug file takes a while to import, which the other commands need not wait.
    from mxk_host.simulate import job
    from mxk_host.simulate.machine_file import read_machine
    from mxk_host.simulate.plugin import NAME

    if commands == [_LIST]:
        job.list_machines()
        return
    described = read_machine(machine, machine_file).with_changes(change or [])
    if scale_caches is not None:
        described = described.with_last_caches(scale_caches)
    if smt:
        described = described.with_threads()
    if not commands:
        raise UsageError("expected commands to simulate, such as 'bench table --cores 1,2 --ops 100K --json'")
    simulation = job.Simulation(
        described, cpus, mem, seed, whole, command_text(commands), (build / NAME).absolute(), sample
    )
    if dry_run:
        job.explain(simulation)
    else:
        job.simulate(simulation, build=not no_build, timeout=timeout)

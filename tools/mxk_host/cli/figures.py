"""The options of figure."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import choose_names, parse_cores, parse_count, parse_rounds, typed_command
from mxk_host.cli.comparison import Build, Markdown, Results, Rounds, Timeout
from mxk_host.cli.kernel import Accel
from mxk_host.figures import job
from mxk_host.image import BUILD
from mxk_host.machine import Accelerator, choose_accelerator
from mxk_host.programs import Programs, Side, expect_built
from mxk_host.results import RESULTS, new_folder

_EMULATED_OPERATIONS = 200_000
_EMULATED_PART = 100


def figure(
    numbers: Annotated[list[str] | None, typer.Argument(help=f"Out of {', '.join(job.NUMBERS)}; default all.")] = None,
    ops: Annotated[str | None, typer.Option(help="Operations per run; default the thesis'.")] = None,
    kernel_ops: Annotated[
        str | None, typer.Option(help="The same in the kernel; default as --ops, 200K where it is emulated.")
    ] = None,
    part: Annotated[
        int | None, typer.Option(min=1, help="Of E1 to E24: so many times less in a run; default 1, emulated 100.")
    ] = None,
    cores: Annotated[str | None, typer.Option(help="Core counts; default the thesis', as far as there are.")] = None,
    rounds: Rounds = "auto",
    on: Annotated[
        str, typer.Option(help="Where 4.1 to 4.6 and E1 to E24 are measured: kernel, linux.")
    ] = "linux,kernel",
    nodes: Annotated[int, typer.Option(min=1, help="NUMA nodes of the kernel's machine.")] = 2,
    accel: Accel = Accelerator.AUTO,
    timeout: Timeout = 3600,
    simulated: Annotated[
        Path | None, typer.Option(metavar="PATH", help="A run of simulate: its statements beside these.")
    ] = None,
    markdown: Markdown = None,
    build: Build = BUILD / "linux",
    results: Results = RESULTS,
) -> None:
    """Measures figures of the thesis and says which of its statements hold here.

    Exit codes: 0 measured, whatever holds, 1 a run failed, 2 wrong usage or not built, 3 to 5 as for run.
    """
    chosen = job.choose(numbers or [])
    sides = [Side(name) for name in choose_names("--on", (Side.LINUX, Side.KERNEL), on)]
    accelerator = choose_accelerator(accel)
    operations = parse_count("--ops", ops) if ops else None
    in_kernel = operations if accelerator is not Accelerator.TCG else operations or _EMULATED_OPERATIONS
    from_model = job.simulated_statements(simulated, chosen) if simulated is not None else []
    expect_built(build)
    programs = Programs(build, new_folder(results), timeout, accelerator, nodes)
    counts = parse_cores(cores) if cores else job.thesis_cores()
    in_kernel = parse_count("--kernel-ops", kernel_ops) if kernel_ops else in_kernel
    parts = (part or 1, part or (_EMULATED_PART if accelerator is Accelerator.TCG else 1))
    settings = job.Settings(programs, counts, operations, in_kernel, parse_rounds(rounds), *parts)
    rows = job.measure(settings, chosen, sides, programs.logs) + from_model
    for page in markdown or []:
        job.put(rows, typed_command(), page)

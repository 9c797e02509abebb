"""The options of compare-builds and compare-instructions."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import finite, parse_cores, parse_count
from mxk_host.builds import instructions, job, plan
from mxk_host.results import RESULTS


def compare_builds(
    old: Annotated[Path, typer.Argument(help="The Linux program mxk as it was.")],
    new: Annotated[Path, typer.Argument(help="The Linux program mxk as it is.")],
    rounds: Annotated[int, typer.Option(min=1, help="Each runs every command once in either build.")] = 10,
    ops: Annotated[str, typer.Option(help="Operations in each phase of a table.")] = "1M",
    cores: Annotated[str, typer.Option(help="Core counts of tables, with commas between.")] = "1,2",
    only: Annotated[
        str | None,
        typer.Option(help=f"Only these of {', '.join(plan.Subject)}, {', '.join(plan.TABLES)}, with commas between."),
    ] = None,
    min_mean: Annotated[
        float, typer.Option(callback=finite, min=0, help="Of new/old, the geometric mean over all rows.")
    ] = 0.98,
    min_row: Annotated[float, typer.Option(callback=finite, min=0, help="Of new/old, in each row.")] = 0.93,
    confirming: Annotated[
        int | None, typer.Option(min=0, help="Further rounds for rows below --min-row; as many as --rounds.")
    ] = None,
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds for each process.")] = 300,
    json: Annotated[bool, typer.Option("--json", help="One JSON line at the end.")] = False,
    results: Annotated[
        Path, typer.Option(help="Where the run's folder, <UTC time>, is made.", show_default="build/results")
    ] = RESULTS,
) -> None:
    """Measures two builds of the Linux program against each other: tables, tasks, threads, semaphores.

    Exit codes: 0 the new build is fast enough, 1 it is not or something failed (it is named), 2 wrong usage.
    """
    plan.expect_files("a program of the Linux build", [old, new])
    confirming, commands = rounds if confirming is None else confirming, plan.commands(ops, cores, only)
    limits = (timeout, min_mean, min_row)
    comparison = plan.Comparison(old, new, rounds, confirming, parse_cores(cores), commands, *limits)
    job.compare_builds(comparison, as_json=json, folder=results)


def compare_instructions(
    old: Annotated[Path, typer.Argument(help="The kernel mxk.elf as it was.")],
    new: Annotated[Path, typer.Argument(help="The kernel mxk.elf as it is.")],
    ops: Annotated[str, typer.Option(help="Operations of tables, and twice as many: the slope counts.")] = "50K",
    max_ratio: Annotated[float, typer.Option(callback=finite, min=0, help="Of new/old, in each row.")] = 1.0,
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds for each boot.")] = 300,
    json: Annotated[bool, typer.Option("--json", help="One JSON line at the end.")] = False,
) -> None:
    """Counts the instructions that an operation takes in two builds of the kernel, in QEMU.

    Exit codes: 0 none takes more than --max-ratio allows, 1 some do (they are named), otherwise as for run.
    """
    plan.expect_files("a kernel, mxk.elf", [old, new])
    count = parse_count("--ops", ops)
    instructions.compare_instructions(
        old, new, operations=(count, 2 * count), max_ratio=max_ratio, timeout=timeout, as_json=json
    )

"""The options of tpch make, compare, groups and check. What they need is imported when they run: it takes a second,
which the other commands need not wait."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import choose_names, finite, parse_cores, parse_count
from mxk_host.cli.comparison import Json, Timeout
from mxk_host.cli.kernel import Accel, NoBuild
from mxk_host.image import BUILD
from mxk_host.machine import Accelerator, choose_accelerator
from mxk_host.tpch.queries import QUERIES

tpch_app = typer.Typer(no_args_is_help=True, help="TPC-H: data as column files, and queries compared with DuckDB's.")

Factor = Annotated[str, typer.Option("--scale", help="TPC-H's scale factor: 1 is 6 million rows of lineitem.")]
Chosen = Annotated[
    str | None, typer.Option("--queries", help=f"Only these of {', '.join(QUERIES)}, with commas between.")
]
Cores = Annotated[str, typer.Option(help="Core counts, which are DuckDB's threads, too.")]
Rounds = Annotated[int, typer.Option(min=1, help="Fewer than 5 are a quick look.")]
Memory = Annotated[str, typer.Option(help="Of MXK, as its option --memory.")]
Build = Annotated[Path, typer.Option(help="The folder with the program mxk.", show_default="build/linux")]


@tpch_app.command()
def make(
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The column file to write.")], scale: Factor = "1"
) -> None:
    """Makes data of this scale, and a column file with what the queries need of them.

    The Parquet files in between stay in build/tpch/scale-N.

    Exit codes: 0 it is written, 1 it cannot be, such as without room on the disc, 2 wrong usage.
    """
    from mxk_host.tpch import data

    kept = data.Data(data.Scale.checked(scale))
    data.provide_parquet(kept)
    data.make_column_file(kept, output)


@tpch_app.command()
def compare(
    scale: Factor = "1",
    queries: Chosen = None,
    cores: Cores = "1,2",
    rounds: Rounds = 5,
    memory: Memory = "8G",
    timeout: Timeout = 600,
    json: Json = False,
    build: Build = BUILD / "linux",
) -> None:
    """Runs queries by MXK, as a Linux program, and by DuckDB in memory, interleaved; compares results and times.

    Exit codes: 0 all results are equal, 1 one is not or something failed (it is named), 2 wrong usage or not built.
    """
    from mxk_host.tpch import comparison, data

    factor, chosen = data.Scale.checked(scale), choose_names("--queries", tuple(QUERIES), queries)
    settings = comparison.Settings(factor, chosen, parse_cores(cores), rounds, build, memory, timeout)
    comparison.compare(settings, as_json=json)


@tpch_app.command()
def groups(
    rows: Annotated[str, typer.Option(help="Of the table, such as 20M.")] = "20M",
    groups: Annotated[str, typer.Option(help="Numbers of groups, with commas between.")] = "5,1K,1M,10M",
    cores: Cores = "1,2",
    rounds: Rounds = 5,
    memory: Memory = "8G",
    timeout: Timeout = 600,
    json: Json = False,
    build: Build = BUILD / "linux",
) -> None:
    """Groups rows by one key, count and sum, by MXK, as a Linux program, and by DuckDB in memory, interleaved.

    Exit codes: as for compare.
    """
    from mxk_host.tpch import comparison, data
    from mxk_host.tpch import groups as of_groups

    counts = [parse_count("--groups", text) for text in groups.split(",")]
    settings = comparison.Settings(data.Scale(1), (), parse_cores(cores), rounds, build, memory, timeout)
    of_groups.compare(parse_count("--rows", rows), counts, settings, as_json=json)


@tpch_app.command()
def check(
    scale: Factor = "0.01",
    queries: Chosen = None,
    cpus: Annotated[int, typer.Option(help="Cores of the machine, all of which run the queries.")] = 2,
    mem: Annotated[str, typer.Option(help="Memory of the machine, such as 512M or 4G.")] = "1G",
    accel: Accel = Accelerator.AUTO,
    no_build: NoBuild = False,
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds.")] = 600,
) -> None:
    """Runs queries by the kernel in QEMU, with the data as a module, and compares the results with DuckDB's.

    Exit codes: 0 all results are equal, 1 one is not (it is named), otherwise as for run.
    """
    from mxk_host.tpch import comparison, data

    chosen = choose_names("--queries", tuple(QUERIES), queries)
    accelerator = choose_accelerator(accel)
    comparison.check(data.Scale.checked(scale), chosen, cpus, mem, accelerator, timeout, build=not no_build)

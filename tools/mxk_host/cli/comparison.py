"""The options of compare and figures-check."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import choose_names, finite, parse_cores, parse_count, parse_rounds, typed_command
from mxk_host.compare import job
from mxk_host.compare.figures import FIGURES, engines_of, parts_of
from mxk_host.compare.plan import CONFIGURATIONS, Part, Settings, chosen_parts
from mxk_host.image import BUILD
from mxk_host.programs import expect_built
from mxk_host.quiet import MAX_ROUNDS, MIN_ROUNDS
from mxk_host.results import RESULTS, utc_stamp

Build = Annotated[
    Path, typer.Option(help="The folder with the programs mxk and mxk-peers.", show_default="build/linux")
]
Results = Annotated[Path, typer.Option(help="Where the folder <UTC time> is made.", show_default="build/results")]
From = Annotated[Path | None, typer.Option("--from", help="The folder of a comparison: shown again, not measured.")]
Timeout = Annotated[float, typer.Option(callback=finite, min=0, help="Seconds for each process.")]
Rounds = Annotated[
    str, typer.Option(help=f"A count; auto: {MIN_ROUNDS} to {MAX_ROUNDS}, until the quiet ones are within 5 %.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON line at the end.")]
Markdown = Annotated[
    list[Path] | None, typer.Option(help="A page that embeds the tables: they are put into it; repeatable.")
]


def _settings(
    ops: str, cores: tuple[int, ...], rounds: int | None, seed: int, timeout: float, build: Path, mxk: str | None,
    only: str | None, minutes: float, *, latency: bool = True,
) -> Settings:  # fmt: skip
    expect_built(build, target="compare")
    configurations = choose_names("--mxk", tuple(CONFIGURATIONS), mxk)
    command, started, operations = typed_command(), utc_stamp(), parse_count("--ops", ops)
    parts = chosen_parts(only)
    return Settings(
        command, started, operations, cores, rounds, minutes, seed, timeout, build, configurations, parts, latency
    )


def compare(
    ops: Annotated[str, typer.Option(help="Operations in each phase, such as 24M or 200K.")] = "24M",
    cores: Annotated[str, typer.Option(help="Core counts, with commas between.")] = "1,2",
    rounds: Rounds = "auto",
    minutes: Annotated[float, typer.Option(callback=finite, min=0, help="auto: no sixth round begins later.")] = 60,
    peers: Annotated[str | None, typer.Option(help="Only these, with commas between; default all.")] = None,
    mxk: Annotated[
        str | None, typer.Option(help="Only these of MXK's configurations; ratios are about the first.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(help=f"Only these parts of {', '.join(Part)}, with commas between.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the keys and of their order.")] = 1,
    timeout: Timeout = 1800,
    json: Json = False,
    markdown: Markdown = None,
    finished: From = None,
    build: Build = BUILD / "linux",
    results: Results = RESULTS,
) -> None:
    """Measures MXK and its peers on this machine, as Linux programs, interleaved; shows one table with ratios.

    Exit codes: 0 all that is built ran and is verified, 1 something failed (it is named), 2 wrong usage or not built.
    """
    if finished is not None:
        summary = job.read(finished)
    else:
        settings = _settings(ops, parse_cores(cores), parse_rounds(rounds), seed, timeout, build, mxk, only, minutes)
        summary = job.compare(settings, peers=peers, folder=results)
    with job.kept_in(finished):
        if finished is not None:
            job.show(summary)
        job.pass_on(summary, as_json=json, pages=markdown or [])
        job.expect_success(summary)


def figures_check(
    quick: Annotated[
        bool, typer.Option("--quick", help="2M operations and 3 rounds, for a look; default 24M and auto.")
    ] = False,
    of: Annotated[
        str | None, typer.Option(help="Only the figures of these engines, with commas between; default all.")
    ] = None,
    finished: From = None,
    timeout: Timeout = 1800,
    build: Build = BUILD / "linux",
    results: Results = RESULTS,
) -> None:
    """Checks the figures that MXK is to reach: measures what they are made of, or judges a comparison that was made.

    Exit codes: 0 all are reached, 1 some are not (they are named) or something failed, 2 wrong usage or not built.
    """
    engines = choose_names("--of", list(dict.fromkeys(figure.over.engine for figure in FIGURES)), of)
    figures = [figure for figure in FIGURES if figure.over.engine in engines]
    if finished is not None:
        summary = job.read(finished)
    else:
        ops, rounds = ("2M", 3) if quick else ("24M", None)
        engines = engines_of(figures)
        mxk = ",".join(engine for engine in CONFIGURATIONS if engine in engines)
        peers = ",".join(engine for engine in engines if engine not in CONFIGURATIONS)
        parts = ",".join(parts_of(figures))
        settings = _settings(ops, (1, 2), rounds, 1, timeout, build, mxk, parts, 60, latency=False)
        summary = job.compare(settings, peers=peers, folder=results)
    with job.kept_in(finished):
        job.expect_success(summary)
        job.expect_figures(summary, [figure.name for figure in figures])

"""The options of theses."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.arguments import finite
from mxk_host.cli.comparison import Build, Results
from mxk_host.cli.kernel import NoBuild
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.image import BUILD
from mxk_host.results import RESULTS

_WEEK = 7 * 24 * 3600


def theses(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Theses, parts or statements (--list); default all.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the parts, how long they take, what is done.")] = False,
    size: Annotated[str, typer.Option(help="full: as in the source, days in all; small: minutes each.")] = "full",
    again: Annotated[bool, typer.Option("--again", help="Run also what is done.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(help="Write what is stored into this page, such as docs/theses.md; run nothing.", dir_okay=False),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Fail if a statement does not hold.")] = False,
    folder: Annotated[
        Path | None, typer.Option(help="The files of statements, *.toml.", show_default="tools/theses")
    ] = None,
    no_build: NoBuild = False,
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds, of a part.")] = _WEEK,
    build: Build = BUILD / "linux",
    results: Results = RESULTS,
) -> None:
    """Simulates what five works say, each on its machine, and says which of their statements hold.

    What is done for this build, machine and command is not run again (build/theses). Exit codes: 0 ran, whatever holds,
    1 a part failed, or with --check a statement does not hold, 2 wrong usage or a wrong entry, 3 to 5 as for simulate.
    """
    # As in simulate: what reads the kernel's debug file takes a while to import.
    from mxk_host.simulate.plugin import NAME
    from mxk_host.theses import job
    from mxk_host.theses.entries import FOLDER, Size, choose, read_theses
    from mxk_host.theses.state import States

    if size not in tuple(Size):
        raise UsageError(f"expected --size {' or '.join(Size)}, got {size}")
    chosen_size, states = Size(size), States(results.parent / "theses")
    all_theses = read_theses(folder or FOLDER)
    parts = choose(all_theses, names or [])
    if listed:
        job.show_list(states, parts, chosen_size)
        return
    if page is None:
        plugin = (build / NAME).absolute()
        job.run(job.Settings(states, chosen_size, again, plugin, results, not no_build, timeout), parts)
    wrong = job.show(states, parts, chosen_size if page is None else None)
    if page is not None:
        job.put(states, all_theses, parts, page)
    if check and wrong:
        raise DriverError(f"{wrong} statements do not hold", ExitCode.COMMAND_FAILED)

"""The options of heap-record."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host import heap_record as recorder
from mxk_host.image import BUILD


def heap_record(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The trace.", show_default=False)],
    program: Annotated[
        list[str], typer.Argument(metavar="-- PROGRAM ARGS...", help="What is recorded.", show_default=False)
    ],
    events: Annotated[
        int, typer.Option(min=1, max=recorder.MAX_EVENTS, help="Up to so many; the program then runs on.")
    ] = recorder.MAX_EVENTS,
    build: Annotated[
        Path, typer.Option(help=f"The folder with {recorder.LIBRARY}.", show_default="build/linux")
    ] = BUILD / "linux",
) -> None:
    """Records what a program's threads allocate and free, as a trace for 'bench heap replay'.

    Of a program that runs another one in its place (exec), the last one is recorded; child processes are not. Objects
    of fewer than 8 bytes count as 8; realloc as a free and an allocation.

    Exit codes: the program's, or 128 + the signal that ended it; 1 nothing was recorded, 2 wrong usage or not built.
    """
    raise typer.Exit(recorder.record(out, program, build, events))

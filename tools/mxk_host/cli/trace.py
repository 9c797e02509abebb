"""The options of trace show."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.timeline import job

trace_app = typer.Typer(no_args_is_help=True, help="Timelines that 'trace dump' has written.")


@trace_app.command()
def show(
    logs: Annotated[list[Path], typer.Argument(help="Logs with the lines of one or more dumps.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option(help="The file; default the last log's, with .trace.json.", show_default=False)
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option(help="What was recorded, for names; default the build's.", show_default=False),
    ] = None,
    recording: Annotated[
        str | None, typer.Option(help="Which one, where there are several; default the last.", show_default=False)
    ] = None,
) -> None:
    """Makes of a dumped timeline a file for Perfetto (ui.perfetto.dev) and chrome://tracing.

    Exit codes: 0 it is written (what was missing is a WARN), 1 no such lines, or not the first one, 2 wrong usage.
    """
    job.show(logs, output=output, program=program, recording=recording)

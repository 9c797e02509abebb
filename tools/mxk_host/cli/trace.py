"""The options of trace show, which is about timelines, and of trace convert and replay, about recorded workloads: what
they need is imported when they run, since it takes a second."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.errors import UsageError
from mxk_host.timeline import job
from mxk_host.trace.source import Source

TIMELINES = "Timelines: what 'trace dump' has written"
WORKLOADS = "Recorded workloads: what 'bench table --trace' runs"

trace_app = typer.Typer(
    no_args_is_help=True, help="Timelines that 'trace dump' has written (show); recorded workloads (convert, replay)."
)


@trace_app.command(rich_help_panel=TIMELINES)
def show(
    logs: Annotated[list[Path], typer.Argument(help="Logs with the lines of one or more dumps.")],
    output: Annotated[Path | None, typer.Option(help="The file; default the last log's, with .trace.json.")] = None,
    program: Annotated[Path | None, typer.Option(help="What was recorded, for names; default the build's.")] = None,
    recording: Annotated[str | None, typer.Option(help="Which one, where there are several; default the last.")] = None,
) -> None:
    """Makes of a dumped timeline a file for Perfetto (ui.perfetto.dev) and chrome://tracing.

    Exit codes: 0 it is written (what was missing is a WARN), 1 no such lines, or not the first one, 2 wrong usage.
    """
    job.show(logs, output=output, program=program, recording=recording)


@trace_app.command(rich_help_panel=WORKLOADS)
def convert(
    paths: Annotated[list[Path], typer.Argument(metavar="IN... OUT", help="Files to read, then the one to write.")],
    source: Annotated[
        Source, typer.Option("--from", help="What the files are; auto: as they say themselves.")
    ] = Source.AUTO,
    operation: Annotated[str | None, typer.Option(help="What to do with the keys of a list; default find.")] = None,
    text: Annotated[bool, typer.Option("--text", help="Write the text form, for people.")] = False,
) -> None:
    """Makes a trace for 'bench table --trace' of what others have recorded, several files one behind the other.

    ycsb: what YCSB's basic client prints (READ usertable user1 [ ... ]). csv: operation,key,value. keys: a key on each
    line, as --keys file: has them. keys64: little-endian numbers of 64 bits. trace: another trace. Strings are hashed
    to 64 bits; how many collide is said.

    Exit codes: 0 it is written, 1 what was read is not what it should be (file, line and what was expected are said),
    2 wrong usage.
    """
    if len(paths) < 2:
        raise UsageError("expected files to read and one to write: trace convert IN... OUT")
    from mxk_host.trace import job as recorded

    recorded.convert(paths[:-1], paths[-1], source=source, operation=operation, as_text=text)


@trace_app.command(rich_help_panel=WORKLOADS)
def replay(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A trace, in either form.")],
    json: Annotated[bool, typer.Option("--json", help="As the field 'trace' of a row of bench table.")] = False,
) -> None:
    """Runs a trace in a plain map, one operation after the other, and prints what a run must come to.

    Exit codes: 0 all is well, 1 it is no trace (the offset and what was expected are said), 2 wrong usage.
    """
    from mxk_host.trace import job as recorded

    recorded.show_results(path, as_json=json)

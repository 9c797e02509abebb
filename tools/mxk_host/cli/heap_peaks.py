"""The options of heap-peaks."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host import heap_peaks as peaks
from mxk_host.arguments import choose_names, finite
from mxk_host.image import BUILD


def heap_peaks(
    heap: Annotated[str | None, typer.Option(help="Only these allocators, with commas between; default all.")] = None,
    part: Annotated[
        str | None, typer.Option(help=f"Only these of {', '.join(peaks.PARTS)}, with commas between.")
    ] = None,
    cores: Annotated[int, typer.Option(min=1, help="Of each process.")] = 2,
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds for each process.")] = 600,
    json: Annotated[bool, typer.Option("--json", help="One JSON line at the end.")] = False,
    build: Annotated[
        Path, typer.Option(help="The folder with the program mxk-peers.", show_default="build/linux")
    ] = BUILD / "linux",
) -> None:
    """Runs `bench heap` with each allocator in a process of its own, and shows their peak resident memory.

    Exit codes: 0 all that is there ran and is verified, 1 something failed (it is named), 2 wrong usage or not built.
    """
    parts = choose_names("--part", peaks.PARTS, part)
    rows = peaks.measure(build, choose_names("--heap", peaks.HEAPS, heap), parts, cores, timeout)
    found, missing = peaks.peaks_of(rows)
    peaks.show(found, missing, parts)
    if json:
        print(peaks.as_json(found, parts))

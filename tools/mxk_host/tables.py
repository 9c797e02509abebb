"""Tables for people in a terminal, and what they are printed to."""

from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table

PLAIN_WIDTH = 120  # columns of text that goes to a file


def console_of(output: TextIO, width: int = PLAIN_WIDTH) -> Console:
    """As wide as the terminal, or `width`."""
    return Console(file=output, width=None if output.isatty() else width, markup=False, highlight=False)


def plain_table(*headings: str) -> Table:
    """Without a frame. A heading with > in front is that of numbers, to the right; with / of texts that may be
    folded."""
    table = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        justify = "right" if heading.startswith(">") else "left"
        table.add_column(heading.lstrip(">/"), justify=justify, no_wrap=not heading.startswith("/"), overflow="fold")
    return table

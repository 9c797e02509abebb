"""Tables for people in a terminal, and what they are printed to. Read only where one is shown: rich takes as long to
read as all that a run needs."""

from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table

from mxk_host.stream import Row

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


def _of_rows(rows: list[Row]) -> Table:
    """The rows for people. Speed-up is relative to the first row."""
    drawn = plain_table(">cores", ">operations", ">throughput M/s", ">speed-up", "verified")
    first = _median(rows[0]) if rows else None
    for row in rows:
        median = _median(row)
        drawn.add_row(
            str(row.get("cores", "?")),
            f"{row['operations']:,}" if isinstance(row.get("operations"), int) else "?",
            "?" if median is None else f"{median / 1e6:.2f}",
            f"{median / first:.2f}" if median is not None and first else "?",
            "yes" if row.get("verified") is True else "NO",
        )
    return drawn


def _median(row: Row) -> float | None:
    throughput = row.get("throughput")
    median = throughput.get("median") if isinstance(throughput, dict) else None
    return float(median) if isinstance(median, int | float) else None


def show_rows(rows: list[Row], *, notes: list[str]) -> None:
    """The rows of a run as a table, if there are any, and the notes below."""
    console = Console()
    if rows:
        console.print(_of_rows(rows))
    for note in notes:
        console.print(note, soft_wrap=True, highlight=False)

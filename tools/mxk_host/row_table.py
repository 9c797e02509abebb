"""The rows of a run as a table for people. A module of its own: rich takes as long to read as all that a run needs."""

from rich.console import Console
from rich.table import Table

from mxk_host.stream import Row
from mxk_host.tables import plain_table


def _table(rows: list[Row]) -> Table:
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


def show(rows: list[Row], *, notes: list[str]) -> None:
    """The table, if there are rows, and the notes below."""
    console = Console()
    if rows:
        console.print(_table(rows))
    for note in notes:
        console.print(note, soft_wrap=True, highlight=False)

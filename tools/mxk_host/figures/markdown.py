"""The table of statements that docs/bench-figures.md embeds (mxk_host/pages.py), made of one run."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from mxk_host import pages
from mxk_host.programs import Side
from mxk_host.stream import Row

HOLDS = {True: "yes", False: "NO", None: "unknown"}
_BLOCK = "figures: statements"


def put(rows: Sequence[Row], command: str, page: Path) -> None:
    """Replaces the table in the page, which has a place for it or is not there yet."""
    pages.put(page, {_BLOCK: statements(rows, command)})


def statements(rows: Sequence[Row], command: str) -> Iterable[str]:
    """A row for each statement of the thesis; what sets the two builds, or a peer, beside each other has one cell."""
    said: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if "statement" in row:
            said.setdefault((row["figure"], row["statement"]), {})[row.get("side", "")] = row
    yield "| figure | the thesis | expected | Linux program | kernel |"
    yield "|---|---|---|---|---|"
    for (figure, statement), by_side in said.items():
        wanted = next(iter(by_side.values()))["wanted"]
        both = by_side.get("")
        cells = [_cell(both or by_side.get(Side.LINUX)), "the same" if both else _cell(by_side.get(Side.KERNEL))]
        yield f"| {figure} | {statement} | {wanted} | {' | '.join(cells)} |"
    yield ""
    yield _origin(rows, command)


def _cell(row: Row | None) -> str:
    return "-" if row is None else f"{HOLDS[row['holds']]}: {row['measured']}"


def _origin(rows: Sequence[Row], command: str) -> str:
    machine = next((row["machine"] for row in rows if row.get("side", Side.LINUX) == Side.LINUX), rows[0]["machine"])
    measured = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"`{command}`, {measured}: {machine.get('cpu', '?')}, build {machine.get('build', '?')}."

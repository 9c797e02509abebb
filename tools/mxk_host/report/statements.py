"""Tables of what a source says: of each statement what was wanted, what was measured, whether it holds."""

from collections.abc import Sequence

from mxk_host.report.plot import Line, Plot, run_cells, run_heading
from mxk_host.runs.point import Point, text_of

_HOLDS = "holds"


def statement_line(
    cells: Sequence[str],
    holds: bool | None,
    where: Sequence[str],
    run: int,
    names: Sequence[str],
    *,
    otherwise: str,
    command: str = "",
) -> Line:
    """`cells`: the statement, what is wanted, what was measured. `otherwise`: said where nothing tells whether it
    holds."""
    verdict = otherwise if holds is None else _HOLDS if holds else "does not hold"
    here = ", ".join(text for text in (verdict, *where) if text)
    return Line([here, *run_cells(run, names), *cells], run, command, failed=holds is False)


def said_by(
    point: Point,
    says: str,
    where: Sequence[str],
    names: Sequence[str],
    otherwise: str,
    *,
    is_judged: bool = True,
    command: str = "",
) -> Line:
    """A row that is a statement, judged by the program that wrote it."""
    row = point.first
    holds = row.get("holds") if is_judged and isinstance(row.get("holds"), bool) else None
    cells = [says, text_of(row.get("wanted")), text_of(row.get("measured"))]
    return statement_line(cells, holds, [*where, point.kind], point.run, names, otherwise=otherwise, command=command)


def statements_table(title: str, says: str, lines: list[Line], names: Sequence[str]) -> list[Plot]:
    """Nothing where there are no lines. `says`: the heading of the statements."""
    headings = ["here", *run_heading(names), says, "wanted", "measured"]
    return [Plot(title, headings, lines, is_of_statements=True)] if lines else []


def count_text(lines: Sequence[Line]) -> str:
    """How many there are, and how many hold; those that are not measured do not."""
    return f"{sum(line.cells[0].startswith(_HOLDS) for line in lines)} of {len(lines)}"

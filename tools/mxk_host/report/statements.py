"""Tables of what a source says: of each statement what was wanted, what was measured, whether it holds."""

from collections.abc import Sequence

from mxk_host.report.plot import Line, Plot, run_cells, run_heading
from mxk_host.runs.point import Point, text_of


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
    verdict = otherwise if holds is None else "holds" if holds else "does not hold"
    here = ", ".join(text for text in (verdict, *where) if text)
    return Line([*run_cells(run, names), *cells, here], run, command, failed=holds is False)


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
    return [Plot(title, [*run_heading(names), says, "wanted", "measured", "here"], lines)] if lines else []

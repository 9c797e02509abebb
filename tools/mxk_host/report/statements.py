"""Tables of what a source says: of each statement what was wanted, what was measured, whether it holds."""

from collections.abc import Sequence

from mxk_host.report.plot import Line, Plot


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
    of_run = [names[run]] if len(names) > 1 else []
    here = ", ".join(text for text in (verdict, *where) if text)
    return Line([*of_run, *cells, here], run, command, failed=holds is False)


def statements_table(title: str, says: str, lines: list[Line], names: Sequence[str]) -> Plot | None:
    """Nothing where there are no lines. `says`: the heading of the statements."""
    headings = [*(["run"] if len(names) > 1 else []), says, "wanted", "measured", "here"]
    return Plot(title, headings, lines) if lines else None

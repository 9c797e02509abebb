"""Results, cell by cell. MXK prints each cell as a text: integers, decimals with all digits of their scale, dates as
YYYY-MM-DD, averages with 17 digits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

NULL = "NULL"
# Of an average: MXK rounds once, to 17 digits, and DuckDB three times to the nearest double.
NEAR = 1e-15


@dataclass(frozen=True)
class Answer:
    """What DuckDB says: the columns' names, and its rows as it has them."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def text_of(value: object) -> str:
    """A value of DuckDB's as MXK prints it."""
    match value:
        case None:
            return NULL
        case Decimal():
            return f"{value:f}"  # never with an exponent
        case date():
            return value.isoformat()
        case float():
            return repr(value)
        case _:
            return str(value)


def difference(expected: Answer, got: object) -> str | None:
    """The first cell in which MXK's result is another one; None: they are equal, averages as good as."""
    if not isinstance(got, list) or not all(isinstance(row, list) for row in got):
        return "expected a result as a list of rows, got none"
    for number, (row, cells) in enumerate(zip(expected.rows, got, strict=False), 1):
        if len(cells) != len(row):
            return f"row {number}: expected {len(row)} cells, got {len(cells)}"
        for name, value, cell in zip(expected.names, row, cells, strict=True):
            if not _is_equal(value, cell):
                return f"row {number}, {name}: expected {text_of(value)}, got {cell}"
    if len(got) != len(expected.rows):
        return f"expected the number of rows to be {len(expected.rows)}, got {len(got)}"
    return None


def _is_equal(value: object, cell: object) -> bool:
    if not isinstance(cell, str):
        return False
    if not isinstance(value, float):
        return cell == text_of(value)
    try:
        return math.isclose(float(cell), value, rel_tol=NEAR)
    except ValueError:
        return False


def as_rows(answer: Answer) -> Sequence[Sequence[str]]:
    """As a row of `bench query` has it."""
    return [[text_of(value) for value in row] for row in answer.rows]

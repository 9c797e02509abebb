"""How a statement's value is made of the rows of a run: the few forms that a file of statements may use."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

from mxk_host.report.adaptive import source_statements
from mxk_host.runs.point import median_of, number_of
from mxk_host.simulate.keys import Value
from mxk_host.stream import Row

Choice = Mapping[str, str | int | float | bool]  # fields of a row, and what they say


class MissingError(Exception):
    """The rows do not give the value; the message says what was expected."""


@dataclass(frozen=True)
class Rows:
    """Those of a run, what their numbers are read from, and what all that are meant have in common."""

    rows: Sequence[Row]
    field: str = "throughput"
    common: Choice | None = None

    def number(self, choice: Choice) -> float:
        """Of the one row that says this."""
        found = self.several(choice, 1)
        if len(found) > 1:
            raise MissingError(f"expected one row with {self._words(choice)}, got {len(found)}")
        return found[0][1]

    def several(self, choice: Choice, min_rows: int = 2) -> list[tuple[Row, float]]:
        """All rows that say this and are verified, with their numbers. Raises where there are fewer."""
        wanted = {**(self.common or {}), **choice, "verified": True}
        meant = [row for row in self.rows if all(row.get(name) == value for name, value in wanted.items())]
        found = [(row, number) for row in meant if (number := self._number(row)) is not None]
        if len(found) < min_rows:
            raise MissingError(f"expected a row, or several, with {self._words(choice)}, got {len(found)}")
        return found

    def _number(self, row: Row) -> float | None:
        middle = median_of(row, self.field)
        return number_of(row.get(self.field)) if middle is None else middle

    def _words(self, choice: Choice) -> str:
        said = {**(self.common or {}), **choice}
        return ", ".join(f"{name} {value}" for name, value in said.items()) or f"a {self.field}"


def said(rows: Sequence[Row], text: str) -> Row:
    """What the kernel's benchmark, or the report, says itself of these rows."""
    for row in [*rows, *source_statements(rows)]:
        if row.get("statement") == text:
            return row
    raise MissingError("the run has no such statement")


def number_said(row: Row) -> float:
    """The number with which a statement's measured text begins; of percents that one."""
    found = re.match(r"[+-]?\d+(?:\.\d+)?", str(row.get("measured", "")))
    if not found:
        raise MissingError(str(row.get("measured") or "not measured"))
    return float(found[0])


def _order(rows: Rows, choices: Sequence[Choice]) -> float:
    values = [rows.number(choice) for choice in choices]
    return min(_by(one, following) for one, following in pairwise(values))


def _ratio(rows: Rows, choices: Sequence[Choice]) -> float:
    values = [_by(rows.number(one), rows.number(other)) for one, other in zip(choices[::2], choices[1::2], strict=True)]
    return values[0] if len(values) == 1 else _by(*values)


def _spread(rows: Rows, choice: Choice) -> float:
    numbers = [number for _, number in rows.several(choice)]
    return _by(max(numbers), min(numbers))


def _by(over: float, under: float) -> float:
    if under == 0:
        raise MissingError("expected another number than 0 below, got 0")
    return over / under


def _is_choice(it: Any) -> bool:  # noqa: ANN401
    return isinstance(it, dict) and all(isinstance(value, str | int | float | bool) for value in it.values())


def _choices(counts: Sequence[int] | None, words: str) -> Value:
    return Value(
        f"a list of {words} tables of fields of a row",
        lambda it: isinstance(it, list) and all(map(_is_choice, it)) and (len(it) in counts if counts else len(it) > 1),
    )


CHOICE = Value("a table of fields of a row, each a text, a number or a truth value", _is_choice)


@dataclass(frozen=True)
class Form:
    """One way to make a value: what is expected in the file, and what comes of it."""

    expected: Value
    value: Callable[[Rows, Any], float]
    between: tuple[float, float] | None = None  # where it holds unless the file says otherwise


FORMS = {
    # The number of one row.
    "value": Form(CHOICE, lambda rows, it: rows.number(it)),
    # The first by the second; of four that by the third by the fourth.
    "ratio": Form(_choices((2, 4), "two or four"), _ratio),
    # Each is larger than the next: the smallest ratio of neighbours.
    "order": Form(_choices(None, "two or more"), _order, (1, inf)),
    # The largest by the smallest of all rows that say this.
    "spread": Form(CHOICE, _spread),
}

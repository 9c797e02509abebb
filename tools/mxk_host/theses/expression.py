"""How a statement's value is made of the rows of a run: the few forms that a file of statements may use."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isnan, nan
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
        found = self._numbers(choice)
        if len(found) != 1:
            raise MissingError(f"expected one row with {_words({**(self.common or {}), **choice})}, got {len(found)}")
        return found[0][1]

    def all(self, choice: Choice) -> list[float]:
        """Of all rows that say this, of which there are two or more."""
        return [number for _, number in self._several(choice, 2)]

    def curve(self, choice: Choice, over: str) -> list[tuple[float, float]]:
        """The same with the number in the field `over`, by which they are sorted."""
        found = [(number_of(row.get(over)), number) for row, number in self._several(choice, 3)]
        return sorted((at, number) for at, number in found if at is not None)

    def _several(self, choice: Choice, least: int) -> list[tuple[Row, float]]:
        found = self._numbers(choice)
        if len(found) < least:
            raise MissingError(f"expected {least} rows or more with {_words({**(self.common or {}), **choice})}")
        return found

    def _numbers(self, choice: Choice) -> list[tuple[Row, float]]:
        wanted = {**(self.common or {}), **choice}
        meant = [row for row in self.rows if all(row.get(name) == value for name, value in wanted.items())]
        good = [row for row in meant if row.get("verified") is True]
        numbers = [(row, self._number(row)) for row in good]
        return [(row, number) for row, number in numbers if number is not None]

    def _number(self, row: Row) -> float | None:
        middle = median_of(row, self.field)
        return number_of(row.get(self.field)) if middle is None else middle


def _words(choice: Choice) -> str:
    return ", ".join(f"{name} {value}" for name, value in choice.items()) or "a number"


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


def _bend(rows: Rows, choice: Choice) -> float:
    others = {name: value for name, value in choice.items() if name not in ("over", "at")}
    over, at = str(choice.get("over", "cores")), number_of(choice["at"])
    curve = rows.curve(others, over)
    middle = next((number for x, number in curve if x == at), nan)
    if isnan(middle) or at is None or not curve[0][0] < at < curve[-1][0]:
        raise MissingError(f"expected rows before, at and behind {over} {choice['at']}")
    before, behind = ((middle - curve[0][1]) / (at - curve[0][0]), (curve[-1][1] - middle) / (curve[-1][0] - at))
    return _by(behind, before)


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
_BEND = Value("a table of fields of a row with `at`, a number, and maybe `over`, the field it is of",
              lambda it: _is_choice(it) and number_of(it.get("at")) is not None)  # fmt: skip


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
    "spread": Form(CHOICE, lambda rows, it: _by(max(rows.all(it)), min(rows.all(it)))),
    # The slope of the curve behind `at` by that before it.
    "bend": Form(_BEND, _bend),
}

"""What changed between two runs beyond noise. A row's change is the ratio of its medians, with an interval that is
wide enough for all rows together: with many rows, some differ by chance. What one run of a row is off by is known badly
from five of them, so a row's own spread is taken together with what is typical of all rows; and what the machine
drifted by while it was measured is added. A change counts if its whole interval is beyond what does not matter."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median, variance
from typing import Any

from scipy.special import stdtrit

from mxk_host.runs.point import UNITS, Point, Unit, Value, key_of, median_of, number_of

_TYPICAL_RUNS = 8  # as many runs' worth is what is typical of all rows
_OF_MEDIAN = math.sqrt(math.pi / 2)  # the error of a median by that of a mean, of many values
_MIN_MEDIAN = 1e-30  # what is less was not measured
_UNIFORM = 1 / math.sqrt(12)  # standard deviation of a value that lies anywhere in a range of 1


class Verdict(StrEnum):
    """What is said of a row."""

    SLOWER = "SLOWER"
    FASTER = "faster"
    SAME = ""
    UNKNOWN = "no spread"  # nothing is known of noise: a single run


@dataclass(frozen=True)
class Measure:
    """A row in one run, in logarithms: what is added there is a factor. `spread`: of a single run, and by how many
    runs beyond the first it is known."""

    value: Value
    centre: float
    n: int
    spread: float | None
    known_by: int
    drift: float


@dataclass(frozen=True)
class Change:
    """B by A, above 1 where B is faster; the interval holds for all rows together."""

    name: str
    unit: Unit
    a: float
    b: float
    ratio: float
    low: float
    high: float
    verdict: Verdict


@dataclass(frozen=True)
class Changes:
    """Of two runs; `only_a`, `only_b`: rows that the other has not, `unverified`: those that are no measurement."""

    rows: list[Change]
    only_a: list[str]
    only_b: list[str]
    unverified: list[str]
    typical: float | None  # what a single run is off by, as a share


def changes(
    a: Sequence[Point], b: Sequence[Point], names: Mapping[tuple[Any, ...], str], confidence: float, floor: float
) -> Changes:
    """Compares row by row. `names`: how keys are called. `floor`: a change up to this share does not matter."""
    in_a, in_b = _measures(a), _measures(b)
    both = [key for key in in_a if key in in_b]
    spreads = [it.spread for key in both for it in (in_a[key], in_b[key]) if it.spread is not None]
    typical = median(spreads) if spreads else None
    chance = (1 - confidence) / max(len(both), 1)
    rows = [_change(names[key[0]], in_a[key], in_b[key], typical, chance, floor) for key in both]
    wrong = [point for point in (*a, *b) if point.is_wrong]
    return Changes(
        rows,
        _missing(in_a, in_b, names),
        _missing(in_b, in_a, names),
        list(dict.fromkeys(names[key_of(point.first)] for point in wrong)),
        math.sqrt(typical) if typical is not None else None,
    )


_Key = tuple[Any, str]  # of the point, and the quantity


def _missing(here: Mapping[_Key, Measure], there: Mapping[_Key, Measure], names: Mapping[Any, str]) -> list[str]:
    return list(dict.fromkeys(names[key[0]] for key in here if key not in there))


def _measures(points: Iterable[Point]) -> dict[_Key, Measure]:
    found = {}
    for point in points:
        if point.is_wrong:
            continue
        # Nanoseconds and cycles of one row are the same measurement.
        quantity = next((name for name in UNITS if name in point.values), None)
        if quantity is not None and point.values[quantity].median >= _MIN_MEDIAN:
            found[key_of(point.first), quantity] = _measure(point, quantity)
    return found


def _measure(point: Point, quantity: str) -> Measure:
    value = point.values[quantity]
    if len(point.rows) > 1:  # rounds: each a process of its own, so that drift is part of how they differ
        medians = [median_of(row, quantity) for row in point.rows]
        logs = [math.log(it) for it in medians if it is not None and it >= _MIN_MEDIAN]
        if len(logs) > 1:
            return Measure(value, median(logs), len(logs), variance(logs), len(logs) - 1, 0.0)
    drift = number_of(point.first.get("drift"))
    drifted = _UNIFORM * math.log(drift) if drift is not None and drift > 0 else 0.0
    spread = None
    if value.interval is not None and value.n > 1:
        error = (value.interval[1] - value.interval[0]) / 2 / float(stdtrit(value.n - 1, 0.975)) / value.median
        spread = error**2 * value.n
    return Measure(value, math.log(value.median), value.n, spread, value.n - 1 if spread is not None else 0, drifted)


def _change(name: str, a: Measure, b: Measure, typical: float | None, chance: float, floor: float) -> Change:
    """By Welch's approximation, with spreads that are partly the typical one."""
    sign = 1 if a.value.unit.larger_is_better else -1
    difference = sign * (b.centre - a.centre)
    if typical is None:
        return _as_change(name, a, b, difference, math.inf, Verdict.UNKNOWN)
    errors, weights = 0.0, 0.0
    for it in (a, b):
        runs = _TYPICAL_RUNS + it.known_by
        spread = (_TYPICAL_RUNS * typical + it.known_by * (it.spread or 0.0)) / runs
        error = spread / it.n * (_OF_MEDIAN**2 if it.n > 2 else 1.0)
        errors += error
        weights += error**2 / runs
    freedom = errors**2 / weights if weights > 0 else math.inf
    beside = float(stdtrit(min(freedom, 1e6), 1 - chance / 2)) * math.sqrt(errors + a.drift**2 + b.drift**2)
    verdict = Verdict.SAME
    if difference + beside < math.log1p(-floor):
        verdict = Verdict.SLOWER
    elif difference - beside > -math.log1p(-floor):
        verdict = Verdict.FASTER
    return _as_change(name, a, b, difference, beside, verdict)


def _as_change(name: str, a: Measure, b: Measure, difference: float, beside: float, verdict: Verdict) -> Change:
    low, high = (math.exp(min(max(edge, -700), 700)) for edge in (difference - beside, difference + beside))
    return Change(name, a.value.unit, a.value.shown, b.value.shown, math.exp(difference), low, high, verdict)


def different_kinds(a: Iterable[Point], b: Iterable[Point]) -> str:
    """What tells the runs apart where one is measured, emulated or simulated and the other is not: no row of one is in
    the other then. Empty if they have a kind in common."""
    kinds = [list(dict.fromkeys(point.kind for point in points)) for points in (a, b)]
    if not kinds[0] or not kinds[1] or set(kinds[0]) & set(kinds[1]):
        return ""
    first, second = (" and ".join(kind or "measured" for kind in of_run) for of_run in kinds)
    return f"one is {first}, the other is {second}"

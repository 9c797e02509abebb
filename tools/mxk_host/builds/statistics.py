"""Ratios of two builds: medians with an interval that assumes nothing of how they are spread, and the mean of many rows
with one that keeps together what was measured together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, exp, log
from random import Random
from statistics import median

CONFIDENCE = 0.95
_RESAMPLES = 1000

Ratios = Mapping[int, Sequence[float]]  # new by old, by the round in which both were measured


@dataclass(frozen=True)
class Estimate:
    """A value and the interval it is likely in."""

    value: float
    low: float
    high: float
    n: int


def all_of(ratios: Ratios) -> list[float]:
    """Those of all rounds."""
    return [ratio for of_round in ratios.values() for ratio in of_round]


def geometric_mean(values: Sequence[float]) -> float:
    """Of ratios: 2 and a half come to 1."""
    return exp(sum(map(log, values)) / len(values))


def median_with_interval(ratios: Ratios) -> Estimate:
    """The interval is between two of the ratios, by rank: the median of what they are drawn from is below the k-th
    smallest as rarely as k coins out of n show heads. With fewer than six it has all of them, and is too narrow."""
    values = sorted(all_of(ratios))
    n = len(values)
    below, tail = 0, 0.0  # ratios that may stand outside on each side, and the chance that the median is among them
    while 2 * (tail := tail + comb(n, below) / 2**n) <= 1 - CONFIDENCE:
        below += 1
    rank = max(below - 1, 0)
    return Estimate(median(values), values[rank], values[n - 1 - rank], n)


def mean_with_interval(rows: Sequence[Ratios], seed: int = 1) -> Estimate:
    """The geometric mean of the rows' medians. The interval is a bootstrap over rounds: what disturbs a round disturbs
    many of its rows, so that rounds are drawn and not ratios."""
    rounds = sorted({number for row in rows for number in row})
    value = geometric_mean([median(all_of(row)) for row in rows])
    draw = Random(seed)
    means = []
    for _ in range(_RESAMPLES):
        drawn = draw.choices(rounds, k=len(rounds))
        again = [[ratio for number in drawn for ratio in row.get(number, ())] for row in rows]
        means.append(geometric_mean([median(ratios) for ratios in again if ratios] or [value]))
    means.sort()
    beside = round((1 - CONFIDENCE) / 2 * _RESAMPLES)
    return Estimate(value, means[beside], means[-1 - beside], len(rounds))

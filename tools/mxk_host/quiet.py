"""Values of rounds of which some were disturbed: those that count, and whether they are known well enough."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from mxk_host.builds.statistics import median_with_interval

MIN_ROUNDS, MAX_ROUNDS = 5, 15  # of as many as it takes
MIN_QUIET = 3  # where there are so many, disturbed ones do not count
_MAX_WIDTH = 0.10  # of the interval: 5 % to each side


@dataclass(frozen=True)
class Values:
    """A value for each round that has one, and in which of these the machine was not quiet."""

    by_round: Mapping[int, float] = field(default_factory=dict)
    disturbed: frozenset[int] = frozenset()

    @classmethod
    def of(cls, values: Iterable[tuple[int, float, bool | None]]) -> Self:
        """Of rounds, values, and whether the machine was quiet, as a row says it."""
        known = list(values)
        return cls({it[0]: it[1] for it in known}, frozenset(it[0] for it in known if it[2] is False))

    @property
    def rounds(self) -> list[int]:
        """Those that count: the quiet ones where there are enough, else all."""
        quiet = [number for number in sorted(self.by_round) if number not in self.disturbed]
        return quiet if len(quiet) >= MIN_QUIET else sorted(self.by_round)

    @property
    def counted(self) -> list[float]:
        """The values of these."""
        return [self.by_round[number] for number in self.rounds]

    def scaled(self, factor: float, more: float = 0.0) -> "Values":
        """Each so many times, and so much more."""
        return Values({number: factor * value + more for number, value in self.by_round.items()}, self.disturbed)

    def over(self, others: "Values") -> "Values":
        """The ratios of the rounds that both have."""
        both = self.by_round.keys() & others.by_round.keys()
        ratios = {at: self.by_round[at] / others.by_round[at] for at in both if others.by_round[at] > 0}
        return Values(ratios, (self.disturbed | others.disturbed) & ratios.keys())

    def known_well(self) -> bool:
        """Whether there are enough quiet rounds, whose median's interval is within 5 %."""
        values = [value for number, value in self.by_round.items() if number not in self.disturbed]
        if len(values) < MIN_QUIET:
            return False
        found = median_with_interval({0: values})
        return found.high - found.low <= _MAX_WIDTH * found.value


def rounds(asked: int | None, seconds: float, known_well: Callable[[], bool]) -> Iterator[int]:
    """Their numbers: as many as were asked for, or MIN_ROUNDS and more, until all is known well or the time is over."""
    end = time.monotonic() + seconds
    for number in range(1, (asked or MAX_ROUNDS) + 1):
        if asked is None and number > MIN_ROUNDS and (time.monotonic() > end or known_well()):
            return
        yield number


def largest(several: Iterable[Values]) -> Values:
    """In each round the largest of all that have one."""
    known = list(several)
    rounds = sorted({number for values in known for number in values.by_round})
    best = {number: max(v.by_round[number] for v in known if number in v.by_round) for number in rounds}
    return Values(best, frozenset().union(*(values.disturbed for values in known)) & best.keys())

"""In which order a round runs its processes, and what belongs together."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)


def balanced_order(items: Sequence[_T], round_number: int) -> list[_T]:
    """The order of a round, counted from 1. Over len(items) rounds each item stands once at each place, and for an even
    number of items once behind each other item (for an odd one up to twice). A plain rotation would keep nearly all
    neighbours. (E. J. Williams, Experimental designs balanced for the estimation of residual effects, 1949.)"""
    count = len(items)
    first = [(place + 1) // 2 if place % 2 else (count - place // 2) % count for place in range(count)]
    return [items[(index + round_number - 1) % count] for index in first]


def grouped(items: Iterable[_T], key: Callable[[_T], _K]) -> dict[_K, list[_T]]:
    """Those of the same key together, in the order in which they come."""
    groups: dict[_K, list[_T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups

"""What a source says of measurements, and between which values it holds."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Generic, TypeVar

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Statement(Generic[Measured]):
    """Where the source has a number, what holds is half of it to twice as much."""

    says: str
    low: float
    high: float
    value: Callable[[Measured], float]  # NaN: it was not measured

    def holds(self, value: float) -> bool | None:
        """None: it was not measured."""
        return None if isnan(value) else self.low <= value <= self.high

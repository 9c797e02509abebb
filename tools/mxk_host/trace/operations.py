"""A trace in memory: which operation, on which key, with which value, as arrays of the same length."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mxk_host.errors import DriverError, ExitCode

NAMES = ("insert", "find", "erase", "update", "upsert", "modify")  # by the numbers of the binary form
INSERT, FIND, ERASE, UPDATE, UPSERT, MODIFY = range(len(NAMES))
WRITES_VALUE = (True, False, False, True, True, True)
MAX_KEY = 2**64 - 2
MAX_VALUE = 2**64 - 1
MAX_OPERATIONS = 4_000_000_000


class TraceError(DriverError):
    """A file that is no trace, or not what it was said to be; the message says where and what was expected."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.COMMAND_FAILED)


@dataclass(frozen=True)
class Operations:
    """The operations in their order. What writes no value has the value 0."""

    kinds: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    values: NDArray[np.uint64]

    @classmethod
    def of(cls, kinds: list[int], keys: list[int], values: list[int]) -> "Operations":
        """The same from plain numbers."""
        return cls(np.array(kinds, np.uint8), np.array(keys, np.uint64), np.array(values, np.uint64))

    @classmethod
    def joined(cls, parts: list["Operations"]) -> "Operations":
        """One behind the other."""
        columns = ([part.kinds for part in parts], [part.keys for part in parts], [part.values for part in parts])
        return cls(*map(np.concatenate, columns))

    def __len__(self) -> int:
        return len(self.kinds)

    def counts(self) -> dict[str, int]:
        """How many there are of each kind, without those of which there are none."""
        found = np.bincount(self.kinds, minlength=len(NAMES))
        return {name: int(count) for name, count in zip(NAMES, found, strict=True) if count}

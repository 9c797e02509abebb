"""Keys and values as others write them: numbers, or strings, which are hashed to 64 bits."""

import hashlib
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mxk_host.trace.operations import MAX_KEY, Operations, TraceError

_MAX_DIGITS = 1000  # 64 bits have 20; Python refuses to read more than 4300
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")


def number_in(text: str) -> int | None:
    """Decimal, or with 0x in front hexadecimal; None: neither."""
    if len(text) > _MAX_DIGITS or not _NUMBER.fullmatch(text):
        return None
    return int(text, 16 if text[:2] in ("0x", "0X") else 10)


def parse_number(text: str, low: int, high: int, what: str, line: int) -> int:
    """A number on this line; raises if it is none, or another one."""
    number = number_in(text)
    if number is None or not low <= number <= high:
        raise TraceError(f"line {line}: expected {what} from {low} to {high}, got '{text[:24]}'")
    return number


def hash_text(text: bytes) -> int:
    """64 bits: BLAKE2b (RFC 7693) with a digest of 8 bytes, read as a little-endian number. It depends on nothing but
    the text, so that a converted trace is the same everywhere."""
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def hash_key(text: bytes) -> int:
    """The same, made a key: what tables use as marks, 0 and 2^64 - 1, becomes its neighbour."""
    return min(max(hash_text(text), 1), MAX_KEY)


@dataclass(frozen=True)
class Recorded:
    """What was read of what others record; `hashed`: None where all keys are numbers."""

    operations: Operations
    hashed: "HashedKeys | None" = None
    other_lines: int = 0  # that are no operations


@dataclass(frozen=True)
class HashedKeys:
    """The keys of operations by their strings."""

    keys: NDArray[np.uint64]
    different: int  # strings
    collisions: int  # of these, strings that have the key of another one


def hash_keys(texts: list[bytes]) -> HashedKeys:
    """A key for each string, the same for the same."""
    numbers, different = pd.factorize(np.array(texts, dtype=object))
    of_different = np.fromiter((hash_key(text) for text in different), np.uint64, len(different))
    collisions = len(different) - len(np.unique(of_different))
    return HashedKeys(of_different[numbers], len(different), collisions)

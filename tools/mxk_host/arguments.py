"""What several commands take as options: counts, core counts, names out of a list; each says what was expected."""

import math
import re
import shlex
import sys
from collections.abc import Sequence

from mxk_host.errors import UsageError

_PLACES = ("--build", "--markdown", "--results")
_MAX_DIGITS = 19  # of what fits in 63 bits
_SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


def parse_count(option: str, text: str) -> int:
    """A count as the console takes it: 24M, 1.5K, 4Ki."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?i?)", text, re.IGNORECASE)
    factor = _SUFFIXES.get(found[2].lower()) if found and len(found[1]) <= _MAX_DIGITS else None
    if found is None or factor is None:
        raise UsageError(f"expected {option} as a count such as 24M or 200K, got {text}")
    count = round(float(found[1]) * factor)
    if count < 1:
        raise UsageError(f"expected {option} to be no less than 1, got {text}")
    return count


def parse_rounds(text: str) -> int | None:
    """A count, or auto: None."""
    if text == "auto":
        return None
    if not text.isdecimal() or len(text) > _MAX_DIGITS or int(text) < 1:
        raise UsageError(f"expected --rounds as auto or a count such as 5, got {text}")
    return int(text)


def parse_cores(text: str) -> tuple[int, ...]:
    """Core counts: 1,2,4."""
    words = text.split(",")
    if not all(word.isdecimal() and len(word) <= _MAX_DIGITS and int(word) > 0 for word in words):
        raise UsageError(f"expected --cores as a list of core counts such as 1,2, got {text}")
    return tuple(dict.fromkeys(map(int, words)))


def finite(value: float | None) -> float | None:
    """The callback of options that are numbers: bounds let what is no number pass."""
    if value is not None and not math.isfinite(value):
        raise UsageError(f"expected a finite number, got {value}")
    return value


def choose_names(option: str, known: Sequence[str], names: str | None) -> tuple[str, ...]:
    """The names of a list such as "a,b", in its order and each once; none of an empty one; all that are known without
    one."""
    if names is None:
        return tuple(known)
    if not names:
        return ()
    chosen = tuple(dict.fromkeys(name.strip() for name in names.split(",")))
    if unknown := [name for name in chosen if name not in known]:
        raise UsageError(f"{option}: expected names out of {', '.join(known)}; got {', '.join(unknown)}")
    return chosen


def typed_command() -> str:
    """As it was typed, without the options that only say where things are."""
    kept = ["tools/mxk"]
    words = iter(sys.argv[1:])
    for word in words:
        if word in _PLACES:
            next(words)  # its value
        elif word.partition("=")[0] not in _PLACES:
            kept.append(word)
    return shlex.join(kept)

"""The serial stream as lines and progress. The kernel ends lines with CR LF; progress is text behind an erase mark
(CR ESC [ K) that another erase mark takes away again. Firmware and GRUB add control sequences, which are dropped."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mxk_host.check_sum import FIELD, check_sum_of

Row = dict[str, Any]

_MARK = re.compile(rb"\r\x1b\[K|\n")
_PART_OF_MARK = re.compile(rb"\r?(\x1b\[?)?$")
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Line:
    """A whole line."""

    text: str


@dataclass(frozen=True)
class Progress:
    """Text that was shown for a while and taken away."""

    text: str


class SerialStream:
    """Cuts bytes, in pieces of any size, into lines and progress. Keeps only what is unfinished."""

    def __init__(self) -> None:
        self._rest = b""  # what follows the last mark: a line, or progress, that is not finished

    def feed(self, data: bytes) -> Iterator[Line | Progress]:
        """What the new bytes complete, in order."""
        self._rest += data
        while (mark := _MARK.search(self._rest)) is not None:
            text = _clean(self._rest[: mark.start()])
            self._rest = self._rest[mark.end() :]
            if mark[0] == b"\n":
                yield Line(text)
            elif text:
                yield Progress(text)

    @property
    def pending(self) -> str:
        """The unfinished text: what a person sees to the left of the cursor."""
        return _clean(_PART_OF_MARK.sub(b"", self._rest, count=1))


def json_row(line: str) -> Row | None:
    """The measurement in a line, if the line is one, and not damaged; without its check sum."""
    if not looks_like_row(line):
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # ValueError: numbers that are too long, too
        return None
    sums = check_sum_of(line.rstrip())
    if row.pop(FIELD, None) is not None and sums is None:
        return None
    return row if sums is None or sums.is_right else None


def looks_like_row(line: str) -> bool:
    """Whether it begins as one."""
    return line.startswith('{"')


def _clean(raw: bytes) -> str:
    return _CONTROL.sub("", raw.decode(errors="replace"))

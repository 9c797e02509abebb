"""Marks the rows in a serial stream as simulated while it goes on, so that no reader, of the terminal or of the log,
ever has one that passes as measured. All other bytes pass as they are; only a line that may become a row waits for its
end."""

import re
from collections.abc import Mapping
from typing import Any

from mxk_host.check_sum import line_of
from mxk_host.simulate.samples import Samples
from mxk_host.stream import Row, json_row

FIELD = "simulated"
_BEGIN = b'{"'
_ERASE = b"\r\x1b[K"
_END_OF_LINE = re.compile(rb"\n")


class RowMarker:
    """Adds what a row is simulated with to each."""

    def __init__(self, simulated: Mapping[str, Any], samples: Samples | None = None) -> None:
        self._simulated = dict(simulated)
        self._samples = samples
        self._held = b""  # the line that is not finished, if it may be a row

    def feed(self, data: bytes) -> bytes:
        """What may be shown now."""
        self._held += data
        done = b""
        while (end := _END_OF_LINE.search(self._held)) is not None:
            done += self._line(self._held[: end.end()])
            self._held = self._held[end.end() :]
        if _BEGIN not in self._held and not self._held.endswith(b"{"):
            done, self._held = done + self._held, b""
        return done

    def rest(self) -> bytes:
        """What is still held, at the end of the stream."""
        rest, self._held = self._held, b""
        return rest

    def marked(self, row: Row) -> Row:
        """The row with its mark."""
        of_row = {} if self._samples is None else self._samples.of_next_row()
        return {name: value for name, value in row.items() if name != FIELD} | {FIELD: self._simulated | of_row}

    def _line(self, line: bytes) -> bytes:
        before, erase, text = line.rpartition(_ERASE)
        begin = text.find(_BEGIN)
        if begin < 0:
            return line
        row = json_row(text[begin:].decode(errors="replace").rstrip("\r\n"))
        if row is None:
            return line
        end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
        return before + erase + text[:begin] + line_of(self.marked(row)).rstrip("\n").encode() + end

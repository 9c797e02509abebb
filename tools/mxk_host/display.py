"""Shows a run while it goes on: progress overwrites itself on a terminal; elsewhere it is dropped or thinned out."""

import time
from typing import Self, TextIO

from mxk_host.stream import Line, SerialStream

_ERASE = "\r\x1b[K"


class Display:
    """Writes the lines to `output` and keeps them for the verdict. A context: for the time of the run."""

    def __init__(self, output: TextIO, progress_every: float | None = None) -> None:
        """progress_every: seconds between progress lines where `output` is not a terminal; None: no progress there."""
        self.lines: list[str] = []
        self._output = output
        self._terminal = output.isatty()
        self._stream = SerialStream()
        self._shown = ""  # terminal only: the unfinished text on the screen
        self._progress_every = progress_every
        self._next_progress = 0.0

    def feed(self, data: bytes) -> None:
        """Takes serial output and shows what is new."""
        for part in self._stream.feed(data):
            if isinstance(part, Line):
                self._line(part.text)
            elif not self._terminal:
                self._thinned(part.text)
        if self._terminal:
            self._show(self._stream.pending)
        self._output.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # A crash, a timeout or Ctrl-C may have left a line unfinished.
        if rest := self._stream.pending:
            self._line(rest)
        self._output.flush()

    def _line(self, text: str) -> None:
        self._show("")
        self.lines.append(text)
        self._output.write(f"{text}\n")

    def _show(self, text: str) -> None:
        if text != self._shown:
            self._output.write(f"{_ERASE}{text}")
            self._shown = text

    def _thinned(self, text: str) -> None:
        now = time.monotonic()
        if self._progress_every is not None and now >= self._next_progress:
            self._next_progress = now + self._progress_every
            self._output.write(f"{text}\n")

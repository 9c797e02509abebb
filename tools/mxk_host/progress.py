"""Shows on stderr how far rounds of processes have come: on a terminal a bar with the time left, elsewhere a line for
each process."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class RoundsProgress:
    """Told of each process before it starts. A context: for the time of the rounds."""

    def __init__(self, rounds: Sequence[Sequence[str]]) -> None:
        """`rounds`: the names of the processes that each of them runs."""
        self._rounds = rounds
        self._total = sum(map(len, rounds))
        self._seconds: dict[str, float] = {}  # of each process, the last time
        self._running: tuple[str, float] | None = None
        self._started = 0
        self._console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"), console=self._console, transient=True,
            refresh_per_second=1,  # what measures needs the processors
        )  # fmt: skip
        self._task = self._bar.add_task("", total=self._total, left="")

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, _type: type[BaseException] | None, _error: object, _traceback: TracebackType | None) -> None:
        self._bar.stop()

    def announce(self, round_number: int, process: str) -> None:
        """The process of this name is started now, and the one before has ended."""
        now = time.monotonic()
        if self._running is not None:
            before, since = self._running
            self._seconds[before] = now - since
        self._running = process, now
        self._total = max(self._total, self._started + 1)  # rounds may be added
        of_all = f"/{len(self._rounds)}" if round_number <= len(self._rounds) else ""
        description = f"round {round_number}{of_all} {process}"
        if self._console.is_terminal:
            left = self._left()
            self._bar.update(self._task, description=description, completed=self._started, total=self._total, left=left)
        else:
            self._console.print(f"{self._started + 1}/{self._total} {description}", highlight=False, soft_wrap=True)
        self._started += 1

    def _left(self) -> str:
        """An estimate: every process takes as long as it last did, an unknown one as long as the others on average."""
        if not self._seconds:
            return ""
        average = sum(self._seconds.values()) / len(self._seconds)
        everything = sum(self._seconds.get(process, average) for of_round in self._rounds for process in of_round)
        minutes = everything * (1 - self._started / self._total) / 60
        return "less than a minute left" if minutes < 1 else f"about {minutes:.0f} min left"

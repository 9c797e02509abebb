"""What every comparison does: runs a command line to its end for the rows that it prints, and commands in rounds, in
which they take turns, so that a machine that becomes slower meets all of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mxk_host.errors import DriverError
from mxk_host.files import read_bytes
from mxk_host.order import balanced_order
from mxk_host.runner import Outcome, run_captured, signals_unwind
from mxk_host.stream import Line, Row, SerialStream, json_row

Job = TypeVar("Job")


@dataclass(frozen=True)
class Ran:
    """A process that has ended."""

    outcome: Outcome
    output: str  # the log's
    rows: list[Row]

    def line_with(self, *marks: str) -> str:
        """The first line that has one of the marks, of what it wrote; empty if none has."""
        lines = (*self.output.splitlines(), *self.outcome.complaint.splitlines())
        return next((line.strip() for line in lines if any(mark in line for mark in marks)), "")


def run(line: Sequence[str], log: Path, timeout: float) -> Ran:
    """Runs a program to its end; what it prints stays in the log."""
    log.parent.mkdir(exist_ok=True)
    stream, lines = SerialStream(), list[str]()
    outcome = run_captured(
        list(line), log, timeout, lambda data: lines.extend(it.text for it in stream.feed(data) if isinstance(it, Line))
    )
    rows = [row for text in (*lines, stream.pending) if (row := json_row(text)) is not None]
    return Ran(outcome, read_bytes(log, "the log of a process").decode(errors="replace"), rows)


def take_turns(
    rounds: Iterable[int], groups: Callable[[int], Sequence[Sequence[Job]]], measure: Callable[[int, int, Job], None],
    keep: Callable[[int | None], None],
) -> int | None:  # fmt: skip
    """In each round all jobs of a group, in another order than in the round before: `measure` is told the round, the
    place in it, and the job; `keep` the rounds that are complete now, None at a signal. A signal ends the rounds, and
    what runs with them: its number."""
    try:
        with signals_unwind():
            for number in rounds:
                ordered = [job for group in groups(number) for job in balanced_order(group, number)]
                for place, job in enumerate(ordered, 1):
                    measure(number, place, job)
                keep(number)
    except DriverError as error:
        if error.code <= 128:
            raise
        keep(None)
        return error.code - 128
    return None

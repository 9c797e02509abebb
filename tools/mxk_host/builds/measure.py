"""Runs both builds, round by round, and keeps the ratios of their rows. In each round every command runs once in either
build, one directly behind the other, and the build that comes first changes: what a noisy machine does to one it
probably does to the other, too."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mxk_host import results
from mxk_host.builds.plan import Command, Comparison, Subject
from mxk_host.digits import cores_text
from mxk_host.rounds import run, take_turns

BUILDS = ("old", "new")


class RowName(NamedTuple):
    """What is compared: something that a command measures."""

    command: str
    what: str

    def __str__(self) -> str:
        return f"{self.command} {self.what}"


@dataclass
class Row:
    """A row's values in either build, by round."""

    unit: str
    values: dict[str, dict[int, float]] = field(default_factory=lambda: {build: {} for build in BUILDS})

    @property
    def ratios(self) -> dict[int, list[float]]:
        """How fast the new build is by the old one, in the rounds that both have. A cost is the better the smaller."""
        old, new = self.values["old"], self.values["new"]
        both = sorted(old.keys() & new.keys())
        costs = self.unit == "cycles"
        return {number: [old[number] / new[number] if costs else new[number] / old[number]] for number in both}


@dataclass
class Measured:
    """What is known so far."""

    load_before: float = field(default_factory=lambda: os.getloadavg()[0])  # of the machine, by what else runs on it
    rows: dict[RowName, Row] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  # by command
    rounds: int = 0  # that are complete
    interrupted: int | None = None  # the signal's number
    raw: list[dict[str, Any]] = field(default_factory=list)


def measure(
    comparison: Comparison,
    chosen: Sequence[Command],
    rounds: range,
    measured: Measured,
    folder: Path,
    announce: Callable[[int, str], None],
) -> None:
    """Adds these rounds of the commands to what is measured. A command that fails is named and not run again; a signal
    ends the rounds, the child with them."""

    def both(number: int, _place: int, chosen: tuple[int, Command]) -> None:
        index, command = chosen
        announce(number, command.name)
        first = (number + index) % 2
        for build in (BUILDS[first], BUILDS[1 - first]):
            if command.name not in measured.failures:
                _run(comparison, command, build, number, measured, folder)

    def keep(complete: int | None) -> None:
        results.store(folder, measured.raw)
        measured.rounds = complete or measured.rounds

    measured.interrupted = take_turns(rounds, lambda _: [list(enumerate(chosen))], both, keep)


def _run(comparison: Comparison, command: Command, build: str, number: int, measured: Measured, folder: Path) -> None:
    line = comparison.lines(command)[build]
    log = folder / "logs" / f"{number:02}-{command.name}-{build}.log"
    ran = run(line, log, comparison.timeout)
    rows = [row for row in ran.rows if "verified" in row]
    measured.raw += [{"round": number, "build": build, "command": command.name} | row for row in rows]
    wrong = [row for row in rows if row["verified"] is not True]
    if ran.outcome.status != 0 or wrong or not rows:
        why = "verification failed" if wrong else f"exit status {ran.outcome.status}" if rows else "no row"
        said = ran.line_with("error:", "PANIC")
        measured.failures[command.name] = f"{build}, round {number}: {why} {said}".rstrip()
        return
    for row in rows:
        _take(row, command, build, number, measured)


def _take(row: dict[str, Any], command: Command, build: str, number: int, measured: Measured) -> None:
    is_table = command.subject is Subject.TABLE
    if is_table:
        what, unit = f"{row['mix']}, {cores_text(row['cores'])}", "M ops/s"
        value = row["throughput"]["max"] / 1e6
    else:
        what, unit, value = row["measure"], "cycles", row["cycles"]["min"]
    measured.rows.setdefault(RowName(command.name, what), Row(unit)).values[build][number] = value

"""A benchmark run's rows: checked, stored, and drawn as a table for people."""

import io
import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from mxk_host import files
from mxk_host.check_sum import line_of
from mxk_host.errors import ExitCode
from mxk_host.image import BUILD
from mxk_host.stream import Row, json_row, looks_like_row
from mxk_host.verdict import Verdict

RESULTS = BUILD / "results"


def utc_stamp() -> str:
    """Now, as it stands in file names; milliseconds keep two runs at once apart."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3] + "Z"


def new_folder(parent: Path = RESULTS) -> Path:
    """A folder of its own for this run."""
    folder = parent / utc_stamp()
    folder.mkdir(parents=True)
    return folder


def store(folder: Path, rows: list[Row]) -> None:
    """Keeps the rows, one JSON line with its check sum each, and points `latest` to the folder."""
    files.write_text(folder / "results.jsonl", "".join(map(line_of, rows)))
    link = folder.with_name(f".latest-{os.getpid()}")
    link.unlink(missing_ok=True)  # a signal may have come between the two lines below
    link.symlink_to(folder.name)
    # A rename: a reader of `latest` sees the old one or the new one.
    link.replace(folder.with_name("latest"))


def keep_summary(folder: Path, summary: dict[str, Any], show: Callable[[dict[str, Any], TextIO], None]) -> None:
    """As JSON, and as the table that `show` makes of it."""
    files.write_text(folder / "summary.json", json.dumps(summary, indent=1) + "\n")
    table = io.StringIO()
    show(summary, table)
    files.write_text(folder / "table.txt", table.getvalue())


def rows_in(lines: Sequence[str]) -> tuple[list[Row], list[str]]:
    """The rows of console lines, and what is to be said of those that are damaged."""
    rows = [row for line in lines if (row := json_row(line)) is not None]
    damaged = sum(map(looks_like_row, lines)) - len(rows)
    return rows, [f"WARN damaged lines left out: {damaged} (tools/mxk report names them)"] if damaged else []


def judge_rows(rows: list[Row]) -> Verdict:
    """A benchmark without a result, or with one that failed its self-check, has failed."""
    if not rows:
        return Verdict(
            ExitCode.COMMAND_FAILED, "the run gave no JSON row of a benchmark; expected a bench command with --json"
        )
    measured = [row for row in rows if "statement" not in row]  # such a one says something of the others
    wrong = [number for number, row in enumerate(measured, 1) if row.get("verified") is not True]
    if wrong:
        numbers = ", ".join(map(str, wrong))
        return Verdict(
            ExitCode.COMMAND_FAILED, f"expected every row to be verified; not so: row {numbers} of {len(measured)}"
        )
    return Verdict(ExitCode.SUCCESS)

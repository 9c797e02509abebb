"""The job of `tools/mxk compare-runs`: two runs read, compared row by row, shown as a table, judged."""

import json
import math
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.text import Text

from mxk_host.digits import number
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.report.labels import setting_text
from mxk_host.runs.changes import Changes, Verdict, changes, different_kinds
from mxk_host.runs.point import Point, key_of, points_of
from mxk_host.runs.source import Run, expect_rows, read_runs, told_of
from mxk_host.tables import console_of, plain_table

_WIDTH = 130  # where it is no terminal


def compare_runs(a: str, b: str, *, confidence: float, floor: float, all_rows: bool, as_json: bool) -> None:
    """Shows what changed from A to B. Raises if something became slower, is wrong, or nothing can be compared."""
    runs = read_runs([a, b])
    expect_rows(runs)
    points = [points_of(run.rows, number) for number, run in enumerate(runs)]
    names = _names([point for of_run in points for point in of_run])
    found = changes(points[0], points[1], names, confidence, floor)
    _show(runs, found, confidence, floor, all_rows)
    if as_json:
        print(json.dumps(_document(runs, found, confidence, floor)))
    _judge(found, points)


def _judge(found: Changes, points: list[list[Point]]) -> None:
    if found.unverified:
        raise DriverError(f"not verified: {'; '.join(found.unverified)}", ExitCode.COMMAND_FAILED)
    if not found.rows:
        why = different_kinds(*points) or "they have no row in common"
        raise UsageError(f"expected two runs of the same measurements: {why}")
    if all(row.verdict is Verdict.UNKNOWN for row in found.rows):
        raise UsageError("nothing is known of noise: expected runs with --repeat 5 or more, or of several rounds")
    slower = [row for row in found.rows if row.verdict is Verdict.SLOWER]
    if slower:
        raise DriverError(f"{len(slower)} of {len(found.rows)} rows became slower", ExitCode.COMMAND_FAILED)


def _names(points: list[Point]) -> dict[tuple[Any, ...], str]:
    """A row's settings, without those that all rows have alike."""
    values: dict[str, set[str]] = {}
    for point in points:
        for name in {setting for other in points for setting in other.settings}:
            values.setdefault(name, set()).add(setting_text(point.settings.get(name)))
    return {key_of(point.first): _name(point, values) for point in points}


def _name(point: Point, values: dict[str, set[str]]) -> str:
    words = [point.benchmark, *([f"figure {point.figure}"] if point.figure else [])]
    for name, setting in point.settings.items():
        if name in ("layout", "submit", "mix", "measure", "peer", "cores") or len(values[name]) > 1:
            text = setting_text(setting)
            words.append(text if isinstance(setting, str) else f"{name.replace('_', ' ')} {text}")
    if "latency" in point.durations:
        words.append("latency measured")
    return ", ".join(words)


def _show(runs: list[Run], found: Changes, confidence: float, floor: float, all_rows: bool) -> None:
    console = console_of(sys.stdout, _WIDTH)

    def say(text: str) -> None:
        console.print(text, soft_wrap=True)

    say(f"A: {runs[0].name}\nB: {runs[1].name}")
    for run in runs:
        for line in told_of(run):
            say(line)
    shown = [row for row in found.rows if all_rows or row.verdict in (Verdict.SLOWER, Verdict.FASTER)]
    if shown:
        say(
            f"B by A, above 1 B is faster; intervals that hold for all {len(found.rows)} rows together, "
            f"{100 * confidence:g} %"
        )
        table = plain_table("/row", ">A", ">B", ">B by A", ">interval", "")
        for row in sorted(shown, key=lambda it: it.ratio):
            interval = f"{row.low:.3f}-{row.high:.3f}" if row.verdict is not Verdict.UNKNOWN else "-"
            verdict = Text(row.verdict, style="bold red" if row.verdict is Verdict.SLOWER else "")
            unit = row.unit.name
            table.add_row(
                row.name, f"{number(row.a)} {unit}", f"{number(row.b)} {unit}", f"{row.ratio:.3f}", interval, verdict
            )
        console.print(table)
    for line in _conclusion(found, floor):
        say(line)


def _conclusion(found: Changes, floor: float) -> Iterable[str]:
    counts = {verdict: sum(row.verdict is verdict for row in found.rows) for verdict in Verdict}
    if found.typical is not None:
        yield f"noise: a single run is typically off by {100 * found.typical:.1f} %"
    yield (
        f"{len(found.rows)} rows: {counts[Verdict.SLOWER]} slower, {counts[Verdict.FASTER]} faster, "
        f"{counts[Verdict.SAME]} no change beyond noise and {100 * floor:g} %"
        + (f", {counts[Verdict.UNKNOWN]} with nothing known of noise" if counts[Verdict.UNKNOWN] else "")
    )
    for which, names in (("A", found.only_a), ("B", found.only_b)):
        if names:
            yield f"only in {which}: {len(names)} rows, such as {names[0]}"


def _document(runs: list[Run], found: Changes, confidence: float, floor: float) -> dict[str, Any]:
    rows = [
        asdict(row) | {"unit": row.unit.name, "high": row.high if math.isfinite(row.high) else None}
        for row in found.rows
    ]
    document = {
        "benchmark": "compare-runs",
        "a": runs[0].name,
        "b": runs[1].name,
        "confidence": confidence,
        "floor": floor,
    }
    return document | {"rows": rows, "only_a": found.only_a, "only_b": found.only_b, "not_verified": found.unverified}

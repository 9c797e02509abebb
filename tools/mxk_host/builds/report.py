"""Both builds, row by row: medians, ratios with their intervals, the mean of all, and the verdict."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any, TextIO

from rich.table import Table
from rich.text import Text

from mxk_host.builds.measure import BUILDS, Measured, Row, RowName
from mxk_host.builds.plan import RUNS, Comparison
from mxk_host.builds.statistics import Estimate, mean_with_interval, median_with_interval
from mxk_host.digits import number
from mxk_host.tables import console_of, plain_table

MAX_LOAD = 0.5  # with more of it something else runs


def summarise(comparison: Comparison, measured: Measured) -> dict[str, Any]:
    """The whole result as one document."""
    places = {command.name: place for place, command in enumerate(comparison.commands)}
    ordered = sorted(measured.rows, key=lambda name: places[name.command])
    rows = {name: row for name in ordered if (row := measured.rows[name]).ratios}
    of_rows = {name: median_with_interval(row.ratios) for name, row in rows.items()}
    subjects = {command.name: command.subject for command in comparison.commands}
    groups: dict[str, list[Row]] = {}
    for name, row in rows.items():
        groups.setdefault(subjects[name.command], []).append(row)
    mean = mean_with_interval([row.ratios for row in rows.values()]) if rows else None
    slow = slow_rows(comparison, measured)
    one_sided = [f"{name}: only {build} has it" for name, row in measured.rows.items() if (build := _alone(row))]
    return {
        "benchmark": "compare-builds",
        "old": str(comparison.old),
        "new": str(comparison.new),
        "rounds": measured.rounds,
        "load_before": measured.load_before,
        "rows": [_row(name, rows[name], of_rows[name], name not in slow) for name in rows],
        "mean": _estimate(mean) if mean else None,
        "means": {subject: _estimate(mean_with_interval([row.ratios for row in of])) for subject, of in groups.items()},
        "slowest": str(min(of_rows, key=lambda name: of_rows[name].value)) if rows else None,
        "min_mean": comparison.min_mean,
        "min_row": comparison.min_row,
        "failures": [*(f"{name}: {why}" for name, why in measured.failures.items()), *one_sided],
        "interrupted": measured.interrupted is not None,
        "slow_rows": list(map(str, slow)),
        "passed": bool(mean) and mean.value >= comparison.min_mean and not slow and not measured.failures
        and not one_sided and measured.interrupted is None,
    }  # fmt: skip


def slow_rows(comparison: Comparison, measured: Measured) -> list[RowName]:
    """Those whose median is below the floor."""
    return [
        name
        for name, row in measured.rows.items()
        if row.ratios and median_with_interval(row.ratios).value < comparison.min_row
    ]


def show(summary: dict[str, Any], output: TextIO) -> None:
    """Prints it."""
    console = console_of(output)
    console.print(f"old: {summary['old']}\nnew: {summary['new']}", soft_wrap=True)
    console.print(
        f"{summary['rounds']} rounds, both builds one behind the other, each row the best of {RUNS} runs; new/old: "
        "median of the rounds' ratios, with the interval it is in (95 %, by rank); above 1 the new build is faster",
        soft_wrap=True,
    )
    if summary["load_before"] > MAX_LOAD:
        load = f"{summary['load_before']:.1f} processors were busy before it began"
        console.print(f"WARN the machine was not quiet: {load}", soft_wrap=True)
    if summary["rows"]:
        console.print(_table(summary["rows"]))
    for line in _conclusion(summary):
        console.print(line, soft_wrap=True)


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    table = plain_table("command", "row", "unit", ">old", ">new", ">new/old", ">interval", ">n", "")
    before = None
    for row in rows:
        if before not in (None, row["command"]):
            table.add_section()
        before = row["command"]
        ratio = row["ratio"]
        table.add_row(
            *(row["command"], row["what"], row["unit"], number(row["old"]), number(row["new"])),
            *(f"{ratio['value']:.3f}", f"{ratio['low']:.3f}-{ratio['high']:.3f}", str(ratio["n"])),
            Text("" if row["fast_enough"] else "SLOW", style="bold red"),
        )
    return table


def _conclusion(summary: dict[str, Any]) -> Iterable[str]:
    for subject, it in summary["means"].items():
        yield f"{subject}: geometric mean {_shown(it)}"
    if it := summary["mean"]:
        yield f"all: geometric mean {_shown(it)}, wanted >= {summary['min_mean']}"
        slowest = next(row for row in summary["rows"] if f"{row['command']} {row['what']}" == summary["slowest"])
        yield f"slowest row: {summary['slowest']} {slowest['ratio']['value']:.3f}, wanted >= {summary['min_row']}"
    yield from (f"FAILED {failure}" for failure in summary["failures"])
    if summary["interrupted"]:
        yield "interrupted: what had been measured until then"
    yield "passed" if summary["passed"] else "NOT PASSED"


def _shown(it: dict[str, Any]) -> str:
    return f"{it['value']:.3f} ({it['low']:.3f}-{it['high']:.3f})"


def _row(name: RowName, row: Row, ratio: Estimate, fast_enough: bool) -> dict[str, Any]:
    medians = {build: median(row.values[build].values()) for build in BUILDS}
    described = {"command": name.command, "what": name.what, "unit": row.unit} | medians
    return described | {"ratio": _estimate(ratio), "fast_enough": fast_enough}


def _estimate(it: Estimate) -> dict[str, Any]:
    return {"value": it.value, "low": it.low, "high": it.high, "n": it.n}


def _alone(row: Row) -> str | None:
    """The one build that has this row, if the other never had it."""
    have = [build for build in BUILDS if row.values[build]]
    return have[0] if len(have) == 1 else None

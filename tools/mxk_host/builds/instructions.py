"""The job of `tools/mxk compare-instructions`: how many instructions the kernel needs for an operation, in two builds.
QEMU is told that an instruction takes a nanosecond (-icount shift=0), and then the time stamps of the kernel's own
benchmarks are numbers of instructions: the same ones in each run, however busy the host is."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from rich.text import Text

from mxk_host.builds.plan import MIXES, TABLES
from mxk_host.errors import DriverError, ExitCode
from mxk_host.machine import QEMU, Accelerator, expect_installed
from mxk_host.programs import Programs, Side
from mxk_host.results import RESULTS
from mxk_host.stream import Row
from mxk_host.tables import console_of, plain_table

# What one processor can measure, and for which no time slice has to pass.
_COSTS = {
    "task": "--measure local --ops 100K",
    "thread": "--measure yield,wake --yields 10K --wakes 200",
    "semaphore": "--measure uncontended,ping-pong,crowd --ops 20K --trips 500 --yields 10K",
}

Counts = dict[str, float]  # instructions, by row


def compare_instructions(
    old: Path, new: Path, *, operations: tuple[int, int], max_ratio: float, timeout: float, as_json: bool
) -> None:
    """Counts both kernels' instructions and fails where the new one needs more. `operations`: of each table phase,
    fewer and more; what is shown is the slope between them, in which what happens once has no part."""
    expect_installed(QEMU)
    counts = {build: _count(kernel, operations, timeout) for build, kernel in (("old", old), ("new", new))}
    summary = _summarise(counts, max_ratio) | {"old": str(old), "new": str(new), "operations": operations}
    _show(summary, sys.stdout)
    if as_json:
        print(json.dumps(summary))
    if above := [row["row"] for row in summary["rows"] if not row["reached"]]:
        raise DriverError(f"more instructions than {max_ratio} of the old build's: {'; '.join(above)}", 1)


def _count(kernel: Path, operations: tuple[int, int], timeout: float) -> Counts:
    """Each row's instructions for an operation."""
    counts: Counts = {}
    for name, way in TABLES.items():
        way = way.replace("--prefetch 16", "--prefetch 0")  # as under QEMU without being told: it has no caches
        common = f"{way} --queue node-local --mix {MIXES} --cores 1 --json"
        few, many = (
            {row["mix"]: _ticks(row) for row in _rows(kernel, f"bench table {common} --ops {count}", timeout)}
            for count in operations
        )
        fewer, more = operations
        counts |= {f"{name} {mix}": (many[mix] - few[mix]) / (more - fewer) for mix in few}
    costs = "; ".join(f"bench {name} {told} --repeat 1 --json" for name, told in _COSTS.items())
    rows = _rows(kernel, costs, timeout)
    return counts | {f"{row['benchmark']} {row['measure']}": row["cycles"]["median"] for row in rows}


def _ticks(row: Row) -> float:
    """Of a table's row, all operations together: time stamps, whatever the kernel takes their frequency for."""
    return row["operations"] / row["throughput"]["median"] * row["machine"]["tsc_hz"]


def _rows(kernel: Path, commands: str, timeout: float) -> list[Row]:
    """What the kernel reports; raises if a command failed or a row is not verified."""
    print(f"{kernel}: {commands}", file=sys.stderr)
    # One processor: others would count, too, while they wait. Memory for any of the tables.
    names, log = {Side.KERNEL: str(kernel.absolute())}, RESULTS / "instructions.log"
    programs = Programs(kernel.parent, RESULTS, timeout, Accelerator.TCG, 1, names, counted=True, log=log)
    rows = [row for row in programs.rows(Side.KERNEL, commands, 1) if "verified" in row]
    if not rows or not all(row["verified"] for row in rows):
        raise DriverError(f"{kernel}: {commands}: expected verified rows", ExitCode.COMMAND_FAILED)
    return rows


def _summarise(counts: Mapping[str, Counts], max_ratio: float) -> dict[str, Any]:
    old, new = counts["old"], counts["new"]
    if different := sorted(old.keys() ^ new.keys()):
        raise DriverError(f"only one of the builds measures: {', '.join(different)}", ExitCode.COMMAND_FAILED)
    rows = [
        {"row": name, "old": old[name], "new": new[name], "ratio": new[name] / old[name],
         "reached": new[name] <= old[name] * max_ratio}
        for name in old
    ]  # fmt: skip
    return {"benchmark": "compare-instructions", "max_ratio": max_ratio, "rows": rows}


def _show(summary: dict[str, Any], output: TextIO) -> None:
    console = console_of(output)
    fewer, more = summary["operations"]
    console.print(f"old: {summary['old']}\nnew: {summary['new']}", soft_wrap=True)
    console.print(f"instructions of one core for each operation; tables: the slope from {fewer:,} to {more:,} of them")
    table = plain_table("row", ">old", ">new", ">new/old", "")
    for row in summary["rows"]:
        verdict = Text("" if row["reached"] else "MORE", style="bold red")
        table.add_row(row["row"], f"{row['old']:.1f}", f"{row['new']:.1f}", f"{row['ratio']:.4f}", verdict)
    console.print(table)

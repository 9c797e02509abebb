"""The job of `tools/mxk trace show`: logs in, the file for a browser out, and a table of each core's time."""

import json
import sys
from pathlib import Path

from mxk_host import files
from mxk_host.tables import console_of, plain_table
from mxk_host.timeline import chunks
from mxk_host.timeline.document import document
from mxk_host.timeline.names import names_of
from mxk_host.timeline.recording import decode
from mxk_host.timeline.sums import Sums, sums_of


def show(logs: list[Path], *, output: Path | None, program: Path | None, recording: str | None) -> None:
    """Writes the file and says what is in it. What is missing or damaged is named on standard error."""
    dumps = chunks.read(logs)
    dump = chunks.choose(dumps, recording, logs)
    if recording is None and len(dumps) > 1:
        others = ", ".join(other.recording for other in dumps if other is not dump)
        print(f"recording {dump.recording}, the last one; others in these logs (--recording): {others}")
    complaints = chunks.complaints(dump)
    decoded = decode(dump)
    names, wrong = names_of(decoded, program)
    complaints += wrong
    for core in decoded.cores:
        if core.lost:
            complaints.append(f"core {core.number}: {core.lost} older events were lost (trace on --events)")
    for complaint in complaints:
        print(f"WARN {complaint}", file=sys.stderr)
    sums = [sums_of(core) for core in decoded.cores]
    path = output or logs[-1].with_suffix(".trace.json")
    written = document(decoded, names, sums, complaints)
    files.write_text(path, json.dumps(written, separators=(",", ":")))
    _print(sums, decoded.frequency)
    print(f"{path}: {len(written['traceEvents'])} events; open it at ui.perfetto.dev or chrome://tracing")


def _print(sums: list[Sums], frequency: int) -> None:
    of_times = (">span ms", ">tasks", ">tasks ms", ">rounds ms", ">safe points ms", ">idle ms")
    table = plain_table(">core", *of_times, ">busy/counted")
    for each in sums:
        times = (each.tasks, each.rounds, each.safe_points, each.idle)
        ratio = f"{each.busy / each.busy_counted:.4f}" if each.is_complete and each.busy_counted else "-"
        table.add_row(
            str(each.core), f"{each.span * 1e3 / frequency:.3f}", str(each.task_count),
            *(f"{time * 1e3 / frequency:.3f}" for time in times), ratio,
        )  # fmt: skip
    console_of(sys.stdout).print(table)
    print("busy/counted: tasks, rounds and safe points by what 'cores' counts as not idle")

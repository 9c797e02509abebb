"""Runs the processes of a comparison, interleaved, and keeps what they report. An engine that fails is named and not
run again; the others go on. Everything is on disk as soon as it is known."""

import os
import shlex
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mxk_host import files, results
from mxk_host.compare import plan
from mxk_host.compare.disturber import disturbing
from mxk_host.compare.plan import Cell, Column, Engine, Kind, Process, Settings
from mxk_host.digits import bytes_text, cores_text
from mxk_host.errors import DriverError, ExitCode, signal_name
from mxk_host.order import grouped
from mxk_host.quiet import Values, rounds
from mxk_host.rounds import Ran, run, take_turns
from mxk_host.stream import Row

_LIST_TIMEOUT = 60.0  # seconds


@dataclass(frozen=True)
class Sample:
    """One measurement: operations per second, cycles, or nanoseconds."""

    process: str
    cell: Cell
    round: int
    value: float
    verified: bool
    row: Row


@dataclass
class Record:
    """What is known so far; the table is made of this, whether all rounds are complete or not."""

    samples: list[Sample] = field(default_factory=list)
    latencies: list[Sample] = field(default_factory=list)  # of the runs that measure them; value: the median, in ns
    unsupported: dict[Cell, str] = field(default_factory=dict)  # why an engine has no such column
    failures: dict[str, str] = field(default_factory=dict)  # by process
    load_before: float = 0.0  # of the machine, by what else runs on it
    rounds_complete: int = 0
    interrupted: int | None = None  # the signal's number


def list_peers(programs: Path) -> list[Engine]:
    """The peers that the program knows, built or not."""
    line = [str(programs / "mxk-peers"), "bench peer --list --json"]
    try:
        with tempfile.NamedTemporaryFile(prefix="mxk-") as log:
            ran = run(line, Path(log.name), _LIST_TIMEOUT)
        peers = [_listed(peer) for row in ran.rows if row.get("benchmark") == "peer-list" for peer in row["peers"]]
    except (DriverError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, DriverError) and error.code > 128:  # a signal
            raise
        raise DriverError(f"expected a list of peers from {shlex.join(line)}: {error}", ExitCode.NO_VERDICT) from error
    if ran.outcome.status != 0 or not peers:
        why = _end(ran, _LIST_TIMEOUT) or "it names none"
        raise DriverError(f"expected a list of peers from {shlex.join(line)}: {why}", ExitCode.NO_VERDICT)
    return peers


def run_rounds(
    settings: Settings, groups: list[list[Process]], folder: Path, announce: Callable[[int, str], None]
) -> Record:
    """Runs every group in every round. `announce` is told the round and the name of each process before it
    starts; a signal ends the comparison early, the child with it, and is noted in the record."""
    record = Record(load_before=os.getloadavg()[0])
    raw: list[Row] = []

    def measure(round_number: int, order: int, process: Process) -> None:
        announce(round_number, process.name)
        if process.name not in record.failures:
            where = {"round": round_number, "order": order, "process": process.name}
            raw.extend(where | row for row in _run(process, folder, where, settings.timeout, record))
            results.store(folder, raw)

    def keep(rounds_complete: int | None) -> None:
        record.rounds_complete = rounds_complete or record.rounds_complete
        results.store(folder, raw)  # a signal may have come while they were written

    def running(round_number: int) -> list[list[Process]]:
        return [[it for it in group if it.runs_in(round_number)] for group in groups]

    numbers = rounds(settings.rounds, settings.minutes * 60, lambda: _all_known_well(record))
    record.interrupted = take_turns(numbers, running, measure, keep)
    return record


def _all_known_well(record: Record) -> bool:
    by_cell = grouped(record.samples, lambda it: it.cell)
    values = (Values.of((it.round, it.value, it.row.get("quiet")) for it in samples) for samples in by_cell.values())
    return all(it.known_well() for it in values)


def _run(process: Process, folder: Path, where: dict[str, Any], timeout: float, record: Record) -> list[Row]:
    """Runs the process once; puts its rows, or its failure, into the record."""
    log = folder / "logs" / "{round:02}-{order:02}-{process}.log".format(**where)
    with files.log(folder / "commands.txt", add=True) as commands:
        commands.write(f"{shlex.join(process.line)}  # {log.relative_to(folder)}\n".encode())
    with disturbing(process.disturbed):
        ran = run(process.line, log, timeout)
    if ran.outcome.complaint:
        files.write_text(log.with_suffix(".stderr"), f"{ran.outcome.complaint}\n")
    resident = {"process_bytes": ran.outcome.resident_bytes}
    rows = [resident | row if "benchmark" in row else row for row in ran.rows]
    try:
        for row in rows:
            _take(row, process, where["round"], record)
        reason = _failure(process, ran, where["round"], timeout, record)
    except (KeyError, TypeError, ValueError) as error:
        reason = f"a row that cannot be read: {error!r}"
    if reason:
        record.failures[process.name] = f"round {where['round']}: {reason}"
    return rows


def _take(row: Row, process: Process, round_number: int, record: Record) -> None:
    """Sorts a row into the record; rows that measure nothing are passed over, and so is the loading of a workload, if
    it was right."""
    if row.get("mix") == "load" and row.get("supported") is not False and row.get("verified") is True:
        return
    match row.get("benchmark"):
        case "table":
            engine, column, measured = process.engine, _table_column, "throughput"
        case "peer":
            engine, column, measured = row["peer"], _table_column, "throughput"
        case "memory" if row.get("measure") == "random":
            for mix in plan.RANDOM_MIXES.get(row["mix"], ()):
                cell = Cell(process.part, plan.RANDOM_LINES, Column(mix, row["cores"]))
                verified = row.get("verified") is True
                lines = float(row["lines_per_second"])
                record.samples.append(Sample(process.name, cell, round_number, lines, verified, row))
            return
        case "group-by":
            engine, column, measured = row["engine"], _cost_column, "throughput"
        case str(benchmark) if benchmark == plan.RCU_BENCHMARK:
            engine, column, measured = row["kind"], _section_column, "throughput"
        case str(benchmark) if benchmark == plan.GRACE_BENCHMARK:
            engine, column, measured = plan.COST_ENGINE, _cost_column, "nanoseconds"
        case str(benchmark) if benchmark == plan.RESIZE_BENCHMARK:
            engine, column, measured = row["layout"], _resize_column, "p99"
        case str(benchmark) if benchmark in plan.COST_BENCHMARKS:
            engine, column, measured = plan.COST_ENGINE, _cost_column, plan.cost_unit(process.part)
        case str(benchmark) if benchmark.removesuffix("-peer") in plan.COST_BENCHMARKS:
            engine, column, measured = row["peer"], _cost_column, plan.cost_unit(process.part)
        case _:
            return
    cell = Cell(process.part, engine, column(row))
    if row.get("supported") is False:
        record.unsupported[cell] = row["reason"]
        return
    if "error" in row:
        return  # no measurement; the exit status says so, too
    found, verified = row[measured], row.get("verified") is True
    value = float(found["median"] if isinstance(found, dict) else found)
    if process.latency:
        value = float(row.get("latency", {}).get("p50_ns", 0))
        record.latencies.append(Sample(process.name, cell, round_number, value, verified, row))
    else:
        record.samples.append(Sample(process.name, cell, round_number, value, verified, row))


def _table_column(row: Row) -> Column:
    return Column(row.get("workload") or row["mix"], row["cores"])


def _section_column(row: Row) -> Column:
    return Column(f"{row['body']}, {cores_text(row['cores'])}")


def _resize_column(row: Row) -> Column:
    return Column(f"p99 {row['phase']}, {row['cores']} cores")


def _cost_column(row: Row) -> Column:
    if row["benchmark"].removesuffix("-peer") == "memory":
        return Column(bytes_text(row["bytes"]))
    return Column(row.get("measure", ""))


def _failure(process: Process, ran: Ran, round_number: int, timeout: float, record: Record) -> str | None:
    """Why this run of the process does not count; None if it does. A wrong result comes first: it explains the rest."""
    samples = record.latencies if process.latency else record.samples
    mine = [s for s in samples if s.round == round_number and s.process == process.name]
    if wrong := [str(s.cell) for s in mine if not s.verified]:
        return f"verification failed: {', '.join(wrong)}"
    if reason := _end(ran, timeout):
        return reason
    mine_too = {cell for cell in record.unsupported if cell.part is process.part}
    reported = {c.column for c in {s.cell for s in mine} | mine_too if c.engine == process.engine}
    if missing := sorted(process.columns - reported):
        return f"no row for {', '.join(map(str, missing))}"
    if not process.columns and not mine:
        return "no row"
    return None


def _end(ran: Ran, timeout: float) -> str | None:
    match ran.outcome.status:
        case 0:
            return None
        case None:
            return f"no end after {timeout:g} s: killed"
        case status if status == -signal.SIGKILL:
            return "killed by SIGKILL, as a machine out of memory does"
        case status if status < 0:
            return f"crashed: {signal_name(-status)}"
        case ExitCode.PANIC:
            return f"panicked: {_complaint(ran)}"
        case status:
            return f"exit status {status}: {_complaint(ran)}"


def _complaint(ran: Ran) -> str:
    """The line that says what went wrong: an error's, a panic's, or the last one that was written to stderr."""
    last = ran.outcome.complaint.splitlines()[-1:] or ["no message"]
    return ran.line_with("PANIC") or ran.line_with("error:") or last[0].strip()


def _listed(peer: dict[str, Any]) -> Engine:
    missing = "" if peer["built"] else (peer.get("reason") or "it was not built")
    library = "" if peer.get("library") == "none" else peer.get("library", "")
    return Engine(peer["name"], Kind(peer["kind"]), library, peer.get("setup", ""), missing)

"""Finds and reads what is called a run: the folder of one, a file of JSON lines, or a captured serial log."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mxk_host import files
from mxk_host.errors import UsageError
from mxk_host.results import RESULTS
from mxk_host.runs.log import Found, Log, read_log
from mxk_host.simulate import result_file
from mxk_host.simulate.result import Result

STANDARD_INPUT = "-"
LATEST = RESULTS / "latest"
_SHOWN_DAMAGES = 20
_PUT_THERE = "side"  # by what ran several programs; not in their logs
_EXPECTED = (
    "expected a run: a folder with results.jsonl or console.log, a .jsonl file, a serial log, or - for standard input"
)


@dataclass
class Run(Log):
    """A run as it was kept."""

    name: str = ""
    folder: Path = Path()  # where a report about it belongs
    how: str = ""  # how the machine was started, where that was kept
    simulation: Result | None = None  # what the simulator says of it, if it was simulated
    machine: int = 0  # which of the machines of a page its rows are of


def read_runs(names: Sequence[str]) -> list[Run]:
    """Reads those that are named; the latest without a name. Raises where one is missing, or none has a row."""
    if not names and not LATEST.exists():
        raise UsageError(f"there is no run yet in {RESULTS}: expected one from make bench, or the name of one")
    if list(names).count(STANDARD_INPUT) > 1:
        raise UsageError("expected - once, since there is one standard input")
    runs = [_read(name) for name in names] if names else [_of_folder(LATEST.resolve())]
    _name_apart(runs)
    return runs


def told_of(run: Run) -> Iterator[str]:
    """Lines that say what of a run cannot be relied on: damaged lines by their numbers, and once that rows cannot show
    that they are whole."""
    if run.damages:
        yield f"{run.name}: damaged lines left out: {len(run.damages)}"
        yield from (f"  {damage}" for damage in run.damages[:_SHOWN_DAMAGES])
        if len(run.damages) > _SHOWN_DAMAGES:
            yield f"  and {len(run.damages) - _SHOWN_DAMAGES} more"
    if run.unchecked:
        yield f"{run.name}: rows without a check sum, as in older logs: {run.unchecked}; damage may go unnoticed there"


def expect_rows(runs: Iterable[Run]) -> None:
    """Raises, with what was found instead, unless each run has rows of a benchmark."""
    for run in runs:
        if any(found.row.get("benchmark") for found in run.rows):
            continue
        damaged = f"; damaged lines: {len(run.damages)}, the first: {run.damages[0]}" if run.damages else ""
        raise UsageError(
            f"there is nothing to show in {run.name}: expected JSON rows of benchmarks, which --json gives{damaged}"
        )


def _read(name: str) -> Run:
    if name == STANDARD_INPUT:
        return _run(
            "standard input", Path.cwd(), read_log(files.read_stream(sys.stdin.buffer, "a log on standard input"))
        )
    path = Path(name)
    if path.is_dir():
        return _of_folder(path.resolve())
    return _run(path.name, path.resolve().parent, read_log(_bytes(path)))


def _of_folder(folder: Path) -> Run:
    """The rows are in results.jsonl; if the run was killed before that was written, in logs. Warnings are in logs."""
    kept = folder / "results.jsonl"
    paths = sorted([*folder.glob("*.log"), *folder.glob("logs/*.log")])
    logs = [read_log(_bytes(path)) for path in paths]
    if not kept.is_file() and not logs:
        raise UsageError(f"{_EXPECTED}; {folder} has neither")
    log = read_log(_bytes(kept)) if kept.is_file() else Log()
    if not log.rows:
        for other in logs:
            log.rows += other.rows
            log.unchecked += other.unchecked
    for path, other in zip(paths, logs, strict=True):
        log.damages += [replace(damage, file=path.name) for damage in other.damages]
        log.warnings += other.warnings
        log.failures += other.failures
    commands = _commands(folder, logs)
    log.rows = [found if found.command else Found(found.row, commands.get(_place(found), "")) for found in log.rows]
    run = _run(folder.name, folder, log)
    _add_simulation(run)
    how = folder / "command.txt"
    run.how = _bytes(how).decode(errors="replace").strip() if how.is_file() else ""
    return run


def _add_simulation(run: Run) -> None:
    path = run.folder / result_file.NAME
    if path.is_file():
        try:
            run.simulation = result_file.result_of(result_file.read_document(path))
        except result_file.ResultError as error:
            run.warnings.append(str(error))


def _commands(folder: Path, logs: Iterable[Log]) -> dict[str, str]:
    """What was run, by the process that a row names; in a run of one machine, by the row itself."""
    typed = {_place(found): found.command for log in logs for found in log.rows if found.command}
    kept = folder / "commands.txt"
    lines = _bytes(kept).decode(errors="replace").splitlines() if kept.is_file() else []
    for line in lines:
        command, _, log = line.partition("  # logs/")
        process = log.removesuffix(".log").split("-", 2)[-1]  # ROUND-ORDER-NAME
        typed.setdefault(process, command)
    return typed


def _place(found: Found) -> str:
    process = found.row.get("process")
    if isinstance(process, str):
        return process
    return repr(sorted((name, value) for name, value in found.row.items() if name != _PUT_THERE))


def _run(name: str, folder: Path, log: Log) -> Run:
    return Run(**vars(log), name=name, folder=folder)


def _bytes(path: Path) -> bytes:
    return files.read_bytes(path, _EXPECTED.removeprefix("expected "))


def _name_apart(runs: Sequence[Run]) -> None:
    """Two of the same name get numbers."""
    seen: dict[str, int] = {}
    for run in runs:
        seen[run.name] = seen.get(run.name, 0) + 1
        if seen[run.name] > 1:
            run.name = f"{run.name} ({seen[run.name]})"

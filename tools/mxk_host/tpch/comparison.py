"""`tools/mxk tpch compare` and `check`: MXK's results and times beside DuckDB's."""

import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from mxk_host import image, results
from mxk_host.errors import DriverError, ExitCode
from mxk_host.machine import Boot
from mxk_host.tpch import data, runs
from mxk_host.tpch.cells import Answer, difference
from mxk_host.tpch.reference import Reference

EQUAL, DIFFERENT = "equal", "DIFFERENT"
FULL_ROUNDS = 5  # fewer are a quick look


@dataclass
class Point:
    """A query on a number of cores. The two lists have a time of each round."""

    query: str
    cores: int
    mxk: list[float] = field(default_factory=list)  # seconds
    duckdb: list[float] = field(default_factory=list)
    difference: str | None = None  # the first cell that is not equal, in any round

    @property
    def ratio(self) -> float:
        """DuckDB's time by MXK's, taken within a round, the median of the rounds: above 1 MXK is faster."""
        return statistics.median(theirs / own for own, theirs in zip(self.mxk, self.duckdb, strict=True))

    def as_json(self) -> dict[str, object]:
        """A row for tools."""
        return {
            "query": self.query,
            "cores": self.cores,
            "mxk": {"median": statistics.median(self.mxk), "seconds": self.mxk},
            "duckdb": {"median": statistics.median(self.duckdb), "seconds": self.duckdb},
            "ratio": self.ratio,
            "equal": self.difference is None,
            "difference": self.difference,
        }


@dataclass(frozen=True)
class Settings:
    """What is compared."""

    scale: data.Scale
    queries: tuple[str, ...]
    cores: tuple[int, ...]
    rounds: int
    build: Path
    memory: str
    timeout: float


def compare(settings: Settings, *, as_json: bool) -> None:
    """Measures both, interleaved, and shows a table. Raises if a result is another one."""
    program = runs.LinuxProgram(settings.build, settings.memory, settings.timeout, _log("linux"))
    program.expect_built()
    kept = data.Data(settings.scale)
    column_file = data.provide_column_file(kept)
    points = [Point(query, cores) for query in settings.queries for cores in settings.cores]
    with Reference(kept, settings.queries) as reference:
        answers = {query: reference.answer(query) for query in settings.queries}
        for round_number in range(1, settings.rounds + 1):
            _announce(f"round {round_number} of {settings.rounds}")
            for point in points:
                _measure(point, round_number, program, column_file, reference, answers[point.query])
        _show(points, settings, reference.version)
    if as_json:
        head = {"scale": settings.scale.factor, "rounds": settings.rounds, "duckdb": reference.version}
        print(json.dumps({"tpch": {**head, "rows": [point.as_json() for point in points]}}))
    _expect_equal({f"{point.query} on {point.cores}": point.difference for point in points})


def _measure(
    point: Point, round_number: int, program: runs.LinuxProgram, column_file: Path, reference: Reference, answer: Answer
) -> None:
    """Both once; they take turns in being first, so that a machine that becomes slower meets both."""

    def own() -> None:
        run = program.run(point.query, point.cores, column_file)
        point.mxk.append(run.seconds)
        point.difference = point.difference or difference(answer, run.result)

    def theirs() -> None:
        point.duckdb.append(reference.seconds(point.query, point.cores))

    for measure in (own, theirs) if round_number % 2 else (theirs, own):
        measure()


def check(scale: data.Scale, queries: Sequence[str], kernel: runs.Kernel, *, build: bool) -> None:
    """Runs the queries in the kernel. Raises if a result is another one than DuckDB's."""
    if build:
        image.build(Boot.KERNEL)
    image.expect_image(Boot.KERNEL)
    kept = data.Data(scale)
    column_file = data.provide_column_file(kept)
    with Reference(kept, queries) as reference:
        answers = {query: reference.answer(query) for query in queries}
    found = {run.query: difference(answers[run.query], run.result) for run in kernel.run(queries, column_file)}
    for query, wrong in found.items():
        print(f"{query}: {_verdict(wrong)}, {len(answers[query].rows)} rows")
    _expect_equal(found)


def log_of_kernel() -> Path:
    """Where `check` keeps the serial log."""
    return _log("kernel")


def _log(side: str) -> Path:
    results.RESULTS.mkdir(parents=True, exist_ok=True)
    return results.RESULTS / f"tpch-{side}.log"


def _verdict(wrong: str | None) -> str:
    return EQUAL if wrong is None else f"{DIFFERENT}: {wrong}"


def _expect_equal(found: dict[str, str | None]) -> None:
    wrong = [f"{name}: {said}" for name, said in found.items() if said is not None]
    if wrong:
        raise DriverError(f"expected DuckDB's results; {'; '.join(wrong)}", ExitCode.COMMAND_FAILED)


def _show(points: Sequence[Point], settings: Settings, version: str) -> None:
    drawn = Table(box=box.SIMPLE, pad_edge=False)
    drawn.add_column("query")
    for heading in ("cores", "MXK ms", f"DuckDB {version} ms", "DuckDB/MXK"):
        drawn.add_column(heading, justify="right")
    drawn.add_column("result")
    for point in points:
        times = (f"{statistics.median(seconds) * 1e3:.2f}" for seconds in (point.mxk, point.duckdb))
        drawn.add_row(point.query, str(point.cores), *times, f"{point.ratio:.2f}", _verdict(point.difference))
    console = Console()
    console.print(drawn)
    look = "" if settings.rounds >= FULL_ROUNDS else f"; a quick look: fewer than {FULL_ROUNDS} rounds"
    console.print(
        f"scale {settings.scale}, medians of {settings.rounds} rounds{look}. DuckDB/MXK above 1: MXK is faster.",
        soft_wrap=True,
        highlight=False,
    )


def _announce(text: str) -> None:
    print(text, file=sys.stderr, flush=True)

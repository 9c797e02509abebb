"""`tools/mxk tpch compare` and `check`: MXK's results and times beside DuckDB's."""

import json
import shlex
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mxk_host import image, results
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.machine import Accelerator, Boot
from mxk_host.programs import Programs, Side, expect_built
from mxk_host.shape import parse_mebibytes
from mxk_host.stream import Row
from mxk_host.tables import console_of, plain_table
from mxk_host.tpch import data
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
    program = linux_program(settings)
    kept = data.Data(settings.scale)
    column_file = data.provide_column_file(kept)
    points = [Point(query, cores) for query in settings.queries for cores in settings.cores]
    with Reference(kept, settings.queries) as reference:
        answers = {query: reference.answer(query) for query in settings.queries}
        for round_number in range(1, settings.rounds + 1):
            data.say(f"round {round_number} of {settings.rounds}")
            for point in points:
                measure(point, round_number, (point.query, answers[point.query]), program, column_file,
                        lambda point=point: reference.seconds(point.query, point.cores))  # fmt: skip
        show(points, f"scale {settings.scale}", settings.rounds, reference.version)
    if as_json:
        print_json(points, {"scale": settings.scale.factor}, settings.rounds, reference.version)
    expect_equal(points)


def linux_program(settings: Settings) -> Programs:
    """MXK as a Linux program. Raises where it is not built."""
    expect_built(settings.build, ["mxk"])
    accelerator = Accelerator.TCG  # the kernel's, which does not run
    return Programs(settings.build, results.RESULTS, settings.timeout, accelerator, memory=settings.memory,
                    log=_log("linux"))  # fmt: skip


def measure(
    point: Point, round_number: int, asked: tuple[str, Answer], program: Programs, column_file: Path,
    seconds_of_duckdb: Callable[[], float],
) -> None:  # fmt: skip
    """Both once; they take turns in being first, so that a machine that becomes slower meets both. asked: the query of
    MXK, and what it is to come to."""
    query, answer = asked

    def own() -> None:
        (row,) = _rows(program, Side.LINUX, [query], shlex.quote(str(column_file)), point.cores)
        point.mxk.append(float(row["seconds"]))
        point.difference = point.difference or difference(answer, row.get("result"))

    def theirs() -> None:
        point.duckdb.append(seconds_of_duckdb())

    for measure in (own, theirs) if round_number % 2 else (theirs, own):
        measure()


def check(
    scale: data.Scale, queries: Sequence[str], cores: int, memory: str, accelerator: Accelerator, timeout: float,
    *, build: bool,
) -> None:  # fmt: skip
    """Runs the queries in the kernel, all by one boot. Raises if a result is another one than DuckDB's."""
    if build:
        image.build(Boot.KERNEL)
    image.expect_image(Boot.KERNEL)
    kept = data.Data(scale)
    column_file = data.provide_column_file(kept)
    size = column_file.stat().st_size
    if size > image.MAX_MODULE_BYTES:
        fitting = f"of up to {image.MAX_MODULE_BYTES:,} bytes, got {size:,}"
        raise UsageError(f"expected a scale whose column file a loader can bring, {fitting}")
    with Reference(kept, queries) as reference:
        answers = {query: reference.answer(query) for query in queries}
    kernel = Programs(image.METAL, results.RESULTS, timeout, accelerator, 1, module=column_file, log=_log("kernel"))
    rows = _rows(kernel, Side.KERNEL, queries, column_file.name, cores, parse_mebibytes(memory))
    found = {row["query"]: difference(answers[row["query"]], row.get("result")) for row in rows}
    for query, wrong in found.items():
        print(f"{query}: {_verdict(wrong)}, {len(answers[query].rows)} rows")
    _expect_equal(found)


def _rows(
    programs: Programs, side: Side, queries: Sequence[str], column_file: str, cores: int, mebibytes: int = 0
) -> list[Row]:
    """What `bench query` says of each."""
    told = f"--data {column_file} --cores {cores} --repeat 1 --warm-up 1 --json"
    every = programs.rows(side, "; ".join(f"bench query {query} {told}" for query in queries), cores, mebibytes)
    rows = [row for row in every if str(row.get("benchmark")).startswith("query ")]
    verdict = results.judge_rows(rows)
    if verdict.code is not ExitCode.SUCCESS:
        raise DriverError(verdict.reason, verdict.code)
    if (got := [row["query"] for row in rows]) != list(queries):
        raise DriverError(f"expected one row of each of {', '.join(queries)}, got {got}", ExitCode.COMMAND_FAILED)
    return rows


def _log(side: str) -> Path:
    results.RESULTS.mkdir(parents=True, exist_ok=True)
    return results.RESULTS / f"tpch-{side}.log"


def _verdict(wrong: str | None) -> str:
    return EQUAL if wrong is None else f"{DIFFERENT}: {wrong}"


def _expect_equal(found: dict[str, str | None]) -> None:
    wrong = [f"{name}: {said}" for name, said in found.items() if said is not None]
    if wrong:
        raise DriverError(f"expected DuckDB's results; {'; '.join(wrong)}", ExitCode.COMMAND_FAILED)


def print_json(points: Sequence[Point], head: dict[str, object], rounds: int, version: str) -> None:
    """All points for tools. head: what they have in common."""
    rows = [point.as_json() for point in points]
    print(json.dumps({"tpch": {**head, "rounds": rounds, "duckdb": version, "rows": rows}}))


def expect_equal(points: Sequence[Point]) -> None:
    """Raises if a result is not DuckDB's."""
    _expect_equal({f"{point.query} on {point.cores}": point.difference for point in points})


def show(points: Sequence[Point], what: str, rounds: int, version: str) -> None:
    """A table of medians. what: the size of the data."""
    drawn = plain_table("query", ">cores", ">MXK ms", f">DuckDB {version} ms", ">DuckDB/MXK", "/result")
    for point in points:
        times = (f"{statistics.median(seconds) * 1e3:.2f}" for seconds in (point.mxk, point.duckdb))
        drawn.add_row(point.query, str(point.cores), *times, f"{point.ratio:.2f}", _verdict(point.difference))
    console = console_of(sys.stdout)
    console.print(drawn)
    look = "" if rounds >= FULL_ROUNDS else f"; a quick look: fewer than {FULL_ROUNDS} rounds"
    console.print(
        f"{what}, medians of {rounds} rounds{look}. DuckDB/MXK above 1: MXK is faster.",
        soft_wrap=True,
        highlight=False,
    )

"""`tools/mxk tpch groups`: group by with few and many groups, by MXK and by DuckDB over the same integers."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from mxk_host import files
from mxk_host.tpch import column_file, comparison, data
from mxk_host.tpch.cells import Answer
from mxk_host.tpch.reference import executed, seconds_of

TABLE = "measures"
# Keys spread over all 64 bits, so that no engine can use them as places of an array.
ROWS_OF = """
    CREATE TABLE measures AS
    SELECT (hash(hash(i) % {groups})::HUGEINT - 9223372036854775808)::BIGINT AS key,
        (hash(i + {rows}) % 2000001)::BIGINT - 1000000 AS value
    FROM range({rows}) AS rows(i)
"""
QUERY = """
    SELECT count(*) AS groups, sum(rows) AS rows, sum(total) AS sum, max(total) AS largest
    FROM (SELECT key, count(*) AS rows, sum(value) AS total FROM measures GROUP BY key)
"""


class Measures:
    """DuckDB in this process with one table of that many rows and groups, and the same rows as a column file."""

    def __init__(self, rows: int, groups: int, folder: Path) -> None:
        duckdb = data.imported_duckdb()
        self.version: str = duckdb.__version__
        self._connection = duckdb.connect(":memory:")
        self._connection.execute(ROWS_OF.format(rows=rows, groups=groups))
        self.column_file = folder / f"groups-{groups}.mxkc"
        i64 = column_file.Type.I64
        columns = (column_file.Column("key", i64), column_file.Column("value", i64))
        with files.writing(self.column_file) as file:
            writer = column_file.Writer(file, [column_file.Table(TABLE, rows, columns)])
            for column in columns:
                values = self._connection.execute(f"SELECT {column.name} FROM {TABLE}").fetchnumpy()[column.name]
                writer.add(memoryview(values))
            writer.finish()
        self._connection.execute(f"PREPARE groups AS {QUERY}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self.column_file.unlink()

    def answer(self) -> Answer:
        """Number of groups, rows and sum of all, and the largest sum of a group."""
        return executed(self._connection, "groups")

    def seconds(self, threads: int) -> float:
        """How long the query takes on as many processors."""
        with _on_processors(threads):
            return seconds_of(self._connection, "groups", threads)


@contextmanager
def _on_processors(count: int) -> Iterator[None]:
    """Threads that begin meanwhile run on the first ones of this process's only."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def compare(rows: int, groups: Sequence[int], settings: comparison.Settings, *, as_json: bool) -> None:
    """Measures both, interleaved, and shows a table. Raises if a result is another one."""
    program = comparison.linux_program(settings)
    points: list[comparison.Point] = []
    version = ""
    with tempfile.TemporaryDirectory(prefix="mxk-groups-") as folder:
        for number in groups:
            data.say(f"{rows:,} rows of {number:,} groups")
            with Measures(rows, number, Path(folder)) as measures:
                version = measures.version
                own = [comparison.Point(f"groups of {number:,}", cores) for cores in settings.cores]
                answer = measures.answer()
                for round_number in range(1, settings.rounds + 1):
                    for point in own:
                        comparison.measure(point, round_number, ("groups", answer), program, measures.column_file,
                                           lambda point=point: measures.seconds(point.cores))  # fmt: skip
                points += own
    comparison.show(points, f"{rows:,} rows", settings.rounds, version)
    if as_json:
        comparison.print_json(points, {"rows": rows}, settings.rounds, version)
    comparison.expect_equal(points)

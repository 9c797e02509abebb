"""DuckDB in this process: the same rows in tables in memory, and its answers with the time that they take."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mxk_host.errors import DriverError, ExitCode
from mxk_host.tpch import schema
from mxk_host.tpch.cells import Answer, as_rows, difference
from mxk_host.tpch.data import Data, imported_duckdb, parquet_read
from mxk_host.tpch.queries import MEASURED, QUERIES

if TYPE_CHECKING:
    import duckdb


class Reference:
    """A context: it ends with the connection. Queries are parsed and planned once, before they are measured."""

    def __init__(self, data: Data, queries: Sequence[str]) -> None:
        duckdb = imported_duckdb()
        self.version: str = duckdb.__version__
        self._connection = duckdb.connect(":memory:")
        with parquet_read(data):
            for name, sources in schema.TABLES.items():
                # The columns that MXK has, with the generator's types, and as MXK has them.
                columns = ", ".join(source.name for source in sources)
                integers = ", ".join(f"{source.expression} AS {source.name}" for source in sources)
                parquet = _quoted(str(data.parquet(name)))
                for made, of in ((name, columns), (f"{name}_integers", integers)):
                    self._connection.execute(f"CREATE TABLE {made} AS SELECT {of} FROM read_parquet('{parquet}')")
        for query in queries:
            self._connection.execute(f"PREPARE {query} AS {QUERIES[query]}")
            self._connection.execute(f"PREPARE measured_{query} AS {MEASURED[query]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: type[BaseException] | None, _error: object, _traceback: TracebackType | None) -> None:
        self._connection.close()

    def answer(self, query: str) -> Answer:
        """What the query comes to, in decimals. Raises DriverError where the measured one says something else."""
        answer = executed(self._connection, query)
        if found := difference(answer, as_rows(executed(self._connection, f"measured_{query}"))):
            said = f"{query}: expected one answer of DuckDB's, in decimals and in integers: {found}"
            raise DriverError(said, ExitCode.COMMAND_FAILED)
        return answer

    def seconds(self, query: str, threads: int) -> float:
        """How long the query takes over integers."""
        return seconds_of(self._connection, f"measured_{query}", threads)


def executed(connection: "duckdb.DuckDBPyConnection", prepared: str) -> Answer:
    """What a prepared query comes to."""
    cursor = connection.execute(f"EXECUTE {prepared}")
    return Answer(tuple(column[0] for column in cursor.description), tuple(cursor.fetchall()))


def seconds_of(connection: "duckdb.DuckDBPyConnection", prepared: str, threads: int) -> float:
    """How long it takes, from its start until all rows of the result are there; behind a run that is not counted, since
    MXK has used the caches in between."""
    connection.execute(f"SET threads = {threads}")
    executed(connection, prepared)
    start = time.perf_counter()
    executed(connection, prepared)
    return time.perf_counter() - start


def _quoted(text: str) -> str:
    return text.replace("'", "''")

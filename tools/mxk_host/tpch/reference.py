"""DuckDB in this process: the same rows in tables in memory, and its answers with the time that they take."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from mxk_host.errors import DriverError, ExitCode
from mxk_host.tpch import schema
from mxk_host.tpch.cells import Answer, as_rows, difference
from mxk_host.tpch.data import Data, imported_duckdb, parquet_read
from mxk_host.tpch.queries import MEASURED, QUERIES


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
        answer = self._execute(query)
        if found := difference(answer, as_rows(self._execute(f"measured_{query}"))):
            said = f"{query}: expected one answer of DuckDB's, in decimals and in integers: {found}"
            raise DriverError(said, ExitCode.COMMAND_FAILED)
        return answer

    def _execute(self, prepared: str) -> Answer:
        cursor = self._connection.execute(f"EXECUTE {prepared}")
        names = tuple(column[0] for column in cursor.description)
        return Answer(names, tuple(cursor.fetchall()))

    def seconds(self, query: str, threads: int) -> float:
        """How long the query takes over integers, from its start until all rows of the result are there; behind a run
        that is not counted, since MXK has used the caches in between."""
        self._connection.execute(f"SET threads = {threads}")
        self._execute(f"measured_{query}")
        start = time.perf_counter()
        self._execute(f"measured_{query}")
        return time.perf_counter() - start


def _quoted(text: str) -> str:
    return text.replace("'", "''")

"""DuckDB in this process: the same rows in tables in memory, and its answers with the time that they take."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from mxk_host.tpch import schema
from mxk_host.tpch.cells import Answer
from mxk_host.tpch.data import Data, imported_duckdb, parquet_read
from mxk_host.tpch.queries import QUERIES


class Reference:
    """A context: it ends with the connection. Queries are parsed and planned once, before they are measured."""

    def __init__(self, data: Data, queries: Sequence[str]) -> None:
        duckdb = imported_duckdb()
        self.version: str = duckdb.__version__
        self._connection = duckdb.connect(":memory:")
        with parquet_read(data):
            for name, sources in schema.TABLES.items():
                columns = ", ".join(source.name for source in sources)
                # The columns that MXK has, with the generator's types.
                self._connection.execute(
                    f"CREATE TABLE {name} AS SELECT {columns} FROM read_parquet('{_quoted(str(data.parquet(name)))}')"
                )
        for query in queries:
            self._connection.execute(f"PREPARE {query} AS {QUERIES[query]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: type[BaseException] | None, _error: object, _traceback: TracebackType | None) -> None:
        self._connection.close()

    def answer(self, query: str) -> Answer:
        """What the query comes to."""
        cursor = self._connection.execute(f"EXECUTE {query}")
        names = tuple(column[0] for column in cursor.description)
        return Answer(names, tuple(cursor.fetchall()))

    def seconds(self, query: str, threads: int) -> float:
        """How long the query takes, from its start until all rows of the result are there; behind a run that is not
        counted, since MXK has used the caches in between."""
        self._connection.execute(f"SET threads = {threads}")
        self.answer(query)
        start = time.perf_counter()
        self.answer(query)
        return time.perf_counter() - start


def _quoted(text: str) -> str:
    return text.replace("'", "''")

"""TPC-H's data of a scale: Parquet files by tpchgen-cli, which are kept, and the column file that is made of them."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from mxk_host import files, image
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.tpch import column_file, schema

if TYPE_CHECKING:
    import duckdb

CACHE = image.BUILD / "tpch"
GENERATOR = "tpchgen-cli"
MIN_SCALE, MAX_SCALE = 0.001, 100.0
PARQUET_BYTES = 400_000_000  # of these tables at scale 1, a little more than they take
# The rows of a scale are known but for lineitem's, which are about six million.
ROWS = {"lineitem": 6_100_000, "orders": 1_500_000, "customer": 150_000}


@dataclass(frozen=True)
class Scale:
    """A scale factor, as it stands in names."""

    factor: float

    @classmethod
    def checked(cls, text: str) -> "Scale":
        """The one that this text is."""
        try:
            factor = float(text)
        except ValueError:
            factor = 0.0
        if not MIN_SCALE <= factor <= MAX_SCALE:
            raise UsageError(f"expected --scale as a number from {MIN_SCALE:g} to {MAX_SCALE:g}, got {text}")
        return cls(factor)

    def __str__(self) -> str:
        return f"{self.factor:g}"


@dataclass(frozen=True)
class Data:
    """Where the data of a scale are kept."""

    scale: Scale
    cache: Path = CACHE

    @property
    def folder(self) -> Path:
        """With a Parquet file for each table, and the column file."""
        return self.cache / f"scale-{self.scale}"

    @property
    def column_file(self) -> Path:
        """Its name is one that the kernel's command line can have."""
        return self.folder / f"tpch-{self.scale}.mxkc"

    def parquet(self, table: str) -> Path:
        """A table with all of its columns."""
        return self.folder / f"{table}.parquet"


def imported_duckdb() -> ModuleType:
    """The package duckdb; raises where it is missing."""
    try:
        import duckdb
    except ImportError as error:
        raise UsageError("expected the Python package duckdb: tools/setup installs it") from error
    return duckdb


def provide_parquet(data: Data) -> None:
    """Makes the Parquet files, unless they are there."""
    if data.folder.is_dir():
        return
    generator = Path(sys.executable).with_name(GENERATOR)
    if not generator.is_file():
        raise UsageError(f"expected the Python package {GENERATOR}: tools/setup installs it")
    with _written_to(data.folder):
        data.cache.mkdir(parents=True, exist_ok=True)
        _expect_room(data.cache, PARQUET_BYTES * data.scale.factor)
        say(f"scale {data.scale}: making {', '.join(schema.TABLES)} as Parquet files in {image.shown(data.folder)}")
        # A folder of its own until all is there: nobody finds half of it.
        with tempfile.TemporaryDirectory(prefix=f".scale-{data.scale}-", dir=data.cache) as name:
            made = Path(name) / "made"
            _generate(generator, data.scale, made)
            try:
                made.rename(data.folder)
            except OSError:
                if not data.folder.is_dir():  # else another process was faster, with the same data
                    raise


def _generate(generator: Path, scale: Scale, folder: Path) -> None:
    tables = ",".join(schema.TABLES)
    line = [str(generator), "parquet", "--quiet", "-s", str(scale), "--tables", tables, "--output-dir", str(folder)]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        said = done.stdout.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        raise DriverError(f"{GENERATOR} failed for scale {scale}: {said[0]}", ExitCode.COMMAND_FAILED)


def provide_column_file(data: Data) -> Path:
    """The column file of the scale, made unless it is there and newer than what it is made of and by."""
    provide_parquet(data)
    makers = [data.parquet(table) for table in schema.TABLES]
    makers += [Path(file) for module in (column_file, schema) if (file := module.__file__)]
    if data.column_file.is_file():
        made = data.column_file.stat().st_mtime
        if all(maker.stat().st_mtime <= made for maker in makers):
            return data.column_file
    make_column_file(data, data.column_file)
    return data.column_file


def make_column_file(data: Data, output: Path) -> None:
    """Writes the column file, and says what is in it. Its Parquet files are there."""
    duckdb = imported_duckdb()
    with _written_to(output), parquet_read(data), duckdb.connect(":memory:") as connection:
        _expect_room(output.parent, _column_bytes(data.scale))
        with files.writing(output, _not_made) as file:
            tables = [_table(connection, data, name) for name in schema.TABLES]
            writer = column_file.Writer(file, tables)
            for name, sources in schema.TABLES.items():
                for source in sources:
                    writer.add(_values(connection, data.parquet(name), source))
            size = writer.finish()
    rows = ", ".join(f"{table.name} {table.rows:,} rows" for table in tables)
    say(f"{image.shown(output)}: scale {data.scale}: {rows}; {size:,} bytes")


def _table(connection: "duckdb.DuckDBPyConnection", data: Data, name: str) -> column_file.Table:
    columns = tuple(source.column for source in schema.TABLES[name])
    (rows,) = connection.execute("SELECT count(*) FROM read_parquet(?)", [str(data.parquet(name))]).fetchone() or (0,)
    return column_file.Table(name, rows, columns)


def _values(connection: "duckdb.DuckDBPyConnection", parquet: Path, source: schema.Source) -> memoryview:
    """One column at a time, which needs the memory of one; DuckDB keeps the order of a file's rows."""
    query = f"SELECT {source.expression} AS {source.name} FROM read_parquet(?)"
    import numpy as np  # with duckdb's first result, so not before it is needed

    try:
        values = connection.execute(query, [str(parquet)]).fetchnumpy()[source.name]
    except imported_duckdb().ConversionException as error:
        first = str(error).splitlines()[0]
        raise DriverError(
            f"{source.name}: expected values that fit in {source.column.type.name}: {first}", ExitCode.COMMAND_FAILED
        ) from error
    if np.ma.is_masked(values):
        raise DriverError(f"{source.name}: expected no NULL and no unknown text", ExitCode.COMMAND_FAILED)
    stored = np.dtype({1: "u1", 4: "<i4", 8: "<i8"}[source.column.type.bytes])
    return memoryview(np.ascontiguousarray(np.ma.getdata(values), dtype=stored))


def _column_bytes(scale: Scale) -> float:
    of_row = {name: sum(source.column.type.bytes for source in sources) for name, sources in schema.TABLES.items()}
    return sum(ROWS[name] * of_row[name] for name in ROWS) * scale.factor


@contextmanager
def parquet_read(data: Data) -> Iterator[None]:
    """What DuckDB refuses of the Parquet files is one message."""
    try:
        yield
    except imported_duckdb().Error as error:
        first = str(error).splitlines()[0]
        raise _not_made(
            f"expected the Parquet files of {GENERATOR} in {image.shown(data.folder)}, which is made anew once it is "
            f"removed: {first}"
        ) from error


@contextmanager
def _written_to(place: Path) -> Iterator[None]:
    """What the system refuses, such as a disc without room, is one message."""
    try:
        yield
    except OSError as error:
        raise _not_made(f"expected {image.shown(place)} to be written: {error.strerror or error}") from error


def _not_made(message: str) -> DriverError:
    return DriverError(message, ExitCode.COMMAND_FAILED)


def _expect_room(folder: Path, needed: float) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DriverError(
            f"expected {needed / 1e9:.1f} GB of free disc in {image.shown(folder)}, got {free / 1e9:.1f} GB",
            ExitCode.COMMAND_FAILED,
        )


def say(text: str) -> None:
    """On standard error."""
    print(text, file=sys.stderr, flush=True)

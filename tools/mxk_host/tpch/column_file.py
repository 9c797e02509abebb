"""Writes a column file (docs/query.md): header, tables, columns, dictionaries, then the values of each column.
Everything stands at the first place where it can, so that the places are known before the values are."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import BinaryIO

MAGIC = b"MXKCOLUM"
BYTE_ORDER = 0x01020304
VERSION = 1
HEADER = struct.Struct("<8sIIQQIIII")
CHECK_SUM_AT = 40
TABLE = struct.Struct("<32sQII")
COLUMN = struct.Struct("<32sBBBBIQQII")
LABEL = struct.Struct("<32s")
MAX_LABEL = 31  # characters
ALIGNMENT = 64  # of values


class Type(IntEnum):
    """How values are stored."""

    U8 = 1
    I32 = 2
    I64 = 3

    @property
    def bytes(self) -> int:
        """Of a value."""
        return {Type.U8: 1, Type.I32: 4, Type.I64: 8}[self]


class Meaning(IntEnum):
    """What values stand for."""

    NUMBER = 0
    DECIMAL = 1
    DATE = 2
    CHARACTER = 3
    DICTIONARY = 4


@dataclass(frozen=True)
class Column:
    """A column without its values. dictionary: the texts that codes from 0 on stand for."""

    name: str
    type: Type
    meaning: Meaning = Meaning.NUMBER
    scale: int = 0
    dictionary: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table without its values."""

    name: str
    rows: int
    columns: tuple[Column, ...]


class Writer:
    """Takes the values of all columns in order: add() for each one, then finish()."""

    def __init__(self, file: BinaryIO, tables: Sequence[Table]) -> None:
        self._file = file
        self._tables = tables
        self._columns = [(table, column) for table in tables for column in table.columns]
        self._dictionaries_at = HEADER.size + len(tables) * TABLE.size + len(self._columns) * COLUMN.size
        entries = sum(len(column.dictionary) for _, column in self._columns)
        self._values_at = _aligned(self._dictionaries_at + entries * LABEL.size)
        self._check_sums: list[int] = []
        file.write(bytes(self._values_at))

    def add(self, values: bytes | memoryview) -> None:
        """The values of the next column, little-endian."""
        table, column = self._columns[len(self._check_sums)]
        view = memoryview(values)
        view = view.cast("B") if view.nbytes else memoryview(b"")  # a view of nothing cannot be cast
        if len(view) != table.rows * column.type.bytes:
            raise ValueError(f"{table.name}.{column.name}: expected {table.rows} values, got {len(view)} bytes")
        self._file.write(view)
        self._file.write(bytes(_aligned(len(view)) - len(view)))
        self._check_sums.append(zlib.crc32(view))

    def finish(self) -> int:
        """Writes what stands in front of the values; how many bytes the file has."""
        size = self._file.tell()
        directory = b"".join(self._directory())
        directory = directory.ljust(self._values_at - HEADER.size, b"\0")
        head = HEADER.pack(
            MAGIC, BYTE_ORDER, VERSION, size, self._values_at, len(self._tables), len(self._columns), 0, 0
        )[:CHECK_SUM_AT]
        self._file.seek(0)
        self._file.write(head + struct.pack("<II", zlib.crc32(directory, zlib.crc32(head)), 0) + directory)
        return size

    def _directory(self) -> Iterable[bytes]:
        for table in self._tables:
            yield TABLE.pack(_label(table.name), table.rows, len(table.columns), 0)
        values_at, dictionary_at = self._values_at, self._dictionaries_at
        for (table, column), check_sum in zip(self._columns, self._check_sums, strict=True):
            entries = len(column.dictionary)
            yield COLUMN.pack(
                *(_label(column.name), column.type, column.meaning, column.scale, 0, check_sum, values_at),
                *(dictionary_at if entries else 0, entries, 0),
            )
            values_at += _aligned(table.rows * column.type.bytes)
            dictionary_at += entries * LABEL.size
        for _, column in self._columns:
            yield from map(_label, column.dictionary)


def _label(text: str) -> bytes:
    if not 1 <= len(text) <= MAX_LABEL:
        raise ValueError(f"expected a text of 1 to {MAX_LABEL} characters, got '{text}'")
    return LABEL.pack(text.encode("ascii"))


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT

"""Workloads as tables and lists: CSV of operation, key, value; lists of keys, as text (`--keys file:`) or numbers."""

import re
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd

from mxk_host import files
from mxk_host.trace.numbers import Recorded, hash_keys, hash_text, number_in, parse_number
from mxk_host.trace.operations import (
    ERASE,
    FIND,
    MAX_KEY,
    MAX_VALUE,
    MODIFY,
    NAMES,
    UPSERT,
    WRITES_VALUE,
    Operations,
    TraceError,
)

KINDS = {name: kind for kind, name in enumerate(NAMES)} | {
    "read": FIND, "get": FIND, "lookup": FIND, "delete": ERASE, "remove": ERASE, "put": UPSERT, "set": UPSERT,
    "read-modify-write": MODIFY, "readmodifywrite": MODIFY, "rmw": MODIFY,
}  # fmt: skip
_FILLED = 0x9E3779B97F4A7C15  # of a key list the values are made: the key times this


def decode_csv(paths: list[Path]) -> Recorded:
    """Columns operation, key, value, by a first line with these names or in this order without one."""
    rows = pd.concat([_read_csv(path) for path in paths], ignore_index=True)
    kinds = _kinds(rows, paths)
    values = _values(rows, kinds)
    numbers = [number_in(key) for key in rows["key"]]
    if all(number is not None and 1 <= number <= MAX_KEY for number in numbers):
        return Recorded(Operations(kinds, np.array(numbers, np.uint64), values))
    hashed = hash_keys([key.encode() for key in rows["key"]])
    return Recorded(Operations(kinds, hashed.keys, values), hashed)


def _read_csv(path: Path) -> pd.DataFrame:
    text = _text(path, "a table of operation,key,value")
    first = re.sub('[" \\r]', "", text.partition("\n")[0].lower()).split(",")
    named = {"operation", "key"} <= set(first)
    names = None if named else ["operation", "key", "value"]
    try:
        rows = pd.read_csv(
            StringIO(text), header=0 if named else None, names=names, dtype=str, keep_default_na=False, comment="#"
        )
    except (ValueError, pd.errors.ParserError) as error:
        raise TraceError(f"{path}: expected rows of operation,key,value: {error}") from error
    if not isinstance(rows.index, pd.RangeIndex):  # what the rows have in front of the names of columns
        raise TraceError(f"{path}: expected as many values in each row as columns, {len(rows.columns)}, got more")
    rows.columns = [str(name).strip().lower() for name in rows.columns]
    if twice := [name for name in ("operation", "key", "value") if list(rows.columns).count(name) > 1]:
        raise TraceError(f"{path}: expected one column {twice[0]}, got several")
    if "value" not in rows:
        rows["value"] = ""
    rows["line"] = [f"{path}, row {number + 1}" for number in range(len(rows))]
    for column in ("operation", "key", "value"):
        rows[column] = rows[column].fillna("").str.strip()
    return rows


def _text(path: Path, what: str) -> str:
    return files.read_text(path, what, files.MAX_WORKLOAD_BYTES, TraceError)


def _kinds(rows: pd.DataFrame, paths: list[Path]) -> np.ndarray:
    names = rows["operation"].str.lower()
    kinds = names.map(KINDS)
    for at in np.flatnonzero(kinds.isna())[:1]:
        reason = ": a hash table has no order" if names[at] == "scan" else ""
        expected = ", ".join(KINDS)
        raise TraceError(f"{rows['line'][at]}: expected an operation ({expected}), got '{names[at][:24]}'{reason}")
    for at in np.flatnonzero(rows["key"] == "")[:1]:
        raise TraceError(f"{rows['line'][at]}: expected a key, got nothing")
    if len(rows) == 0:
        raise TraceError(f"{paths[0]}: expected 1 row or more, got none")
    return kinds.to_numpy(np.uint8)


def _values(rows: pd.DataFrame, kinds: np.ndarray) -> np.ndarray:
    writes = np.array(WRITES_VALUE)[kinds]
    texts = rows["value"]
    for at in np.flatnonzero(writes & (texts == ""))[:1]:
        raise TraceError(f"{rows['line'][at]}: expected a value behind '{rows['operation'][at]}', got nothing")
    made = [_value(text) if writing else 0 for text, writing in zip(texts, writes, strict=True)]
    return np.array(made, np.uint64)


def _value(text: str) -> int:
    number = number_in(text)
    return number if number is not None and number <= MAX_VALUE else hash_text(text.encode())


def decode_key_text(paths: list[Path], kind: int) -> Recorded:
    """A key on each line, decimal or hexadecimal with 0x, as `bench table --keys file:` reads them."""
    keys: list[int] = []
    for path in paths:
        lines = _text(path, "a list of keys").split("\n")
        last = len(lines) if lines[-1] else len(lines) - 1
        keys += [
            parse_number(line.rstrip("\r"), 1, MAX_KEY, f"{path}: a key", number)
            for number, line in enumerate(lines[:last], 1)
        ]
    return _of_keys(np.array(keys, np.uint64), kind, paths)


def decode_key_numbers(paths: list[Path], kind: int) -> Recorded:
    """Little-endian numbers of 64 bits; a first one that is the number of those behind it (as of SOSD) is no key."""
    parts = []
    for path in paths:
        data = files.read_bytes(path, "a list of keys", files.MAX_WORKLOAD_BYTES)
        if len(data) % 8:
            raise TraceError(
                f"{path}: offset {len(data) // 8 * 8}: expected a key of 8 bytes, got {len(data) % 8} bytes"
            )
        keys = np.frombuffer(data, "<u8")
        counted = int(len(keys) > 1 and int(keys[0]) == len(keys) - 1)
        keys = keys[counted:]
        for at in np.flatnonzero((keys < 1) | (keys > MAX_KEY))[:1]:
            offset = 8 * (int(at) + counted)
            raise TraceError(f"{path}: offset {offset}: expected a key from 1 to {MAX_KEY}, got {keys[at]}")
        parts.append(keys)
    return _of_keys(np.concatenate(parts), kind, paths)


def _of_keys(keys: np.ndarray, kind: int, paths: list[Path]) -> Recorded:
    if len(keys) == 0:
        raise TraceError(f"{paths[0]}: expected 1 key or more, got none")
    values = keys * np.uint64(_FILLED) if WRITES_VALUE[kind] else np.zeros(len(keys), np.uint64)
    return Recorded(Operations(np.full(len(keys), kind, np.uint8), keys.astype(np.uint64), values))

"""The jobs of `tools/mxk trace convert` and `replay`: recorded workloads in, a trace or its results out."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from mxk_host import files
from mxk_host.errors import UsageError
from mxk_host.tables import console_of, plain_table
from mxk_host.trace import binary, lists, text, ycsb
from mxk_host.trace.numbers import Recorded
from mxk_host.trace.operations import FIND, MAX_OPERATIONS, NAMES, Operations, TraceError
from mxk_host.trace.replay import replay
from mxk_host.trace.source import Source

_SNIFFED_BYTES = 1 << 20


def convert(inputs: list[Path], output: Path, *, source: Source, operation: str | None, as_text: bool) -> None:
    """Writes the trace of the inputs, one behind the other, and says what is in it."""
    if source is Source.AUTO:
        source = _sniff(inputs[0])
    if operation is not None and source not in (Source.KEYS, Source.KEYS_64):
        raise UsageError(f"--operation: expected a list of keys, got {source}, which says its operations itself")
    if operation is not None and operation not in NAMES:
        raise UsageError(f"--operation: expected one of {', '.join(NAMES)}, got '{operation}'")
    kind = FIND if operation is None else NAMES.index(operation)
    recorded = _read(inputs, source, kind)
    operations, hashed = recorded.operations, recorded.hashed
    if len(operations) > MAX_OPERATIONS:
        raise TraceError(f"expected up to {MAX_OPERATIONS} operations, got {len(operations)}")
    data = text.encode(operations) if as_text else binary.encode(operations)
    files.write_bytes(output, data)
    print(f"{output}: {len(operations):,} operations from {source} ({_counted(operations)}), {len(data):,} bytes")
    if hashed is not None:
        print(f"keys: {hashed.different:,} different strings, hashed to 64 bits, {hashed.collisions} collisions")
    if recorded.other_lines:
        print(f"{recorded.other_lines:,} lines that were no operation were left out")


def show_results(path: Path, *, as_json: bool) -> None:
    """Replays a trace, and prints what its operations must come to."""
    operations = read(path)
    results = replay(operations)
    if as_json:
        print(json.dumps({"trace": results.as_row()}))
        return
    table = plain_table("operation", ">in the trace", ">did something")
    for name, count in operations.counts().items():
        table.add_row(name, f"{count:,}", f"{getattr(results, name):,}")
    console_of(sys.stdout).print(table)
    row = results.as_row()
    print(f"values seen: {row['seen']}; at the end {results.keys:,} keys, content {row['content']}")


def read(path: Path) -> Operations:
    """The trace in this file, in either form."""
    data = files.read_bytes(path, "a trace", files.MAX_WORKLOAD_BYTES)
    if data.startswith(binary.MAGIC):
        return _located(path, lambda: binary.decode(data))
    if data.removeprefix(files.MARK).startswith(text.HEAD.encode()):
        return _located(path, lambda: text.decode(data))
    raise TraceError(f"{path}: expected a trace, which begins with MXKTRACE or with the line '{text.HEAD}'")


def _located(path: Path, decode: Callable[[], Operations]) -> Operations:
    try:
        return decode()
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from error


def _read(inputs: list[Path], source: Source, kind: int) -> Recorded:
    if source is Source.TRACE:
        return Recorded(Operations.joined([read(path) for path in inputs]))
    if source is Source.YCSB:
        return ycsb.decode(inputs)
    if source is Source.CSV:
        return lists.decode_csv(inputs)
    return (lists.decode_key_text if source is Source.KEYS else lists.decode_key_numbers)(inputs, kind)


def _sniff(path: Path) -> Source:
    """By the name's ending, else by how the file begins."""
    endings = {".csv": Source.CSV, ".u64": Source.KEYS_64, ".uint64": Source.KEYS_64}
    if path.suffix in endings:
        return endings[path.suffix]
    with files.reading(path, "a file to read", files.MAX_WORKLOAD_BYTES) as file:
        start = file.read(_SNIFFED_BYTES).removeprefix(files.MARK)
    if start.startswith((binary.MAGIC, text.HEAD.encode())):
        return Source.TRACE
    if any(ycsb.STARTS.match(line) for line in start.splitlines()):
        return Source.YCSB
    first = next((line.strip() for line in start.splitlines() if line.strip()), b"")
    if re.fullmatch(rb"[A-Za-z-]+ *,.*", first):
        return Source.CSV
    if re.fullmatch(rb"0[xX][0-9a-fA-F]+|[0-9]+", first):
        return Source.KEYS
    kinds = ", ".join(each.value for each in Source if each is not Source.AUTO)
    raise UsageError(f"--from: expected one of {kinds}, since {path} does not say what it is")


def _counted(operations: Operations) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in operations.counts().items())

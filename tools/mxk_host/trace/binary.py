"""The binary form of a trace: header, then 17 bytes for each operation (docs/bench-trace.md)."""

import struct
import zlib

import numpy as np

from mxk_host.trace.operations import MAX_KEY, MAX_OPERATIONS, NAMES, WRITES_VALUE, Operations, TraceError

MAGIC = b"MXKTRACE"
BYTE_ORDER = 0x01020304
SWAPPED_BYTE_ORDER = 0x04030201
VERSION = 1
HEADER = struct.Struct("<8sIIQII")
CHECK_SUM_AT = 24
RECORD = np.dtype([("kind", "u1"), ("key", "<u8"), ("value", "<u8")])


def encode(operations: Operations) -> bytes:
    """The trace as bytes."""
    records = np.empty(len(operations), RECORD)
    records["kind"], records["key"], records["value"] = operations.kinds, operations.keys, operations.values
    body = records.tobytes()
    head = HEADER.pack(MAGIC, BYTE_ORDER, VERSION, len(operations), 0, 0)[:CHECK_SUM_AT]
    return head + struct.pack("<II", zlib.crc32(body, zlib.crc32(head)), 0) + body


def decode(data: bytes) -> Operations:
    """The operations; raises where the kernel's parser would refuse the trace, with the same offsets."""
    _check_header(data)
    records = np.frombuffer(data, RECORD, offset=HEADER.size)
    _check_records(records)
    said = struct.unpack_from("<I", data, CHECK_SUM_AT)[0]
    computed = zlib.crc32(memoryview(data)[HEADER.size :], zlib.crc32(data[:CHECK_SUM_AT]))
    _expect(said == computed, CHECK_SUM_AT, f"the check sum 0x{computed:08x} of what the trace holds", f"0x{said:08x}")
    return Operations(*(np.ascontiguousarray(records[name]) for name in ("kind", "key", "value")))


def _expect(holds: bool, offset: int, expected: str, got: object) -> None:
    if not holds:
        raise TraceError(f"offset {offset}: expected {expected}, got {got}")


def _check_header(data: bytes) -> None:
    end = len(data)
    _expect(end >= HEADER.size, end, f"a header of {HEADER.size} bytes", "the end of the trace")
    _, order, version, count, _, zero = HEADER.unpack_from(data)
    hint = ": the trace has the other byte order" if order == SWAPPED_BYTE_ORDER else ""
    _expect(order == BYTE_ORDER, 8, f"the byte order mark 0x{BYTE_ORDER:08x}", f"0x{order:08x}{hint}")
    _expect(version == VERSION, 12, f"version {VERSION}", version)
    _expect(zero == 0, 28, "0", f"0x{zero:08x}")
    _expect(1 <= count <= MAX_OPERATIONS, 16, f"1 to {MAX_OPERATIONS} operations", count)
    size = HEADER.size + count * RECORD.itemsize
    number = (end - HEADER.size) // RECORD.itemsize + 1
    _expect(end >= size, end, f"{size} bytes, for {count} operations", f"the end of the trace in number {number}")
    _expect(end <= size, size, f"the end of the trace behind {count} operations", f"{end - size} more bytes")


def _check_records(records: np.ndarray) -> None:
    kinds, keys, values = (records[name] for name in ("kind", "key", "value"))
    known = kinds < len(NAMES)
    good_key = (keys >= 1) & (keys <= MAX_KEY)
    good_value = (values == 0) | np.array([*WRITES_VALUE, *(True,) * 250])[kinds]
    wrong = np.flatnonzero(~(known & good_key & good_value))
    if len(wrong) == 0:
        return
    at = int(wrong[0])
    offset, where = HEADER.size + at * RECORD.itemsize, f" (operation number {at + 1})"
    _expect(known[at], offset, f"an operation from 0 to {len(NAMES) - 1}", f"{kinds[at]}{where}")
    _expect(good_key[at], offset + 1, f"a key from 1 to {MAX_KEY}", f"{keys[at]}{where}")
    _expect(good_value[at], offset + 9, "the value 0 of an operation that writes none", f"{values[at]}{where}")

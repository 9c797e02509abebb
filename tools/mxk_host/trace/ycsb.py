"""The output of YCSB's `basic` client, which prints each operation that it is asked for:

READ usertable user6284781860667377211 [ <all fields>]
UPDATE usertable user8517097267634966620 [ field3=... ]
INSERT usertable user6284781860667377211 [ field0=... field1=... ]
DELETE usertable user6284781860667377211
"""

import re
from pathlib import Path

import numpy as np

from mxk_host import files
from mxk_host.trace.numbers import Recorded, hash_keys, hash_text
from mxk_host.trace.operations import ERASE, FIND, INSERT, MODIFY, UPDATE, Operations, TraceError

KINDS = {b"READ": FIND, b"INSERT": INSERT, b"UPDATE": UPDATE, b"DELETE": ERASE, b"READMODIFYWRITE": MODIFY}
STARTS = re.compile(rb"(READ|INSERT|UPDATE|DELETE|READMODIFYWRITE|SCAN) ")
_LINE = re.compile(rb"([A-Z]+) \S+ (\S+)(?: +\[(.*))?")
_MAX_LINE = 1 << 26  # bytes
_HAS_FIELDS = {INSERT, UPDATE, MODIFY}


def decode(paths: list[Path]) -> Recorded:
    """The operations of these logs, one behind the other; raises with the file and line that is wrong."""
    kinds: list[int] = []
    texts: list[bytes] = []
    values: list[int] = []
    others = 0
    for path in paths:
        with files.reading(path, "a log of YCSB", files.MAX_WORKLOAD_BYTES) as lines:
            for number, line in enumerate(iter(lambda: lines.readline(_MAX_LINE), b""), 1):
                line = line.removeprefix(files.MARK) if number == 1 else line
                if len(line) == _MAX_LINE:
                    raise TraceError(f"{path}, line {number}: expected fewer than {_MAX_LINE} bytes")
                if not STARTS.match(line):
                    others += 1
                    continue
                kind, key, fields = _parse(line.rstrip(b"\r\n"), f"{path}, line {number}")
                kinds.append(kind)
                texts.append(key)
                values.append(hash_text(fields) if kind in _HAS_FIELDS else 0)
    if not kinds:
        raise TraceError(f"expected operations of YCSB's basic client (READ, INSERT, ...) in {paths[0]}, got none")
    hashed = hash_keys(texts)
    made = Operations(np.array(kinds, np.uint8), hashed.keys, np.array(values, np.uint64))
    return Recorded(made, hashed, others)


def _parse(line: bytes, where: str) -> tuple[int, bytes, bytes]:
    if line.startswith(b"SCAN "):
        raise TraceError(
            f"{where}: expected READ, INSERT, UPDATE, DELETE or READMODIFYWRITE, got SCAN: a hash table has no order "
            "(workload E cannot be run)"
        )
    found = _LINE.match(line)
    kind = KINDS[found[1]] if found else None
    if kind is None or (kind in _HAS_FIELDS) > (found[3] is not None):
        shown = line[:60].decode("ascii", "replace").rstrip()
        raise TraceError(f"{where}: expected '{line.split()[0].decode()} TABLE KEY [ FIELDS ]', got '{shown}'")
    return kind, found[2], found[3] or b""

"""The text form of a trace: a first line that says so, then a line for each operation (docs/bench-trace.md)."""

from mxk_host.files import text_of
from mxk_host.trace.numbers import parse_number
from mxk_host.trace.operations import MAX_KEY, MAX_VALUE, NAMES, WRITES_VALUE, Operations, TraceError

HEAD = "mxk-trace 1"
KINDS = {name: kind for kind, name in enumerate(NAMES)}


def encode(operations: Operations) -> bytes:
    """The trace as text."""
    lines = [HEAD]
    triples = zip(operations.kinds.tolist(), operations.keys.tolist(), operations.values.tolist(), strict=True)
    for kind, key, value in triples:
        lines.append(f"{NAMES[kind]} {key} {value}" if WRITES_VALUE[kind] else f"{NAMES[kind]} {key}")
    return ("\n".join(lines) + "\n").encode()


def decode(data: bytes) -> Operations:
    """The operations; raises with the number of the line that is wrong."""
    kinds: list[int] = []
    keys: list[int] = []
    values: list[int] = []
    lines = text_of(data, "line 1: expected a trace in UTF-8", TraceError).split("\n")
    if lines[0].rstrip("\r") != HEAD:
        raise TraceError(f"line 1: expected '{HEAD}', got '{lines[0][:24]}'")
    for number, line in enumerate(lines[1:], 2):
        words = line.partition("#")[0].split()
        if not words:
            continue
        kind = KINDS.get(words[0])
        if kind is None:
            raise TraceError(f"line {number}: expected one of {', '.join(NAMES)}, got '{words[0][:24]}'")
        expected = 3 if WRITES_VALUE[kind] else 2
        if len(words) != expected:
            shape = f"{words[0]} KEY VALUE" if WRITES_VALUE[kind] else f"{words[0]} KEY"
            raise TraceError(f"line {number}: expected '{shape}', got {len(words)} words")
        kinds.append(kind)
        keys.append(parse_number(words[1], 1, MAX_KEY, "a key", number))
        values.append(parse_number(words[2], 0, MAX_VALUE, "a value", number) if WRITES_VALUE[kind] else 0)
    if not kinds:
        raise TraceError(f"line {len(lines)}: expected 1 operation or more, got the end of the trace")
    return Operations.of(kinds, keys, values)

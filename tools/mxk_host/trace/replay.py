"""What the operations of a trace must come to, one after the other on one table: the same numbers that a run of the
kernel or of the Linux program shows and compares its own results with."""

from dataclasses import asdict, dataclass

from mxk_host.trace.operations import ERASE, FIND, INSERT, MODIFY, NAMES, UPDATE, UPSERT, Operations

_WORD = 2**64 - 1
_FACTOR = 0x9E3779B97F4A7C15


@dataclass
class Replayed:
    """As the field `trace` of a JSON row has it: operations of each kind that did something, the sum of the values
    that finds and modifies saw, and the table at the end: its keys, and the sum over them of key XOR value times a
    factor. Sums are of 64 bits."""

    operations: int = 0
    insert: int = 0
    find: int = 0
    erase: int = 0
    update: int = 0
    upsert: int = 0
    modify: int = 0
    seen: int = 0
    keys: int = 0
    content: int = 0

    def as_row(self) -> dict[str, int | str]:
        """With sums in hexadecimal: they have 64 bits, which not all readers of JSON have."""
        return {**asdict(self), "seen": f"0x{self.seen:016x}", "content": f"0x{self.content:016x}"}


def replay(operations: Operations) -> Replayed:
    """In the trace's order."""
    table: dict[int, int] = {}
    done = [0] * len(NAMES)
    seen = 0
    triples = zip(operations.kinds.tolist(), operations.keys.tolist(), operations.values.tolist(), strict=True)
    for kind, key, value in triples:
        before = table.get(key)
        if kind in (FIND, MODIFY) and before is not None:
            seen += before
        if kind in (INSERT, UPSERT):
            done[kind] += before is None
        else:
            done[kind] += before is not None
        if kind == UPSERT or (kind == INSERT and before is None) or (kind in (UPDATE, MODIFY) and before is not None):
            table[key] = value
        elif kind == ERASE and before is not None:
            del table[key]
    content = sum(key ^ (value * _FACTOR & _WORD) for key, value in table.items()) & _WORD
    counts = dict(zip(NAMES, done, strict=True))
    return Replayed(operations=len(operations), **counts, seen=seen & _WORD, keys=len(table), content=content)

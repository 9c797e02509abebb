"""The shape of the machine to boot: cores, NUMA nodes, memory. Checked once, here; everything later trusts it."""

import itertools
import re
from dataclasses import dataclass

from mxk_host.errors import UsageError

MAX_CPUS = 255  # of the smallest emulator
MAX_NODES = 128  # QEMU's limit


def parse_mebibytes(text: str) -> int:
    """The MiB in a size such as 512M or 4G."""
    match = re.fullmatch(r"([1-9][0-9]*)([MG])", text, re.IGNORECASE)
    if match is None:
        raise UsageError(f"expected --mem as a number with the suffix M or G, such as 512M or 4G, got '{text}'")
    return int(match[1]) * (1024 if match[2] in "gG" else 1)


@dataclass(frozen=True)
class Node:
    """One NUMA node: its cpus (numbered through the machine), perhaps none, and its memory; 0 MiB: none."""

    cpus: range
    mebibytes: int


@dataclass(frozen=True)
class Shape:
    """A machine that QEMU can build."""

    cpus: int
    mebibytes: int
    nodes: tuple[Node, ...]
    srat: bool
    hmat: bool = False
    distances: tuple[tuple[int, ...], ...] | None = None  # the SLIT; None: all other nodes are equally far
    sockets: int = 0  # with equally many cores each; 0: QEMU's default
    threads_per_core: int = 1

    @classmethod
    def checked(
        cls,
        cpus: int,
        nodes: int,
        memory: str,
        *,
        srat: bool = True,
        memoryless_node: bool = False,
        coreless_node: bool = False,
        hmat: bool = False,
        max_cpus: int = MAX_CPUS,
    ) -> "Shape":
        """The shape the options ask for. One more node each: memoryless_node, with the last cpus but no memory;
        coreless_node, with the last share of the memory but no cpus."""
        if not 1 <= cpus <= max_cpus:
            raise UsageError(f"expected --cpus between 1 and {max_cpus}, got {cpus}")
        if not 1 <= nodes <= min(cpus, MAX_NODES):
            raise UsageError(f"expected --nodes between 1 and {min(cpus, MAX_NODES)} (a node has a cpu), got {nodes}")
        if memoryless_node and nodes == min(cpus, MAX_NODES):
            raise UsageError(f"expected --nodes below {nodes}: the memory-less node is one more and has a cpu, too")
        if not srat and (nodes > 1 or memoryless_node or coreless_node):
            raise UsageError("expected --no-srat with one node only: without an SRAT the kernel cannot see nodes")
        if not srat and hmat:
            raise UsageError("expected --hmat without --no-srat: the HMAT speaks of the SRAT's nodes")
        mebibytes = parse_mebibytes(memory)
        parts = nodes + coreless_node
        if mebibytes % parts != 0 or mebibytes < parts:
            fitting = max(mebibytes // parts, 1) * parts
            raise UsageError(f"expected --mem to divide over {parts} nodes in MiB, such as {fitting}M, got '{memory}'")
        sizes = [mebibytes // parts] * nodes + [0] * memoryless_node
        made = [
            *map(Node, split_evenly(cpus, len(sizes)), sizes),
            *[Node(range(0), mebibytes // parts)] * coreless_node,
        ]
        return cls(cpus, mebibytes, tuple(made), srat, hmat)


def split_evenly(count: int, parts: int) -> list[range]:
    """0..count in consecutive ranges whose lengths differ by up to one, the longer ones first."""
    bounds = [-(-count * part // parts) for part in range(parts + 1)]
    return [range(first, last) for first, last in itertools.pairwise(bounds)]

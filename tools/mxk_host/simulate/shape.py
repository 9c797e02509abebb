"""The shape of the machine that QEMU is told to build for a simulated one: its nodes, cores in their order, memory."""

from mxk_host.errors import UsageError
from mxk_host.shape import Node, Shape, parse_mebibytes
from mxk_host.simulate.machine_file import MachineFile

# Where QEMU's q35 puts memory: below 4 GiB as much as fits, the rest from 4 GiB on (hw/i386/pc_q35.c).
_ALL_BELOW = 0xB0000000  # up to here all of it is in one piece
_BELOW = 0x80000000  # else so much of it
_ABOVE = 1 << 32
_MIB = 1 << 20


def shape_of(machine: MachineFile, cpus: int | None, memory: str) -> Shape:
    """All of the machine's nodes with their memory; of its processors the first `cpus`, which fill node after node."""
    count = machine.processors if cpus is None else cpus
    if not 1 <= count <= machine.processors:
        raise UsageError(f"expected --cpus between 1 and {machine.processors}, which {machine.name} has, got {count}")
    mebibytes = parse_mebibytes(memory)
    if mebibytes % machine.nodes:
        fitting = max(mebibytes // machine.nodes, 1) * machine.nodes
        raise UsageError(
            f"expected --mem to divide over {machine.nodes} nodes in MiB, such as {fitting}M, got '{memory}'"
        )
    of_node = machine.processors_per_node
    nodes = [
        Node(range(min(node * of_node, count), min((node + 1) * of_node, count)), mebibytes // machine.nodes)
        for node in range(machine.nodes)
    ]
    # A socket for each node, as on the machine; QEMU cannot leave a part of a socket out.
    used = -(-count // of_node)
    sockets = used if count % used == 0 and (used == 1 or count % of_node == 0) else 0
    threads = machine.threads_per_core if sockets and count % (used * machine.threads_per_core) == 0 else 1
    if threads != machine.threads_per_core:
        raise UsageError(
            f"--smt: expected --cpus of whole nodes of {of_node}, or less than one, in cores of "
            f"{machine.threads_per_core} threads, got {count}"
        )
    return Shape(
        count,
        mebibytes,
        tuple(nodes),
        srat=True,
        distances=machine.distances,
        sockets=sockets,
        threads_per_core=threads,
    )


def memory_ranges(shape: Shape) -> list[tuple[int, int, int]]:
    """Physical addresses as (begin, end, node): QEMU deals memory out to nodes in their order, around the hole below
    4 GiB."""
    total = shape.mebibytes * _MIB
    below = total if total < _ALL_BELOW else _BELOW
    ranges = []
    place = 0  # in memory, without the hole
    for number, node in enumerate(shape.nodes):
        end = place + node.mebibytes * _MIB
        if place < below:
            ranges.append((place, min(end, below), number))
        if end > below:
            begin = max(place, below)
            ranges.append((_ABOVE + begin - below, _ABOVE + end - below, number))
        place = end
    return ranges


def node_of(address: int, ranges: list[tuple[int, int, int]]) -> int | None:
    """Of a physical address; None: it is no memory."""
    return next((node for begin, end, node in ranges if begin <= address < end), None)

"""The tables of a sound machine in parts that a fault can change, and what a fault is."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mxk_host.firmware import tables
from mxk_host.firmware.tables import Image, Memory
from mxk_host.shape import Shape

MIB = 1 << 20
NEAR, FAR = 10, 21  # distances


@dataclass
class Parts:
    """What the tables of a sound machine are made of. What a fault changes gives the memory with it."""

    cores: int
    nodes: int
    node_bytes: int
    madt: list[bytes]
    srat: list[bytes]
    slit: list[list[int]]
    latencies: list[list[int]]  # ns, of the HMAT
    image: Image = field(default_factory=lambda: Image([]))

    @classmethod
    def of(cls, shape: Shape) -> "Parts":
        """A machine of this shape as a PC's firmware describes it."""
        nodes = range(len(shape.nodes))
        size = shape.mebibytes // len(shape.nodes) * MIB
        madt = [tables.local_apic(cpu, cpu) for cpu in range(shape.cpus)]
        madt += [tables.io_apic(), tables.interrupt_override(0, 2), tables.local_nmi()]
        srat = [tables.processor_affinity(node, cpu) for node in nodes for cpu in shape.nodes[node].cpus]
        srat += [tables.memory_affinity(node, node * size, size) for node in nodes]
        slit = [[NEAR if a == b else FAR for b in nodes] for a in nodes]
        latencies = [[80 if a == b else 140 for b in nodes] for a in nodes]
        return cls(shape.cpus, len(shape.nodes), size, madt, srat, slit, latencies)

    def sound(self) -> list[bytes]:
        """MADT, SRAT, SLIT, HMAT."""
        return [tables.madt(self.madt), tables.srat(self.srat), tables.slit(self.slit), self.hmat()]

    def hmat(self, unit: int = 1000) -> bytes:
        """With these latencies."""
        return tables.hmat([tables.locality_matrix(self.latencies, unit)])

    def with_tables(self, *others: bytes) -> Memory:
        """The sound tables, but others in place of those of the same signature."""
        return self.only(list({content[:4]: content for content in (*self.sound(), *others)}.values()))

    def only(self, contents: list[bytes]) -> Memory:
        """These tables."""
        self.image.tables = contents
        return self.image.memory()

    def changed(self, name: str, offset: int, value: bytes, *, checked: bool = True) -> Memory:
        """A part of a table is another; `checked`: with the right checksum."""
        memory = self.with_tables()
        memory.change(name, offset, value, checked=checked)
        return memory

    def root_pointer(self, offset: int, value: bytes, *checksums: tuple[int, int]) -> Memory:
        """`checksums`: those that are right in spite of the change, as offset and the number of bytes."""
        memory = self.with_tables()
        pointer = memory.content[:offset] + value + memory.content[offset + len(value) : 36]
        for at, length in checksums:
            pointer = tables.set_checksum(bytes(pointer), at, length)
        memory.replace(0, bytes(pointer))
        return memory

    def lists(self, **how: Any) -> Memory:  # noqa: ANN401
        """Other lists of tables: `how` is fields of the image."""
        self.image = replace(self.image, **how)
        return self.with_tables()

    def listed_too(self, name: str) -> Memory:
        """Both lists name a part a second time, or themselves."""
        memory = self.lists(more_entries=[0])
        return self.lists(more_entries=[memory.addresses[memory.part(name)]])

    def without(self, name: bytes) -> list[bytes]:
        """The other tables."""
        return [content for content in self.sound() if content[:4] != name]

    def named(self, name: bytes) -> list[bytes]:
        """The table of this name."""
        return [content for content in self.sound() if content[:4] == name]

    def both_lists_broken(self) -> Memory:
        """Both have wrong checksums."""
        memory = self.changed("XSDT", 16, b"?", checked=False)
        memory.change("RSDT", 16, b"?", checked=False)
        return memory

    def past_the_end(self, name: bytes) -> Memory:
        """The table is the last thing in memory, and says that it goes on."""
        memory = self.only(self.without(name) + self.named(name))
        (length,) = struct.unpack_from("<I", memory.content, memory.addresses[-1] - tables.BASE + 4)
        memory.change(name.decode(), 4, struct.pack("<I", length + 1), checked=False)
        return memory

    def one_more_core(self, record: bytes, affinity: bytes) -> Memory:
        """MADT and SRAT agree that there is one."""
        return self.with_tables(tables.madt([*self.madt, record]), tables.srat([*self.srat, affinity]))

    def more_cores(self, count: int) -> Memory:
        """With the ids behind those that there are."""
        ids = range(self.cores, self.cores + count)
        more = tables.madt([*self.madt, *(tables.local_x2apic(number, number) for number in ids)])
        return self.with_tables(more, tables.srat([*self.srat, *(tables.x2apic_affinity(0, i) for i in ids)]))

    def with_distance(self, a: int, b: int, distance: int, *, both_ways: bool = False) -> Memory:
        """In the SLIT."""
        self.slit[a][b] = distance
        if both_ways:
            self.slit[b][a] = distance
        return self.with_tables()


@dataclass(frozen=True)
class Fault:
    """`warns`: a part of each WARN, in their order; None: whatever is said, something runs. `cores` and `nodes`: what
    runs of a machine with four and two."""

    name: str
    lie: str
    warns: Sequence[str] | None
    make: Callable[[Parts], Memory]
    cores: int = 4
    nodes: int = 2
    only_booted: bool = False  # a preview cannot know it

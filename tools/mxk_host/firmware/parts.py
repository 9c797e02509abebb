"""The tables of a sound machine in parts that a fault can change, and what a fault is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mxk_host.firmware import tables
from mxk_host.firmware.tables import Image, Memory
from mxk_host.shape import Shape

MIB = 1 << 20
NEAR, FAR = 10, 21  # distances


@dataclass
class Parts:
    """What the tables of a sound machine are made of."""

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
        """The image of the sound tables, but of others in place of those of the same signature."""
        by_name = {content[:4]: content for content in (*self.sound(), *others)}
        self.image.tables = list(by_name.values())
        return self.image.memory()


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

"""What a simulation says: of each measured region the cycles of the cores by what they were spent on, the
expensive cache lines, the traffic between nodes. result_file.py reads it."""

from dataclasses import dataclass, field

# In the order in which they are shown: from work to what is lost far away, and to what is no work.
PARTS = (
    "base", "branch", "l1", "l2", "l3", "other_core", "local_memory", "remote_memory", "tlb", "synchronisation",
    "idle",
)  # fmt: skip


@dataclass
class Stack:
    """Cycles by what they were spent on."""

    cycles: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """All of them."""
        return sum(self.cycles.values())

    @property
    def parts(self) -> list[str]:
        """Those that it has, in their order; those that are not known here behind them."""
        return [part for part in (*PARTS, *(it for it in self.cycles if it not in PARTS)) if part in self.cycles]

    @property
    def busy(self) -> float:
        """Those in which the core was not idle."""
        return self.total - self.cycles.get("idle", 0.0)

    def share(self, part: str) -> float:
        """Of all cycles."""
        return self.cycles.get(part, 0.0) / self.total if self.total else 0.0

    def add(self, other: "Stack") -> None:
        """Takes the cycles of another one, too."""
        for part, cycles in other.cycles.items():
            self.cycles[part] = self.cycles.get(part, 0.0) + cycles


@dataclass
class Core:
    """What a core did in a region."""

    number: int
    node: int
    instructions: float
    cycles: float
    stack: Stack


@dataclass
class Place:
    """Accesses of one instruction on one core to the same bytes of a line."""

    offset: int
    bytes: int
    core: int
    code: int
    reads: float
    writes: float
    function: str = ""  # that `code` belongs to
    what: str = ""  # the variable and its field


@dataclass
class Line:
    """A cache line, and what was lost at it."""

    physical: int
    virtual: int
    transfers: float
    invalidations: float
    cycles: float
    places: list[Place]
    what: str = ""  # the variables in it; "dynamic memory" where there are none
    node: int | None = None  # whose memory it is

    @property
    def is_false_sharing(self) -> bool:
        """Whether a core writes bytes of it while another one uses other bytes."""
        return any(a.writes and a.core != b.core and not _overlap(a, b) for a in self.places for b in self.places)

    @property
    def is_true_sharing(self) -> bool:
        """Whether a core writes bytes that another one uses."""
        return any(a.writes and a.core != b.core and _overlap(a, b) for a in self.places for b in self.places)

    @property
    def sharing(self) -> str:
        """In words; empty for a line that one core uses or that nobody writes."""
        if self.is_false_sharing:
            return "FALSE, and true" if self.is_true_sharing else "FALSE"
        return "true" if self.is_true_sharing else ""


@dataclass
class Function:
    """Instructions and cycles of a block of code, or of a function once names are known."""

    address: int
    instructions: float
    cycles: float
    stack: Stack
    name: str = ""


@dataclass
class Channels:
    """A memory channel of a node, or all of them."""

    node: int
    bytes: float
    busy: float  # a share of the region


@dataclass
class Region:
    """A measured part."""

    begin: float
    end: float
    cores: list[Core]
    traffic: list[list[float]]
    channels: list[Channels]
    functions: list[Function]
    lines: list[Line]
    modelled: float | None = None  # cycles of it, if not all: what all the others but begin and end are about

    @property
    def cycles(self) -> float:
        """How long it took."""
        return self.end - self.begin

    @property
    def modelled_cycles(self) -> float:
        """How much of that was modelled."""
        return self.cycles if self.modelled is None else self.modelled

    @property
    def active_cores(self) -> list[Core]:
        """Those that did anything."""
        return [core for core in self.cores if core.stack.busy > 0 or core.instructions > 0]


@dataclass
class Result:
    """All of a run."""

    machine: str
    hertz: float
    instructions: float
    host_seconds: float
    regions: list[Region]


def _overlap(a: Place, b: Place) -> bool:
    return a.offset < b.offset + b.bytes and b.offset < a.offset + a.bytes

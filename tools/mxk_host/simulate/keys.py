"""The keys of a machine's description: what type each has and in which range it is. tools/simulator/model/machine.cpp
reads the same keys; docs/simulation.md and the machines' files explain them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

LINE_BYTES = 64
PAGE_SIZES = (4 << 10, 2 << 20, 1 << 30)
MAX_NODES = 32  # the model's limit
MAX_CORES = 4096  # the model's and QEMU 10's

Matrix = list[list[float]]


@dataclass(frozen=True)
class Whole:
    """An integer."""

    low: int
    high: int

    def problem(self, value: Any) -> str:  # noqa: ANN401
        """What is wrong with it, as "expected ..., got ..."; empty if nothing is."""
        wanted = f"expected an integer from {self.low} to {self.high}"
        if isinstance(value, bool) or not isinstance(value, int):
            return f"{wanted}, got {_shown(value)}"
        return "" if self.low <= value <= self.high else f"{wanted}, got {value}"


@dataclass(frozen=True)
class Number:
    """An integer or a fraction."""

    low: float
    high: float

    def problem(self, value: Any) -> str:  # noqa: ANN401
        """As of Whole."""
        wanted = f"expected a number from {self.low:g} to {self.high:g}"
        if not _is_number(value):
            return f"{wanted}, got {_shown(value)}"
        return "" if self.low <= value <= self.high else f"{wanted}, got {value:g}"


@dataclass(frozen=True)
class Word:
    """One of a few words."""

    words: Sequence[str]

    def problem(self, value: Any) -> str:  # noqa: ANN401
        """As of Whole."""
        return "" if value in self.words else f"expected one of {', '.join(self.words)}, got {_shown(value)}"


@dataclass(frozen=True)
class Text:
    """A line of text."""

    def problem(self, value: Any) -> str:  # noqa: ANN401
        """As of Whole."""
        fits = isinstance(value, str) and 0 < len(value) <= 120 and value.isprintable()
        return "" if fits else f"expected a line of 1 to 120 characters, got {_shown(value)}"


@dataclass(frozen=True)
class PageSizes:
    """The sizes that pages may have."""

    def problem(self, value: Any) -> str:  # noqa: ANN401
        """As of Whole."""
        wanted = f"expected a list of page sizes out of {', '.join(map(str, PAGE_SIZES))}, in this order"
        fits = isinstance(value, list) and value and value == [size for size in PAGE_SIZES if size in value]
        return "" if fits else f"{wanted}, got {_shown(value)}"


@dataclass(frozen=True)
class ByNodes:
    """A row for each node that says where from, in it a number for each node that says where to."""

    low: float
    high: float
    symmetric: bool = True
    diagonal: float | None = None  # what has to stand there
    whole: bool = False

    def problem(self, value: Any, nodes: int) -> str:  # noqa: ANN401
        """As of Whole."""
        wanted = f"expected {nodes} rows of {nodes} numbers, a row for each node"
        if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
            return f"{wanted}, got {_shown(value)}"
        if len(value) != nodes or any(len(row) != nodes for row in value):
            return f"{wanted}, got {len(value)} rows of {', '.join(str(len(row)) for row in value)}"
        pairs = ((a, b) for a in range(nodes) for b in range(nodes))
        return next((text for a, b in pairs if (text := self._of_a_pair(value, a, b))), "")

    def _of_a_pair(self, matrix: list[list[Any]], a: int, b: int) -> str:
        number = matrix[a][b]
        place = f"from node {a} to node {b}"
        kind = Whole(int(self.low), int(self.high)) if self.whole else Number(self.low, self.high)
        if a == b and self.diagonal is not None:
            return "" if number == self.diagonal else f"expected {self.diagonal:g} {place}, got {_shown(number)}"
        if text := kind.problem(number):
            return f"{text} {place}"
        if self.symmetric and number != matrix[b][a]:
            return f"expected the same in both directions, got {number} {place} and {_shown(matrix[b][a])} back"
        return ""


Kind = Whole | Number | Word | Text | PageSizes | ByNodes

_CYCLES = Number(0, 1_000_000)
_CACHE = {"bytes": Whole(LINE_BYTES, 1 << 34), "ways": Whole(1, 64), "latency_cycles": Number(1, 100_000)}

KEYS: dict[str, dict[str, Kind]] = {
    "machine": {
        "description": Text(),
        "nodes": Whole(1, MAX_NODES),
        "cores": Whole(1, MAX_CORES),
        "hertz": Whole(1_000_000, 100_000_000_000),
    },
    "core": {
        "width": Whole(1, 32),
        "window": Whole(1, 4096),
        "line_fill_buffers": Whole(1, 256),
        "l2_buffers": Whole(1, 256),
        "prefetch_streams": Whole(0, 256),
        "prefetch_distance": Whole(0, 63),
        "store_buffer": Whole(1, 1024),
        "branch_predictor": Word(("two_bit", "rate")),
        "branch_miss_rate": Number(0, 1),
        "branch_miss_cycles": _CYCLES,
        "pause_cycles": _CYCLES,
        "halt_wake_cycles": _CYCLES,
        "interrupt_cycles": _CYCLES,
        "atomic_cycles": _CYCLES,
    },
    "l1": _CACHE,
    "l2": _CACHE,
    "l3": _CACHE | {"slices": Whole(1, 1024)},
    "tlb": {
        "l1_entries": Whole(1, 1 << 20),
        "l2_entries": Whole(1, 1 << 20),
        "l2_latency_cycles": _CYCLES,
        "page_bytes": PageSizes(),
        "walk_levels": Whole(1, 5),
    },
    "coherence": {
        "transfer_same_node_cycles": Number(1, 1_000_000),
        "transfer_cross_node_cycles": ByNodes(1, 1_000_000),
        "invalidate_cycles": ByNodes(0, 1_000_000),
    },
    "memory": {
        "channels": Whole(1, 1024),
        "channel_bytes_per_second": Whole(1_000_000, 1 << 50),
        "latency_ns": ByNodes(1, 100_000),
    },
    "interconnect": {"bytes_per_second": ByNodes(1_000_000, 1 << 50, symmetric=False, diagonal=0)},
    "acpi": {"distance": ByNodes(11, 254, diagonal=10, whole=True), "threads_per_core": Whole(1, 8)},
}
NOT_FOR_THE_MODEL = (("machine", "description"),)


def _is_number(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:  # noqa: ANN401
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."

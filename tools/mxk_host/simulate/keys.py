"""The keys of a machine's description: which values each may have. tools/simulator/model/machine_model.cpp reads the
same keys; docs/simulation.md and the machines' files explain them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LINE_BYTES = 64
PAGE_SIZES = (4 << 10, 2 << 20, 1 << 30)
MAX_NODES = 32  # the model's limit
MAX_L3S = 32  # the model's
MAX_CORES = 4096  # the model's and QEMU 10's


@dataclass(frozen=True)
class Value:
    """What is expected, in words, and whether a value is that."""

    wanted: str
    fits: Callable[[Any], bool]

    def problem(self, value: Any) -> str:  # noqa: ANN401
        """What is wrong with it, as "expected ..., got ..."; empty if nothing is."""
        return "" if self.fits(value) else f"expected {self.wanted}, got {_shown(value)}"


@dataclass(frozen=True)
class ByNodes:
    """A row for each node that says where from, in it a number for each node that says where to."""

    number: Value
    symmetric: bool = True
    diagonal: float | None = None  # what has to stand there

    def problem(self, value: Any, nodes: int) -> str:  # noqa: ANN401
        """As of Value."""
        wanted = f"expected {nodes} rows of {nodes} numbers, a row for each node"
        if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
            return f"{wanted}, got {_shown(value)}"
        if len(value) != nodes or any(len(row) != nodes for row in value):
            return f"{wanted}, got {len(value)} rows of {', '.join(str(len(row)) for row in value)}"
        pairs = ((a, b) for a in range(nodes) for b in range(nodes))
        return next((text for a, b in pairs if (text := self._of_a_pair(value, a, b))), "")

    def _of_a_pair(self, matrix: list[list[Any]], a: int, b: int) -> str:
        number, back, place = matrix[a][b], matrix[b][a], f"from node {a} to node {b}"
        if a == b and self.diagonal is not None:
            return "" if number == self.diagonal else f"expected {self.diagonal:g} {place}, got {_shown(number)}"
        if text := self.number.problem(number):
            return f"{text} {place}"
        if self.symmetric and number != back:
            return f"expected the same in both directions, got {number} {place} and {_shown(back)} back"
        return ""


def _whole(low: int, high: int) -> Value:
    return Value(f"an integer from {low} to {high}", lambda it: type(it) is int and low <= it <= high)


def _number(low: float, high: float) -> Value:
    return Value(f"a number from {low:g} to {high:g}", lambda it: type(it) in (int, float) and low <= it <= high)


def _shown(value: Any) -> str:  # noqa: ANN401
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."


_DESCRIPTION = Value(
    "a line of 1 to 120 characters", lambda it: isinstance(it, str) and 0 < len(it) <= 120 and it.isprintable()
)
_PREDICTOR = Value("one of two_bit, rate", lambda it: it in ("two_bit", "rate"))
_PAGE_SIZES = Value(
    f"a list of page sizes out of {', '.join(map(str, PAGE_SIZES))}, in this order",
    lambda it: isinstance(it, list) and it != [] and it == [size for size in PAGE_SIZES if size in it],
)
_CYCLES = _number(0, 1_000_000)
_NANOSECONDS = _number(0, 1_000_000)
_CACHE = {"bytes": _whole(LINE_BYTES, 1 << 34), "ways": _whole(1, 64), "latency_cycles": _number(1, 100_000)}

KEYS: dict[str, dict[str, Value | ByNodes]] = {
    "machine": {
        "description": _DESCRIPTION,
        "nodes": _whole(1, MAX_NODES),
        "cores": _whole(1, MAX_CORES),
        "hertz": _whole(1_000_000, 100_000_000_000),
    },
    "core": {
        "threads": _whole(1, 8),
        "width": _whole(1, 32),
        "window": _whole(1, 4096),
        "line_fill_buffers": _whole(1, 256),
        "l2_buffers": _whole(1, 256),
        "prefetch_streams": _whole(0, 256),
        "prefetch_distance": _whole(0, 63),
        "prefetch_neighbours": _whole(0, 1),
        "prefetch_strides": _whole(0, 1024),
        "store_buffer": _whole(1, 1024),
        "branch_predictor": _PREDICTOR,
        "branch_miss_rate": _number(0, 1),
        "branch_miss_cycles": _CYCLES,
        "pause_cycles": _CYCLES,
        "halt_wake_cycles": _CYCLES,
        "interrupt_cycles": _CYCLES,
        "atomic_cycles": _CYCLES,
    },
    "l1": _CACHE,
    "l2": _CACHE,
    "l3": _CACHE | {"slices": _whole(1, 1024), "cores": _whole(1, MAX_CORES)},
    "tlb": {
        "l1_entries": _whole(1, 1 << 20),
        "l2_entries": _whole(1, 1 << 20),
        "l2_latency_cycles": _CYCLES,
        "page_bytes": _PAGE_SIZES,
        "walk_levels": _whole(1, 5),
    },
    "coherence": {
        "transfer_same_l3_cycles": _number(1, 1_000_000),
        "transfer_other_l3_cycles": _number(1, 1_000_000),
        "transfer_cross_node_cycles": ByNodes(_number(1, 1_000_000)),
        "invalidate_cycles": ByNodes(_number(0, 1_000_000)),
        "invalidate_other_l3_cycles": _CYCLES,
        "migratory": _whole(0, 1),
        "directory_in_memory": _whole(0, 1),
    },
    "memory": {
        "channels": _whole(1, 1024),
        "channel_bytes_per_second": _whole(1_000_000, 1 << 50),
        "latency_ns": ByNodes(_number(1, 100_000)),
        "banks": _whole(0, 1024),
        "row_bytes": _whole(LINE_BYTES, 1 << 20),
        "row_open_ns": _NANOSECONDS,
        "activate_ns": _NANOSECONDS,
        "bank_cycle_ns": _number(0, 1000),
        "refresh_interval_ns": _number(1, 1_000_000),
        "refresh_ns": _NANOSECONDS,
        "turn_round_ns": _number(0, 1000),
        "write_batch": _whole(1, 1024),
        "burst_gap_ns": _number(0, 1000),
    },
    "interconnect": {"bytes_per_second": ByNodes(_number(1_000_000, 1 << 50), symmetric=False, diagonal=0)},
    "acpi": {"distance": ByNodes(_whole(11, 254), diagonal=10)},
}
NOT_FOR_THE_MODEL = (("machine", "description"),)

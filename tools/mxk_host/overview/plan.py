"""What an overview runs: the tables and what they are compared with, the machine itself, and the kernel in QEMU; what
of it is compiled first; and which numbers of it stand in the terminal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mxk_host import image
from mxk_host.compare.plan import CONFIGURATIONS, MAX_LATENCY
from mxk_host.compare.table import NOISY
from mxk_host.programs import Side
from mxk_host.runs.point import quiet_of
from mxk_host.stream import Row

OPERATIONS = 8_000_000  # 128 MB of pairs
KERNEL_OPERATIONS = 200_000
BYTES_PER_OPERATION = 128  # of memory that the largest of the programs takes
MAX_SECONDS = 240  # of measuring; a slower machine gets fewer operations
MIN_OPERATIONS = 500_000
RATE_IS_KEPT = 0.99  # as bench/table/table_report.cpp has it


class Target(NamedTuple):
    """What is compiled before the first step of its side: as much as an overview needs. `steps`: about so many that
    ninja counts, where nothing is compiled yet, which take `seconds` on two cores."""

    preset: str
    name: str
    steps: int
    seconds: float

    def estimate(self, steps: int) -> float:
        """How long so many steps will take."""
        return self.seconds * steps / self.steps


TARGETS = {
    Side.LINUX: Target("linux", "mxk-overview", 181, 148),
    Side.PEERS: Target("linux", "mxk-overview-peers", 10, 12),
    Side.KERNEL: Target(image.PRESET, "mxk-overview.elf", 233, 126),
}


@dataclass(frozen=True)
class Step:
    """One process. `seconds`: about as long as three runs took on two cores with OPERATIONS; of these, `fixed` do not
    grow with the operations."""

    name: str
    side: Side
    command: str  # with {ops}, {working_set}, {counts} (of cores), {cores} (all) and {repeat}
    seconds: float
    fixed: float = 0.3  # what a process takes to start

    def estimate(self, operations: int) -> float:
        """How long it will take."""
        return self.fixed + (self.seconds - self.fixed) * operations / OPERATIONS


_TABLE = "--ops {ops} --cores {counts} --repeat {repeat} --json"
_FIND = "--mix insert,find"
# The first page needs little to be compiled for its first rows; the kernel, which takes longer, comes last.
STEPS = (
    Step("bucketed, batches", Side.LINUX, f"bench table {CONFIGURATIONS['mxk-batch']} {_FIND} {_TABLE}", 11),
    Step("bucketed, a task each", Side.LINUX, f"bench table {CONFIGURATIONS['mxk-task']} {_FIND} {_TABLE}", 14),
    Step("open, batches", Side.LINUX, f"bench table {CONFIGURATIONS['mxk-open']} {_FIND} {_TABLE}", 11),
    Step("the thesis' table", Side.LINUX, f"bench table {CONFIGURATIONS['mxk-thesis']} {_TABLE}", 40),
    Step(
        "latency",
        Side.LINUX,
        f"bench table {CONFIGURATIONS['mxk-batch']} --mix find --rate 50% --latency --max-latency {MAX_LATENCY}"
        " --ops {ops} --cores {cores} --repeat {repeat} --json",
        8,
    ),
    Step(
        "the machine: latency of memory, lines between cores, pages",
        Side.LINUX,
        "bench memory --part latency --max {working_set} --repeat 1 --json; "
        "bench lines --repeat 1 --json; bench tlb --repeat 1 --json",
        12,
        12,
    ),
    Step(
        "TBB",
        Side.PEERS,
        f"bench peer --peer tbb-hash-map {_FIND} --ops {{ops}} --cores {{cores}} --repeat {{repeat}} --json",
        17,
    ),
    Step("a plain loop", Side.PEERS, f"bench peer --peer reference-buckets-ring {_FIND} {_TABLE}", 7),
    Step(
        "the kernel in QEMU: boot, topology, a verified table",
        Side.KERNEL,
        f"topology; bench table --cores {{counts}} --ops {KERNEL_OPERATIONS} --json",
        6,
        6,
    ),
)


@dataclass(frozen=True)
class Number:
    """One of those at the end; `value` gives its text, or None where it was not measured."""

    name: str
    value: Callable[[Sequence[Row]], str | None]


def _row(rows: Sequence[Row], all_cores: bool, mix: str, **wanted: object) -> Row | None:
    """The row with these fields, on one core or on all; none that was held back to a rate."""
    of_mix = [row for row in rows if row.get("mix") == mix and "rate" not in row]
    found = [row for row in of_mix if all(row.get(key) == it for key, it in wanted.items())]
    found.sort(key=lambda row: row["cores"])
    return found[-1 if all_cores else 0] if found else None


def _marked(text: str, *rows: Row) -> str:
    return text if quiet_of(rows) else f"{text} {NOISY}"


def _throughput(mix: str, *, all_cores: bool = True, **wanted: object) -> Callable[[Sequence[Row]], str | None]:
    def value(rows: Sequence[Row]) -> str | None:
        row = _row(rows, all_cores, mix, **wanted)
        return None if row is None else _marked(f"{row['throughput']['median'] / 1e6:.1f} M/s on {row['cores']}", row)

    return value


def _ratio(mix: str, ours: dict[str, object], theirs: dict[str, object]) -> Callable[[Sequence[Row]], str | None]:
    def value(rows: Sequence[Row]) -> str | None:
        one, other = _row(rows, True, mix, **ours), _row(rows, True, mix, **theirs)
        if one is None or other is None or one["cores"] != other["cores"]:
            return None
        if one.get("operations") != other.get("operations"):
            return "not comparable"
        return _marked(f"{one['throughput']['median'] / other['throughput']['median']:.2f} x", one, other)

    return value


def _latency(which: str) -> Callable[[Sequence[Row]], str | None]:
    def value(rows: Sequence[Row]) -> str | None:
        found = [row for row in rows if "rate" in row]
        if not found:
            return None
        row = found[-1]
        if not row["served"]:
            share = row["reached"] / row["offered"]
            if share < RATE_IS_KEPT:
                return f"not served ({share:.0%} of the rate)"
            return f"not served (speed changed {row['max_speed_after'] / row['max_speed'] - 1:+.0%})"
        return _marked(f"{row['latency'][which] / 1000:.1f} us", row)

    return value


def _nanoseconds(*, last: bool = False, **wanted: object) -> Callable[[Sequence[Row]], str | None]:
    def value(rows: Sequence[Row]) -> str | None:
        found = [row for row in rows if all(row.get(key) == it for key, it in wanted.items())]
        if not found:
            return None
        row = found[-1 if last else 0]
        return _marked(f"{row['nanoseconds']['median']:.1f} ns", row)

    return value


_LATENCY: dict[str, object] = {"benchmark": "memory", "measure": "latency", "side": Side.LINUX}
_BATCH: dict[str, object] = {"benchmark": "table", "layout": "bucketed", "submit": "batch", "side": Side.LINUX}
_TASK: dict[str, object] = {"benchmark": "table", "layout": "bucketed", "submit": "task", "side": Side.LINUX}
_THESIS: dict[str, object] = {"benchmark": "table", "layout": "chained", "side": Side.LINUX}
_TBB: dict[str, object] = {"benchmark": "peer", "peer": "tbb-hash-map"}
_BOUND: dict[str, object] = {"benchmark": "peer", "peer": "reference-buckets-ring"}
NUMBERS = (
    Number("inserts, the thesis' table", _throughput("insert", **_THESIS)),
    Number("inserts in batches, one core", _throughput("insert", all_cores=False, **_BATCH)),
    Number("inserts in batches, all cores", _throughput("insert", **_BATCH)),
    Number("finds in batches, one core", _throughput("find", all_cores=False, **_BATCH)),
    Number("finds in batches, all cores", _throughput("find", **_BATCH)),
    Number("finds, a task each, all cores", _throughput("find", **_TASK)),
    Number("finds in batches by TBB's", _ratio("find", _BATCH, _TBB)),
    Number("finds in batches by a plain loop's", _ratio("find", _BATCH, _BOUND)),
    Number("a load from memory, largest working set", _nanoseconds(last=True, **_LATENCY)),
    Number("a load from the first cache", _nanoseconds(**_LATENCY)),
    Number("a line to another core and back", _nanoseconds(benchmark="lines", measure="round-trip")),
    Number("a find at half of the load, p50", _latency("p50_ns")),
    Number("a find at half of the load, p99", _latency("p99_ns")),
)

"""What a row says: what was measured, with which settings, on which machine. Rows may lack anything, or have it in
another form than expected: what is not understood is passed over."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median, stdev
from typing import Any

from scipy.special import stdtrit

from mxk_host.runs.log import Found
from mxk_host.stream import Row

_MAX_NUMBER = 1e30


class Kind(StrEnum):
    """What a row's numbers come from, as it is written where they are shown; nothing for what was measured."""

    MEASURED = ""
    EMULATED = "emulated"  # the time of a machine that an emulator is
    SIMULATED = "simulated"  # the time of a model: tools/mxk simulate


Setting = str | int | float | bool | tuple[Any, ...]
Settings = dict[str, Setting]


@dataclass(frozen=True)
class Unit:
    """How a quantity is shown: times `scale`."""

    name: str
    scale: float
    larger_is_better: bool


NANOSECONDS = Unit("ns", 1, False)
UNITS = {
    "throughput": Unit("M ops/s", 1e-6, True),
    "nanoseconds": NANOSECONDS,
    "bytes_per_second": Unit("GB/s", 1e-9, True),
    "cycles": Unit("cycles", 1, False),
}

# Of a row that is no setting, though it stands among them or behind them.
_NO_SETTINGS = frozenset((
    # said of what is measured
    "benchmark", "figure", "title", "options", "library", "setup", "unit", "core_ids", "core_nodes", "shows",
    # known of the machine, or the same as another setting
    "slit", "level", "readers", "fairness", "lock_bytes", "node_bytes", "made_up",
    # found out
    "count", "left_out", "woken", "p99", "seconds", "drift", "quiet", "not_quiet", "verified", "reason", "error",
    "conditions", "wanted", "measured", "holds", "supported", "skipped", "moved_bytes", "table_bytes",
    "peak_bytes", "touched_bytes", "process_bytes", "placed", "offered", "reached", "max_speed", "max_speed_after",
    "served", "runs_served", "host_pauses", "host_pause_ms", "disturbed_runs", "lost", "machine", "warnings",
    "warning_count", "lock_changes", "one_lock_share",
    # where it stood in a comparison
    "round", "order",
))  # fmt: skip
_FIRMWARE = "hmat_"  # and so are those that begin so
# Settings begin a row and end where it says what was measured; these stand behind: they are chosen in the run, or were
# put there by what ran several programs.
_MEASURED = frozenset((*UNITS, "seconds", "verified", "reason", "error", "drift", "latency"))
_BEHIND = ("series", "side")
_SIMULATED = "simulated"
_FIXED_BUCKETS = ("chained", "bucketed")


@dataclass(frozen=True)
class Value:
    """A quantity, measured n times: median, extremes, and the 95 % interval of the mean where n tells one."""

    unit: Unit
    n: int
    median: float
    low: float
    high: float
    interval: tuple[float, float] | None = None

    @property
    def shown(self) -> float:
        """The median in the unit."""
        return self.median * self.unit.scale

    def times(self, factor: float, unit: Unit) -> "Value":
        """The same with another factor and unit."""
        interval = (self.interval[0] * factor, self.interval[1] * factor) if self.interval else None
        return Value(unit, self.n, self.median * factor, self.low * factor, self.high * factor, interval)


@dataclass(frozen=True)
class Durations:
    """How long single operations took, in nanoseconds."""

    count: int
    p50: float
    p99: float
    p999: float | None
    max: float | None


@dataclass
class Point:
    """All rows of a run that say the same but for what was measured: one, or one for each round."""

    run: int
    benchmark: str
    settings: Settings
    found: list[Found]
    values: dict[str, Value]
    durations: dict[str, Durations]
    number: int = 0  # among those of its run
    machine: int = 0  # that of its run

    def anchor(self, quantity: str) -> str:
        """What links to this quantity of it go to."""
        return f"{quantity}-{self.run}-{self.number}"

    @property
    def rows(self) -> list[Row]:
        """Its rows."""
        return [found.row for found in self.found]

    @property
    def first(self) -> Row:
        """The first of its rows: for what is the same in all."""
        return self.found[0].row

    @property
    def kind(self) -> Kind:
        """What its numbers come from. Those of different kinds are never shown or compared together."""
        return kind_of(self.first)

    @property
    def is_verified(self) -> bool:
        """Whether all its rows say so."""
        return all(row.get("verified") is True for row in self.rows)

    @property
    def is_quiet(self) -> bool | None:
        """Whether the machine was, by its rows."""
        return quiet_of(self.rows)

    @property
    def is_statement(self) -> bool:
        """Whether it says something of other rows, and measures nothing."""
        return "statement" in self.first

    @property
    def is_wrong(self) -> bool:
        """Whether it failed its verification, which is a result where nothing keeps threads from losing entries."""
        judged = "verified" in self.first and self.first.get("supported") is not False
        return judged and not self.is_verified and self.settings.get("model") != "threads-unsafe"

    @property
    def reason(self) -> str:
        """Why nothing was measured, or what failed; empty where all is well."""
        texts = [row.get("error") or row.get("reason") for row in self.rows]
        return next((text for text in texts if isinstance(text, str)), "")

    @property
    def figure(self) -> str:
        """Of the thesis, if it belongs to one."""
        return text_of(self.first.get("figure"))


def quiet_of(rows: Iterable[Row]) -> bool | None:
    """Whether all say that the machine was quiet: False if one says that it was not, None if one does not know. Those
    that say nothing of it are quiet."""
    said = [row.get("quiet", True) for row in rows]
    return False if False in said else None if None in said else True


def points_of(rows: Iterable[Found], run: int = 0, machine: int = 0) -> list[Point]:
    """The rows of benchmarks, those that repeat each other together."""
    groups: dict[tuple[Any, ...], list[Found]] = {}
    for found in rows:
        if found.row.get("benchmark"):
            groups.setdefault(key_of(found.row), []).append(found)
    return [
        Point(run, first["benchmark"], settings_of(first), same, _values(same), _durations(same), number, machine)
        for number, same in enumerate(groups.values())
        for first in (same[0].row,)
    ]


def key_of(row: Row) -> tuple[Any, ...]:
    """What makes it the same point in another round, or in another run."""
    # A run with a time stamp for each operation is another one than that without.
    kinds = (kind_of(row), *(name for name in ("latency", "tasks") if isinstance(row.get(name), dict)))
    return (row.get("benchmark"), text_of(row.get("figure")), kinds, *sorted(settings_of(row).items(), key=repr))


def settings_of(row: Row) -> Settings:
    """What it was measured with, in the row's order."""
    found: Settings = {}
    for name, value in row.items():
        if name in _MEASURED:
            break
        if name not in _NO_SETTINGS and not name.startswith(_FIRMWARE) and (setting := _setting(value)) is not None:
            found[name] = setting
    if is_of_a_peer(row):
        found.pop("kind", None)  # what the peer is: its name says more
    for name in _BEHIND:
        if name not in found and (setting := _setting(row.get(name))) is not None:
            found[name] = setting
    simulation = simulation_of(row)
    if name := text_of(simulation.get("machine")):
        options = ("threads_per_core", "scale_caches", "sample")
        told = [f"{option} {value}" for option in options if (value := text_of(simulation.get(option)))]
        changes = simulation.get("changes")
        found[_SIMULATED] = ", ".join([name, *told, *map(str, changes if isinstance(changes, list) else ())])
    buckets, operations = (number_of(row.get(name)) for name in ("buckets", "operations"))
    # Buckets are chosen for each operation, slots by the load; those of a table that has grown are found out.
    if buckets and operations and "initial_slots" not in row:
        if row.get("layout") in _FIXED_BUCKETS:
            found["buckets"] = float(f"{buckets / operations:.3g}")
        elif "load" not in row:
            found["load"] = round(operations / buckets, 1)
    if "page_bytes" in found:
        found.pop("pages", None)  # as many as the bytes have
    # A set that is only a count says no more than the count.
    if found.get("core_set") == str(found.get("cores")):
        del found["core_set"]
    return found


def is_of_a_peer(row: Row) -> bool:
    """Whether a benchmark of peers made it, whose rows say what was measured as `peer`."""
    benchmark = text_of(row.get("benchmark"))
    return benchmark == "peer" or benchmark.endswith("-peer")


def kind_of(row: Row) -> Kind:
    """tools/mxk simulate adds a field, whatever stands in it; QEMU's emulator says so in the place of a hypervisor's
    name."""
    machine = machine_of(row)
    if _SIMULATED in row:
        return Kind.SIMULATED
    emulated = text_of(machine.get("hypervisor")).startswith("TCG") or machine.get("emulated") is True
    return Kind.EMULATED if emulated else Kind.MEASURED


def simulation_of(row: Row) -> Mapping[str, Any]:
    """With what it was simulated; empty if it was not."""
    simulated = row.get(_SIMULATED)
    return simulated if isinstance(simulated, dict) else {}


def machine_of(row: Row) -> Mapping[str, Any]:
    """As the row describes it."""
    machine = row.get("machine")
    return machine if isinstance(machine, dict) else {}


def number_of(value: Any) -> float | None:  # noqa: ANN401
    """A number, if it is one that can have been measured."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if abs(number) < _MAX_NUMBER else None  # nor one that is none


def text_of(value: Any) -> str:  # noqa: ANN401
    """A text, or a number as one; otherwise empty."""
    if isinstance(value, bool):
        return ""
    return str(value) if isinstance(value, str | int | float) else ""


def _setting(value: Any) -> Setting | None:  # noqa: ANN401
    if isinstance(value, str | bool) or number_of(value) is not None:
        return value
    if isinstance(value, list) and all(isinstance(it, str) or number_of(it) is not None for it in value):
        return tuple(value)
    return None


def _values(same: Sequence[Found]) -> dict[str, Value]:
    values = {}
    for name, unit in UNITS.items():
        parts = [part for found in same if (part := _value(found.row, name, unit)) is not None]
        if parts:
            values[name] = together(parts)
    if "cycles" in values and "nanoseconds" not in values:
        factors = [factor for found in same if (factor := _nanoseconds_in_a_cycle(found.row)) is not None]
        if len(factors) == len(same):
            values["nanoseconds"] = values["cycles"].times(median(factors), NANOSECONDS)
    return values


def median_of(row: Row, name: str) -> float | None:
    """Of a quantity of the row, if it has that."""
    it = row.get(name)
    return number_of(it.get("median")) if isinstance(it, dict) else None


def _value(row: Row, name: str, unit: Unit) -> Value | None:
    it, middle = row.get(name), median_of(row, name)
    if middle is None:
        return None
    low, high = number_of(it.get("min")), number_of(it.get("max"))
    below, above = number_of(it.get("ci95_low")), number_of(it.get("ci95_high"))
    interval = (below, above) if below is not None and above is not None else None
    n = number_of(it.get("n")) or 1
    return Value(unit, max(int(n), 1), middle, _or(low, middle), _or(high, middle), interval)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def together(parts: Sequence[Value]) -> Value:
    """Of the rounds: what counts is how their medians differ."""
    if len(parts) == 1:
        return parts[0]
    medians = [part.median for part in parts]
    n, mean = len(medians), fmean(medians)
    beside = float(stdtrit(n - 1, 0.975)) * stdev(medians) / math.sqrt(n)
    return Value(parts[0].unit, n, median(medians), min(medians), max(medians), (mean - beside, mean + beside))


def _nanoseconds_in_a_cycle(row: Row) -> float | None:
    cycles, time = row.get("cycles"), number_of(row.get("nanoseconds"))
    middle = number_of(cycles.get("median")) if isinstance(cycles, dict) else None
    return time / middle if time and middle else None


def _durations(same: Sequence[Found]) -> dict[str, Durations]:
    """Every object with percentiles in it, by its name; of several rounds the median of each percentile."""
    found: dict[str, list[Durations]] = {}
    for it in same:
        for name, value in it.row.items():
            if isinstance(value, dict) and (durations := _percentiles(value)) is not None:
                found.setdefault(name, []).append(durations)
    return {name: _middle(several) for name, several in found.items()}


def _percentiles(value: Mapping[str, Any]) -> Durations | None:
    count, p50, p99 = (number_of(value.get(name)) for name in ("count", "p50_ns", "p99_ns"))
    if not count or p50 is None or p99 is None:
        return None
    return Durations(int(count), p50, p99, number_of(value.get("p999_ns")), number_of(value.get("max_ns")))


def _middle(several: Sequence[Durations]) -> Durations:
    rare = [it.p999 for it in several if it.p999 is not None]
    maxima = [it.max for it in several if it.max is not None]
    return Durations(
        sum(it.count for it in several),
        median(it.p50 for it in several),
        median(it.p99 for it in several),
        median(rare) if rare else None,
        max(maxima) if maxima else None,
    )

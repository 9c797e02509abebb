"""The verified values of a comparison, by what was measured and in which round. A ratio is taken between two values of
the same round, and what counts is the median of these ratios: a machine that becomes slower over the rounds moves both
sides of each."""

from collections.abc import Iterable, Mapping
from statistics import median

from mxk_host.compare.plan import Cell, process_name
from mxk_host.compare.run import Record
from mxk_host.stream import Row

Rounds = Mapping[int, float]  # a verified value for each round that has one
Spread = dict[str, float]


def spread(values: Iterable[float]) -> Spread | None:
    """Median and extremes; None without values."""
    values = list(values)
    if not values:
        return None
    return {"n": len(values), "median": median(values), "min": min(values), "max": max(values)}


def paired_ratio(over: Rounds, under: Rounds) -> Spread | None:
    """The spread of over / under, taken within each round that has both."""
    return spread(over[number] / under[number] for number in sorted(over.keys() & under.keys()) if under[number] > 0)


class Cells:
    """What a record has of each cell."""

    def __init__(self, record: Record) -> None:
        self._values: dict[Cell, dict[int, float]] = {}
        self._nanoseconds: dict[Cell, dict[int, float]] = {}
        self._p99: dict[Cell, dict[int, float]] = {}
        self._latencies: dict[Cell, list[dict[str, float]]] = {}
        self._rows: dict[Cell, list[Row]] = {}
        self._noise: dict[Cell, list[str]] = {}
        self._wrong = {sample.cell for sample in record.samples if not sample.verified}
        self._failures = record.failures.keys()
        for sample in record.samples:
            if not sample.verified:
                continue
            self._values.setdefault(sample.cell, {})[sample.round] = sample.value
            if isinstance(sample.row.get("nanoseconds"), float | int):
                self._nanoseconds.setdefault(sample.cell, {})[sample.round] = float(sample.row["nanoseconds"])
            if "latency" in sample.row:
                self._p99.setdefault(sample.cell, {})[sample.round] = float(sample.row["latency"]["p99_ns"])
            self._rows.setdefault(sample.cell, []).append(sample.row)
            if sample.row.get("quiet") is False:
                text = str(sample.row.get("not_quiet") or "no reason given")
                self._noise.setdefault(sample.cell, []).append(f"round {sample.round}: {text}")
        for sample in record.latencies:
            if sample.verified and sample.row.get("latency", {}).get("count"):
                self._latencies.setdefault(sample.cell, []).append(sample.row["latency"])

    def values(self, cell: Cell) -> Rounds:
        """Operations per second, or cycles."""
        return self._values.get(cell, {})

    def nanoseconds(self, cell: Cell) -> Rounds:
        """Of cells that are measured in cycles: the same in time."""
        return self._nanoseconds.get(cell, {})

    def p99(self, cell: Cell) -> Rounds:
        """Of cells whose own runs measure latency: the 99th percentile, in nanoseconds."""
        return self._p99.get(cell, {})

    def latency(self, cell: Cell) -> dict[str, Spread]:
        """How long an operation takes, in nanoseconds: p50_ns and p99_ns; empty where that is not known."""
        measured = self._latencies.get(cell) or [row["latency"] for row in self._rows.get(cell, []) if "latency" in row]
        return {name: it for name in ("p50_ns", "p99_ns") if (it := spread(row[name] for row in measured))}

    def memory(self, cell: Cell) -> dict[str, float]:
        """Bytes of the table by its own count, of what was touched for it before the run, and of the whole process."""
        rows = self._rows.get(cell, [])
        names = ("table_bytes", "touched_bytes", "process_bytes")
        return {name: median(found) for name in names if (found := [row[name] for row in rows if name in row])}

    def noise(self, cell: Cell) -> list[str]:
        """Why its rows say that the machine was not quiet, by round."""
        return self._noise.get(cell, [])

    def failed(self, cell: Cell) -> bool:
        """Whether some round's result was wrong, or the process that had to report it failed."""
        return cell in self._wrong or process_name(cell.part, cell.engine, cell.column.cores) in self._failures

"""The verified values of a comparison, by what was measured and in which round. A ratio is taken between two values of
the same round, and what counts is the median of these ratios: a machine that becomes slower over the rounds moves both
sides of each."""

from collections.abc import Callable, Iterable
from statistics import median

from mxk_host.compare import plan
from mxk_host.compare.plan import Cell, process_name
from mxk_host.compare.run import Record, Sample
from mxk_host.order import grouped
from mxk_host.quiet import Values, largest
from mxk_host.runs.point import quiet_of

Spread = dict[str, float]


def spread(values: Iterable[float]) -> Spread | None:
    """Median and extremes; None without values."""
    values = list(values)
    if not values:
        return None
    return {"n": len(values), "median": median(values), "min": min(values), "max": max(values)}


def paired_ratio(over: Values, under: Values) -> Spread | None:
    """The spread of over / under, taken within each round that has both."""
    return spread(over.over(under).counted)


class Cells:
    """What a record has of each cell."""

    def __init__(self, record: Record) -> None:
        verified = [sample for sample in record.samples if sample.verified]
        self._samples = grouped(verified, lambda it: it.cell)
        timed = (it for it in record.latencies if it.verified and it.row.get("latency", {}).get("count"))
        self._latencies = grouped(timed, lambda it: it.cell)
        self._wrong = {sample.cell for sample in record.samples if not sample.verified}
        self._failures = record.failures.keys()

    def values(self, cell: Cell) -> Values:
        """Operations per second, or cycles. Of the engine `plan.BOUND`: the largest of all bounds."""
        if cell.engine == plan.BOUND:
            return largest(self.values(cell._replace(engine=name)) for name in plan.BOUNDS)
        return self._of(cell, lambda it: it.value)

    def nanoseconds(self, cell: Cell) -> Values:
        """Of cells that are measured in cycles: the same in time."""
        return self._of(cell, lambda it: it.row.get("nanoseconds"))

    def p99(self, cell: Cell) -> Values:
        """Of cells whose own runs measure latency: the 99th percentile, in nanoseconds."""
        return self._of(cell, lambda it: it.row.get("latency", {}).get("p99_ns"))

    def _of(self, cell: Cell, value: Callable[[Sample], object]) -> Values:
        found = ((it.round, value(it), it.row.get("quiet")) for it in self._samples.get(cell, []))
        return Values.of((at, float(it), quiet) for at, it, quiet in found if isinstance(it, float | int))

    def latency(self, cell: Cell) -> dict[str, Spread]:
        """How long an operation takes, in nanoseconds: p50_ns and p99_ns; empty where that is not known."""
        samples = self._latencies.get(cell) or self._samples.get(cell, [])
        measured = [sample.row["latency"] for sample in samples if "latency" in sample.row]
        return {name: it for name in ("p50_ns", "p99_ns") if (it := spread(row[name] for row in measured))}

    def memory(self, cell: Cell) -> dict[str, float]:
        """Bytes of the table by its own count, of what was touched for it before the run, and of the whole process."""
        rows = [sample.row for sample in self._samples.get(cell, [])]
        names = ("table_bytes", "touched_bytes", "process_bytes")
        return {name: median(found) for name in names if (found := [row[name] for row in rows if name in row])}

    def noise(self, cell: Cell) -> list[str]:
        """Why those of its rows that count say that the machine was not quiet, by round."""
        noisy = [sample for sample in self._counted(cell) if sample.row.get("quiet") is False]
        return [f"round {it.round}: {it.row.get('not_quiet') or 'no reason given'}" for it in noisy]

    def is_quiet(self, cell: Cell) -> bool | None:
        """Whether all its rows that count say that the machine was; None where one does not know."""
        return quiet_of({"quiet": None} | sample.row for sample in self._counted(cell))

    def _counted(self, cell: Cell) -> list[Sample]:
        rounds = self.values(cell).rounds
        return [sample for sample in self._samples.get(cell, []) if sample.round in rounds]

    def failed(self, cell: Cell) -> bool:
        """Whether some round's result was wrong, or the process that had to report it failed."""
        return cell in self._wrong or process_name(cell.part, cell.engine, cell.column.cores) in self._failures

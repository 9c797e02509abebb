"""Runs what a figure needs, as Linux programs and in QEMU, and gives its rows."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from mxk_host.figures.plan import THESIS_OPERATIONS, Curve, Figure, Throughputs
from mxk_host.order import balanced_order
from mxk_host.programs import Programs, Side
from mxk_host.stream import Row

# What the tables of so many keys take, and the instructions.
_MEMORY_PER_OPERATION = 128
_MIN_MEMORY = 1 << 30


@dataclass(frozen=True)
class Settings:
    """How a figure is measured."""

    programs: Programs
    cores: tuple[int, ...]
    operations: int | None  # None: the thesis'
    kernel_operations: int | None  # in the kernel
    rounds: int

    def run(self, side: Side, command: str) -> list[Row]:
        """The rows of a command."""
        operations = self.kernel_operations or THESIS_OPERATIONS
        memory = max(_MIN_MEMORY, operations * _MEMORY_PER_OPERATION)
        return self.programs.rows(side, command, max(self.cores), memory >> 20)

    def options(self, side: Side) -> str:
        """What all benchmarks of this side are told."""
        operations = self.kernel_operations if side is Side.KERNEL else self.operations
        cores = ",".join(map(str, self.cores))
        return f"--cores {cores}{f' --ops {operations}' if operations else ''} --json"

    def command(self, curve: Curve) -> str:
        """What measures a curve."""
        return f"bench {curve.benchmark} --mix insert {self.options(curve.side)}"


def run_figure(settings: Settings, figure: Figure, announce: Callable[[int, str], None]) -> list[Row]:
    """All curves in every round, in a new order each; a row for each curve and number of cores."""
    values: dict[tuple[str, int], list[float]] = defaultdict(list)
    first: dict[tuple[str, int], Row] = {}
    for number in range(1, settings.rounds + 1):
        for curve in balanced_order(figure.curves, number):
            announce(number, f"figure {figure.number}, {curve.name}")
            for row in settings.run(curve.side, settings.command(curve)):
                key = curve.name, row["cores"]
                values[key].append(row["throughput"]["median"])
                first.setdefault(key, row)
    points = [(curve.name, cores) for curve in figure.curves for cores in settings.cores]
    return [_row(figure, *point, first[point], values[point]) for point in points]


def medians(rows: Sequence[Row]) -> Throughputs:
    """What the statements are judged by."""
    return Throughputs({(row["series"], row["cores"]): row["throughput"]["median"] for row in rows})


def _row(figure: Figure, curve: str, cores: int, row: Row, values: Sequence[float]) -> Row:
    throughput = {
        "n": len(values),
        "median": median(values),
        "min": min(values),
        "max": max(values),
        "mean": mean(values),
    }
    subject = {"figure": figure.number, "title": figure.title, "series": curve}
    return row | subject | {"cores": cores, "throughput": throughput}

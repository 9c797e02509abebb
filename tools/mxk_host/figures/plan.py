"""What the figures of the thesis that need more than one program measure, and what the thesis says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from statistics import mean

from mxk_host.programs import Side
from mxk_host.statement import Statement

THESIS_OPERATIONS = 24_000_000
THESIS_CORES = (1, 2, 4, 8, 12, 16)

# Those that one program measures: numbers of `bench figure`.
OF_ONE_PROGRAM = ("4.1", "4.2", "4.3", "4.4", "4.5", "4.6")
# The same, of the thesis on Bobox: their commands are the table's (bench/figures/bobox_experiments.cpp).
EXPERIMENTS = tuple(f"E{number}" for number in range(1, 25))


@dataclass(frozen=True)
class Curve:
    """One line of a figure."""

    name: str
    side: Side
    benchmark: str  # and its options


class Throughputs:
    """Medians of what was measured, in operations per second."""

    def __init__(self, medians: Mapping[tuple[str, int], float]) -> None:
        """`medians`: by curve and number of cores."""
        self._medians = medians
        self.cores = sorted({cores for _, cores in medians})

    def at(self, curve: str, cores: int) -> float:
        """NaN, as is all that is computed of it: not measured."""
        return self._medians.get((curve, cores), nan)

    def ratio(self, curve: str, other: str, cores: int) -> float:
        """How many times faster the first one is."""
        return self.at(curve, cores) / self.at(other, cores)

    def mean_ratio(self, curve: str, other: str, first: int = 1, last: int = 16) -> float:
        """The mean over the numbers of cores in between."""
        ratios = [self.ratio(curve, other, cores) for cores in self.cores if first <= cores <= last]
        return mean([ratio for ratio in ratios if not isnan(ratio)] or [nan])

    def scaling(self, curve: str, cores: int, fewer: int = 1) -> float:
        """The throughput on `cores` by that on `fewer`."""
        return self.at(curve, cores) / self.at(curve, fewer)


@dataclass(frozen=True)
class Figure:
    """Curves over numbers of cores."""

    number: str
    title: str
    curves: Sequence[Curve]
    statements: Sequence[Statement[Throughputs]]

    @property
    def compares_builds(self) -> bool:
        """Whether the kernel stands beside a program: then nothing can be said where it is emulated."""
        return {Side.KERNEL} < {curve.side for curve in self.curves}


def _like(throughputs: Throughputs, curve: str, other: str) -> float:
    """How much better one scales than the other, on all cores that were measured."""
    cores = throughputs.cores[-1]
    return throughputs.scaling(curve, cores) / throughputs.scaling(other, cores) if cores > 1 else nan


# The settings of 4.4 (bench/figures/thesis_figures.cpp); those of 4.10 give each core its share of the queue, as the
# thesis does there.
_OF_TASKS = "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.1"
_OF_THREADS = "--model threads --queue shared --threads-per-core 1 --buckets 0.1"
_OWN_SHARE = "--queue per-core --slices packed"

_THREADS = (
    Curve("MXK", Side.KERNEL, f"table {_OF_THREADS} --semaphore syscall"),
    Curve("MXK, fast", Side.KERNEL, f"table {_OF_THREADS} --semaphore fast"),
    Curve("MXK, tasks", Side.KERNEL, f"table {_OF_TASKS}"),
    Curve("Linux", Side.LINUX, f"table {_OF_THREADS} --semaphore fast"),
)
_TASKS = (Curve("MXK", Side.KERNEL, f"table {_OF_TASKS}"), Curve("Linux", Side.LINUX, f"table {_OF_TASKS}"))
_TBB = (
    Curve("MXK", Side.LINUX, f"table {_OWN_SHARE} --tasks-per-core 100 --prefetch 0 --buckets 0.1"),
    Curve("TBB", Side.PEERS, f"peer --peer tbb-hash-map {_OWN_SHARE}"),
)

FIGURES = {
    figure.number: figure
    for figure in (
        Figure("4.7", "threads: the kernel and Linux, throughput", _THREADS,
               [Statement("threads: Linux 40 % faster throughout, mean over cores", 1.2, 1.8,
                          lambda found: found.mean_ratio("Linux", "MXK")),
                Statement("16 cores: Linux's threads are the fastest of all, by the kernel's tasks", 1.0, inf,
                          lambda found: found.ratio("Linux", "MXK, tasks", 16))]),
        Figure("4.8", "threads: the kernel and Linux, scaling", _THREADS,
               [Statement("threads: both scale alike, Linux by the kernel, on all cores", 0.9, 1.1,
                          lambda found: _like(found, "Linux", "MXK"))]),
        Figure("4.9", "tasks: the kernel and Linux", _TASKS,
               [Statement("tasks, up to 8 cores: within 5 %, mean over cores", 0.95, 1.05,
                          lambda found: found.mean_ratio("Linux", "MXK", 1, 8)),
                Statement("tasks, 12 and 16 cores: Linux 15 % slower, mean of both", 0.7, 0.925,
                          lambda found: found.mean_ratio("Linux", "MXK", 12, 16))]),
        Figure("4.10", "tasks and TBB's concurrent_hash_map", _TBB,
               [Statement("8 cores: TBB is the fastest of all, by MXK", 1.0, inf,
                          lambda found: found.ratio("TBB", "MXK", 8)),
                Statement("TBB does not grow beyond 8 cores: 16 by 8", 0.0, 1.1,
                          lambda found: found.scaling("TBB", 16, 8)),
                Statement("16 cores: MXK 50 % faster than TBB", 1.25, 2.0,
                          lambda found: found.ratio("MXK", "TBB", 16))]),
    )
}  # fmt: skip

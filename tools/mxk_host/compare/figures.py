"""What MXK is to reach on this machine, figure by figure: which cells of the comparison it is made of, and its target.
A figure that is not reached is said to be so. That fails `figures-check` only: the comparison measures and does not
judge."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mxk_host.compare import plan
from mxk_host.compare.cells import Cells, Spread, paired_ratio, spread
from mxk_host.compare.plan import BOUND, Cell, Column, Part
from mxk_host.digits import cores_text


class Unit(StrEnum):
    """How a figure is counted."""

    TIMES = "x"
    SHARE = "%"  # stored as a fraction
    NANOSECONDS = "ns"
    MICROSECONDS = "us"


@dataclass(frozen=True)
class Figure:
    """`over` by `under`, or without that the time `over` takes (in microseconds, and of a table: its p99); to be no
    smaller than the target, or no larger where that `is_maximum`, or, with a `tolerance`, no further from it than this
    share. `beside`: the ratio over this is shown with it, and has no target. `limit`: in place of `under` stands so
    many times that, and so much more."""

    what: str
    against: str  # empty: nothing, it is a time
    unit: Unit
    over: Cell
    under: Cell | None
    target: float
    is_maximum: bool = False
    tolerance: float = 0
    beside: Cell | None = None
    limit: tuple[float, float] = (1, 0)

    @property
    def name(self) -> str:
        """As it is named in one piece."""
        return f"{self.what} {self.against}".rstrip()

    @property
    def cells(self) -> Sequence[Cell]:
        """What has to be measured for it."""
        return [self.over] if self.under is None else [self.over, self.under]

    def reached_by(self, value: float) -> bool:
        """Whether this is good enough."""
        if self.tolerance:
            return abs(value / self.target - 1) <= self.tolerance
        return value <= self.target if self.is_maximum else value >= self.target


BEST, BY_TASK, BY_COROUTINE = "mxk-batch", "mxk-task", "mxk-coroutine"
CHAINED, INTERLEAVED = "mxk-chained-0.1", "mxk-chained-0.1-interleaved"
OPEN, OPEN_GROWING = "mxk-open", "mxk-open-growing"
CUCKOO, CUCKOO_HALF = "mxk-cuckoo", "mxk-cuckoo-0.5"
TBB, TBB_STOCK, TBB_GROWING = "tbb-hash-map", "tbb-hash-map-stock", "tbb-hash-map-growing"
BY_ORDINARY_THREADS = "mxk-table"
RESIZE_CORES = 2
SHARED, SHARED_GROWING, SHARED_BATCH = "mxk-shared", "mxk-shared-growing", "mxk-lines-batch"
URCU, URCU_GROWING = "urcu-lfht", "urcu-lfht-growing"


def _ratio(over: str, under: str, mix: str, cores: int, unit: Unit, target: float, part: Part = Part.TABLE) -> Figure:
    """One engine's throughput by another's."""
    column = Column(mix, cores)
    cell = Cell(part, over, column)
    against = f"{'of' if unit is Unit.SHARE else 'by'} {under}"
    beside = Cell(part, TBB_STOCK, column) if under == TBB else None
    return Figure(str(cell), against, unit, cell, Cell(part, under, column), target, beside=beside)


def _task(engine: str, measure: str) -> Cell:
    return Cell(Part.TASKS, engine, Column(measure))


def _sections(engine: str, cores: int) -> Cell:
    """Empty read sections of this many cores."""
    return Cell(Part.RCU, engine, Column(f"empty, {cores_text(cores)}"))


def _grace(measure: str) -> Cell:
    return Cell(Part.GRACE, plan.COST_ENGINE, Column(measure))


def _resize(layout: str, phase: str) -> Cell:
    return Cell(Part.GRACE, layout, Column(f"p99 {phase}, {RESIZE_CORES} cores"))


# The targets were shares of the ring. What that is of memory's random lines was measured on an EPYC (Zen 3) with two
# cores and 12 M pairs, so that a target is as hard as it was.
_RING_BY_LINES = {
    ("insert", 1): 0.70, ("find", 1): 0.83, ("erase", 1): 0.61,
    ("insert", 2): 0.70, ("find", 2): 0.68, ("erase", 2): 0.66,
}  # fmt: skip


def _share_of_bound(engine: str, mix: str, cores: int, of_ring: float) -> Figure:
    target = round(of_ring * _RING_BY_LINES[mix, cores], 2)
    return _ratio(engine, BOUND, mix, cores, Unit.SHARE, target)


def _shares_of_bound(engine: str, one_core: float, two_cores: float) -> list[Figure]:
    """Of the bound at the same number of cores, in each phase; given as shares of the ring."""
    targets = ((1, one_core), (2, two_cores))
    return [_share_of_bound(engine, mix, cores, target) for mix in plan.MIXES for cores, target in targets]


def _time(what: str, unit: Unit, over: Cell, target: float, against: str = "") -> Figure:
    """Up to the target."""
    return Figure(what, against, unit, over, None, target, is_maximum=True)


FIGURES: Sequence[Figure] = (
    *_shares_of_bound(BEST, 0.6, 0.5),
    *_shares_of_bound(OPEN, 0.45, 0.35),
    *_shares_of_bound(CUCKOO_HALF, 0.45, 0.35),
    *_shares_of_bound(BY_TASK, 0.3, 0.2),
    *(_ratio(BEST, TBB, mix, cores, Unit.TIMES, 15) for mix in ("insert", "find") for cores in (1, 2)),
    _ratio(BEST, BOUND, "find", 2, Unit.SHARE, 0.5, part=Part.ZIPF),
    _ratio(BY_ORDINARY_THREADS, BEST, "find", 2, Unit.SHARE, 0.8),
    _ratio(BY_TASK, TBB, "insert", 1, Unit.TIMES, 8),
    _ratio(BY_TASK, TBB, "insert", 2, Unit.TIMES, 6),
    # A tenth more for the notation.
    *(_ratio(BY_COROUTINE, BY_TASK, mix, 1, Unit.SHARE, 1 / 1.1) for mix in ("insert", "find")),
    *(_ratio(INTERLEAVED, CHAINED, mix, cores, Unit.TIMES, 3) for mix in ("insert", "find") for cores in (1, 2)),
    *(_ratio(OPEN_GROWING, OPEN, "insert", cores, Unit.SHARE, 0.5) for cores in (1, 2)),
    *(_ratio(OPEN_GROWING, TBB_GROWING, "insert", cores, Unit.TIMES, 8) for cores in (1, 2)),
    *(_ratio(CUCKOO, OPEN, "find", cores, Unit.SHARE, 0.8) for cores in (1, 2)),
    Figure(f"{BEST} insert at 2 cores", "by 1 core", Unit.TIMES,
           *(Cell(Part.TABLE, BEST, Column("insert", cores)) for cores in (2, 1)), 1.7),
    _ratio(BEST, TBB, "find", 2, Unit.TIMES, 4, part=Part.ZIPF),
    *(
        Figure(f"{BEST} {column} beside a busy process", "of undisturbed", Unit.SHARE,
               *(Cell(part, BEST, column) for part in (Part.DISTURBED, Part.UNDISTURBED)), 0.45)
        for column in (Column(mix, plan.DISTURBED_CORES) for mix in plan.MIXES)
    ),
    *(
        _time(f"{BEST} {column} at half of its throughput", Unit.MICROSECONDS, Cell(Part.LOAD, BEST, column),
              plan.MAX_LATENCY, "p99")
        for column in (Column(mix, plan.LOAD_CORES) for mix in plan.LOAD_MIXES)
    ),
    # The table that all cores share, in the loop in which liburcu's is measured, and in batches.
    *(_ratio(SHARED, URCU, "find", cores, Unit.TIMES, 3) for cores in (1, 2)),
    *(_ratio(SHARED, URCU, "insert", cores, Unit.TIMES, 1.5) for cores in (1, 2)),
    *(_ratio(SHARED_GROWING, URCU_GROWING, "insert", cores, Unit.TIMES, 2) for cores in (1, 2)),
    *(_share_of_bound(SHARED_BATCH, "find", cores, 0.6) for cores in (1, 2)),
    _ratio(SHARED, TBB, plan.UPDATES_MIX, 2, Unit.TIMES, 3, part=Part.UPDATES),
    *(
        Figure(f"{plan.RCU_ENGINE} read sections at 2 cores", f"by {against}", Unit.TIMES,
               _sections(plan.RCU_ENGINE, 2), _sections(under, cores), target)
        for against, under, cores, target in (
            ("1 core", plan.RCU_ENGINE, 1, 1.95),
            ("urcu-qsbr", "urcu-qsbr", 2, 1),
            ("pthread-rwlock", "pthread-rwlock", 2, 10),
        )
    ),
    # What waits for readers, and what readers wait for.
    *(
        _time(what, Unit.MICROSECONDS, _grace(measure), target)
        for what, measure, target in (
            ("synchronize beside a busy core", "synchronize", 50),
            ("expedited grace period beside a busy core", "expedite", 10),
        )
    ),
    *(
        Figure(f"p99 of look-ups in {layout} at {RESIZE_CORES} cores while it doubles",
               "by twice the quiet one and 5 us", Unit.TIMES,
               _resize(layout, "growing"), _resize(layout, "quiet"), 1, is_maximum=True, limit=(2, 5000))
        for layout in ("concurrent", "concurrent-lines")
    ),
    Figure("mxk_table count by key", "by polars, streaming", Unit.TIMES,
           *(Cell(Part.GROUP_BY, it, Column("count by key")) for it in (plan.GROUP_BY_ENGINE, "polars, streaming")), 1),
    _time("empty task from the core's own queue", Unit.NANOSECONDS, _task(plan.COST_ENGINE, "local"), 5),
    Figure("empty task from the core's own queue", "below tbb-task-group", Unit.TIMES,
           _task("tbb-task-group", "local"), _task(plan.COST_ENGINE, "local"), 6),
    _time("empty task of a stream to another core", Unit.NANOSECONDS, _task(plan.COST_ENGINE, "stream"), 25),
    # What the machine is like, measured twice.
    *(
        Figure(f"latency of {size}", "by chase", Unit.TIMES,
               *(Cell(Part.MEMORY, engine, Column(size)) for engine in (plan.COST_ENGINE, "chase")), 1, tolerance=0.1)
        for size in plan.MEMORY_SETS
    ),
)  # fmt: skip


def wanted(figure: dict[str, Any]) -> str:
    """What an evaluated figure is to reach, in its unit."""
    factor, unit = 100 if figure["unit"] == Unit.SHARE else 1, figure["unit"]
    if tolerance := figure["tolerance"] * figure["target"] * factor:
        low, high = (figure["target"] * factor + sign * tolerance for sign in (-1, 1))
        return f"{low:.3g}-{high:.3g} {unit}"
    return f"{'<=' if figure['is_maximum'] else '>='} {figure['target'] * factor:.3g} {unit}"


def parts_of(figures: Iterable[Figure]) -> tuple[Part, ...]:
    """Those in which the figures' cells are measured."""
    used = {cell.part for figure in figures for cell in figure.cells}
    return tuple(part for part in Part if part in used)


def engines_of(figures: Iterable[Figure]) -> tuple[str, ...]:
    """The engines of tables that the figures, and what stands beside them, are made of."""
    cells = [cell for figure in figures for cell in (*figure.cells, figure.beside) if cell is not None]
    names = [cell.engine for cell in cells if cell.part not in plan.SEVERAL_IN_ONE]
    bounds = plan.BOUNDS if BOUND in names else ()
    return tuple(dict.fromkeys((*(name for name in names if name != BOUND), *bounds)))


def evaluate(figures: Iterable[Figure], cells: Cells, parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Each figure of these parts with what was measured: reached, or not, or, without a value, null and the reason."""
    return [_evaluated(figure, cells) for figure in figures if figure.over.part in parts]


def _evaluated(figure: Figure, cells: Cells) -> dict[str, Any]:
    result: dict[str, Any] = {"figure": figure.name, "what": figure.what, "against": figure.against}
    result |= {"unit": figure.unit, "target": figure.target, "is_maximum": figure.is_maximum}
    result |= {"tolerance": figure.tolerance, "reached": None}
    if failed := [cell for cell in figure.cells if cells.failed(cell)]:
        return result | {"failed": True, "reason": f"failed: {', '.join(map(str, failed))}"}
    measured = _measured(figure, figure.under, cells, figure.limit)
    if measured is None:
        absent = [cell for cell in figure.cells if not cells.values(cell).by_round] or figure.cells
        return result | {"failed": False, "reason": f"not measured: {', '.join(map(str, absent))}"}
    result |= {"measured": measured, "reached": figure.reached_by(measured["median"])}
    if figure.beside is not None and not cells.failed(figure.beside):
        beside = _measured(figure, figure.beside, cells)
        if beside is not None:
            result["beside"] = {"engine": figure.beside.engine, "measured": beside}
    return result


def _measured(figure: Figure, under: Cell | None, cells: Cells, limit: tuple[float, float] = (1, 0)) -> Spread | None:
    if under is None:
        if figure.unit is Unit.MICROSECONDS:
            times = (
                cells.nanoseconds(figure.over) if figure.over.part in plan.SEVERAL_IN_ONE else cells.p99(figure.over)
            )
            return spread(times.scaled(1e-3).counted)
        return spread(cells.nanoseconds(figure.over).counted)
    return paired_ratio(cells.values(figure.over), cells.values(under).scaled(*limit))

"""The figures that MXK is to reach: what they are made of, and what makes them fall."""

from typing import Any

import pytest

from mxk_host.compare.cells import Cells
from mxk_host.compare.figures import FIGURES, evaluate, wanted
from mxk_host.compare.plan import (
    DISTURBED_CORES,
    LOAD_CORES,
    LOAD_MIXES,
    MAX_LATENCY,
    MEMORY_SETS,
    MIXES,
    UPDATES_MIX,
    Cell,
    Column,
    Part,
)
from mxk_host.compare.run import Record, Sample

TBB = "tbb-hash-map"

# A machine on which everything is just good enough: operations per second, cycles at 2.5 GHz, p99 in nanoseconds.
_GOOD = {
    Cell(part, engine, Column(mix, cores)): rate * scale
    for part in (Part.TABLE, Part.ZIPF)
    for engine, rates in {
        "mxk-batch": (60e6, 102e6),
        "mxk-task": (32e6, 41e6),
        "mxk-coroutine": (30e6, 38e6),
        "mxk-chained-0.1": (10e6, 12e6),
        "mxk-chained-0.1-interleaved": (30e6, 36e6),
        "tbb-hash-map": (4e6, 6.8e6),
        "tbb-hash-map-stock": (2e6, 3e6),
        "reference-buckets-ring": (100e6, 200e6),
        "mxk-table": (60e6, 102e6),
        "mxk-open": (45e6, 70e6),
        "mxk-open-growing": (23e6, 35e6),
        "tbb-hash-map-growing": (2.5e6, 4.25e6),
        "mxk-cuckoo": (36e6, 56e6),
        "mxk-cuckoo-0.5": (45e6, 70e6),
        "mxk-shared": (15e6, 30e6),
        "mxk-shared-growing": (10e6, 20e6),
        "mxk-lines-batch": (60e6, 120e6),
        "urcu-lfht": (5e6, 10e6),
        "urcu-lfht-growing": (5e6, 10e6),
    }.items()
    for mix, scale in (("insert", 1), ("find", 2), ("erase", 1))
    for cores, rate in enumerate(rates, 1)
} | {
    Cell(Part.TASKS, engine, Column(measure)): cycles
    for engine, measure, cycles in (("mxk", "local", 12.5), ("mxk", "stream", 62.5), ("tbb-task-group", "local", 75.0))
}
_GOOD |= {Cell(Part.UNDISTURBED, "mxk-batch", Column(mix, DISTURBED_CORES)): 100e6 for mix in MIXES}
_GOOD |= {Cell(Part.DISTURBED, "mxk-batch", Column(mix, DISTURBED_CORES)): 45e6 for mix in MIXES}
_GOOD |= {Cell(Part.GROUP_BY, engine, Column("count by key")): 30e6 for engine in ("mxk_table", "polars, streaming")}
_GOOD |= {Cell(Part.MEMORY, "mxk", Column(size)): 109.0 for size in MEMORY_SETS}
_GOOD |= {Cell(Part.MEMORY, "chase", Column(size)): 100.0 for size in MEMORY_SETS}
_GOOD |= {
    Cell(Part.UPDATES, engine, Column(UPDATES_MIX, 2)): rate
    for engine, rate in (("mxk-shared", 30e6), (TBB, 10e6), ("tbb-hash-map-stock", 9e6))
}
_GOOD |= {
    Cell(Part.RCU, engine, Column(f"empty, {cores}")): rate
    for engine, cores, rate in (
        ("qsbr", "1 core", 1e9),
        ("qsbr", "2 cores", 1.95e9),
        ("urcu-qsbr", "2 cores", 1.95e9),
        ("pthread-rwlock", "2 cores", 0.19e9),
    )
}
_GOOD |= {Cell(Part.LOAD, "mxk-batch", Column(mix, LOAD_CORES)): 2000.0 * MAX_LATENCY for mix in LOAD_MIXES}


_GOOD |= {Cell(Part.GRACE, "mxk", Column(m)): us * 1000.0 for m, us in (("synchronize", 50), ("expedite", 10))}
_GOOD |= {
    Cell(Part.GRACE, layout, Column(f"p99 {phase}, 2 cores")): p99
    for layout in ("concurrent", "concurrent-lines")
    for phase, p99 in (("quiet", 1000.0), ("growing", 7000.0))
}


def figures_of(values: dict[Cell, float], **record: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401
    """The figures of a machine that has these values in each of three rounds, faster by the round."""
    samples = []
    for cell, value in values.items():
        for number in (1, 2, 3):
            now = value / number if cell.part in (Part.TASKS, Part.LOAD, Part.GRACE) else value * number
            rows = {Part.TASKS: {"nanoseconds": now / 2.5}, Part.LOAD: {"latency": {"p99_ns": now}}}
            row = rows.get(cell.part, {"nanoseconds": now} if cell.part is Part.GRACE else {})
            samples.append(Sample("", cell, number, now, True, row))
    everything = evaluate(FIGURES, Cells(Record(samples, **record)), tuple(Part))
    return {figure["figure"]: figure for figure in everything}


def test_a_machine_that_reaches_every_figure() -> None:
    figures = figures_of(_GOOD)
    assert [name for name, figure in figures.items() if figure["reached"] is not True] == []
    assert len(figures) == len(FIGURES), "no name twice"
    best = figures["mxk-batch insert at 1 core by tbb-hash-map"]
    assert (best["measured"]["median"], best["unit"], best["target"]) == (15.0, "x", 15)
    assert best["beside"] == {"engine": "tbb-hash-map-stock", "measured": {"n": 3, "median": 30, "min": 30, "max": 30}}
    assert figures["empty task from the core's own queue"]["measured"]["median"] == pytest.approx(2.5)


def test_each_figure_falls_with_what_it_is_made_of() -> None:
    for figure in FIGURES:
        worse = _GOOD[figure.over] * (10 if figure.is_maximum else 0.1)
        fallen = figures_of(_GOOD | {figure.over: worse})
        assert fallen[figure.name]["reached"] is False, figure.name


def test_two_that_measure_the_same_agree_within_a_tenth() -> None:
    cell = Cell(Part.MEMORY, "mxk", Column("8 MiB"))
    for value, reached in ((88, False), (91, True), (100, True), (109, True), (112, False)):
        figure = figures_of(_GOOD | {cell: value})["latency of 8 MiB by chase"]
        assert (figure["reached"], wanted(figure)) == (reached, "0.9-1.1 x"), value


def test_a_figure_is_not_judged_by_what_failed_or_was_not_measured() -> None:
    without = figures_of({cell: value for cell, value in _GOOD.items() if cell.engine != TBB})
    name = f"mxk-batch insert at 2 cores by {TBB}"
    assert (without[name]["reached"], without[name]["failed"]) == (None, False)
    assert without[name]["reason"] == f"not measured: {TBB} insert at 2 cores"
    failed = figures_of(_GOOD, failures={TBB: "round 2: crashed", "mxk-tasks": "round 2: panicked"})
    assert (failed[name]["reached"], failed[name]["failed"]) == (None, True)
    assert failed["empty task from the core's own queue"]["failed"] is True
    assert failed[f"mxk-batch zipf:0.99 find at 2 cores by {TBB}"]["reached"] is True, "another process"

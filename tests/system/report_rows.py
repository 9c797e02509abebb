"""Rows as benchmarks of the machine and of the thesis' figures write them, for tests of the report: of a machine that
could exist, with noise from a seed."""

import json
import random
from collections.abc import Iterable, Iterator
from statistics import fmean, median, stdev
from typing import Any

from scipy.special import stdtrit

Row = dict[str, Any]

MACHINE = {
    "cpu": "AMD EPYC 7451",
    "tsc_hz": 2_300_000_000,
    "nodes": 2,
    "cores": 4,
    "memory_bytes": 64 << 30,
    "hypervisor": "",
    "platform": "Linux 6.1",
    "pages": "2 MiB pages",
    "build": "0123456789 gcc 12.2.0 -O2",
}
SLIT = {(0, 0): 10, (0, 1): 16, (1, 0): 40, (1, 1): 10}  # of 1 -> 0 it says twice what is measured
_CACHES = ((32 << 10, 1.4), (512 << 10, 4.1), (8 << 20, 14.0))  # up to so many bytes: nanoseconds
_MEMORY = 92.0
_PAGES = {4096: 6 << 20, 2 << 20: 3 << 30, 1 << 30: 64 << 30}  # what the TLB reaches


def spread(median: float, relative: float = 0.01, n: int = 5) -> Row:
    """As the frame writes it."""
    beside = median * relative
    return {
        "n": n,
        "median": median,
        "min": median - beside,
        "max": median + beside,
        "mean": median,
        "ci95_low": median - beside,
        "ci95_high": median + beside,
    }


def _latency(size: int) -> float:
    return next((time for reach, time in _CACHES if size <= reach), _MEMORY)


def _measured() -> Iterator[Row]:
    sizes = [4096 << step for step in range(19)]  # 4 KiB to 1 GiB
    for size in sizes:
        level = 1 + sum(size > reach for reach, _ in _CACHES)
        yield {
            "benchmark": "memory",
            "measure": "latency",
            "core": 0,
            "memory_node": 0,
            "bytes": size,
            "level": f"L{level}",
        } | {"nanoseconds": spread(_latency(size))}
        for page, reach in _PAGES.items():
            miss = 0 if size <= reach else 18
            pages = {"page_bytes": page, "pages": size // page, "bytes": size}
            if size >= page:
                yield {"benchmark": "tlb", "measure": "page-latency", **pages} | {
                    "nanoseconds": spread(_latency(size) + miss)
                }
    for (here, there), distance in SLIT.items():
        between = {"core_node": here, "memory_node": there}
        far = 1.0 if here == there else 1.7
        yield {"benchmark": "memory", "measure": "latency-matrix", **between, "nanoseconds": spread(_MEMORY * far)} | {
            "slit": distance,
            "hmat_read_nanoseconds": 95.0 if here == there else 150.0,
        }
        for measure, rate in (("read", 34e9), ("write", 19e9), ("copy", 15e9), ("write-streaming", 27e9)):
            yield {"benchmark": "memory", "measure": measure, **between, "bytes_per_second": spread(rate / far)}
    for load in (0, 10, 25, 50, 75, 90, 100):
        yield {"benchmark": "memory", "measure": "loaded-latency", "load": load} | {
            "nanoseconds": spread(_MEMORY / (1.04 - load / 100) ** 0.4),
            "bytes_per_second": spread(34e9 * load / 100 + 1e8),
        }
    for mix, rate in (("read", 34e9), ("1:1", 22e9)):
        for load in (0, 0.5, 1):
            yield {
                "benchmark": "memory",
                "measure": "curve",
                "mix": mix,
                "load": load,
                "core": 0,
                "bytes": 64 << 20,
            } | {
                "nanoseconds": spread(_MEMORY * (1 + load)),
                "bytes_per_second": spread(rate * load),
            }
    for here in range(4):
        yield {"benchmark": "lines", "measure": "atomic-owned", "from": here, "to": here, "nanoseconds": spread(7)}
        for there in range(4):
            if here == there:
                continue
            cores = {"from": here, "to": there}
            yield {"benchmark": "lines", "measure": "round-trip", **cores} | {
                "nanoseconds": spread(80 if here // 2 == there // 2 else 210)
            }
            for measure, time in (("atomic-shared", 60), ("atomic-remote", 95)):
                yield {"benchmark": "lines", "measure": measure, **cores, "nanoseconds": spread(time)}


def _sweep() -> Iterator[Row]:
    for cores in (1, 2):
        for step in range(12):  # 16 KiB to 32 MiB
            size = 16384 << step
            settings = {"layout": "bucketed", "mix": "find", "dist": "uniform", "keys": "random", "cores": cores}
            varied = {"operations": size // 32, "size_bytes": size, "passes": max(1, (1 << 20) // (size // 32))}
            rate = cores * 1e9 / (5 + _latency(size))
            yield {"benchmark": "table", **settings, **varied, "throughput": spread(rate), "buckets": size // 64}


_FIGURE = {"benchmark": "figure", "figure": "4.2", "title": "tasks per core"}


def _figures() -> Iterator[Row]:
    for tasks in (1, 10, 50, 100, 200, 400):
        for layout, rate in (("chained", 8e6), ("open", 11e6)):
            options = {"layout": layout, "tasks_per_core": tasks, "mix": "insert", "operations": 24_000_000, "cores": 2}
            yield _FIGURE | options | {"throughput": spread(rate * (1 + 0.2 * min(tasks, 100) / 100))}
    yield _FIGURE | _said("100 tasks per core: +15 % on average", "+10 to +20 %", "+16 %", True)
    yield _FIGURE | _said("more than 200 tasks: slower", "< 1.00", "1.00", False)
    # One that is about the throughput of a core.
    for cores in (1, 2, 4):
        row = {"benchmark": "figure", "figure": "4.5", "title": "each core", "shows": "throughput_per_core"}
        yield (
            row
            | {"layout": "chained", "mix": "insert", "operations": 24_000_000, "cores": cores}
            | {"throughput": spread(2e6 * cores)}
        )
    # One that is drawn by its curves, and whose rows have been put together from several programs' rows.
    for curve, rate in (("kernel", 9e6), ("TBB", 3e6)):
        for cores in (1, 2):
            row = {"benchmark": "table", "layout": "open", "mix": "insert", "operations": 24_000_000, "cores": cores}
            yield row | {"throughput": spread(rate * cores), "figure": "4.10", "title": "peers", "series": curve}
    yield _FIGURE | {"figure": "4.10"} | _said("TBB: half of the throughput", "0.5", "needs other cores", None)


def _adaptive() -> Iterator[Row]:
    """All as the source has it but for messages, which cost as much as locks."""
    for measure, cycles in (("none", 20.0), ("message", 26.0), ("lock", 26.0), ("dynamic", 20.2)):
        yield {"benchmark": "adaptive ipc", "measure": measure, "cores": [0], "cycles": spread(cycles)}
    for way, cycles in (("message", 500.0), ("lock", 200.0)):
        yield {"benchmark": "adaptive fork-join", "way": way, "cores": 2, "cycles": spread(cycles)}
    for pages, more in ((128, 1.24), (256, 1.32)):
        for locking, factor in (("coarse", 1.0), ("fine", more), ("message", more), ("cascade", 1.0)):
            settings = {"locking": locking, "pages": pages, "rounds": 200, "cores": 1}
            counted = _counted(0) | ({"locks": 0, "messages": 1.008} if locking == "message" else {})
            yield {"benchmark": "adaptive mapping"} | settings | {"cycles": spread(70 * factor)} | counted
    for locking, growth in (("coarse", 1.0), ("fine", 0.0)):
        for cores in (1, 2, 4):
            cycles = 200 * (1 + growth * (cores - 1))
            settings = {"rounds": 200, "cores": cores, "cycles": spread(cycles)}
            counted = _counted(growth * (cores - 1))
            yield {"benchmark": "adaptive revoke", "locking": locking, "pages": 1} | settings | counted
            yield {"benchmark": "adaptive revoke-independent", "locking": locking} | settings | counted


def _counted(interrupts: float) -> Row:
    return {"interrupts": interrupts, "flushes": 1, "locks": 1, "atomics": 2, "messages": 0}


def _locks() -> Iterator[Row]:
    settings = {"library": "none", "fabric": "emu", "nodes": 2, "made_up": True, "latency_ns": 1000, "passes": 50}
    for lock, nanoseconds in (("mcs", 4000.0), ("rma-mcs", 1000.0), ("c-mcs-mcs", 250.0)):
        found = {"variation_pct": 1.5, "contention_pct": 99.0, "node_changes": 0.02}
        for cores in (2, 4):
            row = {"benchmark": "lock ecsb", "lock": lock, **settings, "cores": cores}
            yield row | {"throughput": spread(1e9 / nanoseconds)} | found
        for wait in (0, 250, 500):
            row = {"benchmark": "lock wbab", "lock": lock, **settings, "wait_ns": wait, "cores": 4}
            yield row | {"throughput": spread(1e9 / (nanoseconds + wait))} | found
    ecsb = {"benchmark": "lock ecsb"}
    yield ecsb | _said("a cohort lock is 1.5 times as fast as RMA-MCS", ">= 1.50", "4.00 (ECSB, 4 cores)", True)
    yield ecsb | _said("several nodes: RMA-MCS is faster than D-MCS", ">= 1.00", "0.50 (ECSB, 4 cores)", False)


def _said(statement: str, wanted: str, measured: str, holds: bool | None) -> Row:
    return {"statement": statement, "wanted": wanted, "measured": measured, "holds": holds}


def all_kinds() -> list[Row]:
    """One run with everything of the machine, two figures, locks that adapt, and locks."""
    rows = [
        *_measured(),
        *_sweep(),
        *_figures(),
        *_adaptive(),
        *_locks(),
        {"benchmark": "juggling", "balls": 3, "throughput": spread(7e6)},
    ]
    return [row | {"verified": True, "machine": MACHINE, "warnings": [], "warning_count": 0} for row in rows]


def as_lines(rows: Iterable[Row]) -> str:
    """As a file of JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def noisy_run(seed: int, keys: int = 24, n: int = 5, slower: dict[int, float] | None = None) -> list[Row]:
    """A run of a machine that is no quieter than real ones: each run of a row is off by 2 %, one in 25 much slower, and
    a whole process by 0.5 %, as memory lies differently in each. `slower`: rows with a factor on their throughput."""
    draw = random.Random(seed)
    rows = []
    for key in range(keys):
        rate = 10e6 * (1 + key % 7) * (slower or {}).get(key, 1.0) * draw.lognormvariate(0, 0.005)
        values = [rate * draw.lognormvariate(0, 0.02) * (0.8 if draw.random() < 0.04 else 1.0) for _ in range(n)]
        rows.append(_noisy_row(key, values, 1 + draw.gauss(0, 0.015)))
    return rows


def _noisy_row(key: int, values: list[float], drift: float) -> Row:
    beside = float(stdtrit(len(values) - 1, 0.975)) * stdev(values) / len(values) ** 0.5
    mean = fmean(values)
    return {
        "benchmark": "table",
        "layout": ("chained", "bucketed", "open", "cuckoo")[key % 4],
        "mix": ("insert", "find", "erase")[key // 4 % 3],
        "cores": 1 + key // 12,
        "operations": 1_000_000,
        "throughput": {
            "n": len(values),
            "median": median(values),
            "min": min(values),
            "max": max(values),
            "mean": mean,
            "ci95_low": mean - beside,
            "ci95_high": mean + beside,
        },
        "drift": drift,
        "verified": True,
        "machine": MACHINE,
        "warnings": [],
        "warning_count": 0,
    }

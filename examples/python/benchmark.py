"""Counts rows by key (SQL's group by), with mxk and what others have: benchmark.py [--rows N] [--keys N] ...

All in one process, on the same rows, by as many threads, in rounds that take turns; what is printed are medians. Each
counts all rows and gives all keys with their counts; a wrong sum ends the program. Others that are not installed are
named and left out (benchmark-requirements.txt, libtbb-dev). `make python` builds all, and `make compare` runs it.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("--rows", type=int, default=24_000_000)
arguments.add_argument("--keys", type=int, default=1_000_000)
arguments.add_argument("--rounds", type=int, default=5)
arguments.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
arguments.add_argument("--json", action="store_true", help="a line of JSON for each instead, for tools")
options = arguments.parse_args()
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])  # mxk has a core for each
os.environ["POLARS_MAX_THREADS"] = str(options.threads)  # read when it is imported

import mxk  # noqa: E402
import numpy  # noqa: E402
import table_others  # noqa: E402

Counted = tuple[int, int]  # different keys, and rows
Way = Callable[[], Counted]


def mxk_way(rows: numpy.ndarray) -> Way:
    """The table, from empty on."""

    def count() -> Counted:
        table = mxk.Table()
        table.add(rows, 1)
        keys, counts = table.items()
        return len(keys), int(counts.sum())

    return count


def polars_ways(rows: numpy.ndarray) -> dict[str, Way]:
    """Its two engines."""
    import polars

    frame = polars.DataFrame({"key": rows})

    def eager() -> Counted:
        result = frame.group_by("key").len()
        return len(result), int(result["len"].sum())

    def streaming() -> Counted:
        result = frame.lazy().group_by("key").agg(polars.len()).collect(engine="streaming")
        return len(result), int(result["len"].sum())

    return {"polars": eager, "polars, streaming": streaming}


def duckdb_ways(rows: numpy.ndarray) -> dict[str, Way]:
    """Over a table of its own in memory."""
    import duckdb

    database = duckdb.connect(config={"threads": options.threads})
    database.register("given", {"key": rows})
    database.execute("create table numbers as select * from given")

    def count() -> Counted:
        result = database.execute("select key, count(*) as count from numbers group by key").fetchnumpy()
        return len(result["key"]), int(result["count"].sum())

    return {"duckdb": count}


def other_ways(rows: numpy.ndarray) -> dict[str, Way]:
    """Tables of C++."""
    ways = {"std::unordered_map in 256 shards": "sharded_map", "tbb::concurrent_hash_map": "tbb_hash_map"}
    found = {name: getattr(table_others, function, None) for name, function in ways.items()}
    return {name: lambda f=f: f(rows, options.threads) for name, f in found.items() if f is not None}


def all_ways(rows: numpy.ndarray) -> dict[str, Way]:
    """Those that are there."""
    ways = {"mxk_table": mxk_way(rows)}
    for some in (polars_ways, duckdb_ways, other_ways):
        try:
            ways.update(some(rows))
        except ImportError as missing:
            print(f"left out: {missing.name} is not installed", file=sys.stderr)
    return ways


def main() -> None:
    """Measures and prints."""
    different = numpy.random.default_rng(1).integers(-(2**63), 2**63 - 1, options.keys, dtype=numpy.int64)
    rows = different[numpy.random.default_rng(2).integers(0, options.keys, options.rows)]
    expected = len(numpy.unique(rows)), options.rows
    ways = all_ways(rows)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for turn in range(options.rounds + 1):  # the first one warms up
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            start = time.perf_counter()
            counted = ways[name]()
            seconds[name].append(time.perf_counter() - start)
            if counted != expected:
                sys.exit(f"{name}: expected {expected}, got {counted}")
    medians = {name: statistics.median(times[1:]) for name, times in seconds.items()}
    if options.json:
        for name, median in medians.items():
            row = {"benchmark": "group-by", "engine": name, "measure": "count by key", "verified": True}
            row |= {"rows": options.rows, "keys": options.keys, "threads": options.threads}
            print(json.dumps(row | {"throughput": {"median": options.rows / median}}))
        return
    print(f"{options.rows} rows, {options.keys} keys, {options.threads} threads, medians of {options.rounds} rounds")
    for name, median in medians.items():
        ratio = median / medians["mxk_table"]
        print(f"{name:33} {median * 1000:8.1f} ms  {options.rows / median / 1e6:7.1f} M rows/s  mxk {ratio:5.2f} x")


main()

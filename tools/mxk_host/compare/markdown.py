"""The tables that docs/measured.md embeds (mxk_host/pages.py), made of one comparison."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mxk_host import pages
from mxk_host.compare.figures import Unit, wanted
from mxk_host.compare.plan import Kind, Part
from mxk_host.compare.table import ASYNCHRONOUS, NOISE, NOISY
from mxk_host.digits import cores_text, number

Summary = dict[str, Any]
Row = dict[str, Any]

# What a page calls the engines; a peer has its library's name from the program.
NAMES = {
    "mxk-batch": "MXK, bucketed, in batches",
    "mxk-task": "MXK, bucketed, a task per operation",
    "mxk-coroutine": "MXK, bucketed, a coroutine per operation",
    "mxk-chained": "MXK, chained, a bucket per key",
    "mxk-chained-0.1": "MXK, chained, ten keys in a bucket",
    "mxk-chained-0.1-interleaved": "MXK, chained, ten keys in a bucket, walks interleaved",
    "mxk-thesis": "MXK, chained, as in the thesis: shared queue, no prefetch",
    "mxk-open": "MXK, open addressing, in batches",
    "mxk-open-growing": "MXK, open addressing, grown from 1024 slots, in batches",
    "mxk-cuckoo-0.5": "MXK, cuckoo, half full, in batches",
    "mxk-cuckoo": "MXK, cuckoo, 90 % full, in batches",
    "mxk-cuckoo-growing": "MXK, cuckoo, grown from 1024 slots, in batches",
    "mxk-concurrent": "MXK, concurrent chains, any core in place",
    "mxk-concurrent-batch": "MXK, concurrent chains, any core in place, 16 look-ups together",
    "mxk-concurrent-growing": "MXK, concurrent chains, grown from 1024 heads",
    "mxk-lines": "MXK, concurrent lines, any core in place",
    "mxk-lines-batch": "MXK, concurrent lines, any core in place, 32 look-ups together",
    "mxk-lines-growing": "MXK, concurrent lines, grown from 1024 places",
    "mxk-open-threads": "MXK, open addressing, a thread per core with semaphores",
}
_MIXES = ("insert", "find", "erase")


def put(summary: Summary, page: Path) -> None:
    """Replaces each table that the page has a place for; a page that is not there is made, with all of them."""
    pages.put(page, {name: make(summary) for name, make in _BLOCKS.items()})


def throughput(summary: Summary) -> Iterable[str]:
    """A row for each engine: M ops/s by mix and cores, and how long a find takes."""
    rows = [row for row in summary["rows"] if row["section"] == Part.TABLE]
    columns = [(mix, cores) for mix in _MIXES for cores in summary["cores"]]
    max_cores = max(summary["cores"])
    headings = [f"{mix}, {cores_text(cores)}" for mix, cores in columns]
    yield f"| M ops/s | {' | '.join(headings)} | find, {cores_text(max_cores)}: p50, p99 us |"
    yield f"|---{'|---' * (len(columns) + 1)}|"
    for engine in dict.fromkeys(row["engine"] for row in rows):
        mine = {(row["mix"], row["cores"]): row for row in rows if row["engine"] == engine}
        cells = [_throughput(mine.get(column)) for column in columns]
        latency = mine.get(("find", max_cores), {}).get("latency")
        shown = ", ".join(number(latency[name]["median"] / 1e3) for name in ("p50_ns", "p99_ns")) if latency else "-"
        yield f"| {_name(engine, next(iter(mine.values())))} | {' | '.join(cells)} | {shown} |"
    yield ""
    yield " ".join(ASYNCHRONOUS)
    yield ""
    yield _origin(summary)


def figures(summary: Summary) -> Iterable[str]:
    """A row for each figure that was measured."""
    yield "| figure | target | measured | rounds | |"
    yield "|---|---|---|---|---|"
    for it in summary["figures"]:
        if "measured" not in it:
            continue
        factor, unit, measured = 100 if it["unit"] == Unit.SHARE else 1, it["unit"], it["measured"]
        low, median, high = (number(measured[name] * factor) for name in ("min", "median", "max"))
        target = wanted(it)
        verdict = "" if it["reached"] else "**not reached**"
        beside = ""
        if other := it.get("beside"):
            beside = f"{number(other['measured']['median'] * factor)} {unit} by {other['engine']}"
        remark = "; ".join(text for text in (verdict, beside) if text)
        yield f"| {it['what']} {it['against']} | {target} | {median} {unit} | {low}-{high} | {remark} |".replace(
            "  ", " "
        )
    yield ""
    yield _origin(summary)


_BLOCKS = {"compare: throughput": throughput, "compare: figures": figures}


def _origin(summary: Summary) -> str:
    """The one run that all of it comes from."""
    machine, rounds = summary["machine"], summary["rounds"]
    count = f"{rounds} round{'' if rounds == 1 else 's'}{', a quick look' if summary['quick_look'] else ''}"
    noisy = f"; {NOISE}" if not all(row["quiet"] for row in summary["rows"]) else ""
    return (
        f"`{summary['command']}`, {summary['started']}: {summary['operations']:,} operations, medians of {count}, "
        f"{machine.get('cpu', '?')}, build {machine.get('build', '?')}{noisy}."
    )


def _throughput(row: Row | None) -> str:
    if row is None or "throughput" not in row:
        return "-" if row is None else "failed"
    return number(row["throughput"]["median"] / 1e6) + ("" if row["quiet"] else NOISY)


def _name(engine: str, row: Row) -> str:
    if row["kind"] == Kind.MXK:
        return f"{NAMES[engine]} (`{engine}`)"
    return f"`{engine}`" if row["kind"] == Kind.PEER else f"{row['kind']}: `{engine}`"

"""A comparison's summary as text: what was measured, the tables of operations per second, what tasks and threads
cost, the figures, and a line for everything that is missing or went wrong. Means the same without colour."""

from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mxk_host.compare import plan
from mxk_host.compare.figures import Unit, wanted
from mxk_host.compare.plan import MAX_LATENCY, Kind, Part
from mxk_host.digits import cores_text, number
from mxk_host.quiet import MIN_ROUNDS
from mxk_host.tables import console_of, plain_table

NOISY = "~"  # behind a throughput: by its own account not to be trusted
NOISE = f"{NOISY}: the machine was not quiet, or does not say"
# Stands beside every comparison: the two sides are not asked for the same.
ASYNCHRONOUS = (
    "MXK's engines are asynchronous: a core has thousands of operations under way in batches, 100 as tasks, and each",
    "waits for the others. Peers are called one operation at a time, and a call returns with its result, unless their",
    "set-up says that they take several at once.",
)
# The parts that measure tables, and what is said of those that are not measured with all core counts.
_TABLES = (Part.TABLE, Part.ZIPF, Part.YCSB, Part.UPDATES, Part.DISTURBED, Part.UNDISTURBED, Part.LOAD)
_ABOUT = {
    Part.YCSB: "workloads of YCSB, loaded before, keys drawn by zipf:0.99 and used by all cores; M ops/s of the run",
    Part.UPDATES: "on a table that holds all keys some operations insert or erase, the others find: I/F/E in percent",
    Part.DISTURBED: "beside a process that keeps the second processor busy",
    Part.UNDISTURBED: "the same without it, in the same rounds",
    Part.GROUP_BY: "rows counted by key, in M rows/s: a Python module over mxk::Table, and what others have",
    Part.RCU: "read sections in M/s, empty or following a pointer; locks: one for each core, or -shared",
    Part.GRACE: "ns until a grace period has ended, or is expedited; p99 of look-ups while a shared table doubles",
    Part.MEMORY: "ns per load by working set; the peer is a plain loop over memory of its own",
    Part.LOAD: f"half of the maximum throughput offered, each operation at its time; batches, up to {MAX_LATENCY} us",
}
_ABOUT_COSTS = "what {} cost, in cycles; mxk/this below 1: cheaper in MXK"
_NAME_WIDTH = 24
_FIXED_WIDTH = _NAME_WIDTH + 20  # with the columns of line names and "verified"
_CELL_WIDTH = 11

Summary = dict[str, Any]
Row = dict[str, Any]


def show(summary: Summary, output: TextIO) -> None:
    """Prints the whole summary."""
    console = console_of(output)
    for line in _head(summary):
        console.print(line, soft_wrap=True)
    for section in _TABLES:
        counts = _distinct(summary, section, "cores") if section in _ABOUT else summary["cores"]
        columns = [(mix, cores) for mix in _distinct(summary, section, "mix") for cores in counts]
        if not columns:
            continue
        if section in summary["dist"]:
            about = summary["ratios_of"].get(section, "not measured")
            console.print(f"keys drawn by {summary['dist'][section]}; mxk: {about}", soft_wrap=True)
        if section in _ABOUT:
            console.print(_ABOUT[section], soft_wrap=True)
        for group in _groups(columns, len(counts), console.width):
            headings = [f"{mix}\n{cores_text(cores)}" for mix, cores in group]
            console.print(_table(summary, section, group, headings))
    for part in plan.SEVERAL_IN_ONE:
        measures = [(measure, None) for measure in _distinct(summary, part, "measure")]
        if measures:
            console.print(_ABOUT.get(part) or _ABOUT_COSTS.format(part), soft_wrap=True)
        for group in _groups(measures, 1, console.width):
            headings = [measure.replace("-", "\n", 1) for measure, _ in group]
            console.print(_table(summary, part, group, headings))
    _show_memory(summary["rows"], console)
    _show_figures(summary["figures"], console)
    for line in _notes(summary):
        console.print(line, soft_wrap=True)


def _head(summary: Summary) -> Iterable[str]:
    cores = ", ".join(map(str, summary["cores"]))
    yield (
        f"compare: {summary['operations']:,} operations in each phase, cores {cores}, seed {summary['seed']}, "
        f"{_rounds(summary['rounds'])} of {summary['rounds_asked']}{_left_out(summary)}"
    )
    if machine := summary["machine"]:
        yield (
            f"machine: {machine.get('cpu', '?')}, TSC {machine.get('tsc_hz', 0) / 1e9:.3f} GHz, "
            f"cores {machine.get('cores', '?')}, nodes {machine.get('nodes', '?')}, "
            f"{machine.get('platform') or 'platform unknown'}, hypervisor: {machine.get('hypervisor') or 'none'}, "
            f"load before {summary['load_before']:.1f}"
        )
        yield f"memory: {machine.get('memory_bytes', 0) / 2**30:.1f} GiB; pages: {machine.get('pages') or 'unknown'}"
        yield f"build: {machine.get('build', '?')}"
    if summary["interrupted"]:
        yield "interrupted: what had been measured until then"
    if summary["quick_look"]:
        yield f"a quick look: a comparison takes no less than {MIN_ROUNDS} rounds"
    yield "M ops/s, min-max: median of the rounds, and the slowest and fastest of them"
    if Part.TABLE in summary["ratios_of"]:
        about = summary["ratios_of"][Part.TABLE]
        yield f"mxk/this: {about} over this, median of the rounds' ratios; above 1: MXK is faster"
    if summary["bounds"]:
        yield f"share: throughput as a part of the larger of {' and '.join(summary['bounds'])}, in percent"
    if Part.TABLE in summary["ratios_of"]:
        yield from ASYNCHRONOUS
    if any("latency" in row for row in summary["rows"]):
        yield "p50 us, p99 us: from an operation's submission until its result is there, in a run of its own"
    if not all(row["quiet"] for row in summary["rows"]):
        yield f"{NOISE} (reasons below)"


def _groups(columns: Sequence[Any], group: int, width: int) -> Iterable[Sequence[Any]]:
    """As many columns side by side as fit, in whole groups; never none."""
    fitting = max((width - _FIXED_WIDTH) // _CELL_WIDTH // group, 1) * group
    return (columns[at : at + fitting] for at in range(0, len(columns), fitting))


def _table(summary: Summary, section: str, columns: Sequence[Any], headings: Sequence[str]) -> Table:
    table = plain_table("/engine", "")
    table.columns[0].width = _NAME_WIDTH
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True, min_width=_CELL_WIDTH - 2)
    table.add_column("verified")
    rows = [row for row in summary["rows"] if row["section"] == section]
    failures = {failure["process"] for failure in summary["failures"]}
    before = None
    for engine in dict.fromkeys(row["engine"] for row in rows):
        mine = {_key(row): row for row in rows if row["engine"] == engine}
        first = next(iter(mine.values()))
        if before is not None and before != first["kind"]:
            table.add_section()  # MXK, peers, references, the bound
        before = first["kind"]
        lines = _lines(
            summary,
            section,
            first,
            [mine.get(column) for column in columns],
            any(plan.process_name(Part(section), engine, row.get("cores")) in failures for row in mine.values()),
        )
        verified = "yes" if all(row["verified"] for row in mine.values()) else "NO"
        name = Text(engine, style="bold") + Text(f"\n{first['library']}" if first["library"] else "", style="dim")
        table.add_row(
            name,
            "\n".join(label for label, _ in lines),
            *("\n".join(cells) for cells in zip(*(cells for _, cells in lines), strict=True)),
            Text(verified, style="" if verified == "yes" else "bold red"),
        )
    if section == Part.TABLE and summary["missing"]:
        table.add_section()
        for missing in summary["missing"]:
            table.add_row(Text(missing["engine"], style="bold"), "missing", *("-" for _ in columns), "-")
    return table


def _lines(
    summary: Summary, section: str, first: Row, rows: Sequence[Row | None], failed: bool
) -> list[tuple[str, list[str]]]:
    """An engine's lines of text: a name, and a cell for each column. `failed`: not in all columns or rounds."""
    unit, factor, field = ("M ops/s", 1e-6, "throughput")
    if section in plan.TIMED:
        field = plan.cost_unit(Part(section))
        unit, factor = ("ns" if field == "nanoseconds" else field), 1.0
    if section == Part.GROUP_BY:
        unit = "M rows/s"
    measured = [(row or {}).get(field) for row in rows]
    lines = [
        (unit, [number(it["median"] * factor) + _mark(row) if it else ("-" if row is None else "FAILED")
                for row, it in zip(rows, measured, strict=True)]),
        ("min-max", [f"{number(it['min'] * factor)}-{number(it['max'] * factor)}" if it else "" for it in measured]),
    ]  # fmt: skip
    if any(row and "ratio" in row for row in rows):
        lines.append(("mxk/this", [number(row["ratio"]["median"]) if row and "ratio" in row else "" for row in rows]))
    if first["kind"] != Kind.BOUND and section not in plan.TIMED and any(row and "share" in row for row in rows):
        lines.append(("share", [_percent(row["share"]["median"]) if row and "share" in row else "" for row in rows]))
    if any(row and "latency" in row for row in rows):
        lines += [(f"{name} us", [_microseconds(row, f"{name}_ns") for row in rows]) for name in ("p50", "p99")]
    if not any(measured):
        return lines[:1]
    return [*lines, ("FAILED", ["" for _ in rows])] if failed else lines


def _mark(row: Row | None) -> str:
    return "" if row is None or row["quiet"] else NOISY


def _microseconds(row: Row | None, name: str) -> str:
    """Of a latency, which not every engine or phase has."""
    latency = (row or {}).get("latency")
    return number(latency[name]["median"] / 1e3) if latency else "-"


def _show_memory(rows: Sequence[Row], console: Console) -> None:
    """What a table counts is not what the process has of the machine, which is the same question to all engines."""
    inserts = [row for row in rows if row.get("mix") == "insert" and "memory" in row]
    of_engine = {row["engine"]: row["memory"] for row in reversed(inserts)}  # with the fewest cores
    if not of_engine:
        return
    console.print("memory in MB. table: by its own count, after the inserts; touched: what growth may ask for, touched")
    console.print("before the run; process: the largest its resident set has been, with its instructions and all else")
    names = ("table", "touched", "process")
    table = plain_table("/engine", *(f">{name}" for name in names))
    for engine, memory in reversed(of_engine.items()):
        shown = (memory.get(f"{name}_bytes") for name in names)
        table.add_row(engine, *("-" if value is None else number(value / 1e6) for value in shown))
    console.print(table)


def _show_figures(figures: Sequence[Row], console: Console) -> None:
    """Those that were measured, or failed; the rest, for which something was not asked, in one line."""
    known = [figure for figure in figures if "measured" in figure or figure["failed"]]
    if known:
        reached = sum(figure["reached"] is True for figure in known)
        console.print(f"figures: {reached} of {len(known)} reached; medians of the rounds", soft_wrap=True)
        table = plain_table("/figure", "", ">measured", ">min-max", ">wanted", "", ">beside")
        for figure in known:
            table.add_row(*_figure(figure))
        console.print(table)
        for engine in dict.fromkeys(figure["beside"]["engine"] for figure in known if "beside" in figure):
            console.print(f"- beside: by {engine}", soft_wrap=True)
    if rest := len(figures) - len(known):
        console.print(f"- figures not measured: {rest}, for which not all was run", soft_wrap=True)


def _figure(figure: Row) -> Iterable[str | Text]:
    """A row's cells."""
    it, beside = figure.get("measured"), figure.get("beside")
    if it is None:
        verdict = Text("FAILED", style="bold red")
    else:
        verdict = Text("reached") if figure["reached"] else Text("NOT REACHED", style="bold")
    factor, unit = 100 if figure["unit"] == Unit.SHARE else 1, figure["unit"]
    return (
        figure["what"],
        figure["against"],
        f"{number(it['median'] * factor)} {unit}" if it else "-",
        f"{number(it['min'] * factor)}-{number(it['max'] * factor)}" if it else "",
        wanted(figure),
        verdict,
        f"{number(beside['measured']['median'] * factor)} {unit}" if beside else "",
    )


def _notes(summary: Summary) -> Iterable[str]:
    for row in summary["rows"]:
        where = f"{row['engine']} {_key(row)[0]}" + (f" at {row['cores']} cores" if row.get("cores") else "")
        yield from (f"WARN the machine was not quiet: {where}, {text}" for text in row.get("not_quiet", ()))
    for missing in summary["missing"]:
        yield f"MISSING {missing['engine']}: {missing['reason']}"
    for failure in summary["failures"]:
        yield f"FAILED {failure['process']}: {failure['reason']}"
    yield from _unsupported(summary["unsupported"])
    yield from (f"- not measured: {text}" for text in summary["skipped"])
    yield from (f"- {engine['name']}: {engine['setup']}" for engine in summary["engines"] if engine["setup"])
    for warning in summary["warnings"]:
        differ = ", with other figures" if warning["figures_differ"] else ""
        yield f"WARN {warning['text']} (said by {warning['processes']} of the processes{differ})"


def _unsupported(unsupported: Sequence[Row]) -> Iterable[str]:
    """One line for each engine and phase, not for each core count."""
    reasons = {(it["engine"], it.get("mix") or it.get("measure") or "all"): it["reason"] for it in unsupported}
    return (f"- {engine} has no {what}: {reason}" for (engine, what), reason in reasons.items())


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.095 else f"{100 * share:.1f}"


def _key(row: Row) -> tuple[str, int | None]:
    return row.get("mix") or row["measure"], row.get("cores")


def _distinct(summary: Summary, section: str, field: str) -> list[str]:
    return list(dict.fromkeys(row[field] for row in summary["rows"] if row["section"] == section))


def _left_out(summary: Summary) -> str:
    """How many values do not count, since their machine was not quiet and there are enough others."""
    count = sum(row.get("disturbed_rounds", 0) for row in summary["rows"])
    return f"; {count} disturbed values do not count" if count else ""


def _rounds(count: int) -> str:
    return f"{count} round{'' if count == 1 else 's'}"

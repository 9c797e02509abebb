"""A simulation's result as tables: where the cycles of each core went, expensive cache lines, the traffic between
nodes. Shown for people here, and drawn by the report."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Console
from rich.table import Column, Table

from mxk_host.digits import number
from mxk_host.simulate.names import DYNAMIC
from mxk_host.simulate.result import Function, Line, Place, Region, Result, Stack
from mxk_host.simulate.totals import by_name, total_of

_PLACES = 4  # of a line
_WIDTH = 150  # where it is no terminal
_MIN_SHARE = 0.0005  # shown as 0.1 %
_SHORT = {"local memory": "local mem.", "remote memory": "remote mem.", "synchronisation": "sync."}
_TEXTS = ("function", "sharing", "what, where", "who")  # columns that are not of numbers


class Limits(NamedTuple):
    """How many of each are shown."""

    lines: int = 12
    functions: int = 10
    cores: int = 32


@dataclass(frozen=True)
class Grid:
    """A table. `stacks`: what can be drawn of it, by name."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    stacks: dict[str, Stack]


def show(result: Result, *, notes: Sequence[str] = ()) -> None:
    """All tables, and the notes below."""
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH
    if not result.regions:
        console.print("nothing was modelled: the commands have no measured part (--whole models all)", soft_wrap=True)
        return
    for grid in grids(result, Limits()):
        words = [_SHORT.get(heading, heading) for heading in grid.headings]
        columns = (Column(it, overflow="fold") if it in _TEXTS else Column(it, justify="right") for it in words)
        table = Table(*columns, title=grid.title)
        for row in grid.rows:
            if row[0].startswith("all "):
                table.add_section()
            table.add_row(*row)
        console.print(table)
    for note in (*notes, _speed(result)):
        console.print(note, soft_wrap=True)


def grids(result: Result, limits: Limits) -> Iterator[Grid]:
    """All that have anything to show."""
    total = total_of(result.regions)
    if len(result.regions) > 1:
        yield _regions(result)
    yield _cores(total, limits.cores)
    if functions := by_name(total.functions)[: limits.functions]:
        yield _functions(total, functions)
    if total.lines:
        yield _lines(total, limits.lines)
    if len(total.traffic) > 1:
        yield _traffic(total)


def _regions(result: Result) -> Grid:
    parts = _parts(core.stack for region in result.regions for core in region.cores)
    stacks, rows = {}, []
    for place, region in enumerate(result.regions, 1):
        milliseconds, count = 1000 * region.cycles / result.hertz, len(region.active_cores)
        stack = stacks[f"{place}: {count} cores, {number(milliseconds)} ms"] = _together(region)
        instructions = sum(core.instructions for core in region.cores)
        each = (_count(instructions), _per(stack.busy, instructions))
        rows.append([str(place), f"{milliseconds:.3f}", str(count), *each, *_shares(stack, parts)])
    headings = ("part", "ms", "cores", "instructions", "cycles each", *map(word, parts))
    return Grid("Where the cycles went, part by part", headings, rows, stacks)


def _cores(total: Region, limit: int) -> Grid:
    """Shares of all cycles; CPI is of those that are not idle."""
    parts, active = _parts(core.stack for core in total.cores), total.active_cores
    rows = [
        [str(core.number), str(core.node), *_work(core.stack, core.instructions), *_shares(core.stack, parts)]
        for core in active[:limit]
    ]
    stack, instructions = _together(total), sum(core.instructions for core in active)
    shown = f"all {len(active)}" if len(active) <= limit else f"all {len(active)}, {limit} shown"
    rows.append([shown, "", *_work(stack, instructions), *_shares(stack, parts)])
    headings = ("core", "node", "instructions", "CPI", *map(word, parts))
    stacks = {str(core.number): core.stack for core in active}
    return Grid("Where the cycles went, core by core", headings, rows, stacks)


def _work(stack: Stack, instructions: float) -> tuple[str, str]:
    return _count(instructions), _per(stack.busy, instructions)


def _functions(total: Region, functions: Sequence[Function]) -> Grid:
    cycles, parts = sum(core.stack.busy for core in total.cores), _parts(it.stack for it in functions)
    rows = []
    for it in functions:
        of_all = _percent(it.cycles / cycles) if cycles else "-"
        name = short(it.name) or f"{it.address:#x}"
        rows.append([name, of_all, _per(it.cycles, it.instructions), *_shares(it.stack, parts)])
    return Grid("Expensive functions", ("function", "cycles", "CPI", *map(word, parts)), rows, {})


def _lines(total: Region, limit: int) -> Grid:
    cycles = sum(core.stack.busy for core in total.cores)
    rows = []
    for line in total.lines[:limit]:
        of_all = _percent(line.cycles / cycles) if cycles else "-"
        moved = (_count(line.transfers), _count(line.invalidations))
        rows.append([of_all, *moved, line.sharing, where(line), "\n".join(who(line))])
    headings = ("cycles", "transfers", "invalidations", "sharing", "what, where", "who")
    return Grid("Expensive cache lines", headings, rows, {})


def _traffic(total: Region) -> Grid:
    channels = {channel.node: channel for channel in total.channels}
    rows = []
    for node, row in enumerate(total.traffic):
        of_node = channels.get(node)
        memory = (_bytes(of_node.bytes), _percent(of_node.busy)) if of_node is not None else ("-", "-")
        rows.append([str(node), *map(_bytes, row), *memory])
    headings = ("from", *(f"to {node}" for node in range(len(total.traffic))), "its memory", "channels busy")
    return Grid("Bytes moved between nodes", headings, rows, {})


def where(line: Line) -> str:
    """The line's name and address."""
    node = f", node {line.node}" if line.node is not None else ""
    return f"{short(line.what or DYNAMIC)}\n{line.physical:#x}{node}"


def who(line: Line, limit: int = _PLACES) -> list[str]:
    """Who reads and writes which bytes of it, the busiest first: functions with the cores they ran on."""
    order: dict[tuple[int, int, str, bool], list[Place]] = {}
    for place in line.places:
        order.setdefault((place.offset, place.bytes, place.function, place.writes > 0), []).append(place)
    groups = sorted(order.values(), key=lambda it: -sum(place.reads + place.writes for place in it))
    texts = [_accesses(group) for group in groups[:limit]]
    return [*texts, f"and {len(groups) - limit} more"] if len(groups) > limit else texts


def _accesses(group: Sequence[Place]) -> str:
    first = group[0]
    done = [
        f"{word} {_count(count)}"
        for word, count in (("reads", sum(it.reads for it in group)), ("writes", sum(it.writes for it in group)))
        if count
    ]
    cores = sorted({place.core for place in group})
    of_cores = ",".join(map(str, cores)) if len(cores) <= 4 else f"{len(cores)} cores"
    said = f"core{'s' if 1 < len(cores) <= 4 else ''} {of_cores}" if len(cores) <= 4 else of_cores
    return f"+{first.offset}:{first.bytes} {' '.join(done)}, {said}: {short(first.function)}"


def short(name: str) -> str:
    """Without what everything here has in common."""
    return name.replace("(anonymous namespace)::", "").replace("mxk::", "")


def _speed(result: Result) -> str:
    rate = result.instructions / result.host_seconds if result.host_seconds else 0.0
    modelled, cycles = (
        sum(part) for part in zip(*((it.modelled_cycles, it.cycles) for it in result.regions), strict=True)
    )
    share = f"; {_percent(modelled / cycles)} of the time was modelled, tables are of that" if modelled < cycles else ""
    return (
        f"{_count(result.instructions)} instructions in {result.host_seconds:.1f} s, {number(rate)} per second{share}"
    )


def _parts(stacks: Iterable[Stack]) -> list[str]:
    """Those that are anywhere more than nothing."""
    every = list(stacks)
    known = dict.fromkeys(part for stack in every for part in stack.parts)
    return [part for part in known if any(stack.share(part) >= _MIN_SHARE for stack in every)]


def _together(region: Region) -> Stack:
    """Of all cores that did anything."""
    total = Stack()
    for core in region.active_cores:
        total.add(core.stack)
    return total


def _shares(stack: Stack, parts: Iterable[str]) -> list[str]:
    return [_percent(stack.share(part)) for part in parts]


def _per(cycles: float, instructions: float) -> str:
    return f"{cycles / instructions:.2f}" if instructions else "-"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= _MIN_SHARE else "-"


def _bytes(count: float) -> str:
    """With the largest unit that fits, and three digits: 1.22 MiB."""
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << shift:
            return f"{number(count / (1 << shift))} {unit}"
    return f"{count:.0f}" if count else "-"


def _count(count: float) -> str:
    return f"{count:,.0f}" if count < 1e6 else number(count)


def word(part: str) -> str:
    """A part as it is called in headings."""
    return part.replace("_", " ")

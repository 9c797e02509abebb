"""A simulation's result as tables for people: where the cycles of each core went, expensive cache lines, the
traffic between nodes."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Column, Table

from mxk_host.digits import number
from mxk_host.simulate.names import DYNAMIC
from mxk_host.simulate.result import Line, Place, Region, Result, Stack
from mxk_host.simulate.totals import by_name, total_of

_LINES, _FUNCTIONS, _CORES, _PLACES = 12, 10, 32, 4
_WIDTH = 150  # where it is no terminal
_MIN_SHARE = 0.0005  # shown as 0.1 %


def show(result: Result, *, notes: Sequence[str] = ()) -> None:
    """All tables, and the notes below."""
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH
    if not result.regions:
        console.print("nothing was modelled: the commands have no measured part (--whole models all)", soft_wrap=True)
        return
    if len(result.regions) > 1:
        console.print(_regions(result))
    total = total_of(result.regions)
    for table in (_cores(total), _functions(total), _lines(total), _traffic(total)):
        if table is not None:
            console.print(table)
    for note in (*notes, _speed(result)):
        console.print(note, soft_wrap=True)


def _of_numbers(title: str, headings: Iterable[str | Column]) -> Table:
    """All columns are of numbers but those that are described."""
    columns = (it if isinstance(it, Column) else Column(it, justify="right") for it in headings)
    return Table(*columns, title=title)


def _regions(result: Result) -> Table:
    parts = _parts(core.stack for region in result.regions for core in region.cores)
    headings = ("part", "ms", "cores", "instructions", "cycles each", *map(_word, parts))
    table = _of_numbers("Measured parts, in their order", headings)
    for place, region in enumerate(result.regions, 1):
        total = total_of([region])
        stack = _together(core.stack for core in total.cores)
        instructions = sum(core.instructions for core in total.cores)
        table.add_row(
            str(place),
            f"{1000 * region.cycles / result.hertz:.3f}",
            str(len(region.active_cores)),
            _count(instructions),
            _per(stack.busy, instructions),
            *(_percent(stack.share(part)) for part in parts),
        )
    return table


def _cores(total: Region) -> Table:
    """Shares of all cycles; CPI is of those that are not idle."""
    parts = _parts(core.stack for core in total.cores)
    headings = ("core", "node", "instructions", "CPI", *map(_word, parts))
    table = _of_numbers("Where the cycles of each core went", headings)
    active = total.active_cores
    for core in active[:_CORES]:
        shares = [_percent(core.stack.share(part)) for part in parts]
        cpi = _per(core.stack.busy, core.instructions)
        table.add_row(str(core.number), str(core.node), _count(core.instructions), cpi, *shares)
    stack = _together(core.stack for core in active)
    instructions = sum(core.instructions for core in active)
    table.add_section()
    shown = f"all {len(active)}" if len(active) <= _CORES else f"all {len(active)}, {_CORES} shown"
    shares = [_percent(stack.share(part)) for part in parts]
    table.add_row(shown, "", _count(instructions), _per(stack.busy, instructions), *shares)
    return table


def _functions(total: Region) -> Table | None:
    functions = by_name(total.functions)[:_FUNCTIONS]
    if not functions:
        return None
    cycles = sum(core.stack.busy for core in total.cores)
    parts = _parts(function.stack for function in functions)
    headings = (Column("function", overflow="fold"), "cycles", "CPI", *map(_word, parts))
    table = _of_numbers("Expensive functions", headings)
    for function in functions:
        shares = [_percent(function.stack.share(part)) for part in parts]
        of_all = _percent(function.cycles / cycles) if cycles else "-"
        table.add_row(short(function.name), of_all, _per(function.cycles, function.instructions), *shares)
    return table


def _lines(total: Region) -> Table | None:
    if not total.lines:
        return None
    cycles = sum(core.stack.busy for core in total.cores)
    texts = (Column(heading, overflow="fold") for heading in ("sharing", "what, where", "who"))
    table = _of_numbers("Expensive cache lines", ("cycles", "transfers", "invalidations", *texts))
    for line in total.lines[:_LINES]:
        of_all = _percent(line.cycles / cycles) if cycles else "-"
        moved = (_count(line.transfers), _count(line.invalidations))
        table.add_row(of_all, *moved, line.sharing, where(line), "\n".join(who(line)))
    return table


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


def _traffic(total: Region) -> Table | None:
    if len(total.traffic) < 2:
        return None
    headings = ("from", *map(str, range(len(total.traffic))), "memory", "channels busy")
    table = _of_numbers("Bytes moved, from (row) to (column) node; memory of the row's node", headings)
    channels = {channel.node: channel for channel in total.channels}
    for node, row in enumerate(total.traffic):
        of_node = channels.get(node)
        memory = (_bytes(of_node.bytes), _percent(of_node.busy)) if of_node is not None else ("-", "-")
        table.add_row(str(node), *(_bytes(cell) for cell in row), *memory)
    return table


def short(name: str) -> str:
    """Without what everything here has in common."""
    return name.replace("(anonymous namespace)::", "").replace("mxk::", "")


def _speed(result: Result) -> str:
    rate = result.instructions / result.host_seconds if result.host_seconds else 0.0
    return f"{_count(result.instructions)} instructions in {result.host_seconds:.1f} s, {number(rate)} per second"


def _parts(stacks: Iterable[Stack]) -> list[str]:
    """Those that are anywhere more than nothing."""
    every = list(stacks)
    known = dict.fromkeys(part for stack in every for part in stack.parts)
    return [part for part in known if any(stack.share(part) >= _MIN_SHARE for stack in every)]


def _together(stacks: Iterable[Stack]) -> Stack:
    total = Stack()
    for stack in stacks:
        total.add(stack)
    return total


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


def _word(part: str) -> str:
    return part.replace("_", " ").replace("memory", "mem.").replace("synchronisation", "sync.")

"""Sums over the regions of a run and over the blocks of a function."""

from collections.abc import Iterable, Sequence

from mxk_host.simulate.result import Channels, Core, Function, Line, Region, Stack


def total_of(regions: Sequence[Region]) -> Region:
    """Regions as one, one behind the other. Lines at the same address are the same line."""
    cores: dict[int, Core] = {}
    functions: dict[tuple[str, int], Function] = {}
    lines: dict[int, Line] = {}
    channels: dict[int, Channels] = {}
    cycles = sum(region.modelled_cycles for region in regions)
    for region in regions:
        for core in region.cores:
            sum_of = cores.setdefault(core.number, Core(core.number, core.node, 0, 0, Stack()))
            sum_of.instructions += core.instructions
            sum_of.cycles += core.cycles
            sum_of.stack.add(core.stack)
        for function in region.functions:
            _add_function(functions, function)
        for line in region.lines:
            _add_line(lines, line)
        for channel in _by_node(region.channels):
            all_of = channels.setdefault(channel.node, Channels(channel.node, 0, 0))
            all_of.bytes += channel.bytes
            all_of.busy += channel.busy * region.modelled_cycles / cycles if cycles else 0.0
    return Region(
        0,
        cycles,
        [cores[number] for number in sorted(cores)],
        _sum_of_matrices([region.traffic for region in regions]),
        [channels[node] for node in sorted(channels)],
        sorted(functions.values(), key=lambda it: it.cycles, reverse=True),
        sorted(lines.values(), key=lambda it: it.cycles, reverse=True),
    )


def by_name(functions: Iterable[Function]) -> list[Function]:
    """Blocks of the same function as one, the expensive ones first."""
    found: dict[tuple[str, int], Function] = {}
    for function in functions:
        _add_function(found, function)
    return sorted(found.values(), key=lambda it: it.cycles, reverse=True)


def _add_function(into: dict[tuple[str, int], Function], function: Function) -> None:
    key = (function.name, 0 if function.name else function.address)
    sum_of = into.setdefault(key, Function(function.address, 0, 0, Stack(), function.name))
    sum_of.address = min(sum_of.address, function.address)
    sum_of.instructions += function.instructions
    sum_of.cycles += function.cycles
    sum_of.stack.add(function.stack)


def _add_line(into: dict[int, Line], line: Line) -> None:
    sum_of = into.setdefault(line.physical, Line(line.physical, line.virtual, 0, 0, 0, [], line.what, line.node))
    sum_of.transfers += line.transfers
    sum_of.invalidations += line.invalidations
    sum_of.cycles += line.cycles
    sum_of.places += line.places


def _by_node(channels: Sequence[Channels]) -> list[Channels]:
    """Those of a node as one, which is busy as they are on average."""
    nodes: dict[int, list[Channels]] = {}
    for channel in channels:
        nodes.setdefault(channel.node, []).append(channel)
    return [
        Channels(node, sum(it.bytes for it in same), sum(it.busy for it in same) / len(same))
        for node, same in nodes.items()
    ]


def _sum_of_matrices(matrices: Sequence[list[list[float]]]) -> list[list[float]]:
    size = max((len(matrix) for matrix in matrices), default=0)
    return [[sum(it[a][b] for it in matrices if a < len(it) and b < len(it)) for b in range(size)] for a in range(size)]

"""Names for what the plugin knows by address only: functions, variables and their fields; and the node of each line."""

from collections.abc import Sequence

from mxk_host.simulate.fields import Fields
from mxk_host.simulate.result import Line, Region
from mxk_host.simulate.shape import node_of
from mxk_host.simulate.symbols import Symbols

LINE_BYTES = 64
DYNAMIC = "dynamic memory"
NO_FIELDS = (
    "fields are not named: the kernel has no types in its debug file; build it with -g: "
    "cmake --preset metal -DMXK_DEBUG_INFORMATION=-g"
)


def add_names(regions: Sequence[Region], symbols: Symbols, memory: list[tuple[int, int, int]]) -> list[str]:
    """Fills in the names; gives remarks on what could not be named."""
    codes = [function.address for region in regions for function in region.functions]
    lines = [line for region in regions for line in region.lines]
    codes += [place.code for line in lines for place in line.places]
    symbols.prepare(it for it in map(symbols.function_at, dict.fromkeys(codes)) if it is not None)
    symbols.prepare(it for line in lines for it in symbols.data_in(line.virtual, line.virtual + LINE_BYTES))
    for region in regions:
        for function in region.functions:
            function.name = _function(symbols, function.address)
    fields = Fields(symbols.path)
    named = [_name_line(line, symbols, fields, memory) for line in lines]
    return [NO_FIELDS] if any(named) and not fields.has_types else []


def _name_line(line: Line, symbols: Symbols, fields: Fields, memory: list[tuple[int, int, int]]) -> bool:
    """Whether a variable with a size of its own is in it."""
    line.node = node_of(line.physical, memory)
    for place in line.places:
        place.function = _function(symbols, place.code)
        place.what = _variable(symbols, fields, line.virtual + place.offset)
    used = dict.fromkeys(place.what for place in line.places if place.what)
    there = symbols.data_in(line.virtual, line.virtual + LINE_BYTES)
    line.what = ", ".join(used or dict.fromkeys(map(symbols.readable, there))) or DYNAMIC
    return bool(there)


def _function(symbols: Symbols, address: int) -> str:
    symbol = symbols.function_at(address)
    return symbols.readable(symbol) if symbol is not None else f"{address:#x}"


def _variable(symbols: Symbols, fields: Fields, address: int) -> str:
    symbol = symbols.data_at(address)
    if symbol is None:
        return ""
    offset = address - symbol.address
    field = fields.field(symbol.address, offset)
    # Without types a place in a large variable is told apart by its offset.
    return symbols.readable(symbol) + (field or (f" + {offset}" if offset else ""))

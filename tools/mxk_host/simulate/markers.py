"""Where the kernel says that a measured part begins and ends: two functions that do nothing, whose addresses the plugin
is told. Everything else runs without the model."""

from dataclasses import dataclass

from mxk_host.errors import UsageError
from mxk_host.image import shown
from mxk_host.simulate.symbols import Symbols

_BEGIN, _END = "measured_part_begins", "measured_part_ends"


@dataclass(frozen=True)
class Markers:
    """Addresses of the two functions."""

    begin: int
    end: int


def find_markers(symbols: Symbols) -> Markers:
    """Raises if the kernel lacks them."""
    found = [_address(symbols, name) for name in (_BEGIN, _END)]
    missing = [f"mxk::bench::{name}()" for name, address in zip((_BEGIN, _END), found, strict=True) if address is None]
    if missing:
        raise UsageError(
            f"expected the kernel to have {' and '.join(missing)}, which mark the measured part, got none in "
            f"{shown(symbols.path)}: build it again, or simulate all of it with --whole"
        )
    begin, end = found
    assert begin is not None
    assert end is not None
    return Markers(begin, end)


def _address(symbols: Symbols, name: str) -> int | None:
    mangled = f"_ZN3mxk5bench{len(name)}{name}E"
    return next((symbol.address for symbol in symbols.starting_with(mangled)), None)

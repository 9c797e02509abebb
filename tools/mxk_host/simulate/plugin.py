"""The plugin that is the model, and what QEMU's command line tells it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mxk_host.errors import UsageError
from mxk_host.image import shown
from mxk_host.machine import Emulator
from mxk_host.qemu import option_value
from mxk_host.simulate import samples
from mxk_host.simulate.symbols import Symbols

NAME = "mxk-simulator.so"
# Cycles that are modelled at a time in a sampled run: caches and buffers are what they would be long before the end.
_SAMPLE = 100_000
# Where the kernel says that a measured part begins and ends: two functions that do nothing. All else runs without the
# model.
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


@dataclass(frozen=True)
class Plugin:
    """How it is to run. Without markers it models all from the first instruction on."""

    path: Path
    machine: Path  # the flat file
    result: Path
    markers: Markers | None
    memory: Sequence[tuple[int, int, int]]  # physical ranges with their nodes
    seed: int
    sample: float  # of measured parts, this share is modelled

    @property
    def arguments(self) -> list[str]:
        """For QEMU."""
        words = [
            option_value(self.path),
            f"machine={option_value(self.machine)}",
            f"result={option_value(self.result)}",
        ]
        if self.markers is None:
            words.append("whole=on")
        else:
            words += [f"roi-begin={self.markers.begin:#x}", f"roi-end={self.markers.end:#x}"]
        ranges = ";".join(f"{begin:#x}-{end:#x}@{node}" for begin, end, node in self.memory)
        words += [f"memory-nodes={ranges}", f"seed={self.seed}"]
        if self.sample < 1:
            words += [
                f"sample={_SAMPLE}/{round(_SAMPLE / self.sample)}",
                f"samples={option_value(self.result.with_name(samples.NAME))}",
            ]
        return ["-plugin", ",".join(words)]


def expect_plugin(path: Path) -> None:
    """Raises if it is not built, or the QEMU that takes it is not there."""
    if not path.is_file():
        raise UsageError(f"expected the simulator {shown(path)}: run make simulator")
    Emulator.QEMU10.expect_installed()

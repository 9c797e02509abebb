"""The plugin that is the model, and what QEMU's command line tells it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mxk_host.errors import UsageError
from mxk_host.image import shown
from mxk_host.machine import Emulator
from mxk_host.qemu import option_value
from mxk_host.simulate.markers import Markers

NAME = "mxk-simulator.so"


@dataclass(frozen=True)
class Plugin:
    """How it is to run. Without markers it models all from the first instruction on."""

    path: Path
    machine: Path  # the flat file
    result: Path
    markers: Markers | None
    memory: Sequence[tuple[int, int, int]]  # physical ranges with their nodes
    seed: int

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
        return ["-plugin", ",".join(words)]


def expect_plugin(path: Path) -> None:
    """Raises if it is not built, or the QEMU that takes it is not there."""
    if not path.is_file():
        raise UsageError(f"expected the simulator {shown(path)}: run make simulator")
    Emulator.QEMU10.expect_installed()

"""Runs console commands in a program of the Linux build, or in the kernel under QEMU, and gives the rows that they
print. What they said is kept in a log each."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from mxk_host.commands import KERNEL, command_text
from mxk_host.errors import DriverError, ExitCode, UsageError, signal_name
from mxk_host.image import image_path
from mxk_host.jobs import Job
from mxk_host.machine import Accelerator, Boot, Firmware
from mxk_host.qemu import Machine
from mxk_host.rounds import run
from mxk_host.shape import Shape
from mxk_host.stream import Row
from mxk_host.verdict import judge


class Side(StrEnum):
    """Which program obeys."""

    KERNEL = "kernel"
    LINUX = "linux"
    PEERS = "peers"


PROGRAMS = {Side.LINUX: "mxk", Side.PEERS: "mxk-peers"}
IMAGES = {**PROGRAMS, Side.KERNEL: KERNEL}


def expect_built(folder: Path, names: Iterable[str] = PROGRAMS.values(), target: str = "linux") -> None:
    """Raises where one of the programs is missing, which `make TARGET` builds."""
    for name in names:
        if not (folder / name).is_file():
            raise UsageError(f"expected the program {folder / name}: make {target} builds it first")


@dataclass(frozen=True)
class Programs:
    """Where the programs are, and how the kernel is run."""

    folder: Path  # with mxk and mxk-peers
    logs: Path
    timeout: float  # seconds for each process
    accelerator: Accelerator
    nodes: int = 2  # of the kernel's machine
    names: Mapping[Side, str] = field(default_factory=lambda: IMAGES)  # of the files
    memory: str = ""  # of the Linux program's nodes, such as 8G; empty: its default
    module: Path | None = None  # that the kernel's loader brings
    counted: bool = False  # the kernel's clock is the number of instructions
    log: Path | None = None  # of the last process, in place of one for each in `logs`

    @property
    def emulated(self) -> bool:
        """Whether what the kernel measures says nothing of speed."""
        return self.accelerator is Accelerator.TCG

    def rows(self, side: Side, command: str, cores: int, mebibytes: int = 1024) -> list[Row]:
        """What the commands print, on so many cores, and in the kernel so much memory. Raises if one fails."""
        line = self._kernel_line(command, cores, mebibytes) if side is Side.KERNEL else self._line(side, command, cores)
        log = self.log or self.logs / f"{side}-{len(list(self.logs.glob('*.log')))}.log"
        ran = run(line, log, self.timeout)
        said = f"{shlex.join(line)}: {ran.line_with('error: ') or 'no error was printed'} (log: {log})"
        if side is Side.KERNEL:
            verdict = judge(ran.outcome, self.timeout)
            if verdict.code is not ExitCode.SUCCESS:
                raise DriverError(f"{verdict.reason}: {said}", verdict.code)
        elif (status := ran.outcome.status) != 0:
            how = "ran too long" if status is None else f"exit status {status}"
            how = f"ended by {signal_name(-status)}" if status is not None and status < 0 else how
            raise DriverError(f"{how}: {said}", ExitCode.COMMAND_FAILED)
        return ran.rows

    def _line(self, side: Side, command: str, cores: int) -> list[str]:
        memory = ["--memory", self.memory] if self.memory else []
        return [str(self.folder / self.names[side]), "--cores", str(cores), *memory, "--", command]

    def _kernel_line(self, command: str, cores: int, mebibytes: int) -> list[str]:
        shape = Shape.checked(cores, min(self.nodes, cores), f"{mebibytes}M")
        machine = Machine(shape, Boot.KERNEL, Firmware.BIOS, self.accelerator, counted=self.counted, module=self.module)
        return Job(machine, command_text([command])).qemu_line(image_path(Boot.KERNEL, self.names[Side.KERNEL]))

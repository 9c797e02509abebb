"""The job of `tools/mxk simulate`: checks all that can be checked, boots the kernel under the plugin, keeps and shows
what came of it."""

import json
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mxk_host import files, image, results
from mxk_host.display import Display
from mxk_host.errors import DriverError, ExitCode
from mxk_host.jobs import PROGRESS_EVERY, SIMULATED, Job
from mxk_host.machine import Accelerator, Boot, Emulator, Firmware
from mxk_host.qemu import Machine
from mxk_host.runner import run_captured
from mxk_host.simulate import result_file, samples
from mxk_host.simulate.machine_file import MachineFile, machine_names, read_machine
from mxk_host.simulate.marked_rows import RowMarker
from mxk_host.simulate.names import add_names
from mxk_host.simulate.plugin import Markers, Plugin, expect_plugin, find_markers
from mxk_host.simulate.result import Result
from mxk_host.simulate.shape import memory_ranges, shape_of
from mxk_host.simulate.symbols import Symbols
from mxk_host.stream import Row
from mxk_host.verdict import Verdict, judge

FLAT_FILE = "machine.txt"


# The emulator has caches here: the kernel works as on a machine that is not calibrated.
_WORDS = ("calibrate=no",)
# What a machine reads of the host would make each run another one: the date.
_SAME_EVERY_TIME = ("-rtc", "base=2026-01-01T00:00:00,clock=vm")


@dataclass(frozen=True)
class Simulation:
    """What is to be simulated."""

    machine: MachineFile
    cpus: int | None  # None: all
    memory: str
    seed: int
    whole: bool
    commands: str
    plugin: Path
    sample: float = 1  # of measured parts, this share is modelled

    @property
    def mark(self) -> dict[str, Any]:
        """What is added to each row."""
        cores = self.machine.processors if self.cpus is None else self.cpus
        return {
            "machine": self.machine.name,
            "cores": cores,
            "nodes": self.machine.nodes,
            "hertz": self.machine.hertz,
            "seed": self.seed,
            "whole": self.whole,
        } | {
            key: value
            for key, value, default in (
                ("scale_caches", self.machine.scale, 1),
                ("threads_per_core", self.machine.threads_per_core, 1),
                ("changes", list(self.machine.changes), []),
                ("sample", self.sample, 1),
            )
            if value != default
        }

    def line(self, folder: Path, markers: Markers | None) -> list[str]:
        """The QEMU command line, for files in this folder."""
        shape = shape_of(self.machine, self.cpus, self.memory)
        files_of = (folder / FLAT_FILE, folder / result_file.NAME)
        plugin = Plugin(self.plugin, *files_of, markers, memory_ranges(shape), self.seed, self.sample)
        machine = Machine(
            shape,
            Boot.KERNEL,
            Firmware.BIOS,
            Accelerator.TCG,
            (*plugin.arguments, *_SAME_EVERY_TIME, "-seed", str(self.seed)),
            one_thread=True,
            emulator=Emulator.QEMU10,
            words=_WORDS,
        )
        return Job(machine, self.commands).qemu_line(image.image_path(Boot.KERNEL))


def list_machines() -> None:
    """A line for each."""
    machines = [read_machine(name, None) for name in machine_names()]
    width = max(len(machine.name) for machine in machines)
    for machine in machines:
        shape = f"{machine.nodes} x {machine.processors_per_node}"
        print(f"{machine.name:{width}}  {shape:6}  {machine.description}")


def explain(simulation: Simulation) -> None:
    """Prints the QEMU line and touches nothing; addresses that no image tells are left out."""
    markers = None if simulation.whole else find_markers(_symbols())
    print(shlex.join(simulation.line(results.RESULTS / "UTC-TIME", markers)))


def simulate(simulation: Simulation, *, build: bool, timeout: float, folder: Path | None = None) -> None:
    """Runs the commands under the model, keeps all in the folder, by default a new one, and shows what it says. Raises
    as `run` does."""
    shape_of(simulation.machine, simulation.cpus, simulation.memory)  # checked before anything is built
    expect_ready(simulation.plugin, build=build)
    symbols = _symbols()
    folder = results.new_folder() if folder is None else folder
    rows, notes, verdict = _run(simulation, symbols, folder, timeout)
    results.store(folder, rows)
    _show_rows(simulation, rows, notes, folder)
    try:
        result = _show_result(simulation, symbols, folder / result_file.NAME)
        if verdict.code is ExitCode.SUCCESS and not result.regions and any("benchmark" in row for row in rows):
            reason = "rows were measured, but the model saw no measured part: their times are an emulator's"
            verdict = Verdict(ExitCode.NO_VERDICT, reason)
    except result_file.ResultError as error:
        # A run that failed says why by itself.
        if verdict.code is ExitCode.SUCCESS:
            verdict = Verdict(ExitCode.NO_VERDICT, f"the plugin left no result: {error}")
    if verdict.code is not ExitCode.SUCCESS:
        raise DriverError(verdict.reason, verdict.code)


def expect_ready(plugin: Path, *, build: bool) -> None:
    """Builds the kernel where that is wanted. Raises if there is no plugin, or no kernel."""
    expect_plugin(plugin)
    if build:
        image.build(Boot.KERNEL)
    image.expect_image(Boot.KERNEL)


def rows_of(simulation: Simulation, folder: Path, timeout: float) -> list[Row]:
    """Runs the commands under the model, keeps all in `folder`, and gives the rows, marked. Raises as `run` does."""
    rows, _, verdict = _run(simulation, _symbols(), folder, timeout)
    if verdict.code is not ExitCode.SUCCESS:
        raise DriverError(verdict.reason, verdict.code)
    return [row for row in rows if "benchmark" in row]


def _run(
    simulation: Simulation, symbols: Symbols, folder: Path, timeout: float
) -> tuple[list[Row], list[str], Verdict]:
    """The rows, marked; remarks; how it ended. What was asked for stays in `folder`."""
    markers = None if simulation.whole else find_markers(symbols)
    files.write_text(folder / FLAT_FILE, simulation.machine.flat())
    line = simulation.line(folder, markers)
    files.write_text(folder / "command.txt", f"{shlex.join(line)}\n# commands: {simulation.commands}\n")
    display = Display(sys.stdout, PROGRESS_EVERY)
    sampled = samples.Samples(folder / samples.NAME) if simulation.sample < 1 else None
    marker = RowMarker(simulation.mark, sampled)
    with files.log(folder / "console.log") as log, display:

        def show(data: bytes) -> None:
            log.write(data)
            log.flush()
            display.feed(data)

        # What the driver is told is marked first: the runner's own log would have rows without a mark.
        outcome = run_captured(line, Path(os.devnull), timeout, lambda data: show(marker.feed(data)))
        show(marker.rest())
    return *results.rows_in(display.lines), judge(outcome, timeout)


def _show_rows(simulation: Simulation, rows: list[Row], notes: list[str], folder: Path) -> None:
    from mxk_host import tables  # read only where it is used: it takes as long to read as all else

    measured = [row for row in rows if "benchmark" in row]
    tables.show_rows(
        measured, notes=[*notes, f"{simulation.machine.name}: {SIMULATED}", f"results: {image.shown(folder)}"]
    )


def _show_result(simulation: Simulation, symbols: Symbols, path: Path) -> Result:
    """Adds names to what the plugin wrote, and shows it. Raises ResultError if that is nothing."""
    from mxk_host.simulate import tables

    document = result_file.read_document(path)
    result = result_file.result_of(document)
    shape = shape_of(simulation.machine, simulation.cpus, simulation.memory)
    notes = add_names(result.regions, symbols, memory_ranges(shape))
    files.write_text(path, json.dumps(result_file.named_document(document, result)))
    tables.show(result, notes=notes)
    return result


def _symbols() -> Symbols:
    image.expect_image(Boot.KERNEL)
    return Symbols(image.image_path(Boot.KERNEL))

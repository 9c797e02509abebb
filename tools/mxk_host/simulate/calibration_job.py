"""The job of `tools/mxk calibration`: runs what mxk_host/simulate/calibration.py compares, keeps the rows of both
sides, and shows the table."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from mxk_host import files, image, pages, results
from mxk_host.commands import command_text
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.machine import Accelerator
from mxk_host.programs import Programs, Side
from mxk_host.progress import RoundsProgress
from mxk_host.simulate import calibration, job
from mxk_host.simulate.calibration import PROBES, Compared, Probe
from mxk_host.simulate.machine_file import MachineFile
from mxk_host.simulate.plugin import NAME
from mxk_host.stream import Row
from mxk_host.tables import plain_table

_NATIVE = "native.json"
_BLOCK = "calibration"
_SIMULATED_MEMORY = "4G"
_SIMULATED_RUN = "--repeat 1 --json"


@dataclass(frozen=True)
class Settings:
    """What was asked for."""

    machine: MachineFile
    operations: int
    rounds: int
    timeout: float  # seconds for each process
    build: Path  # with the programs and the plugin
    build_kernel: bool
    native: Path | None  # the folder of a calibration whose native rows are taken

    @property
    def plugin(self) -> Path:
        """Of the simulator."""
        return (self.build / NAME).absolute()

    def command(self, probe: Probe) -> str:
        """Without how often it is repeated."""
        return probe.command.format(ops=self.operations)


def calibrate(settings: Settings, parent: Path, typed: str, markdown: Sequence[Path]) -> None:
    """Measures natively, round by round, then simulates. The rows stay in a folder of their own."""
    job.expect_ready(settings.plugin, build=settings.build_kernel)
    folder = results.new_folder(parent)
    native = _kept_rows(settings.native) if settings.native else _native_rows(settings, folder)
    files.write_text(folder / _NATIVE, json.dumps(native))
    simulated = _simulated_rows(settings, folder)
    found: list[Compared] = []
    for place, probe in enumerate(PROBES):
        found += calibration.compared(probe, [rounds[place] for rounds in native], simulated[place])
    if not found:
        raise DriverError("nothing is compared: expected rows that both sides have", ExitCode.COMMAND_FAILED)
    console = Console(highlight=False)
    console.print(_table(found))
    for line in (*calibration.verdicts(found), f"results: {image.shown(folder)}"):
        console.print(line, soft_wrap=True)
    measured = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    machine = native[0][0][0]["machine"]
    where = f"{machine.get('cpu', '?')}, build {machine.get('build', '?')}"
    origin = f"`{typed}`, {measured}: {where}; {len(native)} rounds natively."
    for page in markdown:
        pages.put(page, {_BLOCK: calibration.lines(found, origin)})


def _native_rows(settings: Settings, folder: Path) -> list[list[list[Row]]]:
    """By round, then by probe."""
    programs = Programs(settings.build, folder, settings.timeout, Accelerator.TCG)
    rounds: list[list[list[Row]]] = []
    with RoundsProgress([[probe.command.split(" --")[0] for probe in PROBES]] * settings.rounds) as progress:
        for number in range(1, settings.rounds + 1):
            rows: list[list[Row]] = []
            for probe in PROBES:
                progress.announce(number, probe.command.split(" --")[0])
                rows.append(programs.rows(Side.LINUX, f"{settings.command(probe)} --repeat 3 --json", probe.cores))
            rounds.append(rows)
    return rounds


def _kept_rows(folder: Path) -> list[list[list[Row]]]:
    what = f"the folder of a calibration (--native), with {_NATIVE}"
    text = files.read_text(folder / _NATIVE, what)
    with files.expecting(what):
        rows: list[list[list[Row]]] = json.loads(text)
        if not rows or any(len(rounds) != len(PROBES) for rounds in rows):
            raise UsageError(f"--native: expected rows of {len(PROBES)} commands in {folder / _NATIVE}")
        for rounds in rows:
            for probe, of_probe in zip(PROBES, rounds, strict=True):
                calibration.by_name(probe, of_probe)
        _ = rows[0][0][0]["machine"].get("cpu")
        return rows


def _simulated_rows(settings: Settings, folder: Path) -> list[list[Row]]:
    """By probe: a boot each, so that none depends on what others leave behind."""
    rows = []
    for place, probe in enumerate(PROBES):
        mine = folder / f"simulated-{place}"
        mine.mkdir()
        commands = command_text([f"{settings.command(probe)} {_SIMULATED_RUN}"])
        how = {"cpus": None, "memory": _SIMULATED_MEMORY, "seed": 1, "whole": False}
        simulation = job.Simulation(settings.machine, **how, commands=commands, plugin=settings.plugin)
        rows.append(job.rows_of(simulation, mine, settings.timeout))
    return rows


def _table(rows: Sequence[Compared]) -> Table:
    table = plain_table("row", ">native ns", ">simulated ns", ">ratio", "")
    for it in rows:
        table.add_row(it.name, f"{it.native:.2f}", f"{it.simulated:.2f}", f"{it.ratio:.2f}", it.use)
    return table

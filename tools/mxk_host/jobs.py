"""The jobs of the driver: explain a run, run commands, hold a conversation with the console, measure. Each returns when
all went well and raises a DriverError, with the exit code in it, when not."""

import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mxk_host import bochs, files, image, results
from mxk_host.commands import KERNEL_WITH_TESTS, grub_menu, kernel_command_line, kernel_for
from mxk_host.display import Display
from mxk_host.errors import DriverError, ExitCode
from mxk_host.machine import Accelerator, Boot
from mxk_host.qemu import Machine, qemu_line
from mxk_host.runner import run_captured, run_interactive
from mxk_host.verdict import Verdict, judge

COMMANDS_TIMEOUT = 600.0  # seconds
PROGRESS_EVERY = 5.0  # seconds
EMULATED = "emulated: shows function and relative cost, not hardware speed"
SIMULATED = "simulated: times are those of a model, docs/simulation.md says how far to trust them"


@dataclass(frozen=True)
class Job:
    """One boot of the kernel: the machine, and the commands it is to obey (none: its console waits for input)."""

    machine: Machine
    commands: str
    own_menu: bool = True  # GRUB boots at once, as this run wants it; else it shows the menu that the image has
    with_tests: bool = False  # the kernel with the tests inside, whatever the commands are

    def qemu_line(self, boot_image: Path, interactive_log: Path | None = None) -> list[str]:
        """The QEMU command line that boots this image."""
        line = kernel_command_line(self.commands, self.module_name, self.machine.words)
        return qemu_line(self.machine, boot_image, line, interactive_log)

    @property
    def module_name(self) -> str | None:
        """What the kernel is to call the machine's module: a console command names it."""
        return self.machine.module.name if self.machine.module else None

    @property
    def kernel(self) -> str:
        """The kernel that has what is to run."""
        return KERNEL_WITH_TESTS if self.with_tests else kernel_for(self.commands)

    @property
    def needs_menu(self) -> bool:
        """Whether GRUB has to be told something that the image does not say: not to wait for a key, if nothing else."""
        return self.machine.boot is not Boot.KERNEL and self.own_menu


def explain(job: Job) -> None:
    """Prints the QEMU line and touches nothing."""
    boot_image = image.image_path(job.machine.boot, job.kernel)
    if job.needs_menu:
        original, boot_image = boot_image, boot_image.with_stem("run")
        menu = "; ".join(grub_menu(job.commands, job.module_name, job.machine.words).splitlines()[:-1])
        print(
            f"tools/mxk: {boot_image.name} is to be a copy of {original.name} whose grub.cfg says: {menu}",
            file=sys.stderr,
        )
    print(shlex.join(job.qemu_line(boot_image, None if job.commands else _last_log())))


def run(job: Job, *, build: bool, timeout: float | None, log: Path | None) -> None:
    """Obeys the commands and shows the console output."""
    display = Display(sys.stdout)
    timeout = COMMANDS_TIMEOUT if timeout is None else timeout
    kept = log or _last_log()
    with _boot_image(job, build=build) as boot_image, _failure_log_kept(kept):
        with display:
            outcome = run_captured(job.qemu_line(boot_image), kept, timeout, display.feed)
        _expect_success(judge(outcome, timeout))


def run_in_bochs(job: Job, model: bochs.Model, *, build: bool, timeout: float | None, log: Path | None) -> None:
    """The same in Bochs, from the ISO."""
    bochs.expect_bochs()
    display = Display(sys.stdout)
    kept = log or _last_log()
    if build:
        image.build(Boot.ISO)
    for boot in (Boot.ISO, Boot.KERNEL):
        image.expect_image(boot, job.kernel)
    with tempfile.TemporaryDirectory(prefix="mxk-") as name, _failure_log_kept(kept):
        folder = Path(name)
        iso = image.unpacked_iso(grub_menu(job.commands, words=job.machine.words), job.kernel, folder)
        with display:
            limit = COMMANDS_TIMEOUT if timeout is None else timeout
            verdict = bochs.run(job.machine.shape, model, iso, kept, limit, display.feed, folder)
        _expect_success(verdict)


def converse(job: Job, *, build: bool, timeout: float | None, log: Path | None) -> None:
    """Connects the terminal with the kernel's console until QEMU ends."""
    kept = log or _last_log()
    with _boot_image(job, build=build) as boot_image, _failure_log_kept(kept):
        _expect_success(judge(run_interactive(job.qemu_line(boot_image, kept), timeout), timeout))


def measure(job: Job, *, build: bool, timeout: float) -> None:
    """Runs benchmark commands; keeps the log, the QEMU line and the rows; shows the rows as a table."""
    from mxk_host import tables  # read only where it is used: it takes as long to read as all else

    display = Display(sys.stdout, PROGRESS_EVERY)
    with _boot_image(job, build=build) as boot_image:
        folder = results.new_folder()
        line = job.qemu_line(boot_image)
        files.write_text(folder / "command.txt", f"{shlex.join(line)}\n# commands: {job.commands}\n")
        with display:
            outcome = run_captured(line, folder / "console.log", timeout, display.feed)
    lines, left_out = results.rows_in(display.lines)
    results.store(folder, lines)
    rows = [row for row in lines if "benchmark" in row]  # the others describe, they measure nothing
    emulated = [EMULATED] if job.machine.accelerator is Accelerator.TCG else []
    tables.show_rows(rows, notes=[*left_out, *emulated, f"results: {folder.relative_to(image.ROOT)}"])
    _expect_success(judge(outcome, timeout))
    _expect_success(results.judge_rows(rows))


@contextmanager
def _boot_image(job: Job, *, build: bool) -> Iterator[Path]:
    """The image to boot: where GRUB loads it a temporary copy that knows the commands."""
    boot = job.machine.boot
    job.machine.emulator.expect_installed()
    if build:
        image.build(boot, job.kernel)
    image.expect_image(boot, job.kernel)
    if not job.needs_menu:
        yield image.image_path(boot, job.kernel)
        return
    with tempfile.TemporaryDirectory(prefix="mxk-") as folder:
        yield image.copy_for(
            boot, grub_menu(job.commands, job.module_name, job.machine.words), job.machine.module, Path(folder)
        )


@contextmanager
def _failure_log_kept(log: Path) -> Iterator[None]:
    """Says where a failed run's log is; run-last.log is copied first, as the next run overwrites it."""
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except DriverError as error:
        if log == _last_log() and log.exists():
            log = Path(shutil.copy(log, results.RESULTS / f"failed-{results.utc_stamp()}.log"))
        raise DriverError(f"{error}; serial log: {image.shown(log)}", error.code) from error


def _last_log() -> Path:
    return results.RESULTS / "run-last.log"


def _expect_success(verdict: Verdict) -> None:
    if verdict.code is not ExitCode.SUCCESS:
        raise DriverError(verdict.reason, verdict.code)

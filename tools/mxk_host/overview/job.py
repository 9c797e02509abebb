"""The job of `tools/mxk overview`: compiles what a step needs, runs it, shows how far it is, how long it will take and
each number once it is there, keeps the rows, and ends with the numbers that matter and the page."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from mxk_host import building, image, results
from mxk_host.building import BUILD, Show
from mxk_host.compare.table import NOISE
from mxk_host.errors import DriverError, ExitCode
from mxk_host.files import read_text
from mxk_host.jobs import EMULATED
from mxk_host.machine import QEMU, Boot, expect_installed
from mxk_host.overview import plan
from mxk_host.overview.plan import NUMBERS, OPERATIONS, STEPS, TARGETS, Step
from mxk_host.programs import Programs, Side
from mxk_host.report import job as report
from mxk_host.stream import Row

Build = Callable[[str, str, Show], None]  # of a preset a target

_KERNEL_CORES = 4
_LOOK = 1_000_000  # operations of each of the first steps, which tell how fast the machine is
_LOOKED_AT = STEPS[:4]  # tables of all kinds: what else runs slows down above all what waits for other cores
_MIN_BUDGET = 15.0  # seconds
_KNOWN_SECONDS = 30.0  # of compiling, by estimates, from which on it is known how much slower this machine is
_LINE_EVERY = 15.0  # seconds, while it compiles and there is no bar


def core_counts(cores: int) -> list[int]:
    """1, 2, 4 and so on, and all."""
    return [count for count in (1 << i for i in range(cores.bit_length())) if count < cores] + [cores]


def fitting_operations(memory: int) -> int:
    """As many as there is memory for; half of it stays free."""
    return min(OPERATIONS, memory // 2 // plan.BYTES_PER_OPERATION)


def available_memory() -> int:
    """Bytes that the machine has for programs."""
    for line in read_text(Path("/proc/meminfo"), "what memory there is").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise DriverError("expected /proc/meminfo to have a line MemAvailable", ExitCode.USAGE)


def budget(operations: int) -> float:
    """Seconds of measuring for all steps; of a quick look less."""
    return max(_MIN_BUDGET, plan.MAX_SECONDS * min(1.0, operations / OPERATIONS))


def slowness(seconds: float, estimate: float) -> float:
    """How often longer all takes than its estimates, by what a look took; 1 if it is faster."""
    return max(1.0, seconds / estimate)


def operations_within(slower: float, seconds: float, operations: int, steps: Sequence[Step] = STEPS) -> int:
    """As many of each step as can be measured in so much time on a machine that is so much slower; rounded."""
    fixed = sum(step.estimate(0) for step in steps)
    growing = sum(step.estimate(OPERATIONS) for step in steps) - fixed
    if not growing:
        return operations
    fitting = int((seconds / slower - fixed) / growing * OPERATIONS)
    return min(operations, max(plan.MIN_OPERATIONS, fitting - fitting % 100_000))


class Pace:
    """How long what is left will take: the estimates, times how much slower this run has been than they are."""

    def __init__(self, compiled: Sequence[Side]) -> None:
        """`compiled`: the sides that are compiled when their first step comes."""
        # Seconds by estimates, of what is left: of compiling by side, of measuring.
        self.to_compile = {side: 0.0 if _is_built(side) else TARGETS[side].seconds for side in compiled}
        self.measuring = sum(step.estimate(OPERATIONS) for step in STEPS)
        self.slower = 1.0  # measuring
        self.budget = float(plan.MAX_SECONDS)  # of measuring, what is left of it
        self._compiled = (0.0, 0.0)  # seconds by estimates of what was compiled, and as they were
        self._measured = (0.0, 0.0)

    def compiled(self, estimate: float, seconds: float) -> None:
        """Something that was compiled took so long."""
        self._compiled = self._compiled[0] + estimate, self._compiled[1] + seconds

    def measured(self, estimate: float, seconds: float) -> None:
        """A step of the overview took so long."""
        self.measuring -= estimate
        self.budget -= seconds
        self._measured = self._measured[0] + estimate, self._measured[1] + seconds
        self.slower = self._measured[1] / self._measured[0]

    def left(self, done: float = 0.0, more: float = 0.0, seconds: float = 0.0) -> str:
        """Of what is being compiled: the seconds by estimates of what is done and of what is not, and as they were."""
        ended, took = self._compiled[0] + done, self._compiled[1] + seconds
        slower = took / ended if ended >= _KNOWN_SECONDS else 1.0
        to_compile = (sum(self.to_compile.values()) + more) * slower
        measuring = min(self.measuring * self.slower, max(self.budget, self.measuring))
        return f"about {round(measuring + to_compile)} s left"


def _is_built(side: Side) -> bool:
    target = TARGETS[side]
    return (BUILD / target.preset / target.name).exists()


class _Shown:
    """How far it is: on a terminal a bar, elsewhere lines."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._printed = 0.0
        self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(20), TimeElapsedColumn(), TextColumn("{task.fields[left]}"),
            console=console, transient=True, refresh_per_second=1,  # what measures needs the processors
        )  # fmt: skip
        self._task = self.bar.add_task("", total=1.0, left="")

    def update(self, what: str, done: float, total: float, left: str, *, always: bool = True) -> None:
        """`always`: it is a line of its own where there is no bar; if not, one now and then is enough."""
        self.bar.update(self._task, completed=done, total=total, description=what, left=left)
        now = time.monotonic()
        if not self.console.is_terminal and (always or now - self._printed >= _LINE_EVERY):
            self._printed = now
            self.say(", ".join(filter(None, (what, left))))

    def say(self, text: str) -> None:
        """A line above the bar."""
        self.console.print(text, highlight=False, soft_wrap=True)


class Overview:
    """One run: what is compiled, what is measured, in the order of the steps."""

    def __init__(self, programs: Programs, compiled: Sequence[Side], build: Build, console: Console) -> None:
        """`compiled`: the sides whose programs are compiled, by `build`, before their first step."""
        self._programs = programs
        self._build = build
        self._pace = Pace(compiled)
        self._shown = _Shown(console)
        self._cores = os.cpu_count() or 1
        self._rows: list[Row] = []
        self._said: set[str] = set()

    def run(self, operations: int | None) -> list[Row]:
        """The rows of all steps."""
        measured = 0.0
        with self._shown.bar:
            for number, step in enumerate(STEPS, 1):
                self._compile(step.side)
                if operations is None:
                    operations = self._choose_operations()
                if number == 1:
                    self._pace.measuring = sum(it.estimate(operations) for it in STEPS)
                    seconds = round(self._pace.measuring * self._pace.slower)
                    self._shown.say(
                        f"{len(STEPS)} steps of {operations:,} operations, about {seconds} seconds of measuring"
                    )
                started = time.monotonic()
                self._measure(number, step, operations, budget(operations) - measured)
                measured += time.monotonic() - started
        return self._rows

    def _compile(self, side: Side) -> None:
        if side not in self._pace.to_compile:
            return
        del self._pace.to_compile[side]
        target = TARGETS[side]
        started = time.monotonic()
        last = 0, 0

        def show(done: int, total: int) -> None:
            nonlocal last
            last = done, total
            estimates = target.estimate(done), target.estimate(total - done)
            left = self._pace.left(*estimates, time.monotonic() - started)
            what = f"compiling {target.name} {done}/{total}"
            self._shown.update(what, done, total, left, always=False)

        self._shown.update(f"compiling {target.name}", 0, 1, "", always=False)
        self._build(target.preset, target.name, show)
        seconds = time.monotonic() - started
        self._pace.compiled(target.estimate(last[0]), seconds)
        if seconds >= 1:
            self._shown.say(f"compiled {target.name}: {last[1]} steps in {round(seconds)} s")

    def _choose_operations(self) -> int:
        fitting = fitting_operations(available_memory())
        if fitting < OPERATIONS:
            self._shown.say(f"{fitting:,} operations, for which there is memory, in place of {OPERATIONS:,}")
        started = time.monotonic()
        operations = min(_LOOK, fitting)
        for step in _LOOKED_AT:
            self._rows_of(step, operations)
        estimate = sum(step.estimate(operations) for step in _LOOKED_AT)
        self._pace.slower = slowness(time.monotonic() - started, estimate)
        return operations_within(self._pace.slower, plan.MAX_SECONDS, fitting)

    def _measure(self, number: int, step: Step, operations: int, seconds: float) -> None:
        """`seconds`: that are left for this step and those that come; it gets its share."""
        left = sum(it.estimate(operations) for it in STEPS[number - 1 :])
        limit = max(1, int(seconds * step.estimate(operations) / left))
        before = sum(it.estimate(operations) for it in STEPS[: number - 1])
        everything = sum(it.estimate(operations) for it in STEPS)
        self._shown.update(f"{number}/{len(STEPS)} {step.name}", before, everything, self._pace.left())
        started = time.monotonic()
        self._rows += self._rows_of(step, operations, f"auto:{limit}")
        self._pace.measured(step.estimate(operations), time.monotonic() - started)
        for name, value in ((number.name, number.value(self._rows)) for number in NUMBERS):
            if value is not None and name not in self._said:
                self._said.add(name)
                self._shown.say(f"    {name}: {value}")

    def _rows_of(self, step: Step, operations: int, repeat: str = "1") -> list[Row]:
        cores = _KERNEL_CORES if step.side is Side.KERNEL else self._cores
        counts = ",".join(map(str, core_counts(cores)))
        # As much memory as a table has, so that a small look stays small.
        working_set = min(1 << 30, max(16 << 20, 1 << (operations * 32).bit_length()))
        command = step.command.format(
            ops=operations, working_set=working_set, counts=counts, cores=cores, repeat=repeat
        )
        return [row | {"side": step.side} for row in self._programs.rows(step.side, command, cores)]


def overview(
    programs: Programs, operations: int | None, compiled: Sequence[Side], build: Build = building.build
) -> None:
    """Measures everything once. `operations`: None: as many as there is memory and time for, up to 8M."""
    for tool in ("cmake", "ninja", "nasm") if compiled else ():
        expect_installed(tool)
    expect_installed(QEMU)
    if Side.KERNEL not in compiled:
        image.expect_image(Boot.KERNEL, programs.names[Side.KERNEL])
    rows = Overview(programs, compiled, build, Console(stderr=True)).run(operations)
    results.store(programs.logs, rows)
    verdict = results.judge_rows([row for row in rows if "benchmark" in row])  # the others describe
    out = Console()
    out.print(_numbers(rows))
    noisy = [row for row in rows if row.get("quiet") is False]
    if noisy:
        out.print(f"{NOISE} ({len(noisy)} of {len(rows)} rows; the report has the reasons)")
    if programs.emulated:
        out.print(f"kernel: {EMULATED}")
    report.report([str(programs.logs)], output=None, pdf=False)
    if verdict.code is not ExitCode.SUCCESS:
        raise DriverError(verdict.reason, verdict.code)


def _numbers(rows: Sequence[Row]) -> Table:
    drawn = Table(show_header=False)
    drawn.add_column()
    drawn.add_column(justify="right")
    for number in NUMBERS:
        drawn.add_row(number.name, number.value(rows) or "not measured")
    return drawn

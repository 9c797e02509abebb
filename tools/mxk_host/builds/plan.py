"""What is measured of both builds: tables in each way of working, tasks, threads, semaphores. Every option that decides
what runs is said, and is one that both builds take: their defaults need not be the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mxk_host.arguments import choose_names, parse_cores, parse_count
from mxk_host.errors import UsageError

# A task for each operation. Batches are told neither how many tasks there are nor how far to look ahead.
_TASKS = "--submit task --tasks-per-core 100 --prefetch 16"
_BATCHES = "--submit batch"
# What `bench table` is told of the table and of who brings the operations.
TABLES = {
    "bucketed-batch": f"--layout bucketed --hash multiplicative {_BATCHES}",
    "bucketed-task": f"--layout bucketed --hash multiplicative {_TASKS}",
    "open-batch": f"--layout open --hash mixed {_BATCHES}",
    "open-task": f"--layout open --hash mixed {_TASKS}",
    "cuckoo-batch": f"--layout cuckoo --hash mixed {_BATCHES}",
    "cuckoo-task": f"--layout cuckoo --hash mixed {_TASKS}",
    "chained-task": f"--layout chained --hash modulo --walk whole {_TASKS}",  # batches: it has none
}
# Ten keys in a bucket take so much longer: fewer operations, or these rows would decide how long a round takes.
_SMALLER = {"chained-task": 4}
MIXES = "insert,find,erase"
RUNS = 2  # of each row in a process, of which the best counts: what disturbs a run makes it slower, never faster


class Subject(StrEnum):
    """A benchmark of the console."""

    TABLE = "table"
    TASK = "task"
    THREAD = "thread"
    SEMAPHORE = "semaphore"


# What the cost benchmarks are told, a command for each. Without --measure they measure all that the machine can do. Of
# threads each measure has a command of its own: builds differ in whether the runs of several take turns, and what ran
# before decides how Linux schedules threads (wake-ups: 8 %). Preemptions wait for Linux' slices, and as many as by
# default take minutes.
COSTS = {
    Subject.TASK: ("",),
    Subject.THREAD: (
        " --measure yield",
        " --measure wake",
        " --measure wake-across",
        " --measure preempt --switches 50",
    ),
    Subject.SEMAPHORE: ("",),
}


@dataclass(frozen=True)
class Command:
    """What one process of either build runs: a name, and what it is told."""

    name: str
    subject: Subject
    text: str


@dataclass(frozen=True)
class Comparison:
    """What the person asked for, checked."""

    old: Path
    new: Path
    rounds: int
    confirming: int  # rounds in which rows below the floor are measured again
    cores: tuple[int, ...]
    commands: tuple[Command, ...]
    timeout: float  # seconds for each process
    min_mean: float
    min_row: float

    def lines(self, command: Command) -> dict[str, list[str]]:
        """What is run, by build."""
        cores = str(max(2, *self.cores))  # a hop takes two
        return {build: [str(program), "--cores", cores, command.text] for build, program in self.programs.items()}

    @property
    def programs(self) -> dict[str, Path]:
        """Both programs by the build's name."""
        return {"old": self.old, "new": self.new}


def commands(operations: str, cores: str, only: str | None) -> tuple[Command, ...]:
    """All commands, or those that `only` names: subjects and table commands, with commas between."""
    count, counts = parse_count("--ops", operations), ",".join(map(str, parse_cores(cores)))
    common = f"--queue node-local --mix {MIXES} --cores {counts} --repeat {RUNS} --json"
    found = [
        Command(name, Subject.TABLE, f"bench table {way} {common} --ops {max(1, count // _SMALLER.get(name, 1))}")
        for name, way in TABLES.items()
    ]
    found += [
        Command(subject, subject, "; ".join(f"bench {subject}{told} --repeat {RUNS} --json" for told in each))
        for subject, each in COSTS.items()
    ]
    chosen = choose_names("--only", [*Subject, *TABLES], only)
    return tuple(command for command in found if command.name in chosen or command.subject in chosen)


def expect_files(what: str, paths: Sequence[Path]) -> None:
    """Raises where one is not there."""
    for path in paths:
        if not path.is_file():
            raise UsageError(f"expected {what}, got {path}")

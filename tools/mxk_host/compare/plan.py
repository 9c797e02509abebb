"""What a comparison runs, and in which order: MXK's configurations and the peers that were built, with keys that are
all wanted equally often and with keys of which few are wanted most of the time; and what tasks and threads cost. Every
process is started anew in every round, so that no engine lives on memory that another has left behind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from mxk_host.arguments import choose_names, parse_cores, parse_count
from mxk_host.errors import UsageError

LEAST_ROUNDS = 5  # with fewer it is a quick look, and says so
MIXES = ("insert", "find", "erase")

# Every way in which MXK is measured, and what `bench table` is told for it. The first is the one that ratios are about.
# The chained table has a bucket per key, as the peers have; the thesis has ten keys in a bucket.
CONFIGURATIONS = {
    "mxk-batch": "--layout bucketed --submit batch",
    "mxk-task": "--layout bucketed --submit task --tasks-per-core 100",
    "mxk-coroutine": "--layout bucketed --submit task --notation coroutine --tasks-per-core 100",
    "mxk-chained": "--layout chained --buckets 1",
    "mxk-chained-0.1": "--layout chained --buckets 0.1 --walk whole",
    "mxk-chained-0.1-interleaved": "--layout chained --buckets 0.1 --walk interleaved",
    "mxk-open": "--layout open --submit batch",
    "mxk-open-growing": "--layout open --submit batch --initial-slots 1024",
    "mxk-cuckoo": "--layout cuckoo --submit batch --load 0.9",
    "mxk-cuckoo-growing": "--layout cuckoo --submit batch --initial-slots 1024",
}
COST_ENGINE = "mxk"

# The skewed part: how often which key is wanted, and of whom that is measured: MXK one by one and in batches, whom the
# figures name, a table whose readers take no locks, and what private parts of the same keys reach.
ZIPF = "zipf:0.99"
ZIPF_MIXES = ("find",)
ZIPF_ENGINES = {"mxk-batch", "mxk-task", "tbb-hash-map", "tbb-hash-map-stock", "urcu-lfht", "reference-prefetch"}


class Part(StrEnum):
    """What a comparison consists of; each part can be left out."""

    TABLE = "table"
    ZIPF = "zipf"
    TASKS = "tasks"
    THREADS = "threads"


# The parts that measure costs, in cycles: which benchmarks of MXK, and with what options; those of the peers are called
# NAME-peer. Where the system chooses the slices, as many preemptions as by default would take most of the time.
COSTS = {
    Part.TASKS: {"task": ""},
    Part.THREADS: {"thread": " --switches 100", "semaphore": ""},
}
COST_BENCHMARKS = {name for benchmarks in COSTS.values() for name in benchmarks}


class Kind(StrEnum):
    """What an engine is in the comparison. A reference bounds what is possible; it is no hash table to use."""

    MXK = "mxk"
    PEER = "peer"
    REFERENCE = "reference"


@dataclass(frozen=True)
class Engine:
    """Something that is measured; a peer that could not be built has the reason in `missing`."""

    name: str
    kind: Kind
    library: str = ""
    setup: str = ""  # how it is sized and used, as the program says
    missing: str = ""


class Column(NamedTuple):
    """What is measured of an engine: a mix at a number of cores, or the cost of something."""

    what: str
    cores: int | None = None

    def __str__(self) -> str:
        if self.cores is None:
            return self.what
        return f"{self.what} at {self.cores} {'core' if self.cores == 1 else 'cores'}"


class Cell(NamedTuple):
    """What is measured once in each round: a column of an engine."""

    part: Part
    engine: str
    column: Column

    def __str__(self) -> str:
        return f"{self.engine} {f'{ZIPF} ' if self.part is Part.ZIPF else ''}{self.column}"


@dataclass(frozen=True)
class Settings:
    """What the person asked for, checked."""

    operations: int
    cores: tuple[int, ...]
    rounds: int
    seed: int
    timeout: float  # seconds for each process
    programs: Path  # the folder with mxk and mxk-peers
    configurations: tuple[str, ...]  # names out of CONFIGURATIONS, the first one is what ratios are about
    parts: tuple[Part, ...]

    @classmethod
    def checked(
        cls,
        ops: str,
        cores: str,
        rounds: int,
        seed: int,
        timeout: float,
        programs: Path,
        mxk: str | None,
        only: str | None,
    ) -> "Settings":
        """Raises, with what was expected, where an option cannot be used or a program is not built."""
        for program in (programs / "mxk", programs / "mxk-peers"):
            if not program.is_file():
                raise UsageError(f"expected the program {program}: make compare builds it first")
        configurations = choose_names("--mxk", tuple(CONFIGURATIONS), mxk)
        wanted = choose_names("--only", tuple(Part), only)
        parts = tuple(part for part in Part if part in wanted)
        return cls(
            parse_count("--ops", ops), parse_cores(cores), rounds, seed, timeout, programs, configurations, parts
        )

    def columns(self, part: Part) -> list[Column]:
        """The columns of a part that measures tables."""
        mixes = ZIPF_MIXES if part is Part.ZIPF else MIXES
        return [Column(mix, cores) for mix in mixes for cores in self.cores]


@dataclass(frozen=True)
class Process:
    """A command that is run once in each round. `engine`: whom it measures, where that is one. `columns`: what it must
    report on; empty: whatever it likes."""

    name: str
    part: Part
    line: tuple[str, ...]
    engine: str = ""
    columns: frozenset[Column] = field(default=frozenset())


def choose_engines(settings: Settings, known: Sequence[Engine], peers: str | None) -> dict[Part, list[Engine]]:
    """Whom each part that measures tables measures, built or not: MXK first, in the order that was asked for, the
    references last. `known`: the peers that there are; `peers`: the names of those wanted, None: all."""
    wanted = choose_names("--peers", [engine.name for engine in known], peers)
    engines = [Engine(name, Kind.MXK) for name in settings.configurations]
    engines += [engine for engine in known if engine.name in wanted and engine.kind is not Kind.REFERENCE]
    engines += [engine for engine in known if engine.name in wanted and engine.kind is Kind.REFERENCE]
    skewed = [engine for engine in engines if engine.name in ZIPF_ENGINES]
    of_part = {Part.TABLE: engines, Part.ZIPF: skewed}
    return {part: of_part[part] for part in settings.parts if part not in COSTS}


def process_name(part: Part, engine: str) -> str:
    """What the process is called that measures an engine in a part. The costs of all peers are one process."""
    if part is Part.TABLE:
        return engine
    return f"{'peer' if part in COSTS and engine != COST_ENGINE else engine}-{part}"


def table_processes(settings: Settings, part: Part, engines: Iterable[Engine]) -> list[Process]:
    """One for each engine that is built, for the same operations and core counts."""
    columns = frozenset(settings.columns(part))
    mixes = ",".join(dict.fromkeys(column.what for column in settings.columns(part)))
    counts = ",".join(map(str, settings.cores))
    skew = f" --dist {ZIPF}" if part is Part.ZIPF else ""
    run = f"--mix {mixes}{skew} --ops {settings.operations} --cores {counts} --seed {settings.seed} --repeat 1 --json"
    processes = []
    for engine in engines:
        if engine.missing:
            continue
        if engine.kind is Kind.MXK:
            program, command = "mxk", f"bench table {CONFIGURATIONS[engine.name]} {run}"
        else:
            program, command = "mxk-peers", f"bench peer --peer {engine.name} {run}"
        line = _line(settings, program, max(settings.cores), command)
        processes.append(Process(process_name(part, engine.name), part, line, engine.name, columns))
    return processes


def cost_processes(settings: Settings, part: Part) -> list[Process]:
    """What something costs in MXK, and what it costs elsewhere."""
    cores = max(2, *settings.cores)  # a hop takes two
    ours = "; ".join(f"bench {name}{options} --json" for name, options in COSTS[part].items())
    theirs = "; ".join(f"bench {name}-peer{options} --json" for name, options in COSTS[part].items())
    return [
        Process(process_name(part, COST_ENGINE), part, _line(settings, "mxk", cores, ours)),
        Process(process_name(part, "peer"), part, _line(settings, "mxk-peers", cores, theirs)),
    ]


def _line(settings: Settings, program: str, cores: int, command: str) -> tuple[str, ...]:
    return (str(settings.programs / program), "--cores", str(cores), command)

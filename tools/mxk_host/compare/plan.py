"""What a comparison runs, and in which order: MXK's configurations and the peers that were built, with keys that are
all used equally often and with keys of which a few are used again and again; and what tasks and threads cost. Every
process is started anew in every round, so that no engine lives on memory that another has left behind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from mxk_host.arguments import choose_names
from mxk_host.digits import cores_text
from mxk_host.image import ROOT

MIXES = ("insert", "find", "erase")

# Every way in which MXK is measured, and what `bench table` is told for it: all that the result depends on, since the
# defaults are the thesis' (a shared queue, and for the chained table nothing fetched ahead), but the plan by which
# lines are fetched, which is calibrated for the machine. The first is the one that ratios are about. The chained table
# has a bucket per key, as the peers have; the thesis has ten keys in a bucket.
_TASKS = "--submit task --tasks-per-core 100 --queue node-local"
_CHAINED = f"{_TASKS} --prefetch 16"
_BATCHES = "--submit batch --queue node-local"
CONFIGURATIONS = {
    "mxk-batch": f"--layout bucketed {_BATCHES}",
    "mxk-batch-in-place": f"--layout bucketed --reads in-place {_BATCHES}",
    "mxk-task": f"--layout bucketed {_TASKS}",
    "mxk-coroutine": f"--layout bucketed --notation coroutine {_TASKS}",
    "mxk-chained": f"--layout chained --buckets 1 --walk whole {_CHAINED}",
    "mxk-chained-0.1": f"--layout chained --buckets 0.1 --walk whole {_CHAINED}",
    "mxk-chained-0.1-interleaved": f"--layout chained --buckets 0.1 --walk interleaved {_CHAINED}",
    "mxk-thesis": "--layout chained --buckets 0.1 --walk whole --submit task --tasks-per-core 100 --prefetch 0"
    " --queue shared",
    "mxk-open": f"--layout open {_BATCHES}",
    "mxk-open-growing": f"--layout open --initial-slots 1024 {_BATCHES}",
    "mxk-cuckoo-0.5": f"--layout cuckoo --load 0.5 {_BATCHES}",
    "mxk-cuckoo": f"--layout cuckoo --load 0.9 {_BATCHES}",
    "mxk-cuckoo-growing": f"--layout cuckoo --initial-slots 1024 {_BATCHES}",
    "mxk-concurrent": f"--model shared --layout concurrent {_TASKS}",
    "mxk-concurrent-batch": f"--model shared --layout concurrent {_BATCHES}",
    "mxk-concurrent-growing": f"--model shared --layout concurrent --initial-slots 1024 {_BATCHES}",
    "mxk-lines": f"--model shared --layout concurrent-lines {_TASKS}",
    "mxk-lines-batch": f"--model shared --layout concurrent-lines {_BATCHES}",
    "mxk-lines-growing": f"--model shared --layout concurrent-lines --initial-slots 1024 {_BATCHES}",
    "mxk-open-threads": "--model threads --layout open --queue node-local",
}
COST_ENGINE = "mxk"

# Chains are resized by tasks of all cores of the machine, whichever cores use the table: that a column says 1 core is
# true only where the machine has no more. So they have a process for each number of cores, with a machine of that size.
OWN_MACHINES = {
    *("mxk-concurrent", "mxk-concurrent-batch", "mxk-concurrent-growing", "mxk-shared-chains"),
    "mxk-shared-chains-growing",
}

# What no table can pass, in each round the larger one of two: a loop over private buckets whose lines are asked for
# ahead; and the lines of memory that all cores can have in random order, read for a find, read and written for what
# changes the table, in a set that is as large as a table of 32 bytes a key.
RANDOM_LINES = "random-lines"
BOUNDS = ("reference-buckets-ring", RANDOM_LINES)
BOUND = "bound"
RANDOM_MIXES = {"read": ("find",), "1:1": ("insert", "erase")}

# The skewed part: how often which key is used, and which engines are measured with that: MXK one by one and in batches,
# its shared table, which needs no owner for a key that all use, the peers that figures name, a table whose readers take
# no locks, and private parts of the same keys.
ZIPF = "zipf:0.99"
ZIPF_MIXES = ("find",)
ZIPF_ENGINES = {
    *("mxk-batch", "mxk-task", "mxk-lines-batch", "mxk-shared", "tbb-hash-map", "tbb-hash-map-stock"),
    *("urcu-lfht", "reference-prefetch", "reference-buckets-ring"),
}

# The workloads of YCSB, whose keys all cores read and write: MXK in batches, by tasks and with threads, and the peers
# that can overwrite a value. The threads are measured here only.
YCSB_WORKLOADS = ("ycsb-a", "ycsb-b", "ycsb-c", "ycsb-f")
YCSB_ONLY = {"mxk-open-threads"}
YCSB_ENGINES = YCSB_ONLY | {
    *("mxk-batch", "mxk-task", "mxk-coroutine", "mxk-open", "mxk-open-growing", "mxk-cuckoo-0.5"),
    *("mxk-concurrent", "mxk-concurrent-batch", "mxk-lines", "mxk-lines-batch", "tbb-hash-map"),
    *("tbb-hash-map-stock", "tbb-unordered-map", "urcu-lfht", "ck-ht", "cuckoo", "sharded-map", "mxk-table"),
}

# The part with updates: on a table that holds all keys 1, 10 or 50 % of the operations insert or erase, the others
# find (where there is no key to insert, one is erased, and the other way round: 1/99/0 does both). Of MXK those whose
# tables all cores share, of the peers those that can erase while others read. Figures are about UPDATES_MIX.
UPDATES_MIX = "loaded:5/90/5"
UPDATES_MIXES = ("loaded:1/99/0", UPDATES_MIX, "loaded:25/50/25")
UPDATES_ENGINES = {
    *("mxk-concurrent-batch", "mxk-lines", "mxk-lines-batch", "mxk-shared", "mxk-shared-chains"),
    *("tbb-hash-map", "tbb-hash-map-stock", "urcu-lfht"),
}

# What a process beside it costs that is busy on one of the two processors: the other half of each time slice.
DISTURBED_ENGINES = {"mxk-batch"}
DISTURBED_CORES = 2

# How long an operation takes where so much is asked for as half of what could be done, each at its time; and the cap
# that batches are to keep then, in microseconds.
LOAD_ENGINES = {"mxk-batch"}
LOAD_CORES = 2
LOAD_MIXES = ("find",)
MAX_LATENCY = 50
LOAD_OPTIONS = f" --rate 50% --latency --max-latency {MAX_LATENCY}"

# Rows counted by key: the Python module of mxk::Table, and what others have for that, in one process that takes turns.
# `make python` makes what it needs, in a folder beside the programs.
GROUP_BY_KEYS = 24  # rows for each key
GROUP_BY_PROGRAM = ROOT / "examples/python/benchmark.py"
GROUP_BY_ENGINE = "mxk_table"

# How long an operation takes is measured in runs of its own, in the first rounds only: time stamps for each operation
# cost throughput.
LATENCY_ROUNDS = 1
LATENCY_MIXES = ("insert", "find")
_NO_LATENCY = ("--notation coroutine", "--walk interleaved")  # of these `bench table` has none


class Part(StrEnum):
    """What a comparison consists of; each part can be left out."""

    TABLE = "table"
    ZIPF = "zipf"
    YCSB = "ycsb"
    UPDATES = "updates"
    DISTURBED = "disturbed"
    UNDISTURBED = "undisturbed"  # the same runs, right beside
    LOAD = "load"
    GROUP_BY = "group-by"
    TASKS = "tasks"
    THREADS = "threads"
    MEMORY = "memory"
    RCU = "rcu"
    GRACE = "grace"


# What is measured unless --only says it: the workloads of YCSB take four runs for each engine, with a load each.
DEFAULT_PARTS = tuple(part for part in Part if part is not Part.YCSB)

# The parts that measure costs: which benchmarks of MXK, and with what options; those of the peers are called NAME-peer.
# Where the system chooses the slices, as many preemptions as by default would take minutes.
COSTS = {
    Part.TASKS: {"task": ""},
    Part.THREADS: {"thread": " --switches 100", "semaphore": ""},
    Part.MEMORY: {"memory": " --max 128Mi --repeat 1"},
}
OWN_OPTIONS = {"memory": " --part latency"}  # what MXK's benchmark measures that the peers' does, too
# The working sets by which both are compared: in each cache of ordinary processors, and in memory.
MEMORY_SETS = ("16 KiB", "192 KiB", "8 MiB", "128 MiB")


# Grace periods, waited for and expedited, while two cores are busy; and look-ups while a shared table doubles, in a
# process whose machine has no other cores than those measured, since all of the machine help to resize.
GRACE_BENCHMARK, RESIZE_BENCHMARK = "rcu", "resize"
RESIZE_KEYS = 1_000_000
# The parts whose rows are times, or cycles: less is better.
TIMED = (*COSTS, Part.GRACE)


def cost_unit(part: Part) -> str:
    """What a part of TIMED counts in: the field of a row."""
    return "nanoseconds" if part in (Part.MEMORY, Part.GRACE) else "cycles"


COST_BENCHMARKS = {name for benchmarks in COSTS.values() for name in benchmarks}
# Read sections by ways to protect a reader, MXK's and others' in one process: empty ones, and such that follow a
# pointer.
RCU_BENCHMARK = "rcu-read"
RCU_BODIES = ("empty", "pointer")
RCU_ENGINE = "qsbr"  # MXK's that ratios are about: a task's section

# The parts in which one process measures several engines, with what each cost or did; the others measure tables.
SEVERAL_IN_ONE = (Part.GROUP_BY, *COSTS, Part.RCU, Part.GRACE)


class Kind(StrEnum):
    """What an engine is in the comparison, in the order in which they are shown. A reference is a plain loop over
    memory of its own, to set figures beside: no hash table to use. Shares are of the bounds: what is shared between
    cores has more to do for each operation."""

    MXK = "mxk"
    PEER = "peer"
    REFERENCE = "reference"
    BOUND = "bound"


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
        return self.what if self.cores is None else f"{self.what} at {cores_text(self.cores)}"


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

    command: str  # as it was typed
    started: str  # when, as in file names
    operations: int
    cores: tuple[int, ...]
    rounds: int | None  # None: as many as it takes (mxk_host.quiet)
    minutes: float  # then no round begins after these
    seed: int
    timeout: float  # seconds for each process
    programs: Path  # the folder with mxk and mxk-peers
    configurations: tuple[str, ...]  # names out of CONFIGURATIONS, the first one is what ratios are about
    parts: tuple[Part, ...]
    latency: bool  # whether that is measured, too

    def columns(self, part: Part) -> list[Column]:
        """The columns of a part that measures tables."""
        others = {Part.ZIPF: ZIPF_MIXES, Part.YCSB: YCSB_WORKLOADS, Part.UPDATES: UPDATES_MIXES, Part.LOAD: LOAD_MIXES}
        mixes = others.get(part, MIXES)
        only = {Part.DISTURBED: DISTURBED_CORES, Part.UNDISTURBED: DISTURBED_CORES, Part.LOAD: LOAD_CORES}.get(part)
        return [Column(mix, cores) for mix in mixes for cores in self.cores if only in (None, cores)]


@dataclass(frozen=True)
class Process:
    """A command that is run once in each round. `engine`: which one it measures, where it is one. `columns`: what it
    must report on; empty: whatever it likes. `latency`: of its rows only the latency counts, and it runs in the first
    rounds only. `disturbed`: another process keeps one of its processors busy meanwhile."""

    name: str
    part: Part
    line: tuple[str, ...]
    engine: str = ""
    columns: frozenset[Column] = field(default=frozenset())
    latency: bool = False
    disturbed: bool = False

    def runs_in(self, round_number: int) -> bool:
        """Whether it is run in this round, counted from 1."""
        return not self.latency or round_number <= LATENCY_ROUNDS


def chosen_parts(only: str | None) -> tuple[Part, ...]:
    """Those of a list such as "table,zipf", by default all but one; raises where a name is none."""
    wanted = set(DEFAULT_PARTS if only is None else choose_names("--only", tuple(Part), only))
    if Part.DISTURBED in wanted:
        wanted.add(Part.UNDISTURBED)
    return tuple(part for part in Part if part in wanted)


def choose_engines(settings: Settings, known: Sequence[Engine], peers: str | None) -> dict[Part, list[Engine]]:
    """The engines of each part that measures tables, built or not: MXK first, in the order that was asked for, then the
    others by their kinds. `known`: the peers that there are; `peers`: the names of those wanted, None: all."""
    lines = "lines of memory in random order, asked for ahead: read for find, read and written for insert and erase"
    known = [*known, Engine(RANDOM_LINES, Kind.BOUND, setup=lines)]
    wanted = choose_names("--peers", [engine.name for engine in known], peers)
    engines = [Engine(name, Kind.MXK) for name in settings.configurations]
    for kind in Kind:
        engines += [engine for engine in known if engine.name in wanted and engine.kind is kind]
    chosen = {
        Part.TABLE: {engine.name for engine in engines} - YCSB_ONLY,
        Part.ZIPF: ZIPF_ENGINES,
        Part.YCSB: YCSB_ENGINES,
        Part.UPDATES: UPDATES_ENGINES,
        Part.DISTURBED: DISTURBED_ENGINES,
        Part.UNDISTURBED: DISTURBED_ENGINES,
        Part.LOAD: LOAD_ENGINES,
    }
    return {
        part: [engine for engine in engines if part not in chosen or engine.name in chosen[part]]
        for part in settings.parts
        if part not in SEVERAL_IN_ONE
    }


def process_name(part: Part, engine: str, cores: int | None = None) -> str:
    """What the process is called that measures an engine in a part, in columns of so many cores. The costs of all peers
    are one process."""
    if engine in OWN_MACHINES and cores is not None:
        return f"{process_name(part, engine)}-at-{cores}"
    if part is Part.TABLE:
        return engine
    if part in (Part.GROUP_BY, Part.RCU, Part.GRACE):
        return part
    return f"{'peer' if part in COSTS and engine != COST_ENGINE else engine}-{part}"


def table_processes(settings: Settings, part: Part, engines: Iterable[Engine]) -> list[Process]:
    """For each engine that is built one, or one for each number of cores, with the same operations; none where the part
    has no column."""
    more = {Part.ZIPF: f" --dist {ZIPF}", Part.LOAD: LOAD_OPTIONS}.get(part, "")
    return _table_processes(settings, part, engines, settings.columns(part), more)


def latency_processes(settings: Settings, engines: Iterable[Engine]) -> list[Process]:
    """The same for each engine of the table part that can say how long an operation takes."""
    columns = [column for column in settings.columns(Part.TABLE) if column.what in LATENCY_MIXES]
    timed = [engine for engine in engines if engine.kind is not Kind.MXK or _has_latency(engine.name)]
    return _table_processes(settings, Part.TABLE, timed, columns, " --latency")


def _table_processes(
    settings: Settings, part: Part, engines: Iterable[Engine], columns: Sequence[Column], more: str
) -> list[Process]:
    end = "-latency" if part is Part.TABLE and more else ""
    lines = any(engine.name == RANDOM_LINES for engine in engines) and part is Part.TABLE and not more and columns
    return [
        _table_process(settings, part, engine, process_name(part, engine.name, cores) + end, of_process, more)
        for engine in engines
        if not engine.missing and engine.name != RANDOM_LINES
        for cores, of_process in _by_process(engine, columns)
    ] + ([_random_lines_process(settings, columns)] if lines else [])


def _by_process(engine: Engine, columns: Sequence[Column]) -> Iterable[tuple[int | None, Sequence[Column]]]:
    """Those that a process of this engine measures; with how many cores, if it is for these only."""
    if engine.name not in OWN_MACHINES:
        return [(None, columns)] if columns else []
    counts = dict.fromkeys(column.cores for column in columns)
    return [(cores, [column for column in columns if column.cores == cores]) for cores in counts]


def _has_latency(configuration: str) -> bool:
    return not any(option in CONFIGURATIONS[configuration] for option in _NO_LATENCY)


def _table_process(
    settings: Settings, part: Part, engine: Engine, name: str, columns: Sequence[Column], more: str
) -> Process:
    whats = tuple(dict.fromkeys(column.what for column in columns))
    counts = ",".join(map(str, dict.fromkeys(column.cores for column in columns)))
    run = f"--ops {settings.operations} --cores {counts} --seed {settings.seed} --repeat 1 --json"
    is_mxk = engine.kind is Kind.MXK
    bench = f"bench table {CONFIGURATIONS[engine.name]}" if is_mxk else f"bench peer --peer {engine.name}"
    phases = [f"--mix {','.join(whats)}{more}"]
    if part in (Part.YCSB, Part.UPDATES):  # stand alone
        phases = [f"--{'workload' if part is Part.YCSB else 'mix'} {what}" for what in whats]
    command = "; ".join(f"{bench} {phase} {run}" for phase in phases)
    machine = max(column.cores or 1 for column in columns) if engine.name in OWN_MACHINES else max(settings.cores)
    line = _line(settings, "mxk" if is_mxk else "mxk-peers", machine, command)
    return Process(
        name,
        part,
        line,
        engine.name,
        frozenset(columns),
        latency=part is Part.TABLE and "--latency" in more,
        disturbed=part is Part.DISTURBED,
    )


def _random_lines_process(settings: Settings, columns: Sequence[Column]) -> Process:
    """The lines that a table of so many keys has, visited in random order."""
    counts = ",".join(map(str, dict.fromkeys(column.cores for column in columns)))
    size = 1 << max(32 * settings.operations - 1, 1 << 16).bit_length()
    command = f"bench memory --part random --cores {counts} --set {size} --repeat 1 --json"
    line = _line(settings, "mxk", max(settings.cores), command)
    return Process(RANDOM_LINES, Part.TABLE, line, RANDOM_LINES, frozenset(columns))


def cost_processes(settings: Settings, part: Part) -> list[Process]:
    """What something costs in MXK, and what it costs elsewhere."""
    cores = max(2, *settings.cores)  # a hop takes two
    ours = "; ".join(
        f"bench {name}{OWN_OPTIONS.get(name, '')}{options} --json" for name, options in COSTS[part].items()
    )
    theirs = "; ".join(f"bench {name}-peer{options} --json" for name, options in COSTS[part].items())
    return [
        Process(process_name(part, COST_ENGINE), part, _line(settings, "mxk", cores, ours)),
        Process(process_name(part, "peer"), part, _line(settings, "mxk-peers", cores, theirs)),
    ]


def group_by_processes(settings: Settings) -> list[Process]:
    """The one that counts rows by key; none where the module was not built."""
    python, module = settings.programs / "python/env/bin/python", settings.programs / "python/module"
    if not python.exists():
        return []
    rows, threads = settings.operations, max(settings.cores)
    options = {"rows": rows, "keys": max(rows // GROUP_BY_KEYS, 1), "rounds": 1, "threads": threads}
    numbers = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    line = ("env", f"PYTHONPATH={module}", str(python), str(GROUP_BY_PROGRAM), "--json", *numbers)
    return [Process(process_name(Part.GROUP_BY, GROUP_BY_ENGINE), Part.GROUP_BY, line)]


def rcu_processes(settings: Settings) -> list[Process]:
    """The one that enters and leaves read sections."""
    counts = ",".join(map(str, settings.cores))
    run = f"--cores {counts} --ms 50 --repeat 1 --json"
    command = "; ".join(f"bench {RCU_BENCHMARK} --body {body} {run}" for body in RCU_BODIES)
    line = _line(settings, "mxk-peers", max(settings.cores), command)
    return [Process(process_name(Part.RCU, RCU_ENGINE), Part.RCU, line)]


def grace_processes(settings: Settings) -> list[Process]:
    """The one that waits for grace periods, and looks keys up while tables double."""
    cores, keys = max(2, *settings.cores), min(max(settings.operations, 1000), RESIZE_KEYS)
    command = (
        f"bench {GRACE_BENCHMARK} --measure synchronize,expedite --waits 1000 --repeat 3 --json; "
        f"bench {RESIZE_BENCHMARK} --cores {cores} --keys {keys} --repeat 3 --json"
    )
    return [Process(process_name(Part.GRACE, COST_ENGINE), Part.GRACE, _line(settings, "mxk", cores, command))]


def _line(settings: Settings, program: str, cores: int, command: str) -> tuple[str, ...]:
    return (str(settings.programs / program), "--cores", str(cores), command)

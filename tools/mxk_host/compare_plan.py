"""What a comparison runs, and in which order: MXK's configurations, the peers that were built, and the costs of tasks.
Every process is started anew in every round, so that no engine lives on memory that another has left behind."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

from mxk_host.errors import UsageError

LEAST_ROUNDS = 5  # with fewer it is a quick look, and says so
MIXES = ("insert", "find", "erase")

# Every way in which MXK is measured, and what `bench table` is told for it. The first is the one that ratios are about:
# a bucket per key, as the peers have it; the thesis has ten keys in a bucket.
CONFIGURATIONS = {
    "mxk-chained": "--layout chained --buckets 1",
    "mxk-chained-0.1": "--layout chained --buckets 0.1",
}
TASK_ENGINE = "mxk"

_SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
_T = TypeVar("_T")


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
    """What is measured of an engine: a mix at a number of cores, or the cost of something a task does."""

    what: str
    cores: int | None = None

    def __str__(self) -> str:
        if self.cores is None:
            return self.what
        return f"{self.what} at {self.cores} {'core' if self.cores == 1 else 'cores'}"


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

    @classmethod
    def checked(
        cls, ops: str, cores: str, rounds: int, seed: int, timeout: float, programs: Path, mxk: str | None
    ) -> "Settings":
        """Raises, with what was expected, where an option cannot be used or a program is not built."""
        for program in (programs / "mxk", programs / "mxk-peers"):
            if not program.is_file():
                raise UsageError(f"expected the program {program}: make compare builds it first")
        chosen = tuple(CONFIGURATIONS) if mxk is None else tuple(mxk.split(","))
        unknown = [name for name in chosen if name not in CONFIGURATIONS]
        if unknown:
            raise UsageError(f"--mxk: expected names out of {', '.join(CONFIGURATIONS)}; got {', '.join(unknown)}")
        return cls(parse_count("--ops", ops), _parse_cores(cores), rounds, seed, timeout, programs, chosen)

    @property
    def columns(self) -> list[Column]:
        """The columns of the table comparison."""
        return [Column(mix, cores) for mix in MIXES for cores in self.cores]


@dataclass(frozen=True)
class Process:
    """A command that is run once in each round. `columns`: what it must report on; empty: whatever it likes."""

    name: str
    line: tuple[str, ...]
    columns: frozenset[Column] = field(default=frozenset())


def parse_count(option: str, text: str) -> int:
    """A count as the console takes it: 24M, 1.5K, 4Ki."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?i?)", text, re.IGNORECASE)
    factor = _SUFFIXES.get(found[2].lower()) if found else None
    if found is None or factor is None:
        raise UsageError(f"expected {option} as a count such as 24M or 200K, got {text}")
    count = round(float(found[1]) * factor)
    if count < 1:
        raise UsageError(f"expected {option} to be at least 1, got {text}")
    return count


def _parse_cores(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() and int(word) > 0 for word in words):
        raise UsageError(f"expected --cores as a list of core counts such as 1,2, got {text}")
    return tuple(dict.fromkeys(map(int, words)))


def choose_peers(known: Sequence[Engine], names: str | None) -> list[Engine]:
    """The peers named in a list such as "a,b", in the order they are known; all of them without one."""
    if names is None:
        return list(known)
    wanted = {name.strip() for name in names.split(",")}
    unknown = sorted(wanted - {engine.name for engine in known})
    if unknown:
        raise UsageError(
            f"--peers: expected names out of {', '.join(engine.name for engine in known)}; got {', '.join(unknown)}"
        )
    return [engine for engine in known if engine.name in wanted]


def table_processes(settings: Settings, peers: Iterable[Engine]) -> list[Process]:
    """MXK's configurations and all peers that are built, for the same operations and core counts."""
    counts = ",".join(map(str, settings.cores))
    what = f"--mix {','.join(MIXES)} --ops {settings.operations} --cores {counts} --seed {settings.seed}"
    run = f"{what} --repeat 1 --json"
    commands = {name: ("mxk", f"bench table {CONFIGURATIONS[name]} {run}") for name in settings.configurations}
    commands |= {peer.name: ("mxk-peers", f"bench peer --peer {peer.name} {run}") for peer in peers if not peer.missing}
    columns = frozenset(settings.columns)
    return [
        Process(name, _line(settings, program, max(settings.cores), command), columns)
        for name, (program, command) in commands.items()
    ]


def task_processes(settings: Settings) -> list[Process]:
    """What tasks cost in MXK, and what they cost elsewhere."""
    cores = max(2, *settings.cores)  # a hop takes two
    return [
        Process("mxk-tasks", _line(settings, "mxk", cores, "bench task --json")),
        Process("peer-tasks", _line(settings, "mxk-peers", cores, "bench task-peer --json")),
    ]


def balanced_order(items: Sequence[_T], round_number: int) -> list[_T]:
    """The order of a round, counted from 1. Over len(items) rounds each item stands once at each place, and for an even
    number of items once behind each other item (for an odd one at most twice). A plain rotation would keep nearly all
    neighbours. (E. J. Williams, Experimental designs balanced for the estimation of residual effects, 1949.)"""
    count = len(items)
    first = [(place + 1) // 2 if place % 2 else (count - place // 2) % count for place in range(count)]
    return [items[(index + round_number - 1) % count] for index in first]


def _line(settings: Settings, program: str, cores: int, command: str) -> tuple[str, ...]:
    return (str(settings.programs / program), "--cores", str(cores), command)

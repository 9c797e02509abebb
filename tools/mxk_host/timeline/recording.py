"""A recording as it was made: chunks of bytes read back (tasks/timeline/chunk.cpp writes them)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from mxk_host.errors import DriverError, ExitCode
from mxk_host.timeline.chunks import Dump

FORMAT_VERSION = 1
MAX_CORES = 1 << 16
_MASK = 2**64 - 1


class Kind(IntEnum):
    """What a core did (tasks/timeline/event.hpp)."""

    TASK = 0
    ROUND = 1
    SAFE_POINT = 2
    IDLE = 3
    SLEEP = 4
    THREAD = 5
    GROWTH_STEP = 6
    HOP = 7
    WAKE = 8
    PREEMPTION = 9
    SEMAPHORE_WAIT = 10
    OWNER_CHANGE = 11


class _ChunkKind(IntEnum):
    HEAD = 0
    CORE = 1
    EVENTS = 2


TURNS = frozenset({Kind.TASK, Kind.THREAD})
WORK = TURNS | {Kind.ROUND, Kind.SAFE_POINT}  # what a core's time that is not idle consists of


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a core did; times are time stamps."""

    kind: Kind
    begin: int
    end: int
    subject: int
    detail: int


@dataclass
class Core:
    """What is known of one core; its events are in the order of their ends, with gaps where chunks are missing."""

    number: int
    node: int = 0
    started: int = 0
    stopped: int = 0
    idle: int = 0  # cycles, by the worker's statistics
    lost: int = 0  # events that were overwritten
    size: int = 0  # events that were kept
    parts: dict[int, list[Event]] = field(default_factory=dict)  # by the number of the first event

    @property
    def events(self) -> Iterator[Event]:
        """Those that were read."""
        for first in sorted(self.parts):
            yield from self.parts[first]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing, be it overwritten or not read."""
        return self.lost == 0 and sum(map(len, self.parts.values())) == self.size


@dataclass
class Recording:
    """A timeline of all cores."""

    name: str
    frequency: int
    load_offset: int
    platform: str
    build: str
    cores: list[Core]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value & _MASK

    def difference(self, before: int) -> int:
        number = self.number()
        return (before + (number >> 1 ^ -(number & 1))) & _MASK

    def text(self) -> str:
        length = self.number()
        self._at += length
        return self._data[self._at - length : self._at].decode("ascii", errors="replace")


def decode(dump: Dump) -> Recording:
    """All that the chunks say. Raises if the first one is not there, or they are of another version."""
    if 0 not in dump.chunks:
        raise DriverError(
            f"chunk 0 of recording {dump.recording} is missing, which says how fast its clock is: trace dump gives it",
            ExitCode.COMMAND_FAILED,
        )
    try:
        recording = _decode_head(_Reader(dump.chunks[0]), dump.recording)
        for number in sorted(dump.chunks)[1:]:
            _decode_chunk(_Reader(dump.chunks[number]), recording)
    except (IndexError, ValueError) as error:
        raise DriverError(
            f"recording {dump.recording} has a chunk that is no such: {error}", ExitCode.COMMAND_FAILED
        ) from error
    for core in recording.cores:
        if core.stopped == 0:  # the chunk that says so is missing
            core.stopped = max((event.end for event in core.events), default=core.started)
    return recording


def _decode_head(head: _Reader, name: str) -> Recording:
    if head.byte() != _ChunkKind.HEAD or head.number() != FORMAT_VERSION:
        raise DriverError(
            f"expected a dump of format {FORMAT_VERSION}, got another one: it was made by another version",
            ExitCode.COMMAND_FAILED,
        )
    frequency, load_offset, count = head.number(), head.number(), head.number()
    if frequency == 0 or count > MAX_CORES:
        raise ValueError(f"{count} cores and {frequency} time stamps per second")
    platform, build = head.text(), head.text()
    return Recording(name, frequency, load_offset, platform, build, [Core(number) for number in range(count)])


def _decode_chunk(reader: _Reader, recording: Recording) -> None:
    kind = _ChunkKind(reader.byte())
    core = recording.cores[reader.number()]
    if kind is _ChunkKind.CORE:
        core.node, core.started, core.stopped = reader.number(), reader.number(), reader.number()
        core.idle, core.lost, core.size = reader.number(), reader.number(), reader.number()
        return
    first, time = reader.number(), reader.number()
    core.started = time
    events = core.parts.setdefault(first, [])
    subjects = dict.fromkeys(Kind, 0)
    details = dict.fromkeys(Kind, 0)
    while reader:
        kind = Kind(reader.byte())
        time = reader.difference(time)
        begin = time - reader.number()
        subjects[kind] = reader.difference(subjects[kind])
        details[kind] = reader.difference(details[kind])
        events.append(Event(kind, begin, time, subjects[kind], details[kind]))

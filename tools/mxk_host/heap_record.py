"""Records a program's allocations as a trace for `bench heap replay`: `tools/mxk heap-record`. What is loaded into the
program (tools/heap_recorder) writes a log of addresses in memory that it shares with this; a trace is made of it."""

import itertools
import mmap
import os
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mxk_host import files
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.runner import handled_by

LIBRARY = "libmxk-record-heap.so"
MAX_EVENTS = 10_000_000
# What a trace may say (bench/heap/heap_trace.hpp).
FIRST_LINE = "mxk-heap-trace 1"
MIN_BYTES, MAX_BYTES, MAX_CORES = 8, 1 << 30, 65_536
# As heap_recorder.cpp has them: events, process, threads, other processes, program; address, bytes, thread, what.
_MAGIC = b"mxkheap1"
_HEAD = struct.Struct("<8sQIIQ4064s")
_EVENT = struct.Struct("<QQII")
ALLOCATED, FREED = 1, 2
_X86_64, _PT_INTERP = 62, 3  # of ELF files: the processor, and what names the loader

Event = tuple[int, int, int, int]


@dataclass(frozen=True)
class Log:
    """What the recorder has written."""

    memory: mmap.mmap
    path: str  # for other processes, as long as this one lives

    @classmethod
    def of(cls, room: int) -> "Log":
        """An empty one: of memory that has no name and is taken as it is written."""
        file = os.memfd_create("mxk-heap-log")
        size = _HEAD.size + room * _EVENT.size
        os.ftruncate(file, size)
        memory = mmap.mmap(file, size)
        memory[: len(_MAGIC)] = _MAGIC
        return cls(memory, f"/proc/{os.getpid()}/fd/{file}")

    @property
    def head(self) -> tuple[int, int, int, int, str]:
        """Events, also those without room; process, 0: nobody has loaded it; threads; other processes; program."""
        _, count, process, threads, others, program = _HEAD.unpack_from(self.memory)
        return count, process, threads, others, os.fsdecode(program.rstrip(b"\0"))

    @property
    def room(self) -> int:
        """Events."""
        return (len(self.memory) - _HEAD.size) // _EVENT.size

    def events(self) -> Iterator[Event]:
        """In their order."""
        end = _HEAD.size + min(self.head[0], self.room) * _EVENT.size
        return _EVENT.iter_unpack(memoryview(self.memory)[_HEAD.size : end])


def trace_lines(events: Iterable[Event], left_out: Counter[str]) -> Iterator[str]:
    """The lines of a trace, which is valid whatever the events are; counts what is left out."""
    live: dict[int, str] = {}  # by address: number and bytes
    numbers = itertools.count()
    for address, size, thread, what in events:
        if what not in (ALLOCATED, FREED):  # the process ended before it was written, or realloc found no memory
            continue
        core = (thread - 1) % MAX_CORES
        if (said := live.pop(address, None)) is not None:
            yield f"{core} f {said}\n"
            left_out["frees that were not seen, told when the address came again"] += what == ALLOCATED
        elif what == FREED:
            left_out["frees of objects that are not in it"] += 1
        if what == ALLOCATED and size > MAX_BYTES:
            left_out["objects of more than 1 GiB"] += 1
        elif what == ALLOCATED:
            live[address] = said = f"{next(numbers)} {max(size, MIN_BYTES)}"
            yield f"{core} a {said}\n"


def record(out: Path, line: Sequence[str], build: Path, max_events: int) -> int:
    """Runs the program and writes its trace; its exit status, or 128 + the signal that ended it. Raises where nothing
    was recorded; then `out` is as it was."""
    library = str((build / LIBRARY).absolute())
    if not Path(library).is_file():
        raise UsageError(f"expected {library}: make linux builds it first")
    if set(library) & set(" :"):
        raise UsageError(f"expected a build folder without spaces and colons, which LD_PRELOAD cannot name: {library}")
    program = shutil.which(line[0])
    if program is None:
        raise UsageError(f"expected a program to record, got {line[0]}, which is none")
    if reason := reason_against(Path(program)):
        raise UsageError(f"expected a program into which LD_PRELOAD loads the recorder; {program} {reason}")
    log = Log.of(max_events)
    with files.writing(out) as file:
        process, status = _run(program, line, {"LD_PRELOAD": library, "MXK_HEAP_LOG": log.path})
        count, recorded, threads, others, name = log.head
        if recorded != process:
            raise DriverError(f"{program} did not load the recorder{_ended(status)}", status or ExitCode.COMMAND_FAILED)
        written, left_out = 0, Counter[str]()
        lines = trace_lines(log.events(), left_out)
        file.write(f"{FIRST_LINE}\n# {shlex.join(line)!a}\n".encode())
        while some := list(itertools.islice(lines, 1 << 16)):
            written += len(some)
            file.write("".join(some).encode())
        if written == 0:
            raise DriverError(
                f"{name} has not called malloc; an allocator of its own is not recorded{_ended(status)}",
                status or ExitCode.COMMAND_FAILED,
            )
    left_out[f"events after the first {log.room}"] = max(count - log.room, 0)
    left_out["programs that child processes ran"] = others
    told = ", ".join(f"{number} {what}" for what, number in left_out.items() if number != 0)
    print(f"{out}: {written} events of {threads} threads of {name}; left out: {told or 'nothing'}", file=sys.stderr)
    return status


def _ended(status: int) -> str:
    return f"; it ended with status {status}" if status != 0 else ""


def reason_against(program: Path) -> str | None:
    """Why the system would load nothing into this program; None: as far as its file tells, it does."""
    about = program.stat()
    if (about.st_mode & stat.S_ISUID and about.st_uid != os.geteuid()) or (
        about.st_mode & stat.S_ISGID and about.st_gid != os.getegid()
    ):
        return "runs as another user or group (set-uid, set-gid)"
    try:
        with files.reading(program, "a program", files.MAX_WORKLOAD_BYTES) as file:
            head = file.read(4096).ljust(4096, b"\0")
    except UsageError:  # it may be run, and not be read
        return None
    if not head.startswith(b"\x7fELF"):
        return None
    if head[4] != 2 or struct.unpack_from("<H", head, 18)[0] != _X86_64:
        return "is not of x86-64"
    (at,), (size, count) = struct.unpack_from("<Q", head, 32), struct.unpack_from("<HH", head, 54)
    places = [at + number * size for number in range(count)]
    if any(place > len(head) - 4 or struct.unpack_from("<I", head, place)[0] == _PT_INTERP for place in places):
        return None
    return "is linked statically"


def _run(program: str, line: Sequence[str], more: Mapping[str, str]) -> tuple[int, int]:
    """The process and how it ended, as a shell tells it. It has the caller's terminal and variables, not this driver's
    (tools/mxk); a Ctrl-C is for it alone, and what else would end the driver it gets, too."""
    own = {"PYTHONPATH", "PYTHONPYCACHEPREFIX", "MXK_PYTHONPATH"}
    environment = {name: value for name, value in os.environ.items() if name not in own}
    if path := os.environ.get("MXK_PYTHONPATH"):
        environment["PYTHONPATH"] = path
    if before := environment.get("LD_PRELOAD"):
        more = {**more, "LD_PRELOAD": f"{more['LD_PRELOAD']}:{before}"}
    sys.stdout.flush()
    try:
        process = subprocess.Popen(line, executable=program, env=environment | more)
    except OSError as error:
        raise UsageError(f"expected a program to record, got {program}: {error.strerror}") from error
    with handled_by(lambda number, _: number != signal.SIGINT and process.send_signal(number)):
        status = process.wait()
    return process.pid, status if status >= 0 else 128 - status

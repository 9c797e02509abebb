"""The lines of `trace dump` in logs of any kind: found, checked, and put together. A line that is damaged or missing is
named; the others are used."""

import base64
import binascii
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mxk_host import files
from mxk_host.errors import DriverError, ExitCode, UsageError

# What stands in front of the number must be whole for a damaged line to be told apart from any other text.
_BEGINNING = re.compile(r"TRACE ([0-9a-f]{8}) ([0-9]{1,10})/([0-9]{1,10}) ")
_LINE = re.compile(_BEGINNING.pattern + r"([A-Za-z0-9+/]+={0,2}) ([0-9a-f]{8})(?![0-9A-Za-z])")


@dataclass
class Dump:
    """What was found of one recording: chunks by number, of `count`."""

    recording: str
    count: int
    chunks: dict[int, bytes] = field(default_factory=dict)
    damaged: dict[int, str] = field(default_factory=dict)  # where they stand, unless found whole elsewhere

    @property
    def missing(self) -> list[int]:
        """Those that are nowhere, in order; damaged ones are among them."""
        return [number for number in range(self.count) if number not in self.chunks]


def read(logs: Iterable[Path]) -> list[Dump]:
    """All recordings in these logs, in the order in which they begin. Chunks of one may stand in several logs."""
    dumps: dict[str, Dump] = {}
    for log in logs:
        text = files.read_bytes(log, "a log with the lines of 'trace dump'").decode(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            _take(line, f"{log}:{number}", dumps)
    return list(dumps.values())


def choose(dumps: list[Dump], recording: str | None, logs: Iterable[Path]) -> Dump:
    """The recording that is asked for, or the last one."""
    if not dumps:
        where = ", ".join(map(str, logs))
        raise DriverError(f"no line of 'trace dump' in {where}: expected lines 'TRACE ...'", ExitCode.COMMAND_FAILED)
    if recording is None:
        return dumps[-1]
    for dump in dumps:
        if dump.recording == recording:
            return dump
    there = ", ".join(dump.recording for dump in dumps)
    raise UsageError(f"--recording: expected one of {there}, got '{recording}'")


def complaints(dump: Dump) -> list[str]:
    """What to tell of missing and damaged chunks, and how to get them."""
    missing = dump.missing
    if not missing:
        return []
    told = [f"chunk {number} of {dump.count} is damaged: {dump.damaged[number]}" for number in sorted(dump.damaged)]
    absent = [number for number in missing if number not in dump.damaged]
    if absent:
        told.append(f"{len(absent)} of {dump.count} chunks are missing: {_ranges(absent)}")
    told.append(f"the rest is used; while the recording is kept, this gives them: trace dump --from {missing[0]}")
    return told


def _take(line: str, where: str, dumps: dict[str, Dump]) -> None:
    beginning = _BEGINNING.search(line)
    if beginning is None:
        return
    recording, number, count = beginning[1], int(beginning[2]), int(beginning[3])
    if number >= count:
        return
    dump = dumps.get(recording)
    chunk = _checked(line, beginning.start())
    if dump is None:
        # A damaged line must not make up a recording, or say how many chunks there are.
        if chunk is None:
            return
        dump = dumps.setdefault(recording, Dump(recording, count))
    if chunk is None or count != dump.count:
        if number < dump.count and number not in dump.chunks:
            dump.damaged[number] = where
        return
    dump.chunks[number] = chunk
    dump.damaged.pop(number, None)


def _checked(line: str, start: int) -> bytes | None:
    found = _LINE.match(line, start)
    if found is None:
        return None
    text = line[start : found.start(5) - 1]
    if zlib.crc32(text.encode(errors="replace")) != int(found[5], 16):
        return None
    try:
        return base64.b64decode(found[4], validate=True)
    except binascii.Error:
        return None


def _ranges(numbers: list[int]) -> str:
    """1, 2, 3, 7 as 1-3, 7."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)

"""Reads the rows of a captured serial log or of a file of JSON lines. Any part of it may be damaged: lines cut off,
bytes lost or changed on the wire. What cannot be read, or has another check sum than it says, is named with its line
number and passed over; a row that was printed twice counts once. Nothing here raises."""

import json
import math
from dataclasses import dataclass, field
from typing import Any, NoReturn

from mxk_host.check_sum import FIELD, check_sum_of
from mxk_host.stream import Line, Row, SerialStream

_PROMPT = "mxk> "
_AGAIN = "again"  # the command that prints results once more
_MAX_NESTING = 16  # a row has four
_MAX_DIGITS = 30  # 64 bits have 20
_ROW_BEGINS = '{"'
_BENCHMARK = '{"benchmark"'
_INSIDE_A_ROW = '":'  # what is left of a line whose beginning was lost
_EXCERPT = 60


@dataclass(frozen=True)
class Damage:
    """A line that must have been a row, or part of one."""

    line: int  # from 1
    reason: str
    excerpt: str
    file: str = ""  # where a run has several

    def __str__(self) -> str:
        return f"{self.file}{', ' if self.file else ''}line {self.line}: {self.reason}: {self.excerpt}"


@dataclass(frozen=True)
class Found:
    """A row, and the command that was typed before it; empty where the log does not have it."""

    row: Row
    command: str


@dataclass
class Log:
    """What is in the bytes, in their order."""

    rows: list[Found] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # panics and errors
    damages: list[Damage] = field(default_factory=list)
    unchecked: int = 0  # rows without a check sum, as older logs have them


def read_log(data: bytes) -> Log:
    """Takes bytes of any kind. Text in front of a row, such as a terminal's time stamp, is passed over."""
    log = Log()
    command = ""
    read: set[str] = set()  # the rows with a check sum
    for number, raw in enumerate(data.split(b"\n"), 1):
        text = _text(raw)
        if _PROMPT in text:
            command = text.rpartition(_PROMPT)[2].strip()
            if command.split()[:1] == [_AGAIN]:
                command = ""
        elif _ROW_BEGINS in text or (_INSIDE_A_ROW in text and text.rstrip().endswith("}")):
            _read_rows(text, number, command, log, read)
        elif (at := text.find("WARN ")) >= 0:
            log.warnings.append(text[at + len("WARN ") :].strip())
        elif text.startswith("PANIC") or "error: " in text:
            log.failures.append(text.strip())
    return log


def _text(raw: bytes) -> str:
    """Of a line: what stood there last, as progress is taken away again."""
    stream = SerialStream()
    return "".join(part.text for part in stream.feed(raw + b"\n") if isinstance(part, Line))


def _read_rows(text: str, number: int, command: str, log: Log, read: set[str]) -> None:
    """The rows of a line: one behind the other where an end of line was lost, and one may follow what is damaged."""
    position = text.find(_ROW_BEGINS)
    if position < 0 or _INSIDE_A_ROW in text[:position]:
        log.damages.append(_damage(number, "the beginning of a row is missing", text))
        position = _next_row(text, 0)
    while position < len(text):
        row, end, reason = _read_row(text, position)
        if row is not None:
            if FIELD not in row:
                log.unchecked += 1
            if FIELD not in row or text[position:end] not in read:
                read.add(text[position:end])
                log.rows.append(Found({name: it for name, it in row.items() if name != FIELD}, command))
            position = end + len(text[end:]) - len(text[end:].lstrip())
        else:
            log.damages.append(_damage(number, reason, text[position:]))
            position = _next_row(text, position + 1)


def _next_row(text: str, start: int) -> int:
    at = text.find(_BENCHMARK, start)
    return at if at >= 0 else len(text)


def _read_row(text: str, position: int) -> tuple[Row | None, int, str]:
    """A row and where it ends, or why there is none."""
    try:
        row, end = _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        return None, position, f"no whole JSON row ({reason})"
    if not isinstance(row, dict) or _nesting(row) > _MAX_NESTING:
        return None, position, "expected a JSON object as a row, not nested too deeply"
    if not isinstance(row.get("benchmark", ""), str):
        return None, position, "expected the name of a benchmark as text"
    if "\\ud" in (raw := text[position:end]).lower() and not _is_text(row):
        return None, position, "expected text in Unicode, got half of a surrogate pair"
    sums = check_sum_of(raw)
    if sums is None and FIELD in row:
        return None, position, f"expected the check sum {FIELD} of eight hexadecimal digits as the last field"
    if sums is not None and not sums.is_right:
        return None, position, f"the check sum: expected {sums.expected}, found {sums.found}"
    return row, end, ""


def _damage(number: int, reason: str, text: str) -> Damage:
    return Damage(number, reason, text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]} ...")


def _is_text(row: Row) -> bool:
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"expected a number, got {text[:_EXCERPT]}")


def _number(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _integer(text: str) -> int:
    return int(text) if len(text) <= _MAX_DIGITS else _no_number(text)


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_number, parse_int=_integer)


def _nesting(value: Any) -> int:  # noqa: ANN401
    """How many objects and arrays are around the innermost value. Without recursion, of which there is only so much."""
    depth, level = 0, [value]
    while level := [inner for outer in level for inner in _inner(outer)]:
        depth += 1
        if depth > _MAX_NESTING:
            break
    return depth


def _inner(value: Any) -> list[Any]:  # noqa: ANN401
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []

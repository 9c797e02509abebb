"""The check sum with which a JSON line ends (base/json_line.hpp): the field "crc32", CRC-32 of all bytes before that
field's comma."""

import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

FIELD = "crc32"
_END = re.compile(r',"([^"]*)":"([^"]*)"\}$')
_SUM = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class CheckSum:
    """What a line says that its check sum is, and what it is."""

    expected: str
    found: str

    @property
    def is_right(self) -> bool:
        """Whether the line is as it was written."""
        return self.expected == self.found


def check_sum_of(text: str) -> CheckSum | None:
    """Of a row's text, from brace to brace; None if it has none, as those of older logs. A last field of eight
    hexadecimal digits by another name is one whose name was damaged."""
    end = _END.search(text)
    if end is None or (end[1] != FIELD and not _SUM.fullmatch(end[2])):
        return None
    expected = end[2] if end[1] == FIELD else f"{end[2]} as {end[1]}"
    return CheckSum(expected, _sum(text[: end.start()]))


def line_of(row: dict[str, Any]) -> str:
    """A row, with one field or more, as a line with its check sum."""
    text = json.dumps(row)[:-1]
    return f'{text},"{FIELD}":"{_sum(text)}"}}\n'


def _sum(text: str) -> str:
    return f"{zlib.crc32(text.encode(errors='surrogateescape')):08x}"

"""Rows of every benchmark keep their keys: as many rows for a command as were stored, with the same keys in the same
order. `python3 tests/system/test_same_rows.py` stores them anew; what values they have two programs say (same_rows.py).
"""

import json
from pathlib import Path

import pytest
import same_rows

from helpers import linux_program

STORED = Path(__file__).parent / "captured" / "rows.json"


def keys_of(command: str) -> list[str]:
    """The keys of each row, where they are other ones than those of the row before; with the number of such rows."""
    found: list[tuple[str, int]] = []
    for row in same_rows.rows_of(linux_program(), command):
        keys = " ".join(same_rows.shape_of(row))
        if found and found[-1][0] == keys:
            found[-1] = (keys, found[-1][1] + 1)
        else:
            found.append((keys, 1))
    return [f"{count}: {keys}" for keys, count in found]


@pytest.mark.parametrize("command", same_rows.COMMANDS)
@pytest.mark.long(reason="runs a benchmark, with all of its parts")
def test_rows_have_the_keys_that_they_had(command: str) -> None:
    assert keys_of(command) == json.loads(STORED.read_text())[command]


if __name__ == "__main__":
    STORED.write_text(json.dumps({command: keys_of(command) for command in same_rows.COMMANDS}, indent=1) + "\n")

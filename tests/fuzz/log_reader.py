"""What `tools/mxk report` and `compare-runs` do with a captured log, under Atheris: whatever is in it, there is a page,
and each line that looks like a row is read or named as damaged.

`tests/fuzz/run log-reader` runs it. An input by itself: build/venv/bin/python tests/fuzz/log_reader.py FILE. It begins
with what the tests of the report have: `--seeds FOLDER` writes that.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

import atheris

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/system")]

from report_rows import all_kinds, as_lines  # noqa: E402

with atheris.instrument_imports(include=["mxk_host"]):
    from mxk_host.report import page
    from mxk_host.report.machines import side_by_side
    from mxk_host.runs.changes import changes
    from mxk_host.runs.command import command_of
    from mxk_host.runs.log import read_log
    from mxk_host.runs.point import key_of, points_of
    from mxk_host.runs.source import Run

page.get_plotlyjs = lambda: ""  # 4 MB in each page, always the same

LINES_OF_A_PIECE = 8

# What a damaged or foreign row may have in the place of anything.
_STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, 1e30, -1e300, 10**400, "", "0", "<b>", "\x00", "TCG", [], {}, [[]], [{}]),
    *([1, 2], [None], ["a"], {"median": 0}, {"median": 1, "n": 0}, {"median": 1, "min": 2, "max": 0, "n": 5}),
    *({"median": 3, "ci95_low": 9, "ci95_high": 1}, {"count": 1, "p50_ns": 1, "p99_ns": 0}, {"": {"": ""}}),
)


def test_one_input(data: bytes) -> None:
    """The fuzzer calls it with every input."""
    log = read_log(data)
    for number, line in enumerate(data.split(b"\n"), 1):
        alone = read_log(line)
        told = any(damage.line == number for damage in log.damages)
        assert bool(alone.damages) == told, f"line {number}: expected its damage to be named, as it is when it is alone"
    run = Run(**vars(log), name="fuzzed")
    if not any(found.row.get("benchmark") for found in log.rows):
        return  # then there is nothing to show, and that is said
    text = page.page_of(*side_by_side([run]), "now")
    assert text.rstrip().endswith("</html>"), "expected a whole page"
    points = points_of(log.rows)
    for point in points:
        command_of(point)
    half = len(log.rows) // 2
    names = {key_of(point.first): "" for point in points}
    changes(points_of(log.rows[:half]), points_of(log.rows[half:]), names, 0.95, 0.03)
    found = changes(points, points, names, 0.95, 0.03)
    assert not [row for row in found.rows if row.ratio != 1], "expected no change between a run and itself"


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Half of the time libFuzzer's way, by bytes; else a row stays a row, with something else in one of its places."""
    chance = random.Random(seed)
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    row = _row(lines[at])
    if row is None or chance.random() < 0.5:
        return atheris.Mutate(data, max_size)
    _change(row, _row(chance.choice(lines)) or {}, chance)
    replaced = chance.random() < 0.7
    lines[at : at + replaced] = [json.dumps(row).encode()]
    return b"\n".join(lines)[:max_size]


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _change(row: dict[str, Any], other: dict[str, Any], chance: random.Random) -> None:
    """One place of the row, or one further in: away, another value, or what another row has there."""
    inside: Any = row
    while True:
        places = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if not places:
            return
        place = chance.choice(places)
        if not isinstance(inside[place], dict | list) or not inside[place] or chance.random() < 0.3:
            break
        inside = inside[place]
    kind = chance.randrange(4)
    if kind == 0:
        del inside[place]
    elif kind == 1 and other:
        inside[place] = other[chance.choice(list(other))]
    elif kind == 2 and isinstance(inside[place], int | float):
        inside[place] = inside[place] * chance.choice((-1, 0, 2, 1e9)) if abs(inside[place]) < 1e100 else 0
    else:
        inside[place] = chance.choice(_STRANGE)


def write_seeds(folder: Path) -> None:
    """Logs of runs in pieces, rows of all kinds, and what a bad line makes of one."""
    captured = ROOT / "tests/system/captured"
    emulated = (captured / "qemu.log").read_bytes()
    (folder / "emulated").write_bytes(emulated)
    texts = {"native": (captured / "native.log").read_bytes(), "kinds": as_lines(all_kinds()[::2]).encode()}
    for name, text in texts.items():
        lines = text.splitlines(keepends=True)
        for at in range(0, len(lines), LINES_OF_A_PIECE):
            (folder / f"{name}-{at}").write_bytes(b"".join(lines[at : at + LINES_OF_A_PIECE]))
    row = next(line for line in emulated.splitlines() if line.startswith(b'{"benchmark"'))
    spoilt = {
        "cut-off": row[:100] + b"\n" + row + b"\n",
        "without-its-beginning": row[50:] + b"\n" + row + b"\n",
        "without-an-end-of-line": row + row + b"\n",
        "changed-bytes": row.replace(b":", b"\xff", 3) + b"\n" + row + b"\n",
        "deep": b'{"benchmark":' + 3000 * b"[" + 3000 * b"]" + b"}\n",
    }
    for name, text in spoilt.items():
        (folder / name).write_bytes(text)


def main() -> None:
    """Gives libFuzzer its options, or writes the seeds."""
    if sys.argv[1:2] == ["--seeds"]:
        write_seeds(Path(sys.argv[2]))
        return
    atheris.Setup(sys.argv, test_one_input, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

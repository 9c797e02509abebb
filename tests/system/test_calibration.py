"""tools/mxk calibration: which rows of two sides are compared, what the table says of them, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import HAS_QEMU10, LINUX_BUILD, drive
from mxk_host.simulate import calibration
from mxk_host.simulate.calibration import PROBES, Compared, Probe

TABLE = next(probe for probe in PROBES if "--layout bucketed --submit task" in probe.command)


def table_row(throughput: float, **changes: object) -> dict[str, Any]:
    row = {"benchmark": "table", "layout": "bucketed", "submit": "task", "prefetch": 8, "mix": "find", "cores": 1}
    return row | {"verified": True, "throughput": {"median": throughput}} | changes


def load_row(bytes_: int, nanoseconds: float) -> dict[str, Any]:
    row = {"benchmark": "memory", "measure": "latency", "bytes": bytes_, "verified": True}
    return row | {"nanoseconds": {"median": nanoseconds}}


def test_rows_are_compared_by_name_and_the_middle_of_the_rounds_counts() -> None:
    rounds = [[table_row(rate), table_row(rate / 2, cores=2)] for rate in (1e6, 4e6, 2e6)]
    simulated = [table_row(1e6), table_row(5e6, cores=2), table_row(1e6, mix="erase")]
    assert calibration.compared(TABLE, rounds, simulated) == [
        Compared("bucketed, task, find, 1 core", False, 500, 1000),
        Compared("bucketed, task, find, 2 cores", False, 1000, 200),
    ]


def test_rows_of_memory_and_lines_have_names_of_their_own() -> None:
    probe = Probe("bench memory", 1, fitted=True)
    assert calibration.by_name(probe, [load_row(16384, 1.5), load_row(20480, 2)]) == {"load, 16 KiB": 1.5}
    chains = {"benchmark": "memory", "measure": "chains", "chains": 4}
    ahead = {"benchmark": "memory", "measure": "prefetch", "distance": 16}
    assert probe.name_of(chains) == "load, 4 chains"
    assert probe.name_of(ahead) == "load, prefetched 16 ahead"
    assert probe.name_of({"benchmark": "lines", "measure": "round-trip", "from": 0, "to": 1}) == "round-trip"
    assert probe.name_of({"benchmark": "lines", "measure": "round-trip", "from": 1, "to": 0}) is None


def test_what_was_not_verified_is_not_compared() -> None:
    assert calibration.compared(TABLE, [[table_row(1e6)]], [table_row(1e6, verified=False)]) == []


def test_half_of_the_rows_of_tables_are_kept_for_validation() -> None:
    tables = [probe for probe in PROBES if probe.command.startswith("bench table")]
    assert sum(not probe.fitted for probe in tables) * 2 >= len(tables)


def test_the_table_says_what_is_near_and_how_the_order_agrees() -> None:
    rows = [
        Compared("a", True, 1, 1.3),
        Compared("b", False, 10, 15),
        Compared("c", False, 100, 60),
        Compared("d", False, 50, 50),
    ]
    text = list(calibration.lines(rows, "from here"))
    assert "| a | 1.00 | 1.30 | 1.30 | fitted |" in text
    assert "| b | 10.00 | 15.00 | **1.50** | kept for validation |" in text
    assert "| c | 100.00 | 60.00 | **0.60** | kept for validation |" in text
    assert calibration.verdict(rows) == "2 of 4 rows within 0.7 to 1.4; rank correlation 1.000 (wanted 0.9)"
    backwards = [Compared(it.name, it.fitted, it.native, 1 / it.native) for it in rows]
    assert calibration.rank_correlation(backwards) == pytest.approx(-1)


@pytest.mark.skipif(not HAS_QEMU10, reason="no QEMU 10: tools/setup machines")
@pytest.mark.skipif(not (LINUX_BUILD / "mxk-peers").exists(), reason="needs mxk-peers: make linux")
@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "expected the folder of a calibration (--native), with native.json"),
        ("{", "expected the folder of a calibration (--native), with native.json"),
        (json.dumps([[[]]]), f"--native: expected rows of {len(PROBES)} commands in "),
    ],
)
def test_native_rows_that_are_none_are_refused(tmp_path: Path, content: str | None, complaint: str) -> None:
    if content is not None:
        (tmp_path / "native.json").write_text(content)
    ended = drive("calibration", "--no-build", "--native", str(tmp_path), "--results", str(tmp_path / "results"))
    assert ended.code == 2
    assert complaint in ended.complaint

"""`tools/mxk report --machine-card`: what may be posted of a machine, and nothing else of it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from helpers import Ended, drive

MACHINE = {
    "cpu": "A <fast> & cheap processor",
    "cores": 4,
    "nodes": 2,
    "memory_bytes": 8 << 30,
    "tsc_hz": 2_000_000_000,
    "platform": "Linux 6.1.0-secret-host",
    "hypervisor": "",
    "build": "0123456789 gcc 12.2.0 -O2",
    "loaded": "/home/secret/table.so",
}


def row(benchmark: str, measure: str, value: float, **others: object) -> dict[str, Any]:
    field = "bytes_per_second" if measure in ("read", "random") else "nanoseconds"
    same = {"verified": True, "quiet": True, "trace_name": "secret", "machine": MACHINE, "warnings": ["secret"]}
    summary = {"n": 3, "median": value, "min": value, "max": value}
    return {"benchmark": benchmark, "measure": measure, field: summary} | same | others


ROWS = [
    row("memory", "latency", 1.5, bytes=4096, level="L1"),
    row("memory", "latency", 1.6, bytes=8192, level="L1"),
    row("memory", "latency", 90.0, bytes=1 << 30),
    row("memory", "read", 20e9),
    row("memory", "random", 5e9, mix="read", cores=1),
    row("memory", "random", 9e9, mix="read", cores=4),
    row("lines", "round-trip", 120.0, **{"from": 0, "to": 1}),
    row("lines", "round-trip", 80.0, **{"from": 1, "to": 0}),
    row("lines", "round-trip", 400.0, quiet=None, **{"from": 0, "to": 2}),
    row("tlb", "page-latency", 50.0, page_bytes=4096, pages=1024),
    row("noise", "gaps", 3e6, core=0),
    row("memory", "latency", 0.001, simulated={"machine": "secret"}),
    row("memory", "latency", 0.002, verified=False, level="L1"),
    {"benchmark": "list", "typed": "bench list --secret"},
]


def card(tmp_path: Path, rows: list[dict[str, Any]], *options: str, code: int = 0) -> Ended:
    (tmp_path / "secret.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    run = ("report", str(tmp_path / "secret.jsonl"), "--machine-card", "--output", str(tmp_path / "card"), *options)
    ended = drive(*run)
    assert ended.code == code, ended.output + ended.complaint
    return ended


def test_a_card_has_the_numbers_of_the_machine_and_no_secrets(tmp_path: Path) -> None:
    assert "machine card: " in card(tmp_path, ROWS).output
    text = (tmp_path / "card.json").read_text()
    written = json.loads(text)
    assert (written["mxk_machine_card"], written["cores"], written["memory_gib"]) == (1, 4, 8.0)
    assert written["system"] == "Linux 6.1"
    assert {it["name"]: (it["value"], it["quiet"]) for it in written["figures"]} == {
        "load from the L1": (1.5, True),
        "load from memory": (90.0, True),
        "read in order": (20e9, True),
        "random lines, read": (9e9, True),
        "line there and back, nearest": (80.0, True),
        "line there and back, farthest": (400.0, None),
        "load in 1024 pages of 4 KiB": (50.0, True),
        "largest gap of an idle core": (3e6, True),
    }
    picture = (tmp_path / "card.svg").read_text()
    said = [it.text for it in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert said[0] == "A <fast> & cheap processor"
    assert said[1] == "4 cores, 2 nodes, 8 GiB, Linux 6.1"
    assert {"1.50 ns", "9.00 GB/s", "400 ns ~", "3.00 ms"} <= set(said)
    assert "secret" not in text + picture


def test_what_makes_no_card_is_told(tmp_path: Path) -> None:
    assert "expected rows that were measured" in card(tmp_path, ROWS[-3:], code=2).complaint
    other = row("memory", "latency", 2.0, machine=MACHINE | {"cpu": "Another one"})
    assert "expected runs of one machine, got A <fast> & cheap" in card(tmp_path, [*ROWS, other], code=2).complaint
    assert "without --pdf" in card(tmp_path, ROWS, "--pdf", code=2).complaint


@pytest.mark.parametrize(
    ("of", "damage"),
    [
        (0, {"nanoseconds": 7}),
        (0, {"nanoseconds": {"n": "x"}}),
        (0, {"nanoseconds": {"n": "x", "median": 0.5}}),
        (0, {"machine": 3}),
        (0, {"measure": []}),
        (9, {"pages": "many"}),
        (9, {"pages": None, "page_bytes": [4096]}),
    ],
)
def test_rows_of_another_form_make_no_traceback(tmp_path: Path, of: int, damage: dict[str, Any]) -> None:
    ended = card(tmp_path, [*ROWS, ROWS[of] | damage])
    assert "Traceback" not in ended.output + ended.complaint

"""`bench task` in QEMU and, where it is built, in the Linux program: rows, their self-check, and what is skipped."""

from pathlib import Path
from typing import Any

import pytest

from helpers import LINUX_BUILD, interrupt_linux, run_linux, run_mxk

PROGRAM = LINUX_BUILD / "mxk"
LATENCIES = ("round-trip", "remote-round-trip", "wake")
FEW = "--ops 20k --trips 200 --wakes 20 --repeat 2 --json"
PAIR = {"local": [0]} | {measure: [0, 1] for measure in ("hop", "stream", "mail", "round-trip", "wake")}

in_qemu = pytest.mark.usefixtures("images")
on_linux = pytest.mark.skipif(not PROGRAM.exists(), reason=f"needs {PROGRAM}: make linux")


def expect_sound(rows: list[dict[str, Any]], pairs: dict[str, list[int]]) -> None:
    """There is a row for each of these measures, taken on these cores, and each one holds together."""
    assert {row["measure"]: row["cores"] for row in rows} == pairs
    for row in rows:
        spread = row["cycles"]
        assert row["verified"] is True
        assert row["benchmark"] == "task"
        assert spread["n"] == 2
        assert 0 < spread["min"] <= spread["median"] <= spread["max"]
        assert row["nanoseconds"] == pytest.approx(spread["median"] * 1e9 / row["machine"]["tsc_hz"], rel=1e-6)
        assert ("p99" in row) == (row["measure"] in LATENCIES)
        assert row.get("depth") == {"local": 100, "hop": 100, "stream": 1024, "mail": 1024}.get(row["measure"])
        if row["measure"] == "wake":
            assert 1 <= row["count"] <= 20
        else:
            assert row["count"] == (200 if row["measure"] in LATENCIES else 20_000)


@in_qemu
@pytest.mark.parametrize(
    ("shape", "pairs"),
    [
        (["--cpus", "1"], {"local": [0]}),
        (["--cpus", "2"], PAIR),
        (["--cpus", "4", "--nodes", "2"], PAIR | {"remote-round-trip": [0, 2]}),
    ],
    ids=["1", "2", "4-on-2-nodes"],
)
def test_rows_of_each_machine(tmp_path: Path, shape: list[str], pairs: dict[str, list[int]]) -> None:
    ended = run_mxk(tmp_path / "log", shape, f"bench task {FEW} --counters")
    expect_sound(ended.rows, pairs)
    for row in ended.rows:
        assert row["counters"]["page_faults"] is None
        assert "no system is below the kernel" in row["counters"]["not_counted"]
        assert (row["counters"]["cycles"] is None) == ("cycles" in row["counters"]["not_counted"])
    for measure in ("hop", "stream", "mail", "round-trip", "remote-round-trip", "wake"):
        said = f"skipped: {measure}: needs" in ended.output
        in_every_row = all(any(text.startswith(f"{measure}: ") for text in row["skipped"]) for row in ended.rows)
        assert said == in_every_row == (measure not in pairs)


@in_qemu
def test_chosen_cores_and_measures_and_what_cannot_be(tmp_path: Path) -> None:
    commands = (
        f"bench task {FEW} --measure wake,round-trip --cores 1,0; bench task --measure remote-round-trip {FEW}; "
        f"bench task --cores 0,7 {FEW}; bench task --measure hops {FEW}"
    )
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], commands, code=1)
    expect_sound(ended.rows, {"round-trip": [1, 0], "wake": [1, 0]})
    assert "error: --measure remote-round-trip: needs a core of another node than core 0's" in ended.output
    assert "error: --cores: expected cores 0 to 1, those of this machine, got 7" in ended.output
    assert "error: --measure: expected one of local, hop," in ended.output


@on_linux
def test_the_linux_program_gives_the_same_rows() -> None:
    ended = run_linux("--cores", "4", "--nodes", "2", f"bench task {FEW}")
    expect_sound(ended.rows, PAIR | {"remote-round-trip": [0, 2]})


@on_linux
def test_cores_that_share_processors_make_progress() -> None:
    for pair in ("0,1", "0,2", "7,3"):
        ended = run_linux("--cores", "8", f"bench task --cores {pair} {FEW}")
        cores = [int(core) for core in pair.split(",")]
        assert all(row["verified"] is True for row in ended.rows), ended.output
        assert {row["measure"] for row in ended.rows if row["cores"] == cores} == PAIR.keys() - {"local"}


@on_linux
@pytest.mark.parametrize(
    "measure",
    [
        "local --ops 4G",
        "hop --ops 4G",
        "stream --ops 4G",
        "mail --ops 4G",
        "round-trip --trips 10M --repeat 1000",
        "wake --wakes 1M",
    ],
)
def test_ctrl_c_ends_each_measure(measure: str) -> None:
    output = interrupt_linux(f"bench task --measure {measure}", "cycles ", "--cores", "2")
    assert "error: interrupted by Ctrl-C" in output

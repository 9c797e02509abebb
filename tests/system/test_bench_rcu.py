"""`bench rcu` and `rcu`, in QEMU and in the Linux program: rows, their self-check, and what is counted."""

import re
import time
from pathlib import Path
from typing import Any

import pytest

from helpers import Ended, interrupt_linux, run_linux, run_mxk

COMMANDS = "bench rcu --ops 20k --waits 100 --repeat 2 --json; rcu"
COUNTS = {"section": 20_000, "callback": 20_000, "synchronize": 100, "expedite": 100}


def expect_sound(rows: list[dict[str, Any]], output: str) -> None:
    assert {row["measure"]: row["count"] for row in rows} == COUNTS
    for row in rows:
        assert row["verified"] is True
        assert row["rcu"] == "qsbr"
        assert row["cores"] == ([0, 1] if row["measure"] in ("synchronize", "expedite") else [0])
        assert ("p99" in row) == (row["measure"] in ("synchronize", "expedite"))
    counted = re.search(r"grace periods: (\d+) completed, of these (\d+) expedited", output)
    assert counted is not None
    completed, expedited = int(counted[1]), int(counted[2])
    assert completed >= expedited >= 200  # 100 waits in each of two runs
    assert completed >= 400
    core = re.search(r"^ +0 +(\d+) +(\d+) +[\d.]+ +\d+ +\d+ +\d+ +\d+ +\d+$", output, re.MULTILINE)
    assert core is not None
    assert int(core[1]) == int(core[2]) >= 40_000  # callbacks that core 0 was given, and has run


OWN_KINDS = {"a-rcu", "podzimek-rcu", "qsbr", "rcu", "spin", "spin-shared", "ticket", "ticket-shared", "rwlock"}
OWN_KINDS.add("rwlock-shared")
PEER_KINDS = {"urcu-qsbr": "liburcu", "urcu-memb": "liburcu", "pthread-rwlock": "C library"}
PEER_KINDS["pthread-rwlock-shared"] = "C library"
READ = "bench rcu-read --cores 1,2 --ms 2 --repeat 2 --json; bench rcu-read --body pointer --cores 2 --ms 1 --json"


def expect_sections(rows: list[dict[str, Any]], kinds: set[str]) -> None:
    """Both commands' rows: each kind on each set of cores, verified, with a sum that is what the cores have each."""
    wanted = {(kind, body, cores) for kind in kinds for body, cores in (("empty", 1), ("empty", 2), ("pointer", 2))}
    assert {(row["kind"], row["body"], row["cores"]) for row in rows} == wanted
    assert len(rows) == len(wanted)
    for row in rows:
        assert row["verified"] is True
        rate = row["throughput"]["median"]
        assert rate > 0
        assert row["throughput_per_core"] == pytest.approx(rate / row["cores"])


DETECTED = "bench rcu --rcu a-rcu --ops 2k --waits 4 --repeat 1 --json"


def expect_detected(rows: list[dict[str, Any]]) -> None:
    assert [row["measure"] for row in rows] == list(COUNTS)
    for row in rows:
        assert row["verified"] is True
        assert row["rcu"] == "a-rcu"


@pytest.mark.usefixtures("images")
def test_the_detector_of_a_rcu_in_the_kernel(tmp_path: Path) -> None:
    expect_detected(run_mxk(tmp_path / "log", ["--cpus", "2"], DETECTED).rows)


def test_the_detector_of_a_rcu_in_the_linux_program() -> None:
    expect_detected(run_linux("--cores", "2", DETECTED).rows)


@pytest.mark.usefixtures("images")
def test_read_sections_in_the_kernel(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], READ)
    expect_sections(ended.rows, OWN_KINDS)


def test_read_sections_of_the_linux_program_and_of_others() -> None:
    rows = run_linux("--cores", "2", READ, name="mxk-peers").rows
    expect_sections(rows, OWN_KINDS | PEER_KINDS.keys())
    for row in rows:
        assert PEER_KINDS.get(row["kind"], "none") in row["library"]


CROWDED = "bench rcu-read --kind ticket-shared,spin-shared --cores 4 --ms 5 --repeat 3 --json"


def expect_in_time(rows: list[dict[str, Any]]) -> None:
    """On more cores than there are processors, where each section may wait until the host has run other cores."""
    assert [row["kind"] for row in rows] == ["spin-shared", "ticket-shared"]
    for row in rows:
        assert row["verified"] is True
        assert row["seconds"] < 2  # of three runs of 5 ms


@pytest.mark.usefixtures("images")
def test_sections_that_wait_for_others_end_in_time_in_the_kernel(tmp_path: Path) -> None:
    expect_in_time(run_mxk(tmp_path / "log", ["--cpus", "4"], CROWDED).rows)


def test_sections_that_wait_for_others_end_in_time_in_the_linux_program() -> None:
    expect_in_time(run_linux("--cores", "4", CROWDED).rows)


def test_unknown_kinds_are_named() -> None:
    ended = run_linux("bench rcu-read --kind qsbr,rwlok", code=1)
    assert "unknown kind 'rwlok'; did you mean rwlock? ('help bench rcu-read' lists all)" in ended.output
    listed = run_linux("help bench rcu-read").output
    assert "  ticket-shared          a ticket lock for all cores" in listed


@pytest.mark.usefixtures("images")
def test_in_the_kernel(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "2"], COMMANDS)
    expect_sound(ended.rows, ended.output)


def test_in_the_linux_program() -> None:
    ended = run_linux("--cores", "2", COMMANDS)
    expect_sound(ended.rows, ended.output)


RESIZE = "bench resize --cores 1,2 --keys 20k --ms 2 --json"


def expect_resized(rows: list[dict[str, Any]]) -> None:
    """Each layout on each set of cores, quiet and growing; percentiles in order, and a verdict that fits."""
    layouts = ("concurrent", "concurrent-lines")
    wanted = {(layout, cores, phase) for layout in layouts for cores in (1, 2) for phase in ("quiet", "growing")}
    by_name = {(row["layout"], row["cores"], row["phase"]): row for row in rows}
    assert by_name.keys() == wanted
    assert len(rows) == len(wanted)
    for row in rows:
        assert row["verified"] is True
        assert row["keys"] == 20_000
        assert row["load"] == (1 if row["layout"] == "concurrent" else 0.5)
        assert 0 < row["nanoseconds"]["median"] <= row["p99"] <= row["max_ns"]
        assert row["count"] > 0
        assert row["buckets"] > 0
    for layout in layouts:
        for cores in (1, 2):
            quiet, growing = by_name[layout, cores, "quiet"], by_name[layout, cores, "growing"]
            assert quiet["buckets"] == 2 * growing["buckets"]
            assert quiet["duration_ms"] >= 0.999 * max(2, growing["duration_ms"])
            assert growing["p99_quiet"] == quiet["p99"]
            assert growing["within"] is (growing["p99"] <= 2 * quiet["p99"] + 5000)
            assert "within" not in quiet


@pytest.mark.usefixtures("images")
def test_look_ups_while_a_table_doubles_in_the_kernel(tmp_path: Path) -> None:
    expect_resized(run_mxk(tmp_path / "log", ["--cpus", "2"], RESIZE).rows)


def test_look_ups_while_a_table_doubles_in_the_linux_program() -> None:
    expect_resized(run_linux("--cores", "2", RESIZE).rows)


def test_loads_beyond_which_a_table_grows_by_itself_are_refused() -> None:
    ended = run_linux("bench resize --load 0.8", code=1)
    assert "--load: expected up to 0.7 for layout concurrent-lines, which grows by itself with more" in ended.output
    assert run_linux("bench resize --layout concurrent --load 1.9 --cores 1 --keys 1000 --ms 1").rows == []
    listed = run_linux("help bench resize").output
    assert "--layout NAME,NAME,...  concurrent, concurrent-lines (none given: both)" in listed


LIST = "bench list --cores 1,2 --ms 2 --repeat 2 --json; bench list --kind rcu --cores 2 --update-pct 100 --ms 2 --json"
LIST += "; bench list --kind rwlock,spin --cores 1 --keys 1000 --update-pct 0 --dist zipf:0.9 --ms 2 --repeat 1 --json"


def expect_listed(rows: list[dict[str, Any]]) -> None:
    """The three commands' rows: each kind on each set of cores, verified, with as many updates as were asked for."""
    wanted = {(kind, cores, 10, 100, "uniform") for kind in ("rcu", "spin", "ticket", "rwlock") for cores in (1, 2)}
    wanted |= {("rcu", 2, 100, 100, "uniform")}
    wanted |= {(kind, 1, 0, 1000, "zipf:0.9") for kind in ("rwlock", "spin")}
    assert {(row["kind"], row["cores"], row["update_pct"], row["keys"], row["dist"]) for row in rows} == wanted
    assert len(rows) == len(wanted)
    for row in rows:
        assert row["verified"] is True
        rate = row["throughput"]["median"]
        assert rate > 0
        assert row["throughput_per_core"] == pytest.approx(rate / row["cores"])
        assert row["waits"] >= 0
        assert row["updates"] > 0 or row["update_pct"] < 100
        assert row["updates"] == 0 or row["update_pct"] > 0


@pytest.mark.usefixtures("images")
def test_one_list_of_all_cores_in_the_kernel(tmp_path: Path) -> None:
    expect_listed(run_mxk(tmp_path / "log", ["--cpus", "2"], LIST).rows)


def test_one_list_of_all_cores_in_the_linux_program() -> None:
    expect_listed(run_linux("--cores", "2", LIST).rows)


FIGURE = "bench list --figure --cores 1,2 --ms 1 --max-runs 11 --json"


def expect_figure(ended: Ended) -> None:
    """The four curves, each point repeated until it is known well enough, or as often as was allowed."""
    rows = [row for row in ended.rows if "kind" in row]
    kinds = ("ideal", "a-rcu", "podzimek-rcu", "spinlock")
    assert [(row["kind"], row["cores"]) for row in rows] == [(kind, cores) for kind in kinds for cores in (1, 2)]
    for row in rows:
        assert row["verified"] is True
        assert row["figure"] is True
        assert 10 <= row["runs"] <= 11
        assert row["runs"] == 11 or row["interval_pct"] <= 1
        assert row["ns_a_walk"] == pytest.approx(1e9 / row["throughput_per_core"])
        assert row["cores"] == 2 or row["scaling"] == 1
    assert ended.output.count("A-RCU scales perfectly") >= 1


@pytest.mark.usefixtures("images")
def test_the_figure_of_a_list_in_the_kernel(tmp_path: Path) -> None:
    expect_figure(run_mxk(tmp_path / "log", ["--cpus", "2"], FIGURE))


def test_the_figure_of_a_list_in_the_linux_program() -> None:
    expect_figure(run_linux("--cores", "2", FIGURE))
    for option in (
        "--kind rcu",
        "--keys 7",
        "--update-pct 1",
        "--dist zipf:0.9",
        "--seed 2",
        "--repeat 3",
        "--warm-up 1",
    ):
        refused = run_linux(f"bench list --figure {option}", code=1)
        assert "--figure has kinds, a list and a number of runs of its own: expected no --kind, " in refused.output, (
            option
        )
    refused = run_linux("bench list --max-runs 3", code=1)
    assert "--max-runs: expected with --figure; without it, --repeat" in refused.output


def test_options_of_the_list_are_checked() -> None:
    ended = run_linux("bench list --update-pct 101", code=1)
    assert "--update-pct: expected a count such as 24M (0 to 100), got '101'" in ended.output
    ended = run_linux("bench list --kind rcu,spinn", code=1)
    assert "--kind: expected one of rcu, spin, ticket, rwlock, got 'spinn'" in ended.output
    listed = run_linux("help bench list").output
    assert "--kind NAME,NAME,...    rcu, spin, ticket, rwlock (none given: all)" in listed
    assert "of the operations that replace an item; 0 to 100; default 10" in listed


@pytest.mark.parametrize(
    "command",
    [
        "bench list --ms 10000 --cores 4 --kind ticket",
        "bench rcu-read --ms 10000 --cores 4 --kind ticket-shared",
        "bench rcu-read --ms 10000 --cores 1 --kind qsbr",
        "bench resize --ms 10000 --cores 2 --keys 10k",
    ],
)
def test_ctrl_c_ends_a_run_in_its_middle(command: str) -> None:
    begin = time.monotonic()
    output = interrupt_linux(command, command.split()[1] + ":", "--cores", "4")
    assert "error: interrupted by Ctrl-C" in output
    assert time.monotonic() - begin < 9  # a run takes 10 seconds


def test_chtbench_names_what_measures_the_same_and_rcu_counts_what_a_rcu_did() -> None:
    named = re.findall(r"bench (?:rcu-read|list|table|resize)[^\n]*", run_linux("chtbench").output)
    assert len(named) == 6
    small = {"rcu-read": "--ms 1", "list": "--ms 1 --keys 10", "table": "--ops 1000", "resize": "--keys 1000 --ms 1"}
    del named[named.index("bench list --figure")]  # which has a test of its own
    lines = "; ".join(f"{line} {small[line.split()[1]]} --cores 1 --repeat 1" for line in named)
    ended = run_linux("--cores", "2", lines)
    assert ended.code == 0, ended.output
    counted = run_linux("--cores", "2", "bench rcu --rcu a-rcu --ops 2k --waits 4 --repeat 1; rcu").output
    found = re.search(r"A-RCU \(bench rcu --rcu a-rcu\): (\d+) grace periods completed", counted)
    assert found
    assert int(found[1]) > 0

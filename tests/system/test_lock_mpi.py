"""Locks over MPI-3, with both implementations: what locks take for granted of them, and mutual exclusion of every kind
of lock, by eight ranks on two pretended nodes; and that a lock that leaves out a step does not pass."""

import os
import shutil
from pathlib import Path

import pytest
from mpi_mutants import PASSES, SECTIONS, expected_unnoticed, judge, kinds_of, mutants_of, smallest_numbers

from helpers import DRIVER, Ended, drive
from mxk_host.mpi import Mpi

BOTH = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
BENCHMARKS = ("ecsb", "wbab", "ccwb", "upb")
FINDINGS = {"iteration_ns", "variation_pct", "contention_pct", "node_changes", "max_bypass", "operations_home"}
NEEDED = ("bash", "dirname", "env", "readlink")  # of tools/mxk itself


def lock_mpi(mpi: str, commands: str, *options: str, timeout: float = 120) -> Ended:
    return drive("lock-mpi", "--mpi", mpi, *options, "--", commands, timeout=timeout)


@BOTH
def test_self_test_and_gate_of_every_lock(mpi: str) -> None:
    gate = f"gate --sections {SECTIONS} --passes {PASSES} --patience 60 --json"
    ended = lock_mpi(mpi, f"self-test --rounds 10 --json; {gate}; list --json")
    assert ended.code == 0, ended.output + ended.complaint
    parts = [row for row in ended.rows if row.get("benchmark") == "mpi-self-test"]
    assert {row["part"] for row in parts} == {"window", "1 byte", "2 bytes", "4 bytes", "8 bytes", "messages"}
    gates = [row for row in ended.rows if row.get("benchmark") == "lock-gate"]
    listed = [row["lock"] for row in ended.rows if "summary" in row]
    assert [row["lock"] for row in gates] == listed
    assert {"mcs", "rma-mcs", "c-mcs-mcs", "hmcs", "mpi-window", "d-mcs-published", "dash-put", "shfl"} <= set(listed)
    assert not any(name.startswith("hemlock") for name in listed)  # a lock of one memory
    for row in parts + gates:
        assert row["verified"], row
        assert (row["ranks"], row["nodes"], row["unified"]) == (8, 2, True)
        assert mpi in row["mpi"].lower().replace(" ", "")
    for row in gates:
        assert row["sections"] == 8 * (SECTIONS + 1 + 2)  # one takes the second lock, too; two are alone
        assert row["lost_updates"] == row["overlaps"] == row["wrong_messages"] == 0


# Of each kind of step one: a hand-over to another node, within a node, by a message; the wait for it; the upper lock; a
# record that is used again; and a hand-over that is not flushed, of which only a lazy MPI makes something.
LEFT_OUT = {
    "mcs, release() put 1: left-out",
    "mcs of a node, release() store 1: left-out",
    "mcs, release() store 1: left-out",
    "mcs, await() condition 1: never",
    "cohort, acquire() condition 1: never",
    "mcs, enter() store 1: left-out",
    "mcs, release() put 1: unflushed",
}


@BOTH
@pytest.mark.long(reason="a lock that hangs takes all processors for a second")
def test_the_gate_notices_a_step_that_is_left_out(mpi: str, tmp_path: Path) -> None:
    mutants = mutants_of(Mpi(mpi), ["mcs", "mcs-message", "c-mcs-mcs"], tmp_path)
    chosen = [mutant for mutant in mutants if mutant.name in LEFT_OUT]
    assert {mutant.name for mutant in chosen} == LEFT_OUT
    verdicts = judge(Mpi(mpi), chosen, SECTIONS, patience=1)
    assert [mutant.name for mutant in chosen if not verdicts[mutant].noticed] == []


@BOTH
@pytest.mark.long(reason="each lock that hangs takes seconds, and a start of the ranks")
@pytest.mark.skipif("MXK_LONG_TESTS" not in os.environ, reason="long: MXK_LONG_TESTS is not set")
def test_the_gate_notices_every_step_that_is_left_out(mpi: str, tmp_path: Path) -> None:
    mutants = mutants_of(Mpi(mpi), kinds_of(Mpi(mpi)), tmp_path)
    found = smallest_numbers(Mpi(mpi), mutants, (1, 2, SECTIONS))
    for mutant, (number, verdict) in found.items():
        print(f"{number or '-':>3} {verdict.noticed:10} {mutant.kind:18} {mutant.name}")
    unnoticed = {mutant.name for mutant, (number, _) in found.items() if number == 0}
    assert unnoticed - expected_unnoticed() == set()


@BOTH
def test_a_pass_within_a_node_needs_no_operation(mpi: str) -> None:
    ended = lock_mpi(mpi, "gate --lock c-mcs-mcs,c-mcs-hem,hmcs --sections 20 --json", "--ranks", "4", "--nodes", "1")
    assert ended.code == 0, ended.output + ended.complaint
    for row in ended.rows:
        # All are of the home's node: two operations there each time that nobody waits, none for a pass.
        assert row["operations"]["others"] == row["operations"]["messages"] == 0, row
        assert row["operations"]["home"] <= 2 * row["sections"], row


@BOTH
def test_benchmarks_say_what_the_kernels_say(mpi: str) -> None:
    commands = "; ".join(
        (
            "ecsb --lock mcs,c-mcs-mcs --seconds 0.05 --repeat 2 --json",
            "wbab --lock mcs --wait 0,1000 --seconds 0.05 --repeat 1 --json",
            "ccwb --lock mcs --k 2 --mode shared --seconds 0.1 --repeat 1 --json",
            "upb --lock c-mcs-mcs,mpi-window --locks 3 --repeat 1 --json",
        )
    )
    ended = lock_mpi(mpi, commands, "--ranks", "4")
    assert ended.code == 0, ended.output + ended.complaint
    rows = {name: [row for row in ended.rows if row["benchmark"] == f"lock {name}"] for name in BENCHMARKS}
    assert [len(rows[name]) for name in BENCHMARKS] == [2, 2, 1, 18]
    for row in ended.rows:
        assert row["verified"], row
        assert (row["fabric"], row["nodes"], row["ranks"], row["cores"]) == ("mpi", 2, 4, 4)
    for row in rows["ecsb"] + rows["wbab"] + rows["ccwb"]:
        assert row["throughput"]["median"] > 0
        assert set(row) >= FINDINGS
    of_upb = {(row["lock"], row["scenario"]): row for row in rows["upb"]}
    assert of_upb["c-mcs-mcs", "2c"]["operations_home"] == 2  # a free lock of nodes: one to acquire, one to release
    assert of_upb["mpi-window", "1a"]["nanoseconds"]["median"] > 0


@BOTH
def test_atomic_operations_in_place_of_plain_stores(mpi: str) -> None:
    ended = lock_mpi(mpi, "gate --lock mcs,d-mcs-put,c-mcs-mcs --sections 2 --conservative --json", "--ranks", "4")
    assert ended.code == 0, ended.output + ended.complaint
    assert all(row["conservative"] and row["verified"] for row in ended.rows)


def test_a_hang_is_named() -> None:
    # Open MPI's pt2pt keeps an operation back until it is flushed, which the published lock never asks for.
    ended = lock_mpi("openmpi", "gate --lock d-mcs-published --as-published --patience 3 --json", "--ranks", "4")
    assert ended.code == 4
    assert "hang: lock d-mcs-published: rank" in ended.complaint
    assert "a lock hangs" in ended.complaint
    assert any(row.get("error") == "hang" and row["lock"] == "d-mcs-published" for row in ended.rows)


@pytest.mark.parametrize(
    ("options", "commands", "expected"),
    [
        (["--ranks", "0"], "list", "expected --ranks from 1 to 256, got 0"),
        (["--ranks", "8", "--nodes", "3"], "list", "expected --nodes to divide the 8 ranks, got 3"),
        (["--mpi", "mpich", "--osc", "rdma"], "list", "expected --mpi openmpi with --osc"),
        ([], "", "expected commands"),
        (["--ranks", "2"], "gate --lock nonsense", "expected a lock that 'list' names, got 'nonsense'"),
        (["--ranks", "2"], "gait", "expected a command, got 'gait'"),
        (["--ranks", "2"], "gate --sections 0", "0"),
    ],
)
def test_wrong_usage_is_explained(options: list[str], commands: str, expected: str) -> None:
    ended = drive("lock-mpi", *options, "--", commands)
    assert ended.code == 2, ended.output + ended.complaint
    assert expected in ended.complaint


def test_a_missing_mpi_is_named(tmp_path: Path) -> None:
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        (tmp_path / name).symlink_to(found)
    ended = drive("lock-mpi", "--mpi", "mpich", "--", "list", PATH=os.fspath(tmp_path))
    assert ended.code == 2, f"{DRIVER}: {ended.output}{ended.complaint}"
    assert "expected mpirun.mpich to be installed (Debian: mpich)" in ended.complaint


def test_a_run_that_takes_too_long_is_ended() -> None:
    ended = lock_mpi("openmpi", "gate --lock mcs --seconds 60", "--ranks", "2", "--timeout", "2")
    assert ended.code == 4
    assert "the run took longer than 2 s" in ended.complaint

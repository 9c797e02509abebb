"""Tables over several ranks, by the real program: rows of the benchmark, floods, files, and what idle ranks take."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from test_cluster import BOTH, BUILT, LONG, check_lost, mark_of, running

from helpers import DRIVER, LINUX_BUILD, Ended, drive, run

pytestmark = BUILT


def cluster(commands: str, *options: str, mpi: str = "openmpi", ranks: int = 4, cores: int = 1) -> Ended:
    """A run of the commands to its end."""
    where = ("--mpi", mpi, "--ranks", str(ranks), "--cores", str(cores), *options)
    return drive("cluster", *where, "--", commands, timeout=300)


def check(ended: Ended) -> Ended:
    """It holds."""
    assert ended.code == 0, ended.output + ended.complaint
    return ended


@BOTH
def test_all_rows_are_verified(mpi: str) -> None:
    rows = check(cluster("bench table --ops 40k --ranks 2,4 --submit batch,task --warm-up 0 --json", mpi=mpi)).rows
    told = [(row["submit"], row["table_ranks"], row["mix"]) for row in rows if row.get("verified")]
    assert sorted(told) == sorted(
        (submit, ranks, phase)
        for submit in ("batch", "task") for ranks in (2, 4) for phase in ("insert", "find", "move", "erase")
    )  # fmt: skip
    for row in rows:
        assert (row["benchmark"], row["ranks"], row["transport"], row["network"]) == ("table", 4, "shm", "one")
        assert row["mpi"].lower().replace(" ", "").startswith(mpi)
    for row in rows:
        if row["submit"] != "batch" or row["mix"] == "move":
            continue
        assert row["operations_per_message"] >= 60
        assert 8 <= row["bytes_per_remote_operation"] <= 24  # keys there, values or bits back
        others = 1 - 1 / row["table_ranks"]  # share of keys that are another rank's
        assert row["remote_operations"] == pytest.approx(40_000 * others, rel=0.05)


def test_each_core_can_talk_itself() -> None:
    ended = check(cluster("bench table --ops 40k --submit batch,task --json", "--network", "each", ranks=2, cores=2))
    assert [row["verified"] for row in ended.rows if "verified" in row] == [True] * 6
    assert {row["network"] for row in ended.rows} == {"each"}


def test_a_table_that_nobody_owns_is_compared_with() -> None:
    rows = check(cluster("bench table --ops 20k --submit rma --json", ranks=2)).rows
    assert [(row["layout"], row["verified"]) for row in rows if "verified" in row] == [("rma", True)] * 3


def test_small_messages_and_few_credits_are_enough() -> None:
    options = "--message 256 --credits 1"
    ended = check(cluster("bench table --ops 20k --submit batch,task --json; flood --ops 20k", "--options", options))
    assert [row["verified"] for row in ended.rows if "verified" in row] == [True] * 6


def test_what_floods_arrives_in_the_memory_that_there_is() -> None:
    rows = check(cluster("flood --ops 300k --json", ranks=2)).rows
    assert [(row["tasks"], row["verified"]) for row in rows] == [(300_000, True)] * 2
    for row in rows:
        assert row["grown_bytes"] <= row["network_bytes"] + (8 << 20)  # MPI's own: it keeps what was small
        assert row["max_requests_on_the_way"] <= 8


def test_files_are_read_on_another_number_of_ranks(tmp_path: Path) -> None:
    check(cluster(f"save --folder {tmp_path} --keys 100k", ranks=4))
    first = sorted(tmp_path.iterdir())
    assert len(first) == 5
    ended = check(cluster(f"load --folder {tmp_path} --keys 100k", ranks=3))
    assert "100000 of 100000 keys have their values" in ended.output
    check(cluster(f"save --folder {tmp_path} --keys 90k --seed 2", ranks=2))
    assert len(list(tmp_path.iterdir())) == 3  # nothing is left of the old set
    assert "90000 of 90000" in check(cluster(f"load --folder {tmp_path} --keys 90k --seed 2", ranks=1)).output


def refused(folder: Path) -> str:
    """What is said of a set that cannot be read, by all ranks together."""
    ended = cluster(f"load --folder {folder} --keys 20k", ranks=2)
    assert ended.code == 1, ended.output + ended.complaint
    return ended.output + ended.complaint


def test_sets_that_are_not_whole_are_refused_by_name(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    check(cluster(f"save --folder {one} --keys 20k; save --folder {other} --keys 20k --seed 9", ranks=2))
    listed = (one / "table.set").read_text()
    part = next(one.glob("table-*-1"))
    content = part.read_bytes()

    part.unlink()
    assert f"{part.name}: cannot be read" in refused(one)
    part.write_bytes(content[:-5])
    assert "damaged: expected" in refused(one)
    part.write_bytes(content[:-5] + bytes([content[-5] ^ 1]) + content[-4:])
    assert "check sum" in refused(one)
    part.write_bytes(next(other.glob("table-*-1")).read_bytes())
    assert "it is of another set" in refused(one)
    part.write_bytes(content)
    (one / "table.set").write_text(listed.replace("set 1\n", "set 7\n", 1))
    assert "another version" in refused(one)
    (one / "table.set").write_text(listed[:-3])
    assert "table.set: damaged" in refused(one)
    (one / "table.set").write_text("something else\n")
    assert "expected the list of a saved table" in refused(one)
    (one / "table.set").unlink()
    assert "table.set: cannot be read" in refused(one)


def test_a_full_disk_leaves_the_old_set(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("expected to be root, to mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=3M", "none", disk)
    try:
        check(cluster(f"save --folder {disk} --keys 50k", ranks=2))
        before = {path.name: path.read_bytes() for path in disk.iterdir()}
        ended = cluster(f"save --folder {disk} --keys 500k", ranks=2)
        assert ended.code == 1
        assert "No space left on device" in ended.output + ended.complaint
        assert {path.name: path.read_bytes() for path in disk.iterdir()} == before
        assert "50000 of 50000" in check(cluster(f"load --folder {disk} --keys 50k", ranks=2)).output
    finally:
        run("umount", disk)


def test_ranks_with_other_options_are_refused() -> None:
    program = LINUX_BUILD / "mxk-cluster-openmpi"
    start = ("mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none")
    for first, second, said in (
        (["--cores", "1"], ["--cores", "2"], "expected the same --cores on all ranks, got 1 on rank 0 and 2 on rank 1"),
        (["--cores", "1", "--credits", "2"], ["--cores", "1"], "expected the same --credits and --message"),
        (["--cores", "1"], ["--cores", "x"], "rank 1: --cores: expected a count"),
    ):
        ended = run(*start, "-n", "1", program, *first, "exit", ":", "-n", "1", program, *second, "exit")
        assert ended.code == 2, ended.output + ended.complaint
        assert ended.complaint.count(said) == 1


def ticks_of(process: int) -> int:
    """Of processor time that it has taken, all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_idle_ranks_take_little(tmp_path: Path) -> None:
    """Eight wait for a command, each with less than 5 % of a processor."""
    words = ["cluster", "--ranks", "8", "--cores", "1"]
    with (tmp_path / "said").open("w") as said, subprocess.Popen(
        [DRIVER, *words], stdin=subprocess.PIPE, stdout=said, stderr=said, env={**os.environ, "MXK_CLUSTER_SHOW": "1"}
    ) as driver:  # fmt: skip
        assert driver.stdin is not None
        end = time.monotonic() + 60
        while (tmp_path / "said").read_text().count("is process") < 8 and time.monotonic() < end:
            time.sleep(0.1)
        lines = [line for line in (tmp_path / "said").read_text().splitlines() if "is process" in line]
        processes = [int(line.rsplit(" ", 1)[1]) for line in lines]
        assert len(processes) == 8
        driver.stdin.write(b"ranks\n")  # not a command; all have begun to wait when it is answered
        driver.stdin.flush()
        while "unknown command" not in (tmp_path / "said").read_text() and time.monotonic() < end:
            time.sleep(0.1)
        began, before = time.monotonic(), [ticks_of(process) for process in processes]
        time.sleep(5)  # the time that is measured
        shares = [
            (ticks_of(process) - ticks) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - began)
            for process, ticks in zip(processes, before, strict=True)
        ]
        driver.stdin.close()
        assert driver.wait(60) == 1  # the command that it did not know
    assert max(shares) < 0.05, shares


@LONG
@pytest.mark.long(reason="ten runs, each of which needs the seconds in which a lost rank is noticed")
@BOTH
def test_a_rank_that_is_killed_at_any_moment_ends_the_run(tmp_path: Path, mpi: str) -> None:
    moments = random.Random(7)
    commands = "bench table --ops 3M --submit batch,task --repeat 100"
    for number in range(10):
        folder = tmp_path / str(number)
        folder.mkdir()
        with running(folder, "--mpi", mpi, "--cores", "1", "--", commands) as job:
            processes = job.processes()
            rank = moments.randrange(4)
            mark = mark_of(processes[rank])
            time.sleep(moments.uniform(0, 4))
            os.kill(processes[rank], signal.SIGKILL)
            check_lost(job, rank, processes, mark)


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=LONG)])
def test_single_operations_are_linearizable(mpi: str) -> None:
    """Of four ranks on few keys, over links that delay messages and let them pass each other."""
    start = [
        f"mpirun.{mpi}",
        *(("--oversubscribe", "--allow-run-as-root", "--bind-to", "none") if mpi == "openmpi" else ()),
    ]
    program = LINUX_BUILD / f"mxk-cluster-test-{mpi}"
    ended = run(*start, "-n", "4", program, "--cores", "1", "--disturb", "7", "histories --ops 1500 --keys 8")
    assert ended.code == 0, ended.output + ended.complaint
    assert "linearizable" in ended.output

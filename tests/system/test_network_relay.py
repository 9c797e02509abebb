"""The relay between ranks in network namespaces: that it does what it counts; that a network which delays, reorders and
loses changes no result of the ranks; that a cut of such a network ends their run."""

import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from network_namespaces import NO_DEVICES, NOT_PERMITTED, Namespaces, are_devices_permitted, are_permitted, namespaces
from network_relay import Counts, Disturbance, Switch
from test_cluster import BUILT, FLOOD, LONG, Running, check_lost, mark_of, processes_of, running, wait_until

from helpers import LINUX_BUILD, Ended, drive

BY_ONE_MPI = pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=LONG)])
SPACES = pytest.mark.skipif(not are_permitted(), reason=NOT_PERMITTED)
DEVICES = pytest.mark.skipif(not are_devices_permitted(), reason=NO_DEVICES)
DISTURBANCE = Disturbance(seed=1, lost=0.01, delayed=0.1, delay=0.01)


def frame(to: int, sender: int, number: int = 0) -> bytes:
    """With a number for its content; of no type that this host takes for itself."""
    return bytes((2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, sender, 0x88, 0xB5)) + number.to_bytes(4, "big")


def know_each_other(switch: Switch) -> None:
    """Each port has sent something, to its own address, so that it goes nowhere."""
    for port in range(switch.ports):
        switch.take(port, frame(port, port), 0)


def test_what_is_counted_is_what_was_done() -> None:
    switch = Switch(3, Disturbance(seed=3, lost=0.1, delayed=0.3, delay=0.5))
    know_each_other(switch)
    for number in range(1000):
        switch.take(1, frame(2, 1, number), number / 1000)
    sent: list[tuple[float, int]] = []
    for tick in range(1600):
        for port, what in switch.due(tick / 1000):
            assert port == 2
            sent.append((tick / 1000, int.from_bytes(what[14:], "big")))
    delays = [time_sent - number / 1000 for time_sent, number in sent]
    numbers = [number for _, number in sent]
    passed = sum(number < max(numbers[:at], default=0) for at, number in enumerate(numbers))
    assert len(set(numbers)) == len(numbers)
    assert min(delays) >= 0
    assert max(delays) < 0.502
    counts = switch.counts
    assert (counts.forwarded, counts.lost, counts.reordered) == (len(numbers), 1000 - len(numbers), passed)
    assert counts.delayed >= sum(delay > 0.001 for delay in delays) > 200
    assert min(counts.lost, counts.reordered) > 50
    assert counts.cut == 0


def test_the_seed_decides_what_happens() -> None:
    def happened(seed: int) -> tuple[Counts, list[tuple[int, bytes]]]:
        switch = Switch(3, Disturbance(seed, lost=0.2, delayed=0.3, delay=0.5))
        know_each_other(switch)
        for number in range(100):
            switch.take(1, frame(2, 1, number), 0)
        return switch.counts, switch.due(1)

    assert happened(5) == happened(5) != happened(6)


def test_frames_go_where_their_address_was_seen_and_all_others_everywhere() -> None:
    switch = Switch(3, Disturbance(seed=0, lost=0, delayed=0, delay=0))
    switch.take(1, frame(2, 1), 0)
    assert [port for port, _ in switch.due(0)] == [0, 2]
    switch.take(2, frame(1, 2), 0)
    assert [port for port, _ in switch.due(0)] == [1]
    assert switch.counts.forwarded == 2  # without what went to port 0
    switch.take(2, b"\xff" * 6 + frame(0, 2)[6:], 0)
    assert [port for port, _ in switch.due(0)] == [0, 1]
    for wrong in (b"", frame(1, 2)[:13], frame(1, 2)[:6] + b"\xff" * 8):
        switch.take(2, wrong, 0)
    assert switch.due(0) == []


def test_port_0_is_not_disturbed() -> None:
    switch = Switch(2, Disturbance(seed=0, lost=1, delayed=1, delay=1))
    know_each_other(switch)
    switch.take(0, frame(1, 0), 0)
    switch.take(1, frame(0, 1), 0)
    assert [port for port, _ in switch.due(0)] == [1, 0]
    assert switch.counts == Counts()


def test_nothing_passes_a_link_that_is_cut() -> None:
    switch = Switch(4, Disturbance(seed=0, lost=0, delayed=1, delay=1))
    know_each_other(switch)
    switch.due(1)
    switch.take(1, frame(2, 1), 1)  # is on its way
    switch.cut(2)
    switch.take(2, frame(1, 2), 1)
    switch.take(1, frame(3, 1), 1)
    assert [port for port, _ in switch.due(2)] == [3]
    assert switch.counts.cut == 2
    with pytest.raises(ValueError, match="expected a port below 4, got 4"):
        switch.cut(4)


def check_disturbed(spaces: Namespaces) -> Counts:
    """Frames between ranks were lost, delayed and reordered, some of each; ends the relay."""
    assert spaces.relay is not None
    counts = spaces.relay.end()
    assert min(counts.lost, counts.delayed, counts.reordered) > 5, counts
    return counts


def disturbed(folder: Path, mpi: str, commands: str, **environment: str) -> Ended:
    """A run of two ranks to its end, over a network that is not cut."""
    with namespaces(2, folder, DISTURBANCE) as spaces:
        where = ("--hosts", str(spaces.hosts_file(folder, 1)), "--agent", str(spaces.agent), "--transport", "tcp")
        words = ("--mpi", mpi, "--ranks", "2", "--cores", "1", *where, "--", commands)
        ended = drive("cluster", *words, timeout=120, **environment)
        assert ended.code == 0, ended.output + ended.complaint
        counts = check_disturbed(spaces)
    assert counts.forwarded > 500
    assert counts.cut == 0
    return ended


@BUILT
@SPACES
@DEVICES
@BY_ONE_MPI
def test_a_network_that_delays_reorders_and_loses_changes_no_result(tmp_path: Path, mpi: str) -> None:
    ended = disturbed(tmp_path, mpi, "bench table --ops 20K --submit batch,task --json")
    told = [(row["submit"], row["mix"], row["verified"]) for row in ended.rows if "throughput" in row]
    assert told == [(submit, mix, True) for submit in ("batch", "task") for mix in ("insert", "find", "erase")]


@BUILT
@SPACES
@DEVICES
@BY_ONE_MPI
def test_single_operations_are_linearizable_over_such_a_network(tmp_path: Path, mpi: str) -> None:
    """By the program of the tests, where tools/mxk looks for the other one."""
    (tmp_path / f"mxk-cluster-{mpi}").symlink_to((LINUX_BUILD / f"mxk-cluster-test-{mpi}").resolve(strict=True))
    commands = "histories --ops 500 --keys 4"
    ended = disturbed(tmp_path, mpi, commands, MXK_LINUX_BUILD=os.fspath(tmp_path))
    assert "1000 operations of 2 ranks are linearizable" in ended.output


@BUILT
@SPACES
@DEVICES
@BY_ONE_MPI
def test_such_a_network_that_is_cut_ends_the_run(tmp_path: Path, mpi: str) -> None:
    with namespaces(4, tmp_path, DISTURBANCE) as spaces:
        where = ("--hosts", str(spaces.hosts_file(tmp_path, 1)), "--agent", str(spaces.agent), "--transport", "tcp")
        with running(tmp_path, "--mpi", mpi, "--cores", "1", *where, "--", FLOOD) as job:
            processes = job.processes()
            mark = mark_of(processes[1])
            time.sleep(1)  # into the flood
            spaces.cut(2)  # the second host has rank 1
            check_lost(job, 1, processes, mark)
        assert check_disturbed(spaces).cut > 0


def ended_by_cut(folder: Path, words: Sequence[str], when: Callable[[Running], None], port: int) -> Ended:
    """How two ranks end, a host for each, when the link of a host is cut (0: this one's) once `when` is over: within
    10 s of the cut, and nothing is left."""
    with namespaces(2, folder, Disturbance(seed=1, lost=0, delayed=0, delay=0)) as spaces:
        where = ("--hosts", str(spaces.hosts_file(folder, 1)), "--agent", str(spaces.agent), "--transport", "tcp")
        with running(folder, *words, "--cores", "1", *where, "--", "flood --ops 2K --json", ranks=2) as job:
            mark = run_mark(job)
            when(job)
            spaces.cut(port)
            ended = job.ended(10)
        assert processes_of(mark) == []
    return ended


def run_mark(job: Running) -> str:
    """Of the run that this driver has begun."""
    children = Path(f"/proc/{job.driver.pid}/task/{job.driver.pid}/children")
    found: list[str] = []

    def is_found() -> bool:
        """After exec, and of a child that has not ended: the starter is not the driver's first one."""
        for child in children.read_text().split():
            with suppress(OSError):
                text = Path(f"/proc/{child}/environ").read_bytes().decode()
                found.extend(re.findall(r"MXK_CLUSTER_RUN=([^\0]+)", text))
        return bool(found)

    wait_until(is_found)
    return found[0]


def until_verified(job: Running) -> None:
    """When all has been printed, and ranks are about to leave."""
    while '"verified"' not in job.files[0].read_text():
        assert job.driver.poll() is None, job.files[1].read_text()
        time.sleep(0.001)


@BUILT
@SPACES
@DEVICES
@BY_ONE_MPI
def test_a_link_that_is_cut_while_ranks_leave_ends_the_run(tmp_path: Path, mpi: str) -> None:
    ended = ended_by_cut(tmp_path, ("--mpi", mpi), until_verified, 2)
    assert (ended.code, "tools/mxk: rank 1 was lost" in ended.complaint) == (5, True), ended.complaint


@LONG
@pytest.mark.long(reason="twelve runs, each of which needs the seconds in which a lost rank is noticed")
@BUILT
@SPACES
@DEVICES
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_no_moment_of_leaving_is_unwatched(tmp_path: Path, mpi: str) -> None:
    """After the last beats MPI's own end is limited; and a rank that had ended before has not lost anything."""
    how: list[str] = []
    for number in range(12):
        folder = tmp_path / str(number)
        folder.mkdir()

        def a_moment_later(job: Running, seconds: float = number * 0.005) -> None:
            until_verified(job)
            time.sleep(seconds)

        ended = ended_by_cut(folder, ("--mpi", mpi), a_moment_later, 2)
        assert (ended.code == 0) or (ended.code, "tools/mxk: rank 1 was lost" in ended.complaint) == (5, True)
        how.append(ended.complaint)
    assert any("the end took longer than 5.0 s" in said for said in how), how


@BUILT
@SPACES
@DEVICES
@BY_ONE_MPI
def test_a_starter_that_is_cut_off_ends_the_run(tmp_path: Path, mpi: str) -> None:
    ended = ended_by_cut(tmp_path, ("--mpi", mpi), until_verified, 0)
    said = f"ranks 0, 1 were lost: nothing was heard of them for 7.5 s; mpirun.{mpi} may be cut off"
    assert (ended.code, said in ended.complaint) == (5, True), ended.complaint


@BUILT
@SPACES
@DEVICES
@BY_ONE_MPI
def test_a_link_that_is_cut_before_ranks_are_there_ends_the_run(tmp_path: Path, mpi: str) -> None:
    ended = ended_by_cut(tmp_path, ("--mpi", mpi, "--start-within", "5"), lambda job: None, 2)
    said = r"^tools/mxk: (ranks 0, 1 were|rank 1 was) not there 5 s after the start"
    assert (ended.code, bool(re.search(said, ended.complaint, re.MULTILINE))) == (5, True), ended.complaint

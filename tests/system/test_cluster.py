"""tools/mxk cluster: what it refuses, what it makes of the ends of ranks, and that nothing is left of them, with a
starter and a program that are scripts; and the same with both implementations of MPI, on one host and on several."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from network_namespaces import NOT_PERMITTED, are_permitted, namespaces

from helpers import DRIVER, LINUX_BUILD, Ended, drive
from mxk_host.cluster import Told
from mxk_host.cluster_run import ClusterRun
from mxk_host.mpi import Mpi

BOTH = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
BUILT = pytest.mark.skipif(
    not (LINUX_BUILD / "mxk-cluster-openmpi").is_file(), reason="mxk-cluster-openmpi was not built"
)
LONG = pytest.mark.skipif("MXK_LONG_TESTS" not in os.environ, reason="long: MXK_LONG_TESTS is not set")
NEEDED = ("bash", "dirname", "env", "readlink")  # of tools/mxk itself
FLOOD = "flood --ops 100M"

# Starts as many as are asked for, each in a session of its own, as MPICH's starter does; rank 0 has the standard input.
STARTER = """#!/bin/bash
while [ "$1" != -n ]; do shift; done
ranks=$2
shift 2
for ((rank = 1; rank < ranks; ++rank)); do
    OMPI_COMM_WORLD_RANK=$rank setsid "$@" </dev/null &
done
exec 4<&0
OMPI_COMM_WORLD_RANK=0 setsid "$@" <&4 &
wait
"""
# Its commands are the shell's.
PROGRAM = """#!/bin/bash
rank=$OMPI_COMM_WORLD_RANK
if [ $# = 0 ]; then
    [ $rank != 0 ] || exec cat
    exit 0
fi
echo "$rank: $TMPDIR" >>"$(dirname "$0")/folders"
eval "${!#}"
"""
LOST = "mxk-cluster: rank 1 (host h, process 7) was lost: nothing heard for 5.0 s"


@pytest.fixture
def scripts(tmp_path: Path) -> dict[str, str]:
    """Variables by which a starter and a program are found that are scripts."""
    for name, text in (("mpirun.openmpi", STARTER), ("mxk-cluster-openmpi", PROGRAM)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return {"PATH": f"{tmp_path}:{os.environ['PATH']}", "MXK_LINUX_BUILD": os.fspath(tmp_path)}


def check_nothing_left(folders: Path, ranks: int) -> None:
    """The ranks said where the run's folder was."""
    places = {line.partition(": ")[0]: line.partition(": ")[2] for line in folders.read_text().splitlines()}
    assert len(places) == ranks
    assert len(set(places.values())) == 1
    folder = Path(next(iter(places.values())))
    assert folder.name.startswith("mxk-cluster-")
    assert not folder.exists()
    assert processes_of(folder.name) == []


def processes_of(mark: str) -> list[str]:
    """Those, with their states, that carry the run's mark."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdecimal() and f"={mark}".encode() in (place / "environ").read_bytes():
                found.append((place / "stat").read_text())
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("exit 0", 0, ""),
        ("exit $((rank == 1))", 1, "something does not hold: mxk-cluster-openmpi"),
        ("exit 2", 2, "wrong usage"),
        ("exit $((rank == 2 ? 2 : 1))", 2, "wrong usage"),
        ("exit $((rank == 1 ? 3 : 0))", 3, "a rank panicked"),
        ("exit $((rank == 1 ? 77 : 0))", 5, "rank 1 ended with status 77"),
        ("[ $rank = 1 ] && kill -9 $$; sleep 1; exit 5", 5, "rank 1 was lost, killed by SIGKILL"),
        ("[ $rank = 1 ] && kill -SEGV $$; sleep 1; exit 5", 5, "rank 1 was lost, killed by SIGSEGV"),
        (f"[ $rank = 1 ] && kill -STOP $$; echo '{LOST}' >&2; exit 5", 5, "tools/mxk: rank 1 was lost: mxk-cluster"),
        ("[ $rank = 1 ] && kill -9 $$; sleep 60", 5, "rank 1 was lost, killed by SIGKILL"),
    ],
)
def test_what_ends_of_ranks_mean(scripts: dict[str, str], command: str, code: int, said: str) -> None:
    began = time.monotonic()
    ended = drive("cluster", "--ranks", "3", "--", command, **scripts)
    assert ended.code == code, ended.output + ended.complaint
    assert said in ended.complaint
    assert "ended with status 0" not in ended.complaint
    assert ended.complaint.count("tools/mxk: ") == (code != 0)
    assert time.monotonic() - began < 25
    check_nothing_left(Path(scripts["MXK_LINUX_BUILD"]) / "folders", 3)


def test_a_run_that_takes_too_long_is_ended(scripts: dict[str, str]) -> None:
    ended = drive("cluster", "--ranks", "2", "--timeout", "4", "--", "sleep 60 & wait", **scripts)
    assert (ended.code, "the run took longer than 4 s" in ended.complaint) == (4, True), ended.complaint
    check_nothing_left(Path(scripts["MXK_LINUX_BUILD"]) / "folders", 2)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("[ $rank = 1 ] && kill -STOP 0; sleep 60", "rank 1 was lost: nothing was heard of it for 3.5 s"),
        ("[ $rank = 1 ] && kill -STOP 0; exit 0", "rank 1 was lost: nothing was heard of it for 3.5 s"),
        ("kill -STOP 0", "ranks 0, 1, 2 were lost: nothing was heard of them for 3.5 s; mpirun.openmpi may be cut off"),
    ],
)
def test_ranks_of_which_nothing_is_heard_are_named(scripts: dict[str, str], command: str, said: str) -> None:
    """A host that stands still or is cut off, with the shell that tells of its rank."""
    began = time.monotonic()
    ended = drive("cluster", "--ranks", "3", "--lost-after", "1", "--", command, **scripts)
    assert (ended.code, said in ended.complaint) == (5, True), ended.complaint
    assert ended.complaint.count("\n") == 1
    assert time.monotonic() - began < 10
    check_nothing_left(Path(scripts["MXK_LINUX_BUILD"]) / "folders", 3)


@pytest.mark.parametrize(
    ("spoke_last", "named", "after"),
    [
        ((20, 20.9, 18.1), [0, 1, 2], 28.4),  # fell silent together, the words of one delayed
        ((20, 99, 20.9), [0, 2], 28.4),
        ((20, 99, 23), [0], 28.0),  # the third is heard again: only the first stays silent
    ],
)
def test_all_ranks_that_fell_silent_together_are_named(
    spoke_last: tuple[float, ...], named: list[int], after: float
) -> None:
    told = Told(ClusterRun(Mpi.OPENMPI, 3, "topology"), 120, 0)
    tenths = 0
    while told.until > (now := tenths / 10):
        for rank, last in enumerate(spoke_last):
            if (now <= last or (last == 23 and now > 27.7)) and (tenths + 3 * rank) % 10 == 0:
                told.hear(f"mxk-cluster: rank {rank} lives\n", now)
        told.look(now, is_blocked=False)
        tenths += 1
    assert (told.silent, now) == (named, pytest.approx(after, abs=0.5))


def test_a_start_that_does_not_end_is_ended(scripts: dict[str, str]) -> None:
    """Rank 1 says, as the program does, that it is there."""
    command = '[ $rank = 1 ] && echo "mxk-cluster: rank 1 is process $$" >&2; sleep 60'
    ended = drive("cluster", "--ranks", "4", "--start-within", "3", "--", command, **scripts)
    said = "tools/mxk: ranks 0, 2, 3 were not there 3 s after the start: mxk-cluster-openmpi"
    assert (ended.code, ended.complaint[: len(said)]) == (5, said), ended.complaint
    check_nothing_left(Path(scripts["MXK_LINUX_BUILD"]) / "folders", 4)


def test_a_driver_that_stood_still_hears_the_ranks_first(scripts: dict[str, str]) -> None:
    words = ("cluster", "--ranks", "2", "--lost-after", "1", "--start-within", "4", "--")
    folders = Path(scripts["MXK_LINUX_BUILD"]) / "folders"
    with subprocess.Popen(
        [DRIVER, *words, 'sleep 2; echo "mxk-cluster: rank $rank is process $$" >&2; sleep 5'],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **scripts},
    ) as driver:  # fmt: skip
        wait_until(lambda: folders.is_file() and len(folders.read_text().splitlines()) == 2)
        driver.send_signal(signal.SIGSTOP)
        time.sleep(5)  # longer than ranks may be silent
        driver.send_signal(signal.SIGCONT)
        _, complaint = driver.communicate(timeout=20)
    assert (driver.returncode, complaint) == (0, "")


@pytest.mark.parametrize(("before", "command", "code"), [("exec 4", "kill -STOP 0", 5), ("#", "exit 0", 0)])
def test_a_reader_that_stands_still_is_waited_for(
    scripts: dict[str, str], before: str, command: str, code: int
) -> None:
    """The starter, whose output fills the pipe before the ranks or after them, passes nothing on meanwhile."""
    starter = Path(scripts["MXK_LINUX_BUILD"]) / "mpirun.openmpi"
    starter.write_text((STARTER + "#\n").replace(f"\n{before}", f"\nhead -c 1M /dev/zero\n{before}"))
    words = ("cluster", "--ranks", "2", "--lost-after", "1", "--start-within", "2", "--", command)
    with subprocess.Popen(
        [DRIVER, *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **scripts},
    ) as driver:  # fmt: skip
        assert driver.stdout is not None
        with pytest.raises(subprocess.TimeoutExpired):
            driver.wait(8)  # longer than ranks may be silent, may take to start, or the starter to end
        assert len(driver.stdout.read()) == 1 << 20
        assert driver.wait(10) == code


def test_output_streams_through_and_nothing_of_it_is_lost(scripts: dict[str, str]) -> None:
    ended = drive("cluster", "--ranks", "2", "--", "echo out $rank; printf 'no end %s' $rank >&2", **scripts)
    assert (ended.code, sorted(ended.output.split("\n"))) == (0, ["", "out 0", "out 1"])
    assert sorted(ended.complaint) == sorted("no end 0" + "no end 1")


def test_without_commands_rank_0_has_the_standard_input(scripts: dict[str, str]) -> None:
    done = subprocess.run(
        [DRIVER, "cluster", "--ranks", "2"],
        input="topology\n", capture_output=True, text=True, timeout=30, check=False, env={**os.environ, **scripts},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "topology\n"), done.stderr


def test_a_starter_that_fails_is_named(scripts: dict[str, str]) -> None:
    Path(scripts["MXK_LINUX_BUILD"], "mpirun.openmpi").write_text("#!/bin/sh\necho no slots >&2\nexit 3\n")
    ended = drive("cluster", "--", "topology", **scripts)
    assert ended.code == 5
    assert ended.complaint.startswith("no slots\ntools/mxk: mpirun.openmpi ended with status 3 before all ranks had")


def test_a_driver_that_is_ended_ends_the_ranks(scripts: dict[str, str]) -> None:
    folders = Path(scripts["MXK_LINUX_BUILD"]) / "folders"
    with subprocess.Popen(
        [DRIVER, "cluster", "--ranks", "2", "--", "sleep 60"],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **scripts},
    ) as driver:  # fmt: skip
        wait_until(lambda: folders.is_file() and len(folders.read_text().splitlines()) == 2)
        driver.send_signal(signal.SIGTERM)
        _, complaint = driver.communicate(timeout=20)
    assert (driver.returncode, complaint) == (128 + signal.SIGTERM, "tools/mxk: ended by SIGTERM\n")
    check_nothing_left(folders, 2)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--ranks", "0"], "expected --ranks from 1 to 256, got 0"),
        (["--ranks", "257"], "expected --ranks from 1 to 256, got 257"),
        (["--lost-after", "0"], "expected --lost-after from 1 to 3600 s, got 0"),
        (["--start-within", "nan"], "expected a finite number, got nan"),
        (["--start-within", "0"], "expected --start-within as more than 0 s, got 0"),
        (["--options", "--lost-after 7"], "expected --lost-after as an option of tools/mxk cluster, not in --options"),
        (["--options", "--lost-after=7"], "expected --lost-after as an option of tools/mxk cluster, not in --options"),
        (["--cores", "0"], "expected --cores from 1 to 4096, of each rank, got 0"),
        (["--hosts", "{folder}/none"], "none: there is no such file"),
    ],
)
def test_wrong_usage_is_explained(scripts: dict[str, str], options: list[str], expected: str) -> None:
    words = [option.format(folder=scripts["MXK_LINUX_BUILD"]) for option in options]
    ended = drive("cluster", *words, "--", "topology", **scripts)
    assert ended.code == 2, ended.output + ended.complaint
    assert expected.partition(": ")[0] in ended.complaint
    assert ended.complaint.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "hosts: expected a line for each host, 'name [slots]', got none"),
        ("# 127.0.0.1 4\n\n", "hosts: expected a line for each host, 'name [slots]', got none"),
        ("127.0.0.1 3\n", "hosts: expected 4 slots, one for each rank, got 3"),
        ("127.0.0.1 4 5\n", "hosts:1: expected 'name [slots]', got 127.0.0.1 4 5"),
        ("\n127.0.0.1 0\n", "hosts:2: expected from 1 to 256 slots, got 0"),
        ("127.0.0.1 257\n", "hosts:1: expected from 1 to 256 slots, got 257"),
        ("127.0.0.1 -1\n", "hosts:1: expected from 1 to 256 slots, got -1"),
        ("127.0.0.1 four\n", "hosts:1: expected from 1 to 256 slots, got four"),
        ("127.0.0.1 2\n127.0.0.1 2\n", "hosts:2: expected each host once, got 127.0.0.1 again"),
        ("localhost 2\n127.0.0.1 2\n", "hosts:2: expected each host once, got 127.0.0.1 again"),
        ("-oProxyCommand=x 4\n", "hosts:1: expected a host's name or IPv4 address, got -oProxyCommand=x"),
        ("a;b 4\n", "hosts:1: expected a host's name or IPv4 address, got a;b"),
        ("127.0.0.1 3 # three\nno-such-host.invalid\n", "hosts:2: expected a host that can be found, got no-such-host"),
    ],
)
def test_a_wrong_file_of_hosts_is_explained(scripts: dict[str, str], tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "hosts").write_text(text)
    ended = drive("cluster", "--ranks", "4", "--hosts", str(tmp_path / "hosts"), "--", "topology", **scripts)
    assert ended.code == 2, ended.output + ended.complaint
    assert ended.complaint.startswith(f"tools/mxk: {tmp_path}/{expected}")
    assert ended.complaint.count("\n") == 1


def test_a_missing_agent_program_and_mpi_are_named(scripts: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("127.0.0.1 4\n")
    words = ("cluster", "--hosts", str(tmp_path / "hosts"), "--agent", "no-such-agent", "--", "topology")
    ended = drive(*words, **scripts)
    assert (ended.code, "expected --agent as a program" in ended.complaint) == (2, True), ended.complaint
    (tmp_path / "mxk-cluster-openmpi").unlink()
    ended = drive("cluster", "--", "topology", **scripts)
    assert (ended.code, "make cluster builds it first" in ended.complaint) == (2, True), ended.complaint
    (tmp_path / "bin").mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        (tmp_path / "bin" / name).symlink_to(found)
    ended = drive("cluster", "--mpi", "mpich", "--", "topology", PATH=str(tmp_path / "bin"))
    assert ended.code == 2
    assert "expected mpirun.mpich to be installed (Debian: mpich)" in ended.complaint


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Until it holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


class Running:
    """A run of tools/mxk cluster that goes on meanwhile."""

    def __init__(self, folder: Path, *words: str, ranks: int) -> None:
        self.ranks = ranks
        self.files = [folder / "output", folder / "complaint"]
        with self.files[0].open("w") as output, self.files[1].open("w") as complaint:
            self.driver = subprocess.Popen(
                [DRIVER, "cluster", "--ranks", str(ranks), *words],
                stdin=subprocess.DEVNULL, stdout=output, stderr=complaint, env={**os.environ, "MXK_CLUSTER_SHOW": "1"},
            )  # fmt: skip

    def processes(self) -> dict[int, int]:
        """Those of the ranks, once all are there."""
        found: dict[int, int] = {}

        def are_all_there() -> bool:
            said = re.findall(r"^mxk-cluster: rank (\d+) is process (\d+)$", self.files[1].read_text(), re.MULTILINE)
            found.update({int(rank): int(process) for rank, process in said})
            return len(found) == self.ranks or self.driver.poll() is not None

        wait_until(are_all_there)
        assert len(found) == self.ranks, self.files[1].read_text()
        return found

    def ended(self, seconds: float) -> Ended:
        """The end, which has to come in this time."""
        code = self.driver.wait(seconds)
        return Ended(code, *(file.read_text() for file in self.files))


@contextmanager
def running(folder: Path, *words: str, ranks: int = 4) -> Iterator[Running]:
    """A run that is ended with the block."""
    job = Running(folder, *words, ranks=ranks)
    try:
        yield job
    finally:
        if job.driver.poll() is None:
            job.driver.terminate()
            job.driver.wait(30)


def check_lost(job: Running, rank: int, processes: dict[int, int], mark: str) -> None:
    """All is over within 10 s, and nothing is left."""
    ended = job.ended(10)
    assert ended.code == 5, ended.output + ended.complaint
    assert f"tools/mxk: rank {rank} was lost" in ended.complaint
    assert re.search(rf"^mxk-cluster: rank {rank} \(host .*\) was lost: ", ended.complaint, re.MULTILINE)
    assert processes_of(mark) == []
    assert not Path("/dev/shm", mark).exists()
    assert not [process for process in processes.values() if is_alive(process)]


def is_alive(process: int) -> bool:
    """Whether it is there, and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def mark_of(process: int) -> str:
    """The name of the run that the process is of, and of its folder."""
    variables = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
    return next(word.partition("=")[2] for word in variables if word.startswith("MXK_CLUSTER_RUN="))


@BUILT
@BOTH
@pytest.mark.parametrize("transport", ["shm", "tcp"])
def test_the_ranks_know_of_each_other(mpi: str, transport: str) -> None:
    options = ("--mpi", mpi, "--ranks", "4", "--cores", "1", "--transport", transport)
    ended = drive("cluster", *options, "--", "topology", timeout=120)
    assert ended.code == 0, ended.output + ended.complaint
    assert set(re.findall(r"\brank (\d+)", ended.output)) == {"0", "1", "2", "3"}


@BUILT
@pytest.mark.parametrize(
    ("mpi", "transport", "number"),
    [
        ("openmpi", "shm", signal.SIGKILL),
        pytest.param("openmpi", "tcp", signal.SIGKILL, marks=LONG),
        pytest.param("mpich", "shm", signal.SIGKILL, marks=LONG),
        ("mpich", "tcp", signal.SIGKILL),
        pytest.param("openmpi", "shm", signal.SIGSTOP, marks=LONG),
    ],
)
def test_a_rank_that_is_lost_ends_the_run(tmp_path: Path, mpi: str, transport: str, number: signal.Signals) -> None:
    words = ("--mpi", mpi, "--cores", "1", "--transport", transport, "--", FLOOD)
    with running(tmp_path, *words) as job:
        processes = job.processes()
        mark = mark_of(processes[2])
        time.sleep(1)  # into the flood
        os.kill(processes[2], number)
        check_lost(job, 2, processes, mark)


@LONG
@BUILT
@BOTH
@pytest.mark.skipif(not are_permitted(), reason=NOT_PERMITTED)
def test_a_link_that_is_cut_ends_the_run(tmp_path: Path, mpi: str) -> None:
    with namespaces(4, tmp_path) as spaces:
        hosts = spaces.hosts_file(tmp_path, 1)
        where = ("--hosts", str(hosts), "--agent", str(spaces.agent), "--transport", "tcp")
        with running(tmp_path, "--mpi", mpi, "--cores", "1", *where, "--", FLOOD) as job:
            processes = job.processes()
            mark = mark_of(processes[1])
            time.sleep(1)
            spaces.cut(2)  # the second host has rank 1
            check_lost(job, 1, processes, mark)

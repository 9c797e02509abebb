"""Starts mxk-cluster, several ranks of MXK, by the starter of an implementation of MPI, passes on what they say, and
sees to it that nothing of them is left."""

import os
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from mxk_host.cluster_hosts import Host
from mxk_host.cluster_run import ClusterRun
from mxk_host.errors import DriverError, ExitCode, signal_name
from mxk_host.marked_processes import VARIABLE, end_command, end_marked
from mxk_host.mpi import kept_environment
from mxk_host.runner import handled_by

SHARED_MEMORY = Path("/dev/shm")
SHOW = "MXK_CLUSTER_SHOW"  # in the environment: which process each rank is
# Seconds: for the ranks, more than they take to miss one; and after the first of them has said that one was lost.
TO_HEAR, TO_AGREE = 2.5, 2.0
# For the starter, once of all ranks is known how they ended: by themselves, or not.
TO_END, TO_FLUSH = 5.0, 0.5
TO_REACH = 10.0  # another host, to end there what is left
# Behind a line that was not finished, too.
_TOLD = re.compile(r"mxk-cluster: rank (\d+) (?:(lives)|is process \d+|ended with status (\d+))\n$")
_LOST = re.compile(r"mxk-cluster: rank (\d+) .*was lost")
_ANY_LOST = "mxk-cluster: a rank was lost"


class Told:
    """What was said on standard error of the ranks, by them and by their shells, which say each second that they live,
    and until when there is something to wait for. Of a rank whose host is cut off from this one, nothing is heard."""

    def __init__(self, job: ClusterRun, start_within: float, now: float) -> None:
        self.ranks = job.ranks
        self.statuses: dict[int, int] = {}
        self.lost: list[int] = []  # as others say
        self.is_any_lost = False
        self.until = float("inf")
        self.silent: list[int] = []  # for as many seconds as are too long:
        self.too_long = job.lost_after + TO_HEAR
        self.missing: list[int] = []  # after the time for the start
        self.start_within = start_within
        self._heard: dict[int, float] = {}
        self._silent_since = float("inf")
        self._there: set[int] = set()
        self._start_ends = now + start_within
        self._looked = now

    def hear(self, line: str, now: float) -> str:
        """What of the line is for the person, too."""
        shown = line
        if told := _TOLD.search(line):
            rank = int(told[1])
            self._heard[rank] = now
            if told[3]:
                self.statuses[rank] = int(told[3])
                if self.has_failed:
                    self._wait(self.too_long, now)
            elif not told[2]:
                self._there.add(rank)
            if told[2] or told[3] or SHOW not in os.environ:
                shown = line[: told.start()]
        elif lost := _LOST.match(line):
            self.lost.append(int(lost[1]))
        if self.lost or line.startswith(_ANY_LOST):
            self.is_any_lost = True
            self.too_long = TO_HEAR  # so that it is named
            self._wait(TO_AGREE, now)
        if len(self.statuses.keys() | set(self.lost)) == self.ranks:
            self._wait(TO_FLUSH if self.has_failed or self.lost else TO_END, now)
        return shown

    def look(self, now: float, is_blocked: bool) -> None:
        """Who is missing, or silent, once each other rank has spoken since or is silent, too: ranks that fell
        silent together spoke last at different times. Called each 0.1 s: if not, this process stood still, and hears
        the ranks first. `is_blocked`: nobody takes what the starter writes, which then passes on nothing."""
        if (away := now - self._looked) > 1 or is_blocked:
            self._heard = {rank: heard + away for rank, heard in self._heard.items()}
            self._silent_since += away
            self._start_ends += away
            self.until += away
        self._looked = now
        running = [rank for rank in range(self.ranks) if rank not in self.statuses]
        self.silent = [rank for rank in running if now - self._heard.get(rank, now) > self.too_long]
        if now > self._start_ends:
            self.missing = [rank for rank in running if rank not in self._there]
        self._silent_since = min(self._silent_since, now) if self.silent else float("inf")
        awaited = [rank for rank in running if self._heard.get(rank, now) <= self._silent_since]
        is_known = set(awaited) <= set(self.silent)
        if (self.silent and is_known and not self.is_any_lost) or self.missing:
            self.until = now

    def _wait(self, seconds: float, now: float) -> None:
        self.until = min(self.until, now + seconds)

    @property
    def has_failed(self) -> bool:
        """Whether a rank has ended with a status that none of the program's own ends has."""
        return any(status > ExitCode.USAGE for status in self.statuses.values())

    @property
    def lost_rank(self) -> int | None:
        """The one that was lost: it was killed, or is the first that another one missed."""
        killed = [rank for rank, status in self.statuses.items() if status > 128]
        return next(iter([*killed, *self.lost]), None)


def run(job: ClusterRun, start_within: float, timeout: float) -> None:
    """Runs it to its end, with the ranks' output as it comes. Raises unless all holds. Both times in seconds: until all
    ranks have to be there, and until all is over."""
    job.check()
    with handled_by(_stop), _run_folder() as folder:
        told, status = _watched(job, folder, start_within, timeout)
    _judge(job, told, status, timeout)


def _stop(number: int, _frame: FrameType | None) -> None:
    raise DriverError(f"ended by {signal_name(number)}", 128 + number)


@contextmanager
def _run_folder() -> Iterator[Path]:
    """A folder for all files of the run, in memory where there is such a place."""
    base = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK | os.X_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="mxk-cluster-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _watched(job: ClusterRun, folder: Path, start_within: float, timeout: float) -> tuple[Told, int | None]:
    """What the ranks told, and the starter's exit status, or None where it was killed."""
    job.write_hosts(folder)
    environment = kept_environment("SSH_AUTH_SOCK") | job.variables
    environment |= {VARIABLE: folder.name, "TMPDIR": os.fspath(folder)}
    sys.stdout.flush()
    with subprocess.Popen(
        job.line(folder),
        env=environment,
        stdin=subprocess.DEVNULL if job.commands else None,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as starter:
        try:
            now = time.monotonic()
            told = Told(job, start_within, now)
            _listen(starter, told, now + timeout)
            return told, starter.poll()
        finally:
            with handled_by(lambda _number, _frame: None):
                starter.kill()  # first, so that it has no time to complain
                end_marked(folder.name)
                _end_elsewhere(job, folder)


def _listen(starter: "subprocess.Popen[bytes]", told: Told, deadline: float) -> None:
    """Passes standard error on, until the starter has ended or there is nothing to wait for."""
    assert starter.stderr is not None
    pipe = starter.stderr.fileno()
    rest = b""
    while (now := time.monotonic()) < min(deadline, told.until):
        told.look(now, is_blocked=not select.select([], [sys.stdout], [], 0)[1])
        has_ended = starter.poll() is not None
        if not select.select([pipe], [], [], 0 if has_ended else 0.1)[0]:
            if has_ended:  # what it has started may still hold the pipe
                break
            continue
        data = os.read(pipe, 1 << 16)
        if not data:
            starter.wait(TO_END)
            break
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            sys.stderr.write(told.hear(line.decode(errors="backslashreplace") + "\n", now))
        sys.stderr.flush()
    sys.stderr.write(rest.decode(errors="backslashreplace"))


def _end_elsewhere(job: ClusterRun, folder: Path) -> None:
    """Ends what is left on the other hosts. One that cannot be reached is named."""

    def end(host: Host) -> str | None:
        line = [job.agent, host.name, end_command(folder.name, folder)]
        try:
            done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=TO_REACH, check=False)
        except subprocess.TimeoutExpired:
            return host.name
        return None if done.returncode == 0 else host.name

    others = [host for host in job.hosts if not host.is_loopback]
    if others:
        with ThreadPoolExecutor(max_workers=32) as pool:
            for name in filter(None, pool.map(end, others)):
                print(f"tools/mxk: cannot reach the host {name} to end what may be left there", file=sys.stderr)


def _judge(job: ClusterRun, told: Told, status: int | None, timeout: float) -> None:
    """Raises unless all ranks have ended with 0."""
    what, code = _verdict(job, told, status, timeout)
    if what:
        raise DriverError(f"{what}: {shlex.join([f'mxk-cluster-{job.mpi}', *job.arguments])}", code)


def _verdict(job: ClusterRun, told: Told, status: int | None, timeout: float) -> tuple[str, ExitCode]:
    """What is wrong, or nothing."""
    statuses = set(told.statuses.values())
    if (rank := told.lost_rank) is not None:
        ended = told.statuses.get(rank, 0)
        how = f", killed by {signal_name(ended - 128)}" if ended > 128 else ""
        return f"rank {rank} was lost{how}", ExitCode.NO_VERDICT
    if told.silent:
        return _name_silent(job, told), ExitCode.NO_VERDICT
    if told.is_any_lost:
        return "a rank was lost", ExitCode.NO_VERDICT
    if ExitCode.PANIC in statuses:
        return "a rank panicked", ExitCode.PANIC
    if wrong := [rank for rank, ended in told.statuses.items() if ended > ExitCode.USAGE]:
        return f"rank {wrong[0]} ended with status {told.statuses[wrong[0]]}", ExitCode.NO_VERDICT
    if ExitCode.USAGE in statuses:
        return "wrong usage", ExitCode.USAGE
    if ExitCode.COMMAND_FAILED in statuses:
        return "something does not hold", ExitCode.COMMAND_FAILED
    if told.missing:
        return f"{_named(told.missing)} not there {told.start_within:g} s after the start", ExitCode.NO_VERDICT
    if len(told.statuses) < told.ranks:
        if status is None:
            return f"the run took longer than {timeout:g} s", ExitCode.TIMEOUT
        return f"{job.mpi.starter} ended with status {status} before all ranks had", ExitCode.NO_VERDICT
    return "", ExitCode.SUCCESS


def _name_silent(job: ClusterRun, told: Told) -> str:
    it = "it" if len(told.silent) == 1 else "them"
    why = f"; {job.mpi.starter} may be cut off" if 1 < len(told.silent) == told.ranks else ""
    return f"{_named(told.silent)} lost: nothing was heard of {it} for {told.too_long:g} s{why}"


def _named(ranks: list[int]) -> str:
    return f"rank {ranks[0]} was" if len(ranks) == 1 else f"ranks {', '.join(map(str, ranks))} were"

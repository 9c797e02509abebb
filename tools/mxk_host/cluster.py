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
from mxk_host.cluster_run import SHOW, ClusterRun
from mxk_host.errors import DriverError, ExitCode, signal_name
from mxk_host.marked_processes import VARIABLE, end_command, end_marked
from mxk_host.mpi import kept_environment
from mxk_host.runner import handled_by

SHARED_MEMORY = Path("/dev/shm")
# Seconds: for the others after a rank was killed, of which they hear nothing for 5 s; and after the first of them has
# said that one was lost.
TO_NOTICE, TO_AGREE = 7.5, 2.0
# For the starter, once of all ranks is known how they ended: by themselves, or not.
TO_END, TO_FLUSH = 5.0, 0.5
TO_REACH = 10.0  # another host, to end there what is left
_ENDED = re.compile(r"mxk-cluster: rank (\d+) ended with status (\d+)\n$")  # behind a line that was not finished, too
_LOST = re.compile(r"mxk-cluster: rank (\d+) .*was lost")
_ANY_LOST = "mxk-cluster: a rank was lost"


class Told:
    """What was said on standard error of the ranks, and until when the others have time to say something."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.statuses: dict[int, int] = {}
        self.lost: list[int] = []
        self.is_any_lost = False
        self.until = float("inf")

    def hear(self, line: str, now: float) -> str:
        """What of the line is for the person, too."""
        ended, lost = _ENDED.search(line), _LOST.match(line)
        seconds = float("inf")
        if ended:
            self.statuses[int(ended[1])] = int(ended[2])
            seconds = TO_NOTICE if self.has_failed else seconds
        if lost:
            self.lost.append(int(lost[1]))
        if lost or line.startswith(_ANY_LOST):
            self.is_any_lost = True
            seconds = TO_AGREE
        if len(self.statuses.keys() | set(self.lost)) == self.ranks:
            seconds = TO_FLUSH if self.has_failed or self.lost else TO_END
        self.until = min(self.until, now + seconds)
        return line[: ended.start()] if ended else line

    @property
    def has_failed(self) -> bool:
        """Whether a rank has ended with a status that none of the program's own ends has."""
        return any(status > ExitCode.USAGE for status in self.statuses.values())

    @property
    def lost_rank(self) -> int | None:
        """The one that was lost: it was killed, or is the first that another one missed."""
        killed = [rank for rank, status in self.statuses.items() if status > 128]
        return next(iter([*killed, *self.lost]), None)


def run(job: ClusterRun, timeout: float) -> None:
    """Runs it to its end, with the ranks' output as it comes. Raises unless all holds."""
    job.check()
    with handled_by(_stop), _run_folder() as folder:
        told, status = _watched(job, folder, timeout)
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


def _watched(job: ClusterRun, folder: Path, timeout: float) -> tuple[Told, int | None]:
    """What the ranks told, and the starter's exit status, or None where it was killed."""
    job.write_hosts(folder)
    environment = kept_environment(SHOW, "SSH_AUTH_SOCK") | job.variables
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
            return _told(starter, job.ranks, time.monotonic() + timeout), starter.poll()
        finally:
            with handled_by(lambda _number, _frame: None):
                starter.kill()  # first, so that it has no time to complain
                end_marked(folder.name)
                _end_elsewhere(job, folder)


def _told(starter: "subprocess.Popen[bytes]", ranks: int, deadline: float) -> Told:
    """Passes standard error on, until the starter has ended or there is nothing to wait for."""
    assert starter.stderr is not None
    pipe = starter.stderr.fileno()
    told = Told(ranks)
    rest = b""
    while (now := time.monotonic()) < min(deadline, told.until):
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
    return told


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
    statuses = set(told.statuses.values())
    line = shlex.join([f"mxk-cluster-{job.mpi}", *job.arguments])
    if (rank := told.lost_rank) is not None:
        ended = told.statuses.get(rank, 0)
        how = f", killed by {signal_name(ended - 128)}" if ended > 128 else ""
        raise DriverError(f"rank {rank} was lost{how}: {line}", ExitCode.NO_VERDICT)
    if told.is_any_lost:
        raise DriverError(f"a rank was lost: {line}", ExitCode.NO_VERDICT)
    if ExitCode.PANIC in statuses:
        raise DriverError(f"a rank panicked: {line}", ExitCode.PANIC)
    if wrong := [rank for rank, ended in told.statuses.items() if ended > ExitCode.USAGE]:
        raise DriverError(f"rank {wrong[0]} ended with status {told.statuses[wrong[0]]}: {line}", ExitCode.NO_VERDICT)
    if ExitCode.USAGE in statuses:
        raise DriverError(f"wrong usage: {line}", ExitCode.USAGE)
    if ExitCode.COMMAND_FAILED in statuses:
        raise DriverError(f"something does not hold: {line}", ExitCode.COMMAND_FAILED)
    if len(told.statuses) < told.ranks:
        if status is None:
            raise DriverError(f"the run took longer than {timeout:g} s: {line}", ExitCode.TIMEOUT)
        started = f"{job.mpi.starter} ended with status {status} before all ranks had"
        raise DriverError(f"{started}: {line}", ExitCode.NO_VERDICT)

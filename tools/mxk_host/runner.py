"""Runs QEMU, or a program of the Linux build: reads its serial line or output live, ends it at the deadline or when the
driver itself is ended."""

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from mxk_host import files
from mxk_host.errors import DriverError, ExitCode

_WAIT_STEP = 0.01  # seconds


@dataclass(frozen=True)
class Outcome:
    """How QEMU ended. status None: it was killed at the deadline. complaint: what it wrote to stderr. resident_bytes:
    the largest its resident set has been; 0 if it was killed at the deadline."""

    status: int | None
    complaint: str
    seconds: float
    resident_bytes: int


def run_captured(arguments: list[str], log: Path, timeout: float, show: Callable[[bytes], None]) -> Outcome:
    """Runs to the end or for `timeout` seconds; every byte of the serial line goes to `log` and to `show`."""
    start = time.monotonic()
    with files.log(log) as raw, _started(arguments, subprocess.DEVNULL, subprocess.PIPE) as (process, complaint):
        for data in _output(process, start + timeout):
            raw.write(data)
            raw.flush()  # so that the log can be followed, and is whole if the driver is killed
            show(data)
        return _ended(process, complaint, start, timeout)


def run_interactive(arguments: list[str], timeout: float | None) -> Outcome:
    """Connects QEMU's stdin and stdout to the driver's; without a timeout it runs until a person ends it."""
    start = time.monotonic()
    with _terminal_restored(), _started(arguments, None, None) as (process, complaint):
        return _ended(process, complaint, start, timeout)


@contextmanager
def child(arguments: list[str], stdin: int, stdout: int, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that never outlives the block; `environment` replaces variables."""
    with _started(arguments, stdin, stdout, environment) as (process, _):
        yield process


@contextmanager
def _started(
    arguments: list[str], stdin: int | None, stdout: int | None, environment: dict[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """QEMU, and the file its stderr goes to. It never outlives the block."""
    process: subprocess.Popen[bytes] | None = None
    with tempfile.TemporaryFile() as complaint, signals_unwind():
        try:
            with _signals_deferred():  # one in the middle of it would leave a process that nobody knows
                process = _spawned(arguments, stdin, stdout, complaint, {**os.environ, **(environment or {})})
            with process:
                try:
                    yield process, complaint
                finally:
                    process.kill()
        finally:
            if process is not None and process.returncode is None:
                process.kill()
                process.wait()


def _spawned(
    arguments: list[str], stdin: int | None, stdout: int | None, complaint: IO[bytes], environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(arguments, stdin=stdin, stdout=stdout, stderr=complaint, env=environment)
    except OSError as error:
        raise DriverError(f"{arguments[0]} did not start: {error.strerror}", ExitCode.NO_VERDICT) from error


def _output(process: subprocess.Popen[bytes], deadline: float) -> Iterator[bytes]:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if not selector.select(left):
                continue
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                return
            yield data


def _ended(process: subprocess.Popen[bytes], complaint: IO[bytes], start: float, timeout: float | None) -> Outcome:
    resident_bytes = _waited(process, None if timeout is None else start + timeout)
    complaint.seek(0)
    text = complaint.read().decode(errors="replace").strip()
    return Outcome(process.returncode, text, time.monotonic() - start, resident_bytes)


def _waited(process: subprocess.Popen[bytes], deadline: float | None) -> int:
    """Waits until it has ended, or the deadline; the largest its resident set has been. Not Popen.wait: only wait4 says
    what this child, and none before it, has used."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_maxrss * 1024  # Linux counts in KiB
        if deadline is not None and time.monotonic() >= deadline:
            return 0
        time.sleep(_WAIT_STEP)


@contextmanager
def signals_unwind() -> Iterator[None]:
    """Makes the signals that end a program raise, so that QEMU is killed on the way out."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise DriverError(f"ended by {signal.Signals(number).name}, and QEMU with it", 128 + number)

    with handled_by(leave):
        yield


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """What comes meanwhile takes effect at the end. Not by blocking them: a child would inherit that."""
    arrived: list[int] = []
    with handled_by(lambda number, _frame: arrived.append(number)):
        yield
    for number in arrived:
        signal.raise_signal(number)


@contextmanager
def handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """The signals that end a program go to the handler."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def _terminal_restored() -> Iterator[None]:
    """A killed QEMU leaves the terminal raw."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)

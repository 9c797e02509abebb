"""Uses the driver as a person or a script does: as a program, by its output and exit code."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pexpect

from mxk_host.commands import KERNEL_WITH_TESTS, kernel_for
from mxk_host.machine import Emulator

ROOT = Path(__file__).resolve().parents[2]
DRIVER = str(ROOT / "tools/mxk")
LINUX_BUILD = Path(os.environ.get("MXK_LINUX_BUILD", ROOT / "build/linux"))  # another one: to test it with sanitizers
HAS_QEMU10 = Path(Emulator.QEMU10.line[0]).is_file()

UEFI_ISO = ["--boot", "iso", "--firmware", "uefi"]
WAYS = {  # to boot
    "kernel": [],
    "iso-bios": [
        "--boot",
        "iso",
        "--mem",
        "64M",
    ],  # GRUB has room for the kernel, too: nothing is loaded that is not mapped
    "iso-uefi": UEFI_ISO,
    "pxe-bios": ["--boot", "pxe"],
    "pxe-uefi": ["--boot", "pxe", "--firmware", "uefi"],
}


@dataclass(frozen=True)
class Ended:
    """A finished driver: its exit code and what it wrote."""

    code: int
    output: str
    complaint: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The JSON lines of the output."""
        return [json.loads(line) for line in self.output.splitlines() if line.startswith('{"')]

    @property
    def failures(self) -> str:
        """The tests that failed, with their checks, then all that was written: a report is cut in its middle."""
        said = self.output + self.complaint
        failed = [line for line in said.splitlines() if re.search(r"^TEST .* FAIL |: check failed: ", line)]
        return "\n".join([*failed, said])

    @property
    def results(self) -> Path:
        """The folder that the driver says it has kept the rows in."""
        return ROOT / self.output.partition("results: ")[2].split()[0]

    def after(self, command: str) -> str:
        """What the console printed from the echo of `command` to that of the next one."""
        _, echo, rest = self.output.partition(f"mxk> {command}\n")
        assert echo, f"the console did not show 'mxk> {command}':\n{self.output}"
        return rest.split("\nmxk> ")[0]


# How QEMU may end ("never": not by itself), the driver's exit code then, and what its complaint says.
ENDS = (
    ("33", 0, ""),
    ("35", 1, "a command failed"),
    ("37", 3, "the kernel panicked"),
    ("never", 4, "QEMU was killed"),
    ("0", 5, "without a verdict"),
    ("1", 5, "QEMU ended with status 1"),
)


def run(*command: str | Path, timeout: float = 120, **environment: str) -> Ended:
    """Runs a program to its end; `environment` replaces variables."""
    done = subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
        env={**os.environ, **environment},
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def drive(*arguments: str, timeout: float = 30, **environment: str) -> Ended:
    """Runs tools/mxk with these arguments; `environment` replaces variables."""
    return run(DRIVER, *arguments, timeout=timeout, **environment)


def succeed(*command: str | Path, timeout: float = 120, **environment: str) -> str:
    """What the program printed; it must succeed."""
    ended = run(*command, timeout=timeout, **environment)
    assert ended.code == 0, f"{command[0]} failed with {ended.code}:\n{ended.output}{ended.complaint}"
    return ended.output


def linux_program(name: str = "mxk") -> str:
    """Where the Linux build has put this program. It is built before the tests: by make system, or by hand."""
    path = LINUX_BUILD / name
    assert path.is_file(), f"expected the program {path}: make linux"
    return str(path)


def program_for(commands: str) -> str:
    """The program that has all these commands: the one with the tests inside only where they are asked for."""
    return linux_program("mxk-test" if kernel_for(commands) == KERNEL_WITH_TESTS else "mxk")


def run_linux(*arguments: str, name: str | None = None, code: int = 0, seconds: int = 120) -> Ended:
    """Runs a program of the Linux build, by default the one that has these commands, and expects this exit code."""
    done = subprocess.run(
        [linux_program(name) if name else program_for(";".join(arguments)), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == code, f"expected exit code {code}, got {done.returncode}:\n{done.stdout}{done.stderr}"
    return Ended(done.returncode, done.stdout, done.stderr)


def threads_of(process: int) -> dict[str, list[str]]:
    """What the host tells of each thread of a process that nobody has waited for yet, from its state on."""
    threads = {}
    for thread in Path(f"/proc/{process}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            threads[thread.name] = (thread / "stat").read_text().rpartition(")")[2].split()
    return threads


def wait_for_work(process: int, threads: int, seconds: float) -> None:
    """Until so many of its threads have each had a processor for so long, from now on."""

    def ticks() -> dict[str, int]:
        return {thread: int(fields[11]) for thread, fields in threads_of(process).items()}  # of user time

    before = ticks()
    enough = seconds * os.sysconf("SC_CLK_TCK")
    end = time.monotonic() + 60
    while sum(now - before.get(thread, 0) >= enough for thread, now in ticks().items()) < threads:
        assert time.monotonic() < end, "the program does not work"
        time.sleep(0.01)


def stop_for(process: int, seconds: float) -> bool:
    """Takes all of its threads their processors for so long; false if the process has ended. A signal to stop is one
    thread's to take, which on a busy host first waits for a processor while the others go on."""
    os.kill(process, signal.SIGSTOP)
    end = time.monotonic() + 60
    while (states := {fields[0] for fields in threads_of(process).values()}) != {"T"}:
        if states <= set("ZX"):
            return False
        assert time.monotonic() < end, "the process does not stop"
        time.sleep(0.001)
    time.sleep(seconds)
    os.kill(process, signal.SIGCONT)
    return True


def interrupt_linux(command: str, line: str, *arguments: str) -> str:
    """Types Ctrl-C once the program, running this command, has written a line that begins so; what it writes then."""
    start = [linux_program(), *arguments, command]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as program:
        try:
            assert program.stdout is not None
            while not program.stdout.readline().startswith(line):
                assert program.poll() is None
            program.send_signal(signal.SIGINT)
            output, _ = program.communicate(timeout=30)
        finally:
            program.kill()
    assert program.returncode == 1, output
    return output


def run_mxk(log: Path, arguments: list[str], commands: str, code: int = 0, seconds: int = 120) -> Ended:
    """Boots the kernel with the commands and expects this exit code; `log` is the run's own, as tests run side by side.

    The driver's own deadline comes first, so that a hang is told with its output.
    """
    options = ["--no-build", "--timeout", str(seconds), "--log", str(log), "--mem", "512M", *arguments]
    ended = drive("run", *options, "--", commands, timeout=seconds + 30)
    assert ended.code == code, f"expected exit code {code}, got {ended.code}: {ended.failures}"
    return ended


def kernel_tests(ended: Ended) -> tuple[dict[str, str], tuple[int, int, int]]:
    """The verdict of every in-kernel test by name, and the summary: passed, failed, skipped."""
    verdicts = dict(re.findall(r"^TEST (.+?) (PASS|FAIL|SKIP)\b", ended.output, re.MULTILINE))
    summary = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped", ended.output, re.MULTILINE)
    assert summary is not None, f"no summary of the in-kernel tests:\n{ended.output}"
    return verdicts, (int(summary[1]), int(summary[2]), int(summary[3]))


def check_kernel_tests(ended: Ended) -> dict[str, str]:
    """The verdicts, of which none is a failure and which the summary counts."""
    verdicts, (passed, failed, skipped) = kernel_tests(ended)
    assert (ended.code, failed) == (0, 0), ended.failures
    assert passed > 0
    assert len(verdicts) == passed + failed + skipped
    return verdicts


class Monitor:
    """QEMU's monitor (QMP), to read the machine's memory, or its screen."""

    def __init__(self, path: Path) -> None:
        self.scratch = path.with_suffix(".memory")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("r")
        self.obey("qmp_capabilities")

    def obey(self, command: str, **arguments: object) -> None:
        """Returns when the command is done; events are passed over."""
        self.socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        for line in self.lines:
            answer = json.loads(line)
            assert "error" not in answer, answer
            if "return" in answer:
                return
        raise AssertionError("QEMU closed its monitor")

    def memory(self, address: int, size: int) -> bytes:
        """What stands at a physical address."""
        self.obey("pmemsave", val=address, size=size, filename=str(self.scratch))
        return self.scratch.read_bytes()


class AtPrompt:
    """A console at the other end of `child`, as a person sees it."""

    child: pexpect.spawn

    def expect_prompt(self) -> None:
        """Waits until the console wants input."""
        self.child.expect_exact("mxk> ")

    def obeys(self, keys: str, expected: str) -> None:
        """Types keys and Enter; expects this text in the output that follows, then the prompt."""
        self.child.send(keys + "\r")
        self.child.expect(r"\n")  # the edited line ends here; what follows is the command's
        self.child.expect(expected)
        self.expect_prompt()


class Console(AtPrompt):
    """A booted kernel at its prompt, which is ended with the block; `log` is the run's own."""

    def __init__(self, log: Path, cpus: int = 1, more: Sequence[str] = ()) -> None:
        options = ["--no-build", "--cpus", str(cpus), "--mem", "512M", "--timeout", "60", "--log", str(log), *more]
        self.child = pexpect.spawn(DRIVER, ["run", *options], encoding="utf-8", timeout=30, dimensions=(24, 200))
        self.child.delaybeforesend = 0.02
        self.expect_prompt()

    def __enter__(self) -> "Console":
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    def run(self, command: str) -> str:
        """What the command printed."""
        self.child.send(command + "\r")
        self.child.expect(r"\n")  # the edited line ends here
        self.expect_prompt()
        return self.child.before

    def leave(self) -> int:
        """Types exit; the driver's exit code."""
        self.child.send("exit\r")
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus

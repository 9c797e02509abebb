"""Compiles a target of a preset, and says meanwhile how far it is, as ninja counts: steps done, of all."""

import fcntl
import os
import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from mxk_host.errors import DriverError, ExitCode

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
Show = Callable[[int, int], None]  # steps done, of how many
_STEP = re.compile(r"\[(\d+)/(\d+)\] (?!Re-checking globbed|Re-running CMake)")


def build(preset: str, target: str, show: Show = lambda _done, _total: None) -> None:
    """Brings the target up to date; the compiler's output is shown only on failure. Safe to call from several
    processes."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / f".{preset}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run_quietly([str(ROOT / "tools/configure"), preset], f"the build {preset} could not be configured")
        line = ["cmake", "--build", "--preset", preset, "--target", target]
        run_quietly(line, f"{target} could not be built", show)


def run_quietly(arguments: list[str], complaint: str, show: Show = lambda _done, _total: None) -> None:
    """Runs a program from the repository's root; what it has said is in what is raised if it fails."""
    with subprocess.Popen(
        arguments, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "NINJA_STATUS": "[%f/%t] "},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        said = "".join(_told(process.stdout, show))
    if process.returncode != 0:
        raise DriverError(f"{said.rstrip()}\n{complaint} (output above)", ExitCode.NO_VERDICT)


def _told(lines: Iterable[str], show: Show) -> Iterable[str]:
    """The lines that are not ninja's progress, which is told; after a failed step, all."""
    failed = False
    for line in lines:
        failed |= line.startswith("FAILED:")
        step = _STEP.match(line)
        if step is not None:
            show(int(step[1]), int(step[2]))
        if failed or step is None:
            yield line

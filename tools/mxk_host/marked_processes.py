"""Processes that carry a mark in their environment. What starts ranks puts them, and its own helpers, into sessions of
their own, so that no group of processes holds them all; the environment they inherit."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from mxk_host.errors import UsageError
from mxk_host.files import read_bytes

VARIABLE = "MXK_CLUSTER_RUN"


def marked(mark: str) -> Iterator[int]:
    """The processes of this machine that carry it, but for those that have ended."""
    entry = f"{VARIABLE}={mark}".encode()
    for folder in Path("/proc").iterdir():
        with suppress(UsageError):  # another user's, or just ended
            if folder.name.isdecimal() and entry in read_bytes(folder / "environ", "an environment").split(b"\0"):
                yield int(folder.name)


def end_marked(mark: str, seconds: float = 5) -> None:
    """Kills them, stopped ones too, until none is left."""
    end = time.monotonic() + seconds
    while processes := list(marked(mark)):
        for process in processes:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if time.monotonic() > end:
            return
        time.sleep(0.02)


def end_command(mark: str, folder: Path) -> str:
    """The same for the shell of another machine, which also removes the folder."""
    return (
        f"for file in /proc/[0-9]*/environ; do if grep -qsF {VARIABLE}={mark} $file; then "
        f"process=${{file%/environ}}; kill -9 ${{process#/proc/}}; fi; done; rm -rf {folder}"
    )

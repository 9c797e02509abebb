"""The Linux program on hosts that limit it, or that say little: it works, or says what is missing."""

import ctypes
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import Ended, linux_program

PR_SET_THP_DISABLE = 41
TABLE = "bench table --layout bucketed --cores 1 --ops 4M --mix insert --repeat 1 --json"


def mxk(
    command: str, limit: Callable[[], object] | None = None, arguments: tuple[str, ...] = (), **environment: str
) -> Ended:
    """Runs one command on one core, under the limits that the function sets."""
    done = subprocess.run(
        [linux_program(), "--cores", "1", *arguments, command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limit,
        env={**os.environ, **environment},
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def test_a_host_without_sys_is_one_node_with_all_of_the_memory(tmp_path: Path) -> None:
    ended = mxk(f"topology; {TABLE}", HWLOC_FSROOT=str(tmp_path))
    assert ended.code == 0, ended.output
    assert "nodes 1, memory" in ended.output
    (row,) = ended.rows
    assert row["verified"]
    assert row["warnings"] == ["this system does not say which memory its NUMA nodes have: taken as one node"]


@pytest.mark.parametrize("which", [resource.RLIMIT_AS, resource.RLIMIT_DATA])
def test_a_limit_of_address_space_is_the_memory_there_is(which: int) -> None:
    ended = mxk(TABLE.replace("4M", "100K"), lambda: resource.setrlimit(which, (500 << 20, 500 << 20)))
    assert ended.code == 0, ended.output
    assert ended.rows[0]["verified"]
    assert 300 << 20 < ended.rows[0]["machine"]["memory_bytes"] < 500 << 20


def test_a_table_in_small_pages_says_so() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    ended = mxk(TABLE, lambda: libc.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
    assert ended.code == 0, ended.output
    (row,) = ended.rows
    assert row["machine"]["pages"].startswith("2 MiB pages for 0 % of ")
    (warning,) = row["warnings"]
    assert warning.startswith("memory lies in pages of 4 KiB (2 MiB pages for 0 % of ")

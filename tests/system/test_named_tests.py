"""The kernel's tests by name: what is printed on the serial line, seeds, faults that end the machine; work queues."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from helpers import check_kernel_tests, kernel_tests, linux_program, run_mxk

pytestmark = pytest.mark.usefixtures("images")

NAMED = "atomic1 semaphore1 semaphore2 thread1 falloc1 falloc2 slab1 slab2 mapping1 print1 print2 print3 print4 print5"

PRINTED = [
    "[text of 21 characters]",
    "[text    ]",
    "[  -12][-12  ][-0012]",
    "[377][  377][00377]",
    "[18446744073709551615]",
    "[-1000000000000000000000000000000000000000000000000000000000000000]",
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
    "[äöüß][αβγ][世界][😀]",
    "[äö  ][  äö]",
    "[αβ][世   ]",
]


def check_printed(output: str, cores: int) -> None:
    printed = re.findall(r"^print (.*)$", output, re.MULTILINE)
    assert [line for line in PRINTED if line not in printed] == []
    whole = {f"core {core} line {line} <{'-' * 24}>" for core in range(cores) for line in range(4)}
    assert {line for line in printed if line.startswith("core ")} == whole


def test_named_tests_and_what_they_print(tmp_path: Path) -> None:
    shape = ["--cpus", "4", "--nodes", "2"]
    ended = run_mxk(tmp_path / "log", shape, f"test {NAMED} --seed 7; workq", seconds=180)
    verdicts = check_kernel_tests(ended)
    assert {name.split(".")[0] for name in verdicts} == set(NAMED.split())
    assert re.search(r"^TEST semaphore2\.waits_end\w+ PASS \d+ ms, seed 7$", ended.output, re.MULTILINE)
    check_printed(ended.output, 4)
    assert ended.after("workq").startswith("system: stable\n  limits   min idle 2, max workers 32, max running 4,")


def test_named_tests_of_the_linux_program() -> None:
    arguments = [
        linux_program("mxk-test"),
        "--cores",
        "4",
        "--nodes",
        "2",
        "--memory",
        "2G",
        f"test {NAMED} workqueue; workq",
    ]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=180)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r"^\d+ passed, 0 failed, ", ended.stdout, re.MULTILINE)
    assert re.search(
        r"^  workers  2: active 0 \(starting 0\), blocked 0, idle 2; max at once \d+$", ended.stdout, re.MULTILINE
    )
    fault = subprocess.run(
        [linux_program("mxk-test"), "test fault1"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (fault.returncode, "segmentation fault" in fault.stderr) == (3, True), fault.stderr


def test_a_fault_ends_the_kernel_only_where_it_is_named(tmp_path: Path) -> None:
    shape = ["--cpus", "2"]
    ended = run_mxk(tmp_path / "log", shape, "test fault1", code=3)
    assert "writing 0x0: nothing is mapped there" in ended.output.partition("PANIC")[2]
    verdicts, counts = kernel_tests(run_mxk(tmp_path / "other", shape, "test fault fault"))
    assert set(verdicts.values()) == {"SKIP"}
    assert counts == (0, 0, 1)


# Two processors emulate them all: minutes.
MANY_CORES = ((64, "workqueue"), (64, "cht"), (64, "rcu1"), (64, "smpcall1 remote_calls"), (255, "smpcall1"))


@pytest.mark.skipif("MXK_LONG_TESTS" not in os.environ, reason="long: MXK_LONG_TESTS is not set")
@pytest.mark.parametrize(("cores", "tests"), MANY_CORES)
@pytest.mark.long(reason="the tests of several rooms, on many emulated cores")
def test_named_tests_on_many_cores(tmp_path: Path, cores: int, tests: str) -> None:
    shape = ["--cpus", str(cores), "--nodes", "4", "--mem", "8G"]
    check_kernel_tests(run_mxk(tmp_path / "log", shape, f"test {tests}", seconds=900))

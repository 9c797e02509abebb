"""Memory that is not there: in the tests inside and in each benchmark one allocation after the other is refused, of its
site the first, one in the middle and the last (tests/kernel/refuse_command.cpp). What is run may fail then, by an error
or a failed check; nothing hangs, nothing ends the program, and when there is memory again it works again. A sample for
a minute, by a printed seed (MXK_SEED); with MXK_LONG_TESTS all of them."""

import os
import random
import re
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from same_rows import COMMANDS, TRACE

from helpers import linux_program

SECONDS = 60
TOGETHER = 5  # refusals in one run of the program
LAYOUTS = ["tasks --layout chained", "tasks --layout bucketed", "tasks --layout open"]
LAYOUTS += ["shared --layout concurrent", "shared --layout concurrent-lines"]
GROWING = "--ops 20k --initial-slots 64 --mix mixed:50/20/30 --cores 1,2 --repeat 1 --json"
TABLES = [f"bench table --model {layout} {GROWING}" for layout in LAYOUTS]
FIGURES = "bench figure"  # are tables, of which some are wrong on purpose
EVERYTHING = [command for command in COMMANDS if not command.startswith(FIGURES)]
EVERYTHING += TABLES
PARTS = 20  # that the tests inside are dealt to
INSIDE = "--cores 4 --nodes 2 -- test"
# All refusals of theirs were tried; those of other tests only in part, which MXK_LONG_TESTS goes on with.
SAMPLED = ("coroutines.", "memory.", "tasks.", "timeline.")
# Ten seconds and more.
SLOW = re.compile("bench (thread|semaphore|lock crowd|adaptive)|measured|threads.soak|lies_where|all_kinds_exclude")
WRONG = re.compile(r"^TEST .* FAIL|^[0-9]+ passed, [1-9][0-9]* failed|^error: |\"verified\": ?false", re.MULTILINE)


def names_inside() -> list[str]:
    """Those that `test` runs without being asked for: none that is long, or ends the program."""
    listed = subprocess.run([linux_program("mxk-test"), "test --list"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if line and " (" not in line]


def refuse(command: str, numbers: list[int]) -> int:
    """Runs it with each of the refusals and once more without; gives how many refusals there are: none where it asks
    for no memory."""
    trace = Path(tempfile.gettempdir()) / f"no-memory-{os.getpid()}.trace"
    trace.write_text(TRACE)
    options, _, typed = command.rpartition(" -- ")
    typed = typed.format(trace=trace)
    parts = ["refuse --sites", typed]
    for number in numbers:
        parts += [f"refuse --nth {number}", typed]
    run = [linux_program("mxk-test"), *(options or "--cores 2 --nodes 1").split()]
    run.append("; ".join([*parts, "refuse --off", typed]))
    with subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as program:
        try:
            said, _ = program.communicate(timeout=60 * (len(numbers) + 2))
        except subprocess.TimeoutExpired:
            program.kill()
            said, _ = program.communicate()
            pytest.fail(f"{command}: hangs after\n{said[-4000:]}")
    chosen = re.findall(r"^refuse: [0-9]+ of ([0-9]+), allocation", said, re.MULTILINE)
    assert program.returncode in (0, 1), f"{command}: ends with {program.returncode}\n{said[-6000:]}"
    _, off, last = said.rpartition("refuse: off")
    assert off, said
    if last.startswith(", 0 sites"):
        chosen = ["0"] * len(numbers)
    assert len(chosen) == len(numbers), said
    assert not WRONG.search(last), f"{command}: does not work again\n{said[-6000:]}"
    return int(chosen[0])


def refuse_each(command: str) -> None:
    count = refuse(command, [0])
    for first in range(0, count, TOGETHER):
        refuse(command, list(range(first, min(first + TOGETHER, count))))


@pytest.mark.skipif("MXK_LONG_TESTS" not in os.environ, reason="long: MXK_LONG_TESTS is not set")
@pytest.mark.parametrize("command", EVERYTHING)
def test_each_allocation_may_be_refused(command: str) -> None:
    refuse_each(command)


@pytest.mark.skipif("MXK_LONG_TESTS" not in os.environ, reason="long: MXK_LONG_TESTS is not set")
@pytest.mark.parametrize("part", range(PARTS))
def test_each_allocation_of_tests_inside_may_be_refused(part: int) -> None:
    for name in names_inside()[part::PARTS]:
        refuse_each(f"{INSIDE} {name}")


@pytest.mark.long(reason="refuses allocations for a minute")
def test_what_a_table_still_has_to_move_is_waited_for_without_memory() -> None:
    (growing,) = [command for command in TABLES if "bucketed" in command]
    asked = refuse(growing, [0])
    assert asked > 100
    refuse(growing, list(range(asked)))


@pytest.mark.long(reason="a minute of refusals, chosen by a printed seed")
def test_an_allocation_may_be_refused() -> None:
    seed = int(os.environ.get("MXK_SEED") or random.randrange(10**6))
    print(f"MXK_SEED={seed}")
    chance = random.Random(seed)
    inside = [f"{INSIDE} {name}" for name in names_inside() if name.startswith(SAMPLED)]
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        refuse(
            chance.choice([command for command in EVERYTHING + inside if not SLOW.search(command)]),
            [chance.randrange(10**6) for _ in range(TOGETHER)],
        )

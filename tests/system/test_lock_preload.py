"""libmxk-locks.so in front of programs: what POSIX promises of mutexes and condition variables holds with locks of the
suite (mutex_cases.c), real programs give the same results, and the report says what happened."""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import LINUX_BUILD, Ended, linux_program, run, succeed

# A lock for nodes, one that cannot try, a queue, one that belongs to its thread, and one whose waiters leave the queue.
KINDS = ("c-tkt-mcs", "clh", "mcs", "hemlock", "c-mcs-mcs-abort")
CASES = (
    "before_main",
    "types",
    "deadlines",
    "exclusion",
    "made_again",
    "passed_through",
    "conditions",
    "cancellation",
    "old_conditions",
    "c11",
    "forked",
    "thread_ends",
    "unlocked_by_another",
)
# What glibc does otherwise: a child does not have the recursive mutexes that it held when it forked.
OF_GLIBC = [case for case in CASES if case != "forked"]
MORE_KINDS = (
    "tas",
    "tts",
    "ticket",
    "c-mcs-mcs",
    "c-tas-tts",
    "hmcs",
    "shfl",
    "rh-1-32",
    "hemlock-overlap",
    "clh-numa",
)
BY_THREAD = "mxk-locks: a thread unlocks what another one has locked: expected MXK_LOCK of a kind without Hemlock\n"
THREADED = """
import hashlib, queue, sys, threading
sys.setswitchinterval(1e-5)
todo, done = queue.Queue(), []
def work():
    while (number := todo.get()) is not None:
        done.append((number, hashlib.sha256(str(sum(range(number))).encode()).hexdigest()))
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for number in range(600): todo.put(number)
for _ in threads: todo.put(None)
for thread in threads: thread.join()
print(hashlib.sha256(repr(sorted(done)).encode()).hexdigest())
"""


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of all cases."""
    program = tmp_path_factory.mktemp("mutexes") / "mutex_cases"
    source = Path(__file__).parent / "mutex_cases.c"
    succeed("gcc", "-O1", "-Wall", "-Werror", "-rdynamic", "-pthread", source, "-o", program)
    return program


def preload(*command: str | Path, **environment: str) -> Ended:
    """Runs a program with the library in front."""
    library = linux_program("libmxk-locks.so")
    unset = dict.fromkeys(("MXK_LOCK", "MXK_LOCK_REPORT", "MXK_LOCK_NODES"), "")
    return run(*command, timeout=60, **{**unset, "LD_PRELOAD": library, **environment})


def expect_silence(ended: Ended) -> None:
    assert (ended.code, ended.output, ended.complaint) == (0, "", "")


def rows(report: str) -> list[tuple[str, list[int]]]:
    """Of each mutex where it is, and acquisitions, contended, times, hand-overs."""
    found = re.findall(r"^ *0x[0-9a-f]+ +((?:\d+ +){11}) *(.*)$", report, re.MULTILINE)
    return [(place, [int(number) for number in numbers.split()]) for numbers, place in found]


@pytest.mark.parametrize("case", ["not_glibc", *CASES])
@pytest.mark.parametrize("kind", KINDS)
def test_what_posix_promises_holds(cases: Path, kind: str, case: str) -> None:
    ended = preload(cases, case, MXK_LOCK=kind, MXK_LOCK_NODES="2")
    if (kind, case) == ("hemlock", "unlocked_by_another"):
        assert (ended.code, ended.complaint) == (-6, BY_THREAD)
    else:
        expect_silence(ended)


@pytest.mark.parametrize("kind", MORE_KINDS)
def test_other_kinds_exclude(cases: Path, kind: str) -> None:
    for case in ("not_glibc", "exclusion"):
        expect_silence(preload(cases, case, MXK_LOCK=kind, MXK_LOCK_NODES="2"))


@pytest.mark.parametrize("case", ["glibc_itself", *OF_GLIBC])
def test_a_program_that_asks_for_nothing_has_glibc_itself(cases: Path, case: str) -> None:
    expect_silence(preload(cases, case))


def test_each_kind_of_the_suite_for_one_memory_can_be_chosen(cases: Path) -> None:
    ended = preload(cases, "types", MXK_LOCK="no-such-lock")
    assert (ended.code, ended.output) == (2, "")
    (listed,) = re.fullmatch(
        r"mxk-locks: MXK_LOCK: expected one of (.*), got 'no-such-lock'\n", ended.complaint
    ).groups()
    kinds = listed.split(" ")
    assert len(kinds) > 40
    assert {*KINDS, *MORE_KINDS} < set(kinds)
    assert not {kind for kind in kinds if "message" in kind or "d-mcs" in kind}  # those for MPI
    for kind in kinds:
        expect_silence(preload(cases, "types", MXK_LOCK=kind))


def test_it_is_installed(cases: Path, tmp_path: Path) -> None:
    succeed("cmake", "--install", LINUX_BUILD, "--component", "locks", "--prefix", tmp_path)
    (installed,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert re.fullmatch(r"lib(/x86_64-linux-gnu)?/libmxk-locks.so", str(installed.relative_to(tmp_path)))
    expect_silence(run(cases, "not_glibc", LD_PRELOAD=str(installed), MXK_LOCK="mcs"))
    # Nothing comes with it, and of its names a program sees those of the C library only.
    needed = re.findall(r"NEEDED +(\S+)", succeed("objdump", "-p", installed))
    assert needed == ["libc.so.6"]
    names = re.findall(r" [TWuBD] (\w+)", succeed("nm", "-D", "--defined-only", installed))
    assert len(names) == 33
    assert not [name for name in names if not re.match(r"(__)?pthread_(mutex|cond)_|mtx_|cnd_", name)]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("MXK_LOCK_REPORT", "yes", "0 or 1"),
        ("MXK_LOCK_NODES", "0", "a number from 1 to 64"),
        ("MXK_LOCK_NODES", "65", "a number from 1 to 64"),
        ("MXK_LOCK_NODES", "2x", "a number from 1 to 64"),
    ],
)
def test_wrong_words_are_refused_before_main(cases: Path, name: str, value: str, expected: str) -> None:
    ended = preload(cases, "types", **{"MXK_LOCK": "mcs", name: value})
    assert (ended.code, ended.output) == (2, "")
    assert ended.complaint == f"mxk-locks: {name}: expected {expected}, got '{value}'\n"


@pytest.mark.parametrize("kind", ["", "c-tkt-mcs", "clh"])
def test_the_report_says_what_happened_to_each_mutex(cases: Path, kind: str) -> None:
    ended = preload(cases, "report", MXK_LOCK=kind, MXK_LOCK_REPORT="1")
    assert (ended.code, ended.output) == (0, "")
    head = rf"mxk-locks: process \d+ \(mutex_cases\), lock {kind or 'glibc'}, mutexes by .*; 0 not counted\n"
    assert re.match(head, ended.complaint), ended.complaint
    found = rows(ended.complaint)
    acquisitions, contended, wait, long_wait, hold, long_hold, *hand_overs = dict(found)["reported+0 (mutex_cases)"]
    assert (acquisitions, contended) == (300, 5)
    # Five held it for 10 ms, which the five behind them waited for; all others for much less.
    assert 5_000_000 < wait <= long_wait
    assert hold < 1_000_000 < 5_000_000 < long_hold
    # From the first to the second thread and back, and then five times to and fro.
    assert sum(hand_overs) == 299
    assert hand_overs[0] == 299 - 12 + 1
    # Those with no name, which are static or on the heap, are known by their first callers: three here.
    others = [row for row in found if row[0] != "reported+0 (mutex_cases)"]
    assert [numbers[:2] for _, numbers in others] == [[1, 0]] * 3
    assert all(re.fullmatch(r"first in \S*\+0x[0-9a-f]+ \(mutex_cases\)", place) for place, _ in others)


@pytest.mark.parametrize("case", ["types", "deadlines", "exclusion", "conditions", "old_conditions", "c11"])
def test_what_is_reported_is_what_it_was(cases: Path, case: str) -> None:
    for kind in ("", "mcs"):
        ended = preload(cases, case, MXK_LOCK=kind, MXK_LOCK_REPORT="1")
        assert (ended.code, ended.output) == (0, "")
        assert rows(ended.complaint)


def test_hand_overs_are_told_by_distance(cases: Path) -> None:
    hand_overs = {}
    for nodes in ("1", "64"):
        ended = preload(cases, "exclusion", MXK_LOCK="ticket", MXK_LOCK_REPORT="1", MXK_LOCK_NODES=nodes)
        found = [numbers[6:] for _, numbers in rows(ended.complaint) if numbers[0] == 4 * 800]
        assert len(found) == 4
        hand_overs[nodes] = found
    assert not any(row[4] for row in hand_overs["1"])
    assert not any(row[2] + row[3] for row in hand_overs["64"])  # each processor is a node, or two of a core are


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_pigz_compresses_the_same(tmp_path: Path, kind: str) -> None:
    if shutil.which("pigz") is None:
        pytest.skip("expected pigz: tools/setup tests")
    text = Path(LINUX_BUILD, "libmxk-locks.so").read_bytes() * 5
    file = tmp_path / "text"
    file.write_bytes(text)
    ended = preload("pigz", "-k", "-n", "-p", "4", "-b", "128", file, MXK_LOCK=kind)
    assert (ended.code, ended.complaint) == (0, "")
    packed = (tmp_path / "text.gz").read_bytes()
    (tmp_path / "text.gz").unlink()
    succeed("pigz", "-k", "-n", "-p", "4", "-b", "128", file)
    assert hashlib.sha256(packed).digest() == hashlib.sha256((tmp_path / "text.gz").read_bytes()).digest()
    unpacked = subprocess.run(["gzip", "-dc"], input=packed, capture_output=True, check=True).stdout
    assert hashlib.sha256(unpacked).digest() == hashlib.sha256(text).digest()


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_a_threaded_python_computes_the_same(kind: str) -> None:
    expected = succeed(sys.executable, "-c", THREADED)
    ended = preload(sys.executable, "-c", THREADED, MXK_LOCK=kind)
    assert (ended.code, ended.output, ended.complaint) == (0, expected, "")

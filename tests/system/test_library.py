"""The library as a user gets it: installed to a prefix, found by CMake, under a copy of examples/ outside the tree."""

import collections
import fcntl
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helpers import LINUX_BUILD, ROOT, Ended, linux_program, run, succeed

LICENCES = Path("/usr/share/common-licenses")  # real text, on every Debian
STRICT = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
ROOMS = ("base", "kernel", "tasks", "hashtable", "arch/linux", "main")  # whose sources are compiled one by one
TWINS = ("bgopboklkmbflipm", "eekghblinlommnnn")  # FNV-1a gives both the same 64 bits


def configure(source: Path, prefix: Path, *options: str, **environment: str) -> Ended:
    """CMake over a project that looks for mxk in the prefix."""
    where = ["-S", source, "-B", source / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"]
    return run("cmake", *where, *options, **environment)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with `prefix`, where MXK is installed, and `examples`, a copy that was built against it.

    The workers of pytest-xdist share it; the first one makes it.
    """
    linux_program()
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "library"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            succeed("cmake", "--install", LINUX_BUILD, "--prefix", folder / "prefix")
            examples = Path(shutil.copytree(ROOT / "examples", folder / "examples"))
            # A user's flags: warnings are errors, no GNU extensions.
            flags = ["-DCMAKE_CXX_FLAGS=" + " ".join(STRICT), "-DCMAKE_CXX_EXTENSIONS=OFF"]
            ended = configure(examples, folder / "prefix", *flags)
            assert ended.code == 0, ended.output + ended.complaint
            succeed("cmake", "--build", examples / "build")
            (folder / "done").touch()
    return folder


@pytest.fixture
def prefix(installed: Path) -> Path:
    """Where MXK is installed."""
    return installed / "prefix"


@pytest.fixture
def built(installed: Path) -> Path:
    """The folder of the built examples."""
    return installed / "examples/build"


# The examples


def test_hello_from_every_processor(built: Path) -> None:
    lines = succeed(built / "hello_task").splitlines()
    cores = [re.fullmatch(r"hello from core (\d+) on node \d+", line) for line in lines]
    assert all(cores), lines
    assert sorted(int(core[1]) for core in cores if core) == list(range(len(os.sched_getaffinity(0))))


def test_containers_of_one_core_are_freed_by_another(built: Path) -> None:
    digits = 10 + 2 * 90 + 3 * 900 + 4 * 9000
    characters = digits + 10_000 * len("name  of many that were made by core 0")
    expected = f"each core has read {characters} and {characters} characters of the other's\n"
    assert succeed(built / "own_memory") == expected


def test_threads_hand_all_numbers_over(built: Path) -> None:
    assert succeed(built / "producer_consumer") == "the numbers up to 100000 make 5000050000\n"


def test_two_queries_at_once(built: Path) -> None:
    first, second = (sum(number * number for number in range(start, start + 100_000)) for start in (0, 100_000))
    assert succeed(built / "dataflow") == f"the squares make {first} and {second}\n"


def test_a_query_over_arrays_of_a_program(built: Path) -> None:
    def line(shop: int) -> str:
        prices = [row % 1000 for row in range(shop, 300_000, 3) if row % 1000 and row != 3]
        return f"{shop} {len(prices)} {sum(prices) * 2 / 100:.2f} {max(prices) / 100:.2f}"

    turnover = {shop: float(line(shop).split()[2]) for shop in range(3)}
    expected = [line(shop) for shop in sorted(turnover, key=turnover.__getitem__, reverse=True)]
    assert succeed(built / "query").splitlines() == expected


def expect_count(built: Path, file: Path, cores: int) -> None:
    """word_count agrees with a count of its own kind in Python."""
    counts = collections.Counter(re.findall("[a-z]+", file.read_text(errors="replace").lower()))
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]
    expected = [f"{counts.total()} words, {len(counts)} different", *(f"{count} {word}" for word, count in frequent)]
    assert succeed(built / "word_count", file, str(cores)).splitlines() == expected


@pytest.mark.parametrize("cores", [1, 2, 7])
def test_words_of_a_licence(built: Path, cores: int) -> None:
    assert (LICENCES / "GPL-3").stat().st_size > 2 * 16384, "expected a text of several pieces"
    expect_count(built, LICENCES / "GPL-3", cores)


def test_words_of_all_licences(built: Path, tmp_path: Path) -> None:
    file = tmp_path / "licences"
    file.write_text("".join(path.read_text(errors="replace") for path in sorted(LICENCES.iterdir())))
    expect_count(built, file, 4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "word",
        "a" * 100_000,  # longer than the pieces that are read
        "x" * 16_384 + " " + "y" * 16_383 + " z",  # ends and begins where pieces do
        "  ".join(TWINS * 3),
    ],
    ids=["nothing", "no_words", "one_word", "one_long_word", "words_like_pieces", "words_with_the_same_hash"],
)
def test_words_of_unusual_texts(built: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "text").write_text(text)
    expect_count(built, tmp_path / "text", 3)


def test_the_twins_have_the_same_hash() -> None:
    def fnv_1a(word: str) -> int:
        value = 0xCBF29CE484222325
        for byte in word.encode():
            value = (value ^ byte) * 0x100000001B3 % 2**64
        return value

    assert fnv_1a(TWINS[0]) == fnv_1a(TWINS[1])


@pytest.mark.parametrize(("pairs", "cores"), [(1, 1), (3, 4), (100_000, 1), (100_000, 5)])
def test_every_lookup_is_right(built: Path, pairs: int, cores: int) -> None:
    stored, lookups = succeed(built / "key_value", str(pairs), str(cores)).splitlines()
    assert stored == f"{pairs} pairs stored on {cores} cores"
    assert re.fullmatch(rf"\d+\.\d\d million look-ups per second, {pairs} of {pairs} right", lookups), lookups


@pytest.mark.parametrize(("keys", "cores"), [(1, 1), (1000, 4), (200_000, 1), (200_000, 5)])
def test_a_shared_table_counts_right(built: Path, keys: int, cores: int) -> None:
    line = succeed(built / "shared_table", str(keys), str(cores))
    counted = rf"{keys} keys counted by {cores} cores, \d+\.\d\d million times per second; {keys} counts right\n"
    assert re.fullmatch(counted, line), line


@pytest.mark.parametrize(("versions", "cores"), [(1, 1), (2, 3), (20_000, 1), (20_000, 5)])
def test_each_snapshot_is_whole_and_given_back(built: Path, versions: int, cores: int) -> None:
    line = succeed(built / "snapshot", str(versions), str(cores))
    assert re.fullmatch(rf"{versions} versions, {versions - 1} given back; \d+ reads, 0 wrong\n", line), line


@pytest.mark.parametrize("text", ["", " \n", "one", "a b a\tc\na", None], ids=["nothing", "blank", "one", "few", "GPL"])
def test_words_by_a_table(built: Path, text: str | None) -> None:
    given = (LICENCES / "GPL-3").read_text() if text is None else text
    counts = collections.Counter(given.split())
    frequent = sorted(((count, word) for word, count in counts.items()), reverse=True)
    expected = [f"{counts.total()} words, {len(counts)} different", *(f"{count} {word}" for count, word in frequent)]
    done = subprocess.run([built / "count_words"], input=given, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == expected


@pytest.mark.parametrize("count", [1, 20, 300_000])
def test_numbers_are_sorted_and_summed_on_all_cores(built: Path, count: int) -> None:
    total = sum((i + 1) * 0x9E3779B97F4A7C15 % 2**64 for i in range(count)) % 2**64
    assert succeed(built / "parallel", str(count)) == f"{count} numbers sorted, sum {total}\n"
    refused = subprocess.run([built / "parallel", "0"], capture_output=True, text=True, timeout=60, check=False)
    assert (refused.returncode, refused.stderr) == (2, "parallel: expected a number up to 1000000000, got 0\n")


def transfers_of_one_thread() -> int:
    money = [1000] * 16
    number, moved = 0, 0
    for _ in range(20_000):
        number = (number * 0x9E3779B97F4A7C15 + 1) % 2**64
        source, target, amount = number >> 60, number >> 56 & 15, number >> 40 & 255
        if source == target or money[source] < amount:
            continue
        money[source] -= amount
        money[target] += amount
        moved += 1
    return moved


@pytest.mark.parametrize("threads", [1, 2])
def test_locks_of_threads_keep_what_they_protect(built: Path, threads: int) -> None:
    moved, there = re.fullmatch(r"(\d+) transfers, (\d+) in all\n", succeed(built / "accounts", str(threads))).groups()
    assert int(there) == 16 * 1000
    if threads == 1:
        assert int(moved) == transfers_of_one_thread()
    assert 0 < int(moved) <= 20_000 * threads


@pytest.mark.parametrize(("pairs", "threads"), [(1, 1), (100, 3), (200_000, 1), (200_000, 5)])
def test_every_lookup_in_a_table_is_right(built: Path, pairs: int, threads: int) -> None:
    stored, lookups = succeed(built / "look_up", str(pairs), str(threads)).splitlines()
    assert stored == f"{pairs} pairs stored"
    assert re.fullmatch(rf"\d+\.\d\d million look-ups per second by {threads} threads, all right", lookups), lookups


@pytest.mark.parametrize(
    ("command", "code", "complaint"),
    [
        (["look_up", "0"], 2, "usage: look_up [PAIRS [THREADS]]"),
        (["word_count"], 2, "usage: word_count FILE [CORES]"),
        (["word_count", "/etc/passwd", "0"], 2, "CORES: 1 to 4096"),
        (["word_count", "/no/such/file"], 1, "cannot read /no/such/file"),
        (["word_count", "/etc"], 1, "cannot read /etc"),
        (["key_value", "many"], 2, "usage: key_value [PAIRS [CORES]]"),
        (["key_value", "1000", "2", "3"], 2, "usage: key_value [PAIRS [CORES]]"),
        (["shared_table", "0"], 2, "usage: shared_table [KEYS [CORES]]"),
        (["snapshot", "1", "5000"], 2, "CORES: 1 to 4096"),
        (["accounts", "0"], 2, "accounts: expected a number up to 64, got 0"),
    ],
)
def test_examples_say_what_they_expect(built: Path, command: list[str], code: int, complaint: str) -> None:
    ended = run(built / command[0], *command[1:])
    assert ended.code == code
    assert complaint in ended.complaint
    assert not ended.output


# Programs for oneTBB


def ported(program: str, changes: str) -> str:
    """A program with the changes of a diff without places: what is to go, or stays, stands in it once."""
    for change in changes.split("@@\n"):
        lines = change.splitlines()
        before = "".join(f"{line[1:]}\n" for line in lines if line[0] != "+")
        after = "".join(f"{line[1:]}\n" for line in lines if line[0] != "-")
        assert program.count(before) == 1, before
        program = program.replace(before, after)
    return program


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("parallel_for", "17984 primes\n"),
        ("parallel_reduce", "pi is 3.141592654\n"),
        ("task_group", "the 32nd is 2178309\n"),
    ],
)
def test_a_program_for_onetbb_with_the_changes_of_the_page(
    prefix: Path, tmp_path: Path, name: str, expected: str
) -> None:
    program = (ROOT / f"examples/from_tbb/{name}.cpp").read_text()
    pages = re.findall(r"```diff\n(.*?)```", (ROOT / "docs/library.md").read_text(), re.DOTALL)
    (changes,) = [page for page in pages if f"-#include <oneapi/tbb/{name}.h>" in page]
    assert sum(line[0] == "+" for line in changes.splitlines()) <= 10
    assert sum(line[0] == "-" for line in changes.splitlines()) <= 10
    (package,) = prefix.glob("lib*/**/pkgconfig/mxk.pc")
    flags = run("pkg-config", "--cflags", "--libs", "mxk", PKG_CONFIG_PATH=str(package.parent)).output.split()
    (tmp_path / "ported.cpp").write_text(ported(program, changes))
    assert "tbb::" not in (tmp_path / "ported.cpp").read_text()
    succeed("g++", "-O2", *STRICT, "-o", tmp_path / "ported", tmp_path / "ported.cpp", *flags)
    assert succeed(tmp_path / "ported") == expected
    if Path("/usr/include/oneapi/tbb.h").exists():
        (tmp_path / "before.cpp").write_text(program)
        succeed("g++", "-O2", *STRICT, "-o", tmp_path / "before", tmp_path / "before.cpp", "-ltbb")
        assert succeed(tmp_path / "before") == expected


# Turns


TURNS = """
#include <mxk/runtime.hpp>
#include <mxk/tasks/turn_limit.hpp>
#include <mxk/tasks/workers.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <thread>
#include <time.h>
#include <vector>

std::uint64_t processor_time() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000ULL + now.tv_nsec;
}

struct LongTask : mxk::Task {
    LongTask()
        : Task(&LongTask::work) {}
    static void work(mxk::Worker& worker, mxk::Task& task) {
        auto& self = static_cast<LongTask&>(task);
        std::uint64_t const start = processor_time();
        mxk::TurnLimit const turn; // 1 ms
        while (!turn.is_due()) continue;
        self.nanoseconds.push_back(processor_time() - start);
        ++self.turns;
        if (!self.stop) return end_turn(worker, task);
        self.is_over = true;
    }
    std::vector<std::uint64_t> nanoseconds; // each turn's, without those that other programs had
    std::atomic<std::uint64_t> turns{0};
    std::atomic<bool> stop{false};
    std::atomic<bool> is_over{false};
};
struct ShortTask : mxk::Task {
    ShortTask()
        : Task([](mxk::Worker&, mxk::Task& task) {
            auto& self = static_cast<ShortTask&>(task);
            self.nanoseconds = raw(mxk::clock::now()) - self.sent;
            self.turns = self.beside->turns - self.turns;
        }) {}
    LongTask* beside = nullptr;
    std::uint64_t sent = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t turns = 0; // of the long task, until this one was sent; then while it waited
};

int main() {
    auto const runtime = mxk::Runtime::start({.memory_bytes = 256 << 20, .own_threads = true});
    std::size_t const cores = runtime.value().topology().cores.size();
    std::deque<LongTask> long_tasks(cores);
    for (std::size_t i = 0; i < cores; ++i) mxk::workers::of(mxk::core_id(i)).append_from_outside(long_tasks[i]);
    std::deque<ShortTask> short_tasks(2000);
    std::size_t next = 0;
    for (ShortTask& each : short_tasks) {
        std::this_thread::sleep_for(std::chrono::microseconds(137 + next * 7 % 613));
        std::size_t const core = next++ % cores;
        each.beside = &long_tasks[core];
        each.turns = each.beside->turns;
        each.sent = raw(mxk::clock::now());
        mxk::workers::of(mxk::core_id(core)).append_from_outside(each);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (LongTask& each : long_tasks) each.stop = true;
    for (LongTask& each : long_tasks)
        while (!each.is_over) std::this_thread::yield();
    std::vector<std::uint64_t> turn_times;
    for (LongTask& each : long_tasks)
        turn_times.insert(turn_times.end(), each.nanoseconds.begin(), each.nanoseconds.end());
    auto const share = [](std::vector<std::uint64_t>& values, std::size_t percent) {
        std::sort(values.begin(), values.end());
        return values[values.size() * percent / 100];
    };
    auto const of_short = [&](auto value, std::size_t percent) {
        std::vector<std::uint64_t> values;
        for (ShortTask const& each : short_tasks) values.push_back(each.*value);
        return share(values, percent);
    };
    auto const waits = &ShortTask::nanoseconds;
    std::printf("%.3f %.3f %.3f %d\\n", double(share(turn_times, 50)) / 1e6, double(of_short(waits, 50)) / 1e6,
                double(of_short(waits, 99)) / 1e6, int(of_short(&ShortTask::turns, 99)));
}
"""


def test_short_tasks_wait_for_one_turn_of_a_long_one(prefix: Path, tmp_path: Path) -> None:
    (package,) = prefix.glob("lib*/**/pkgconfig/mxk.pc")
    flags = run("pkg-config", "--cflags", "--libs", "mxk", PKG_CONFIG_PATH=str(package.parent)).output.split()
    (tmp_path / "turns.cpp").write_text(TURNS)
    succeed("g++", "-O2", *STRICT, "-o", tmp_path / "turns", tmp_path / "turns.cpp", *flags)
    turn, median, p99, turns = map(float, succeed(tmp_path / "turns").split())
    print(
        f"a turn takes {turn} ms; half wait {median} ms or less, 99 of 100 {p99} ms, which is {turns} turns"
    )  # pytest -s
    assert turns <= 1
    assert turn < 1.1, "a millisecond by the clock, of which other programs may have had a part"


# Under ThreadSanitizer

RACE = """
#include <mxk/runtime.hpp>
#include <mxk/tasks/task_group.hpp>

#include <cstdio>

int main() {
    auto runtime = mxk::Runtime::start({.cores = 2});
    unsigned long shared = 0;
    runtime.value().run([&](mxk::Worker& here) {
        mxk::TaskGroup group(here);
        for (auto const& core : runtime.value().topology().cores)
            group.spawn(here, core.id, [&](mxk::Worker&) {
                for (int i = 0; i < 100'000; ++i) *const_cast<unsigned long volatile*>(&shared) = shared + 1;
            });
        group.wait();
    });
    std::printf("%lu\\n", shared);
}
"""
PROGRAMS = (
    "key_value 10000 3",
    "dataflow",
    "query",
    "own_memory",
    "shared_table 10000 3",
    "snapshot 1000 3",
    "look_up 100000 2",
)


@pytest.mark.long(reason="compiles eight programs under ThreadSanitizer")
@pytest.mark.parametrize("compiler", ["g++", *["clang++-19"] * ("MXK_LONG_TESTS" in os.environ)])
def test_thread_sanitizer_sees_what_the_library_does(tmp_path: Path, compiler: str) -> None:
    assert (ROOT / "build/linux-tsan/libmxk.a").is_file(), "expected what make programs-tsan builds"
    succeed("cmake", "--install", ROOT / "build/linux-tsan", "--component", "library", "--prefix", tmp_path / "prefix")
    examples = Path(shutil.copytree(ROOT / "examples", tmp_path / "examples"))
    (examples / "race").mkdir()
    (examples / "race/main.cpp").write_text(RACE)
    names = [program.split()[0] for program in PROGRAMS] + ["race"]
    project_file = examples / "CMakeLists.txt"
    text = re.sub(r"foreach\(example [^)]*\)", f"foreach(example {' '.join(names)})", project_file.read_text())
    project_file.write_text(text)
    settings = [f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1"]
    ended = configure(examples, tmp_path / "prefix", *settings)
    assert ended.code == 0, ended.output + ended.complaint
    succeed("cmake", "--build", examples / "build")
    for program in PROGRAMS:
        name, *numbers = program.split()
        ended = run(examples / "build" / name, *numbers, TSAN_OPTIONS="exitcode=66")
        assert ended.code == 0, f"{program}: {ended.complaint[:3000]}"
    ended = run(examples / "build/race", TSAN_OPTIONS="exitcode=66")
    assert ended.code == 66
    assert "WARNING: ThreadSanitizer: data race" in ended.complaint


# The Python module

MODULE = """
import threading

import mxk
import numpy as np

rng = np.random.default_rng(1)
table = mxk.Table()
rows = rng.integers(-500, 500, 300_000)
new = [0] * 4


def count(part: int) -> None:
    new[part] = table.add(rows[part::4].copy(), 1)


threads = [threading.Thread(target=count, args=(part,)) for part in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
different, counts = np.unique(rows, return_counts=True)
assert sum(new) == len(table) == len(different)
keys, values = table.items()
order = np.argsort(keys)
assert (keys[order] == different).all() and (values[order] == counts).all()
values, found = table.find(np.arange(-600, 600))
assert found.sum() == len(different) and values.sum() == len(rows)
assert values.dtype == np.int64 and found.dtype == np.bool_
assert table.erase(different[:10]) == 10 and table.erase(different[:10]) == 0
assert table.insert(different, counts) == 10
floats = mxk.FloatTable(capacity=1000)
assert floats.upsert(np.arange(3), np.array([0.5, 1.5, 2.5])) == 3
assert floats.add(np.arange(3), np.ones(3)) == 0
assert list(floats.find(np.arange(4))[0]) == [1.5, 2.5, 3.5, 0.0]
empty_bytes = floats.nbytes
assert floats.add(np.arange(100_000), 1.5) == 100_000 - 3 and floats.nbytes > 1_600_000
assert floats.clear() == 100_000 and len(floats) == 0 and floats.nbytes == empty_bytes
cache = mxk.Table(max_keys=5_000)
assert cache.add(np.arange(100_000), 1) == 100_000 and len(cache) + cache.evicted == 100_000 and len(cache) <= 5_000
large = 2**63 + 5
unsigned = mxk.Table(dtype="uint64")
unsigned.add(np.array([large, 7], dtype=np.uint64), 1)
assert sorted(unsigned) == [7, large] and large in unsigned and unsigned.items()[0].dtype == np.uint64
table[5000] = -3
table[5000] += 1
assert table[5000] == -2 and 5000 in table and 5001 not in table and set(table) == {*different.tolist(), 5000}
del table[5000]
assert table.add([7000, 7001], np.int8(1)) == 2 and table.erase(np.arange(7000, 7004, dtype=np.uint16)[::1]) == 2
assert table.find(np.arange(0, 100, 2, dtype=np.uint64)[::-1])[0][0] == table[98] and table.find([])[1].size == 0
wrong = {
    "keys: expected int64, or what fits in it, got float64": lambda: table.add(np.array([1.2, 1.9, 1e300]), 1),
    "keys: expected int64, or what fits in it, got float32": lambda: table.find(np.ones(3, dtype=np.float32)),
    "keys: expected int64, or what fits in it, got <U1": lambda: table.erase(["a"]),
    "keys: expected int64, or what fits in it, got object": lambda: table.find([2**70]),
    "keys: expected int64, got 9223372036854775813": lambda: table.add(np.array([large], dtype=np.uint64), 1),
    "keys: expected uint64, got -1": lambda: unsigned.find([-1, 4]),
    "values: expected int64, or what fits in it, got float64": lambda: table.upsert([1, 2], [1.5, 2]),
    "values: expected int64, or what fits in it, got float32": lambda: table.add([1], np.float32(1.5)),
    "values: expected float64, or what fits in it, got complex128": lambda: floats.upsert([1], [1j]),
    "keys: expected an array of one dimension, got 2": lambda: table.add(np.ones((2, 2), dtype=int), 1),
    "expected as many values as keys": lambda: table.upsert(np.arange(3), np.arange(2)),
    "dtype: expected int64 or uint64, got float64": lambda: mxk.Table(dtype="float64"),
    "'float' object cannot be interpreted as an integer": lambda: 1.5 in table,
    "5000": lambda: table[5000],
}
for message, call in wrong.items():
    try:
        call()
    except (TypeError, ValueError, OverflowError, KeyError) as error:
        assert message in str(error), (message, error)
    else:
        raise SystemExit(f"expected to be refused: {message}")
assert all(thing.__doc__ for thing in (mxk, mxk.Table, mxk.Table.find, mxk.FloatTable.__iter__))
print(mxk.__version__)
"""

# A process that was forked has not the table's threads: it says so, and ends.
FORKED = """
import multiprocessing

import mxk


def use() -> None:
    for call in (lambda: table.find(range(100)), lambda: 1 in table, lambda: len(table), table.clear, mxk.Table):
        try:
            call()
        except RuntimeError as error:
            print(error)


table = mxk.Table()
table.add(range(100_000), 1)
child = multiprocessing.get_context("fork").Process(target=use)
child.start()
child.join(20)
print(child.exitcode, table.add(range(100_001), 1))
"""

# Ctrl-C in a call that would take minutes.
INTERRUPTED = """
import signal

import mxk
import numpy as np

table = mxk.Table()
keys = np.broadcast_to(np.arange(1 << 16), (1 << 10, 1 << 16)).reshape(-1)
signal.signal(signal.SIGALRM, signal.default_int_handler)  # as Ctrl-C, without a thread that needs the GIL
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    table.add(keys, 1)
except KeyboardInterrupt:
    print(0 < table[5] < 1 << 10)
"""


@pytest.mark.long(reason="compiles nanobind and the module, and counts 24 M rows")
def test_the_wheel(tmp_path: Path) -> None:
    made = Path(succeed("make", "--no-print-directory", "-C", ROOT, "SETUP=no", "wheel").split()[-1])
    (pip,) = Path("/usr/share/python-wheels").glob("pip-*.whl")
    there = {"PYTHONPATH": f"{tmp_path / 'module'}:{sysconfig.get_path('purelib')}"}  # which has numpy
    python = ROOT / "build/wheels/python{}.{}/bin/python".format(*sys.version_info)
    succeed(python, pip / "pip", "install", "--no-index", "--no-deps", "--target", tmp_path / "module", made)
    licences = {path.name for path in (tmp_path / "module").glob("mxk-*.dist-info/licenses/*")}
    inside = {path.name.partition("-")[0] for path in (tmp_path / "module/mxk.libs").iterdir()}
    assert "libhwloc" in inside
    assert {"LICENSE", "NOTICE", "LGPL-2.1", *(f"{library}.copyright" for library in inside)} <= licences
    assert "class FloatTable" in (tmp_path / "module/mxk.pyi").read_text()
    libraries = succeed("ldd", next((tmp_path / "module").glob("mxk.*.so")))
    assert f"{tmp_path}/module/mxk.libs/libhwloc" in libraries.replace("/module/./", "/module/")
    (tmp_path / "use.py").write_text(MODULE)
    ended = run(sys.executable, tmp_path / "use.py", **there)
    version = re.search(r"project\(mxk VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert ended.output == f"{version}\n", ended.complaint
    (tmp_path / "forked.py").write_text(FORKED)
    lines = run(sys.executable, tmp_path / "forked.py", **there).output.splitlines()
    assert [line for line in lines if "forked after its first table" not in line] == ["0 1"], lines
    assert len(lines) == 6
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    ended = run(sys.executable, tmp_path / "interrupted.py", **there)
    assert ended.output == "True\n", ended.complaint
    ended = run(sys.executable, ROOT / "examples/python/frequent.py", "24000000", **there)
    assert ended.output.startswith("24000000 rows, "), ended.complaint


# The packages


@pytest.mark.skipif("MXK_LONG_TESTS" not in os.environ, reason="long: MXK_LONG_TESTS is not set")
@pytest.mark.long(reason="compiles the library once more")
def test_the_conan_package(tmp_path: Path) -> None:
    succeed(ROOT / "tools/setup", "conan")
    conan = ROOT / "build/venv/bin/conan"
    home = {"CONAN_HOME": str(tmp_path)}
    assert run(conan, "profile", "detect", **home).code == 0
    ninja = ["-c", "tools.cmake.cmaketoolchain:generator=Ninja"]
    made = run(conan, "create", ROOT, *ninja, timeout=600, **home)
    assert made.code == 0, made.complaint[-3000:]
    assert "hello from core 0" in made.complaint
    assert not (ROOT / "tests/conan/build").exists()
    refused = run(conan, "create", ROOT, "-s", "os=Macos", **home)
    assert refused.code != 0
    assert "expected Linux on x86_64" in refused.complaint


def project(folder: Path, wanted: str = "", more: str = "") -> Path:
    """A project that looks for mxk, and what else its CMakeLists.txt says."""
    folder.mkdir()
    text = f"cmake_minimum_required(VERSION 3.24)\nproject(user LANGUAGES CXX)\nfind_package(mxk {wanted} REQUIRED)\n"
    (folder / "CMakeLists.txt").write_text(text + more)
    return folder


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("README.md", [f"hello from core {core}" for core in range(4)]),
        ("docs/dataflow.md", ["1000 rows", "1000 rows"]),
    ],
)
def test_the_program_in_a_page(prefix: Path, tmp_path: Path, page: str, expected: list[str]) -> None:
    (program,) = re.findall(r"```cpp\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    find, link = re.findall(r"```cmake\n(.*?)\n(.*?)\n```", (ROOT / "README.md").read_text(), re.DOTALL)[0]
    (tmp_path / "main.cpp").write_text(program)
    lines = ["cmake_minimum_required(VERSION 3.20)", "project(hello CXX)", find, "add_executable(hello main.cpp)", link]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    ended = configure(tmp_path, prefix)
    assert ended.code == 0, ended.complaint
    succeed("cmake", "--build", tmp_path / "build")
    assert sorted(succeed(tmp_path / "build/hello").splitlines()) == expected


ONE_KEY = """#include <mxk/table.hpp>
#include <cstdio>
int main() {
    auto const runtime = mxk::Runtime::start({.cores = 1, .memory_bytes = 256 << 20, .own_threads = true});
    auto made = mxk::Table<std::uint64_t, std::uint64_t>::create();
    if (!runtime || !made) return 1;
    for (int i = 0; i < 2; ++i)
        if (made.value().insert(7, 49)) std::puts("new");
    return made.value().find(7) == 49 ? 0 : 2;
}
"""


def test_a_program_is_built_by_pkg_config_where_the_prefix_was_moved(prefix: Path, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(prefix, tmp_path / "moved"))
    (package,) = moved.glob("lib*/**/pkgconfig/mxk.pc")
    path = {"PKG_CONFIG_PATH": str(package.parent)}
    flags = run("pkg-config", "--cflags", "--libs", "mxk", **path)
    assert flags.code == 0, flags.complaint
    version = re.search(r"project\(mxk VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert run("pkg-config", "--modversion", "mxk", **path).output.strip() == version[1]
    (tmp_path / "one.cpp").write_text(ONE_KEY)
    succeed("g++", *STRICT, "-o", tmp_path / "one", tmp_path / "one.cpp", *flags.output.split())
    assert succeed(tmp_path / "one") == "new\n"


def test_what_was_installed_can_be_taken_away(tmp_path: Path) -> None:
    """By a Makefile of its own folder, whose build has been installed."""
    (tmp_path / "build/linux").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tmp_path)
    there = [tmp_path / "prefix" / name for name in ("lib/libmxk.a", "include/mxk/a/b.hpp", "lib/cmake/mxk/c.cmake")]
    for path in (*there, tmp_path / "prefix/include/other.hpp"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    manifest = tmp_path / "build/linux/installed.txt"
    manifest.write_text("\n".join(map(str, there)))  # CMake ends it without a line's end
    assert succeed("make", "-C", tmp_path, "uninstall") is not None
    assert sorted(path.name for path in (tmp_path / "prefix").rglob("*")) == ["cmake", "include", "lib", "other.hpp"]
    again = run("make", "-C", tmp_path, "uninstall")
    assert again.code != 0
    assert "expected build/linux/installed.txt" in again.complaint


def one_line(text: str) -> str:
    """CMake breaks its messages into lines as it likes."""
    return " ".join(text.split())


def test_another_version_is_refused(prefix: Path, tmp_path: Path) -> None:
    ended = configure(project(tmp_path / "user", "99.0"), prefix)
    assert ended.code != 0
    complaint = one_line(ended.complaint)
    assert 'compatible with requested version "99.0"' in complaint
    assert "mxkConfig.cmake, version: 0." in complaint


def test_a_component_that_is_none_is_refused(prefix: Path, tmp_path: Path) -> None:
    assert configure(project(tmp_path / "one", "COMPONENTS library"), prefix).code == 0
    ended = configure(project(tmp_path / "none", "COMPONENTS nonsense"), prefix)
    assert ended.code != 0
    assert "expected its one component, library, got 'nonsense'" in one_line(ended.complaint)


def test_a_missing_library_is_named(prefix: Path, tmp_path: Path) -> None:
    nothing = {"PKG_CONFIG_LIBDIR": str(tmp_path), "PKG_CONFIG_PATH": ""}
    ended = configure(project(tmp_path / "user"), prefix, **nothing)
    assert ended.code != 0
    expected = "mxk needs hwloc and numa, which pkg-config does not find (Debian: libhwloc-dev libnuma-dev)"
    assert expected in one_line(ended.complaint)


def first_include(source: Path) -> str | None:
    """The first header that a source includes, from the root."""
    found = re.search(r'^#include ["<](.*?)[">]', source.read_text(), re.MULTILINE)
    return found[1] if found else None


@pytest.mark.long(reason="compiles each of the library's headers")
def test_every_header_stands_on_its_own(prefix: Path, tmp_path: Path) -> None:
    include = prefix / "include"
    headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.hpp"))
    assert "mxk/runtime.hpp" in headers
    assert "mxk/arch/core_local.hpp" in headers
    texts = {header: (include / header).read_text() for header in headers}
    long = "MXK_LONG_TESTS" in os.environ

    def complaint(*included: str, compiler: str = "clang++-19", more: tuple[str | Path, ...] = ()) -> str:
        file = tmp_path / f"{included[0].replace('/', '_')}.{compiler}.cpp"
        file.write_text("".join(f"#include <{header}>\n" for header in included))
        return run(compiler, *STRICT, *more, "-isystem", include, "-fsyntax-only", file).complaint

    # To read the system's headers takes nearly all of the time. Those that programs include have to bring them; the
    # others get them compiled once, and have to bring what they want of MXK: with MXK_LONG_TESTS the system's, too.
    # Those that a source of ours includes first have been compiled in this way when that was.
    programs = [*(ROOT / "examples").rglob("*.cpp"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    for_programs = set(re.findall(r"#include <(mxk/.*?)>", "".join(file.read_text() for file in programs)))
    assert "mxk/table.hpp" in for_programs
    compiled = tmp_path / "system.hpp"
    of_system = sorted({name for text in texts.values() for name in re.findall(r"#include <(?!mxk/)(.*?)>", text)})
    compiled.write_text("".join(f"#include <{name}>\n" for name in of_system))
    succeed("clang++-19", *STRICT, "-x", "c++-header", compiled, "-o", f"{compiled}.pch")

    def complaint_of(header: str) -> str:
        stands_alone = header in for_programs or long
        return complaint(header, more=() if stands_alone else ("-include-pch", f"{compiled}.pch"))

    first = {first_include(source) for room in ROOMS for source in (ROOT / room).rglob("*.cpp")}
    to_read = [header for header in headers if header in for_programs or header.removeprefix("mxk/") not in first]
    assert len(to_read) < len(headers)
    with ThreadPoolExecutor(2) as pool:
        assert not [text for text in pool.map(complaint_of, headers if long else to_read) if text]
    assert not complaint(*headers, compiler="g++")
    own = [header for header in headers if re.search(r'#include "(?!mxk/)', texts[header])]
    assert not own, "include by a name that may collide with a user's folders"


def test_a_shared_object_over_the_library_can_be_loaded(prefix: Path) -> None:
    # What is thread_local is reached without a call, so it lies in what the loader has left over for such objects when
    # it loads one later: 512 bytes for all of them, by default (glibc's rtld.optional_static_tls).
    sections = succeed("readelf", "--section-headers", "--wide", next(prefix.rglob("libmxk.a")))
    found = re.findall(
        r"\.t(?:bss|data)\S* +(?:NOBITS|PROGBITS) +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) .* (\d+)$", sections, re.MULTILINE
    )
    assert len(found) > 3, sections[:1000]
    assert sum(int(size, 16) + int(alignment) for size, alignment in found) < 512


def test_the_library_lacks_nothing_and_brings_no_console(prefix: Path, tmp_path: Path) -> None:
    library = next(prefix.rglob("libmxk.a"))
    symbols = succeed("nm", "--demangle", "--defined-only", library)
    assert "mxk::Runtime::start(" in symbols
    assert not re.search(r"\bmxk::(console|bench|inner_tests)::", symbols)
    whole = "target_link_libraries(whole PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,mxk::mxk>)\n"
    user = project(tmp_path / "user", more="add_executable(whole main.cpp)\n" + whole)
    (user / "main.cpp").write_text("int main() {}\n")
    ended = configure(user, prefix)
    assert ended.code == 0, ended.complaint
    succeed("cmake", "--build", user / "build")

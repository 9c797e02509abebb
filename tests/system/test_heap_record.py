"""tools/mxk heap-record: what programs allocate and free is a trace, in one order, that `bench heap replay` verifies;
where nothing can be recorded, that is said."""

import os
import shutil
import stat
from collections import Counter
from pathlib import Path

import pytest

from helpers import Ended, drive, run_linux, succeed
from mxk_host.heap_record import ALLOCATED, FREED, MAX_CORES, reason_against, trace_lines

# Bytes of the objects of heap_events.cpp, in their order.
WAYS = (8, 1002, 1003, 300_000, 1004, 1005, 1088, 1006, 1008, 1009, 4096, 1011, 1024, 1012)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("heap") / "heap_events"
    source = Path(__file__).parent / "heap_events.cpp"
    succeed("g++", "-std=c++20", "-O0", "-w", source, "-o", made)
    return made


def record(trace: Path, *words: str | Path, **environment: str) -> Ended:
    return drive("heap-record", *map(str, (trace, "--", *words)), **environment)


def events(trace: Path) -> list[tuple[str, str, str]]:
    """Thread, what it did, and the bytes of the object."""
    words = [line.split() for line in trace.read_text().splitlines()[2:]]
    return [(core, what, size) for core, what, _, size in words]


def verify(trace: Path, cores: str) -> None:
    ended = run_linux("--cores", "2", f"bench heap replay {trace} --cores {cores} --heap mxk,locked --repeat 1 --json")
    rows = [row for row in ended.rows if "heap" in row]
    assert [(row["heap"], row["verified"]) for row in rows] == [("mxk", True), ("locked", True)] * (len(rows) // 2)
    assert {row["cores"] for row in rows} == set(map(int, cores.split(",")))


@pytest.mark.parametrize(("how", "code"), [("return", 0), ("_exit", 7), ("abort", 134)])
def test_each_way_to_allocate_is_an_event_however_the_program_ends(
    program: Path, tmp_path: Path, how: str, code: int
) -> None:
    trace = tmp_path / "heap.trace"
    ended = record(trace, program, how)
    assert ended.code == code, ended
    assert ended.output == ""
    assert f" events of 2 threads of {program}; left out: 1 programs that child processes ran\n" in ended.complaint
    expected = [("0", "a", "1001")]
    expected += [("0", what, str(size)) for size in WAYS for what in "af"]
    expected += [("0", "a", "1013"), ("1", "f", "1013"), ("1", "a", "1014"), ("0", "f", "1014")]
    expected += [("0", "a", "1015"), ("0", "f", "1015")]
    expected += [("0", "f", "1001")] if how == "return" else []
    # A thread's own memory is an event, too.
    assert [event for event in events(trace) if event[2] in {size for _, _, size in expected}] == expected
    verify(trace, "2")


def test_of_a_process_that_runs_another_program_that_one_is_recorded(program: Path, tmp_path: Path) -> None:
    trace = tmp_path / "heap.trace"
    ended = record(trace, program, "exec")
    assert ended.code == 9
    assert f" events of 1 threads of {os.path.realpath('/bin/sh')}; left out: nothing\n" in ended.complaint
    assert not {size for _, _, size in events(trace)} & {"1001", "1002", "1013"}


def test_threads_that_free_each_others_objects_have_one_order(program: Path, tmp_path: Path) -> None:
    trace = tmp_path / "heap.trace"
    ended = record(trace, program, "threads")
    # An event that came too early or too late would be one that is left out.
    assert (ended.code, "events of 5 threads" in ended.complaint) == (0, True), ended
    assert "left out: nothing\n" in ended.complaint
    verify(trace, "1,2")
    # Only the first events: what they leave live is freed by nobody.
    ended = drive("heap-record", "--events", "1000", str(trace), str(program), "threads")
    assert "1000 events of 5 threads" in ended.complaint
    assert "events after the first 1000\n" in ended.complaint
    verify(trace, "2")


def test_python_with_two_threads_is_replayed(tmp_path: Path) -> None:
    trace = tmp_path / "heap.trace"
    text = "import threading as t; [t.Thread(target=lambda: [bytes(n) for n in range(500)]).start() for _ in (1, 2)]"
    ended = record(trace, "python3", "-c", f"import os; print(os.environ.get('PYTHONPATH')); {text}",
                   PYTHONMALLOC="malloc", PYTHONPATH="/of/the/caller")  # fmt: skip
    assert (ended.code, ended.output) == (0, "/of/the/caller\n"), ended
    assert {core for core, _, _ in events(trace)} == {"0", "1", "2"}
    verify(trace, "2")


def test_what_constructors_of_libraries_allocate_is_recorded(tmp_path: Path) -> None:
    ended = record(tmp_path / "heap.trace", "cmake", "-P", "/dev/null")  # it frees that
    assert "left out: nothing\n" in ended.complaint


def test_what_cannot_be_recorded_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "heap.trace"
    trace.write_text("as it was")
    (tmp_path / "empty.c").write_text("int main(void) { return 0; }")
    succeed("gcc", "-static", tmp_path / "empty.c", "-o", tmp_path / "static")
    succeed("gcc", tmp_path / "empty.c", "-o", tmp_path / "empty")
    for words, code, expected in (
        ((trace, "--", tmp_path / "static"), 2, "static is linked statically"),
        ((trace, "--", "no-such-program"), 2, "expected a program to record, got no-such-program, which is none"),
        ((tmp_path / "none/heap.trace", "--", "true"), 2, "heap.trace to be written: No such file or directory"),
        ((trace, "--", tmp_path / "empty"), 1, "empty has not called malloc"),
        ((trace, "--build", tmp_path, "--", "true"), 2, "libmxk-record-heap.so: make linux builds it first"),
    ):
        ended = drive("heap-record", *map(str, words))
        assert (ended.code, expected in ended.complaint) == (code, True), ended
    assert trace.read_text() == "as it was"


def test_programs_with_other_rights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Path(shutil.copy("/bin/true", tmp_path / "program"))
    program.chmod(0o755 | stat.S_ISUID)
    assert reason_against(program) is None  # they are the caller's own
    monkeypatch.setattr(os, "geteuid", lambda: program.stat().st_uid + 1)
    assert "set-uid" in str(reason_against(program))


def test_whatever_the_events_are_the_trace_is_valid() -> None:
    left_out: Counter[str] = Counter()
    told = [
        (16, 0, 1, FREED),  # allocated before
        (32, 3, MAX_CORES + 2, ALLOCATED),
        (48, 0, 0, 0),  # not written to its end
        (64, (1 << 30) + 1, 1, ALLOCATED), (64, 0, 1, FREED),
        (32, 40, 1, ALLOCATED),  # freed unseen
        (32, 0, 2, FREED), (32, 0, 2, FREED),
    ]  # fmt: skip
    lines = list(trace_lines(told, left_out))
    assert lines == ["1 a 0 8\n", "0 f 0 8\n", "0 a 1 40\n", "1 f 1 40\n"]
    assert sorted(left_out.values()) == [1, 1, 3]

"""Timelines from `trace on` to the file for a browser: what both builds record and dump, what `tools/mxk trace show`
makes of it, and of logs in which lines are missing or damaged."""

import base64
import json
import re
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from helpers import Ended, drive, interrupt_linux, linux_program, run_linux, run_mxk
from mxk_host.errors import DriverError
from mxk_host.timeline import chunks
from mxk_host.timeline import document as trace_event
from mxk_host.timeline.names import Names
from mxk_host.timeline.recording import decode
from mxk_host.timeline.sums import sums_of

BENCH = "bench table --ops 1K --cores 1,2"
SCHEMA = json.loads((Path(__file__).parent / "trace_event.schema.json").read_text())

TURNS = ("task", "thread")  # categories

Events = list[dict[str, Any]]


def show(*logs: Path, code: int = 0, options: tuple[str, ...] = ()) -> Ended:
    """Runs `trace show`; the file is beside the last log."""
    ended = drive("trace", "show", *map(str, logs), *options, timeout=120)
    assert ended.code == code, f"expected exit code {code}, got {ended.code}:\n{ended.output}{ended.complaint}"
    return ended


def shown(log: Path, *options: str, complaint: str = "") -> dict[str, Any]:
    """The file that is made of a log, checked against the format."""
    ended = show(log, options=("--output", str(log.with_suffix(".json")), *options))
    assert ended.complaint == complaint
    document = json.loads(log.with_suffix(".json").read_text())
    jsonschema.validate(document, SCHEMA)
    return document


def recorded(log: Path, commands: str, *options: str) -> Path:
    """A log of the Linux program that records these commands."""
    ended = run_linux("--cores", "2", *options, f"trace on --events 1M; {commands}; trace off; trace dump")
    log.write_text(ended.output)
    return log


def phase(document: dict[str, Any], wanted: str) -> Events:
    """The events of one kind."""
    return [event for event in document["traceEvents"] if event["ph"] == wanted]


def names(document: dict[str, Any], wanted: str) -> set[str]:
    """Of slices (X) or instants (i)."""
    return {event["name"] for event in phase(document, wanted)}


def nanoseconds(microseconds: float) -> int:
    return round(microseconds * 1000)


def own_times(document: dict[str, Any]) -> dict[int, dict[str, int]]:
    """By core and name of what the worker does, or 'task': nanoseconds in which nothing else ran inside; computed from
    the file alone. Slices of a core that overlap without one being inside the other fail."""
    rows: dict[int, Events] = defaultdict(list)
    for event in phase(document, "X"):
        if event["cat"] in TURNS or event["name"] in ("round", "safe point", "idle"):
            rows[event["tid"]].append(event)
    own: dict[int, dict[str, int]] = {}
    for core, row in rows.items():
        own[core] = defaultdict(int)
        around: list[tuple[int, str]] = []
        for event in sorted(row, key=lambda each: (nanoseconds(each["ts"]), -nanoseconds(each["dur"]))):
            begin, time = nanoseconds(event["ts"]), nanoseconds(event["dur"])
            while around and around[-1][0] <= begin:
                around.pop()
            name = "task" if event["cat"] in TURNS else event["name"]
            own[core][name] += time
            if around:
                assert begin + time <= around[-1][0] + 1, f"{event} ends behind what it is inside of"
                own[core][around[-1][1]] -= time
            around.append((begin + time, name))
    return own


def tasks_run(output: str) -> list[dict[int, int]]:
    """What each `cores` in the output says of each core."""
    tables = output.split("core node ")[1:]
    return [
        {int(core): int(count) for core, count in re.findall(r"^ *(\d+) +\d+ +(\d+) ", table, re.MULTILINE)}
        for table in tables
    ]


def check_flows(document: dict[str, Any]) -> int:
    """Each hop is followed by an arrival on another core, not before it; their number."""
    starts = {event["id"]: event for event in phase(document, "s")}
    ends = {event["id"]: event for event in phase(document, "f")}
    assert starts.keys() == ends.keys()
    for number, start in starts.items():
        assert start["tid"] != ends[number]["tid"]
        assert start["ts"] <= ends[number]["ts"]
    begins = {(event["tid"], event["ts"]) for event in phase(document, "X") if event["cat"] in TURNS}
    assert all((event["tid"], event["ts"]) in begins for event in ends.values())
    return len(starts)


def check_sums(document: dict[str, Any]) -> None:
    """Tasks, and what the worker did between them, are what the worker counted as not idle, within 2 %."""
    own = own_times(document)
    for core in document["otherData"]["cores"]:
        assert core["complete"]
        times = own[core["core"]]
        busy = times["task"] + times["round"] + times["safe point"]
        assert busy == pytest.approx(core["busy_counted_ms"] * 1e6, rel=0.02)
        assert times["idle"] == pytest.approx((core["span_ms"] - core["busy_counted_ms"]) * 1e6, rel=0.02, abs=20_000)


def test_a_table_on_two_cores(tmp_path: Path) -> None:
    log = recorded(tmp_path / "table.log", f"cores; {BENCH}; cores")
    document = shown(log)
    check_sums(document)
    hops = len([event for event in phase(document, "i") if event["name"] == "hop"])
    # What stops the cores is sent home after the end.
    assert hops - 2 <= check_flows(document) <= hops
    assert hops > 700
    found = names(document, "X")
    assert any("TwoPhaseTask" in name for name in found)
    assert not any(name.startswith("0x") for name in found)
    assert {"round", "idle", "asleep"} <= found
    assert {"sleep", "wake", "hop", "wakes another"} <= names(document, "i")
    before, after = tasks_run(log.read_text())
    for core in document["otherData"]["cores"]:
        number = core["core"]
        # Between the two, all but those that print the first table and those that come behind the second.
        assert 0 <= core["tasks"] - (after[number] - before[number]) <= 5


def test_rows_are_cores_and_processes_are_nodes(tmp_path: Path) -> None:
    document = shown(recorded(tmp_path / "nodes.log", "cores", "--nodes", "2"))
    rows = {(event["name"], event["pid"], event["tid"]): event["args"] for event in phase(document, "M")}
    assert rows["process_name", 0, 0] == {"name": "node 0"}
    assert rows["process_name", 1, 0] == {"name": "node 1"}
    assert rows["thread_name", 0, 0] == {"name": "core 0"}
    assert rows["thread_name", 1, 1] == {"name": "core 1"}


def test_growth_and_changes_of_owners(tmp_path: Path) -> None:
    growing = "bench table --layout open --submit batch --initial-slots 1024 --ops 10K --cores 2 --owners 1,2"
    document = shown(recorded(tmp_path / "growth.log", growing))
    assert "growth step" in names(document, "X")
    assert "owns a part of a table" in names(document, "i")
    check_sums(document)


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    ended = run_linux("--cores", "2", f"trace on --events 100; {BENCH}; trace off; trace top; trace dump")
    lost = re.search(r"^trace: 200 events of 2 cores in .* ms, (\d+) older ones lost \(trace on --events\)$",
                     ended.output, re.MULTILINE)  # fmt: skip
    assert lost is not None, ended.output
    log = tmp_path / "lost.log"
    log.write_text(ended.output)
    complaint = show(log).complaint
    told = re.findall(r"^WARN core (\d): (\d+) older events were lost", complaint, re.MULTILINE)
    assert [core for core, _ in told] == ["0", "1"]
    assert sum(int(count) for _, count in told) == int(lost[1])


def test_top_shows_functions_and_sums(tmp_path: Path) -> None:
    commands = f"trace on --events 1M; {BENCH}; trace off; trace top --rows 2; trace top --rows 100"
    output, complete = run_linux("--cores", "2", commands).output.split("long idle times", 1)
    sums = re.findall(r"^ +(\d) +([\d.]+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +[\d.]+ % +\d+ +0$",
                      output, re.MULTILINE)  # fmt: skip
    assert [row[0] for row in sums] == ["0", "1"], output
    for _, span, _, tasks, rounds, safe_points, idle in sums:
        assert sum(map(float, (tasks, rounds, safe_points, idle))) == pytest.approx(float(span), rel=0.02)
    assert len(re.findall(r"^ +\d+ +[\d.]+ +[\d.]+ % ", output, re.MULTILINE)) == 2, output
    assert re.search(r"^and \d+ functions more \(--rows\)$", output, re.MULTILINE), output
    assert "long tasks" in output
    # Which functions are the first two depends on what the machine was busy with; all of them are in the complete list.
    assert re.search(r"^ +\d+ +[\d.]+ +[\d.]+ % .*TwoPhaseTask", complete, re.MULTILINE), complete
    assert "functions more" not in complete
    assert "long idle times" in complete


def test_missing_and_damaged_lines_are_named_and_asked_for_again(tmp_path: Path) -> None:
    commands = f"trace on --events 1M; {BENCH}; trace off; trace dump; help exit; trace dump --from 5"
    first, again = run_linux("--cores", "2", commands).output.split("usage: exit")
    lines = first.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("TRACE "))
    count = int(lines[start].split()[2].split("/")[1])
    assert len([line for line in again.splitlines() if line.startswith("TRACE ")]) == count - 5

    place = start + 5  # of chunk 5
    lines[place] = lines[place][:100] + ("A" if lines[place][100] != "A" else "B") + lines[place][101:]
    lines[place + 3] = lines[place + 3][:60]
    del lines[place + 6 : place + 9]
    # Other text in front of a line, and the line ends of a serial line, do no harm.
    log = tmp_path / "damaged.log"
    log.write_text("\r\n".join(["\x1b[Kmxk> " + line for line in lines]))
    complaint = show(log).complaint.splitlines()
    assert complaint == [
        f"WARN chunk 5 of {count} is damaged: {log}:{place + 1}",
        f"WARN chunk 8 of {count} is damaged: {log}:{place + 4}",
        f"WARN 3 of {count} chunks are missing: 11-13",
        "WARN the rest is used; while the recording is kept, this gives them: trace dump --from 5",
    ]
    document = json.loads(log.with_suffix(".trace.json").read_text())
    jsonschema.validate(document, SCHEMA)
    assert document["otherData"]["complaints"] == [line.removeprefix("WARN ") for line in complaint]
    assert not all(core["complete"] for core in document["otherData"]["cores"])

    rest = tmp_path / "rest.log"
    rest.write_text(again)
    assert show(log, rest).complaint == ""
    check_sums(json.loads(rest.with_suffix(".trace.json").read_text()))


def test_a_core_whose_own_chunk_is_missing_is_shown(tmp_path: Path) -> None:
    log = recorded(tmp_path / "core.log", "cores")
    kept = [line for line in log.read_text().splitlines() if not re.match(r"TRACE \w+ 2/", line)]  # of core 1
    log.write_text("\n".join(kept))
    assert "1 of " in show(log).complaint
    document = json.loads(log.with_suffix(".trace.json").read_text())
    jsonschema.validate(document, SCHEMA)
    assert [core["complete"] for core in document["otherData"]["cores"]] == [True, False]
    assert {event["tid"] for event in phase(document, "X")} == {0, 1}


def test_bytes_that_mean_nothing_are_an_error_and_no_crash() -> None:
    random = Random(1)
    output = run_linux("--cores", "2", "trace on --events 50; cores; trace off; trace dump").output
    dump = chunks.Dump("x", 9)
    for line in output.splitlines():
        if found := re.match(r"TRACE \w+ (\d+)/\d+ (\S+) ", line):
            dump.chunks[int(found[1])] = base64.b64decode(found[2])
    refused = 0
    for _ in range(2000):
        number = random.choice(list(dump.chunks))
        changed = bytearray(dump.chunks[number])
        for _ in range(random.randint(1, 3)):
            changed[random.randrange(len(changed))] = random.randrange(256)
        try:
            decoded = decode(chunks.Dump("x", 9, {**dump.chunks, number: bytes(changed)}))
        except DriverError:
            refused += 1
            continue
        trace_event.document(decoded, Names(), [sums_of(core) for core in decoded.cores], [])
    assert 100 < refused < 1900


def test_of_several_recordings_the_last_or_the_one_that_is_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "several.log"
    log.write_text("".join(run_linux("--cores", "1", "trace on; trace off; trace dump").output for _ in range(2)))
    ids = list(dict.fromkeys(re.findall(r"^TRACE ([0-9a-f]{8}) ", log.read_text(), re.MULTILINE)))
    output = show(log).output
    assert f"recording {ids[1]}, the last one; others in these logs (--recording): {ids[0]}\n" in output
    show(log, options=("--recording", ids[0]))
    assert json.loads(log.with_suffix(".trace.json").read_text())["otherData"]["recording"] == ids[0]
    assert f"expected one of {ids[0]}, {ids[1]}, got 'x'" in show(log, code=2, options=("--recording", "x")).complaint


def test_a_dump_that_is_interrupted_says_where_to_begin_again() -> None:
    recording = "trace on --events 1M; bench table --ops 50K --cores 1; trace off"
    # Nobody reads behind the first line before Ctrl-C is typed, and more is written than a pipe holds.
    output = interrupt_linux(f"{recording}; trace dump", "TRACE ", "--cores", "1")
    ended = re.search(
        r"^error: ended before chunk (\d+) of (\d+); the rest: trace dump --from \1$", output, re.MULTILINE
    )
    assert ended is not None, output[-500:]
    assert 1 <= int(ended[1]) < int(ended[2])


def test_logs_that_cannot_be_shown(tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.write_text("mxk> topology\ncores 2\nTRACE 00000001 0/1 AAAA 00000000\n")  # the sum is wrong
    assert f"no line of 'trace dump' in {empty}: expected lines 'TRACE ...'" in show(empty, code=1).complaint
    assert "expected a log with the lines of 'trace dump', got" in show(tmp_path / "none", code=2).complaint
    log = recorded(tmp_path / "head.log", "cores")
    log.write_text("\n".join(line for line in log.read_text().splitlines() if " 0/" not in line))
    assert re.search(r"chunk 0 of recording [0-9a-f]{8} is missing", show(log, code=1).complaint)


def test_names_are_those_of_the_program_that_was_recorded(tmp_path: Path) -> None:
    log = recorded(tmp_path / "names.log", "cores")
    other = tmp_path / "other"
    other.write_bytes(b"\x7fELF")
    complaint = show(log, options=("--program", str(other))).complaint
    assert complaint.startswith(f"WARN functions have no names: {other} is not of the build ")
    assert "--program: expected the program that was recorded" in show(
        log, code=2, options=("--program", str(tmp_path / "none"))
    ).complaint  # fmt: skip
    assert show(log, options=("--program", linux_program())).complaint == ""


@pytest.mark.parametrize(
    ("commands", "complaint"),
    [
        ("trace dump", "expected 'trace on' and 'trace off' before: nothing was recorded"),
        ("trace top", "expected 'trace on' and 'trace off' before: nothing was recorded"),
        ("trace off", "expected 'trace on' before: no timeline is being recorded"),
        ("trace on; trace on", "expected 'trace off' before: the timeline is being recorded"),
        ("trace on; trace clear", "expected 'trace off' before: the timeline is being recorded"),
        ("trace on; trace dump", "expected 'trace off' before: the timeline is being recorded"),
        (
            "trace on; trace off; trace clear; trace dump",
            "expected 'trace on' and 'trace off' before: nothing was recorded",
        ),
        ("trace on --events 0", "--events: expected a count such as 24M (1 to 67108864), got '0'"),
        ("trace on; trace off; trace dump --from 1000", "--from: expected a chunk from 0 to "),
        ("trace on --events 64Mi", "expected memory for 67108864 events of 32 bytes on each of 1 cores: "),
    ],
)
def test_errors_say_what_is_expected(commands: str, complaint: str) -> None:
    ended = run_linux("--cores", "1", "--memory", "256M", commands, code=1)
    assert f"error: {complaint}" in ended.output


@pytest.mark.usefixtures("images")
def test_in_the_kernel(tmp_path: Path) -> None:
    log = tmp_path / "kernel.log"
    bench = "bench table --ops 1K --cores 1,2"
    ended = run_mxk(log, ["--cpus", "2"], f"trace on; {bench}; trace off; trace top; trace dump", seconds=240)
    assert "TwoPhaseTask" in ended.output
    document = shown(log)
    check_sums(document)
    # 2000 operations on two cores, each of which goes to the other one with probability 1/2: 1000, deviation 22.
    assert check_flows(document) > 850
    assert document["otherData"]["platform"] == "metal"
    found = names(document, "X")
    assert any("TwoPhaseTask" in name for name in found)
    assert not any(name.startswith("0x") for name in found)


@pytest.mark.usefixtures("images")
def test_threads_in_the_kernel(tmp_path: Path) -> None:
    log = tmp_path / "threads.log"
    commands = (
        "trace on; bench thread --measure preempt --switches 5 --repeat 1; "
        "bench semaphore --measure ping-pong --trips 20 --repeat 1; trace off; trace dump"
    )
    run_mxk(log, ["--cpus", "2"], commands, seconds=240)
    document = shown(log)
    threads = [event for event in phase(document, "X") if event["cat"] == "thread"]
    assert threads
    check_sums(document)
    assert not any(event["name"].startswith("0x") for event in threads)
    assert {"preempted", "waits for a semaphore"} <= names(document, "i")

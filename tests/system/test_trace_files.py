"""`tools/mxk trace convert` and `replay`: recorded workloads become traces, which have results. No machine runs."""

import contextlib
import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

import ycsb_log
from helpers import drive
from mxk_host.errors import DriverError
from mxk_host.trace import job
from mxk_host.trace.source import Source


def converted(*paths: Path, operation: str | None = None, text: bool = False) -> str:
    """What the driver says of the last one, which it makes of the others."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        job.convert(list(paths[:-1]), paths[-1], source=Source.AUTO, operation=operation, as_text=text)
    return said.getvalue()


def complaint_of(*paths: Path) -> str:
    with pytest.raises(DriverError) as raised:
        converted(*paths)
    assert not paths[-1].exists()
    return str(raised.value)


def replayed(trace: Path) -> dict[str, Any]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        job.show_results(trace, as_json=True)
    return json.loads(said.getvalue())["trace"]


def as_text(trace: Path) -> list[list[str]]:
    """The operations of a trace, by its text form."""
    text = trace.with_suffix(".text")
    converted(trace, text, text=True)
    head, *lines = text.read_text().splitlines()
    assert head == "mxk-trace 1"
    return [line.split() for line in lines]


def test_a_log_of_ycsb(tmp_path: Path) -> None:
    log, trace = tmp_path / "load-and-run.log", tmp_path / "a.trace"
    log.write_text(
        f"{ycsb_log.HEAD}INSERT usertable user1 [ field0=a ] b [c field1=x ]\nINSERT usertable user2 [ field0=zz ]\n"
        "READ usertable user1 [ field1 ]\nUPDATE usertable user2 [ field0=new ]\nDELETE usertable user2\n"
        f"READ usertable user2 [ <all fields>]\nREADMODIFYWRITE usertable user1 [ field0=w ]\n{ycsb_log.TAIL}"
    )
    output = converted(log, trace)
    assert "7 operations from ycsb (insert 2, find 2, erase 1, update 1, modify 1), 151 bytes" in output
    assert "keys: 2 different strings, hashed to 64 bits, 0 collisions" in output
    assert "7 lines that were no operation were left out" in output
    first, second, *others = as_text(trace)
    assert [words[0] for words in (first, second, *others)] == (
        ["insert", "insert", "find", "update", "erase", "find", "modify"]
    )
    assert [words[1] for words in others] == [first[1], second[1], second[1], second[1], first[1]]
    # BLAKE2b of 8 bytes, by b2sum -l 64, read as little-endian: it may never change.
    assert first[1] == str(int.from_bytes(bytes.fromhex("cefb3950b4c8b007"), "little"))
    results = replayed(trace)
    assert (results["insert"], results["find"], results["update"], results["erase"]) == (2, 1, 1, 1)
    assert (results["modify"], results["keys"], results["operations"]) == (1, 1, 7)


def test_scans_are_refused_by_name_and_line(tmp_path: Path) -> None:
    log = tmp_path / "e.log"
    log.write_text("READ usertable user1 [ <all fields>]\nSCAN usertable user1 57 [ <all fields>]\n")
    complaint = complaint_of(log, tmp_path / "e.trace")
    assert f"{log}, line 2: expected READ, INSERT, UPDATE, DELETE or READMODIFYWRITE, got SCAN" in complaint


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.log", "READ usertable\n", "line 1: expected 'READ TABLE KEY [ FIELDS ]', got 'READ usertable'"),
        ("a.log", "UPDATE usertable user1\n", "line 1: expected 'UPDATE TABLE KEY [ FIELDS ]'"),
        ("a.csv", "insert,7,1\nscan,7,1\n", "row 2: expected an operation (insert, find, erase"),
        ("a.csv", "insert,7\n", "row 1: expected a value behind 'insert', got nothing"),
        ("a.csv", "find,,\n", "row 1: expected a key, got nothing"),
        ("a.csv", "operation,key\n", "expected 1 row or more, got none"),
        ("a.keys", "1\n0\n", "line 2: expected "),
        ("a.keys", "1\ntwo\n", "got 'two'"),
        ("a.text", "nothing of the kind\n", "expected one of trace, ycsb, csv, keys, keys64, since "),
        ("a.trace", "mxk-trace 1\nfind 7 8\n", "line 2: expected 'find KEY', got 3 words"),
        ("a.trace", "mxk-trace 1\nscan 7\n", "line 2: expected one of insert, find, erase, update, upsert, modify"),
        ("a.trace", "mxk-trace 1\n", "expected 1 operation or more"),
    ],
)
def test_bad_inputs_say_what_is_expected(tmp_path: Path, name: str, content: str, complaint: str) -> None:
    (tmp_path / name).write_text(content)
    assert complaint in complaint_of(tmp_path / name, tmp_path / "out")


def test_csv_of_numbers_and_of_names(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("operation,key,value\nput,7,70\nget,7,\nread-modify-write,0x10,5\ndelete,7,\n")
    converted(numbers, tmp_path / "numbers.trace")
    assert as_text(tmp_path / "numbers.trace") == [
        ["upsert", "7", "70"],
        ["find", "7"],
        ["modify", "16", "5"],
        ["erase", "7"],
    ]
    names = tmp_path / "names.csv"
    names.write_text("insert,Berlin,capital\nfind,7\nfind,Berlin\n")
    assert "2 different strings, hashed to 64 bits" in converted(names, tmp_path / "names.trace")
    first, number, again = as_text(tmp_path / "names.trace")
    assert first[1] == again[1] != number[1] != "7"


def test_key_lists(tmp_path: Path) -> None:
    lines = tmp_path / "keys.txt"
    lines.write_text("3\n0x10\r\n3\n")
    converted(lines, tmp_path / "found.trace")
    assert as_text(tmp_path / "found.trace") == [["find", "3"], ["find", "16"], ["find", "3"]]
    plain, counted = tmp_path / "plain.u64", tmp_path / "counted.u64"
    plain.write_bytes(struct.pack("<3Q", 3, 16, 2**64 - 2))
    counted.write_bytes(struct.pack("<4Q", 3, 3, 16, 2**64 - 2))
    converted(plain, tmp_path / "plain.trace", operation="insert")
    converted(counted, tmp_path / "counted.trace", operation="insert")
    assert as_text(tmp_path / "plain.trace") == as_text(tmp_path / "counted.trace")
    assert [words[:2] for words in as_text(tmp_path / "plain.trace")][2] == ["insert", str(2**64 - 2)]
    (tmp_path / "cut.u64").write_bytes(plain.read_bytes()[:-1])
    assert "offset 16: expected a key of 8 bytes, got 7 bytes" in complaint_of(tmp_path / "cut.u64", tmp_path / "out")


def test_several_inputs_stand_one_behind_the_other(tmp_path: Path) -> None:
    for name, text in (("load", "insert 7 70\n"), ("run", "find 7\n")):
        (tmp_path / name).write_text(f"mxk-trace 1\n{text}")
    converted(tmp_path / "load", tmp_path / "run", tmp_path / "both.trace")
    assert as_text(tmp_path / "both.trace") == [["insert", "7", "70"], ["find", "7"]]


def test_replay_by_hand(tmp_path: Path) -> None:
    trace = tmp_path / "hand.trace"
    trace.write_text(
        "mxk-trace 1\ninsert 1 10\ninsert 1 11\nfind 1\nupdate 1 12\nmodify 1 13\nupsert 1 14\nupsert 2 20\n"
        "update 3 30\nmodify 3 31\nfind 3\nerase 3\nerase 1\nfind 1\ninsert 4 40\n"
    )
    factor = 0x9E3779B97F4A7C15
    content = sum(key ^ (value * factor % 2**64) for key, value in ((2, 20), (4, 40))) % 2**64
    assert replayed(trace) == {
        "operations": 14,
        "insert": 2,
        "find": 1,
        "erase": 1,
        "update": 1,
        "upsert": 1,
        "modify": 1,
        "seen": f"0x{10 + 12:016x}",
        "keys": 2,
        "content": f"0x{content:016x}",
    }


def test_what_is_no_trace_is_named_with_its_offset(tmp_path: Path) -> None:
    good = tmp_path / "good.trace"
    (tmp_path / "text").write_text("mxk-trace 1\ninsert 7 70\nfind 7\n")
    converted(tmp_path / "text", good)
    data = good.read_bytes()
    assert len(data) == 32 + 2 * 17
    assert data[24:28] == struct.pack("<I", zlib.crc32(data[:24] + data[32:]))
    wrong = {
        data[:20]: "offset 20: expected a header of 32 bytes",
        data[:-1]: "offset 65: expected 66 bytes, for 2 operations, got the end of the trace in number 2",
        data + b"x": "offset 66: expected the end of the trace behind 2 operations, got 1 more bytes",
        data[:8] + data[11:7:-1] + data[12:]: "offset 8: expected the byte order mark 0x01020304, got 0x04030201",
        data[:12] + b"\2" + data[13:]: "offset 12: expected version 1, got 2",
        data[:49] + b"\6" + data[50:]: "offset 49: expected an operation from 0 to 5, got 6 (operation number 2)",
        data[:50] + bytes(8) + data[58:]: "offset 50: expected a key from 1 to ",
        data[:58] + b"\1" + data[59:]: "offset 58: expected the value 0 of an operation that writes none, got 1",
        data[:41] + b"\1" + data[42:]: "offset 24: expected the check sum 0x",
        b"MXK": "expected a trace, which begins with MXKTRACE",
    }
    for content, complaint in wrong.items():
        (tmp_path / "wrong").write_bytes(content)
        with pytest.raises(DriverError) as raised:
            replayed(tmp_path / "wrong")
        assert complaint in str(raised.value)


def test_by_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("mxk-trace 1\ninsert 7 70\nfind 7\n")
    made = drive("trace", "convert", str(tmp_path / "text"), str(tmp_path / "a.trace"))
    assert made.code == 0, made.complaint
    assert "2 operations from trace (insert 1, find 1), 66 bytes" in made.output
    shown = drive("trace", "replay", str(tmp_path / "a.trace"))
    assert shown.code == 0, shown.complaint
    assert "at the end 1 keys" in shown.output
    few = drive("trace", "convert", str(tmp_path / "text"))
    assert (few.code, "expected files to read and one to write" in few.complaint) == (2, True)


def test_ten_thousand_operations_of_a_generated_log(tmp_path: Path) -> None:
    log = ycsb_log.write(tmp_path / "d.log", operations=9000, records=1000, workload="d")
    assert "10,000 operations from ycsb" in converted(log, tmp_path / "d.trace")
    results = replayed(tmp_path / "d.trace")
    assert results["operations"] == 10_000
    assert results["insert"] == results["keys"] > 1000
    assert results["find"] == 10_000 - results["insert"], "each key that is read was inserted before"

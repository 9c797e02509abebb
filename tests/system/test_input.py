"""Hostile and odd input to every command of the driver that reads or writes a file: nothing ends in a traceback or
hangs, what is refused is named, and what was there before stays. Many run in this process, as tools/mxk starts them."""

import ast
import base64
import contextlib
import io
import json
import os
import random
import re
import resource
import signal
import stat
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from helpers import ROOT, Ended, drive, run_linux
from mxk_host import files
from mxk_host.__main__ import main
from mxk_host.compare.cells import Cells
from mxk_host.compare.figures import FIGURES, evaluate
from mxk_host.compare.plan import Kind, Part
from mxk_host.compare.run import Record
from mxk_host.errors import DriverError, UsageError
from mxk_host.report import page
from mxk_host.simulate import calibration_job
from mxk_host.stream import json_row
from mxk_host.tpch import data, schema
from mxk_host.tpch.column_file import Table, Writer
from mxk_host.tpch.reference import Reference
from report_rows import all_kinds, as_lines

HOST = ROOT / "tools/mxk_host"
MARK = "\ufeff".encode()
CODES = {0, 1, 2}  # of commands that boot nothing
FUZZED_SECONDS = 8.0  # of a processor
SLOWEST = 10  # seconds of a command
ROWS = as_lines(all_kinds()[:12]).encode()
CSV = b"operation,key,value\ninsert,1,10\nfind,2,\nerase,1,\n"
TRACE = b"mxk-trace 1\ninsert 1 2\nfind 1\n"
YCSB = b"INSERT usertable user1 [ field0=a ]\nREAD usertable user1 [ <all fields>]\n"


class TooLongError(Exception):
    """A command hangs."""


def command(*words: object, stdin: bytes = b"") -> Ended:
    """Runs it; raises what comes out of it but the exit that the command line is told."""

    def hangs(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError(words)

    output, complaint = io.StringIO(), io.StringIO()
    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(SLOWEST)
    try:
        with (
            contextlib.redirect_stdout(output), contextlib.redirect_stderr(complaint),
            pytest.MonkeyPatch.context() as it,
        ):  # fmt: skip
            it.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            it.setattr(page, "get_plotlyjs", lambda: "")  # 4 MB in each page, always the same
            code = main([str(word) for word in words])
    except SystemExit as ended:
        code = ended.code
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return Ended(int(code or 0), output.getvalue(), complaint.getvalue())


class Inputs:
    """A folder with sound input of every kind, and the commands that read it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.sound: dict[Path, bytes] = {}
        self.commands: dict[Path, list[tuple[object, ...]]] = {}
        add = self._add
        rows, again = add("rows.jsonl", ROWS), add("again.jsonl", ROWS)
        self.commands[rows] = [
            ("report", rows, "--output", self.out), ("compare-runs", again, rows), ("compare-runs", rows, rows),
            ("measured", rows, "--page", self.out),
        ]  # fmt: skip
        whole = add("run/results.jsonl", ROWS).parent
        for name, content in (
            ("results.jsonl", ROWS), ("command.txt", b"qemu"), ("commands.txt", b"a  # logs/01-01-x.log\n"),
            ("simulation.json", json.dumps(SIMULATION).encode()), ("logs/01-01-x.log", ROWS),
        ):  # fmt: skip
            self.commands[add(f"run/{name}", content)] = [("report", whole, "--output", self.out)]
        summary = add("comparison/summary.json", json.dumps(SUMMARY).encode())
        self.commands[summary] = [
            ("compare", "--from", summary.parent, "--json", "--markdown", self.out),
            ("figures-check", "--from", summary.parent),
        ]  # fmt: skip
        own = add("page.md", b"# Page\n\n<!-- compare: figures -->\n<!-- end of compare: figures -->\n")
        self.commands[own] = [
            ("measured", again, "--page", own), ("compare", "--from", summary.parent, "--markdown", own),
        ]  # fmt: skip
        log = add("dump.log", dumped())
        program = add("program", Path("/bin/true").read_bytes())
        self.commands[log] = [("trace", "show", log, "--output", self.out)]
        self.commands[program] = [("trace", "show", log, "--output", self.out, "--program", program)]
        for name, source, content in (
            ("a.csv", "csv", CSV), ("a.keys", "keys", b"1\n2\n0x3\n"), ("a.u64", "keys64", bytes(range(1, 33))),
            ("a.ycsb", "ycsb", YCSB), ("a.trace", "trace", TRACE),
        ):  # fmt: skip
            path = add(name, content)
            self.commands[path] = [
                ("trace", "convert", path, self.out), ("trace", "convert", "--from", source, path, self.out),
                ("trace", "replay", path),
            ]  # fmt: skip
        binary = add("b.trace", b"")
        command("trace", "convert", folder / "a.trace", binary)
        self.sound[binary] = binary.read_bytes()
        self.commands[binary] = [("trace", "replay", binary), ("trace", "convert", "--text", binary, self.out)]
        machine = add("mine.toml", (ROOT / "tools/simulator/machines/test-2x2.toml").read_bytes())
        self.commands[machine] = [("simulate", "--dry-run", "--whole", "--machine-file", machine, "topology")]
        table = add("acpi/APIC", b"APIC" + bytes(60))
        self.commands[table] = [("firmware", "image", self.out, "--acpi", table.parent)]
        module = add("module", b"1")
        self.commands[module] = [("run", "--dry-run", "--trace", module, "topology")]

    def _add(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content)
        self.sound[path] = content
        return path

    def run(self, path: Path, words: tuple[object, ...], what: object) -> Ended:
        """With what the file is now; the exit code is one that is documented, and a failure says something."""
        try:
            ended = command(*words)
        except BaseException as error:
            error.add_note(f"{shown(words)} with {path.name}: {what!r:.300}")
            raise
        assert ended.code in CODES, (shown(words), what)
        assert ended.code == 0 or ended.complaint.startswith(("tools/mxk: ", "WARN ", "Usage: ")), ended
        return ended


def shown(words: tuple[object, ...]) -> str:
    return " ".join(map(str, words))


def dumped() -> bytes:
    """A recording of two cores without events, as `trace dump` prints it."""
    head = bytes((0, 1, 100, 0, 2, 5)) + b"linux" + bytes((1,)) + b"x"
    lines = []
    for number, chunk in enumerate((head, bytes((1, 0, 0, 1, 9, 1, 0, 0)), bytes((1, 1, 0, 1, 9, 1, 0, 0)))):
        text = f"TRACE 0123abcd {number}/3 {base64.b64encode(chunk).decode()}"
        lines.append(f"{text} {zlib.crc32(text.encode()):08x}\n")
    return "".join(lines).encode()


_SPENT = {"instructions": 5, "cycles": 9, "stack": {"base": 7, "idle": 2}}
_PLACE = {"offset": 8, "bytes": 8, "core": 0, "code": "0x10", "reads": 1, "writes": 1}
_LINE = {"physical": "0x40", "virtual": "0x40", "transfers": 1, "invalidations": 1, "cycles": 5, "places": [_PLACE]}
SIMULATION: dict[str, Any] = {
    "machine": "test-2x2", "hertz": 1e9, "instructions": 5, "host_seconds": 1,
    "regions": [{
        "begin": 0, "end": 9, "traffic": [[1, 2], [3, 4]], "cores": [{"core": 0, "node": 0, **_SPENT}],
        "channels": [{"node": 0, "bytes": 64, "busy": 0.5}], "functions": [{"address": "0x10", **_SPENT}],
        "lines": [_LINE],
    }],
}  # fmt: skip
SUMMARY: dict[str, Any] = {
    "benchmark": "compare", "command": "tools/mxk compare", "started": "now", "operations": 5, "cores": [1], "seed": 1,
    "rounds": 1, "rounds_asked": 1, "quick_look": True, "interrupted": False, "signal": None, "verified": True,
    "ratios_of": {Part.TABLE: "mxk-batch"}, "dist": {}, "bounds": [], "missing": [], "failures": [], "unsupported": [],
    "machine": {}, "warnings": [{"text": "a", "processes": 1, "figures_differ": False}], "skipped": [],
    "load_before": 0,
    "figures": evaluate(FIGURES, Cells(Record()), [Part.TABLE]), "results": "there",
    "rows": [{
        "section": Part.TABLE, "engine": "mxk-batch", "kind": Kind.MXK, "library": "", "mix": "insert", "cores": 1,
        "throughput": {"n": 1, "median": 5e6, "min": 5e6, "max": 5e6}, "quiet": True, "verified": True,
    }],
    "engines": [{"name": "mxk-batch", "kind": Kind.MXK, "library": "", "setup": ""}],
}  # fmt: skip


def mutated(content: bytes, chance: random.Random) -> bytes:
    """One of the ways in which input is odd: another encoding, a part of it gone or put in, a value replaced."""
    at, end = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    match chance.randrange(8):
        case 0:
            return chance.choice(
                (MARK + content, b"", b"\0" * 99, content.decode("latin-1").encode("utf-16"), b"\xe9\xff" + content)
            )
        case 1:
            return content[:at]
        case 2:
            return content[:at] + content[end:]
        case 3:
            return content[:at] + chance.choice(STRANGE) + content[at:]
        case 4:
            return content[:at] + bytes((chance.randrange(256),)) + content[at + 1 :]
        case 5:
            return content[:end] + content[at:]
        case 6:
            numbers = [*re.finditer(rb"[0-9][0-9.e+]*", content)] or [re.match(b"", content)]
        case _:
            numbers = [*re.finditer(rb'"[^"]*"|\[[^\[\]]*\]|\{[^{}]*\}|true|false', content)] or [
                re.match(b"", content)
            ]
    place = chance.choice(numbers)
    return content[: place.start()] + chance.choice(STRANGE) + content[place.end() :]


STRANGE = (
    *(b"-1", b"0", b"1e999", b"NaN", b"9" * 5000, b"18446744073709551616", b"0x", b"1.5", b'""', b'"\\ud800"', b"null"),
    *(
        b"[]",
        b"{}",
        b"[[]]",
        b'{"median":0}',
        b"[" * 5000,
        b'{"a":' * 5000,
        b"\0",
        b"\r",
        b"\xed\xa0\x80",
        b",,,,",
        b'"',
    ),
    *(b"\n\n", b"<!-- compare: figures -->", b"true", b"nan", b"inf", b"a = 1\n", b"[machine]\n", b"\x1b[2J", b" "),
)


def test_no_command_ends_in_a_traceback_whatever_it_reads(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path)
    for path, commands in inputs.commands.items():
        for words in commands:
            inputs.run(path, words, "as it is")
    seed = int(os.environ.get("MXK_SEED", "1"))
    chance = random.Random(seed)
    print(f"seed {seed}")
    end = time.process_time() + float(os.environ.get("MXK_FUZZ_SECONDS", FUZZED_SECONDS))
    while time.process_time() < end:
        path = chance.choice(list(inputs.commands))
        content = mutated(inputs.sound[path], chance)
        path.write_bytes(content)
        inputs.run(path, chance.choice(inputs.commands[path]), content)
        path.write_bytes(inputs.sound[path])


def test_a_row_with_half_a_surrogate_pair_is_damaged(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(ROWS + b'{"benchmark":"table","layout":"\\ud800","cores":1}\n{"benchmark":"\\ud83d\\ude00"}\n')
    ended = command("report", log)
    assert (ended.code, "half of a surrogate pair" in ended.complaint) == (0, True)
    assert "damaged lines left out: 1\n" in ended.complaint
    assert "\N{GRINNING FACE}" in (tmp_path / "report.html").read_text()


def test_names_that_are_no_text_are_shown(tmp_path: Path) -> None:
    log = Path(os.fsdecode(os.fsencode(tmp_path / "a") + b"\xff.log"))
    log.write_bytes(ROWS)
    ended = drive("report", str(log))
    assert (ended.code, ended.output) == (0, f"report: {tmp_path}/report.html\n"), ended.complaint
    assert "a\\udcff.log" in (tmp_path / "report.html").read_text()
    assert command("trace", "convert", log, log).complaint.startswith("tools/mxk: --from: expected one of")


def readers(inputs: Inputs) -> Iterator[tuple[Path, tuple[object, ...]]]:
    """Each command once with each file that it reads, but for those that take none that cannot be read."""
    for path, commands in inputs.commands.items():
        yield from ((path, words) for words in commands)


OPTIONAL = {"command.txt", "commands.txt", "simulation.json", "01-01-x.log", "results.jsonl"}  # of a run's folder


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path)
    for path, words in readers(inputs):
        path.unlink()
        os.mkfifo(path)
        ended = inputs.run(path, words, "a pipe")
        assert path.name in OPTIONAL or (ended.code, "expected" in ended.complaint) == (2, True), (words, ended)
        path.unlink()
        path.symlink_to("/dev/zero")
        ended = inputs.run(path, words, "a device")
        assert path.name in OPTIONAL or (ended.code, "expected" in ended.complaint) == (2, True), (words, ended)
        path.unlink()
        path.write_bytes(inputs.sound[path])


def test_a_file_is_read_up_to_a_stated_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = Inputs(tmp_path)
    for path, words in readers(inputs):
        if path.name in OPTIONAL or words[0] == "run":  # run hands the file on to QEMU
            continue
        with path.open("ab") as file:
            file.truncate(files.MAX_WORKLOAD_BYTES + 1)
        ended = command(*words)
        assert (ended.code, " of up to " in ended.complaint) == (2, True), (words, ended)
        path.write_bytes(inputs.sound[path])
    monkeypatch.setattr(files.read_stream, "__defaults__", (100,))
    assert command("report", "-", stdin=bytes(101)).complaint == (
        "tools/mxk: expected a log on standard input, of up to 100 bytes, got more\n"
    )


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV), ("a.keys", b"1\n2\n"), ("a.trace", TRACE), ("a", YCSB)])
def test_a_byte_order_mark_counts_for_nothing_and_other_encodings_are_named(
    name: str, content: bytes, tmp_path: Path
) -> None:
    plain, marked, out, other = (tmp_path / it for it in (name, f"marked-{name}", "out", "other"))
    plain.write_bytes(content)
    marked.write_bytes(MARK + content.replace(b"\n", b"\r\n"))
    assert (command("trace", "convert", plain, out).code, command("trace", "convert", marked, other).code) == (0, 0)
    assert out.read_bytes() == other.read_bytes()
    if content != YCSB:
        source = plain.suffix[1:]
        for wrong, said in ((content.decode().encode("utf-16"), ""), (content + b"# caf\xe9\n", "the byte 0xe9\n")):
            plain.write_bytes(wrong)
            ended = command("trace", "convert", "--from", source, plain, other)
            assert (ended.code, ended.complaint.endswith(said)) == (1, True), ended
    assert out.read_bytes() == other.read_bytes()


def test_a_table_with_quoted_names_and_one_with_more_values_than_columns(tmp_path: Path) -> None:
    table, out = tmp_path / "a.csv", tmp_path / "out"
    table.write_text('"operation","key","value"\n"insert","1","10"\n')
    assert "1 operations from csv (insert 1)" in command("trace", "convert", table, out).output
    table.write_text("insert,1,10,7\ninsert,2,10,7\n")
    ended = command("trace", "convert", table, out)
    assert (ended.code, "as many values in each row as columns, 3, got more" in ended.complaint) == (1, True), ended
    table.write_text("operation,key,key\ninsert,1,10\nOperation ,1,2\n")
    assert command("trace", "convert", table, out).code == 1


def writers(inputs: Inputs) -> Iterator[tuple[object, ...]]:
    """The commands that write `out`."""
    for commands in inputs.commands.values():
        yield from (words for words in commands if inputs.out in words)


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = Inputs(tmp_path)
    commands = list(writers(inputs))
    inputs.out.write_text("# before\n")
    folder = sorted(tmp_path.iterdir())

    def refuse(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(files.os, "fsync", refuse)
        for words in commands:
            ended = command(*words)
            is_page = "--markdown" in words  # it has no place for a table
            assert (ended.code, is_page or "to be written: No space left" in ended.complaint) == (2, True), (
                words,
                ended,
            )
    assert (inputs.out.read_text(), sorted(tmp_path.iterdir())) == ("# before\n", folder)
    inputs.out.unlink()
    for words in commands:
        assert command(*words).code == 0, words
        assert inputs.out.stat().st_size
        inputs.out.unlink()


def test_a_file_too_large_for_its_limit_leaves_what_was_there(tmp_path: Path) -> None:
    """The same by the kernel, which refuses to make any file that large."""
    log, page_file = tmp_path / "a.log", tmp_path / "report.html"
    log.write_bytes(ROWS)
    page_file.write_text("before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        ended = command("report", log)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert (ended.code, ended.complaint.endswith("report.html to be written: File too large\n")) == (2, True), ended
    assert (page_file.read_text(), sorted(tmp_path.iterdir())) == ("before", [log, page_file])


def test_modes_links_devices_and_pipes_stay_what_they_are(tmp_path: Path) -> None:
    log, target, link, pipe = (tmp_path / name for name in ("a.log", "target", "link", "pipe"))
    log.write_bytes(ROWS)
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    assert command("report", log, "--output", link).code == 0
    assert (link.is_symlink(), stat.S_IMODE(target.stat().st_mode)) == (True, 0o640)
    assert "</html>" in target.read_text()
    assert command("report", log, "--output", tmp_path / "new").code == 0
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~mask
    assert command("report", log, "--output", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()
    full = command("trace", "convert", "--from", "keys64", log, "/dev/full")
    assert (full.code, Path("/dev/full").is_char_device()) in ((1, True), (2, True))
    assert "No space left" in command("report", log, "--output", "/dev/full").complaint
    os.mkfifo(pipe)
    assert "nobody reads this pipe" in command("report", log, "--output", pipe).complaint
    assert command("report", log, "--output", tmp_path).code == 2
    assert command("report", log, "--output", log / "below").code == 2
    assert command("report", "x" * 5000).code in (1, 2)


def test_output_that_nobody_can_take_is_no_traceback() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [ROOT / "tools/mxk", "firmware", "faults"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, "Traceback" in done.stderr, "No space left" in done.stderr) == (1, False, True), (
        done.stderr
    )


def test_files_are_opened_in_one_place() -> None:
    """Every other module asks mxk_host/files.py to read and to write."""
    direct = {"open", "read_text", "write_text", "read_bytes", "write_bytes", "fromfile", "read_csv"}
    allowed = {("building.py", "open"), ("trace/lists.py", "read_csv")}  # a lock; of a text that has been read
    found = set()
    for path in sorted(HOST.rglob("*.py")):
        name = str(path.relative_to(HOST))
        for node in ast.walk(ast.parse(path.read_text())) if name != "files.py" else ():
            if isinstance(node, ast.Call) and not from_files(node.func):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if called in direct and not imported(path, called):
                    found.add((name, called))
    assert found == allowed


def from_files(called: ast.expr) -> bool:
    """files.read_text(...)."""
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "files"


def imported(path: Path, name: str) -> bool:
    """Whether a module has this name from mxk_host.files."""
    return bool(re.search(rf"from mxk_host\.files import .*\b{name}\b", path.read_text()))


def test_what_is_no_row_of_a_program_is_none() -> None:
    assert json_row('{"a":' + 5000 * "9" + "}") is None
    assert json_row('{"a":' + 100_000 * "[" + "}") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "[[]]", "7", "[" * 100_000, json.dumps([[[{"benchmark": 1}]] * 11])])
def test_native_rows_that_are_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "native.json").write_text(text)
    with pytest.raises(UsageError, match=r"expected .*--native.*native\.json|--native: expected rows of 11"):
        calibration_job._kept_rows(tmp_path)


def test_figures_of_which_a_comparison_says_nothing_are_not_reached(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text(json.dumps(SUMMARY | {"figures": []}))
    ended = command("figures-check", "--from", tmp_path)
    assert (ended.code, "the comparison says nothing of " in ended.complaint) == (1, True), ended


def test_a_parquet_file_that_is_none(tmp_path: Path) -> None:
    found = data.Data(data.Scale(0.01), tmp_path)
    found.folder.mkdir()
    for table in schema.TABLES:
        found.parquet(table).write_text("none")
    with pytest.raises(DriverError, match=r"expected the Parquet files of tpchgen-cli in .*scale-0\.01"):
        data.make_column_file(found, tmp_path / "out")
    with pytest.raises(DriverError, match="expected the Parquet files"):
        Reference(found, ())
    assert not (tmp_path / "out").exists()


def test_a_column_file_without_rows_is_no_measurement(tmp_path: Path) -> None:
    empty = tmp_path / "empty.mxkc"
    tables = [Table(name, 0, tuple(it.column for it in sources)) for name, sources in schema.TABLES.items()]
    with empty.open("wb") as file:
        writer = Writer(file, tables)
        for _ in [it for sources in schema.TABLES.values() for it in sources]:
            writer.add(b"")
        writer.finish()
    for query in ("q1", "q3", "q6"):
        ended = run_linux("--cores", "1", f"bench query {query} --data {empty} --json", code=1)
        assert f"error: --data: expected rows in the tables of query {query}, got none in {empty}" in ended.output
        assert ended.rows == []


@pytest.mark.parametrize(
    "words",
    [
        ("compare-runs", "a", "b", "--floor", "nan"), ("compare-runs", "a", "b", "--confidence", "nan"),
        ("run", "--dry-run", "--timeout", "nan", "topology"), ("run", "--dry-run", "--timeout", "inf", "topology"),
        ("lock-mpi", "list", "--timeout", "inf"), ("heap-peaks", "--timeout", "nan"),
        ("compare-builds", "/bin/true", "/bin/true", "--min-mean", "nan"), ("overview", "--ops", 400 * "9"),
        ("compare-builds", "/bin/true", "/bin/true", "--cores", 5000 * "9"),
    ],
)  # fmt: skip
def test_numbers_that_are_none_or_have_no_end_are_refused(words: tuple[str, ...]) -> None:
    ended = command(*words)
    assert (ended.code, ended.complaint.startswith("tools/mxk: expected ")) == (2, True), ended

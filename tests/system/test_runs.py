"""Runs read from logs of any kind and state, understood, and compared with each other. The captured logs are real: the
Linux program's and peers' output, and QEMU's serial line."""

import json
import random
import shlex
import zlib
from pathlib import Path

import pytest

from helpers import drive, run_linux
from mxk_host.check_sum import line_of
from mxk_host.errors import UsageError
from mxk_host.report.labels import series_names
from mxk_host.runs.changes import Verdict, changes
from mxk_host.runs.command import command_of
from mxk_host.runs.compare import compare_runs
from mxk_host.runs.log import Found, read_log
from mxk_host.runs.point import Point, key_of, points_of
from mxk_host.runs.source import expect_rows, read_runs, told_of
from mxk_host.stream import json_row
from report_rows import MACHINE, Row, all_kinds, as_lines, noisy_run, spread

CAPTURED = Path(__file__).parent / "captured"
NATIVE, EMULATED = CAPTURED / "native.log", CAPTURED / "qemu.log"


def points(rows: list[Row], run: int = 0) -> list[Point]:
    return points_of([Found(row, "") for row in rows], run)


def test_rows_warnings_and_commands_of_a_serial_log() -> None:
    log = read_log(EMULATED.read_bytes())
    assert log.damages == []
    assert [found.row.get("benchmark") for found in log.rows] == [None, "table", "table"]
    assert log.rows[0].row["topology"] == "this machine"
    assert log.rows[1].command == "bench table --cores 1,2 --ops 50K --repeat 3 --json"
    assert any(text.startswith("the machine was not quiet") for text in log.warnings)
    assert log.failures == ["error: --measure round-trip: needs another core of core 0's node"]


def test_a_damaged_line_is_named_and_the_others_are_read() -> None:
    row = b'{"benchmark":"table","throughput":{"n":1,"median":5}}'
    lines = [row, row[:30], b"noise \xff\x00", row[20:], b"12:00:01 " + row, row + row, b'{"benchmark":7}']
    lines += [row[:30] + row, row[20:] + row]  # an end of line was lost, too
    log = read_log(b"\r\n".join(lines))
    assert [found.row["benchmark"] for found in log.rows] == ["table"] * 6
    assert [damage.line for damage in log.damages] == [2, 4, 7, 8, 9]
    assert str(log.damages[0]).startswith("line 2: no whole JSON row (")
    assert log.damages[2].reason == "expected the name of a benchmark as text"
    deep = read_log(b'{"benchmark":"x","y":' + b"[" * 100_000 + b"]" * 100_000 + b"}")
    assert len(deep.damages) == 1
    for number in (b"NaN", b"1e400", b"1" + 400 * b"0"):
        assert read_log(b'{"benchmark":"x","seconds":' + number + b"}").damages != []


def test_a_row_cut_anywhere_is_told() -> None:
    row = as_lines(all_kinds()[:1]).encode().rstrip()
    for cut in range(3, row.rindex(b'":'), 7):
        assert len(read_log(row[:cut]).damages) == 1, row[:cut]
        assert len(read_log(row[cut:]).damages) == 1, row[cut:]


ROW = {"benchmark": "table", "cores": 1, "verified": True, "throughput": {"n": 1, "median": 5}}


def test_a_row_whose_check_sum_is_wrong_is_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = line_of(ROW).encode().rstrip()
    assert [found.row for found in read_log(line).rows] == [ROW], "its check sum is no setting"
    digit = line.index(b'"median": 5') + len(b'"median": ')
    changed = line[:digit] + b"6" + line[digit + 1 :]  # still a row
    log = read_log(b"\r\n".join([line, changed]))
    assert len(log.rows) == 1
    sums = [zlib.crc32(text[: text.rindex(b",")]) for text in (line, changed)]
    assert [str(damage).split(": {")[0] for damage in log.damages] == [
        f"line 2: the check sum: expected {sums[0]:08x}, found {sums[1]:08x}"
    ]
    (tmp_path / "serial.log").write_bytes(b"\r\n".join([line, changed]))
    names = [str(tmp_path / "serial.log")] * 2
    assert "\n".join(told_of(read_runs(names[:1])[0])).startswith(
        "serial.log: damaged lines left out: 1\n  line 2: the check sum: expected"
    ), "what the report says"
    with pytest.raises(UsageError, match="nothing is known of noise"):
        compare_runs(*names, confidence=0.99, floor=0.02, all_rows=False, as_json=False)
    assert capsys.readouterr().out.count("damaged lines left out: 1\n  line 2: the check sum: expected") == 2


def test_no_changed_byte_of_a_row_goes_unnoticed() -> None:
    line = line_of(ROW).encode().rstrip()
    for at in range(len(line)):
        for byte in (line[at] ^ 1, line[at] ^ 4, ord("7")):
            changed = line[:at] + bytes([byte]) + line[at + 1 :]
            if changed != line:
                log = read_log(changed)
                assert (log.rows, json_row(changed.decode())) == ([], None), changed
                assert log.damages, changed


def test_rows_without_a_check_sum_are_read_and_that_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "older.jsonl").write_text(as_lines(all_kinds()))
    (run,) = read_runs([str(tmp_path / "older.jsonl")])
    assert len(run.rows) == len(all_kinds())
    assert list(told_of(run)) == [
        f"older.jsonl: rows without a check sum, as in older logs: {len(run.rows)}; damage may go unnoticed there"
    ]


def test_rows_that_were_printed_again_count_once() -> None:
    line = line_of(ROW)
    other = line_of(ROW | {"cores": 2})
    log = read_log(f"mxk> bench table --json\n{line}{other[:40]}\nmxk> again\n{line}{other}".encode())
    assert [(found.row["cores"], found.command) for found in log.rows] == [(1, "bench table --json"), (2, "")]
    assert [damage.line for damage in log.damages] == [3]


def test_every_json_line_has_the_check_sum_that_tools_read() -> None:
    output = run_linux(
        "--cores", "2", "topology --json; prefetch --json; bench figure --json; bench table --ops 4K --json; again"
    ).output
    log = read_log(output.encode())
    assert (log.damages, log.unchecked) == ([], 0)
    rows = [line for line in output.splitlines() if line.startswith('{"')]
    assert [sorted(found.row)[:1] for found in log.rows[:1]] == [["cores"]]
    assert (len(log.rows), len(rows)) == (5, 7), "the two rows of the table were printed again"


def test_runs_are_folders_files_and_the_latest(tmp_path: Path) -> None:
    folder = tmp_path / "20260101T000000.000Z"
    folder.mkdir()
    row = {"benchmark": "table", "cores": 1, "verified": True, "throughput": {"n": 1, "median": 5}}
    (folder / "results.jsonl").write_text(as_lines([row]))
    (folder / "console.log").write_text('mxk> bench table --json\nWARN no SLIT\n{"bench\n' + as_lines([row]))
    (folder / "command.txt").write_text("qemu-system-x86_64 -smp 1\n")
    (run,) = read_runs([str(folder)])
    assert (run.name, run.folder, run.warnings, run.how) == (
        folder.name,
        folder,
        ["no SLIT"],
        "qemu-system-x86_64 -smp 1",
    )
    assert [found.command for found in run.rows] == ["bench table --json"]
    assert [str(damage)[:20] for damage in run.damages] == ["console.log, line 3:"]
    (folder / "results.jsonl").unlink()  # as of a run that was killed
    assert len(read_runs([str(folder)])[0].rows) == 1
    assert [run.name for run in read_runs([str(EMULATED), str(EMULATED)])] == ["qemu.log", "qemu.log (2)"]
    with pytest.raises(UsageError, match=r"expected a run: .*nowhere: No such file"):
        read_runs(["nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="has neither"):
        read_runs([str(tmp_path / "empty")])
    (tmp_path / "text.log").write_text('hello\n{"benchmark"\n')
    with pytest.raises(UsageError, match=r"nothing to show in text\.log.* damaged lines: 1, the first: line 2"):
        expect_rows(read_runs([str(tmp_path / "text.log")]))


def test_the_command_of_a_point() -> None:
    native = points_of([Found(found.row, "") for found in read_log(NATIVE.read_bytes()).rows])
    commands = {(it.benchmark, it.settings.get("layout"), it.settings.get("cores")): command_of(it) for it in native}
    assert commands["table", "chained", 2].startswith("build/linux/mxk 'bench table --model tasks --layout chained ")
    assert any(text.startswith("build/linux/mxk-peers 'bench peer --peer ") for text in commands.values())
    assert any(text.startswith("build/linux/mxk-peers 'bench task-peer --peer ") for text in commands.values())
    emulated = points_of(read_log(EMULATED.read_bytes()).rows)
    typed = "bench table --cores 1,2 --ops 50K --repeat 3 --json"
    assert {command_of(it) for it in emulated} == {f"tools/mxk run --cpus 2 --nodes 2 -- '{typed}'"}


@pytest.mark.parametrize(
    ("program", "typed"),
    [
        ("mxk", "bench table --ops 4K --cores 1,2 --mix insert,find --prefetch 8"),
        ("mxk", "bench table --ops 4K --cores spread:2 --layout bucketed --submit batch --buckets 1 --dist zipf:0.99"),
        ("mxk", "bench table --ops 4K --cores 1 --layout open --submit batch --mix mixed:50/40/10 --repeat 2"),
        ("mxk", "bench table --ops 4K --cores 2 --model threads --keys strided:3 --seed 7"),
        ("mxk", "bench table --ops 4K --cores 2 --layout bucketed --notation coroutine --tasks-per-core 20"),
        ("mxk", "bench table --ops 4K --cores 2 --layout open --probe travel"),
        ("mxk", "bench table --ops 40K --cores 2 --layout cuckoo --submit batch --load 0.9 --hash mixed --latency"),
        ("mxk", "bench task --measure local,round-trip --cores 1,0"),
        ("mxk", "bench semaphore --measure uncontended"),
        ("mxk", "bench rcu --measure section,synchronize --ops 1K --waits 10 --repeat 1"),
        ("mxk", "bench rcu-read --kind qsbr,rwlock --cores 1,2 --body pointer --ms 1"),
        ("mxk-peers", "bench rcu-read --kind urcu-qsbr,pthread-rwlock --cores 2 --ms 1"),
        ("mxk", "bench list --kind rcu,spin --cores 2 --update-pct 50 --keys 50 --dist zipf:0.9 --ms 1"),
        ("mxk", "bench resize --layout concurrent-lines --cores 2 --keys 2000 --load 0.6 --seed 3 --ms 1"),
        ("mxk-peers", "bench peer --peer mxk-table,reference-random --ops 4K --cores 1,2 --mix find --latency"),
        ("mxk-peers", "bench task-peer --peer deque-pool --measure local"),
    ],
)
def test_a_command_put_together_from_a_row_gives_that_row(program: str, typed: str) -> None:
    for point in points(run_linux("--cores", "2", f"{typed} --json", name=program).rows):
        path, command = shlex.split(command_of(point))
        assert path == f"build/linux/{program}"
        again = points(run_linux("--cores", "2", command, name=program).rows)
        phases = 2 if point.benchmark == "resize" else 1  # both are measured at once
        assert [key_of(it.first) for it in again].count(key_of(point.first)) == 1, command
        assert len(again) == phases, command


SHARED = CAPTURED / "shared.log"


def of_shared(benchmark: str) -> list[Point]:
    return [point for point in points_of(read_log(SHARED.read_bytes()).rows) if point.benchmark == benchmark]


def test_rows_of_different_kinds_are_different_points() -> None:
    sections = {(it.settings["kind"], it.settings["cores"]): it for it in of_shared("rcu-read")}
    kinds = ("qsbr", "rwlock", "rwlock-shared", "urcu-qsbr")
    assert sections.keys() == {(kind, cores) for kind in kinds for cores in (1, 2)}
    assert all(len(it.found) == 1 for it in sections.values()), "none is made of two kinds"
    faster = {it.values["throughput"].median for (kind, _), it in sections.items() if kind == "qsbr"}
    assert min(faster) > sections["rwlock", 2].values["throughput"].median
    assert {it.settings["kind"] for it in of_shared("list")} == {"rcu", "spin", "ticket", "rwlock"}
    peer = {"benchmark": "peer", "peer": "cuckoo", "kind": "peer", "mix": "find", "cores": 1, "throughput": spread(1)}
    assert key_of(peer) == key_of(peer | {"kind": "reference"}), "what a peer is, is said of it"


def test_labels_say_the_cores_where_they_are_no_axis() -> None:
    resized = of_shared("resize")
    names = series_names(resized)
    assert len(set(names)) == len(resized) == 8
    assert names[:2] == ["concurrent, quiet, 1 core", "concurrent, growing, 1 core"]
    assert len(set(series_names(resized, apart=("cores",)))) == 4
    assert series_names(of_shared("list"), apart=("cores",))[::2] == ["rcu", "spin", "ticket", "rwlock"]


def test_commands_of_what_all_cores_share() -> None:
    kinds = {(it.settings["kind"], it.settings["cores"]): command_of(it) for it in of_shared("rcu-read")}
    run = "--body empty --cores 2 --repeat 2 --json'"
    assert kinds["rwlock", 2] == f"build/linux/mxk 'bench rcu-read --kind rwlock {run}"
    assert kinds["urcu-qsbr", 2] == f"build/linux/mxk-peers 'bench rcu-read --kind urcu-qsbr {run}"
    typed = Found({"benchmark": "rcu-read", "kind": "qsbr", "library": "none"}, "bench rcu-read --kind qsbr,urcu-memb")
    assert command_of(points_of([typed])[0]).startswith("build/linux/mxk-peers 'bench rcu-read --kind qsbr,urcu-memb'")


def compared(a: list[Row], b: list[Row]) -> dict[str, Verdict]:
    """The verdicts that are not `no change`, by the row's layout, mix and cores."""
    of_a, of_b = points(a), points(b)
    names = {
        key_of(point.first): " ".join(str(point.settings[name]) for name in ("layout", "mix", "cores"))
        for point in (*of_a, *of_b)
    }
    found = changes(of_a, of_b, names, confidence=0.99, floor=0.02)
    assert len(found.rows) == len(of_a)
    return {row.name: row.verdict for row in found.rows if row.verdict is not Verdict.SAME}


def test_twenty_runs_of_the_same_give_no_alarm() -> None:
    first = noisy_run(0)
    assert [compared(first, noisy_run(seed)) for seed in range(1, 21)] == [{}] * 20


def test_a_layout_that_became_a_tenth_slower_is_found_and_nothing_else() -> None:
    open_tables = range(2, 24, 4)
    told = 0
    for seed in range(100, 120):
        found = compared(noisy_run(seed), noisy_run(seed + 1000, slower=dict.fromkeys(open_tables, 0.9)))
        assert all(name.startswith("open ") for name in found), found
        assert set(found.values()) <= {Verdict.SLOWER}
        told += bool(found)
    assert told >= 19, "of 20, by runs of five in which one in 25 is disturbed"


def test_costs_are_slower_when_they_rise_and_rounds_tell_the_noise() -> None:
    def rounds(factor: float, seed: int) -> list[Row]:
        draw = random.Random(seed)
        rows: list[Row] = []
        for measure, cycles in (("local", 11.0), ("hop", 70.0), ("wake", 60_000.0)):
            for number in range(1, 7):
                median = cycles * draw.lognormvariate(0, 0.01) * (factor if measure == "hop" else 1)
                row = {"round": number, "benchmark": "task", "layout": "", "mix": measure, "cores": [0]}
                rows.append(row | {"cycles": spread(median, n=2), "nanoseconds": median / 2.5, "verified": True})
        return rows

    assert compared(rounds(1, 1), rounds(1, 2)) == {}
    assert compared(rounds(1, 1), rounds(1.1, 2)) == {" hop (0,)": Verdict.SLOWER}
    assert compared(rounds(1.1, 1), rounds(1, 2)) == {" hop (0,)": Verdict.FASTER}


def test_compare_runs_tells_by_its_exit_code(tmp_path: Path) -> None:
    names = {
        "a": noisy_run(100),
        "same": noisy_run(200),
        "slow": noisy_run(1100, slower=dict.fromkeys(range(2, 24, 4), 0.9)),
    }
    names |= {"wrong": [row | {"verified": row["cores"] != 2} for row in noisy_run(300)]}
    names |= {"once": [row | {"throughput": {"n": 1, "median": 5e6}} for row in noisy_run(300)]}
    names |= {"other": [{"benchmark": "juggling", "verified": True, "throughput": spread(1), "machine": MACHINE}]}
    for name, rows in names.items():
        (tmp_path / f"{name}.jsonl").write_text(as_lines(rows))

    def run(a: str, b: str, *options: str) -> tuple[int, str, str]:
        ended = drive("compare-runs", str(tmp_path / f"{a}.jsonl"), str(tmp_path / f"{b}.jsonl"), *options)
        return ended.code, ended.output, ended.complaint

    code, output, _ = run("a", "same")
    assert (code, "24 rows: 0 slower, 0 faster, 24 no change" in output) == (0, True)
    code, output, complaint = run("a", "slow", "--json")
    assert (code, "became slower" in complaint, "SLOWER" in output) == (1, True, True)
    document = json.loads(output.splitlines()[-1])
    assert {row["verdict"] for row in document["rows"]} == {"", "SLOWER"}
    code, output, complaint = run("slow", "a")
    assert (code, "faster" in output, complaint) == (0, True, "")
    assert run("a", "wrong")[0] == 1
    code, _, complaint = run("a", "other")
    assert (code, "no row in common" in complaint) == (2, True)
    code, _, complaint = run("once", "once")
    assert (code, "nothing is known of noise" in complaint) == (2, True)

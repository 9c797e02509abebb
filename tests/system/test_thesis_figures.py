"""The figures of the thesis by number: in the kernel, in the Linux program, and those that need both, or a peer."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from helpers import drive, run_linux, run_mxk
from mxk_host import pages
from mxk_host.errors import UsageError
from mxk_host.figures.job import simulated_statements, statements
from mxk_host.figures.plan import FIGURES, Throughputs

OF_ONE_PROGRAM = ["4.1", "4.2", "4.3", "4.4", "4.5", "4.6"]


def rows_and_statements(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Of `bench figure`."""
    ours = [row for row in rows if row.get("benchmark") == "figure"]
    return [row for row in ours if "statement" not in row], [row for row in ours if "statement" in row]


def test_the_list_has_every_figure_its_curves_and_what_the_thesis_says() -> None:
    listed = run_linux("bench figure").output
    for number in OF_ONE_PROGRAM:
        assert f"\n{number}  " in f"\n{listed}"
    assert "bench table --queue shared --tasks-per-core 4 --prefetch 0 --buckets 0.1" in listed
    assert "the thesis: 100 tasks per core: +15 % on average (+7.5 % to +30.0 %)" in listed


@pytest.mark.parametrize("number", OF_ONE_PROGRAM)
@pytest.mark.long(reason="each point of the figures is a run")
def test_a_figure_has_a_verified_row_for_each_point_and_judges_each_statement(number: str) -> None:
    ended = run_linux("--cores", "2", f"bench figure {number} --ops 2K --repeat 2 --json")
    rows, statements = rows_and_statements(ended.rows)
    curves = list(dict.fromkeys(row["series"] for row in rows))
    assert [(row["series"], row["cores"]) for row in rows] == [(curve, cores) for curve in curves for cores in (1, 2)]
    for row in rows:
        assert row["figure"] == number
        assert row["operations"] == 2_000
        assert row["throughput"]["n"] == 2
        assert row["verified"] or row["model"] == "threads-unsafe"
        assert row["throughput_per_core"] == pytest.approx(row["throughput"]["median"] / row["cores"])
        (first,) = [other for other in rows if other["series"] == row["series"] and other["cores"] == 1]
        assert row["speed_up"] == pytest.approx(row["throughput"]["median"] / first["throughput"]["median"])
    check_settings(rows, statements)
    for found in statements:
        assert found["operations"] == 2_000
        assert (found["holds"] is None) == (found["measured"] == "needs other cores")
        assert found["statement"] in ended.output


# Which curves a statement sets beside each other, by the beginning of what it says.
BESIDE = {
    "more buckets": ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"],
    "10 keys": ["0.01", "0.1"],
    "100 tasks per core": ["4 tasks", "100 tasks"],
    "an instruction pointer": ["shared", "per core"],
    "false sharing": ["per core", "per core, aligned"],
    "threads with semaphores": ["tasks", "threads, semaphores"],
    "threads without semaphores: twice": ["threads, semaphores", "threads without"],
    "threads without semaphores: like": ["tasks", "threads without"],
    "on one node": ["tasks", "threads, semaphores"],
    "open addressing": ["chained", "open"],
}
SETTINGS = ["model", "submit", "layout", "probe", "hash", "queue", "slices", "prefetch", "tasks_per_core", "semaphore",
            "threads_per_core", "memory", "dist", "keys", "mix", "operations", "seed"]  # fmt: skip
OF_TASKS, OF_THREADS = {"submit", "prefetch", "tasks_per_core"}, {"semaphore", "threads_per_core"}


def check_settings(rows: list[dict[str, Any]], statements: list[dict[str, Any]]) -> None:
    """Curves that are set beside each other differ in what the statement says, and in nothing else."""
    by_curve = {row["series"]: row for row in rows}
    for found in statements:
        varies = set(found["varies"].split())
        beside = [curves for begin, curves in BESIDE.items() if found["statement"].startswith(begin)]
        assert (varies == set()) == (beside == []), found["statement"]
        for curves in beside:
            first, *others = (by_curve[curve] for curve in curves)
            for other in others:
                of_one = OF_TASKS | OF_THREADS if "model" in varies else set()
                different = {name for name in SETTINGS if first.get(name) != other.get(name)}
                if options_of(first).get("--buckets") != options_of(other).get("--buckets"):
                    different.add("buckets")
                assert different - of_one <= varies, found["statement"]
                assert different, found["statement"]
    for row in rows:  # what is not said would be a default, which may change
        said = options_of(row)
        assert {"--queue", "--buckets"} <= set(said)
        tasks = {"--tasks-per-core", "--prefetch"}
        assert tasks <= set(said) if row["model"] == "tasks" else "--threads-per-core" in said


def options_of(row: dict[str, Any]) -> dict[str, str]:
    """What `bench table` was told."""
    words = row["options"].split()
    return dict(zip(words[::2], words[1::2], strict=True))


def test_what_sets_two_programs_beside_each_other_has_equal_settings() -> None:
    for number, varies in {"4.7": {"--model", "--semaphore"}, "4.9": set(), "4.10": set()}.items():
        first, *others = (
            {**options_of({"options": curve.benchmark.partition(" ")[2]})} for curve in FIGURES[number].curves
        )
        for other in others:
            both = (first.keys() & other.keys()) - varies
            assert {name: first[name] for name in both} == {name: other[name] for name in both}
            assert "--queue" in both


def test_what_kernel_and_linux_are_set_beside_each_other_with_are_the_settings_of_4_4() -> None:
    (listed,) = run_linux("bench figure --json").rows
    (figure,) = (it for it in listed["figures"] if it["number"] == "4.4")
    wanted = {it["name"]: options_of(it) for it in figure["series"]}
    found = {(number, it.name): options_of({"options": it.benchmark.partition(" ")[2]})
             for number in ("4.7", "4.8", "4.9") for it in FIGURES[number].curves}  # fmt: skip
    for number in ("4.7", "4.8"):
        assert found[number, "MXK, fast"] == found[number, "Linux"] == wanted["threads, semaphores"]
        assert found[number, "MXK"] == wanted["threads, semaphores"] | {"--semaphore": "syscall"}
        assert found[number, "MXK, tasks"] == wanted["tasks"]
    assert found["4.9", "MXK"] == found["4.9", "Linux"] == wanted["tasks"]


def test_a_ratio_in_a_statement_is_that_of_the_rows() -> None:
    ended = run_linux("--cores", "2", "bench figure 4.6 --ops 20K --cores 1 --repeat 1 --json")
    rows, statements = rows_and_statements(ended.rows)
    chained, by_open, _ = [row["throughput"]["median"] for row in rows]
    faster, _ = statements
    assert float(faster["measured"]) == pytest.approx(by_open / chained, abs=0.006)
    assert faster["holds"] is (by_open >= chained)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("bench figure 4.11", "expected the number of a figure: 4.1 4.2 4.3 4.4 4.5 4.6 E1 E2 "),
        ("bench figure 4.2 --cores 99", "99"),
        ("bench figure 4.2 --layout open", "unknown option --layout"),
    ],
)
def test_what_is_no_figure_is_told(typed: str, expected: str) -> None:
    assert expected in run_linux(typed, code=1).output


@pytest.mark.usefixtures("images")
@pytest.mark.long(reason="a figure with as many emulated cores as the thesis has")
def test_a_figure_in_the_kernel_takes_the_numbers_of_cores_of_the_thesis(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", ["--cpus", "16", "--nodes", "2"], "bench figure 4.3 --ops 16K --repeat 1 --json")
    rows, statements = rows_and_statements(ended.rows)
    assert [row["cores"] for row in rows] == [1, 2, 4, 8, 12, 16] * 5
    assert all(row["verified"] for row in rows)
    assert [found["holds"] in (True, False) for found in statements] == [True] * 3
    slices = {row["series"]: row.get("slices") for row in rows}
    own = {"per core": "packed", "per core, aligned": "lines"}
    assert slices == {"shared": None, "node-local": None, "by owner": None, **own}


@pytest.mark.usefixtures("images")
@pytest.mark.long(reason="measures figures in both builds, one of them emulated")
def test_the_driver_measures_both_builds_and_judges(tmp_path: Path) -> None:
    small = ["--ops", "4K", "--rounds", "1", "--cores", "1,2", "--accel", "tcg", "--results", str(tmp_path)]
    page = tmp_path / "page.md"
    done = drive("figure", "4.2", "4.9", "4.10", *small, "--markdown", str(page), timeout=120)
    assert done.code == 0, done.output + done.complaint
    assert "3 figures, 1 rounds: about 1 minutes" in done.output
    (folder,) = [path for path in tmp_path.iterdir() if path.is_dir() and not path.is_symlink()]
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    points = [(row["figure"], row.get("side"), row["series"], row["cores"]) for row in rows if "statement" not in row]
    assert points == [
        *(
            ("4.2", side, curve, n)
            for side in ("linux", "kernel")
            for curve in ("4 tasks", "100 tasks", "100 tasks, by owner")
            for n in (1, 2)
        ),
        *(("4.9", None, curve, cores) for curve in ("MXK", "Linux") for cores in (1, 2)),
        *(("4.10", None, curve, cores) for curve in ("MXK", "TBB") for cores in (1, 2)),
    ]
    of_both = [row for row in rows if "statement" in row and row["figure"] == "4.9"]
    assert [row["holds"] for row in of_both] == [None, None]  # an emulated kernel says nothing of speed
    assert "(emulated kernel)" in of_both[0]["measured"]
    embedded = pages.block(page.read_text(), "figures: statements").splitlines()
    assert embedded[0] == "|figure|the thesis|expected|Linux program, 0.004 M|kernel, 0.004 M|"
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in embedded if line.startswith("|4.")]
    assert [cells[0] for cells in table] == ["4.2"] * (len(table) - 5) + ["4.9"] * 2 + ["4.10"] * 3
    assert [cells[-1] == "the same" for cells in table] == [cells[0] != "4.2" for cells in table]
    assert re.fullmatch(r"(yes|NO): [+-][\d.]+ %", table[0][3])
    assert re.fullmatch(r"unknown: [+-][\d.]+ % \(emulated kernel\)", table[0][4])
    assert embedded[-1].startswith("`tools/mxk figure 4.2 4.9 4.10 --ops 4K --rounds 1 --cores 1,2 --accel tcg`, ")


def statement(side: str, says: str, operations: int, measured: str = "1.00", **others: object) -> dict[str, Any]:
    row = {
        "figure": "4.2",
        "side": side,
        "statement": says,
        "wanted": "0.90 or more",
        "measured": measured,
        "holds": True,
    }
    return row | {"operations": operations, "machine": {"cpu": "a processor", "build": "0123"}} | others


def test_the_table_names_sizes_and_has_what_a_simulation_said(tmp_path: Path) -> None:
    measured = [
        statement("linux", "a", 24_000_000),
        statement("linux", "b", 24_000_000),
        statement("linux", "c", 4_800_000),
    ]
    simulation = {"machine": "primergy-rx200-s7", "scale_caches": 0.03125}
    said = statement("kernel", "b", 700_000, "0.50", benchmark="figure", simulated=simulation, holds=False)
    (tmp_path / "results.jsonl").write_text(json.dumps(said) + "\n" + json.dumps(statement("kernel", "a", 1)) + "\n")
    lines = list(statements([*measured, *simulated_statements(tmp_path, ["4.2"])], "tools/mxk figure"))
    assert lines[0] == "| figure | the thesis | expected | Linux program, 24 M | simulated, 0.7 M |"
    assert lines[2:5] == [
        "| 4.2 | a | 0.90 or more | yes: 1.00 | - |",
        "| 4.2 | b | 0.90 or more | yes: 1.00 | NO: 0.50 |",
        "| 4.2 | c | 0.90 or more | yes: 1.00, 4.8 M | - |",
    ]
    assert lines[-1] == "Simulated: primergy-rx200-s7, its last caches 0.03125 times as large, build 0123."
    with pytest.raises(UsageError, match="--simulated: expected a run of simulate"):
        simulated_statements(tmp_path, ["4.3"])


def test_unknown_figures_and_programs_are_told(tmp_path: Path) -> None:
    told = drive("figure", "4.11")
    assert (told.code, "expected numbers of figures out of 4.1" in told.complaint) == (2, True)
    told = drive("figure", "4.10", "--build", str(tmp_path))
    assert (told.code, "make linux builds it first" in told.complaint) == (2, True)


def judged(number: str, medians: dict[tuple[str, int], float]) -> list[bool | None]:
    """Whether each statement of the figure holds."""
    found = Throughputs(medians)
    return [statement.holds(statement.value(found)) for statement in FIGURES[number].statements]


def test_statements_about_two_builds_hold_where_the_thesis_saw_them() -> None:
    slower = {("MXK", cores): 10.0 * cores for cores in (1, 2)} | {("Linux", cores): 14.0 * cores for cores in (1, 2)}
    assert judged("4.7", slower) == [True, None]
    assert judged("4.7", slower | {("MXK, tasks", 16): 1.0, ("Linux", 16): 2.0})[1] is True
    assert judged("4.8", slower) == [True]
    assert judged("4.7", dict.fromkeys(slower, 10.0)) == [False, None]
    assert judged("4.8", slower | {("Linux", 2): 14.0}) == [False]
    thesis = {("MXK", 1): 10.0, ("Linux", 1): 10.2, ("MXK", 12): 50.0, ("Linux", 12): 42.0}
    assert judged("4.9", thesis) == [True, True]
    assert judged("4.9", thesis | {("Linux", 12): 50.0}) == [True, False]
    assert judged("4.9", {("MXK", 1): 10.0, ("Linux", 1): 8.0}) == [False, None]
    at_8 = {("TBB", 8): 21.0, ("MXK", 8): 20.0}
    assert judged("4.10", at_8 | {("MXK", 16): 30.0, ("TBB", 16): 20.0}) == [True, True, True]
    assert judged("4.10", at_8 | {("MXK", 16): 30.0, ("TBB", 16): 40.0}) == [True, False, False]
    assert judged("4.10", {("MXK", 1): 1.0, ("TBB", 1): 1.0}) == [None, None, None]

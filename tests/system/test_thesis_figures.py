"""The figures of the thesis by number: in the kernel, in the Linux program, and those that need both, or a peer."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import drive, run_linux, run_mxk
from mxk_host import pages
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
    assert "bench table --tasks-per-core 4" in listed
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
    for found in statements:
        assert (found["holds"] is None) == (found["measured"] == "needs other cores")
        assert found["statement"] in ended.output


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
        ("bench figure 4.11", "expected the number of a figure: 4.1 4.2 4.3 4.4 4.5 4.6, got '4.11'"),
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
    own = {"per core": "lines", "per core, packed": "packed"}
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
    assert embedded[0] == "| figure | the thesis | expected | Linux program | kernel |"
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in embedded if line.startswith("| 4.")]
    assert [cells[0] for cells in table] == ["4.2"] * (len(table) - 4) + ["4.9"] * 2 + ["4.10"] * 2
    assert [cells[-1] == "the same" for cells in table] == [cells[0] != "4.2" for cells in table]
    assert embedded[-1].startswith("`tools/mxk figure 4.2 4.9 4.10 --ops 4K --rounds 1 --cores 1,2 --accel tcg`, ")


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
    assert judged("4.7", slower) == [True]
    assert judged("4.8", slower) == [True]
    assert judged("4.7", dict.fromkeys(slower, 10.0)) == [False]
    assert judged("4.8", slower | {("Linux", 2): 14.0}) == [False]
    thesis = {("MXK", 1): 10.0, ("Linux", 1): 10.2, ("MXK", 12): 50.0, ("Linux", 12): 42.0}
    assert judged("4.9", thesis) == [True, True]
    assert judged("4.9", thesis | {("Linux", 12): 50.0}) == [True, False]
    assert judged("4.9", {("MXK", 1): 10.0, ("Linux", 1): 8.0}) == [False, None]
    assert judged("4.10", {("MXK", 16): 30.0, ("TBB", 16): 20.0, ("TBB", 8): 21.0}) == [True, True]
    assert judged("4.10", {("MXK", 16): 30.0, ("TBB", 16): 40.0, ("TBB", 8): 21.0}) == [False, False]
    assert judged("4.10", {("MXK", 1): 1.0, ("TBB", 1): 1.0}) == [None, None]

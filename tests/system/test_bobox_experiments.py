"""The experiments of Bobox' thesis: rows of their commands, and what is said of them."""

import re
from pathlib import Path
from typing import Any

import pytest

from helpers import Ended, drive, run_linux, run_mxk
from mxk_host.figures.plan import EXPERIMENTS
from mxk_host.report.thesis import figure_numbers, figure_title
from mxk_host.runs.command import command_of
from mxk_host.runs.point import points_of
from mxk_host.runs.source import read_runs

Row = dict[str, Any]
TINY = "--part 4000 --repeat 3 --json"


def measured(number: str, *program: str, more: str = TINY) -> tuple[list[Row], list[Row], Ended]:
    """Rows and statements of an experiment."""
    ended = run_linux("--cores", "2", *program, "--", f"bench figure {number} {more}")
    rows = [row for row in ended.rows if row["figure"] == number]
    return [it for it in rows if "statement" not in it], [it for it in rows if "statement" in it], ended


def value_of(said: Row) -> float:
    """What was measured, without its interval."""
    return float(re.match(r"[\d.]+", said["measured"]).group())  # type: ignore[union-attr]


def test_the_tools_and_the_program_have_the_same_experiments() -> None:
    (listed,) = run_linux("bench figure --json").rows
    assert tuple(listed["experiments"]) == EXPERIMENTS


def test_a_statement_is_a_quotient_of_two_rows_and_holds_where_its_interval_does() -> None:
    (requests, fifos), (said,), _ = measured("E9")
    assert (requests["discipline"], fifos["discipline"]) == ("requests", "two-fifos")
    assert all(row["verified"] and row["throughput"]["n"] == 3 and row["part"] == 4000 for row in (requests, fifos))
    assert requests["options"] == (
        "bench dataflow mix --requests 16x4 --discipline requests,two-fifos --rows 1 --cores 2 --repeat 3"
    )
    assert value_of(said) == pytest.approx(requests["throughput"]["median"] / fifos["throughput"]["median"], abs=0.006)
    low, high = (float(end) for end in re.search(r"\((.*) to (.*)\)", said["measured"]).groups())  # type: ignore[union-attr]
    assert said["wanted"] == "1.00 or more"
    if abs(low - 1) > 0.006 and abs(high - 1) > 0.006:
        assert said["holds"] is (True if low > 1 else False if high < 1 else None)


def test_two_commands_are_the_parts_of_one_experiment() -> None:
    (unbound, bound), (said,), ended = measured("E7")
    assert [(row["series"], row["reruns_bound"]) for row in (unbound, bound)] == [("unbound", False), ("bound", True)]
    assert value_of(said) == pytest.approx(unbound["throughput"]["median"] / bound["throughput"]["median"], abs=0.006)
    assert ended.output.count("drift: ") == 1, "both are measured in the same rounds"


def test_counters_are_counted_right_in_a_word_and_under_a_lock() -> None:
    rows, (said,), _ = measured("E10")
    time = {row["way"]: row["nanoseconds"]["median"] for row in rows if row["verified"]}
    assert value_of(said) == pytest.approx(time["lock"] / time["word"], abs=0.006)


def test_cores_that_wait_busily_never_sleep() -> None:
    (asleep, busy), (said,), _ = measured("E22", more="--part 10 --repeat 3 --json")
    assert (asleep["busy_wait"], busy["busy_wait"]) == (False, True)
    assert asleep["sleeps"] > 0
    assert busy["sleeps"] == 0
    assert value_of(said) == pytest.approx(asleep["throughput"]["median"] / busy["throughput"]["median"], abs=0.006)


@pytest.mark.parametrize(
    ("number", "field", "values", "value"),
    [
        ("E11", "locked_scan", (False, True), "throughput"),
        ("E17", "returned_to", ("blocks", "stack"), "throughput"),
        ("E18", "returned_to", ("blocks", "neighbours"), "throughput"),
        ("E19", "purge", (False, True), "cycles"),
        ("E21", "sleep_time_ns", (0, 200_000), "throughput"),
    ],
)
def test_a_variant_of_the_thesis_is_measured_beside_what_there_is(
    number: str, field: str, values: tuple[object, object], value: str
) -> None:
    rows, (said,), _ = measured(number, more="--part 10 --repeat 3 --json")
    by = {row[field]: row for row in rows}
    assert tuple(by) == values
    assert all(row["verified"] for row in rows)
    over, under = (by[it][value]["median"] for it in (values if number in {"E11", "E17"} else reversed(values)))
    if "share a cache" in said["measured"]:
        return  # the processor of this machine does not say
    assert value_of(said) == pytest.approx(over / under, abs=0.006)


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        ("dataflow mix --locked-scan", "expected '--discipline requests' with --locked-scan"),
        ("dataflow mix --busy-wait --sleep-time 1000", "expected --busy-wait, or --sleep-time, not both"),
        ("heap remote --returned-to stack", "expected '--heap mxk' with --returned-to and --purge"),
        ("heap micro --purge --heap mxk,locked", "expected '--heap mxk' with --returned-to and --purge"),
    ],
)
def test_a_variant_is_refused_where_there_is_none(command: str, refusal: str) -> None:
    ended = run_linux(f"bench {command}", code=1)
    assert refusal in ended.output
    assert ended.rows == []


def test_rows_are_chosen_by_their_place_the_best_and_the_marked_one() -> None:
    rows, said, _ = measured("E14")
    for way, statement in zip(("in-sequence", "all-cores"), said, strict=True):
        mine = [row for row in rows if row["way"] == way]
        (marked,) = [row["throughput"]["median"] for row in mine if row["recommended"]]
        best = max(row["throughput"]["median"] for row in mine)
        assert value_of(statement) == pytest.approx(marked / best, abs=0.006)


def test_a_quotient_of_quotients_is_one_of_four_rows() -> None:
    rows, (_, said), _ = measured("E2")
    by = {(row["way"], row["bytes"] >> 10): row["throughput"]["median"] for row in rows}
    wanted = by["in-sequence", 100] / by["in-sequence", 4000] / (by["all-cores", 100] / by["all-cores", 4000])
    assert value_of(said) == pytest.approx(wanted, abs=0.006)


def test_what_is_counted_has_no_interval_and_is_told_anywhere() -> None:
    (few, many), (memory, order), _ = measured("E8")
    assert (few["requests"], many["requests"]) == (10, 1000)
    assert value_of(memory) == pytest.approx(many["peak_kib"] / few["peak_kib"], abs=0.006)
    assert (memory["holds"], memory["of_speed"]) == (value_of(memory) >= 10, False)
    assert order["measured"] == f"{many['max_late']:.0f}"
    assert order["holds"] is (many["max_late"] <= 100)


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        ("E5", "it needs memory on two nodes"),
        ("E23", "not built: libnuma's limit, which has no counterpart"),
        ("E12", "it needs cores on two nodes"),
        ("E16", "unknown allocator 'glibc' ('help bench heap micro' lists all)"),
    ],
)
def test_what_cannot_be_told_here_says_why(number: str, reason: str) -> None:
    _, said, ended = measured(number, "--nodes", "1")
    assert {(row["holds"], row["measured"]) for row in said} == {(None, reason)}
    assert "error" not in ended.output


def test_two_nodes_tell_what_one_cannot() -> None:
    rows, (balanced, chosen), _ = measured("E12", "--nodes", "2", more="--part 100 --repeat 3 --json")
    by_way = {row["way"]: row["nanoseconds"]["median"] for row in rows}
    assert value_of(balanced) == pytest.approx(by_way["balanced"] / by_way["one-node"], abs=0.006)
    assert value_of(chosen) == pytest.approx(by_way["chosen"] / by_way["balanced"], abs=0.006)


def test_every_statement_finds_its_rows_where_the_machine_has_what_it_is_about() -> None:
    """But for distances, which are long to measure, and what caches or threads of a core are needed for."""
    numbers = ("E1", "E5", "E15", "E16", "E20", "E24")
    commands = ";".join(f"bench figure {number} --part 100000 --repeat 1 --json" for number in numbers)
    ended = run_linux("--cores", "4", "--nodes", "2", "--", commands, name="mxk-peers")
    said = [row for row in ended.rows if "statement" in row]
    assert {row["figure"] for row in said} == set(numbers)
    assert [row["measured"] for row in said if not re.match(r"[+-]?[\d.]+( %)?$", row["measured"])] == []
    assert all(row["holds"] is not None for row in said), "one run has no interval"


@pytest.mark.usefixtures("images")
def test_the_kernel_has_the_stack_for_two_commands_and_says_nothing_of_speed_where_it_is_emulated(
    tmp_path: Path,
) -> None:
    ended = run_mxk(
        tmp_path / "log", ["--cpus", "2", "--accel", "tcg"], "bench figure E7 --part 4000 --repeat 1 --json"
    )
    *rows, said = (row for row in ended.rows if row["figure"] == "E7")
    assert [row["verified"] for row in rows] == [True, True]
    assert re.fullmatch(r"[\d.]+, emulated: nothing of speed", said["measured"])
    assert (said["holds"], said["of_speed"]) == (None, True)


def test_an_experiment_has_a_size_of_its_own() -> None:
    assert "--ops: experiments have sizes of their own: --part" in run_linux("bench figure E9 --ops 5", code=1).output


def test_the_driver_measures_experiments_and_the_report_shows_them_behind_the_figures(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- figures: statements -->\n<!-- end of figures: statements -->\n")
    small = ["--part", "4000", "--rounds", "1", "--on", "linux", "--results", str(tmp_path / "results")]
    done = drive("figure", "E20", "E9", *small, "--markdown", str(page))
    assert done.code == 0, done.output + done.complaint
    assert "2 figures, 1 rounds: about 1 minutes" in done.output
    table = page.read_text()
    assert re.search(r"\|E9\|queues of requests.*\|1.00 or more\|(yes|NO): [\d.]+, 1/4000\|", table)
    assert table.index("|E9|") < table.index("|E20|")
    (run,) = read_runs([str(tmp_path / "results" / "latest")])
    points = points_of(run.rows)
    assert figure_numbers(points) == ["E9", "E20"]
    assert figure_title("E9", points) == "E9 of Bobox' thesis: queues of requests, or two FIFOs"
    (requests, *_) = [point for point in points if point.figure == "E9"]
    assert command_of(requests) == "build/linux/mxk-peers 'bench figure E9 --part 4000 --cores 2 --json'"

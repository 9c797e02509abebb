"""What `make bench` runs: what is compiled before which step, every step, the numbers, and what is told where it cannot
be."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from helpers import drive
from mxk_host import building
from mxk_host.building import Show
from mxk_host.errors import DriverError
from mxk_host.machine import Accelerator
from mxk_host.overview import job
from mxk_host.overview.job import Overview, Pace, core_counts, fitting_operations, operations_within, slowness
from mxk_host.overview.plan import MAX_SECONDS, MIN_OPERATIONS, NUMBERS, OPERATIONS, STEPS, TARGETS
from mxk_host.programs import Programs, Side
from mxk_host.stream import Row


@pytest.mark.usefixtures("images")
@pytest.mark.long(reason="the whole overview, its programs compiled first")
def test_every_step_runs_and_every_number_is_there(tmp_path: Path) -> None:
    done = drive("overview", "--ops", "20K", "--accel", "tcg", "--results", str(tmp_path), timeout=600)
    assert done.code == 0, done.output + done.complaint
    for number, step in enumerate(STEPS, 1):
        assert f"{number}/{len(STEPS)} {step.name}" in done.complaint
    assert all(number.name in done.output for number in NUMBERS)
    assert "not measured" not in done.output
    assert "emulated" in done.output
    (folder,) = [path for path in tmp_path.iterdir() if not path.is_symlink()]
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert {row["side"] for row in rows} == {"kernel", "linux", "peers"}
    assert all(row["verified"] for row in rows)
    of_tables = [row for row in rows if row["benchmark"] in ("table", "peer") and row["side"] != "kernel"]
    assert {row["operations"] for row in of_tables} == {20_000}
    assert {row["benchmark"] for row in rows} == {"table", "peer", "memory", "lines", "tlb"}
    assert (folder / "report.html").stat().st_size > 1_000_000  # the page holds all that it needs


def test_a_failed_step_is_named(tmp_path: Path) -> None:
    for name in ("mxk", "mxk-peers"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\necho 'error: out of memory'\nexit 1\n")
        program.chmod(0o755)
    done = drive("overview", "--ops", "20K", "--build", str(tmp_path), "--results", str(tmp_path / "r"), timeout=60)
    assert done.code == 1
    assert "exit status 1" in done.complaint
    assert STEPS[0].command.partition(" --ops")[0] in done.complaint  # the first step of that program


def test_programs_that_are_not_built_are_told(tmp_path: Path) -> None:
    done = drive("overview", "--build", str(tmp_path))
    assert (done.code, "make linux builds it first" in done.complaint) == (2, True)


@pytest.mark.parametrize(("cores", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])])
def test_numbers_of_cores_double_up_to_all(cores: int, counts: list[int]) -> None:
    assert core_counts(cores) == counts


def test_operations_leave_half_of_the_memory_free() -> None:
    assert fitting_operations(64 << 30) == OPERATIONS
    assert fitting_operations(1 << 30) == (1 << 29) // 128


def test_a_slow_machine_gets_fewer_operations_so_that_all_fits() -> None:
    assert operations_within(1.0, MAX_SECONDS, OPERATIONS) == OPERATIONS
    fewer = operations_within(4.0, MAX_SECONDS, OPERATIONS)
    assert MIN_OPERATIONS < fewer < OPERATIONS / 2
    assert sum(step.estimate(fewer) for step in STEPS) * 4 == pytest.approx(MAX_SECONDS, rel=0.02)
    assert operations_within(100.0, MAX_SECONDS, OPERATIONS) == MIN_OPERATIONS
    assert operations_within(3.0, 10.0, 5_000_000, [STEPS[-1]]) == 5_000_000  # fewer would not help
    assert slowness(6.0, 2.0) == pytest.approx(3.0)
    assert slowness(0.01, 2.0) == 1.0


def test_what_is_left_follows_from_what_was_measured() -> None:
    pace = Pace([])
    pace.to_compile = {Side.PEERS: 10.0}
    pace.measuring = 100.0
    assert pace.left(5, 30, 60.0) == "about 140 s left"  # so early the estimates are all that is known
    assert pace.left(40, 30, 80.0) == f"about {100 + 2 * (10 + 30)} s left"
    pace.compiled(70, 140.0)
    pace.measured(20.0, 60.0)  # three times its estimate
    assert pace.left() == f"about {2 * 10 + MAX_SECONDS - 60} s left"  # not 3 * 80: the budget ends it
    pace.budget = 1000.0
    pace.to_compile.clear()
    assert pace.left() == "about 240 s left"


class Diary(Programs):
    """Programs that run nothing, and a builder that compiles nothing: they say when they were asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, folder, 1.0, Accelerator.TCG)
        object.__setattr__(self, "entries", [])

    def rows(self, side: Side, command: str, cores: int, _mebibytes: int = 0) -> list[Row]:
        """As one of the steps' programs writes them."""
        self.entries.append(side)
        return (
            [made_up("table", "find", cores, 1.5, layout="bucketed", submit="batch")] if "bucketed" in command else []
        )

    def build(self, preset: str, target: str, show: Show) -> None:
        """As ninja counts."""
        self.entries.append(f"{preset}: {target}")
        for done in range(1, 41):
            show(done, 40)


def overview_of(folder: Path, compiled: Sequence[Side]) -> tuple[list[str], str]:
    """What was built and run, in this order, and what was said of it."""
    diary, said = Diary(folder), io.StringIO()
    Overview(diary, compiled, diary.build, Console(file=said, width=200)).run(20_000)
    return diary.entries, said.getvalue()


def test_each_program_is_compiled_right_before_its_first_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "_LINE_EVERY", 0.0)
    entries, said = overview_of(tmp_path, list(TARGETS))
    expected: list[str] = []
    for step in STEPS:
        if step.side not in expected:
            expected.append(f"{TARGETS[step.side].preset}: {TARGETS[step.side].name}")
        expected.append(step.side)
    assert entries == expected
    assert STEPS[-1].side is Side.KERNEL
    assert "compiling mxk-overview 40/40, about" in said
    first = said.index("finds in batches, all cores: 1.5 M/s")  # is told once it is known
    assert said.index(f"1/{len(STEPS)}") < first < said.index(f"2/{len(STEPS)}")


def test_nothing_is_compiled_where_it_is_not_wanted(tmp_path: Path) -> None:
    entries, said = overview_of(tmp_path, [])
    assert entries == [step.side for step in STEPS]
    assert "compiling" not in said


def test_ninja_is_understood() -> None:
    steps: list[tuple[int, int]] = []
    lines = "[0/2] Re-checking globbed directories...\n[1/3] Building a.o\n[3/3] Linking a\n"
    building.run_quietly(["printf", lines], "never", lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (3, 3)]
    with pytest.raises(DriverError, match=r"^FAILED: a.o\n\[2/3\] cc\na.o could not") as caught:
        building.run_quietly(
            ["sh", "-c", "printf '[1/3] b.o\nFAILED: a.o\n[2/3] cc\n'; exit 1"], "a.o could not be built"
        )
    assert "[1/3]" not in str(caught.value)


def made_up(benchmark: str, mix: str, cores: int, millions: float, **fields: object) -> dict[str, object]:
    """A row as the Linux programs write them, as far as the numbers look at it."""
    throughput = {"median": millions * 1e6}
    return {"benchmark": benchmark, "side": "linux", "mix": mix, "cores": cores, "throughput": throughput} | fields


def test_the_numbers_are_those_of_their_rows() -> None:
    batch = {"layout": "bucketed", "submit": "batch"}
    latency = {"p50_ns": 3200, "p99_ns": 41_900}
    rows = [
        made_up("table", "insert", 2, 5.0, layout="chained"),
        made_up("table", "insert", 2, 0.1, layout="chained", side="kernel"),
        *(made_up("table", "find", cores, 40.0 * cores, **batch) for cores in (1, 2)),
        made_up("table", "find", 2, 40.0, **batch, rate="50%", served=True, latency=latency),
        made_up("peer", "find", 2, 4.0, peer="tbb-hash-map"),
        made_up("peer", "find", 2, 160.0, peer="reference-buckets-ring"),
        {"benchmark": "memory", "measure": "latency", "side": "linux", "nanoseconds": {"median": 1.1}},
        {"benchmark": "memory", "measure": "latency", "side": "linux", "nanoseconds": {"median": 98.7}},
        {"benchmark": "lines", "measure": "round-trip", "side": "linux", "nanoseconds": {"median": 120.0}},
    ]
    assert {number.name: number.value(rows) for number in NUMBERS} == {
        "inserts, the thesis' table": "5.0 M/s on 2",
        "inserts in batches, one core": None,
        "inserts in batches, all cores": None,
        "finds in batches, one core": "40.0 M/s on 1",
        "finds in batches, all cores": "80.0 M/s on 2",
        "finds, a task each, all cores": None,
        "finds in batches by TBB's": "20.00 x",
        "finds in batches by a plain loop's": "0.50 x",
        "a load from memory, largest working set": "98.7 ns",
        "a load from the first cache": "1.1 ns",
        "a line to another core and back": "120.0 ns",
        "a find at half of the load, p50": "3.2 us",
        "a find at half of the load, p99": "41.9 us",
    }


def test_a_number_says_that_the_machine_was_not_quiet_and_a_rate_that_it_was_not_served() -> None:
    batch = {"layout": "bucketed", "submit": "batch"}
    load = {"rate": "50%", "served": False, "offered": 6.4e6, "reached": 5.6e6}
    rows = [
        made_up("table", "find", 1, 40.0, **batch, quiet=True),
        made_up("table", "find", 2, 80.0, **batch, quiet=False),
        made_up("table", "find", 2, 5.6, **batch, **load),
        made_up("peer", "find", 2, 4.0, peer="tbb-hash-map", quiet=True),
        made_up("peer", "find", 2, 160.0, peer="reference-buckets-ring", operations=5),
    ]
    found = {number.name: number.value(rows) for number in NUMBERS}
    assert found["finds in batches, one core"] == "40.0 M/s on 1"
    assert found["finds in batches, all cores"] == "80.0 M/s on 2 ~"
    assert found["finds in batches by TBB's"] == "20.00 x ~"
    assert found["finds in batches by a plain loop's"] == "not comparable"
    assert found["a find at half of the load, p50"] == "not served (88% of the rate)"
    load |= {"reached": 6.4e6, "max_speed": 12.8e6, "max_speed_after": 9.6e6}
    changed = NUMBERS[-1].value([made_up("table", "find", 2, 6.4, **batch, **load)])
    assert changed == "not served (speed changed -25%)"

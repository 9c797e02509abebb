"""tools/mxk theses without a simulator: files of statements and their values, what is run again and what is not, the
page; and the driver around a QEMU that is a shell script."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from helpers import DRIVER
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.theses import job
from mxk_host.theses.entries import FOLDER, Size, choose, read_theses
from mxk_host.theses.state import States
from simulation_fakes import Fakes, a_result

_FILE = """
title = "a thesis"
[part.first]
machine = "test-2x2"
command = "bench table --cores 1,4 --json"
minutes = 600
small = { command = "bench table --cores 1,4 --ops 1K --json", minutes = 2 }
[part.second]
machine = "test-2x2"
command = "bench list --json"
minutes = 1
[[statement]]
name = "grows"
part = "first"
where = "fig. 1"
says = "four cores by one"
thesis = "3"
rows = { benchmark = "table" }
ratio = [{ cores = 4 }, { cores = 1 }]
between = [2, 4]
[[statement]]
name = "falls"
part = "first"
where = "fig. 2"
says = "one core is faster"
thesis = "yes"
order = [{ cores = 1 }, { cores = 4 }]
why = "nobody shares a line: 0 transfers"
[[statement]]
name = "told"
part = "second"
where = "fig. 3"
says = "the kernel says it"
thesis = "-"
said = "lists are long"
"""


def row(cores: int, median: float, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    said = {"benchmark": "table", "cores": cores, "throughput": {"n": 1, "median": median}, "verified": True}
    return said | {"machine": {"build": "abc"}} | more


ROWS = [row(1, 1e6), row(4, 3e6), {"benchmark": "list", "statement": "lists are long", "measured": "7", "holds": True}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "theses").mkdir()
    (tmp_path / "theses/one.toml").write_text(_FILE)
    return tmp_path / "theses"


def written(folder: Path, before: str, after: str) -> str:
    """What is said of the file with another text in it."""
    assert before in _FILE
    (folder / "one.toml").write_text(_FILE.replace(before, after, 1))
    with pytest.raises(UsageError) as caught:
        read_theses(folder)
    return str(caught.value)


# Files


def test_the_files_are_sound_and_every_thesis_is_there() -> None:
    theses = read_theses()
    assert [it.name for it in theses] == ["bobox", "hashing", "l4", "rcu", "rma"]
    for part in (part for thesis in theses for part in thesis.parts):
        assert part.claims, f"{part.name}: nothing is said of it"
        assert part.runs[Size.SMALL].minutes <= 10, f"{part.name}: the small size is for minutes"
    assert len(list(FOLDER.glob("*.toml"))) == len(theses)


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('title = "a thesis"', "", "title: missing; a line of 1 to 400 characters is needed"),
        ("title =", "title", "expected TOML: "),
        ('machine = "test-2x2"', 'machine = "test-2x3"', "part first: machine: expected a machine, one of `tools/mxk"),
        ("minutes = 600", "minutes = 0", "part first: minutes: expected a number above 0, got 0"),
        ("minutes = 600", "", "part first: minutes: missing; a number above 0 is needed"),
        ("minutes = 2 }", "minutes = 2, mem = 3 }", "part first: small.mem: expected memory such as 4G, got 3"),
        (" --json", "", "part first: command: expected console commands with --json"),
        ("cores 1,4 --json", "cores 'a' --json", "part first: expected commands of printable ASCII without quotes"),
        ("minutes = 600", "minutes = 600\nwhole = 1", "part first: whole: expected true or false, got 1"),
        ("minutes = 600", "minutes = 600\nsample = 0", "part first: sample: expected a share from 0.001 to 1, got 0"),
        ("[part.second]", "[part.Second]", "part Second: expected a name of up to 40 small letters"),
        ('name = "grows"', 'name = "falls"', "one.toml: falls: expected another name: it is in one.toml, too"),
        ('part = "first"', 'part = "third"', "statement grows: part: expected one of first, second, got 'third'"),
        ("says =", "sais =", "statement grows: sais: unknown; expected name, part, where, says,"),
        ("says =", "sais =", "(did you mean says?)"),
        ("between = [2, 4]", "", "statement grows: between: missing; a ratio needs it"),
        ("between = [2, 4]", "between = [4, 2]", "statement grows: between: expected [low, high], two numbers"),
        ("between = [2, 4]", "value = {}\nbetween = [2, 4]", "statement grows: expected one of said, value, ratio"),
        (
            "{ cores = 4 }, { cores = 1 }",
            "{ cores = 4 }",
            "statement grows: ratio: expected a list of two or four tables",
        ),
        (
            "{ cores = 4 }, { cores = 1 }",
            "{ cores = [4] }, {}",
            "ratio: expected a list of two or four tables of fields",
        ),
        (
            'said = "lists are long"',
            "spread = [1]",
            "statement told: spread: expected a table of fields of a row",
        ),
    ],
)
def test_a_wrong_entry_is_named(folder: Path, before: str, after: str, complaint: str) -> None:
    text = written(folder, before, after)
    assert complaint in text
    assert "one.toml: " in text


def test_unknown_names_are_refused(folder: Path) -> None:
    theses = read_theses(folder)
    names = [(), ("one",), ("first",), ("told",), ("grows", "falls")]
    assert [[part.name for part in choose(theses, it)] for it in names] == [
        ["first", "second"], ["first", "second"], ["first"], ["second"], ["first"],
    ]  # fmt: skip
    with pytest.raises(UsageError, match=r"got secnd \(did you mean second\?\)"):
        choose(theses, ["secnd"])
    with pytest.raises(UsageError, match="expected files of statements"):
        read_theses(folder.parent)


# Values


CURVE = [row(cores, median) for cores, median in ((1, 10.0), (2, 20.0), (4, 40.0), (8, 44.0))]
FALSE = [row(1, 5.0, verified=False)]


@pytest.mark.parametrize(
    ("form", "rows", "measured", "holds"),
    [
        ("value = { cores = 2 }\nbetween = [19, 21]", CURVE, "20.00", True),
        ("value = { cores = 2 }\nbetween = [21, inf]", CURVE, "20.00", False),
        ("value = { cores = 3 }\nbetween = [0, 1]", CURVE, "expected a row, or several, with cores 3, got 0", None),
        ("value = {}\nbetween = [0, 1]", CURVE, "expected one row with a throughput, got 4", None),
        ("value = { cores = 1 }\nbetween = [0, 9]", FALSE, "expected a row, or several, with cores 1, got 0", None),
        ("value = { cores = 1 }\nfield = 'lost'\nbetween = [0, 9]", [row(1, 1.0, lost=4)], "4.00", True),
        ("ratio = [{ cores = 8 }, { cores = 4 }]\nbetween = [0, 1.2]", CURVE, "1.10", True),
        ("ratio = [{cores=8}, {cores=4}, {cores=4}, {cores=1}]\nbetween = [1, inf]", CURVE, "0.28", False),
        ("ratio = [{cores=8}, {cores=4}]\nbetween = [1, 2]", [row(8, 1.0), row(4, 0.0)], "another number than 0", None),
        ("order = [{ cores = 8 }, { cores = 4 }, { cores = 2 }]", CURVE, "1.10", True),
        ("order = [{ cores = 4 }, { cores = 8 }, { cores = 2 }]", CURVE, "0.91", False),
        ("spread = {}\nbetween = [1, 5]", CURVE, "4.40", True),
        ("said = 'lists are long'", ROWS, "7", True),
        ("said = 'lists are long'\nbetween = [8, 9]", ROWS, "7", False),
        ("said = 'lists are short'", ROWS, "the run has no such statement", None),
    ],
)  # fmt: skip
def test_the_value_of_a_statement(
    folder: Path, form: str, rows: list[dict[str, Any]], measured: str, holds: bool | None
) -> None:
    (folder / "one.toml").write_text(_FILE.replace('said = "lists are long"', form))
    (claim,) = read_theses(folder)[0].parts[1].claims
    judged = claim.judged(rows)
    assert (measured in judged.measured, judged.holds) == (True, holds), judged


def test_statements_of_the_report_are_those_of_the_source(folder: Path) -> None:
    (folder / "one.toml").write_text(
        _FILE.replace("lists are long", "fork-join, 2 cores: locks are 2.5 times as fast as messages")
    )
    (claim,) = read_theses(folder)[0].parts[1].claims
    ways = {"message": 5000.0, "lock": 2000.0}
    rows = [
        {"benchmark": "adaptive fork-join", "way": way, "cores": 2, "cycles": {"n": 1, "median": it}, "verified": True}
        for way, it in ways.items()
    ]
    assert claim.judged(rows).holds is True
    rows[0]["cycles"] = {"n": 1, "median": 2000.0}
    assert claim.judged(rows).holds is False


# Runs


class Simulator:
    """In place of a simulation: how often it was called, and what it does."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.samples: list[float] = []
        self.rows = ROWS
        self.fails: dict[str, DriverError] = {}

    def simulate(self, simulation: Any, *, folder: Path, **_: object) -> None:  # noqa: ANN401
        """As mxk_host.simulate.job."""
        self.commands.append(simulation.commands)
        self.samples.append(simulation.sample)
        for name, error in self.fails.items():
            if name in simulation.commands:
                raise error
        (folder / "results.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in self.rows))


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Simulator:
    fake = Simulator()
    kernel, plugin = tmp_path / "mxk.elf", tmp_path / "plugin.so"
    kernel.write_bytes(b"kernel")
    plugin.write_bytes(b"plugin")
    monkeypatch.setattr(job.simulation, "simulate", fake.simulate)
    monkeypatch.setattr(job.simulation, "expect_ready", lambda *_, **__: None)
    monkeypatch.setattr("mxk_host.image.METAL", tmp_path)
    return fake


def settings(folder: Path, size: Size = Size.SMALL, *, again: bool = False) -> job.Settings:
    here = folder.parent
    return job.Settings(States(here / "states"), size, again, here / "plugin.so", here / "results", False, 9)


def test_what_is_done_is_not_run_again(folder: Path, simulator: Simulator) -> None:
    (parts,) = [thesis.parts for thesis in read_theses(folder)]
    job.run(settings(folder), parts)
    assert simulator.commands == ["bench table --cores 1,4 --ops 1K --json; exit", "bench list --json; exit"]
    job.run(settings(folder), parts)
    assert len(simulator.commands) == 2
    job.run(settings(folder, again=True), parts[1:])
    job.run(settings(folder, Size.FULL), parts[:1])
    assert len(simulator.commands) == 4
    (folder.parent / "mxk.elf").write_bytes(b"another kernel")
    job.run(settings(folder), parts)
    assert len(simulator.commands) == 6, "another build"
    written = folder / "one.toml"
    written.write_text(written.read_text().replace("bench list", "bench lists"))
    job.run(settings(folder), read_theses(folder)[0].parts)
    assert simulator.commands[6:] == ["bench lists --json; exit"], "another command"


def test_a_part_that_fails_stops_no_other_and_a_signal_all(folder: Path, simulator: Simulator) -> None:
    (parts,) = [thesis.parts for thesis in read_theses(folder)]
    simulator.fails = {"bench table": DriverError("the plugin left no result", ExitCode.NO_VERDICT)}
    with pytest.raises(DriverError, match="1 of 2 parts failed; the first: the plugin left no result") as caught:
        job.run(settings(folder), parts)
    assert (caught.value.code, len(simulator.commands)) == (5, 2)
    states = settings(folder).states
    told = [states.read(part, Size.SMALL) for part in parts]
    assert [it.told() for it in told if it] == ["failed: the plugin left no result", "done"]
    simulator.fails = {"bench table": DriverError("ended by SIGINT, and QEMU with it", 130)}
    with pytest.raises(DriverError) as ended:
        job.run(settings(folder, again=True), parts[::-1])
    assert ended.value.code == 130
    assert [it.told() for part in parts if (it := states.read(part, Size.SMALL))][1] == "done", "it stays"
    simulator.fails = {}
    job.run(settings(folder), parts)
    assert len(simulator.commands) == 5, "what failed is run again, and nothing else"


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"key": 1}', '{"key":1,"folder":"","seconds":1.0,"failure":"","line":""}']
)
def test_a_damaged_state_is_named(folder: Path, simulator: Simulator, text: str) -> None:
    (parts,) = [thesis.parts for thesis in read_theses(folder)]
    it = settings(folder)
    it.states.folder.mkdir()
    it.states.path(parts[0], Size.SMALL).write_text(text)
    with pytest.raises(UsageError, match=r"first\.small\.json: the state of a part \(delete it, or run the part anew"):
        job.run(it, parts)
    assert simulator.commands == []
    job.run(settings(folder, again=True), parts)
    assert len(simulator.commands) == 2


def test_results_that_are_gone_are_not_there(folder: Path, simulator: Simulator) -> None:
    (parts,) = [thesis.parts for thesis in read_theses(folder)]
    job.run(settings(folder), parts)
    for kept in (folder.parent / "results").glob("2*/results.jsonl"):
        kept.unlink()
    job.run(settings(folder), parts)
    assert len(simulator.commands) == 4


def test_the_list_has_every_part_and_its_state(
    folder: Path, simulator: Simulator, capsys: pytest.CaptureFixture[str]
) -> None:
    (parts,) = [thesis.parts for thesis in read_theses(folder)]
    job.run(settings(folder), parts[:1])
    assert simulator.commands
    capsys.readouterr()
    job.show_list(settings(folder).states, parts, Size.SMALL)
    lines = capsys.readouterr().out.splitlines()
    assert lines[::2] == ["first (0 s): done: grows, falls", "second (60 s): not run: told"]
    assert lines[3] == "  tools/mxk simulate --machine test-2x2 --mem 4G -- 'bench list --json'"


def test_the_page_has_what_is_stored(folder: Path, simulator: Simulator, tmp_path: Path) -> None:
    theses = read_theses(folder)
    parts, states, page = theses[0].parts, settings(folder).states, tmp_path / "page.md"
    job.put(states, theses, parts, page)
    assert "|`first`: fig. 1|four cores by one|3||not run|" in page.read_text()
    assert "test-2x2" not in page.read_text()
    job.run(settings(folder), parts[:1])
    page.write_text(f"# Words before\n{page.read_text()}and behind\n")
    job.put(states, theses, parts, page)
    text = page.read_text()
    assert "|`first`: fig. 1|four cores by one|3|3.00|holds|" in text
    falls = "no: nobody shares a line: 0 transfers"
    assert f"|fig. 2|one core is faster|yes|0.33|{falls}|" in text
    assert "|`second`: fig. 3|the kernel says it|-||not run|" in text
    assert "\ntest-2x2, small, abc: `first`\n" in text
    assert (text.startswith("# Words before\n"), text.endswith("and behind\n")) == (True, True)
    job.run(settings(folder, Size.FULL), parts[:1])
    job.put(states, theses, parts, page)
    assert "\ntest-2x2, full, abc: `first`\n" in page.read_text()
    assert len(simulator.commands) == 2
    assert job.show(states, parts, Size.SMALL) == 1
    (states.path(parts[0], Size.SMALL)).unlink()
    assert job.show(states, parts, Size.SMALL) == 0
    assert job.show(states, parts, None) == 1, "of the full size, as on the page"


def test_a_sampled_part_says_so_with_the_largest_error_of_its_rows(
    folder: Path, simulator: Simulator, tmp_path: Path
) -> None:
    one = folder / "one.toml"
    one.write_text(one.read_text().replace("minutes = 600\n", "minutes = 600\nsample = 0.05\nsmt = true\n"))
    theses, states, page = read_theses(folder), settings(folder).states, tmp_path / "page.md"
    parts = theses[0].parts
    assert " --smt --sample 0.05 --mem 4G -- " in parts[0].runs[Size.FULL].line
    simulator.rows = [
        row(cores, 1e6, simulated={"error": error}) for cores, error in ((1, 0.03), (4, 0.012), (2, None))
    ]
    job.run(settings(folder, Size.FULL), parts)
    assert simulator.samples == [0.05, 1]
    job.put(states, theses, parts, page)
    assert "test-2x2 --smt --sample 0.05, rows to 3.0 %, full, abc: `first`;" in page.read_text()


# The driver around it


def test_the_driver_runs_lists_judges_and_ends(folder: Path, tmp_path: Path) -> None:
    fakes = Fakes(tmp_path)
    where = ["--folder", str(folder), "--results", str(tmp_path / "results")]
    serial = "".join(json.dumps(it) + r"\r\n" for it in ROWS)

    def theses(*words: str, **more: Any) -> Any:  # noqa: ANN401
        return fakes.drive(*words, *where, command="theses", **more)

    run = theses("first", "--size", "small", "--check", serial=serial, result=a_result(fakes))
    assert (run.code, "1 statements do not hold" in run.complaint) == (1, True), run.complaint
    assert "bench table --cores 1,4 --ops 1K --json" in run.output
    listed = theses("--list", "--size", "small", "third")
    assert (listed.code, "got third" in listed.complaint) == (2, True)

    line = [DRIVER, "theses", "--no-build", "--build", str(fakes.folder), "--again", "first", *where]
    own = {"MXK_MACHINES": str(fakes.folder / "machines"), "MXK_METAL_PRESET": str(fakes.kernel.parent)}
    started = fakes.qemu.with_suffix(".arguments")
    started.unlink()
    environment = {**os.environ, **own, "RESULT": "", "STATUS": "never", "SERIAL": ""}
    with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 20
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=20)
    assert (process.returncode, complaint.count("\n")) == (130, 1), complaint
    assert not (tmp_path / "theses/first.full.json").exists()
    assert (tmp_path / "theses/first.small.json").exists()

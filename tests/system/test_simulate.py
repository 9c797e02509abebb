"""tools/mxk simulate without a simulator: machine files, the flat file, the QEMU line; and the whole driver around a
QEMU of our own, a shell script that writes what a plugin could have written."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By

from helpers import ENDS, HAS_QEMU10, drive
from mxk_host.errors import UsageError
from mxk_host.report.browser import browser, open_page
from mxk_host.runs.command import command_of
from mxk_host.runs.log import Found
from mxk_host.runs.point import Kind, key_of, points_of
from mxk_host.runs.source import read_runs
from mxk_host.simulate.fields import Fields
from mxk_host.simulate.keys import KEYS
from mxk_host.simulate.machine_file import FOLDER, MachineFile, machine_names, read_machine
from mxk_host.simulate.marked_rows import RowMarker
from mxk_host.simulate.plugin import find_markers
from mxk_host.simulate.result_file import ResultError, result_of
from mxk_host.simulate.samples import Samples
from mxk_host.simulate.shape import memory_ranges, node_of, shape_of
from mxk_host.simulate.totals import by_name, total_of
from mxk_host.stream import json_row
from simulation_fakes import HERTZ, Fakes, a_result, line, place

TEST_MACHINE = FOLDER / "test-2x2.toml"
MIB = 1 << 20


@pytest.fixture(scope="module")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> Fakes:
    return Fakes(tmp_path_factory.mktemp("fakes"))


# Machine files


@pytest.mark.parametrize("name", machine_names())
def test_every_machine_is_sound_and_says_where_its_numbers_are_from(name: str) -> None:
    machine = read_machine(name, None)
    shape = shape_of(machine, None, f"{machine.nodes * 512}M")
    assert (shape.cpus, len(shape.nodes)) == (machine.cores, machine.nodes)
    for text in (it for it in machine.path.read_text().splitlines() if re.match(r"\w+ = [^\[]*$", it)):
        key = text.split(" = ")[0]
        if name != "test-2x2" and key not in ("description", "nodes", "cores", "branch_predictor", "walk_levels"):
            assert "#" in text or key in ("threads", "l2_latency_cycles"), f"{name}: {text} has no source"


def test_all_machines_that_were_asked_for_are_there() -> None:
    shapes = {name: (it.nodes, it.cores) for name in machine_names() if (it := read_machine(name, None))}
    assert shapes == {
        "bobox-linux-4x6": (4, 24),
        "bobox-linux-4x6ht": (4, 24),
        "bobox-linux-8": (1, 8),
        "bobox-windows-2": (1, 2),
        "core-i7-920": (1, 4),
        "epyc-9354p": (1, 32),
        "haswell-2x14": (2, 28),
        "modern-4x12": (4, 48),
        "modern-8x32": (8, 256),
        "primergy-rx200-s7": (2, 16),
        "test-2x2": (2, 4),
        "this-host": (1, 2),
        "xeon-6548y": (2, 64),
        "xseries-445": (2, 8),
    }
    listed = drive("simulate", "machines")
    assert listed.code == 0
    assert [text.split()[0] for text in listed.output.splitlines()] == list(shapes)
    assert "primergy-rx200-s7  2 x 8   the thesis' machine: Fujitsu" in listed.output


def test_the_flat_file_has_every_key_once_and_no_other() -> None:
    lines = read_machine("test-2x2", None).flat().splitlines()
    keys = [text.partition(" = ")[0] for text in lines]
    wanted = [f"{section}.{key}" for section, of_section in KEYS.items() for key in of_section]
    assert keys == ["machine.name", *(key for key in wanted if key != "machine.description")]
    values = dict(text.split(" = ") for text in lines)
    assert values["machine.name"] == "test-2x2"
    assert values["machine.hertz"] == "1000000000"
    assert values["core.branch_predictor"] == "rate"
    assert values["memory.latency_ns"] == "100 200 200 100"
    assert values["interconnect.bytes_per_second"] == "0 3200000000 3200000000 0"
    assert values["tlb.page_bytes"] == "4096 2097152 1073741824"
    assert values["acpi.distance"] == "10 20 20 10"


def changed(folder: Path, before: str, after: str) -> Path:
    """The machine test-2x2 with another text in its file."""
    text = TEST_MACHINE.read_text()
    assert before in text
    path = folder / "mine.toml"
    path.write_text(text.replace(before, after, 1))
    return path


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("width = 4 ", "width = 4.5 ", "core.width: expected an integer from 1 to 32, got 4.5"),
        ("width = 4 ", "width = true ", "core.width: expected an integer from 1 to 32, got True"),
        ("width = 4 ", "width = 65 ", "core.width: expected an integer from 1 to 32, got 65"),
        ("width = 4 ", 'width = "4" ', "core.width: expected an integer from 1 to 32, got '4'"),
        ("width = 4 ", "widht = 4 ", "core.widht: unknown; expected threads, width, window, "),
        ("width = 4 ", "widht = 4 ", "(did you mean width?)"),
        ("width = 4 ", "widht = 4 ", "core.width: missing; every key is needed"),
        ("[l1]", "[l0]", "l0: unknown; expected the sections machine, core, l1, "),
        ("[l1]", "[l0]", "l1.ways: missing"),
        ("[machine]", "l1 = 3\n[machine]", "expected TOML: "),
        ('"rate"', '"perfect"', "core.branch_predictor: expected one of two_bit, rate, got 'perfect'"),
        (
            "branch_miss_rate = 0 ",
            "branch_miss_rate = 2 ",
            "core.branch_miss_rate: expected a number from 0 to 1, got 2",
        ),
        ("row_bytes = 8192", "row_bytes = 100", "memory.row_bytes: expected a multiple of 64, got 100"),
        (
            "refresh_ns = 0",
            "refresh_ns = 7800",
            "memory.refresh_ns: expected less than memory.refresh_interval_ns",
        ),
        ("bank_cycle_ns = 0", "bank_cycle_ns = -1", "memory.bank_cycle_ns: expected a number from 0 to 1000, got -1"),
        ("nodes = 2", "nodes = 0", "machine.nodes: expected an integer from 1 to 32, got 0"),
        (
            "nodes = 2",
            "nodes = 3",
            "coherence.invalidate_cycles: expected 3 rows of 3 numbers, a row for each node, got 2",
        ),
        ("cores = 4 ", "cores = 5 ", "machine.cores: expected a multiple of machine.nodes, 2, got 5"),
        (
            "cores = 2  ",
            "cores = 3  ",
            "l3.cores: expected a divisor of the 2 cores of a node, got 3",
        ),
        (
            "transfer_other_l3_cycles = 100",
            "transfer_other_l3_cycles = 150",
            "coherence.transfer_other_l3_cycles: expected 100, as at the same L3, since a node has one, got 150",
        ),
        (
            "store_buffer = 16 ",
            "store_buffer = 1 ",
            "core.store_buffer: expected a place for each of core.threads, 2, got 1",
        ),
        (
            "    [ 50, 100],\n",
            "",
            "coherence.invalidate_cycles: expected 2 rows of 2 numbers, a row for each node, got 1",
        ),
        (
            "    [ 50, 100],",
            "    [ 50],",
            "coherence.invalidate_cycles: expected 2 rows of 2 numbers, a row for each node",
        ),
        (
            "    [ 50, 100],",
            "    [ 50, 101],",
            "coherence.invalidate_cycles: expected the same in both directions, got 101 from node 0 to node 1 and ",
        ),
        ("    [10, 20],", "    [11, 20],", "acpi.distance: expected 10 from node 0 to node 0, got 11"),
        (
            "    [10, 20],",
            "    [10, 20.5],",
            "acpi.distance: expected an integer from 11 to 254, got 20.5 from node 0 to",
        ),
        (
            "             0],",
            "             1],",
            "interconnect.bytes_per_second: expected 0 from node 1 to node 1, got 1",
        ),
        ("ways = 4\n", "ways = 3\n", "l1.bytes: expected a multiple of 3 ways of lines of 64 bytes, 192, got 16384"),
        (
            "latency_cycles = 40",
            "latency_cycles = 9",
            "l3.latency_cycles: expected more than l2.latency_cycles, 10, got 9",
        ),
        (
            "    [100, 200],",
            "    [ 90, 200],",
            "expected transfer_same_l3_cycles, 100, from node 0 to itself, got 90",
        ),
        (
            "page_bytes = [4096,",
            "page_bytes = [4097,",
            "tlb.page_bytes: expected a list of page sizes out of 4096, 2097152",
        ),
        ('"round numbers, for tests"', '""', "machine.description: expected a line of 1 to 120 characters, got ''"),
    ],
)
def test_a_wrong_file_is_named_with_its_key_and_what_was_expected(
    tmp_path: Path, before: str, after: str, complaint: str
) -> None:
    path = changed(tmp_path, before, after)
    with pytest.raises(UsageError) as caught:
        read_machine(None, path)
    text = str(caught.value)
    assert complaint in text
    assert all(it.startswith(f"{path}: ") for it in text.splitlines())


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    path = changed(tmp_path, "width = 4 ", "width = 0 ")
    path.write_text(path.read_text().replace("window = 64", "window = 0"))
    with pytest.raises(UsageError, match=r"core\.width.*\n.*core\.window"):
        read_machine(None, path)


def test_memory_farther_from_its_own_node_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    matrix = "latency_ns = [\n    [100, 200],\n    [200, 100],"
    path.write_text(TEST_MACHINE.read_text().replace(matrix, matrix.replace("100", "300")))
    with pytest.raises(UsageError, match=r"memory\.latency_ns: expected node 0 to be nearest to its own memory"):
        read_machine(None, path)


@pytest.mark.parametrize(
    ("bank_cycle", "complaint"),
    [
        ("199", r"memory\.bank_cycle_ns: .* twice memory\.activate_ns, 202,"),
        ("202", r"memory\.latency_ns: .*activate_ns"),
    ],
)
def test_dram_that_contradicts_itself_is_refused(tmp_path: Path, bank_cycle: str, complaint: str) -> None:
    path = tmp_path / "mine.toml"
    text = TEST_MACHINE.read_text().replace("banks = 0", "banks = 8").replace("activate_ns = 0", "activate_ns = 101")
    path.write_text(text.replace("bank_cycle_ns = 0", f"bank_cycle_ns = {bank_cycle}"))
    with pytest.raises(UsageError, match=complaint):
        read_machine(None, path)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["topology"], "expected --machine NAME, one of bobox-linux-4x6, "),
        (["--machine", "test-2x3", "topology"], "(did you mean test-2x2?)"),
        (["--machine", "test-2x2"], "expected commands to simulate"),
        (
            ["--machine", "test-2x2", "--smt", "--cpus", "9", "topology"],
            "expected --cpus between 1 and 8, which test-2x2 has, got 9",
        ),
        (
            ["--machine", "test-2x2", "--cpus", "5", "topology"],
            "expected --cpus between 1 and 4, which test-2x2 has, got 5",
        ),
        (["--machine", "test-2x2", "--cpus", "0", "topology"], "expected --cpus between 1 and 4"),
        (
            ["--machine", "modern-8x32", "--mem", "1001M", "topology"],
            "expected --mem to divide over 8 nodes in MiB, such as",
        ),
        (["--machine", "test-2x2", "--mem", "4", "topology"], "expected --mem as a number with the suffix M or G"),
        (
            ["--machine-file", "/nowhere/it.toml", "topology"],
            "expected a machine's file (--machine-file), got /nowhere/it.toml",
        ),
        (
            ["--machine-file", "/nowhere/It 1.toml", "topology"],
            "expected a machine's name of small letters, digits and -",
        ),
        (
            ["--machine", "a", "--machine-file", "/x/b.toml", "topology"],
            "expected --machine b or none with --machine-file",
        ),
        (["--machine", "test-2x2", "--", 'echo "x"'], "without quotes"),
        *(
            (
                ["--machine", "primergy-rx200-s7", f"--scale-caches={scale}", "topology"],
                "expected a number with which primergy-rx200-s7's L3 of 20971520 bytes is larger than its L2 of 262144",
            )
            for scale in ("0", "-1", "0.0124", "1e9")
        ),
        (["--machine", "primergy-rx200-s7", "--scale-caches", "nan", "topology"], "nan"),
        *(
            (
                ["--machine", "test-2x2", f"--sample={share}", "topology"],
                "expected --sample as a share of what is measured, from 0.001 to 1",
            )
            for share in ("0", "-0.1", "1.5", "nan", "0.0001")
        ),
    ],
)
def test_refuses_before_anything_is_built_or_started(arguments: list[str], complaint: str) -> None:
    ended = drive("simulate", "--whole", *arguments)
    assert (ended.code, ended.output) == (2, "")
    assert complaint in ended.complaint


# The machine that QEMU is told to build


def test_threads_of_cores_are_processors(tmp_path: Path) -> None:
    machine = read_machine("test-2x2", None).with_threads()
    shape = shape_of(machine, None, "4G")
    assert ([len(node.cpus) for node in shape.nodes], shape.sockets, shape.threads_per_core) == ([4, 4], 2, 2)
    assert "core.threads = 2\n" in machine.flat()
    assert "core.threads = 1\n" in read_machine("test-2x2", None).flat()
    single = read_machine(None, changed(tmp_path, "threads = 2", "threads = 1"))
    with pytest.raises(
        UsageError, match=r"--smt: expected a machine whose cores have several threads, mine's have one"
    ):
        single.with_threads()


def test_a_part_of_the_model_is_switched_off_by_a_change() -> None:
    machine = read_machine("epyc-9354p", None)
    changed = machine.with_changes(["memory.banks=0", "memory.latency_ns=[[90]]"])
    assert changed.changes == ("memory.banks=0", "memory.latency_ns=[[90]]")
    expected = machine.flat().replace("memory.banks = 32", "memory.banks = 0").replace("_ns = 112", "_ns = 90")
    assert changed.flat() == expected


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            "memory.bank=0",
            "--change: expected SECTION.KEY=VALUE with a machine's key, got memory.bank=0 (did you mean mem",
        ),
        ("banks", "--change: expected SECTION.KEY=VALUE"),
        ("memory.banks", "--change memory.banks: expected a value as in a machine's file"),
        ("memory.banks=-1", "with --change: memory.banks: expected an integer from 0"),
        ("l3.cores=3", "with --change: l3.cores: expected a divisor of the 32 cores of a node, got 3"),
        ("l2.bytes=33554432", "with --change: l3.bytes: expected more than l2.bytes, 33554432, got 33554432"),
        ("memory.latency_ns=" + 5000 * "[", "--change memory.latency_ns=[[["),
        ("memory.banks=0\nx=1", "expected a value as in a machine's file"),
    ],
)
def test_a_change_that_is_none_is_refused(change: str, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_machine("epyc-9354p", None).with_changes([change])
    assert complaint in str(caught.value)


def shape_text(machine: str, cpus: int | None) -> tuple[list[tuple[int, int]], int]:
    shape = shape_of(read_machine(machine, None), cpus, "4G")
    return [(len(node.cpus), node.mebibytes) for node in shape.nodes], shape.sockets


def test_fewer_cores_fill_node_after_node_and_memory_stays_on_all() -> None:
    assert shape_text("primergy-rx200-s7", None) == ([(8, 2048), (8, 2048)], 2)
    assert shape_text("primergy-rx200-s7", 12) == ([(8, 2048), (4, 2048)], 0)
    assert shape_text("primergy-rx200-s7", 8) == ([(8, 2048), (0, 2048)], 1)
    assert shape_text("primergy-rx200-s7", 3) == ([(3, 2048), (0, 2048)], 1)
    assert shape_text("modern-4x12", 36) == ([(12, 1024)] * 3 + [(0, 1024)], 3)


@pytest.mark.parametrize(
    ("memory", "ranges"),
    [
        ("2G", [(0, 1 << 30, 0), (1 << 30, 2 << 30, 1)]),
        ("4G", [(0, 2 << 30, 0), (4 << 30, 6 << 30, 1)]),  # the hole below 4 GiB
        ("8G", [(0, 2 << 30, 0), (4 << 30, 6 << 30, 0), (6 << 30, 10 << 30, 1)]),
        ("2816M", [(0, 1408 * MIB, 0), (1408 * MIB, 2 << 30, 1), (4 << 30, (4 << 30) + 768 * MIB, 1)]),
    ],
)
def test_physical_memory_lies_where_qemu_puts_it(memory: str, ranges: list[tuple[int, int, int]]) -> None:
    found = memory_ranges(shape_of(read_machine("test-2x2", None), None, memory))
    assert found == ranges
    assert node_of(ranges[-1][1] - 1, found) == 1
    assert node_of(ranges[-1][1], found) is None


def test_the_qemu_line_is_complete(fakes: Fakes) -> None:
    ended = fakes.drive(
        "--machine", "test-2x2", "--dry-run", "--seed", "7", "--mem", "2G", "--", "topology; bench list"
    )
    assert ended.code == 0, ended.complaint
    words = shlex.split(ended.output)
    text = " ".join(words)
    assert words[0] == str(fakes.qemu)
    assert "-machine q35 -accel tcg,thread=single -cpu max,x2apic=on" in text
    assert "-m 2048M -smp 4,sockets=2,cores=2,threads=1" in text
    assert "-numa node,nodeid=1,cpus=2-3,memdev=memory1" in text
    assert "-numa dist,src=1,dst=0,val=20" in text
    assert words[words.index("-append") + 1] == 'run="topology; bench list; exit" calibrate=no'
    plugin = words[words.index("-plugin") + 1].split(",")
    assert plugin[0] == str(fakes.folder / "mxk-simulator.so")
    options = dict(option.split("=", 1) for option in plugin[1:])
    assert options["machine"].endswith("/machine.txt")
    assert options["result"].endswith("/simulation.json")
    assert options["roi-begin"] == hex(fakes.address("measured_part_begins"))
    assert options["roi-end"] == hex(fakes.address("measured_part_ends"))
    assert options["memory-nodes"] == "0x0-0x40000000@0;0x40000000-0x80000000@1"
    assert options["seed"] == "7"
    whole = fakes.drive("--machine", "test-2x2", "--dry-run", "--whole", "topology").output
    assert "whole=on" in whole
    assert "roi-begin" not in whole


@pytest.mark.skipif(not HAS_QEMU10, reason="no QEMU 10: tools/setup machines")
@pytest.mark.parametrize("machine", machine_names())
def test_qemu_accepts_the_machine(fakes: Fakes, machine: str) -> None:
    """Without the plugin, and told to stop before the first instruction."""
    words = shlex.split(
        drive(
            *("simulate", "--machine", machine, "--mem", "256M", "--whole", "--dry-run", "topology"),
            MXK_METAL_PRESET=str(fakes.kernel.parent),
        ).output
    )
    line = [*words[: words.index("-kernel")], "-S"]
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=2, check=True)


# What has to be there


def test_what_is_missing_is_said_with_what_to_run(tmp_path: Path) -> None:
    fakes = Fakes(tmp_path, kernel='extern "C" void _start() {}')
    unmarked = fakes.drive("--machine", "test-2x2", "topology")
    assert unmarked.code == 2
    marks = "mxk::bench::measured_part_begins() and mxk::bench::measured_part_ends()"
    assert f"expected the kernel to have {marks}" in unmarked.complaint
    assert "simulate all of it with --whole" in unmarked.complaint
    fakes.kernel.write_bytes(b"no kernel")
    assert "to be a kernel" in fakes.drive("--machine", "test-2x2", "topology").complaint
    fakes.kernel.unlink()
    assert fakes.drive("--machine", "test-2x2", "topology").code == 5
    fakes.qemu.unlink()
    without_qemu = fakes.drive("--machine", "test-2x2", "topology")
    assert (without_qemu.code, "run tools/setup machines" in without_qemu.complaint) == (2, True)
    (tmp_path / "mxk-simulator.so").unlink()
    without_plugin = fakes.drive("--machine", "test-2x2", "topology")
    assert (without_plugin.code, "mxk-simulator.so: run make simulator" in without_plugin.complaint) == (2, True)


# The run


def row(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    throughput = {"n": 5, "median": 1e6, "min": 9e5, "max": 1.1e6, "ci95_low": 9.5e5, "ci95_high": 1.05e6}
    machine = {"cpu": "QEMU TCG", "hypervisor": "TCG", "platform": "metal", "cores": 4, "nodes": 2}
    said = {"benchmark": "table", "layout": "open", "mix": "find", "cores": 1, "operations": 1000}
    return said | more | {"throughput": throughput, "verified": True, "machine": machine}


def serial(*rows: dict[str, Any]) -> str:
    """For printf."""
    text = "mxk> bench table --json\r\n" + "".join(json.dumps(it) + "\r\n" for it in rows)
    return text.replace("%", "%%").replace("\r", r"\r").replace("\n", r"\n")


@pytest.mark.parametrize(("status", "code", "reason"), ENDS)
def test_exit_codes_are_those_of_run(fakes: Fakes, status: str, code: int, reason: str) -> None:
    said = fakes.drive("--machine", "test-2x2", "--timeout", "2", "topology", status=status, result=a_result(fakes))
    assert said.code == code
    assert reason in said.complaint
    assert said.complaint.count("\n") == (1 if code else 0)


def test_a_success_without_a_result_is_none(fakes: Fakes) -> None:
    nothing = fakes.drive("--machine", "test-2x2", "topology", serial=serial(row()))
    assert (nothing.code, "the plugin left no result: expected simulation.json" in nothing.complaint) == (5, True)
    damaged = fakes.drive("--machine", "test-2x2", "topology", result='{"machine":')
    assert (damaged.code, "simulation.json: expected JSON" in damaged.complaint) == (5, True)
    lacking = a_result(fakes)
    del lacking["regions"][1]["lines"][0]["places"][1]["core"]
    said = fakes.drive("--machine", "test-2x2", "topology", result=lacking)
    assert "simulation.json: $.regions[1].lines[0].places[1]: 'core' is a required property" in said.complaint
    failed = fakes.drive("--machine", "test-2x2", "topology", status="35")
    assert (failed.code, "no result" in failed.complaint) == (1, False)


def test_nothing_measured_is_said(fakes: Fakes) -> None:
    said = fakes.drive("--machine", "test-2x2", "topology", result=a_result(fakes) | {"regions": []})
    assert (said.code, "nothing was modelled" in said.output) == (0, True)
    nothing = a_result(fakes) | {"regions": []}
    rows = fakes.drive("--machine", "test-2x2", "topology", serial=serial(row()), result=nothing)
    assert (rows.code, "but the model saw no measured part" in rows.complaint) == (5, True)


def test_every_row_is_marked_everywhere_and_the_folder_has_all(fakes: Fakes) -> None:
    rows = [row(), row(cores=4)]
    arguments = ["--machine", "test-2x2", "--cpus", "4", "--seed", "3", "--", "bench table --json"]
    said = fakes.drive(*arguments, serial=serial(*rows), result=a_result(fakes))
    assert said.code == 0, said.complaint
    mark = {"machine": "test-2x2", "cores": 4, "nodes": 2, "hertz": HERTZ, "seed": 3, "whole": False}
    marked = [it | {"simulated": mark} for it in rows]
    folder = said.results
    for text in (said.output, (folder / "console.log").read_text(), (folder / "results.jsonl").read_text()):
        assert [it for text_line in text.splitlines() if (it := json_row(text_line)) is not None] == marked
    assert (folder / "machine.txt").read_text() == read_machine("test-2x2", None).flat()
    assert "-plugin" in (folder / "command.txt").read_text()
    assert "# commands: bench table --json; exit" in (folder / "command.txt").read_text()
    assert f"machine={folder}/machine.txt" in " ".join(fakes.arguments)
    assert "simulated: times are those of a model" in said.output
    changed = ["--smt", "--change", "memory.channels=4"]
    threads = fakes.drive("--machine", "test-2x2", *changed, "--", "bench table --json", serial=serial(row()))
    kept = json_row((threads.results / "results.jsonl").read_text().splitlines()[0])
    assert kept is not None
    assert (kept["simulated"]["cores"], kept["simulated"]["threads_per_core"]) == (8, 2)
    (point,) = points_of([Found(kept, "bench table --json")])
    assert " --smt --change memory.channels=4 " in command_of(point)
    assert "emulated" not in said.output


def test_the_last_caches_are_scaled_in_whole_sets_and_rows_say_so(fakes: Fakes) -> None:
    machine = "primergy-rx200-s7"
    scaled = ["--scale-caches", "0.03125"]
    said = fakes.drive(
        "--machine", machine, *scaled, "bench table --json", serial=serial(row()), result=a_result(fakes)
    )
    (marked,) = [it for line in said.output.splitlines() if (it := json_row(line)) is not None]
    assert marked["simulated"]["scale_caches"] == 0.03125
    (point,) = points_of([Found(marked, "bench table --json")])
    assert " --scale-caches 0.03125 " in command_of(point)
    whole = read_machine(machine, None).flat()
    assert (said.results / "machine.txt").read_text() == whole.replace("l3.bytes = 20971520", "l3.bytes = 655360")
    assert "l3.bytes = 655360" not in whole
    odd = read_machine(machine, None).with_last_caches(0.03).sections["l3"]
    assert odd["bytes"] % (odd["ways"] * 64) == 0


def test_rows_of_a_sampled_run_say_how_much_was_modelled_and_how_far_off_they_may_be(
    tmp_path: Path, fakes: Fakes
) -> None:
    part = {"cycles": 1000, "sampled": {"modelled": 200, "skipped_instructions": 1, "error": 0.04}}
    longer = {"cycles": 3000, "sampled": {"modelled": 300, "skipped_instructions": 1, "error": 0.08}}
    short = {"cycles": 1000, "sampled": {"modelled": 500, "skipped_instructions": 1, "error": None}}
    path = tmp_path / "samples.jsonl"
    of_rows = Samples(path)
    assert of_rows.of_next_row() == {}
    path.write_text(f"{json.dumps(part)}\n{json.dumps(longer)}\n")
    assert of_rows.of_next_row() == {"modelled": 0.125, "error": 0.07}
    assert of_rows.of_next_row() == {"modelled": 0.125, "error": 0.07}, "of the same measured parts"
    path.write_text(path.read_text() + f"{json.dumps(short)}\n")
    marker = RowMarker({"machine": "m"}, of_rows)
    marked = json_row(marker.feed(b'{"benchmark":"t"}\n').decode())
    assert marked is not None
    assert marked["simulated"] == {"machine": "m", "modelled": 0.5, "error": None}

    document = a_result(fakes)
    for region in document["regions"]:
        region["sampled"] = {"modelled": (region["end"] - region["begin"]) / 4, "skipped_instructions": 1, "error": 0.1}
    sampled = ["--machine", "test-2x2", "--sample", "0.25", "--", "bench table --json"]
    said = fakes.drive(*sampled, serial=serial(row()), result=document)
    assert said.code == 0, said.complaint
    assert "25.0 % of the time was modelled, tables are of that" in said.output
    assert f"sample=100000/400000,samples={said.results}/samples.jsonl" in " ".join(fakes.arguments)
    (kept,) = points_of([Found(it, "bench table --json") for it in map(json_row, said.output.splitlines()) if it])
    assert " --sample 0.25 " in command_of(kept)
    assert "sample" not in fakes.drive("--machine", "test-2x2", "topology").output


def test_marking_is_the_same_in_pieces_of_any_size() -> None:
    text = b'a{"b\r\nmxk> x\r\n\r\x1b[K10 %\r\x1b[K{"benchmark":"t"}\r\n{"damaged\r\nend {'
    whole = RowMarker({"machine": "m"}).feed(text)
    assert b'{"benchmark": "t", "simulated": {"machine": "m"},"crc32":"' in whole
    assert whole.startswith(b'a{"b\r\nmxk> x\r\n\r\x1b[K10 %\r\x1b[K{"benchmark"')
    for size in (1, 2, 3, 5, 17):
        marker = RowMarker({"machine": "m"})
        parts = [marker.feed(text[i : i + size]) for i in range(0, len(text), size)]
        assert b"".join([*parts, marker.rest()]) == whole + b"end {"
    marker = RowMarker({})
    assert marker.feed(b"mxk> ") == b"mxk> ", "what is no row is shown at once"


# Names


def test_fields_are_named_where_the_kernel_has_types(fakes: Fakes) -> None:
    symbols, fields = fakes.symbols, Fields(fakes.kernel)
    queue, counters = fakes.address("Scheduler6shared"), fakes.address("counters")
    assert [fields.field(queue, offset) for offset in (0, 8, 16, 24, 30, 38)] == [
        ".waiting",
        ".lanes[0].head",
        ".lanes[0].tail",
        ".lanes[0].places[0][0]",
        ".lanes[0].places[0][3]",
        ".lanes[0].places[1][3]",
    ]
    assert fields.field(queue, 8 + 2 * 32) == ".lanes[2].head"
    assert fields.field(queue, 8 + 3 * 32) == ".first"
    assert fields.field(counters, 12) == "[3]"
    assert fields.field(0x1234, 0) == ""
    assert symbols.readable(symbols.function_at(fakes.address("bench4take") + 3)) == "mxk::bench::take()"
    assert symbols.function_at(0x10) is None
    assert find_markers(symbols).begin == fakes.address("measured_part_begins")


def test_lines_functions_and_sharing_are_told(fakes: Fakes) -> None:
    said = fakes.drive("--machine", "test-2x2", "bench", result=a_result(fakes))
    text = said.output
    assert "Where the cycles went, part by part" in text
    assert "Where the cycles went, core by core" in text
    lines = text.partition("Expensive cache lines")[2]
    assert re.search(r"FALSE +│ bench::Scheduler::shared\.lanes\[0\]\.head", lines)
    assert re.search(r"0x100040, node 0", lines)
    assert re.search(r"true +│ dynamic memory", lines)
    assert re.search(r"0x100001000, node 1", lines)
    assert "+0:8 reads 120 writes 120, cores 0,1,2,3:" in lines
    assert "bench::put()" in lines
    assert "Bytes moved" in text
    assert "2.50M per second" in text
    kept = json.loads((said.results / "simulation.json").read_text())
    first = kept["regions"][1]["lines"][0]
    assert (first["sharing"], first["node"]) == ("FALSE", 0)
    assert [it["what"] for it in first["places"]] == [
        "mxk::bench::Scheduler::shared.lanes[0].head",
        "mxk::bench::Scheduler::shared.lanes[0].tail",
    ]
    assert kept["regions"][0]["functions"][0]["name"] == "mxk::bench::take()"


def test_without_types_places_are_told_by_offset_and_it_is_said(tmp_path: Path) -> None:
    fakes = Fakes(tmp_path, "-g1")
    text = fakes.drive("--machine", "test-2x2", "bench", result=a_result(fakes)).output
    assert "bench::Scheduler::shared + 8" in text
    assert "fields are not named" in text
    assert "-DMXK_DEBUG_INFORMATION=-g" in text


def sharing(*places: dict[str, Any]) -> str:
    region = {"begin": 0, "end": 1, "cores": [], "traffic": [], "channels": [], "functions": []}
    lines = [line(0, 0, 100, list(places))]
    document = {"machine": "m", "hertz": 1, "instructions": 1, "host_seconds": 1}
    return result_of(document | {"regions": [region | {"lines": lines}]}).regions[0].lines[0].sharing


def test_false_sharing_needs_two_cores_apart_of_which_one_writes() -> None:
    assert sharing(place(0, 0, 1, writes=1), place(8, 1, 2, reads=1)) == "FALSE"
    assert sharing(place(0, 0, 1, reads=1), place(8, 1, 2, reads=1)) == ""
    assert sharing(place(0, 0, 1, writes=1), place(8, 0, 2, writes=1)) == ""
    assert sharing(place(0, 0, 1, writes=1), place(4, 1, 2, reads=1)) == "true"
    assert sharing(place(0, 0, 1, writes=1), place(0, 1, 2, reads=1), place(32, 2, 3, reads=1)) == "FALSE, and true"


def test_regions_add_up(fakes: Fakes) -> None:
    document = a_result(fakes)
    document["regions"].append(document["regions"][1])
    total = total_of(result_of(document).regions)
    assert total.cycles == 30_000
    assert [core.instructions for core in total.cores] == [30_000, 20_000, 20_000, 20_000]
    assert [it.cycles for it in total.lines] == [16_000, 8000, 1000]
    assert total.traffic == [[0, 9 * 64_000], [9 * 128_000, 0]]
    assert [(it.node, it.bytes) for it in total.channels] == [(0, 9 * 256_000), (1, 9 * 256_000)]
    assert total.channels[0].busy == pytest.approx((0.2 + 0.8 + 0.8) / 3)
    named = total.functions
    for function in named:
        function.name = "f"
    assert [(it.name, it.cycles) for it in by_name(named)] == [("f", 2 * 9 * 4000)]


# A kind of its own


def keep(folder: Path, rows: list[dict[str, Any]]) -> str:
    folder.mkdir()
    (folder / "results.jsonl").write_text("".join(json.dumps(it) + "\n" for it in rows))
    return str(folder)


def test_simulated_rows_are_never_compared_with_others(tmp_path: Path) -> None:
    mark = {"simulated": {"machine": "test-2x2", "cores": 4, "seed": 1}}
    native = row() | {"machine": {"cpu": "EPYC", "hypervisor": ""}}
    runs = {"simulated": [row() | mark], "emulated": [row()], "measured": [native]}
    runs["elsewhere"] = [row() | {"simulated": mark["simulated"] | {"machine": "primergy-rx200-s7"}}]
    paths = {name: keep(tmp_path / name, rows) for name, rows in runs.items()}
    for other in ("emulated", "measured"):
        said = drive("compare-runs", paths["simulated"], paths[other])
        assert said.code == 2
        assert f"one is simulated, the other is {other}" in said.complaint
    assert "no row in common" in drive("compare-runs", paths["simulated"], paths["elsewhere"]).complaint
    assert drive("compare-runs", paths["simulated"], paths["simulated"]).code == 0
    points = [point for path in paths.values() for point in points_of(read_runs([path])[0].rows)]
    assert [point.kind for point in points] == [Kind.SIMULATED, Kind.EMULATED, Kind.MEASURED, Kind.SIMULATED]
    assert len({key_of(point.first) for point in points}) == 4
    again = "tools/mxk simulate --machine test-2x2 --cpus 4 --seed 1 -- 'bench table --layout open "
    assert command_of(points[0]).startswith(again)
    # An empty mark is one, too.
    assert points_of(read_runs([keep(tmp_path / "empty", [native | {"simulated": {}}])])[0].rows)[0].kind == "simulated"


def test_the_report_shows_it_apart_and_with_its_mark(tmp_path: Path, fakes: Fakes) -> None:
    rows = [row(cores=cores) for cores in (1, 2, 4)]
    said = fakes.drive("--machine", "test-2x2", "--", "bench", serial=serial(*rows), result=a_result(fakes))
    native = [it | {"machine": {"cpu": "EPYC", "hypervisor": ""}} for it in rows]
    page = tmp_path / "page.html"
    ended = drive("report", str(said.results), keep(tmp_path / "native", native), "--output", str(page))
    assert ended.code == 0, ended.complaint
    with browser(log=True) as chrome:
        open_page(chrome, page)
        assert chrome.get_log("browser") == []
        titles = [it.text for it in chrome.find_elements(By.CSS_SELECTOR, "h3")]
        across = chrome.execute_script(
            """return [...document.querySelectorAll(".plot")].map((plot) => [
                   plot.closest("article").querySelector("h3").textContent,
                   [...plot.querySelectorAll(".annotation-text")].map((it) => it.textContent).join(),
                   plot.data.length])"""
        )
        text = chrome.execute_script("return document.body.textContent")
    throughput = [(mark, series) for title, mark, series in across if title.startswith("find, 1K operations")]
    assert sorted(throughput) == [("", 1), ("simulated", 1)], "never in one plot"
    simulated = [title for title, mark, _ in across if mark == "simulated"]
    assert any(title.startswith("Scaling: find") for title in simulated)
    assert any(title.startswith("Where the cycles went, part by part") for title in simulated)
    assert any(title.startswith("Where the cycles went, core by core") for title in simulated)
    for table in ("Expensive cache lines", "Expensive functions", "Bytes moved between nodes"):
        assert any(title.startswith(table) for title in titles), table
    assert "false sharing: bench::Scheduler::shared.lanes[0].head" in text
    assert "the times of a model of a machine" in text


def test_a_damaged_result_costs_the_report_only_its_section(tmp_path: Path) -> None:
    folder = keep(tmp_path / "run", [row()])
    (tmp_path / "run/simulation.json").write_text("[]")
    run = read_runs([folder])[0]
    assert run.simulation is None
    assert any("simulation.json: $: [] is not of type 'object'" in warning for warning in run.warnings)
    with pytest.raises(ResultError, match=r"simulation\.json: .*'machine' is a required property"):
        result_of({})


def test_names_of_a_machine_are_those_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TEST_MACHINE.read_text())
    machine = read_machine("mine", path)
    assert isinstance(machine, MachineFile)
    assert machine.flat().splitlines()[0] == "machine.name = mine"

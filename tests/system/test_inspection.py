"""Commands that look into the running machine, in both builds: one run tests many of them at once."""

import re
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from helpers import Console, run_linux, run_mxk

pytestmark = pytest.mark.usefixtures("images")


class Said:
    """What a run of several commands printed, command by command."""

    def __init__(self, commands: list[str], output: str) -> None:
        if "mxk> " in output:  # the kernel shows what is typed
            parts = [block.partition("\n") for block in output.split("mxk> ")[1:]]
            self.blocks = [(command, said) for command, _, said in parts]
        else:
            self.blocks = list(zip(commands, output.split(MARK), strict=False))

    def every(self, command: str) -> list[str]:
        """Each time that the command was given."""
        return [said for given, said in self.blocks if given == command]

    def __getitem__(self, command: str) -> str:
        return self.every(command)[0]


MARK = "error: unknown command '==' ('help' lists all commands)\n"  # what the program is told between two commands


def on_metal(log: Path, *commands: str) -> Said:
    """Boots the kernel with these commands; a wrong one at the end lets all runs end alike."""
    return Said(list(commands), run_mxk(log, ["--cpus", "2"], "; ".join([*commands, "=="]), code=1).output)


def on_linux(_log: Path, *commands: str) -> Said:
    """Runs the program with these commands, and wrong ones between them."""
    run = run_linux("--cores", "2", "--memory", "512M", "; ==; ".join([*commands, ""]), code=1)
    return Said(list(commands), run.output)


BUILDS = pytest.mark.parametrize("build", [on_metal, on_linux], ids=["metal", "linux"])


@BUILDS
def test_what_build_and_machine_this_is(build: Callable[..., Said], tmp_path: Path) -> None:
    said = build(tmp_path / "log", "version", "sysinfo", "uptime", "describe uptime")
    version = dict(line.split(maxsplit=1) for line in said["version"].splitlines() if line)
    assert re.fullmatch(r"MXK \d+\.\d+\.\d+", version["version"])
    assert re.fullmatch(r"[0-9a-f]{7,}(-dirty)?, last commit of \d{4}-\d\d-\d\d", version["revision"])
    assert re.fullmatch(r"gcc .+ -O2", version["compiler"])
    assert version["platform"].startswith("metal" if build is on_metal else "Linux ")
    system = said["sysinfo"]
    assert said["version"].strip() in system
    assert re.search(r"^features +.*\bsse3\b", system, re.MULTILINE)
    assert re.search(r"^cores +2 of 2 that the firmware lists; nodes: 1 ", system, re.MULTILINE)
    assert re.search(r"^memory +5\d\d\.\d MiB, \d+\.\d of them free", system, re.MULTILINE)
    assert re.search(r"^clock +time-stamp counter, \d+\.\d{3} MHz", system, re.MULTILINE)
    if build is on_metal:
        assert re.search(r"^started by +PVH, 0:00:\d\d\.\d{3} ago", system, re.MULTILINE)
        assert re.search(r'^command line +run="version; sysinfo; ', system, re.MULTILINE)
    else:
        assert re.search(r"^started by +Linux \S+, 0:00:00\.\d{3} ago", system, re.MULTILINE)
        assert re.search(r"^command line +\S*mxk --cores 2 --memory 512M version; ", system, re.MULTILINE)
    assert re.match(
        r"up 0:00:\d\d\.\d{3}; the time-stamp counter has counted for .*:\d\d\.\d{3}$", said["uptime"].strip()
    )
    assert said["describe uptime"].startswith("uptime: how long the kernel runs")


NUMBERS = {  # what is typed: the value
    "18": 18,
    "0x12": 0x12,
    "022": 0o22,
    "0xffffffffffffffff": 2**64 - 1,
}
BAD_CALLS = {  # what is typed: part of the message
    "call valeu 1": "unknown function 'valeu'; did you mean value? ('call' lists all functions)",
    "call value": "expected 1 argument (value NUMBER), got 0",
    "call core 1": "expected 0 arguments (core takes none), got 1",
    "call value 08": "expected a number of up to 64 bits such as 18, 0x12 or 022, &FUNCTION or *ADDRESS, got '08'",
    "call value 0x10000000000000000": "expected a number of up to 64 bits",
    "call value &mxk::no_such": "expected the name of a function, such as mxk::clock::now or now, got 'mxk::no_such'",
    "call value *0": "expected an address of mapped memory, got 0x0",
    "call peek 0x8000000000000000": "expected an address of mapped memory, got 0x8000000000000000",
    "call core --core 7": "--core: expected a core below 2, got 7",
    "call free-bytes 9": "expected a node below 1, got 9",
    "symaddr ow": "expected the name of a function, got 'ow', which is part of ",
    "symaddr": "expected the name of a function, such as mxk::clock::now or now, got ''",
}


def value(text: str) -> int:
    """Of a call: what it shows in decimal is what it shows in hexadecimal."""
    found = re.match(r"\n?(\d+) \(0x([0-9a-f]+)\)\n", text)
    assert found, text
    assert int(found[1]) == int(found[2], 16)
    return int(found[1])


@BUILDS
def test_functions_are_called_on_one_core_and_on_all(build: Callable[..., Said], tmp_path: Path) -> None:
    commands = ["call", "call core", "call core --core 1", "mcall core", "describe peek", "symaddr clock::now"]
    commands += ["call value &mxk::clock::now", "call value *&clock::now", "call peek &clock::now", "mcall tlb-flush"]
    commands += ["call peek &mxk::clock::now"]  # README
    commands += [f"call value {typed}" for typed in NUMBERS]
    said = build(tmp_path / "log", *commands, *BAD_CALLS)
    assert "  peek ADDRESS     the eight bytes at an address, as a number\n" in said["call"]
    assert value(said["call core"]) == 0
    assert value(said["call core --core 1"]) == 1
    assert said["mcall core"].strip() == "core 0: 0 (0x0)\ncore 1: 1 (0x1)"
    assert "usage: call peek ADDRESS, or mcall" in said["describe peek"]
    [now] = re.findall(r"^0x([0-9a-f]{16}) mxk::clock::now$", said["symaddr clock::now"], re.MULTILINE)
    assert value(said["call value &mxk::clock::now"]) == int(now, 16)
    assert value(said["call value *&clock::now"]) == value(said["call peek &clock::now"]) != 0
    assert said["call peek &mxk::clock::now"] == said["call peek &clock::now"]
    assert {typed: value(said[f"call value {typed}"]) for typed in NUMBERS} == NUMBERS
    for command, message in BAD_CALLS.items():
        assert f"error: {message}" in said[command]
    if build is on_metal:
        assert said["mcall tlb-flush"].strip() == "core 0: done\ncore 1: done"
    else:
        assert "error: on 2 of 2 cores: expected the bare machine: translations" in said["mcall tlb-flush"]


@BUILDS
def test_memory_and_translations(build: Callable[..., Said], tmp_path: Path) -> None:
    said = build(tmp_path / "log", "tlb", "mcall tlb-flush", "tlb", "memory --zones", "memory --physical")
    tlb = said["tlb"]
    assert re.search(r"^ +1 +data +\d+ +\w+ +4 KiB$", tlb, re.MULTILINE) or "does not tell" in tlb
    [zone] = re.findall(r"^ +0 +(\d+) +(\d+) +(\d+) +([\d.]+)$", said["memory --zones"], re.MULTILINE)
    frames, used, free = map(int, zone[:3])
    assert frames == used + free
    assert 0 < float(zone[3]) <= free * 4 / 1024 + 0.05, "in MiB, rounded"
    ranges = re.findall(r"^0x(\w{16})-0x(\w{16}) +([\d.]+)  (\w.*?) +(\S+)$", said["memory --physical"], re.MULTILINE)
    if build is on_linux:
        assert "Shootdowns are the system's" in tlb
        assert "The firmware's map is the system's" in said["memory --physical"]
        assert [(kind, node) for *_, kind, node in ranges] == [("virtual", "0")]
        return
    flushes = [int(re.search(r"flushes of a core's own: (\d+)", shown)[1]) for shown in said.every("tlb")]
    assert flushes[1] - flushes[0] == 2, "one of each core"
    assert {(kind, node) for *_, kind, node in ranges} >= {("RAM", "0"), ("reserved", "-")}
    ram = sum(int(end, 16) + 1 - int(start, 16) for start, end, _, kind, _ in ranges if kind == "RAM")
    assert 500 << 20 < ram <= 512 << 20


def test_halt_stops_the_machine_with_a_last_line(tmp_path: Path) -> None:
    with Console(tmp_path / "log", cpus=2) as console:
        console.child.send("halt\r")
        console.child.expect_exact("MXK has halted: every command succeeded.")
        console.child.send("uptime\r")
        with pytest.raises(pexpect.TIMEOUT):
            console.child.expect("up|mxk>", timeout=1)
        assert console.child.isalive(), "the machine stays on"


def test_halt_ends_the_program() -> None:
    assert run_linux("halt; uptime").output == "MXK has halted: every command succeeded.\n"
    assert run_linux("bogus; halt", code=1).output.endswith("MXK has halted: a command failed.\n")


@BUILDS
def test_threads_have_numbers_by_which_they_are_traced_and_killed(build: Callable[..., Said], tmp_path: Path) -> None:
    bad = {
        "kill": "expected the number of a thread, as in 'kill 1'",
        "btrace": "expected the number of a thread, as in 'btrace 1'",
        "kill 99": "expected the number of a thread as 'threads' shows it, got 99",
        "btrace 99": "expected the number of a thread as 'threads' shows it, got 99",
        "kill x": "THREAD: expected a count such as 24M",
    }
    traces = ["btrace 2"] * 10  # the first may show it on its way to spin_until()
    said = build(tmp_path / "log", "spin --seconds 60", "test clock", "threads", *traces, "kill 1", *bad)
    assert re.search(r"^ +2 spin 2000 us +1 \w+ +2000 ", said["threads"], re.MULTILINE)
    assert re.search(r"^thread 2 'spin 2000 us':\n", said["btrace 2"].lstrip(), re.MULTILINE)
    spins = re.compile(r"^    0x[0-9a-f]{16} .*\bspin_until$", re.MULTILINE)
    assert any(spins.search(trace) for trace in said.every("btrace 2"))
    assert "error" not in said["kill 1"]
    for command, message in bad.items():
        assert f"error: {message}" in said[command]

"""The Linux program as a person and a script use it: commands as arguments, lines through a pipe, keys on a terminal,
signals, and what its exit status says."""

import json
import os
import re
import signal
import subprocess
import termios
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from helpers import ROOT, AtPrompt, Ended, check_kernel_tests, linux_program, program_for, run_linux

LEFT, UP, DOWN = "\x1b[D", "\x1b[A", "\x1b[B"
CTRL_A, CTRL_C, CTRL_D, CTRL_E, CTRL_U, CTRL_W = "\x01", "\x03", "\x04", "\x05", "\x15", "\x17"
BACKSPACE = "\x7f"

ENDLESS = "bench table --ops 1M --cores 1 --repeat 1000"


def mxk(*arguments: str, typed: str | None = None, timeout: float = 60) -> Ended:
    """Runs the program to its end. `typed`: what comes through its standard input; None: nothing."""
    done = subprocess.run(
        [program_for(";".join(arguments)), *arguments],
        input=typed or "",
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


# Commands as arguments


def test_standard_output_has_what_the_commands_say_and_nothing_else() -> None:
    ended = mxk("--cores", "2", "topology; help")
    assert ended.code == 0
    assert ended.output.startswith("cores 2 ")
    assert "\nCommands:\n" in ended.output
    assert "mxk>" not in ended.output
    assert "\x1b" not in ended.output
    assert "\r" not in ended.output
    assert all(line.startswith("WARN ") for line in ended.complaint.splitlines()), ended.complaint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("5\n0x1F\n7\n", ""),
        ("5\n31\n0x1F\n", "line 3: expected a key that is on no line before, got '0x1F' as on line 2"),
        ("5\n0\n7\n", "line 2: expected a key from 1 to 18446744073709551614, decimal or 0x and hexadecimal, got '0'"),
        ("5\nsix\n7\n", "line 2: expected a key from 1 to"),
        ("5\n6\n", "expected 3 keys, one for each of --ops, got 2"),
    ],
)
def test_keys_from_a_file(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "keys"
    file.write_text(text)
    run = "bench table --ops 3 --layout open --mix insert,find,erase --cores 1,2 --json"
    ended = mxk("--cores", "2", f"{run} --keys file:{file}")
    assert ended.code == (1 if complaint else 0), ended.output
    assert complaint in ended.output
    expected = [] if complaint else [(f"file:{file}", mix, True) for mix in ("insert", "find", "erase")] * 2
    assert [(row["keys"], row["mix"], row["verified"]) for row in ended.rows] == expected


def test_the_words_of_one_command_need_no_quotes() -> None:
    ended = mxk("--cores", "1", "bench", "table", "--ops", "20K", "--mix", "mixed:50/40/10", "--json")
    assert ended.code == 0, ended.output + ended.complaint
    assert [(row["mix"], row["verified"]) for row in ended.rows] == [("mixed:50/40/10", True)]


def test_semaphores_are_those_of_the_system() -> None:
    ended = mxk("bench table --model threads --semaphore syscall")
    assert ended.code == 1
    assert "error: --semaphore: expected fast, the kind that this build has" in ended.output


def test_threads_without_semaphores_lose_entries_and_say_so() -> None:
    ended = mxk("--cores", "2", "bench table --model threads-unsafe --ops 200K --buckets 0.01 --cores 2 --json")
    assert ended.code == 0, ended.output
    [row] = ended.rows
    assert row["verified"] == (row["lost"] == 0)
    assert row["verified"] or f"lost {row['lost']}\n" in ended.output


@pytest.mark.parametrize(
    ("commands", "code"),
    [
        ("topology", 0),
        ("exit", 0),
        ("bogus", 1),
        ("bogus; topology", 1),
        ("bogus; exit", 1),
        ("topology; bench table --bogus", 1),
        ("test no_such_test", 1),
        ("crash assert", 3),
        ("crash null", 3),
    ],
)
def test_exit_status(commands: str, code: int) -> None:
    assert mxk(commands).code == code


def test_commands_behind_a_failed_one_still_run_and_those_behind_exit_do_not() -> None:
    ended = mxk("bogus; help exit; exit; topology")
    assert ended.code == 1
    assert "error: unknown command 'bogus'" in ended.output
    assert "usage: exit" in ended.output
    assert "cores" not in ended.output


# What is broken -> what the report says of it.
CRASHES = {
    "null": "at 0x0",
    "stack": "stack overflow",
    "write-text": "segmentation fault",
    "write-constant": "segmentation fault",
    "execute-data": "segmentation fault",
    "assert": "an assertion that does not hold\n  at tests/soak/crash_command.cpp:",
    "other-core": "on core 1: crash other-core: an assertion that does not hold",
    "thread-stack": " in thread 'deep': segmentation fault",
    "task-waits": "a task must not wait for a semaphore",
    "lock-twice": " in thread 'locker': a thread locks a mutex that it has already",
}


@pytest.mark.parametrize("kind", CRASHES)
def test_a_panic_tells_where_and_why(kind: str) -> None:
    ended = mxk("--cores", "2", f"help exit; crash {kind}; topology")
    assert ended.code == 3
    assert "usage: exit" in ended.output, "what was printed before is not lost"
    assert "cores 2" not in ended.output, "nothing runs behind a panic"
    assert re.search(r"^PANIC (on core [01]|in thread '[a-z]+'): ", ended.complaint, re.MULTILINE)
    assert CRASHES[kind] in ended.complaint
    assert "backtrace:" in ended.complaint


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--bogus"], "unknown option --bogus; expected one of --cores, --nodes, --memory"),
        (["--cores"], "--cores"),
        (["--cores", "x"], "--cores: expected a count"),
        (["--cores", "-1"], "--cores: expected a count"),
        (["--cores", "5000"], "--cores: expected"),
        (["--cores", "2", "--nodes", "3"], "expected up to as many nodes as cores, got 3 nodes for 2 cores"),
        (["--memory", "x"], "--memory: expected a size of memory such as 512M or 4G, got 'x'"),
        (["--memory", "1"], "expected no less than 16 MiB of memory"),
        (["--memory", "1000000G"], "expected less than 8 TiB of memory for each node, got"),
        (["--memory", "10T"], "expected less than 8 TiB of memory for each node, got"),
        (["--memory", "8T", "--nodes", "1"], "expected less than 8 TiB of memory for each node, got 8192 GiB"),
    ],
    ids=" ".join,
)
def test_bad_options_say_what_is_expected_and_nothing_runs(arguments: list[str], complaint: str) -> None:
    ended = mxk(*arguments, "topology")
    assert ended.code == 2
    assert complaint in ended.complaint
    assert ended.output == ""


@pytest.mark.parametrize("program", ["mxk", "mxk-peers"])
def test_what_is_measured_once_is_warm(program: str) -> None:
    # else the first row has the first touch of all memory
    names, seen = ["bench"], 0
    for name in names:
        said = run_linux(f"help {name}", name=program).output
        if "[NAME [OPTIONS]]" in said:
            names += [f"{name} {below}" for below in re.findall(r"^  ([a-z][\w-]*) ", said, re.MULTILINE)]
        defaults = dict(
            re.findall(r"^  --(repeat|warm-up) [^\n]*(?:\n {10}[^\n]*)*?default (\d+)$", said, re.MULTILINE)
        )
        assert defaults.get("repeat") != "1" or defaults["warm-up"] != "0", name
        seen += len(defaults) == 2
    assert seen > (10 if program == "mxk" else 0)


def test_help_and_version() -> None:
    usage = mxk("--help")
    assert usage.code == 0
    options = re.findall(r"^  (--[a-z]+)", usage.output, re.MULTILINE)
    assert {"--cores", "--nodes", "--memory"} <= set(options)
    manual = (ROOT / "main/linux/mxk.1").read_text().replace("\\-", "-")
    assert re.findall(r"^\.BI? (--[a-z]+)", manual, re.MULTILINE) == options
    assert "usage: mxk" in usage.output
    version = mxk("--version")
    assert version.code == 0
    stated = re.search(r"project\(mxk VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert re.fullmatch(rf"mxk {re.escape(stated)} \S.* (gcc|clang) .+\n", version.output)


# The machine


def topology(*options: str) -> dict[str, Any]:
    """What `topology --json` says."""
    ended = mxk(*options, "topology --json")
    assert ended.code == 0, ended.complaint
    (row,) = ended.rows
    return row


def test_pretended_cores_and_nodes() -> None:
    machine = topology("--cores", "8", "--nodes", "2")
    assert [core["id"] for core in machine["cores"]] == list(range(8))
    assert [core["node"] for core in machine["cores"]] == [0] * 4 + [1] * 4
    assert [node["cores"] for node in machine["nodes"]] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert machine["nodes"][0]["distances"] == machine["nodes"][1]["distances"][::-1]
    assert machine["distances_known"] is False, "pretended ones"
    assert all(node["memory"] for node in machine["nodes"])
    if len(os.sched_getaffinity(0)) < 8:
        assert any("share the processors" in warning for warning in machine["warnings"])


def test_memory_is_what_was_asked_for() -> None:
    machine = topology("--cores", "3", "--nodes", "3", "--memory", "96M")
    sizes = [sum(extent["bytes"] for extent in node["memory"]) for node in machine["nodes"]]
    assert sizes == [32 << 20] * 3


@pytest.mark.parametrize(
    "shape",
    [["--cores", "1"], ["--cores", "2"], ["--cores", "8", "--nodes", "2"]],
    ids=" ".join,
)
@pytest.mark.long(reason="all tests inside")
def test_kernel_tests_pass(shape: list[str]) -> None:
    # Half a minute on a machine that runs nothing else; the deadline is for what hangs, also beside other programs.
    check_kernel_tests(mxk(*shape, "--memory", "1G", "test", timeout=400))


def test_oversubscribed_cores_measure_and_verify() -> None:
    ended = mxk("--cores", "8", "--nodes", "2", "bench table --ops 100K --cores 1,3,8 --mix insert,find,erase --json")
    assert ended.code == 0, ended.output + ended.complaint
    assert [(row["cores"], row["mix"], row["verified"]) for row in ended.rows] == [
        (cores, mix, True) for cores in (1, 3, 8) for mix in ("insert", "find", "erase")
    ]


@pytest.mark.parametrize("layout", ["concurrent", "concurrent-lines"])
def test_latency_of_changes_begins_when_they_are_taken(layout: str) -> None:
    """A core takes 256 inserts and makes them in four turns of 64. By Little's law the mean latency is that of 160
    under way; counted from a turn's own begin on, it would be that of 64."""
    table = f"bench table --model shared --layout {layout} --submit batch --mix insert --latency --ops 2M --cores 1"
    (row,) = mxk(f"{table} --repeat 1 --json").rows
    assert row["verified"] is True
    # Of one and the same run, which is long: what disturbs it counts for those that are under way then, 64 to 256.
    under_way = row["throughput"]["median"] * row["latency"]["mean_ns"] * 1e-9
    assert 96 < under_way < 224


def test_memory_that_does_not_suffice_is_one_clear_error() -> None:
    ended = mxk("--memory", "64M", "bench table --ops 24M; topology")
    assert ended.code == 1
    assert re.search(r"^error: out of memory: .* wanted on node 0", ended.output, re.MULTILINE)
    assert "nodes 1" in ended.output, "the program goes on"


# Four million keys, two in each line of 64 bytes, and a node of 128 MiB less: each row says where they are, once.
def test_a_table_that_does_not_fit_where_it_was_asked_for() -> None:
    asked = "bench table --layout bucketed --submit batch --cores 1 --mix insert,find --json --memory node:1"
    ended = mxk("--cores", "2", "--nodes", "2", "--memory", "256M", f"{asked} --ops 1K; {asked} --ops 4M")
    assert ended.code == 0, ended.output + ended.complaint
    fitting, there = ended.rows[:2], ended.rows[2:]
    assert [len(row["placed"]) for row in ended.rows] == [2] * 4
    assert all(row["placed"][1] >= row["table_bytes"] and row["warnings"] == [] for row in fitting), fitting
    assert all(row["placed"][0] > 4 << 20 and sum(row["placed"]) >= row["table_bytes"] for row in there), there
    said = [line for line in there[-1]["warnings"] if "lie on other nodes than asked; by node:" in line]
    assert [line.split()[2] for line in said] == ["insert", "find"], there[-1]["warnings"]


# Lines through a pipe


def test_a_script_gets_plain_lines() -> None:
    script = "topology --json\nbench table --ops 20K --cores 1,2 --json; help exit\n\nexit\n"
    ended = mxk("--cores", "2", typed=script)
    assert ended.code == 0, ended.output + ended.complaint
    assert "mxk>" not in ended.output
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", ended.output), "no control characters but line ends"
    assert [row.get("benchmark", "topology") for row in ended.rows] == ["topology", "table", "table"]
    assert "usage: exit" in ended.output


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("", 0),
        ("help exit\n", 0),
        ("help exit", 0),
        ("help exit\r\n", 0),
        ("bogus\nhelp exit\n", 1),
        ("bogus\nexit\n", 1),
        ("exit\nbogus\n", 0),
        ("bogus", 1),
        ("help exit\ncrash assert\n", 3),
    ],
)
def test_the_end_of_a_script(script: str, code: int) -> None:
    ended = mxk(typed=script)
    assert ended.code == code
    assert ("usage: exit" in ended.output) == ("help exit" in script)


def test_a_line_too_long_is_refused_as_a_whole() -> None:
    ended = mxk(typed="topology " * 1000 + "\nhelp exit\n")
    assert ended.code == 1
    assert "error: expected lines of up to" in ended.output
    assert "cores" not in ended.output
    assert "usage: exit" in ended.output


def test_a_script_is_obeyed_line_by_line() -> None:
    with Piped() as program:
        program.says("help exit", "usage: exit")
        program.says("topology", "cores ")
        program.process.stdin.close()
        assert program.process.wait(30) == 0


def test_a_reader_that_leaves_early_causes_no_noise() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody_reads:
        done = subprocess.run(
            [linux_program(), "help; help; help"], stdout=nobody_reads, stderr=subprocess.PIPE, timeout=30
        )
    assert done.returncode in (1, -signal.SIGPIPE), "the output is lost, which is no success"
    assert b"PANIC" not in done.stderr


def test_output_that_cannot_be_written_is_no_success() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([linux_program(), "help"], stdout=full, stderr=subprocess.PIPE, timeout=30)
    assert done.returncode == 1
    assert b"standard output" in done.stderr


# Signals


class Piped:
    """The program on pipes, as a script starts it. A context: it never outlives the block, nor a minute."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [linux_program(), "--cores", "2", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.deadline = threading.Timer(60, self.process.kill)  # for a line that does not come
        self.deadline.start()

    def __enter__(self) -> "Piped":
        return self

    def __exit__(self, *_: object) -> None:
        self.deadline.cancel()
        self.process.kill()
        with self.process:  # closes the pipes, waits
            pass

    def says(self, line: str, expected: str) -> None:
        """Sends a line and waits for this answer."""
        self.process.stdin.write(line + "\n")
        while answer := self.process.stdout.readline():
            if expected in answer:
                return
        pytest.fail(f"no '{expected}' before the end of the output")

    def is_warned_of_sigint(self) -> bool:
        """Sends a SIGINT; whether the answer is what the next one will do, and not the program's end."""
        self.process.send_signal(signal.SIGINT)
        return any("once more ends the program" in line for line in self.process.stderr)


def test_the_second_sigint_kills() -> None:
    with Piped() as program:
        program.says("help exit", "usage: exit")  # from now on its handlers are there
        program.process.stdin.write("hang\n")
        assert program.is_warned_of_sigint()
        # One that came before the command began was not meant for it: then the next is the first, and says so again.
        if program.is_warned_of_sigint():
            program.process.send_signal(signal.SIGINT)
        assert program.process.wait(30) == -signal.SIGINT


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_it_at_once(number: signal.Signals) -> None:
    with Piped() as program:
        program.says("help exit", "usage: exit")
        program.process.stdin.write("hang\n")
        program.process.send_signal(number)
        assert program.process.wait(30) == -number


def test_ctrl_c_ends_the_benchmark_that_was_given_and_fails() -> None:
    program = pexpect.spawn(linux_program(), ["--cores", "2", f"{ENDLESS}; help exit"], encoding="utf-8", timeout=30)
    program.expect(r"measuring \d+ %")
    program.sendintr()
    program.expect_exact("interrupted by Ctrl-C")
    program.expect_exact("usage: exit")
    program.expect(pexpect.EOF)
    program.close()
    assert (program.exitstatus, program.signalstatus) == (1, None)


# Keys on a terminal


class Terminal(AtPrompt):
    """The program at its prompt on a pseudo-terminal, under a shell that survives it."""

    def __init__(self) -> None:
        shell = f"read start; {linux_program()} --cores 2; echo status $?; read end"
        self.child = pexpect.spawn("/bin/sh", ["-c", shell], encoding="utf-8", timeout=30, dimensions=(24, 200))
        self.child.delaybeforesend = None
        self.before = termios.tcgetattr(self.child.child_fd)  # the master's are the terminal's
        self.child.send("\r")
        self.expect_prompt()

    def pid(self) -> int:
        """The program's process id: the shell's only child."""
        shell = self.child.pid
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text())

    def expect_end(self, status: int) -> None:
        """Waits for the end with this status, as a shell tells it; the terminal must be as it was."""
        self.child.expect(r"status (\d+)")
        assert int(self.child.match[1]) == status
        assert termios.tcgetattr(self.child.child_fd) == self.before

    def leave(self, status: int) -> None:
        """Types exit and expects this status."""
        self.child.send("exit\r")
        self.expect_end(status)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A console that is ended with the test."""
    console = Terminal()
    yield console
    console.child.close(force=True)


def test_the_prompt_takes_the_terminal_and_gives_it_back(terminal: Terminal) -> None:
    assert not termios.tcgetattr(terminal.child.child_fd)[3] & (termios.ECHO | termios.ICANON), "keys, not lines"
    terminal.obeys("topology", r"cores 2 ")
    terminal.leave(0)


EDITED = {
    "left and insert": "toplogy" + LEFT * 4 + "o",
    "backspace": "topologyxx" + BACKSPACE * 2,
    "ctrl-a": "opology" + CTRL_A + "t",
    "ctrl-e": "opolog" + CTRL_A + "t" + CTRL_E + "y",
    "ctrl-u": "rubbish" + CTRL_U + "topology",
    "ctrl-w": "topology rubbish" + CTRL_W,
    "ctrl-d deletes": "topologyx" + LEFT + CTRL_D,
    "tab": "topo\t",
}


def test_the_edited_line_is_the_one_obeyed(terminal: Terminal) -> None:
    for keys in EDITED.values():
        terminal.obeys(keys, r"cores 2 ")
    terminal.leave(0)


def test_history_up_and_down(terminal: Terminal) -> None:
    terminal.obeys("topology", r"cores 2 ")
    terminal.obeys("help exit", "usage: exit")
    terminal.obeys(UP + UP, r"cores 2 ")
    terminal.obeys(UP + UP + DOWN, r"cores 2 ")  # up: topology (again), help exit; down: topology
    terminal.leave(0)


def test_tab_completes_options_of_a_benchmark(terminal: Terminal) -> None:
    terminal.obeys("bench tab\t --cores 1 --op\t 10k --js\t", r'"verified":\s*true')
    terminal.leave(0)


def test_ctrl_c_clears_the_line(terminal: Terminal) -> None:
    terminal.child.send("rubbish" + CTRL_C)
    terminal.expect_prompt()
    terminal.obeys("topology", r"cores 2 ")
    terminal.leave(0)


def test_ctrl_c_ends_a_benchmark_and_returns_to_the_prompt(terminal: Terminal) -> None:
    terminal.child.send(f"{ENDLESS}\r")
    terminal.child.expect(r"measuring \d+ %")
    terminal.child.send(CTRL_C)
    terminal.child.expect_exact("interrupted by Ctrl-C")
    terminal.expect_prompt()
    terminal.obeys("topology", r"cores 2 ")
    terminal.leave(1)


def test_ctrl_d_on_an_empty_line_ends_it(terminal: Terminal) -> None:
    terminal.child.send(CTRL_D)
    terminal.expect_end(0)


def test_ctrl_d_after_a_failed_command_does_not_hide_it(terminal: Terminal) -> None:
    terminal.obeys("bogus", "unknown command")
    terminal.child.send(CTRL_D)
    terminal.expect_end(1)


@pytest.mark.parametrize("kind", ["assert", "null", "other-core"])
def test_a_panic_gives_the_terminal_back(terminal: Terminal, kind: str) -> None:
    terminal.child.send(f"crash {kind}\r")
    terminal.child.expect_exact("PANIC on core")
    terminal.expect_end(3)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_gives_the_terminal_back(terminal: Terminal, number: signal.Signals) -> None:
    program = terminal.pid()
    os.kill(program, number)
    if number == signal.SIGINT:  # one is a request; the second one means it
        terminal.child.expect_exact("once more ends the program")
        os.kill(program, number)
    terminal.expect_end(128 + number)


def test_rows_on_a_terminal_are_whole_lines(terminal: Terminal) -> None:
    terminal.child.send("bench table --ops 20K --cores 1,2 --json\r")
    terminal.child.expect(r"\n")
    terminal.expect_prompt()
    rows = [json.loads(line) for line in terminal.child.before.splitlines() if line.startswith('{"')]
    assert [row["cores"] for row in rows] == [1, 2]
    terminal.leave(0)


# The width of the terminal

TABLE = "bench table --cores 1,2 --ops 10K --repeat 3"


def rows_at(columns: int) -> list[str]:
    """Heading and rows of a measurement on a terminal of that width."""
    program = pexpect.spawn(linux_program(), [TABLE], encoding="utf-8", timeout=30, dimensions=(24, columns))
    program.expect(pexpect.EOF)
    lines = re.sub(r"run [^\r]*\r|\x1b\[K|\r", "", program.before).splitlines()
    heading = next(at for at, line in enumerate(lines) if line.startswith(" cores mix"))
    return [line.rstrip() for line in lines[heading:] if re.match(r" +(cores|\d+) ", line)]


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (200, ["seconds", "min", "95 % interval", "per core", "speed-up"]),
        (80, ["min - max", "95 % interval", "speed-up"]),
        (70, ["M ops/s", "95 % interval", "speed-up"]),
    ],
)
def test_rows_fit_the_terminal(columns: int, shown: list[str]) -> None:
    heading, *rows = rows_at(columns)
    assert len(rows) == 2
    assert max(map(len, [heading, *rows])) <= columns
    assert [name for name in shown if name not in heading] == []
    assert all(row.endswith("  yes") for row in rows)
    assert ("per core" in heading) == (columns == 200)
    assert ("min" in heading) == (columns >= 80)


def test_a_pipe_has_all_columns() -> None:
    assert "per core speed-up" in mxk(TABLE).output

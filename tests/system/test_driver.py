"""The driver's parts that decide: stream, verdict, rows, accelerator; and the whole driver around a QEMU of our own, a
shell script that ends as told. No kernel is run."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from helpers import DRIVER, ENDS, ROOT, Ended, drive
from mxk_host.commands import command_text, grub_menu, kernel_for
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.machine import Accelerator, choose_accelerator
from mxk_host.results import judge_rows
from mxk_host.runner import run_captured
from mxk_host.shape import split_evenly
from mxk_host.stream import Line, Progress, SerialStream, json_row

SERIAL = b"banner\r\nmxk> bench\r\n\r\x1b[Kstep 1\r\x1b[Kstep 2\r\x1b[K\x1b[1mdone\x1b[0m\r\nmxk> "


@pytest.mark.parametrize("size", [1, 2, 3, 7, len(SERIAL)])
def test_stream_is_the_same_in_pieces_of_any_size(size: int) -> None:
    stream = SerialStream()
    parts = [part for i in range(0, len(SERIAL), size) for part in stream.feed(SERIAL[i : i + size])]
    assert parts == [
        Line("banner"),
        Line("mxk> bench"),
        Progress("step 1"),
        Progress("step 2"),
        Line("done"),
    ]
    assert stream.pending == "mxk> "


def test_only_whole_json_lines_are_rows() -> None:
    assert json_row('{"benchmark":"table"}') == {"benchmark": "table"}
    assert json_row('{"benchmark":') is None
    assert json_row("cores 4") is None


def test_every_row_must_be_verified() -> None:
    assert judge_rows([{"verified": True}]).code is ExitCode.SUCCESS
    assert judge_rows([]).code is ExitCode.COMMAND_FAILED
    assert judge_rows([{"verified": True}, {"verified": False}]).code is ExitCode.COMMAND_FAILED
    assert judge_rows([{"cores": 1}]).code is ExitCode.COMMAND_FAILED


def test_cpus_are_split_evenly() -> None:
    assert split_evenly(5, 2) == [range(3), range(3, 5)]
    assert split_evenly(4, 4) == [range(1), range(1, 2), range(2, 3), range(3, 4)]


def test_grub_gets_the_commands_as_one_literal_argument() -> None:
    assert "multiboot2 /boot/mxk.elf 'run=a; b $c; exit'\n" in grub_menu("a; b $c; exit")


@pytest.mark.parametrize(
    ("commands", "kernel"),
    [
        ("", "mxk.elf"),
        ("topology; describe test", "mxk.elf"),
        ("test", "mxk-test.elf"),
        ("topology; test topology; exit", "mxk-test.elf"),
        ("testify; exit", "mxk.elf"),
        ("bench addition --json", "mxk-test.elf"),
    ],
)
def test_the_kernel_with_tests_is_booted_where_they_are_asked_for(commands: str, kernel: str) -> None:
    assert kernel_for(commands) == kernel
    assert f"multiboot2 /boot/{kernel}" in grub_menu(commands)


def test_a_trace_goes_to_either_loader(tmp_path: Path) -> None:
    trace = tmp_path / "a.trace"
    trace.write_text("mxk-trace 1\nfind 7\n")
    by_qemu = drive("run", "--dry-run", "--trace", str(trace), "--", "a").output
    assert f"-initrd {trace} -append 'run=\"a; exit\" module-name=a.trace'" in by_qemu
    by_grub = drive("run", "--dry-run", "--boot", "iso", "--trace", str(trace), "--", "a")
    assert "-initrd" not in by_grub.output
    menu = "insmod all_video; multiboot2 /boot/mxk.elf 'run=a; exit'; module2 --nounzip /boot/module a.trace"
    assert f"run.iso is to be a copy of mxk.iso whose grub.cfg says: {menu}\n" in by_grub.complaint
    by_network = drive("run", "--dry-run", "--boot", "pxe", "--trace", str(trace), "--", "a")
    assert f"run is to be a copy of pxe whose grub.cfg says: {menu}\n" in by_network.complaint


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("no such file", None, "--trace: expected a file, got "),
        ("two words", b"x", "--trace: expected a file name of up to 64 letters, digits and . _ + -, got two words"),
        ("empty", b"", "--trace: expected 1 to 2147483648 bytes, which a loader can bring, got 0"),
    ],
)
def test_what_no_loader_can_bring(tmp_path: Path, name: str, content: bytes | None, complaint: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    ended = drive("run", "--dry-run", "--trace", str(tmp_path / name))
    assert ended.code == 2
    assert complaint in ended.complaint


@pytest.mark.parametrize(
    ("flags", "present", "chosen"),
    [
        ("fpu vmx", True, Accelerator.KVM),
        ("fpu svm", True, Accelerator.KVM),
        ("fpu", True, Accelerator.TCG),
        ("vmx", False, Accelerator.TCG),
    ],
)
def test_auto_uses_kvm_only_where_hardware_has_it(
    tmp_path: Path, flags: str, present: bool, chosen: Accelerator
) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor : 0\nflags\t\t: {flags}\n")
    device = tmp_path / "kvm"
    if present:
        device.touch()
    assert choose_accelerator(Accelerator.AUTO, tmp_path / "cpuinfo", device) is chosen


def test_kvm_without_the_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--accel kvm"):
        choose_accelerator(Accelerator.KVM, kvm=tmp_path / "kvm")


@pytest.fixture
def fake_path(tmp_path: Path) -> str:
    """A PATH on which QEMU is a script: it writes SERIAL (printf format) and ends with STATUS, or never."""
    script = tmp_path / "qemu-system-x86_64"
    script.write_text('#!/bin/sh\nprintf "$SERIAL"\n[ "$STATUS" = never ] && exec sleep 60\nexit "$STATUS"\n')
    script.chmod(0o755)
    return f"{tmp_path}:{os.environ['PATH']}"


def fake_run(path: str, log: Path, status: str, serial: str, *options: str) -> Ended:
    arguments = ["run", "--no-build", "--log", str(log), *options, "topology"]
    return drive(*arguments, PATH=path, STATUS=status, SERIAL=serial)


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize(("status", "code", "reason"), ENDS)
def test_exit_code_tells_how_the_run_ended(fake_path: str, tmp_path: Path, status: str, code: int, reason: str) -> None:
    log = tmp_path / "serial.log"
    ended = fake_run(fake_path, log, status, r"mxk> topology\r\n\r\033[K10 %%\r\033[K2 nodes\r\n", "--timeout", "2")
    assert ended.code == code
    assert ended.output == "mxk> topology\n2 nodes\n", "lines end in LF, and progress is dropped"
    assert b"10 %" in log.read_bytes(), "the log is raw"
    assert reason in ended.complaint
    assert ended.complaint.count("\n") == (1 if code else 0)


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ending_the_driver_ends_qemu(fake_path: str, tmp_path: Path, number: signal.Signals, code: int) -> None:
    environment = {**os.environ, "PATH": fake_path, "STATUS": "never", "SERIAL": r"up\r\n"}
    arguments = [DRIVER, "run", "--no-build", "--log", str(tmp_path / "log"), "topology"]
    driver = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert driver.stdout is not None
    assert driver.stdout.readline() == "up\n"
    started = time.monotonic()
    driver.send_signal(number)
    _, complaint = driver.communicate(timeout=20)  # QEMU holds the other end of stdout: this waits for an orphan, too
    assert f"ended by {number.name}" in complaint
    assert driver.returncode == code
    assert time.monotonic() - started < 10


@pytest.mark.usefixtures("images")
def test_bench_without_rows_fails(fake_path: str) -> None:
    ended = drive("bench", "--no-build", "--", "topology", PATH=fake_path, STATUS="33", SERIAL=r"2 nodes\r\n")
    assert ended.code == 1
    assert "no JSON row" in ended.complaint


def test_a_signal_while_the_child_starts_leaves_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    children = []
    popen = subprocess.Popen

    def interrupted_popen(*arguments: Any, **options: Any) -> "subprocess.Popen[bytes]":  # noqa: ANN401
        children.append(popen(*arguments, **options))
        signal.raise_signal(signal.SIGINT)
        return children[0]

    monkeypatch.setattr(subprocess, "Popen", interrupted_popen)
    with pytest.raises(DriverError, match="ended by SIGINT"):
        run_captured(["sleep", "1000"], tmp_path / "log", 60, lambda _: None)
    assert children[0].returncode == -signal.SIGKILL


@pytest.mark.parametrize("path", [None, ":/nowhere"])
@pytest.mark.parametrize(
    "command",
    ["tools/mxk --help", "tests/fuzz/run --help", "tools/docs_lines.py", "tests/fuzz/seeds.py"],
)
def test_modules_of_the_folder_in_which_one_works_are_not_run(tmp_path: Path, command: str, path: str | None) -> None:
    for module in {*sys.stdlib_module_names, "mxk_host", "typer", "rich", "numpy", "seeds", "sitecustomize"}:
        (tmp_path / f"{module}.py").write_text("raise SystemExit('the wrong module')\n")
    environment = {**os.environ, "PYTHONPATH": path} if path else None
    program, *options = command.split()
    line = [ROOT / program, *options]
    ended = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "the wrong module" not in ended.stdout + ended.stderr
    assert ended.returncode in (0, 1), ended.stderr  # the pages' own errors are another test's


def test_no_module_is_named_where_the_folder_in_which_one_works_has_a_say() -> None:
    files = [ROOT / "Makefile", ROOT / ".ci/run", *(ROOT / "tools").glob("*"), *ROOT.rglob("*.cmake")]
    started = [
        line
        for file in files
        if file.is_file() and not file.is_relative_to(ROOT / "build")
        for line in file.read_text().splitlines()
        if re.search(r"python\S* (-\S+ )*-[mc]\b", line)
    ]
    assert len(started) > 3
    assert not [line for line in started if not re.search(r"python\S* -[PI] ", line)]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("topology # what it is; test", "topology; exit"),
        ("# nothing", ""),
        ("describe a#b", "describe a#b; exit"),
        ("version;#x", "version; exit"),
    ],
)
def test_a_comment_does_not_hide_the_exit_that_is_added(typed: str, expected: str) -> None:
    assert command_text([typed]) == expected

"""The kernel in Bochs, which is strict where QEMU lets things pass and sets no hypervisor's bit: the paths of a bare
machine. One boot for each processor: xAPIC with the timer that counts, x2APIC with the timer by time stamps."""

import re
from pathlib import Path

import pytest

from helpers import drive, kernel_tests, run_mxk
from mxk_host import bochs
from mxk_host.errors import ExitCode

needs_bochs = pytest.mark.skipif(bool(bochs.missing()), reason="needs Bochs: tools/setup --machines")

TESTS = "interrupts topology threads.a_task threads.preemption_changes threads.soak_briefly"


@needs_bochs
@pytest.mark.usefixtures("images")
@pytest.mark.parametrize(("model", "apic", "frequency"), [("ryzen", "x", None), ("skylake-x", "x2", "3500.000")])
def test_threads_are_preempted_and_a_table_is_verified(
    tmp_path: Path, model: str, apic: str, frequency: str | None
) -> None:
    machine = ["--emulator", "bochs", "--model", model, "--cpus", "2"]
    commands = f"topology; test {TESTS}; bench table --ops 2k --cores 1,2 --json"
    ended = run_mxk(tmp_path / "log", machine, commands, seconds=200)
    assert f"cores: 2 of 2 run, 1 nodes, {apic} APIC" in ended.output
    verdicts, (passed, failed, skipped) = kernel_tests(ended)
    assert (passed, failed, skipped) == (len(verdicts), 0, 0)
    assert {"interrupts.every_core_has_its_timer", "threads.soak_briefly"} < verdicts.keys()
    assert [(row["cores"], row["verified"]) for row in ended.rows] == [(1, True), (2, True)]
    assert ended.rows[0]["machine"]["hypervisor"] == ""
    measured = re.search(r"^clock: TSC at (50\.0\d+|49\.9\d+) MHz \(HPET\)", ended.output, re.MULTILINE)
    assert measured is not None, "the clock that Bochs was told"
    warned = re.search(r"WARN clock: CPUID 16h says (\S+) MHz of the TSC, HPET measures", ended.output)
    assert (warned[1] if warned else None) == frequency


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--nodes", "2"], "expected one node and no tables with --emulator bochs"),
        (["--cpus", "9"], "expected --cpus up to 8"),
        (["--mem", "4G"], "expected --mem up to 2048M"),
        (["--qemu", "-S"], "expected neither --qemu nor --trace"),
    ],
)
def test_what_bochs_cannot_be_is_refused(options: list[str], expected: str) -> None:
    ended = drive("run", "--emulator", "bochs", *options, "--", "topology")
    assert (ended.code, expected in ended.complaint) == (ExitCode.USAGE, True), ended.complaint


def test_what_bochs_cannot_do_is_refused() -> None:
    console = drive("run", "--emulator", "bochs")
    assert (console.code, "expected commands" in console.complaint) == (ExitCode.USAGE, True), console.complaint
    model = drive("run", "--model", "ryzen", "--", "topology")
    assert (model.code, "expected --emulator bochs" in model.complaint) == (ExitCode.USAGE, True), model.complaint

"""The kernel in Bochs, which is strict where QEMU lets things pass and sets no hypervisor's bit: the paths of a bare
machine. One boot for each processor: xAPIC with the timer that counts, x2APIC with the timer by time stamps."""

import re
from pathlib import Path

import pytest

from helpers import drive, kernel_tests, run_mxk
from mxk_host import bochs
from mxk_host.errors import ExitCode

needs_bochs = pytest.mark.skipif(bool(bochs.missing()), reason="needs Bochs: tools/setup machines")

TESTS = "interrupts topology threads.a_task threads.preemption_changes threads.soak_with_all_parts_briefly"


@needs_bochs
@pytest.mark.usefixtures("images")
@pytest.mark.parametrize(("model", "apic", "frequency"), [("ryzen", "x", None), ("skylake-x", "x2", "3500.000")])
@pytest.mark.long(reason="Bochs interprets each instruction")
def test_threads_are_preempted_and_a_table_is_verified(
    tmp_path: Path, model: str, apic: str, frequency: str | None
) -> None:
    machine = ["--emulator", "bochs", "--model", model, "--cpus", "2"]
    commands = f"topology; test {TESTS}; bench table --ops 2k --cores 1,2 --json"
    ended = run_mxk(tmp_path / "log", machine, commands, seconds=200)
    assert f"cores: 2 of 2 run, 1 nodes, {apic} APIC" in ended.output
    verdicts, (passed, failed, skipped) = kernel_tests(ended)
    assert (passed, failed, skipped) == (len(verdicts), 0, 0)
    assert {"interrupts.every_core_has_its_timer", "threads.soak_with_all_parts_briefly"} < verdicts.keys()
    assert [(row["cores"], row["verified"]) for row in ended.rows] == [(1, True), (2, True)]
    assert ended.rows[0]["machine"]["hypervisor"] == ""
    conditions = ended.rows[0]["conditions"]
    if model == "skylake-x":
        assert (conditions["smis"], conditions["max_gap_ns"]) == (0, None), "the model has MSR_SMI_COUNT"
    else:
        assert conditions["smis"] is None, "Bochs has no performance counters"
        assert 0 < conditions["max_gap_ns"] < 20_000
    measured = re.search(r"^clock: TSC at (50\.0\d+|49\.9\d+) MHz \(HPET\)", ended.output, re.MULTILINE)
    assert measured is not None, "the clock that Bochs was told"
    warned = re.search(r"WARN clock: CPUID 16h says (\S+) MHz of the TSC, HPET measures", ended.output)
    assert (warned[1] if warned else None) == frequency


SET = "clock: the firmware has set the TSCs of cores differently: IA32_TSC_ADJUST of 1 cores (APIC id 1: 1000000) was"
CORRECTED = "clock: the TSCs of 1 cores were ahead of core 0's by up to 100."
NO_ADJUST = "it cannot be set without IA32_TSC_ADJUST, which is not there"


@needs_bochs
@pytest.mark.usefixtures("images")
@pytest.mark.parametrize(
    ("model", "fault", "expected"),
    [
        ("skylake-x", "adjust:1000000", SET),
        ("skylake-x", "skew:5000", CORRECTED),
        ("ryzen", "skew:5000", NO_ADJUST),
    ],
)
@pytest.mark.long(reason="Bochs interprets each instruction")
def test_time_stamp_counters_that_differ_are_set_or_warned_of(
    tmp_path: Path, model: str, fault: str, expected: str
) -> None:
    machine = ["--emulator", "bochs", "--model", model, "--cpus", "2", "--word", f"tsc-fault={fault}"]
    ended = run_mxk(tmp_path / "log", machine, "topology", seconds=200)
    warnings = [line for line in ended.output.splitlines() if line.startswith("WARN clock: ")]
    assert sum(expected in line for line in warnings) == 1, ended.output
    skew = re.search(r"^clock: TSC skew to core 0 is largest on core 1: (\S+) us", ended.output, re.MULTILINE)
    if expected is NO_ADJUST:
        assert skew is None, "it is off"
    else:
        assert skew is not None
        assert abs(float(skew[1])) < 1.5


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

"""The kernel in QEMU 10 (tools/setup machines), which emulates an x2APIC: the kernel's own tests with it, and
more cores than an xAPIC can name."""

import re
from pathlib import Path

import pytest

from helpers import HAS_QEMU10, WAYS, check_kernel_tests, drive, kernel_tests, run_mxk
from mxk_host.machine import MACHINES

pytestmark = [
    pytest.mark.usefixtures("images"),
    pytest.mark.skipif(not HAS_QEMU10, reason=f"no QEMU 10 in {MACHINES}: tools/setup machines"),
]
QEMU10 = ["--emulator", "qemu10"]


@pytest.mark.parametrize("boot", WAYS.values(), ids=WAYS)
@pytest.mark.long(reason="firmware and boot loader run emulated")
def test_every_way_to_boot(tmp_path: Path, boot: list[str]) -> None:
    shape = [*QEMU10, *boot, "--cpus", "2", "--nodes", "2"]
    ended = run_mxk(tmp_path / "log", shape, "bench table --ops 20k --cores 2 --json")
    assert "cores: 2 of 2 run, 2 nodes, x2 APIC" in ended.output
    assert [row["verified"] for row in ended.rows] == [True]


# The whole of them; QEMU 7.2 runs them but for those of benchmarks where this one can be had (test_boot.py).
@pytest.mark.long(reason="all tests inside, on four emulated cores")
def test_the_kernels_tests_pass_with_an_x2apic(tmp_path: Path) -> None:
    ended = run_mxk(tmp_path / "log", [*QEMU10, "--cpus", "4", "--nodes", "2"], "test", seconds=400)
    assert "cores: 4 of 4 run, 2 nodes, x2 APIC" in ended.output
    assert check_kernel_tests(ended)["threads.a_task_is_not_preempted"] == "PASS"  # the timer of another core


def test_the_apics_stay_in_xapic_mode_on_request(tmp_path: Path) -> None:
    options = [*QEMU10, "--cpus", "4", "--word", "apic=xapic"]
    ended = run_mxk(
        tmp_path / "log", options, "test interrupts topology threads.a_task processor; bench table --ops 20K --json"
    )
    assert "cores: 4 of 4 run, 1 nodes, x APIC" in ended.output
    assert "WARN apic" not in ended.output
    verdicts, (passed, failed, skipped) = kernel_tests(ended)
    assert (passed, failed, skipped) == (len(verdicts), 0, 0)
    assert "processor.a_register_that_is_not_there_is_nothing" in verdicts
    assert all(row["verified"] for row in ended.rows)


@pytest.mark.long(reason="300 emulated cores")
def test_three_hundred_cores_boot_and_are_shown_in_a_few_lines(tmp_path: Path) -> None:
    options = [*QEMU10, "--cpus", "300", "--nodes", "2", "--mem", "2G"]
    ended = run_mxk(tmp_path / "log", options, "topology; bench table --ops 30K --cores 1,300 --json", seconds=300)
    assert "cores: 300 of 300 run, 2 nodes, x2 APIC" in ended.output
    shown = ended.after("topology")
    assert len(shown.splitlines()) < 30
    assert max(map(len, shown.splitlines())) < 160
    apics = re.findall(r"^ +apic +(\S+)$", shown, re.MULTILINE)
    assert apics == ["0-149", "150-299"]
    rows = ended.rows
    assert [(row["cores"], row["verified"]) for row in rows] == [(1, True), (300, True)]


def test_more_cores_than_an_emulator_has_are_refused() -> None:
    told = drive("run", "--dry-run", *QEMU10, "--cpus", "4097")
    assert (told.code, "expected --cpus between 1 and 4096, got 4097" in told.complaint) == (2, True)

"""The simulator itself: the kernel's own benchmark, in QEMU 10 with the plugin, measures what the machine's file
says."""

import re

import pytest

from helpers import HAS_QEMU10, drive
from mxk_host.simulate.machine_file import read_machine

pytestmark = [
    pytest.mark.skipif(not HAS_QEMU10, reason="no QEMU 10: tools/setup --machines"),
    pytest.mark.usefixtures("images"),
]
MACHINE = "test-2x2"  # 1 GHz: a cycle is a nanosecond
COMMAND = "bench memory --part latency --max 2Mi --repeat 1"
ROW = re.compile(r"^ +([\d.]+ [KM]iB) +([\d.]+) .* yes", re.MULTILINE)


def simulated() -> dict[str, float]:
    """Nanoseconds per load, by working set."""
    ended = drive("simulate", "--machine", MACHINE, "--no-build", "--", COMMAND, timeout=240)
    assert ended.code == 0, ended.output + ended.complaint
    return {size: float(nanoseconds) for size, nanoseconds in ROW.findall(ended.output)}


def test_latencies_are_those_of_the_machine_and_the_same_in_every_run() -> None:
    measured = simulated()
    sections = read_machine(MACHINE, None).sections
    expected = {
        "8 KiB": sections["l1"]["latency_cycles"],
        "64 KiB": sections["l2"]["latency_cycles"],
        "512 KiB": sections["l3"]["latency_cycles"],
        "2 MiB": sections["memory"]["latency_ns"][0][0],
    }
    assert {size: measured[size] for size in expected} == pytest.approx(expected, rel=0.03)
    assert simulated() == measured

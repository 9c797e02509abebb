"""Non-maskable interrupts at random moments: of a panic, whose report stays whole, and of a run, which ends in a panic
that says what it was. The machine is booted once, and goes back to its prompt (a snapshot) for each."""

import random
import re
import time
from pathlib import Path

import pytest
from saved_machine import END, booted

pytestmark = pytest.mark.usefixtures("images")

MOMENTS = 100

# What is typed, what is awaited then, for how many seconds from there on the NMI may come, and what is reported.
RUNS = {
    "panic": ("crash assert", rb"PANIC", 0.01, rb"crash assert: an assertion that does not hold\r\n  at tests/soak/"),
    "run": (
        "bench table --ops 40M",
        rb"table: chained",
        0.1,
        rb"non-maskable interrupt \(exception 2\)\r\n  its source is not told: the NMI button",
    ),
}


@pytest.mark.parametrize("moment", RUNS)
def test_an_nmi_at_any_moment_leaves_one_whole_report_and_the_end_of_a_panic(tmp_path: Path, moment: str) -> None:
    command, begun, seconds, what = RUNS[moment]
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    with booted(tmp_path) as machine:
        for _ in range(MOMENTS):
            machine.go_back()
            machine.line.sendall(command.encode() + b"\r")
            machine.expect(begun)
            time.sleep(draw.uniform(0, seconds))
            machine.monitor.obey("inject-nmi")
            machine.expect(re.escape(END))
            report = machine.said
            assert report.count(b"PANIC") == 1, report.decode(errors="replace")
            assert re.search(rb"PANIC on core [01]: " + what, report), report.decode(errors="replace")
            assert re.search(rb"  rip [0-9a-f]{16}.*  backtrace:\r\n +0x[0-9a-f]{16} .*\+0x", report, re.DOTALL), (
                report.decode(errors="replace")
            )

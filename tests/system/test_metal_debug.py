"""The kernel with its checks, in QEMU: the order of locks is checked, and tests delay cores between the steps of
lock-free protocols (base/inject.hpp). Its build takes five minutes of a processor: only with MXK_LONG_TESTS, or where
somebody has made it."""

import os
from pathlib import Path

import pytest

from helpers import ROOT, check_kernel_tests, drive

PRESET = "metal-debug"
IS_MADE = (ROOT / "build" / PRESET / "build.ninja").is_file()


@pytest.mark.skipif(
    "MXK_LONG_TESTS" not in os.environ and not IS_MADE, reason=f"{PRESET} was not built, and MXK_LONG_TESTS is not set"
)
@pytest.mark.long(reason="may build a kernel, and runs it with delays, emulated")
def test_locks_that_adapt_and_mappings_hold_with_delays(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    rooms = "test adaptive mapping bench_mapping"
    options = ["--cpus", "4", "--nodes", "2", "--mem", "512M", "--timeout", "200", "--log", log]
    ended = drive("run", *options, "--", rooms, timeout=1200, MXK_METAL_PRESET=PRESET)
    assert ended.code == 0, ended.output + ended.complaint
    verdicts = check_kernel_tests(ended)
    assert verdicts["mapping.nothing_stale_is_used_while_the_granularity_of_its_locks_changes"] == "PASS"
    assert verdicts["adaptive.visits_exclude_each_other_while_the_state_changes"] == "PASS"

"""What the system tests share: the images are built once before the first test that boots one, in any worker; what each
test takes of the processors is kept for tools/slowest, and what was skipped for tools/skips."""

import json
import resource
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from mxk_host import image
from mxk_host.building import BUILD
from mxk_host.commands import KERNEL_WITH_TESTS
from mxk_host.machine import Boot


@pytest.fixture(scope="session")
def images() -> None:
    """What can be booted is up to date. The build takes a lock, so that workers of pytest-xdist do not collide."""
    for boot in Boot:
        image.build(boot)
    image.build(Boot.KERNEL, KERNEL_WITH_TESTS)


TIMES = BUILD / "test-times.jsonl"
SKIPS = BUILD / "test-skips.jsonl"


def pytest_configure(config: pytest.Config) -> None:
    """Says what the tests' own marker is."""
    config.addinivalue_line("markers", "long(reason): takes more than 20 processor seconds, and why")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Times are those of one run; its workers, if it has any, start later."""
    if not hasattr(session.config, "workerinput"):
        TIMES.unlink(missing_ok=True)
        SKIPS.unlink(missing_ok=True)


def _add_line(file: Path, line: dict[str, object]) -> None:
    file.parent.mkdir(exist_ok=True)
    with file.open("a") as lines:  # short lines of several workers stay whole
        lines.write(json.dumps(line) + "\n")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keeps what was skipped for tools/skips; with pytest-xdist in the worker."""
    if report.skipped and not hasattr(report, "node") and isinstance(report.longrepr, tuple):
        _add_line(SKIPS, {"test": report.nodeid, "reason": report.longrepr[2].removeprefix("Skipped: ")})


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Counts what the test and the programs that it ran, and that ended, have taken; fixtures are not the test's."""
    before = _processor_seconds()
    try:
        return (yield)
    finally:
        mark = item.get_closest_marker("long")
        reason = mark.kwargs["reason"] if mark else ""
        line = {"test": item.nodeid, "seconds": round(_processor_seconds() - before, 2), "reason": reason}
        _add_line(TIMES, line)

"""What the system tests share: the images are built once before the first test that boots one, in any worker."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from mxk_host import image
from mxk_host.commands import KERNEL_WITH_TESTS
from mxk_host.machine import Boot


@pytest.fixture(scope="session")
def images() -> None:
    """What can be booted is up to date. The build takes a lock, so that workers of pytest-xdist do not collide."""
    for boot in Boot:
        image.build(boot)
    image.build(Boot.KERNEL, KERNEL_WITH_TESTS)

"""Groups of Python packages (tools/requirements): installed into build/venv when something first needs them."""

import filecmp
import importlib
import os
import subprocess
import sys
from collections.abc import Iterable

from mxk_host.building import BUILD, ROOT
from mxk_host.errors import DriverError, ExitCode

ENVIRONMENT = BUILD / "venv"
REQUIREMENTS = ROOT / "tools/requirements"


def prepare(groups: Iterable[str]) -> None:
    """Sees to it that these can be imported. Nothing is installed with SETUP=no, or into another environment than
    build/venv: then what is missing shows when it is imported."""
    if sys.prefix != str(ENVIRONMENT) or os.environ.get("SETUP") == "no":
        return
    missing = [group for group in groups if not is_there(group)]
    if not missing:
        return
    ended = subprocess.run([ROOT / "tools/setup", *missing], stdout=2, check=False)  # which standard error is
    if ended.returncode != 0:
        raise DriverError("expected what `tools/setup` could not install (above)", ExitCode.USAGE)
    importlib.invalidate_caches()


def is_there(group: str) -> bool:
    """Whether build/venv has what the group's file lists now."""
    stamp = ENVIRONMENT / f".{group}"
    return stamp.is_file() and filecmp.cmp(stamp, REQUIREMENTS / f"{group}.txt", shallow=False)

"""What starting a program by an implementation of MPI takes: its starter, whether that is there, and what the ranks get
of the caller's environment."""

import os
import shutil
from enum import StrEnum
from pathlib import Path

from mxk_host.errors import UsageError

MAX_RANKS = 256
# What a rank gets of the caller's environment: nothing that changes how an MPI works.
KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR")


class Mpi(StrEnum):
    """An implementation of MPI."""

    OPENMPI = "openmpi"
    MPICH = "mpich"

    @property
    def starter(self) -> str:
        """Its mpirun, by Debian's name for it, so that it does not matter which one the system prefers."""
        return f"mpirun.{self}"

    @property
    def package(self) -> str:
        """Debian's package with the starter."""
        return {Mpi.OPENMPI: "openmpi-bin", Mpi.MPICH: "mpich"}[self]

    @property
    def starter_options(self) -> list[str]:
        """Open MPI counts processors, and does not like to be run by root; a rank is not bound to a processor, since
        there may be fewer."""
        return ["--oversubscribe", "--allow-run-as-root", "--bind-to", "none"] if self is Mpi.OPENMPI else []

    def check(self, program: Path, target: str) -> None:
        """Raises where the starter is not installed, or the program, which `make target` builds, is not there."""
        if shutil.which(self.starter) is None:
            raise UsageError(f"expected {self.starter} to be installed (Debian: {self.package}): tools/setup does it")
        if not program.is_file():
            raise UsageError(f"expected the program {program}: make {target} builds it first")


def check_ranks(ranks: int) -> None:
    """Raises for a number of ranks that there cannot be."""
    if not 1 <= ranks <= MAX_RANKS:
        raise UsageError(f"expected --ranks from 1 to {MAX_RANKS}, got {ranks}")


def kept_environment(*more: str) -> dict[str, str]:
    """The caller's variables that are passed on, and `more`."""
    return {name: os.environ[name] for name in (*KEPT_VARIABLES, *more) if name in os.environ}

"""Functions by name: the symbols of the program that was recorded, as `nm` lists them."""

import subprocess
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from mxk_host.errors import UsageError
from mxk_host.image import BUILD, METAL
from mxk_host.machine import expect_installed
from mxk_host.timeline.recording import Recording

METAL_PLATFORM = "metal"
_ANONYMOUS = "(anonymous namespace)"


@dataclass
class Names:
    """Functions of one program."""

    load_offset: int = 0
    addresses: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def of(self, address: int) -> str:
        """The function's, or its address."""
        if address == 0:
            return "begun before"
        at = bisect_right(self.addresses, address - self.load_offset)
        return self.names[at - 1] if at else hex(address)


def without_parameters(name: str) -> str:
    """A function's name without parameters, and without the result, which the names of templates have in front."""
    kept, parentheses, angles = "", 0, 0
    rest = name.replace(_ANONYMOUS, "{anonymous}").replace("operator()", "call")
    for at, each in enumerate(rest):
        parentheses += each == "("
        if parentheses == 0:
            angles += (each == "<") - (each == ">")
            ends_result = each == " " and angles == 0 and not rest.startswith((" const", " [clone"), at)
            kept = "" if ends_result else kept + each
        parentheses -= each == ")"
    return kept


def default_program(recording: Recording) -> Path:
    """Where the build puts the program that this recording is of."""
    return METAL / "mxk.elf.debug" if recording.platform == METAL_PLATFORM else BUILD / "linux" / "mxk"


def names_of(recording: Recording, program: Path | None) -> tuple[Names, list[str]]:
    """The names, and what is wrong with them: then there are none, since they would be other functions'."""
    path = program or default_program(recording)
    if not path.is_file():
        recorded = f"{recording.platform}, build {recording.build}"
        complaint = f"expected the program that was recorded ({recorded}), got {path}"
        if program is not None:
            raise UsageError(f"--program: {complaint}")
        return Names(), [f"functions have no names: {complaint} (--program)"]
    if recording.build.encode() not in path.read_bytes():
        return Names(), [f"functions have no names: {path} is not of the build {recording.build} (--program)"]
    expect_installed("nm")
    listed = subprocess.run(
        ["nm", "--demangle", "--defined-only", "--numeric-sort", str(path)], capture_output=True, text=True, check=False
    )
    names = Names(recording.load_offset)
    for line in listed.stdout.splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tTwW":
            names.addresses.append(int(address, 16))
            names.names.append(without_parameters(name))
    if not names.names:
        return names, [f"functions have no names: {path} has no symbols (--program)"]
    return names, []

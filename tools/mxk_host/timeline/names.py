"""Functions by name: the symbols of the program that was recorded."""

from dataclasses import dataclass
from pathlib import Path

from mxk_host import files
from mxk_host.errors import UsageError
from mxk_host.image import BUILD, METAL
from mxk_host.simulate.symbols import Symbols
from mxk_host.timeline.recording import Recording

METAL_PLATFORM = "metal"
_ANONYMOUS = "(anonymous namespace)"


@dataclass
class Names:
    """Functions of one program."""

    load_offset: int = 0
    symbols: Symbols | None = None

    def of(self, address: int) -> str:
        """The function's, or its address."""
        if address == 0:
            return "begun before"
        function = self.symbols.function_at(address - self.load_offset) if self.symbols else None
        return without_parameters(self.symbols.readable(function)) if self.symbols and function else hex(address)


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
    if recording.build.encode() not in files.read_bytes(path, "the program that was recorded"):
        return Names(), [f"functions have no names: {path} is not of the build {recording.build} (--program)"]
    try:
        symbols = Symbols(path)
    except UsageError as error:
        return Names(), [f"functions have no names: {error} (--program)"]
    symbols.prepare(symbol for symbol in symbols.every if symbol.is_function)
    return Names(recording.load_offset, symbols), []

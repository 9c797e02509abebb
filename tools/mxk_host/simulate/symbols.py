"""What stands where in the kernel: functions and data by their names, from the symbol table of the image or of the
debug file beside it. Nothing is computed twice: tables are read once, and names are made readable only where they are
shown."""

import struct
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from mxk_host.errors import UsageError
from mxk_host.files import expecting, reading
from mxk_host.image import shown

_ENTRY = struct.Struct("<IBBHQQ")  # Elf64_Sym: name, info, other, section, value, size
_OBJECT, _FUNCTION = 1, 2
_UNDEFINED = 0


@dataclass(frozen=True)
class Symbol:
    """A function or a variable, as the linker calls it."""

    linked: str
    address: int
    size: int
    is_function: bool


class Symbols:
    """The symbol table of a kernel."""

    def __init__(self, image: Path) -> None:
        """Reads that of the image or, where it has none, that of the debug file it names. Raises if neither has one."""
        self.path = _with_symbols(image)
        with _as_kernel(self.path) as elf:
            every = [symbol for symbol in _read(elf) if symbol.address]
        self.every = every  # functions and variables, in the order of the table
        self._readable: dict[str, str] = {}

    def starting_with(self, linked: str) -> list[Symbol]:
        """Functions whose linker's name begins so: that of a C++ function says its arguments behind its name."""
        return [symbol for symbol in self.every if symbol.is_function and symbol.linked.startswith(linked)]

    def function_at(self, address: int) -> Symbol | None:
        """That which has this address in it."""
        return _at(self._functions, address)

    def data_at(self, address: int) -> Symbol | None:
        """The same for variables."""
        return _at(self._data, address)

    def data_in(self, begin: int, end: int) -> list[Symbol]:
        """Variables of which a part lies in this range."""
        _, symbols = self._data
        return [symbol for symbol in symbols if symbol.address < end and symbol.address + max(symbol.size, 1) > begin]

    def readable(self, symbol: Symbol) -> str:
        """As it stands in the source."""
        if symbol.linked not in self._readable:
            self.prepare([symbol])
        return self._readable[symbol.linked]

    def prepare(self, symbols: Iterable[Symbol]) -> None:
        """Makes many names readable at once, which takes as long as one."""
        wanted = list(dict.fromkeys(it.linked for it in symbols if it.linked not in self._readable))
        if wanted:
            self._readable |= dict(zip(wanted, _demangled(wanted), strict=True))

    @cached_property
    def _functions(self) -> tuple[list[int], list[Symbol]]:
        return _sorted(symbol for symbol in self.every if symbol.is_function)

    @cached_property
    def _data(self) -> tuple[list[int], list[Symbol]]:
        return _sorted(symbol for symbol in self.every if not symbol.is_function and symbol.size)


@contextmanager
def _as_kernel(image: Path) -> Iterator[ELFFile]:
    what = f"{shown(image)} to be a kernel"
    with reading(image, "a kernel") as file, expecting(what):
        try:
            yield ELFFile(file)
        except (ELFError, OverflowError, struct.error) as error:
            raise UsageError(f"expected {what}: {error}") from error


def _with_symbols(image: Path) -> Path:
    with _as_kernel(image) as elf:
        if elf.get_section_by_name(".symtab") is not None:
            return image
        link = elf.get_section_by_name(".gnu_debuglink")
        named = link.data().split(b"\0", 1)[0].decode() if link is not None else ""
    debug = image.with_name(named) if named else image.with_name(f"{image.name}.debug")
    if not debug.is_file():
        raise UsageError(f"expected {shown(debug)}, the debug file of {shown(image)}: leave out --no-build")
    return debug


def _read(elf: ELFFile) -> Iterator[Symbol]:
    """Not by ELFFile's own symbols, which take a second for as many as a kernel has."""
    table = elf.get_section_by_name(".symtab")
    if table is None:
        return
    names = elf.get_section(table["sh_link"]).data()
    for name, info, _, section, value, size in _ENTRY.iter_unpack(table.data()):
        if section != _UNDEFINED and info & 15 in (_OBJECT, _FUNCTION):
            text = names[name : names.index(b"\0", name)].decode(errors="replace")
            yield Symbol(text, value, size, info & 15 == _FUNCTION)


def _sorted(symbols: Iterable[Symbol]) -> tuple[list[int], list[Symbol]]:
    ordered = sorted(symbols, key=lambda symbol: (symbol.address, symbol.size))
    return [symbol.address for symbol in ordered], ordered


def _at(table: tuple[list[int], list[Symbol]], address: int) -> Symbol | None:
    addresses, symbols = table
    place = bisect_right(addresses, address) - 1
    if place < 0:
        return None
    symbol = symbols[place]
    # Functions of assembly language have no size.
    return symbol if address < symbol.address + symbol.size or (symbol.is_function and not symbol.size) else None


def _demangled(names: list[str]) -> list[str]:
    """By binutils' c++filt; as they are where that is not installed."""
    try:
        done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return names
    lines = done.stdout.split("\n")
    return lines[: len(names)] if len(lines) >= len(names) else names

"""Turns `nm --demangle --numeric-sort` (stdin) into the kernel's symbol table as NASM source (stdout).

Layout, read by arch/x86_64/exceptions/symbol_table.cpp: the number of functions; per function its address, counted
from the kernel's virtual base, and where its name begins; then the names, each ended by a zero byte. Runs on plain
Python 3.
"""

import re
import sys

KERNEL_BASE = 0xFFFF_FFFF_8000_0000
MAX_NAME_LENGTH = 96


def shorten(name: str) -> str:
    """Drops the parameter list, which a backtrace line has no room for, and cuts the rest."""
    name = name.replace("(anonymous namespace)", "{anonymous}")
    name = re.sub(r"\(.*", "", name) or name
    return name[:MAX_NAME_LENGTH]


def main() -> None:
    functions: dict[int, str] = {}
    for line in sys.stdin:
        address, kind, name = line.rstrip("\n").split(" ", 2)
        if kind in "tTwW" and int(address, 16) >= KERNEL_BASE:
            functions.setdefault(int(address, 16) - KERNEL_BASE, shorten(name))
    print("section .symbols progbits alloc noexec nowrite align=8")
    print("global symbol_count, symbol_entries, symbol_names")
    print(f"symbol_count: dq {len(functions)}")
    print("symbol_entries:")
    position = 0
    for offset, name in functions.items():
        print(f"dd {offset}, {position}")
        position += len(name.encode()) + 1
    print("symbol_names:")
    for name in functions.values():
        print("db " + ",".join(str(byte) for byte in name.encode()) + ",0")


if __name__ == "__main__":
    main()

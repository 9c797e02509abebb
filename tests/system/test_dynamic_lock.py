"""What a visit under a disabled dynamic lock is compiled to (bench/adaptive/guarded_sections.cpp): the way without a
lock has no atomic instruction. And that `bench adaptive ipc` makes its sections right."""

import re
from pathlib import Path

import pytest
from test_read_section import KERNEL, KERNEL_SYMBOLS, instructions

from helpers import linux_program

ATOMIC = re.compile(r"\block\b|fence|cpuid|xchg.*\(")


def check_way_without_lock(function: str, program: Path, symbols: Path) -> None:
    """What stands before the first return is the loop; where a lock has to be taken, it leaves that."""
    whole = instructions(function, program, symbols)
    loop = whole[: whole.index("ret")]
    assert [it for it in loop if "imul" in it], loop
    assert not [it for it in loop if ATOMIC.search(it)], loop
    assert [it for it in whole if ATOMIC.search(it)], "the lock beneath stands behind it"


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize("function", ["mxk_sections_dynamic", "mxk_sections_dynamic_mcs", "mxk_sections_cascade"])
def test_a_disabled_lock_is_no_atomic_instruction_in_the_kernel(function: str) -> None:
    check_way_without_lock(function, KERNEL, KERNEL_SYMBOLS)


@pytest.mark.parametrize("function", ["mxk_sections_dynamic", "mxk_sections_dynamic_mcs", "mxk_sections_cascade"])
def test_a_disabled_lock_is_no_atomic_instruction_in_the_linux_program(function: str) -> None:
    program = Path(linux_program())
    check_way_without_lock(function, program, program)

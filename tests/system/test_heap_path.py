"""What an allocation and a free on a task's own core are compiled to (bench/heap/own_way.cpp): the ways without a
call have no lock, no atomic instruction and no more than some thirty others."""

import re
from pathlib import Path

import pytest
from test_read_section import KERNEL, KERNEL_SYMBOLS, instructions

from helpers import linux_program

ATOMIC = re.compile(r"\block\b|fence|cpuid|xchg.*\(")
MAX_INSTRUCTIONS = 36  # of a way: the class of the size, the magazine, the object; of a free its owner, too


def check_own_way(function: str, program: Path, symbols: Path) -> None:
    whole = instructions(function, program, symbols)
    way = whole[: whole.index("ret")]  # what is rare stands behind it
    assert not [it for it in way if ATOMIC.search(it) or "call" in it], way
    assert len(way) <= MAX_INSTRUCTIONS, way
    assert [it for it in way if re.match(r"(dec|sub|add|inc|lea)", it)], "the magazine's count changes"


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize("function", ["mxk_heap_allocate", "mxk_heap_deallocate"])
def test_the_own_way_is_without_lock_and_atomic_in_the_kernel(function: str) -> None:
    check_own_way(function, KERNEL, KERNEL_SYMBOLS)


@pytest.mark.parametrize("function", ["mxk_heap_allocate", "mxk_heap_deallocate"])
def test_the_own_way_is_without_lock_and_atomic_in_the_linux_program(function: str) -> None:
    program = Path(linux_program())
    check_own_way(function, program, program)

"""What a read section of RCU is compiled to (tests/kernel/rcu_read_cost_test.cpp), as it stands in what was built."""

import re
import subprocess
from pathlib import Path

import pytest

from helpers import ROOT, linux_program

KERNEL = ROOT / "build/metal/mxk-test.elf"
KERNEL_SYMBOLS = KERNEL.with_suffix(".elf.debug")  # the kernel itself has none


def instructions(function: str, program: Path, symbols: Path) -> list[str]:
    """The function's instructions, without their addresses and without what the disassembler remarks."""
    table = subprocess.run(["nm", "-S", symbols], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"^([0-9a-f]+) ([0-9a-f]+) T {function}$", table, re.MULTILINE)
    assert found is not None, f"expected {symbols} to have a function {function}"
    start, size = int(found[1], 16), int(found[2], 16)
    limits = [f"--start-address={start:#x}", f"--stop-address={start + size:#x}"]
    done = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", *limits, program], capture_output=True, text=True, check=True
    )
    lines = re.findall(r"^ *[0-9a-f]+:\t(.+?)(?: *[#<].*)?$", done.stdout, re.MULTILINE)
    assert lines, f"expected instructions of {function}:\n{done.stdout}"
    return [" ".join(line.split()) for line in lines]


@pytest.mark.usefixtures("images")
def test_a_section_of_a_task_is_no_instruction_in_the_kernel() -> None:
    bare = instructions("mxk_read_bare", KERNEL, KERNEL_SYMBOLS)
    assert instructions("mxk_read_in_task", KERNEL, KERNEL_SYMBOLS) == bare
    assert len(bare) >= 3, "two loads and a return"


def test_a_section_of_a_task_is_no_instruction_in_the_linux_program() -> None:
    program = Path(linux_program("mxk-test"))
    bare = instructions("mxk_read_bare", program, program)
    assert instructions("mxk_read_in_task", program, program) == bare
    assert len(bare) >= 3, "two loads and a return"


@pytest.mark.usefixtures("images")
def test_a_section_of_a_thread_is_two_instructions_and_a_branch_in_the_kernel() -> None:
    whole = instructions("mxk_read_nothing_in_thread", KERNEL, KERNEL_SYMBOLS)
    way = whole[: whole.index("ret") + 1]  # what is run unless the thread was preempted in the section
    enter, leave, branch, end = way
    word = re.fullmatch(r"addl \$0x2,(%gs:0x[0-9a-f]+)", enter)
    assert word is not None, enter
    assert leave == f"subl $0x2,{word[1]}"
    assert re.fullmatch(r"j[bc] 0x[0-9a-f]+", branch), branch
    assert end == "ret"
    for function in ("mxk_read_nothing_in_thread", "mxk_read_in_thread"):
        section = instructions(function, KERNEL, KERNEL_SYMBOLS)
        assert [it for it in section if "%gs" in it] == [enter, leave]
        assert not [it for it in section if re.search(r"\block\b|fence|xchg|cpuid", it)]

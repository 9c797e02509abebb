"""The console commands of a run, and how they reach the kernel's command line, through QEMU or through GRUB."""

import re
from collections.abc import Sequence

from mxk_host.errors import UsageError

MAX_LINE = 4095  # characters: what the option ROM that QEMU starts a PVH kernel with has room for, and no check of it
KERNEL, KERNEL_WITH_TESTS = "mxk.elf", "mxk-test.elf"
_NEEDS_TESTS = re.compile(r"(^|;)\s*(test\b|bench addition\b)|\bpatient-ticket\b")  # what tests/kernel registers
_ENDING = re.compile(r"(^|;)\s*(exit|reboot)\s*;?\s*$")


def command_text(words: list[str]) -> str:
    """One text of commands, separated by `;`, that ends the machine; empty when there are none."""
    text = re.sub(r"(^|[ ;])#.*", r"\1", " ".join(words)).strip()  # a comment would hide what is added behind it
    if re.search(r"""["'\\]|[^ -~]""", text):
        raise UsageError(
            "expected commands of printable ASCII without quotes and backslashes, which GRUB would rewrite"
        )
    if not text or _ENDING.search(text):
        return text
    return f"{text.rstrip('; ')}; exit"


def kernel_for(commands: str) -> str:
    """The kernel that has all these commands: the one with the tests inside only where they are asked for."""
    return KERNEL_WITH_TESTS if _NEEDS_TESTS.search(commands) else KERNEL


def checked_words(words: Sequence[str]) -> tuple[str, ...]:
    """Options of the kernel's command line, each NAME=VALUE without spaces."""
    for word in words:
        if not re.fullmatch(r"[a-z][a-z-]*=[!-~]+", word) or re.search(r"""["'\\;]""", word):
            raise UsageError(f"expected --word NAME=VALUE without spaces, quotes and semicolons, got '{word}'")
    return tuple(words)


def kernel_command_line(commands: str, module: str | None = None, words: Sequence[str] = ()) -> str:
    """What QEMU's -append hands over. `module`: the name of what its -initrd brings, which has none by itself. `words`:
    what else the line says."""
    name = f"module-name={module}" if module else ""
    line = " ".join(filter(None, (f'run="{commands}"' if commands else "", name, *words)))
    if len(line) > MAX_LINE:
        raise UsageError(
            f"expected commands that make a command line of up to {MAX_LINE} characters, all that QEMU hands over; "
            f"got {len(line)}: make several runs of them"
        )
    return line


def grub_menu(commands: str, module: str | None = None, words: Sequence[str] = ()) -> str:
    """A grub.cfg that boots at once. GRUB hands an argument with spaces over in double quotes: "run=a; b". `module`:
    the name of the file beside the kernel that it is to bring."""
    argument = "".join(f" '{word}'" for word in (*([f"run={commands}"] if commands else []), *words))
    bring = f"module2 --nounzip /boot/module {module}\n" if module else ""
    return f"insmod all_video\nmultiboot2 /boot/{kernel_for(commands)}{argument}\n{bring}boot\n"

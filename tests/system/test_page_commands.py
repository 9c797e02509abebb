"""The commands that README and docs show can be typed: MXK's `check` reads those of the console, the command line of
tools/mxk its own, and the tests that are named are there. Nothing is run."""

import re
import shlex
import subprocess

import click
import typer

from helpers import ROOT, linux_program, run_linux
from mxk_host import cli

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Not to be typed as it stands: `call NAME`, `bench table ...`, `[--long]`; what is loaded: test_own.py.
PLACEHOLDER = re.compile(r"\bown-|\b[A-Z]{2,}\b|\b[NAB]\b|\.\.\.|…|[|<>\[]")
# A command of the console and of tools/mxk; this is the latter's.
OF_TOOLS = ("trace show", "trace convert", "trace replay")
# What HelenOS runs, and the name of a thread.
OF_OTHERS = ("chtbench 3", "workq system")
NOT_CHECKED = ("call", "mcall", "check")  # of call: test_inspection.py
# What is given to MXK in a line for the shell.
QUOTED = re.compile(r"(?:build/linux/mxk\S*|tools/mxk (?:run|simulate|bench)) .*?'([^']+)'")


BLOCK = re.compile(r"^ *```\w*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def lines() -> list[str]:
    """Lines of the pages' blocks, without prompt and comment: commands, and what they print."""
    blocks = [block for page in PAGES for block in BLOCK.findall(page.read_text())]
    return [re.sub(r"^\$ | #.*", "", line).strip() for block in blocks for line in block.splitlines()]


def spans() -> list[str]:
    """What is set as code within a sentence."""
    return [span for page in PAGES for span in re.findall(r"`([^`\n]+)`", BLOCK.sub("", page.read_text()))]


def console_commands() -> list[str]:
    """Those of the console, without a program before them."""
    names = set(re.findall(r"^  (\S+) ", run_linux("help", name="mxk-test").output, re.MULTILINE))
    assert {"bench", "test", "topology"} <= names
    quoted = [command for text in lines() + spans() for command in QUOTED.findall(text)]
    typed = [line.removeprefix("mxk> ") for line in lines() if line.startswith("mxk> ")]
    found = []
    for text in quoted + typed + [span for span in spans() if "'" not in span]:
        for command in text.split(";"):
            words = command.split()
            if words and words[0] in names and words[0] not in NOT_CHECKED:
                found.append(" ".join(words))
    found = [command for command in found if not command.startswith((*OF_TOOLS, *OF_OTHERS))]
    return sorted({command for command in found if not PLACEHOLDER.search(command)})


def test_the_commands_of_the_console_can_be_typed() -> None:
    # An option at the end, without its value, is only named.
    commands = [command for command in console_commands() if not re.search(r" --[\w-]+$", command)]
    assert len(commands) > 150
    wrong = {}
    for command in commands:
        program = "mxk-peers" if re.search(r"peer|\bck-", command) else "mxk-test"
        start = [linux_program(program), f"check {command}"]
        done = subprocess.run(start, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            wrong[command] = done.stdout.strip()
    assert not wrong, "\n".join(f"{typed}: {said}" for typed, said in wrong.items())


def test_tests_that_are_named_are_there() -> None:
    names = [
        ".".join(found)
        for file in ROOT.rglob("tests/kernel/**/*.cpp")
        for found in re.findall(r"^MXK_\w*TEST\w*\((\w+),\s*(\w+)", file.read_text(), re.MULTILINE)
    ]
    assert len(names) > 400
    named = [command for command in console_commands() if command.startswith("test ")]
    assert len(named) > 10
    # Words behind an option are its value, or a test's beginning.
    begun = {word for command in named for word in re.sub(r"--(seed|repeat) \S+", "", command).split()[1:]}
    assert [
        word for word in begun if not word.startswith("--") and not any(name.startswith(word) for name in names)
    ] == []


def leaf_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command of tools/mxk that these words name, and what is behind its name."""
    command = typer.main.get_command(cli.app)
    while isinstance(command, click.Group):
        command, words = command.commands[words[0]], words[1:]
    return command, words


def test_the_commands_of_tools_can_be_typed() -> None:
    commands = sorted({line.split(" >")[0] for line in lines() + spans() if re.match(r"tools/mxk [a-z]", line)})
    assert len(commands) > 60
    wrong = {}
    for line in commands:
        command, words = leaf_of(shlex.split(line)[1:])
        try:
            command.make_context(line, words)
        except click.exceptions.Exit:  # --help
            pass
        except click.MissingParameter as error:
            if line in lines():  # within a sentence it is only named
                wrong[line] = error.format_message()
        except click.BadParameter as error:
            if "does not exist" not in str(error):
                wrong[line] = error.format_message()
        except click.UsageError as error:
            wrong[line] = error.format_message()
    assert not wrong, "\n".join(f"{typed}: {said}" for typed, said in wrong.items())

"""What tools/lint remembers of clang-tidy: a source is judged again if anything has changed that it depends on."""

import importlib.util
import json
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from helpers import ROOT


class Tree:
    """A tree of two sources, one of which includes a header, which includes another one; what clang-tidy was given."""

    def __init__(self, folder: Path, lint: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.lint = folder, lint
        self.judged: list[str] = []
        self.complaint = ""
        for name, text in (
            (".clang-tidy", "Checks: '*'\n"),
            ("base/a.cpp", '#include "base/a.hpp"\n'),
            ("base/a.hpp", "#include <vector>\n#ifdef B\n#include <base/b.hpp>\n#endif\n"),
            ("base/b.hpp", ""),
            ("base/c.cpp", ""),
        ):
            self.write(name, text)
        self.command = f"g++ -I{folder} -O2 -c FILE"
        monkeypatch.setattr(lint, "ROOT", folder)
        monkeypatch.setattr(lint, "COMPILE_COMMANDS", (folder / "commands.json",))
        monkeypatch.setattr(lint, "tidy", self.tidy)
        monkeypatch.setattr(lint, "clean_folder", lambda: folder.parent / "clean")

    def write(self, name: str, text: str) -> None:
        """A file of the tree."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def tidy(self, batch: object) -> list[str]:
        """In place of clang-tidy."""
        self.judged += [str(file) for file in batch.files]
        return [self.complaint] if self.complaint else []

    def judge(self) -> list[str]:
        """The sources that clang-tidy is given now."""
        files = [self.folder / name for name in ("base/a.cpp", "base/c.cpp")]
        commands = [{"file": str(file), "command": self.command.replace("FILE", str(file))} for file in files]
        self.write("commands.json", json.dumps(commands))
        self.judged = []
        self.lint.check_tidy()
        return sorted(self.judged)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    loader = SourceFileLoader("mxk_lint", str(ROOT / "tools/lint"))
    lint = importlib.util.module_from_spec(importlib.util.spec_from_loader("mxk_lint", loader))
    monkeypatch.setitem(sys.modules, "mxk_lint", lint)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(lint)
    return Tree(tmp_path / "tree", lint, monkeypatch)


BOTH = ["base/a.cpp", "base/c.cpp"]


def test_what_has_not_changed_is_not_judged_again(tree: Tree) -> None:
    assert tree.judge() == BOTH
    assert tree.judge() == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [("base/a.cpp", BOTH[:1]), ("base/a.hpp", BOTH[:1]), ("base/b.hpp", BOTH[:1]), (".clang-tidy", BOTH)],
)
def test_what_depends_on_a_change_is(tree: Tree, name: str, expected: list[str]) -> None:
    tree.judge()
    before = (tree.folder / name).read_text()
    tree.write(name, before + "\n")
    assert tree.judge() == expected
    tree.write(name, before)
    assert tree.judge() == [], "what was there before was clean"


def test_other_arguments_are_another_judgement(tree: Tree) -> None:
    tree.judge()
    tree.command = tree.command.replace("-O2", "-DB")
    assert tree.judge() == BOTH


def test_what_something_is_found_in_is_judged_again(tree: Tree) -> None:
    tree.complaint = "wrong"
    assert tree.judge() == BOTH
    tree.complaint = ""
    assert tree.judge() == BOTH
    assert tree.judge() == []


def test_another_clone_knows_what_is_clean(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.judge()
    clone = Tree(tree.folder.with_name("clone"), tree.lint, monkeypatch)
    monkeypatch.setattr(tree.lint, "clean_folder", lambda: tree.folder.parent / "clean")
    assert clone.judge() == []

"""tools/compile: what one clone of the tree has compiled with Clang's precompiled headers, no other compiles again."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers import ROOT

CLANG = ("clang++-19", "-std=gnu++20", "-Xclang", "-fno-pch-timestamp", "-MD", "-MF", "d")


def clone(folder: Path, header: str) -> Path:
    """With a header that is precompiled as CMake does it."""
    (folder / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools/compile", folder / "tools")
    (folder / "header.hpp").write_text(header)
    (folder / "pch.hxx").write_text('#include "header.hpp"\n')
    (folder / "pch.hxx.cxx").write_text("")
    (folder / "a.cpp").write_text("int a() { return b; }\n")
    return folder


def misses(folder: Path) -> int:
    """How many of its two compilations are none that was met before."""
    environment = {**os.environ, "CCACHE_DIR": str(folder.parent / "cache")}

    def run(*words: str | Path) -> str:
        return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout

    def missed() -> int:
        return int(dict(line.split("\t") for line in run("ccache", "--print-stats").splitlines())["cache_miss"])

    before = missed()
    tool, pch = folder / "tools/compile", folder / "pch.hxx.pch"
    make = ("-Xclang", "-emit-pch", "-Xclang", "-include", "-Xclang", folder / "pch.hxx", "-x", "c++-header")
    run(tool, "ccache", *CLANG, *make, "-o", "pch.hxx.pch", "-c", folder / "pch.hxx.cxx")
    run(tool, "ccache", *CLANG, "-include-pch", pch, "-o", "a.o", "-c", folder / "a.cpp")
    return missed() - before


@pytest.mark.skipif(not shutil.which("ccache"), reason="ccache is not installed")
def test_a_second_clone_compiles_its_headers_and_nothing_else(tmp_path: Path) -> None:
    one = clone(tmp_path / "one", "inline int b = 1;\n")
    assert misses(one) == 2
    two = clone(tmp_path / "two", "inline int b = 1;\n")
    assert misses(two) == 1
    assert (one / "a.o").read_bytes() == (two / "a.o").read_bytes()
    assert misses(clone(tmp_path / "other", "inline int b = 2;\n")) == 2, "what the headers say counts"


def test_without_a_header_that_can_be_read_there_is_no_sum(tmp_path: Path) -> None:
    folder = clone(tmp_path / "with space", "")
    (folder / "pch.pch.sum").write_text("old")
    (folder / "d").write_text("pch.pch: \\\n  with\\ space.hpp\n")
    compiler = folder / "compiler"
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    line = [folder / "tools/compile", compiler, "-emit-pch", "-MF", "d", "-o", "pch.pch"]
    subprocess.run(line, cwd=folder, check=True)
    assert not (folder / "pch.pch.sum").exists()

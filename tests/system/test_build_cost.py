"""tools/build_cost over a small project, which needs nothing of the tree."""

import json
import re
import subprocess
from pathlib import Path

from helpers import ROOT

LISTS = "cmake_minimum_required(VERSION 3.20)\nproject(small CXX)\nadd_library(two {})\nadd_executable(other b.cpp)\n"
PRESETS = {"version": 3, "configurePresets": [{"name": "plain", "generator": "Ninja", "binaryDir": "build"}]}


def project(folder: Path, sources: str) -> Path:
    """Two sources, one of which takes long."""
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(LISTS.format(sources))
    (folder / "CMakePresets.json").write_text(json.dumps(PRESETS))
    (folder / "a.cpp").write_text('#include <regex>\nstd::regex a("b");\n')
    (folder / "b.cpp").write_text("int main() {}\n")
    return folder


def cost(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    line = [ROOT / "tools/build_cost", "--preset", "plain", "--jobs", "1", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_the_cost_is_that_of_the_objects_and_the_checkout_stays_as_it_was(tmp_path: Path) -> None:
    checkout = project(tmp_path / "new", "a.cpp b.cpp")
    ended = cost("--checkout", checkout, "--targets", "two", "--json")
    assert ended.returncode == 0, ended.stderr
    row = json.loads(ended.stdout)
    slow, quick = (row["objects"][f"CMakeFiles/two.dir/{name}.cpp.o"] for name in "ab")
    assert slow > quick > 0
    assert row["processor_seconds"] >= slow + quick
    assert row["wall_seconds"] > 0
    assert len(row["objects"]) == 2
    assert not (checkout / "build").exists()


def test_two_checkouts_stand_side_by_side(tmp_path: Path) -> None:
    new, old = project(tmp_path / "new", "b.cpp"), project(tmp_path / "old", "a.cpp b.cpp")
    ended = cost("--checkout", new, "--against", old, "--targets", "two", "--against-targets", "two,other")
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"^plain \(two, 1 jobs\) +new +old$", ended.stdout, re.MULTILINE)
    found = re.search(r"^  processor seconds +([\d.]+) +([\d.]+) +([\d.]+)$", ended.stdout, re.MULTILINE)
    assert found, ended.stdout
    assert float(found[3]) < 1
    assert re.search(r"^  objects +1\.0 +3\.0 +0\.333$", ended.stdout, re.MULTILINE)


def test_what_fails_is_said(tmp_path: Path) -> None:
    checkout = project(tmp_path / "new", "b.cpp")
    (checkout / "b.cpp").write_text("no program\n")
    ended = cost("--checkout", checkout, "--targets", "two")
    assert ended.returncode == 1
    assert "the build of" in ended.stderr
    assert "b.cpp:1" in ended.stderr

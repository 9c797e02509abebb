"""The pages for people: what they name exists, and the example that they show is the one that is built and runs."""

import re
from pathlib import Path

import docs_lines
import pytest

from helpers import ROOT, run_linux

EXAMPLE = "tests/kernel/addition_benchmark.cpp"


def test_what_the_pages_name_is_there() -> None:
    assert docs_lines.findings() == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("`tasks/nothing.cpp:7` `nothing`", "there is no such file"),
        ("`tasks/worker.cpp:7` `Worker::nothing`", "there is no such function"),
        ("`tasks/worker.cpp:2` `Worker::run`", "it begins in line"),
        ("`tasks/worker.cpp:7`", "expected a function's name"),
        ("`tasks/nothing.cpp`", "there is no such file"),
        ("`mxk/nothing.hpp`", "no such header is installed"),
        ("[a link](nothing.md)", "there is no such file"),
        ("[a link](tasks.md#nothing)", "there is no such heading"),
        ("| file | what |\n|---|---|\n| `nothing` | - |\n", "in a table of files"),
    ],
)
def test_what_is_not_there_is_found(text: str, complaint: str) -> None:
    checks = (docs_lines.check_lines, docs_lines.check_links, docs_lines.check_paths, docs_lines.check_tables)
    found = [finding for check in checks for finding in check("docs/page.md", text)]
    assert any(complaint in finding for finding in found), found


@pytest.mark.parametrize(
    "text",
    [
        "`tasks/worker.cpp` `tasks/` `arch/cpu.hpp` `boot/boot_info.*` `mxk/tasks/worker.hpp` `build/linux/mxk`",
        "[a link](tasks.md#queue) [another](https://example.org/nothing)",
        "| file | what |\n|---|---|\n| `worker`, `threads/` | - |\n",
    ],
)
def test_what_is_there_is_not_found(text: str) -> None:
    checks = (docs_lines.check_lines, docs_lines.check_links, docs_lines.check_paths, docs_lines.check_tables)
    assert [finding for check in checks for finding in check("docs/page.md", text)] == []


def test_a_function_is_found_by_its_class(tmp_path: Path) -> None:
    file = tmp_path / "file.hpp"
    file.write_text(
        "struct A {\n    void run() {\n    }\n};\nstruct B {\n    void run() {\n        other.run();\n    }\n};\n"
    )
    assert docs_lines.line_of(str(file), "A::run") == 2
    assert docs_lines.line_of(str(file), "B::run") == 6
    assert docs_lines.line_of(str(file), "C::run") is None


def test_the_example_of_a_benchmark_is_the_file_that_is_built() -> None:
    shown = re.findall(r"^```cpp\n(.*?)^```$", (ROOT / "docs/bench-frame.md").read_text(), re.MULTILINE | re.DOTALL)
    example = (ROOT / EXAMPLE).read_text()
    assert example in shown
    assert example.count("\n") <= 40


def test_the_example_of_a_benchmark_runs() -> None:
    ended = run_linux("--cores", "2", "bench addition --ops 1000 --cores 1/cores:1,0 --repeat 2 --warm-up 1 --json")
    assert [(row["core_ids"], row["verified"]) for row in ended.rows] == [([0], True), ([1, 0], True)]
    assert [row["throughput"]["n"] for row in ended.rows] == [2, 2]

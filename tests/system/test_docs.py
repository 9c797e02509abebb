"""The pages for people: what they name exists, and the example that they show is the one that is built and runs."""

import re
from pathlib import Path

import docs_lines
import pytest

from helpers import ROOT, run_linux
from mxk_host.compare import markdown
from mxk_host.compare.plan import CONFIGURATIONS

EXAMPLE = "tests/kernel/addition_benchmark.cpp"
LOCK_EXAMPLE = "tests/kernel/added_lock.cpp"


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


@pytest.mark.parametrize("page", ["CHANGELOG.md", "CONTRIBUTING.md"])
def test_links_of_other_pages_lead_somewhere(page: str) -> None:
    assert list(docs_lines.check_links(page, (ROOT / page).read_text())) == []


def test_the_version_is_the_same_everywhere() -> None:
    version = re.search(r"^project\(mxk VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    newest = re.search(r"^## \[(\d\S+)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE).groups()
    citation = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert newest == (version, citation["date-released"])
    assert citation["version"] == version
    assert (ROOT / "debian/changelog").read_text().startswith(f"mxk ({version}) ")
    pages = (name for name in docs_lines.files() if name.endswith((".md", "CMakeLists.txt")))
    wanted = {name: re.findall(r"find_package\(mxk ([\d.]+)", (ROOT / name).read_text()) for name in pages}
    minor = version.rpartition(".")[0]
    assert {name: found for name, found in wanted.items() if found and set(found) != {minor}} == {}
    assert wanted["README.md"] == wanted["examples/CMakeLists.txt"] == [minor]


def test_a_function_is_found_by_its_class(tmp_path: Path) -> None:
    file = tmp_path / "file.hpp"
    file.write_text(
        "struct A {\n    void run() {\n    }\n};\nstruct B {\n    void run() {\n        other.run();\n    }\n};\n"
    )
    assert docs_lines.line_of(str(file), "A::run") == 2
    assert docs_lines.line_of(str(file), "B::run") == 6
    assert docs_lines.line_of(str(file), "C::run") is None


def test_too_many_words_are_found() -> None:
    assert list(docs_lines.check_words({"a.md": "word " * docs_lines.MAX_WORDS})) == []
    (found,) = docs_lines.check_words({"a.md": "word " * (docs_lines.MAX_WORDS + 1), "b.md": "word"})
    assert found.startswith("a.md: ")
    many = docs_lines.MAX_WORDS_IN_ALL // docs_lines.MAX_WORDS + 1
    (found,) = docs_lines.check_words({f"{at}.md": "word " * docs_lines.MAX_WORDS for at in range(many)})
    assert found.startswith("all pages: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("// A thing. It does\n// more.\n#include <a>\n", "A thing."),
        ("// Of base/x.hpp: one\n// sentence. Two.\n", "Of base/x.hpp: one sentence."),
        ("#include <a>\n", ""),
        ('#!/usr/bin/env python3\n"""A tool:\nit works. More."""\nimport a\n', "A tool: it works."),
        ("; The entry. More.\nbits 32\n", "The entry."),
    ],
)
def test_the_first_sentence_of_a_file(text: str, said: str) -> None:
    assert docs_lines.first_sentence(text) == said


def test_the_files_of_a_folder_are_listed_with_what_they_are() -> None:
    listed = list(docs_lines.list_files("kernel/acpi"))
    assert any(line.startswith("kernel/acpi/srat.hpp: ") for line in listed)
    assert not any(line.startswith("kernel/acpi/srat.cpp") for line in listed), "the header's head says it"
    assert list(docs_lines.list_files("nothing")) == []


def test_what_pages_say_lists_files_does() -> None:
    pages = "".join(path.read_text() for path in docs_lines.PAGES)
    folders = set(re.findall(r"--files ([a-z][\w./]*)`", pages))
    assert "kernel/acpi" in folders or "arch" in folders
    assert [folder for folder in folders if not list(docs_lines.list_files(folder))] == []


def section(page: str, heading: str) -> str:
    """From this heading to the next one of a page in docs/."""
    return (ROOT / "docs" / page).read_text().partition(f"\n{heading}\n")[2].partition("\n## ")[0]


def test_every_configuration_of_the_comparison_is_explained() -> None:
    table = re.findall(r"^\| `(mxk-[^`]+)` \| ", section("tools-compare.md", "## Comparing"), re.MULTILINE)
    assert "`-growing`: begun with 1024 places" in section("tools-compare.md", "## Comparing")
    growing = [name for name in CONFIGURATIONS if name.endswith("-growing")]
    assert {name.removesuffix("-growing") for name in growing} <= set(table)
    assert sorted([*table, *growing]) == sorted(CONFIGURATIONS)


def test_as_many_look_ups_are_said_to_be_together_as_are() -> None:
    shared = ROOT / "hashtable/shared"
    together = {
        "mxk-concurrent-batch": (
            shared / "concurrent/concurrent_pairs.hpp",
            r"constexpr std::size_t together = (\d+);",
        ),
        "mxk-lines-batch": (shared / "concurrent_lines.hpp", r"constexpr std::size_t batch = (\d+);"),
    }
    for name, (file, pattern) in together.items():
        (number,) = re.findall(pattern, file.read_text())
        assert f", {number} look-ups together" in markdown.NAMES[name]
        assert re.search(
            rf"^\| `{name}` .* {number} look-ups under way together", section("tools-compare.md", "## Comparing"), re.M
        )


def test_the_benchmarks_that_are_said_to_be_those_of_chtbench_run() -> None:
    rows = section("bench-rcu.md", "## The benchmarks of chtbench").partition("\n\n| option")[0].splitlines()
    ran = {}
    for row in rows:
        for command in re.findall(r"`(bench [^`]+)`", row):
            short = command.replace("--ops 1M", "--ops 4K").replace("--cores 1,2,4", "--cores 1,2")
            short += " --keys 2K --ms 1" if " resize " in command else " --ms 1" if "--ops" not in command else ""
            ended = run_linux("--cores", "2", f"{short} --json", name="mxk-peers")
            assert ended.rows, command
            assert all(it["verified"] for it in ended.rows), command
            ran[command] = row
    # One semaphore for each core's region is no stripe of locks.
    striped = [command for command, row in ran.items() if "striped locks" in row.split("|")[1]]
    assert [re.findall(r"--(?:layout|peer) (\S+)", command)[0] for command in striped] == [
        "chained",
        "sharded-map,cuckoo",
    ]


def test_the_example_of_a_benchmark_is_the_file_that_is_built() -> None:
    shown = re.findall(r"^```cpp\n(.*?)^```$", (ROOT / "docs/bench-frame.md").read_text(), re.MULTILINE | re.DOTALL)
    example = (ROOT / EXAMPLE).read_text()
    assert example in shown
    assert example.count("\n") <= 40


def test_the_example_of_a_lock_is_the_file_that_is_built() -> None:
    shown = re.findall(r"^```cpp\n(.*?)^```$", (ROOT / "docs/locks.md").read_text(), re.MULTILINE | re.DOTALL)
    example = (ROOT / LOCK_EXAMPLE).read_text()
    assert example in shown
    assert example.count("\n") <= 60


def test_the_example_of_a_benchmark_runs() -> None:
    ended = run_linux("--cores", "2", "bench addition --ops 1000 --cores 1/cores:1,0 --repeat 2 --warm-up 1 --json")
    assert [(row["core_ids"], row["verified"]) for row in ended.rows] == [([0], True), ([1, 0], True)]
    assert [row["throughput"]["n"] for row in ended.rows] == [2, 2]


def test_the_kernel_is_as_large_as_is_said(images: None) -> None:
    said = re.search(r"kernel by TFTP \((\d+\.\d) MB\)", (ROOT / "docs/server.md").read_text())
    assert said
    size = (ROOT / "build/metal/pxe/boot/mxk.elf").stat().st_size
    assert float(said[1]) == pytest.approx(size / 1e6, rel=0.1)

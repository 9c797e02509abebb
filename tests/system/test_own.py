"""What a user wrote is measured by `mxk-peers --load` (docs/bench-own.md): the examples as they are, what is wrong,
and those that are none."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from helpers import LINUX_BUILD, ROOT, Ended, run_linux
from mxk_host.runs.command import command_of
from mxk_host.runs.log import Found
from mxk_host.runs.point import points_of

pytestmark = pytest.mark.skipif(not (LINUX_BUILD / "mxk-peers").exists(), reason="needs mxk-peers: make linux")

FEW = "--ops 20K --repeat 1 --warm-up 0 --json"


def compiled(source: Path, to: Path, *changes: tuple[str, str]) -> Path:
    """The shared object, as the page says how it is made, of a source in which these texts are replaced."""
    text = source.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    changed = to.with_suffix(".cpp")
    changed.write_text(text)
    line = ["g++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*line, "-I", str(ROOT / "peers/include"), str(changed), "-o", str(to)], check=True)
    return to


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> str:
    """All three, as `--load` takes them."""
    folder = tmp_path_factory.mktemp("own")
    names = ("table", "lock", "allocator")
    return ",".join(str(compiled(ROOT / f"examples/own/{name}.cpp", folder / f"own_{name}.so")) for name in names)


def run(files: str, command: str, code: int = 0) -> Ended:
    return run_linux("--cores", "2", "--load", files, command, name="mxk-peers", code=code)


@pytest.mark.parametrize(
    "options",
    ["--mix insert,find,erase", "--mix mixed:50/40/10 --dist zipf:0.99", "--workload ycsb-a", "--workload ycsb-f",
     "--mix insert,find --latency", "--mix insert,find --queue shared"],
)  # fmt: skip
def test_a_table_is_measured_beside_the_peers(examples: str, options: str) -> None:
    rows = run(examples, f"bench peer --peer own-table,sharded-map --cores 1,2 {options} {FEW}").rows
    assert {(row["peer"], row["cores"]) for row in rows} == {
        (peer, cores) for peer in ("own-table", "sharded-map") for cores in (1, 2)
    }
    assert all(row["verified"] for row in rows)
    own = next(row for row in rows if row["peer"] == "own-table")
    assert (own["kind"], own["library"]) == ("peer", "examples/own (2026)")
    assert own["machine"]["loaded"] == examples
    (point, *_) = points_of([Found(own, "")])
    assert command_of(point).startswith(f"build/linux/mxk-peers --load {examples} 'bench peer --peer own-table")


def test_a_lock_and_an_allocator_are_measured_beside_the_peers(examples: str) -> None:
    locks = run(examples, "bench lock ecsb --lock own-lock,std-mutex --fabric smp --cores 2 --repeat 1 --json").rows
    assert {row["lock"] for row in locks} == {"own-lock", "std-mutex"}
    heaps = run(examples, "bench heap micro --heap own-heap,glibc --cores 1 --ops 20K --repeat 1 --json").rows
    assert {row["heap"] for row in heaps} == {"own-heap", "glibc"}
    assert all(row["verified"] for row in locks + heaps)


def test_all_are_listed(examples: str) -> None:
    assert re.search(r"^own-table +peer +examples/own", run(examples, "bench peer --list").output, re.MULTILINE)
    assert "own-heap" in run(examples, "help bench heap micro").output


INSERT = "return part.pairs.emplace(key, value).second;"


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        (INSERT, f"return key % 64 != 0 && {INSERT[7:]}", "gave a wrong result"),
        ("sum += part.pairs.size();", "sum += part.pairs.size() + 1;", "keys are in the table and should be"),
        ("return found->second;", "return found->second + (key % 64 == 0);", "gave a wrong result"),
        (INSERT, f'if (key % 64 == 0) throw std::runtime_error("no more today");\n{INSERT}', "no more today"),
    ],
    ids=["inserts", "size", "values", "throws"],
)
def test_a_table_that_is_wrong_fails_its_row(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    with_errors = ("#include <array>", "#include <array>\n#include <stdexcept>")
    file = compiled(ROOT / "examples/own/table.cpp", tmp_path / "wrong.so", with_errors, (before, after))
    ended = run(str(file), f"bench peer --peer own-table,sharded-map --cores 2 --mix insert,find {FEW}", code=1)
    assert complaint in ended.output
    verified = {row["peer"]: row["verified"] for row in ended.rows}
    assert verified == {"own-table": False, "sharded-map": True}


def test_what_a_table_lacks_is_not_supported(tmp_path: Path) -> None:
    file = compiled(
        ROOT / "examples/own/table.cpp",
        tmp_path / "less.so",
        ("bool erase(", "bool erase_it("),
        ("bool upsert(", "bool upsert_it("),
    )
    rows = run(str(file), f"bench peer --peer own-table --cores 1 --mix insert,erase {FEW}").rows
    assert [row["supported"] for row in rows] == [True, False]
    assert rows[1]["reason"] == "it has no erase"
    (row, *_) = run(str(file), f"bench peer --peer own-table --cores 1 --workload ycsb-a {FEW}").rows
    assert (row["supported"], row["reason"]) == (False, "it overwrites no values")


def test_what_cannot_be_loaded_is_refused(tmp_path: Path, examples: str) -> None:
    def refused(files: object, complaint: str) -> None:
        assert complaint in run(str(files), "version", code=2).complaint

    table = ROOT / "examples/own/table.cpp"
    newer = tmp_path / "own.hpp"
    newer.write_text(
        (ROOT / "peers/include/mxk/own.hpp").read_text().replace("interface_version = 1", "interface_version = 2")
    )
    other = compiled(table, tmp_path / "other.so", ("<mxk/own.hpp>", f'"{newer}"'))
    refused(other, "expected version 1 of mxk/own.hpp, got 2")
    refused(tmp_path / "nowhere.so", "expected a shared object, got ")
    refused(tmp_path, "not a regular file")
    os.mkfifo(tmp_path / "pipe.so")
    refused(tmp_path / "pipe.so", "not a regular file")
    refused(newer, "expected a shared object: ")
    bare = compiled(
        table,
        tmp_path / "bare.so",
        ("MXK_OWN_TABLE(Table,", "[[maybe_unused]] constexpr auto kind = mxk::own::TableFunctions<Table>::kind("),
        ('shared_mutex")', 'shared_mutex");'),
    )
    refused(bare, "expected MXK_OWN_TABLE, MXK_OWN_LOCK or MXK_OWN_ALLOCATOR")
    first = examples.split(",")[0]
    refused(f"{first},{first}", "expected another name than own-table: there is such a table")
    known = compiled(table, tmp_path / "known.so", ('"own-table"', '"tbb-hash-map"'))
    refused(known, "expected another name than tbb-hash-map")
    many = [compiled(table, tmp_path / f"many{i}.so", ('"own-table"', f'"own-{i}"')) for i in range(5)]
    refused(",".join(map(str, many)), "expected up to 4 files with a table")
    refused("", "--load")
    ended = run_linux("--load", first, "version", name="mxk", code=2)
    assert "expected the program mxk-peers" in ended.complaint

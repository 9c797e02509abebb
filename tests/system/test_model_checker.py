"""What stands between sources and the model checker: `tests/model/instrument` copies them, and refuses what the checker
would not see."""

import re
import subprocess
from pathlib import Path

import pytest

from helpers import ROOT

INSTRUMENT = ROOT / "tests/model/instrument"


def instrumented(folder: Path, sources: str) -> subprocess.CompletedProcess[str]:
    """Runs it over a list of sources of its own; the copies are in the folder."""
    wanted = folder / "sources.toml"
    wanted.write_text(sources, encoding="utf-8")
    command = [INSTRUMENT, folder / "copies", "--sources", wanted]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ('[[source]]\nfile = "base/fence.hpp"\n', r"base/fence.hpp:\d+: asm, which the checker does not know"),
        (
            '[[source]]\nfile = "tasks/worker.hpp"\n',
            r"\S+:\d+: \S+, which the checker does not see: expected the file, which \S+ includes, in \S+",
        ),
        (
            '[[source]]\nfile = "base/push_stack.hpp"\nconstants = { capacity = "2" }\n',
            "base/push_stack.hpp: expected one constant capacity, found 0",
        ),
        (
            '[[source]]\nfile = "base/push_stack.hpp"\nplain = ["tail_"]\n',
            "base/push_stack.hpp: expected a member tail_",
        ),
        (
            '[[source]]\nfile = "base/push_stack.hpp"\ndisplay = ["count_"]\n',
            "base/push_stack.hpp: expected an atomic member count_",
        ),
        (
            '[[source]]\nfile = "base/push_stack.hpp"\n[outside]\n"base/log.hpp" = "no"\n',
            "base/log.hpp is outside, but nothing includes it",
        ),
    ],
)
def test_what_the_checker_would_not_see_is_an_error(tmp_path: Path, sources: str, message: str) -> None:
    run = instrumented(tmp_path, sources)
    assert run.returncode == 1
    assert re.fullmatch(f"instrument: {message}\n", run.stderr), run.stderr
    assert not (tmp_path / "copies").exists()


def test_a_copy_has_the_lines_of_its_source(tmp_path: Path) -> None:
    run = instrumented(tmp_path, '[[source]]\nfile = "base/push_stack.hpp"\n')
    assert (run.returncode, run.stderr) == (0, "")
    source = (ROOT / "base/push_stack.hpp").read_text(encoding="utf-8")
    copy = (tmp_path / "copies/base/push_stack.hpp").read_text(encoding="utf-8")
    begin, first, *lines = copy.splitlines()
    assert (begin, first) == ('#include "tests/model/atomic.hpp"', '#line 1 "base/push_stack.hpp"')
    assert len(lines) == len(source.splitlines())
    assert "::mxk::test::ModelAtomic</*" in lines[source[: source.index("std::atomic<T*>")].count("\n")].replace(
        " ", ""
    )
    assert copy.count("::mxk::test::model_condition(static_cast<bool>(") == 5


def test_conditions_in_each_syntax(tmp_path: Path) -> None:
    command = [INSTRUMENT, tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    names = ["superblock_pool", "small_bin", "core_heap"]
    pool, small, core = ((tmp_path / f"kernel/memory/heap/{name}.cpp").read_text(encoding="utf-8") for name in names)
    asks = "::mxk::test::model_condition(static_cast<bool>("
    assert "while (true) {" in pool  # decides nothing
    assert "while (SmallBlock* const block = list.first()) {" in small  # no place for a second condition
    assert re.search(rf"outgoing\.batch =\n +{re.escape(asks)}spent_ != nullptr\)\) \?", core)


def test_nothing_to_do_is_a_usage_error() -> None:
    run = subprocess.run([INSTRUMENT], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 2
    assert run.stderr.endswith("expected the folder of the copies\n")

"""docs/measured.md: figures of stored runs, written by `tools/mxk measured`. The runs are made up."""

from pathlib import Path

import pytest

from helpers import drive
from mxk_host import pages
from mxk_host.measured import put
from report_rows import all_kinds, as_lines, spread

MACHINE = {"cpu": "AMD EPYC 7451", "build": "0123456789 gcc"}


def stored(folder: Path, median: float, *, quiet: bool = True) -> str:
    """A run with one row of a table."""
    row = {"benchmark": "table", "layout": "bucketed", "mix": "find", "cores": 2, "throughput": spread(median)}
    folder.mkdir()
    (folder / "results.jsonl").write_text(as_lines([row | {"quiet": quiet, "verified": True, "machine": MACHINE}]))
    return str(folder)


def test_a_later_run_of_a_command_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    page = tmp_path / "measured.md"
    (command,) = put([stored(tmp_path / "20260101T000000.000Z", 5e6)], page)
    assert command.startswith("build/linux/mxk")
    first = page.read_text()
    assert f"## `{command}`" in first
    assert "mix find, cores 2|5.00 M ops/s|4.95|5.05|5||" in first
    assert "20260101T000000.000Z: AMD EPYC 7451, build 0123456789 gcc" in first
    assert put([stored(tmp_path / "20260102T000000.000Z", 7e6, quiet=False)], page) == [command]
    second = page.read_text()
    assert second.count("## `") == 1
    assert "|7.00~ M ops/s|" in second
    assert "5.00" not in second


def test_all_kinds_of_rows_have_a_place_and_the_rest_of_the_page_stays(tmp_path: Path) -> None:
    page = tmp_path / "measured.md"
    page.write_text(f"# Measured\n\nby hand\n\n{pages.place('compare: throughput')}")
    (tmp_path / "run.jsonl").write_text(as_lines(all_kinds()))
    ended = drive("measured", str(tmp_path / "run.jsonl"), "--page", str(page))
    assert ended.code == 0, ended.complaint
    text = page.read_text()
    assert text.startswith(
        "# Measured\n\nby hand\n\n<!-- compare: throughput -->\n<!-- end of compare: throughput -->\n"
    )
    assert len(ended.output.splitlines()) == text.count("<!-- measured: ")


@pytest.mark.parametrize("rows", ["", "nothing\n"])
def test_without_rows_nothing_is_written(tmp_path: Path, rows: str) -> None:
    (tmp_path / "run.jsonl").write_text(rows)
    ended = drive("measured", str(tmp_path / "run.jsonl"), "--page", str(tmp_path / "page.md"))
    assert ended.code == 2
    assert not (tmp_path / "page.md").exists()

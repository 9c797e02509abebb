"""The job of `tools/mxk report`: reads the runs, writes the page, prints it if asked to, and says where both are."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from mxk_host import files
from mxk_host.errors import UsageError
from mxk_host.groups import prepare
from mxk_host.image import shown
from mxk_host.report import machine_card
from mxk_host.report.machines import side_by_side
from mxk_host.report.page import page_of, points_of_runs
from mxk_host.report.summary import machine_title, machines_table
from mxk_host.runs.source import Run, expect_rows, read_runs, told_of

_NAME = "report.html"
_CARD = "machine-card"


def report(names: Sequence[str], *, output: Path | None, pdf: bool, card: bool = False) -> None:
    """Writes the page into the first run's folder, or where `output` says; or, in its place, the machine's card."""
    if card and pdf:
        raise UsageError("expected --machine-card without --pdf: it is a picture already")
    if pdf:
        prepare(("pdf",))
    found = read_runs(names)
    expect_rows(found)
    _tell_damages(found)
    runs, machines = side_by_side(found)
    page = output or runs[0].folder / (_CARD if card else _NAME)
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"expected {page} to be written: {error.strerror}") from error
    if card:
        machine_card.write(runs, page)
        return
    files.write_text(page, page_of(runs, machines, written))
    print(f"report: {shown(page)}")
    for line in machines_table(machines, points_of_runs(runs)) if len(machines) > 1 else ():
        print(f"machine {machine_title(line)}, {line['rows']} rows, not quiet: {line['not quiet']}")
    if pdf:
        from mxk_host.report.browser import browser, open_page, print_page

        printed = page.with_suffix(".pdf")
        with browser() as chrome:
            open_page(chrome, page)
            print_page(chrome, printed)
        print(f"printed: {shown(printed)}")


def _tell_damages(runs: Sequence[Run]) -> None:
    for line in (line for run in runs for line in told_of(run)):
        print(line if line.startswith(" ") else f"tools/mxk: {line}", file=sys.stderr)

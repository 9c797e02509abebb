"""The job of `tools/mxk compare`: runs MXK and its peers interleaved, keeps everything, shows one table. A missing peer
is named; one that fails, or whose results are wrong, fails the comparison."""

import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from mxk_host import files, results
from mxk_host.compare import markdown, plan, table
from mxk_host.compare.figures import wanted
from mxk_host.compare.plan import Part, Process, Settings
from mxk_host.compare.run import list_peers, run_rounds
from mxk_host.compare.summary import summarise
from mxk_host.errors import DriverError, ExitCode, signal_name
from mxk_host.image import shown
from mxk_host.progress import RoundsProgress
from mxk_host.quiet import MIN_ROUNDS

Summary = dict[str, Any]


def compare(settings: Settings, *, peers: str | None, folder: Path) -> Summary:
    """Measures all rounds and shows the table. `peers`: names with commas between, None: all. `folder`: that of the
    run is made in it. Something that failed is in the summary; `expect_success` judges."""
    engines = plan.choose_engines(settings, list_peers(settings.programs), peers)
    of_part = {part: plan.table_processes(settings, part, measured) for part, measured in engines.items()}
    beside = [process for part in (Part.DISTURBED, Part.UNDISTURBED) for process in of_part.pop(part, [])]
    groups = [group for group in (*of_part.values(), beside) if group]
    if settings.latency and Part.TABLE in engines:
        groups.append(plan.latency_processes(settings, engines[Part.TABLE]))
    if Part.GROUP_BY in settings.parts:
        groups.append(plan.group_by_processes(settings))
    groups += [plan.cost_processes(settings, part) for part in settings.parts if part in plan.COSTS]
    if Part.RCU in settings.parts:
        groups.append(plan.rcu_processes(settings))
    if Part.GRACE in settings.parts:
        groups.append(plan.grace_processes(settings))
    kept = results.new_folder(folder)
    with RoundsProgress(_names(groups, settings.rounds or MIN_ROUNDS)) as progress:
        record = run_rounds(settings, groups, kept, progress.announce)

    summary = summarise(settings, engines, record) | {"results": str(shown(kept))}
    results.keep_summary(kept, summary, table.show)
    show(summary)
    return summary


def show(summary: Summary) -> None:
    """Prints the table, and where its run is kept."""
    table.show(summary, sys.stdout)
    print(f"results: {summary['results']}")


def read(folder: Path) -> Summary:
    """The summary of a comparison that has been made."""
    text = files.read_text(folder / "summary.json", "the folder of a comparison, with summary.json")
    with kept_in(folder):
        return json.loads(text)


def kept_in(folder: Path | None) -> AbstractContextManager[None]:
    """What that folder has, if it is one, is used inside: what is not as a comparison writes it is said."""
    what = f"{folder} to be the folder of a comparison, with what that writes in summary.json"
    return nullcontext() if folder is None else files.expecting(what)


def pass_on(summary: Summary, *, as_json: bool, pages: Sequence[Path]) -> None:
    """Prints the summary for tools and puts its tables into the pages, where that was asked for."""
    if as_json:
        print(json.dumps(summary))
    for page in pages:
        markdown.put(summary, page)


def expect_success(summary: Summary) -> None:
    """Raises unless everything ran to its end, and gave verified rows."""
    if summary["interrupted"]:
        number = summary["signal"]
        why = f"ended by {signal_name(number)}: the table has what was measured until then"
        raise DriverError(why, 128 + number)
    if summary["failures"]:
        failed = ", ".join(failure["process"] for failure in summary["failures"])
        raise DriverError(f"failed: {failed} (reasons in the table)", ExitCode.COMMAND_FAILED)
    if not summary["verified"]:
        raise DriverError("expected every row to be verified", ExitCode.COMMAND_FAILED)


def _names(groups: Sequence[Sequence[Process]], rounds: int) -> list[list[str]]:
    """Those of the processes of each round."""
    every = [process for group in groups for process in group]
    return [[process.name for process in every if process.runs_in(number)] for number in range(1, rounds + 1)]


def expect_figures(summary: dict[str, Any], names: Sequence[str]) -> None:
    """Raises, with a list, unless each of the figures with these names was measured and is reached."""
    figures = [figure for figure in summary["figures"] if figure["figure"] in names]
    if not figures:
        raise DriverError(f"the comparison says nothing of {', '.join(names)}", ExitCode.COMMAND_FAILED)
    missed = [figure for figure in figures if figure["reached"] is not True]
    if not missed:
        print(f"figures-check: all {len(figures)} figures reached")
        return
    lines = "".join(f"\n  {figure['figure']}: {_why(figure)}" for figure in missed)
    raise DriverError(f"{len(missed)} of {len(figures)} figures are not reached:{lines}", ExitCode.COMMAND_FAILED)


def _why(figure: dict[str, Any]) -> str:
    if "measured" not in figure:
        return figure["reason"]
    factor = 100 if figure["unit"] == "%" else 1
    return f"{figure['measured']['median'] * factor:.3g} {figure['unit']}, wanted {wanted(figure)}"

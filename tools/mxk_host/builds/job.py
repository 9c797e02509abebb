"""The job of `tools/mxk compare-builds`: measures two builds of the Linux program, and fails where the new one is
slower than allowed."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mxk_host import results
from mxk_host.builds.measure import Measured, measure
from mxk_host.builds.plan import Command, Comparison
from mxk_host.builds.report import show, slow_rows, summarise
from mxk_host.errors import DriverError, ExitCode, signal_name
from mxk_host.progress import RoundsProgress


def compare_builds(comparison: Comparison, *, as_json: bool, folder: Path) -> None:
    """Measures all rounds. A row that is then below the floor is measured as often again, and what counts is the median
    of all its rounds: with half a hundred rows on a noisy machine one is below it by chance."""
    kept = results.new_folder(folder)
    measured = Measured()
    chosen = comparison.commands
    with RoundsProgress([names(chosen)] * comparison.rounds) as progress:
        measure(comparison, chosen, range(1, comparison.rounds + 1), measured, kept, progress.announce)
    doubtful = {name.command for name in slow_rows(comparison, measured)}
    again = [command for command in chosen if command.name in doubtful]
    if again and comparison.confirming and measured.interrupted is None:
        print(f"measured again: {', '.join(names(again))}", file=sys.stderr)
        first, last = comparison.rounds + 1, comparison.rounds + comparison.confirming
        with RoundsProgress([names(again)] * comparison.confirming) as progress:
            measure(comparison, again, range(first, last + 1), measured, kept, progress.announce)

    summary = summarise(comparison, measured)
    results.keep_summary(kept, summary, show)
    show(summary, sys.stdout)
    print(f"results: {kept}")
    if as_json:
        print(json.dumps(summary))
    if measured.interrupted is not None:
        raise DriverError(f"ended by {signal_name(measured.interrupted)}", 128 + measured.interrupted)
    if not summary["passed"]:
        raise DriverError(_why(summary), ExitCode.COMMAND_FAILED)


def names(commands: Sequence[Command]) -> list[str]:
    """Those of the commands."""
    return [command.name for command in commands]


def _why(summary: dict[str, Any]) -> str:
    reasons = []
    if summary["failures"]:
        reasons.append(f"failed: {'; '.join(summary['failures'])}")
    mean = summary["mean"]
    if mean and mean["value"] < summary["min_mean"]:
        reasons.append(f"expected a mean of no less than {summary['min_mean']}, got {mean['value']:.3f}")
    if summary["slow_rows"]:
        reasons.append(f"below {summary['min_row']} of the old build: {'; '.join(summary['slow_rows'])}")
    return "; ".join(reasons) or "nothing was measured"

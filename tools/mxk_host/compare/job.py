"""The job of `tools/mxk compare`: runs MXK and its peers interleaved, keeps everything, shows one table. A missing peer
is named; one that fails, or whose results are wrong, fails the comparison."""

import io
import json
import signal
import sys
from pathlib import Path

from mxk_host import results
from mxk_host.compare import table
from mxk_host.compare.plan import COSTS, Settings, choose_engines, cost_processes, table_processes
from mxk_host.compare.run import list_peers, run_rounds
from mxk_host.compare.summary import summarise
from mxk_host.errors import DriverError, ExitCode
from mxk_host.image import ROOT
from mxk_host.progress import RoundsProgress


def compare(settings: Settings, *, peers: str | None, as_json: bool, folder: Path) -> None:
    """Measures all rounds. `peers`: names with commas between, None: all. `folder`: the run's own is made in it."""
    engines = choose_engines(settings, list_peers(settings.programs), peers)
    groups = [table_processes(settings, part, measured) for part, measured in engines.items()]
    groups += [cost_processes(settings, part) for part in settings.parts if part in COSTS]
    kept = results.new_folder(folder)
    with RoundsProgress([process.name for group in groups for process in group], settings.rounds) as progress:
        record = run_rounds(settings, groups, kept, progress.announce)

    summary = summarise(settings, engines, record)
    (kept / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    text = io.StringIO()
    table.show(summary, text)
    (kept / "table.txt").write_text(text.getvalue())
    table.show(summary, sys.stdout)
    shown = kept.relative_to(ROOT) if kept.is_relative_to(ROOT) else kept
    print(f"results: {shown}")
    if as_json:
        print(json.dumps(summary | {"results": str(shown)}))

    if record.interrupted is not None:
        name = signal.Signals(record.interrupted).name
        raise DriverError(f"ended by {name}: the table has what was measured until then", 128 + record.interrupted)
    if record.failures:
        raise DriverError(f"failed: {', '.join(record.failures)} (reasons in the table)", ExitCode.COMMAND_FAILED)
    if not summary["verified"]:
        raise DriverError("expected every row to be verified", ExitCode.COMMAND_FAILED)

"""The command line of tools/mxk: options in, a job out. A job that fails raises; __main__ makes an exit code of it."""

import typer

from mxk_host.cli.builds import compare_builds, compare_instructions
from mxk_host.cli.comparison import compare, figures_check
from mxk_host.cli.figures import figure
from mxk_host.cli.kernel import bench, run
from mxk_host.cli.overview import overview
from mxk_host.cli.reports import compare_runs, report
from mxk_host.cli.trace import trace_app

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Boots MXK in QEMU and judges the run; measures the Linux program against its peers and against itself.",
)
COMMANDS = (
    *(run, bench, overview, figure, report),
    *(compare, figures_check, compare_builds, compare_instructions, compare_runs),
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(trace_app, name="trace")

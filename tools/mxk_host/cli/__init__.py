"""The command line of tools/mxk: options in, a job out. A job that fails raises; __main__ makes an exit code of it."""

import functools
import sys
from collections.abc import Callable, Iterable
from importlib import import_module

import typer

from mxk_host.groups import prepare

# The module that has a command, in the order in which they are listed. Only that of the command that was typed is read,
# if one was: what all of them import takes longer to read than the kernel to boot.
MODULES = {
    "run": "kernel",
    "bench": "kernel",
    "simulate": "simulate",
    "theses": "theses",
    "calibration": "calibration",
    "overview": "overview",
    "figure": "figures",
    "report": "reports",
    "qr": "qr",
    "compare": "comparison",
    "figures-check": "comparison",
    "compare-builds": "builds",
    "compare-instructions": "builds",
    "compare-runs": "reports",
    "measured": "reports",
    "lock-mpi": "lock_mpi",
    "cluster": "cluster",
    "heap-peaks": "heap_peaks",
    "heap-record": "heap_record",
    "trace": "trace",  # commands of its own
    "tpch": "tpch",  # the same
    "firmware": "firmware",
}

# The Python packages that a command needs beyond the driver's own, installed when it first runs.
GROUPS = {
    **dict.fromkeys(("simulate", "theses", "calibration", "overview", "figure", "report"), ("report",)),
    **dict.fromkeys(("compare", "figures-check", "compare-runs", "measured", "trace"), ("report",)),
    "tpch": ("report", "tpch"),
}

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Boots MXK in QEMU and judges the run; measures the Linux program against its peers and against itself.",
)
app.callback()(lambda: None)  # a command keeps its name where it is the only one


def add(names: Iterable[str]) -> None:
    """Reads these commands."""
    for name in names:
        module = import_module(f"mxk_host.cli.{MODULES[name]}")
        groups = GROUPS.get(name, ())
        if group := getattr(module, f"{name}_app", None):
            app.add_typer(group, name=name, callback=_preparing(groups))
        else:
            app.command(name)(_prepared(getattr(module, name.replace("-", "_")), groups))


def _preparing(groups: tuple[str, ...]) -> Callable[[], None]:
    return lambda: prepare(groups)


def _prepared(command: Callable[..., None], groups: tuple[str, ...]) -> Callable[..., None]:
    @functools.wraps(command)
    def run(**options: object) -> None:
        prepare(groups)
        command(**options)

    return run


add(sys.argv[1:2] if sys.argv[1:2] and sys.argv[1] in MODULES else MODULES)

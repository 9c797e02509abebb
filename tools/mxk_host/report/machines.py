"""Which machine each row is of, so that those of several machines stand side by side. A machine is hardware, real or
emulated: another system or build on it, or more memory that is free, make no other one, but runs of one machine."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from string import ascii_uppercase

from mxk_host.runs.log import Found
from mxk_host.runs.point import Kind, kind_of, machine_of, number_of, simulation_of, text_of
from mxk_host.runs.source import Run
from mxk_host.stream import Row

UNKNOWN = "unknown machine"
_TELL_APART = ("cpu", "nodes", "cores", "hypervisor")
_OF_A_PROGRAM = ("cpu", "processors", "hypervisor")  # which chooses its cores and nodes
_CLOCKS_DIFFER = 0.01  # of the TSC's rate: each process measures it anew
_PUT_TOGETHER = ("side", "process")  # fields of rows that one tool has measured on one host, its kernel in QEMU, too


def side_by_side(runs: Sequence[Run]) -> tuple[list[Run], list[Row]]:
    """The runs, each of one machine: those with rows of several are split. And of each machine the first row; empty
    where rows do not say. Of one machine runs are as they were, of several their names begin with its letter."""
    machines: list[Row] = []
    parts: list[Run] = []
    for run in runs:
        found: dict[int, list[Found]] = {}
        for it, owner in zip(run.rows, _owners(run), strict=True):
            place = next((at for at, machine in enumerate(machines) if _is_same(machine, owner)), len(machines))
            machines += [owner] * (place == len(machines))
            found.setdefault(place, []).append(it)
        for part, (place, rows) in enumerate(found.items()):
            # What a log says besides its rows stands once.
            once = run if part == 0 else Run(name=run.name, folder=run.folder)
            parts.append(replace(once, rows=rows, machine=place))
    if len(machines) == 1:
        return list(runs), machines
    return [replace(run, name=f"{letter(run.machine)}: {run.name}") for run in parts], machines


def letter(machine: int) -> str:
    """A to Z, A1 to Z1 ..."""
    more, place = divmod(machine, len(ascii_uppercase))
    return f"{ascii_uppercase[place]}{more or ''}"


def _owners(run: Run) -> list[Row]:
    """For each row of the run the first one of its machine. Rows that do not say it, and emulated and simulated ones,
    are the only measured machine's, if there is one."""
    rows = [found.row for found in run.rows]
    is_same = _is_same_processor if any(name in row for row in rows for name in _PUT_TOGETHER) else _is_same
    firsts: list[Row] = []
    for row in rows:
        if _identity(row) and _first(firsts, row, is_same) is None:
            firsts.append(row)
    measured = [row for row in firsts if kind_of(row) is Kind.MEASURED]
    only = measured if len(measured) == 1 else firsts
    if len(only) < 2:
        return [*only, {}][:1] * len(rows)
    owners, owner = [], firsts[-1]
    for row in reversed(rows):  # a topology stands in front of what was measured there
        owner = (_first(firsts, row, is_same) or {}) if row.get("benchmark") else owner
        owners.append(owner)
    return owners[::-1]


def _first(firsts: Sequence[Row], row: Row, is_same: Callable[[Row, Row], bool]) -> Row | None:
    return next((first for first in firsts if is_same(first, row)), None)


def _identity(row: Row) -> tuple[str, ...]:
    """Empty: the row does not say."""
    kind, machine = kind_of(row), machine_of(row)
    if kind is Kind.SIMULATED:
        return (kind, text_of(simulation_of(row).get("machine")))
    is_program = "processors" in machine and text_of(machine.get("platform")).startswith("Linux")
    names = _OF_A_PROGRAM if is_program else _TELL_APART
    return (kind, *(text_of(machine.get(name)) for name in names)) if machine else ()


def _is_same(a: Row, b: Row) -> bool:
    clocks = [number_of(machine_of(row).get("tsc_hz")) or 0.0 for row in (a, b) if kind_of(row) is Kind.MEASURED]
    is_near = not all(clocks) or max(clocks, default=0) <= (1 + _CLOCKS_DIFFER) * min(clocks, default=0)
    return _identity(a) == _identity(b) and is_near


def _is_same_processor(a: Row, b: Row) -> bool:
    return _identity(a)[:2] == _identity(b)[:2]

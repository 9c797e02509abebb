"""docs/measured.md: rows of stored runs, each command with host, day and values (mxk_host/pages.py). Other pages say
one number and its command; here are the others, and only the tool writes them."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mxk_host import files, pages
from mxk_host.compare.table import NOISE, NOISY
from mxk_host.digits import number
from mxk_host.report.labels import setting_text
from mxk_host.runs.command import command_of
from mxk_host.runs.point import Point, points_of
from mxk_host.runs.source import Run, expect_rows, read_runs


def put(names: Sequence[str], page: Path) -> list[str]:
    """Puts these runs (the latest, without names) into the page, each command in place of what it had of that command
    before, or at the page's end; gives the commands."""
    runs = read_runs(names)
    expect_rows(runs)
    text = pages.read(page, "# Measured\n")
    blocks: dict[str, Iterable[str]] = {}
    commands: dict[str, tuple[Run, list[Point]]] = {}
    for at, run in enumerate(runs):
        for point in points_of(run.rows, at):
            if point.values:
                commands.setdefault(" ".join(command_of(point).split()), (run, []))[1].append(point)
    for command, measured in commands.items():
        name = f"measured: {command}"
        blocks[name] = lines(*measured)
        if not pages.has(text, name):
            text = f"{text.rstrip()}\n\n## `{command}`\n\n{pages.place(name)}"
    files.write_text(page, pages.replaced(text, blocks, page))
    return list(commands)


def lines(run: Run, points: Sequence[Point]) -> Iterator[str]:
    """A row for each value of each point, and the one run that all of it comes from."""
    yield "| row | median | min | max | n | |"
    yield "|---|---|---|---|---|---|"
    for point in points:
        settings = ", ".join(f"{name} {setting_text(value)}" for name, value in point.settings.items())
        remark = "" if point.is_verified else "**not verified**"
        noisy = "" if all(row.get("quiet", True) for row in point.rows) else NOISY
        for value in point.values.values():
            scale = value.unit.scale
            extremes = " | ".join(number(it * scale) for it in (value.low, value.high))
            shown = f"{number(value.shown)}{noisy} {value.unit.name}"
            yield f"| {settings} | {shown} | {extremes} | {value.n} | {remark} |".replace("  ", " ")
    yield ""
    yield _origin(run, points)


def _origin(run: Run, points: Iterable[Point]) -> str:
    point = next(iter(points))
    machine = point.first.get("machine", {})
    kind = f", {point.kind}" if point.kind else ""
    return f"{run.name}: {machine.get('cpu', '?')}{kind}, build {machine.get('build', '?')}; {NOISE}."

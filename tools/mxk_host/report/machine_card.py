"""`tools/mxk report --machine-card`: what a run says of its machine, as one JSON file and one picture to be posted.
Only what stands here is in it: no names of hosts, users or files, no serial numbers, no command lines."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import log10
from pathlib import Path
from typing import Any

from mxk_host import files
from mxk_host.digits import cores_text, number
from mxk_host.errors import UsageError
from mxk_host.image import shown
from mxk_host.report.machines import side_by_side
from mxk_host.runs.point import Kind, kind_of, machine_of, median_of, number_of, quiet_of, text_of
from mxk_host.runs.source import Run
from mxk_host.stream import Row

VERSION = 1  # of the JSON's keys
_LEVELS = ("L1", "L2", "L3")


@dataclass(frozen=True)
class Figure:
    """One number of the card."""

    name: str
    value: float
    unit: str
    runs: int
    quiet: bool | None  # None: nobody watched


def write(runs: Sequence[Run], to: Path) -> None:
    """Writes `to`.json and `to`.svg, and says where they are. Raises where the runs say nothing of one machine."""
    card = card_of(runs)
    for path, text in (
        (to.with_suffix(".json"), json.dumps(card, indent=1) + "\n"),
        (to.with_suffix(".svg"), drawn(card)),
    ):
        files.write_text(path, text)
        print(f"machine card: {shown(path)}")


def card_of(runs: Sequence[Run]) -> dict[str, Any]:
    """As it is written."""
    rows = [found.row for run in runs for found in run.rows if kind_of(found.row) is Kind.MEASURED]
    rows = [row for row in rows if row.get("verified") is True and text_of(machine_of(row).get("cpu"))]
    figures = list(_figures(rows))
    if not figures:
        raise UsageError(
            "--machine-card: expected rows that were measured, not emulated or simulated, of bench memory, lines, tlb "
            "or noise"
        )
    machines = [machine_of(row) for row in side_by_side(runs)[1] if kind_of(row) is Kind.MEASURED]
    known = ((cpu, number_of(it.get("cores")) or 0) for it in machines if (cpu := text_of(it.get("cpu"))))
    names = [f"{cpu}, {cores_text(cores)}" for cpu, cores in known]
    if len(names) > 1:
        raise UsageError(f"--machine-card: expected runs of one machine, got {' and '.join(names)}")
    machine = machine_of(rows[-1])
    return {
        "mxk_machine_card": VERSION,
        "cpu": text_of(machine.get("cpu")),
        "cores": int(number_of(machine.get("cores")) or 0),
        "nodes": int(number_of(machine.get("nodes")) or 0),
        "memory_gib": round((number_of(machine.get("memory_bytes")) or 0) / 2**30, 1),
        "tsc_hz": number_of(machine.get("tsc_hz")),
        "microcode": text_of(machine.get("microcode")),
        "mitigations": text_of(machine.get("mitigations")),
        "hypervisor": text_of(machine.get("hypervisor")),
        "system": _system(text_of(machine.get("platform"))),
        "build": text_of(machine.get("build")),
        "figures": [figure.__dict__ for figure in figures],
    }


def _system(platform: str) -> str:
    """Without what a distribution, or an owner, adds to the number of a release."""
    found = re.match(r"\w+(?: \d+\.\d+)?", platform)
    return found[0] if found else ""


def _figures(rows: Sequence[Row]) -> Iterator[Figure]:
    latency = _of(rows, "memory", "latency")
    for level in _LEVELS:
        yield from _best("load from the " + level, "ns", [row for row in latency if row.get("level") == level][:1], min)
    yield from _best("load from memory", "ns", latency[-1:], min)
    yield from _best("read in order", "B/s", _of(rows, "memory", "read"), max)
    for mix in ("read", "1:1"):
        random = [row for row in _of(rows, "memory", "random") if row.get("mix") == mix]
        yield from _best(f"random lines, {mix}", "B/s", random, max)
    trips = _of(rows, "lines", "round-trip")
    yield from _best("line there and back, nearest", "ns", trips, min)
    if len(trips) > 2:
        yield from _best("line there and back, farthest", "ns", trips, max)
    for size, name in ((4 << 10, "4 KiB"), (2 << 20, "2 MiB")):
        of_size = [row for row in _of(rows, "tlb", "page-latency") if row.get("page_bytes") == size][-1:]
        pages = [number_of(row.get("pages")) or 0 for row in of_size]
        yield from _best(f"load in {sum(pages):.0f} pages of {name}", "ns", of_size, min)
    yield from _best("largest gap of an idle core", "ns", _of(rows, "noise", "gaps"), max)


def _of(rows: Iterable[Row], benchmark: str, measure: str) -> list[Row]:
    return [row for row in rows if (row.get("benchmark"), row.get("measure")) == (benchmark, measure)]


def _best(name: str, unit: str, rows: Sequence[Row], best: Callable[..., float]) -> Iterator[Figure]:
    field = "nanoseconds" if unit == "ns" else "bytes_per_second"
    values = {value: row for row in rows if (value := median_of(row, field)) is not None}
    if not values:
        return
    value = best(values)
    row = values[value]
    yield Figure(name, value, unit, int(number_of(row[field].get("n")) or 0), quiet_of([row]))


# The picture.
_WIDTH, _LINE, _LEFT, _BAR = 640, 26, 24, 200
_INK, _PALE, _BARS = "#1c2733", "#5c6b7a", "#2f7f8f"


def drawn(card: dict[str, Any]) -> str:
    """An SVG: a line for each figure, with a bar by the logarithm of its value among those of its unit."""
    figures = card["figures"]
    height = 96 + _LINE * len(figures) + 44
    nodes = "1 node" if card["nodes"] == 1 else f"{card['nodes']} nodes"
    about = f"{card['cores']} cores, {nodes}, {card['memory_gib']:g} GiB, {card['system']}"
    about += " under a hypervisor" if card["hypervisor"] else ""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif">',
        f'<rect width="{_WIDTH}" height="{height}" rx="10" fill="#fbfaf7" stroke="#d9d5cb"/>',
        _text(_LEFT, 38, card["cpu"], size=20),
        _text(_LEFT, 62, about, color=_PALE),
    ]
    for at, figure in enumerate(figures):
        y = 100 + _LINE * at
        same = [log10(max(it["value"], 1e-9)) for it in figures if it["unit"] == figure["unit"]]
        low, high = min(same) - 0.3, max(same)
        bar = _BAR * (log10(max(figure["value"], 1e-9)) - low) / (high - low)
        mark = "" if figure["quiet"] else " ~"
        lines += [
            _text(_LEFT, y, figure["name"]),
            f'<rect x="300" y="{y - 11}" width="{bar:.1f}" height="12" rx="2" fill="{_BARS}"/>',
            _text(_WIDTH - _LEFT, y, f"{shown_value(figure)}{mark}", anchor="end"),
        ]
    build = card["build"].partition(" ")[0]
    foot = f"MXK {build}; ~: not quiet, or nobody watched; bars are logarithmic"
    return "\n".join([*lines, _text(_LEFT, height - 18, foot, size=11, color=_PALE), "</svg>"]) + "\n"


def shown_value(figure: dict[str, Any]) -> str:
    """With its unit."""
    if figure["unit"] == "B/s":
        return f"{number(figure['value'] / 1e9)} GB/s"
    return f"{number(figure['value'])} ns" if figure["value"] < 1e5 else f"{number(figure['value'] / 1e6)} ms"


def _text(x: float, y: float, text: str, *, size: int = 14, color: str = _INK, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{color}" text-anchor="{anchor}">{escape(text)}</text>'

"""What a reader wants to know first: a dozen numbers, whether they can be trusted, and on which machines they were
measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mxk_host.digits import bytes_text, cores_text, number
from mxk_host.order import grouped
from mxk_host.report.charts import is_sweep
from mxk_host.report.labels import count_text, series_names
from mxk_host.report.machines import UNKNOWN, letter
from mxk_host.report.plot import Line, value_cells
from mxk_host.report.ratios import ratio_of
from mxk_host.report.statements import count_text as statements_text
from mxk_host.runs.point import Kind, Point, Value, key_of, machine_of, number_of, simulation_of, text_of
from mxk_host.runs.source import Run
from mxk_host.stream import Row

_MIXES = ("insert", "find", "erase")
_WORKLOAD = ("mix", "cores", "operations", "dist", "keys")  # what two rows have alike that are divided
_MAX_NUMBERS = 12
_TELL_APART = ("cpu", "nodes", "cores", "hypervisor", "platform", "build")  # machines
_NOT_QUIET = "the machine was not quiet"
_GIB = 1 << 30


@dataclass(frozen=True)
class Number:
    """One of the dozen. `of`: the points that it is made of, with the quantity of the last one that links go to."""

    subject: str  # the same for what may stand side by side
    value: str
    what: str
    of: Sequence[Point] = ()
    quantity: str = ""
    run: int = 0
    by: str = ""  # another machine's by it

    @property
    def kind(self) -> Kind:
        """Of its rows."""
        return self.of[-1].kind if self.of else Kind.MEASURED

    @property
    def noise(self) -> str:
        """Why it is not to be trusted, by its rows' own words."""
        texts = [_noise(it) if it.is_quiet is False else "not known to be quiet" for it in self.of if not it.is_quiet]
        return "; ".join(dict.fromkeys(texts))

    @property
    def anchor(self) -> str:
        """Of its row."""
        return self.of[-1].anchor(self.quantity) if self.of else "statements"


@dataclass(frozen=True)
class Machine:
    """What rows say of the machine: the same text in all of a run's rows, or several."""

    run: int
    kind: Kind
    facts: list[tuple[str, str]]


@dataclass(frozen=True)
class Trust:
    """Of a run: what its rows say about themselves."""

    rows: int
    verified: int
    not_verified: list[str]
    not_quiet: list[str]
    unsupported: list[str]


def numbers_of(points: Sequence[Point], run: int, statements: Iterable[Line]) -> list[Number]:
    """Those that matter, as far as the run has them: how many statements hold, then measured ones before emulated and
    simulated ones."""
    mine = [point for point in points if point.run == run and point.is_verified and not point.figure]
    found: list[Number] = []
    for kind in Kind:
        found += [replace(it, run=run) for it in _numbers([point for point in mine if point.kind is kind])]
    if said := [line for line in statements if line.run == run]:
        found.insert(0, Number("statements", statements_text(said), "statements hold here", run=run))
    return found[:_MAX_NUMBERS]


def beside(numbers: Sequence[Number]) -> list[list[Number]]:
    """Those of one subject together, each but the first with what the first machine's is by it."""
    groups = grouped(numbers, lambda it: (it.subject, it.kind)).values()
    return [[same[0], *(replace(it, by=_by(same[0], it)) for it in same[1:])] for same in groups]


def _by(first: Number, other: Number) -> str:
    """Of rows of two machines with the same settings; empty where they are not."""
    points = [*first.of, *other.of]
    if [len(first.of), len(other.of)] != [1, 1] or points[0].machine == points[1].machine:
        return ""
    is_same = first.quantity == other.quantity and key_of(points[0].first) == key_of(points[1].first)
    is_measured = all(first.quantity in it.values for it in points)
    ratio = ratio_of(points[0], points[1], first.quantity) if is_same and is_measured else None
    if ratio is None:
        return ""
    said = {False: "not quiet", None: "not known to be quiet"}
    noise = ", ".join(f"{letter(it.machine)} was {said[it.is_quiet]}" for it in points if it.is_quiet is not True)
    a, b = (letter(it.machine) for it in points)
    return f"{a} by {b}: {number(ratio.median)}{f' ({noise})' if noise else ''}"


def _numbers(points: Sequence[Point]) -> Iterable[Number]:
    tables = [it for it in points if it.benchmark == "table" and "throughput" in it.values and not is_sweep(it)]
    peers = [it for it in points if it.benchmark == "peer" and "throughput" in it.values]
    names = dict(zip(map(id, tables), series_names(tables, apart=("cores", "mix")), strict=True))
    for mix in _MIXES:
        of_mix = [it for it in tables if it.settings.get("mix") == mix]
        mine = _fastest([it for it in of_mix if it.settings.get("dist") == "uniform"] or of_mix)
        if mine is None:
            continue
        cores, operations = (number_of(mine.settings.get(name)) or 0 for name in ("cores", "operations"))
        what = f"{mix}, {cores_text(cores)}, {count_text(operations)} keys: {names[id(mine)]}"
        yield Number(mix, f"{number(mine.values['throughput'].shown)} M ops/s", what, [mine], "throughput")
        same = [it for it in peers if all(it.settings.get(n) == mine.settings.get(n) for n in _WORKLOAD)]
        for kind, words in (("peer", "as fast as the fastest peer"), ("bound", "of a plain loop")):
            # mxk::Table is measured beside the peers, and is none.
            other = _fastest(
                it
                for it in same
                if it.first.get("kind") == kind and not text_of(it.settings.get("peer")).startswith("mxk-")
            )
            alike = other is not None and mine.is_quiet == other.is_quiet  # else it says more of the host
            ratio = ratio_of(mine, other, "throughput") if other is not None and alike else None
            if other is not None and ratio is not None:
                compared = f"{words}, {text_of(other.settings.get('peer'))}: {mix}, {cores_text(cores)}"
                yield Number(f"{mix}, {words}", _times(kind, ratio), compared, [mine, other], "ratio")
    timed = [it for it in points if it.benchmark == "table" and "latency" in it.durations]
    if timed:
        best = min(timed, key=lambda it: it.durations["latency"].p99)
        times = best.durations["latency"]
        what = f"p50 and p99 of {text_of(best.settings.get('mix'))}: {series_names(timed)[timed.index(best)]}"
        value = f"{number(times.p50 / 1000)}, {number(times.p99 / 1000)} µs"
        yield Number("latency of operations", value, what, [best], "latency")
    yield from _first_of(points, _COSTS)
    sizes = [it for it in points if it.settings.get("measure") == "latency" and number_of(it.settings.get("bytes"))]
    if sizes:
        largest = max(sizes, key=lambda it: number_of(it.settings["bytes"]) or 0)
        if (time := largest.values.get("nanoseconds")) is not None:
            subject = "memory latency, largest working set"
            what = f"{subject}: {bytes_text(number_of(largest.settings['bytes']) or 0)}"
            yield Number(subject, value_cells(time)[0], what, [largest], "nanoseconds")
    yield from _first_of(points, _OF_THE_MACHINE)


_COSTS = (
    ("task", "local", "an empty task from the own queue"),
    ("task", "round-trip", "a task to another core and back"),
    ("thread", "yield", "a yield of a thread"),
)
_OF_THE_MACHINE = (("memory", "read", "reading memory"), ("lines", "round-trip", "a cache line there and back"))


def _first_of(points: Sequence[Point], measures: Iterable[tuple[str, str, str]]) -> Iterable[Number]:
    """The first value of each, with what it is."""
    for benchmark, measure, what in measures:
        for it in points:
            if it.benchmark == benchmark and it.settings.get("measure") == measure and it.values:
                quantity = "nanoseconds" if "nanoseconds" in it.values else next(iter(it.values))
                yield Number(what, value_cells(it.values[quantity])[0], what, [it], quantity)
                break


def _times(kind: str, ratio: Value) -> str:
    if kind != "bound":
        return f"{number(ratio.median)} times"
    is_passed = (ratio.interval or (ratio.median, ratio.median))[0] > 1
    return f"{100 * ratio.median:.0f} %{' (so it is none)' if is_passed else ''}"


def _fastest(points: Iterable[Point]) -> Point | None:
    return max(points, key=lambda it: it.values["throughput"].median, default=None)


def trust_of(points: Sequence[Point], run: int) -> Trust:
    """By the rows' own words."""
    mine = [point for point in points if point.run == run]
    judged = [point for point in mine if "verified" in point.first and point.first.get("supported") is not False]
    noisy = [point for point in judged if point.is_quiet is False]
    return Trust(
        rows=sum(len(point.rows) for point in mine if not point.is_statement),
        verified=sum(row.get("verified") is True for point in judged for row in point.rows),
        not_verified=[_said(point, point.reason or "wrong results") for point in judged if point.is_wrong],
        not_quiet=[_said(point, _noise(point)) for point in noisy],
        unsupported=[_said(point, point.reason) for point in mine if point not in judged and point.reason],
    )


def _said(point: Point, why: str) -> str:
    settings = [
        text_of(point.settings.get(name))
        for name in ("process", "peer", "kind", "layout", "phase", "submit", "measure", "mix")
    ]
    cores = number_of(point.settings.get("cores"))
    where = ", ".join(text for text in settings if text)
    return f"{point.benchmark} {where}{f', {cores_text(cores)}' if cores else ''}: {why}"


def _noise(point: Point) -> str:
    texts = [text_of(row.get("not_quiet")) for row in point.rows]
    return next((text for text in texts if text), "the machine was not quiet")


def warnings_of(run: Run) -> list[str]:
    """Each once: those that its rows have, and the log's."""
    texts = [text for found in run.rows for text in _texts(found.row.get("warnings"))]
    every = dict.fromkeys([*texts, *run.warnings])
    return [text for text in every if not text.startswith(_NOT_QUIET)]  # rows say that themselves


def skipped_of(run: Run) -> list[str]:
    """What could have been measured, but not on this machine."""
    return list(dict.fromkeys(text for found in run.rows for text in _texts(found.row.get("skipped"))))


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def machines_of(points: Sequence[Point], run: int) -> list[Machine]:
    """Each once; what differs a little from process to process, such as the measured clock, is that of the first."""
    found: dict[tuple[str, ...], Machine] = {}
    for point in points:
        machine = machine_of(point.first)
        if point.run != run or not machine:
            continue
        model = text_of(simulation_of(point.first).get("machine"))
        key = (model, *(text_of(machine.get(name)) for name in _TELL_APART))
        if key not in found:
            found[key] = Machine(run, point.kind, [*_simulated(point.first), *_facts(machine)])
    return list(found.values())


MACHINE_COLUMNS = ("", "processor", "cores", "NUMA nodes", "memory", "platform", "hypervisor", "build", "rows",
                   "not quiet")  # fmt: skip


def machines_table(machines: Sequence[Row], points: Sequence[Point]) -> list[dict[str, str]]:
    """Of each a line by MACHINE_COLUMNS: what its rows say, how many they are, and how many points were not quiet."""
    lines = []
    for machine, row in enumerate(machines):
        mine = [point for point in points if point.machine == machine]
        trusts = [trust_of(mine, run) for run in {point.run for point in mine}]
        facts = dict([*_simulated(row), *_facts(machine_of(row))])
        facts["processor"] = facts.get("simulated machine") or facts.get("processor") or UNKNOWN
        for name in ("platform", "build"):  # runs may differ in them
            texts = dict.fromkeys(text_of(machine_of(point.first).get(name)) for point in mine)
            said = [it.partition(" ")[0] if name == "build" else it for it in texts]
            facts[name] = ", ".join(filter(None, dict.fromkeys(said)))
        counts = (sum(trust.rows for trust in trusts), sum(len(trust.not_quiet) for trust in trusts))
        facts |= {"": letter(machine)} | dict(zip(("rows", "not quiet"), map(str, counts), strict=True))
        lines.append({name: facts.get(name, "") for name in MACHINE_COLUMNS})
    return lines


def machine_title(line: Mapping[str, str]) -> str:
    """Of a line of that table."""
    cores = number_of(float(line["cores"])) if line["cores"].isdecimal() else None
    return f"{line['']}: {line['processor']}{f', {cores_text(cores)}' if cores else ''}"


def _simulated(row: Row) -> Iterable[tuple[str, str]]:
    """What the rows' own description of the machine does not know: that the kernel saw a model."""
    simulation = simulation_of(row)
    if name := text_of(simulation.get("machine")):
        yield "simulated machine", name
    if hertz := number_of(simulation.get("hertz")):
        yield "simulated clock", f"{hertz / 1e9:.3f} GHz"


_FACTS = {
    "cpu": "processor", "cores": "cores", "nodes": "NUMA nodes", "platform": "platform", "hypervisor": "hypervisor",
    "pages": "pages", "microcode": "microcode", "mitigations": "mitigations", "build": "build",
}  # fmt: skip


def _facts(machine: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, words in _FACTS.items():
        if text := text_of(machine.get(name)):
            yield words, text
        elif name == "hypervisor" and name in machine:
            yield words, "none"
    if hertz := number_of(machine.get("tsc_hz")):
        yield "TSC", f"{hertz / 1e9:.3f} GHz"
    if memory := number_of(machine.get("memory_bytes")):
        yield "memory", f"{memory / _GIB:.3g} GiB"
    if machine.get("distances_known") is False:
        yield "NUMA distances", "assumed"
    prefetch = machine.get("prefetch")
    if isinstance(prefetch, dict):
        texts = [f"{name} {text}" for name, value in prefetch.items() if (text := text_of(value))]
        yield "prefetch", ", ".join(texts)

"""A machine's description: a TOML file, read and checked, so that everything later trusts it; and as the flat text that
the plugin reads."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mxk_host import files
from mxk_host.errors import UsageError
from mxk_host.image import ROOT, shown
from mxk_host.simulate.keys import KEYS, LINE_BYTES, MAX_L3S, NOT_FOR_THE_MODEL, ByNodes, Value

FOLDER = ROOT / "tools/simulator/machines"
_MAX_BYTES = 1 << 20
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


@dataclass(frozen=True)
class MachineFile:
    """A machine as its file describes it."""

    name: str
    path: Path
    sections: Mapping[str, Mapping[str, Any]]
    scale: float = 1  # of the last caches, against the file
    smt: bool = False  # whether all threads of a core are on, or one
    changes: tuple[str, ...] = ()  # SECTION.KEY=VALUE, against the file

    @property
    def description(self) -> str:
        """In a line."""
        return self.sections["machine"]["description"]

    @property
    def nodes(self) -> int:
        """NUMA nodes."""
        return self.sections["machine"]["nodes"]

    @property
    def cores(self) -> int:
        """Of all nodes, each of which has as many."""
        return self.sections["machine"]["cores"]

    @property
    def processors(self) -> int:
        """Logical ones: the threads that are on, core by core."""
        return self.cores * self.threads_per_core

    @property
    def processors_per_node(self) -> int:
        """Processor p is on node p / this."""
        return self.processors // self.nodes

    @property
    def hertz(self) -> int:
        """Of the cores and of the time stamps."""
        return self.sections["machine"]["hertz"]

    @property
    def distances(self) -> tuple[tuple[int, ...], ...]:
        """The SLIT."""
        return tuple(map(tuple, self.sections["acpi"]["distance"]))

    @property
    def threads_per_core(self) -> int:
        """That are on."""
        return self.sections["core"]["threads"] if self.smt else 1

    def with_threads(self) -> "MachineFile":
        """The same machine with all threads of each core on. Raises where a core has one."""
        if self.sections["core"]["threads"] == 1:
            raise UsageError(f"--smt: expected a machine whose cores have several threads, {self.name}'s have one")
        return replace(self, smt=True)

    def with_last_caches(self, scale: float) -> "MachineFile":
        """The same machine whose last caches are so many times as large, in whole sets: a table that is as many times
        smaller has the same share of them. Raises where they would not be larger than a core's L2, or beyond any."""
        l2, l3 = self.sections["l2"], self.sections["l3"]
        unit = l3["ways"] * LINE_BYTES
        size = round(l3["bytes"] * scale / unit) * unit if scale > 0 else 0
        largest = KEYS["l3"]["bytes"]
        assert isinstance(largest, Value)
        if size <= l2["bytes"] or largest.problem(size):
            raise UsageError(
                f"--scale-caches: expected a number with which {self.name}'s L3 of {l3['bytes']} bytes is larger than "
                f"its L2 of {l2['bytes']}, got {scale:g}"
            )
        return replace(self, sections={**self.sections, "l3": {**l3, "bytes": size}}, scale=scale)

    def with_changes(self, changes: Sequence[str]) -> "MachineFile":
        """The same machine with other values of keys, as SECTION.KEY=VALUE: to see what a part of the model does.
        Raises where one is none, or where together they contradict themselves or the rest."""
        sections = {name: dict(keys) for name, keys in self.sections.items()}
        for change in changes:
            name, _, value = change.partition("=")
            section, _, key = name.partition(".")
            if key not in KEYS.get(section, {}):
                known = [f"{one}.{it}" for one, keys in KEYS.items() for it in keys]
                near = _near(name, known)
                raise UsageError(f"--change: expected SECTION.KEY=VALUE with a machine's key, got {change}{near}")
            try:
                (sections[section][key],) = tomllib.loads(f"value = {value}").values()
            except (ValueError, RecursionError) as error:  # one that TOML has not, or several keys
                raise UsageError(f"--change {change}: expected a value as in a machine's file: {error}") from error
        if problems := list(_problems(sections)):
            raise UsageError("\n".join(f"{self.name} with --change: {problem}" for problem in problems))
        return replace(self, sections=sections, changes=(*self.changes, *changes))

    def flat(self) -> str:
        """A line `section.key = value` for each key, lists with blanks between, matrices row by row."""
        lines = [f"machine.name = {self.name}"]
        for section, keys in KEYS.items():
            values = self.sections[section]
            if section == "core":
                values = {**values, "threads": self.threads_per_core}
            lines += [
                f"{section}.{key} = {_flat(values[key])}" for key in keys if (section, key) not in NOT_FOR_THE_MODEL
            ]
        return "".join(f"{line}\n" for line in lines)


def read_machine(name: str | None, path: Path | None) -> MachineFile:
    """The machine of this name, or of a file elsewhere. Raises, with the file and the key, where something is wrong."""
    if path is not None:
        if name is not None and name != path.stem:
            raise UsageError(f"expected --machine {path.stem} or none with --machine-file {path}, got {name}")
        return _read(path)
    if name is None:
        raise UsageError(f"expected --machine NAME, one of {', '.join(machine_names())}, or --machine-file PATH")
    if name not in machine_names():
        near = _near(name, machine_names())
        raise UsageError(f"--machine: expected one of {', '.join(machine_names())}; got {name}{near}")
    return _read(FOLDER / f"{name}.toml")


def machine_names() -> list[str]:
    """Of the files in tools/simulator/machines."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def _read(path: Path) -> MachineFile:
    if not _NAME.fullmatch(path.stem):
        raise UsageError(f"expected a machine's name of small letters, digits and -, got {path.stem} ({shown(path)})")
    text = files.read_text(path, "a machine's file (--machine-file)", _MAX_BYTES)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{shown(path)}: expected TOML: {error}") from error
    problems = list(_problems(document))
    if problems:
        raise UsageError("\n".join(f"{shown(path)}: {problem}" for problem in problems))
    return MachineFile(path.stem, path, document)


def _problems(document: Mapping[str, Any]) -> Iterator[str]:
    """All of them, so that a new file is not mended key by key."""
    wrong = list(_structure(document))
    yield from wrong
    if wrong:
        return
    nodes = document["machine"]["nodes"]
    if problem := KEYS["machine"]["nodes"].problem(nodes):
        yield f"machine.nodes: {problem}"
        return
    for section, keys in KEYS.items():
        for key, kind in keys.items():
            value = document[section][key]
            if problem := kind.problem(value, nodes) if isinstance(kind, ByNodes) else kind.problem(value):
                wrong.append(f"{section}.{key}: {problem}")
    yield from wrong or _contradictions(document)


def _structure(document: Mapping[str, Any]) -> Iterator[str]:
    yield from _unknown("", document, KEYS, "the sections ")
    for section, keys in KEYS.items():
        values = document.get(section, {})
        if isinstance(values, dict):
            yield from _unknown(f"{section}.", values, keys)
            yield from (f"{section}.{key}: missing; every key is needed" for key in keys if key not in values)
        else:
            yield f"{section}: expected a section [{section}] with keys, got {values!r}"


def _unknown(where: str, names: Iterable[str], known: Iterable[str], what: str = "") -> Iterator[str]:
    for name in names:
        if name not in known:
            yield f"{where}{name}: unknown; expected {what}{', '.join(known)}{_near(name, known)}"


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _contradictions(document: Mapping[str, Any]) -> Iterator[str]:
    """Between keys that are right one by one."""
    nodes, cores = document["machine"]["nodes"], document["machine"]["cores"]
    if cores % nodes:
        yield f"machine.cores: expected a multiple of machine.nodes, {nodes}, got {cores}: all nodes have as many"
    else:
        yield from _contradictions_of_l3s(document, cores // nodes)
    core = document["core"]
    for key in ("window", "store_buffer"):
        if core[key] < core["threads"]:
            yield f"core.{key}: expected a place for each of core.threads, {core['threads']}, got {core[key]}"
    for cache in ("l1", "l2", "l3"):
        size, ways = document[cache]["bytes"], document[cache]["ways"]
        if size % (ways * LINE_BYTES):
            unit = f"{ways} ways of lines of {LINE_BYTES} bytes, {ways * LINE_BYTES}"
            yield f"{cache}.bytes: expected a multiple of {unit}, got {size}"
    if document["l3"]["bytes"] <= document["l2"]["bytes"]:
        yield f"l3.bytes: expected more than l2.bytes, {document['l2']['bytes']}, got {document['l3']['bytes']}"
    for near, far in (("l1", "l2"), ("l2", "l3")):
        here, there = document[near]["latency_cycles"], document[far]["latency_cycles"]
        if here >= there:
            yield f"{far}.latency_cycles: expected more than {near}.latency_cycles, {here:g}, got {there:g}"
    same = document["coherence"]["transfer_same_l3_cycles"]
    latency = document["memory"]["latency_ns"]
    for node in range(nodes):
        on_the_diagonal = document["coherence"]["transfer_cross_node_cycles"][node][node]
        if on_the_diagonal != same:
            yield (
                f"coherence.transfer_cross_node_cycles: expected transfer_same_l3_cycles, {same:g}, from node "
                f"{node} to itself, got {on_the_diagonal:g}"
            )
        if min(latency[node]) < latency[node][node]:
            yield f"memory.latency_ns: expected node {node} to be nearest to its own memory, got {latency[node]}"
    yield from _dram_contradictions(document["memory"])


def _dram_contradictions(memory: Mapping[str, Any]) -> Iterator[str]:
    activate, refresh, interval = memory["activate_ns"], memory["refresh_ns"], memory["refresh_interval_ns"]
    if memory["row_bytes"] % LINE_BYTES:
        yield f"memory.row_bytes: expected a multiple of {LINE_BYTES}, got {memory['row_bytes']}"
    if refresh >= interval:
        yield f"memory.refresh_ns: expected less than memory.refresh_interval_ns, {interval:g}, got {refresh:g}"
    if 0 < memory["bank_cycle_ns"] < 2 * activate:
        yield (
            f"memory.bank_cycle_ns: expected 0 or no less than twice memory.activate_ns, {2 * activate:g}, "
            f"got {memory['bank_cycle_ns']:g}"
        )
    latency = min(map(min, memory["latency_ns"]))
    if memory["banks"] and latency < activate:
        yield (
            f"memory.latency_ns: expected no less than memory.activate_ns, {activate:g}, which is a part of it, "
            f"got {latency:g}"
        )


def _contradictions_of_l3s(document: Mapping[str, Any], of_node: int) -> Iterator[str]:
    sharing, coherence = document["l3"]["cores"], document["coherence"]
    if of_node % sharing:
        yield f"l3.cores: expected a divisor of the {of_node} cores of a node, got {sharing}"
    elif (count := document["machine"]["cores"] // sharing) > MAX_L3S:
        yield f"l3.cores: expected no more than {MAX_L3S} L3s, got {count}"
    for key, same in (
        ("transfer_other_l3_cycles", coherence["transfer_same_l3_cycles"]),
        ("invalidate_other_l3_cycles", max(row[node] for node, row in enumerate(coherence["invalidate_cycles"]))),
    ):
        if sharing == of_node and coherence[key] != same:
            yield f"coherence.{key}: expected {same:g}, as at the same L3, since a node has one, got {coherence[key]:g}"
        elif coherence[key] < same:
            yield f"coherence.{key}: expected no less than at the same L3, {same:g}, got {coherence[key]:g}"


def _flat(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, list):
        return " ".join(map(_flat, value))
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)

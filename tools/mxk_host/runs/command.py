"""The command that measures a point again: as it was typed, where that was kept; otherwise put together from the
row."""

import re
import shlex
from collections.abc import Callable

from mxk_host.runs.point import Kind, Point, is_of_a_peer, machine_of, number_of, simulation_of, text_of

# Settings that are options of the same value.
_OPTIONS = (
    "peer", "kind", "body", "rcu", "update_pct", "measure", "model", "layout", "submit", "reads", "notation", "walk",
    "probe", "hash", "prefetch", "prefetch_hint", "prefetch_near", "tasks_per_core", "threads_per_core",
    "semaphore", "slice_us", "way", "locking", "switch_every", "pages", "rounds", "operations", "mix", "keys",
    "dist", "queue", "slices", "rate", "max_latency_us", "memory", "initial_slots", "load", "workload",
    "trace_name", "seed", "lock", "fabric", "latency_ns", "near_latency_ns", "service_ns", "passes",
    "passes_in_cache", "ms", "look_every", "wait_ns", "progress", "k", "mode", "locks",
)  # fmt: skip
# The others have the option's name, with _ for -.
_NAMED_OTHERWISE = {
    "slice_us": "slice", "operations": "ops", "max_latency_us": "max-latency", "trace_name": "trace",
    "latency_ns": "latency", "near_latency_ns": "near-latency", "service_ns": "service", "wait_ns": "wait",
}  # fmt: skip
# Said in every row, but refused where it goes without saying.
_IMPLIED = (("probe", "local"),)
# Of a recorded workload.
_SAID_BY_A_TRACE = ("operations", "mix")
# Of tables all but these; of other benchmarks only some: the console refuses an option that a benchmark does not have.
_CONTENDED = (
    "lock", "fabric", "latency_ns", "near_latency_ns", "service_ns", "passes", "passes_in_cache", "ms", "look_every",
)  # fmt: skip
_OF_LOCKS = (*_CONTENDED, "wait_ns", "progress", "k", "mode", "locks")
_NOT_OF_TABLES = ("kind", "body", "rcu", "update_pct", "way", "pages", "rounds", *_OF_LOCKS)
_ONLY = {
    "rcu": ("measure", "rcu"),
    "rcu-read": ("kind", "body"),
    "list": ("kind", "keys", "update_pct", "dist", "seed"),
    "resize": ("layout", "keys", "load", "seed"),
    **dict.fromkeys(("task", "thread", "lines", "adaptive ipc"), ("measure",)),
    "semaphore": ("measure", "semaphore"),
    **dict.fromkeys(("task-peer", "thread-peer", "semaphore-peer"), ("peer", "measure")),
    **dict.fromkeys(("memory", "memory-peer", "tlb"), ()),
    "figure": ("operations", "part"),
    "adaptive fork-join": ("way",),
    **dict.fromkeys(("adaptive mapping", "adaptive revoke"), ("locking", "pages", "rounds")),
    "adaptive revoke-independent": ("locking", "rounds"),
    "lock alone": ("lock", "fabric"),
    "lock crowd": ("lock",),
    "lock upb": ("lock", "fabric", "latency_ns", "near_latency_ns", "service_ns", "locks"),
    "lock ecsb": _CONTENDED,
    "lock wbab": (*_CONTENDED, "wait_ns", "progress", "seed"),
    "lock ccwb": (*_CONTENDED, "k", "mode", "seed"),
}


def command_of(point: Point) -> str:
    """As it can be pasted into a shell at the repository's root."""
    row = point.first
    typed = text_of(row.get("typed")) or point.found[0].command
    if not typed:
        typed = f"tools/mxk figure {point.figure}" if point.is_statement else _rebuilt(point)
    if not typed.startswith("bench "):
        return typed  # a whole line, which the comparison kept
    if point.kind is Kind.SIMULATED:
        return _simulating(point, typed)
    if not text_of(machine_of(row).get("platform")).startswith("metal"):
        return f"build/linux/{_program(point, typed)} {shlex.quote(typed)}"
    machine = machine_of(row)
    cores, nodes = number_of(machine.get("cores")), number_of(machine.get("nodes"))
    shape = (f"--cpus {cores:.0f} " if cores else "") + (f"--nodes {nodes:.0f} " if nodes else "")
    if trace := text_of(row.get("trace_name")):
        shape += f"--trace {shlex.quote(trace)} "
    return f"tools/mxk run {shape}-- {shlex.quote(typed)}"


def _program(point: Point, typed: str) -> str:
    """Ways to protect a reader, and locks, that are libraries', only the program with the peers has; and what users
    have loaded."""
    if loaded := text_of(machine_of(point.first).get("loaded")):
        return f"mxk-peers --load {shlex.quote(loaded)}"
    is_said = point.benchmark == "rcu-read" or point.benchmark.startswith("lock ")
    library = text_of(point.first.get("library")) if is_said else ""
    is_librarys = library not in ("", "none") or re.search(r"--(kind|lock) \S*(urcu-|pthread|ck-|tbb-|std-)", typed)
    is_experiment = point.figure.startswith("E")  # some are about others' allocators
    return "mxk-peers" if is_of_a_peer(point.first) or is_librarys or is_experiment else "mxk"


def _simulating(point: Point, typed: str) -> str:
    simulation = simulation_of(point.first)
    words = ["tools/mxk simulate --machine", text_of(simulation.get("machine"))]
    for name, option in (("cores", "cpus"), ("seed", "seed"), ("scale_caches", "scale-caches"), ("sample", "sample")):
        if value := text_of(simulation.get(name)):
            words += [f"--{option}", value]
    if simulation.get("threads_per_core") is not None:
        words.append("--smt")
    changes = simulation.get("changes")
    words += [f"--change {shlex.quote(text_of(it))}" for it in (changes if isinstance(changes, list) else [])]
    if simulation.get("whole") is True:
        words.append("--whole")
    return f"{' '.join(words)} -- {shlex.quote(typed)}"


def _rebuilt(point: Point) -> str:
    known = _ONLY.get(point.benchmark, tuple(name for name in _OPTIONS if name not in _NOT_OF_TABLES))
    is_trace = "trace_name" in point.first
    words = ["bench", point.benchmark, *([point.figure] if point.benchmark == "figure" else [])]
    for name in known:
        value = _operations(point) if name == "operations" else text_of(point.first.get(name))
        if value and (name, value) not in _IMPLIED and not (is_trace and name in _SAID_BY_A_TRACE):
            words += [f"--{_NAMED_OTHERWISE.get(name) or name.replace('_', '-')}", value]
    words += [word for more in _COUNTED.get(point.benchmark, ()) for word in more(point)]
    n = max((value.n for value in point.values.values()), default=1)
    if len(point.found) == 1 and n > 1:
        words += ["--repeat", str(n)]
    return " ".join([*words, "--json"])


def _operations(point: Point) -> str:
    """Of all passes, where there are several."""
    passes, operations = (number_of(point.first.get(name)) for name in ("passes", "operations"))
    return f"{passes * operations:.0f}" if passes and operations else text_of(point.first.get("operations"))


Words = Callable[[Point], list[str]]


def _said(option: str, *fields: str) -> Words:
    """The first of the fields that says anything."""

    def words(point: Point) -> list[str]:
        return next(([option, text] for name in fields if (text := text_of(point.first.get(name)))), [])

    return words


def _ids(field: str, prefix: str = "") -> Words:
    """Core ids."""

    def words(point: Point) -> list[str]:
        ids = point.first.get(field)
        return ["--cores", prefix + ",".join(map(str, ids))] if isinstance(ids, list) and ids else []

    return words


def _buckets(point: Point) -> list[str]:
    """Typed for each operation."""
    buckets, operations = (number_of(point.first.get(name)) for name in ("buckets", "operations"))
    is_set = buckets and operations and "buckets" in point.settings
    return ["--buckets", f"{buckets / operations:.6g}"] if is_set else []


def _latency(point: Point) -> list[str]:
    """Measured if asked for."""
    return ["--latency"] if "latency" in point.durations else []


def _count(point: Point) -> list[str]:
    """How often something was done, or waited for, in a run."""
    count = number_of(point.first.get("count"))
    option = "--waits" if text_of(point.settings.get("measure")) in ("synchronize", "expedite") else "--ops"
    return [option, f"{count:.0f}"] if count else []


def _part(point: Point) -> list[str]:
    """Of `bench memory`: which of its parts has this measure, and that it goes as far as this point."""
    parts = {"latency": "latency", "loaded-latency": "loaded", "random": "random", "curve": "curves"}
    part = parts.get(text_of(point.settings.get("measure")), "matrix")
    words = ["--part", part, *_said("--max" if part == "latency" else "--set", "bytes")(point)]
    if part == "matrix":
        return words
    return words + (_cores if part == "random" else _core)(point) + _said("--node", "memory_node")(point)


def _made_up_nodes(point: Point) -> list[str]:
    return _said("--nodes", "nodes")(point) if point.first.get("made_up") is True else []


# What is said besides options of the same value: cores as their set, or by their ids.
_cores, _core, _costs = _said("--cores", "core_set", "cores"), _said("--cores", "core"), _ids("cores")
_core_ids = _ids("core_ids", "cores:")
_COUNTED: dict[str, tuple[Words, ...]] = {
    "table": (_cores, _said("--sweep", "size_bytes"), _buckets, _latency),
    "peer": (_cores, _latency),
    "rcu": (_costs, _count),
    **dict.fromkeys(("figure", "rcu-read", "list", "resize", "adaptive revoke-independent"), (_cores,)),
    **dict.fromkeys(("adaptive fork-join", "adaptive mapping", "adaptive revoke"), (_cores,)),
    "lock alone": (_core_ids,),
    "lock crowd": (_said("--threads", "threads_per_core"), _cores),
    "lock upb": (_core_ids, _made_up_nodes),
    **dict.fromkeys(("lock ecsb", "lock wbab", "lock ccwb"), (_cores, _made_up_nodes)),
    "memory": (_part,),
    **dict.fromkeys(("memory-peer", "tlb"), (_core,)),
    **dict.fromkeys(("task", "thread", "semaphore", "adaptive ipc"), (_costs,)),
    **dict.fromkeys(("task-peer", "thread-peer", "semaphore-peer"), (_costs,)),
}

"""Programs that stand in for mxk and mxk-peers in a comparison, and report what a test has told them."""

import json
import sys
from pathlib import Path
from typing import Any

from helpers import Ended, drive
from mxk_host.compare.plan import CONFIGURATIONS

MXK = "mxk-batch"

# Both programs. told.json: what each engine does, round by round: a rate (operations per second with one core,
# inserting), or a way to fail; a dict adds fields to its rows. The n-th run of an engine is that of round n. With
# skewed keys it is NAME-zipf, with workloads NAME-ycsb, where latency is measured NAME-latency, at a set rate
# NAME-load, with updates NAME-updates, and beside another child of its parent, which must be pinned to the second
# processor, NAME-disturbed.
FAKE = """#!{python}
import json, os, pathlib, signal, sys
here = pathlib.Path(__file__).parent
told = json.loads((here / "told.json").read_text())
words = sys.argv[-1].split()
if words[1:3] == ["peer", "--list"]:
    sys.exit(print(json.dumps({{"benchmark": "peer-list", "peers": told["list"]}})))
costs = {{"task": "mxk-tasks", "task-peer": "peer-tasks", "thread": "mxk-threads", "thread-peer": "peer-threads",
         "memory": "mxk-memory", "memory-peer": "peer-memory", "rcu-read": "rcu", "rcu": "grace"}}
name = "random-lines" if "random" in words else costs.get(words[1]) or words[3]
if words[1] == "table":
    ends = ("--mix", "--workload")
    (name,) = [
        name
        for name, options in told["configurations"].items()
        if any(f"table {{options}} {{end}}" in sys.argv[-1] for end in ends)
    ]
engine = name
workloads = [words[at + 1] for at, word in enumerate(words) if word == "--workload"]
name += "-ycsb" * bool(workloads)
if "--dist" in words:
    assert "--dist zipf:0.99 " in sys.argv[-1]
    name += "-zipf"
name += "-updates" * any("loaded:" in word for word in words)
name += "-load" if "--rate" in words else "-latency" * ("--latency" in words)
children = pathlib.Path(f"/proc/{{os.getppid()}}/task/{{os.getppid()}}/children").read_text()
if beside := set(children.split()) - {{str(os.getpid())}}:
    (busy,) = map(int, beside)
    while len(os.sched_getaffinity(busy)) > 1:
        pass  # it has just begun
    assert os.sched_getaffinity(busy) == {{sorted(os.sched_getaffinity(0))[1]}}
    name += "-disturbed"
    (here / "busy.pids").open("a").write(f"{{busy}} ")
option = lambda key: words[words.index(key) + 1]
count = here / f"{{name}}.runs"
run = len(count.read_text()) if count.exists() else 0
count.write_text("." * (run + 1))
does = told["does"].get(name, [1e6] * 9)[run] if name.endswith("-latency") else told["does"][name][run]
machine = {{"cpu": "Fake CPU", "tsc_hz": 2.5e9, "nodes": 1, "cores": 2, "memory_bytes": 2**32, "pages": "2 MiB",
            "hypervisor": "", "build": "0123abcd gcc"}}
if name == "random-lines":
    for mix, factor in (("read", 2), ("3:1", 9), ("1:1", 1)):
        for cores in map(int, option("--cores").split(",")):
            row = {{"benchmark": "memory", "measure": "random", "mix": mix, "cores": cores, "quiet": True}}
            print(json.dumps(row | {{"lines_per_second": does * factor * cores, "verified": True}}))
    sys.exit()
if words[1] in costs:
    for engine, what, cost in does:
        row = {{"benchmark": words[1], "peer": engine, "verified": True, "quiet": True}}
        if words[1] == "rcu-read":
            kind, library = engine
            body, cores = what
            row |= {{"kind": kind, "library": library, "body": body, "cores": cores, "throughput": {{"median": cost}}}}
            print(json.dumps(row))
            continue
        if engine in ("concurrent", "concurrent-lines"):
            row |= {{"benchmark": "resize", "layout": engine, "phase": what, "cores": 2, "p99": cost}}
            print(json.dumps(row | {{"nanoseconds": {{"median": cost / 2}}}}))
            continue
        cycles = {{"measure": what, "unit": "cycles", "cycles": {{"median": cost}}, "nanoseconds": cost / 2.5}}
        nanoseconds = {{"measure": "latency", "bytes": what, "nanoseconds": {{"median": cost}}}}
        print(json.dumps(row | (nanoseconds if "memory" in words[1] else cycles)))
    sys.exit()
more = {{}}
if isinstance(does, dict):
    more, does = does, does["rate"]
if does == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
if does == "hang":
    signal.pause()
if does == "error":
    print("table: 24M operations")
    print("error: out of memory on node 0")
    sys.exit(1)
wrong = does == "wrong"
if "--latency" in words:
    more = {{"latency": {{"count": 9, "p50_ns": 2000, "p99_ns": 31000}}}} | more
for workload in workloads:
    for cores in map(int, option("--cores").split(",")):
        rate = (1e6 if isinstance(does, str) else does) * cores
        row = {{"benchmark": words[1], "peer": engine, "workload": workload, "cores": cores, "machine": machine}}
        row |= {{"throughput": {{"n": 1, "median": rate}}, "quiet": True}}
        print(json.dumps(row | {{"mix": "load", "verified": True}}))
        print(json.dumps(row | {{"mix": "run", "verified": not wrong}}))
mixes = [mix for at, word in enumerate(words) if word == "--mix" for mix in words[at + 1].split(",")]
loaded = [(mix, 2) for mix in ("loaded:1/99/0", "loaded:5/90/5", "loaded:25/50/25")]
for mix, factor in (("insert", 1), ("find", 2), ("erase", 4), *loaded):
    if workloads or mix not in mixes:
        continue
    for cores in map(int, option("--cores").split(",")):
        if does == "half" and mix == "erase":
            continue
        row = {{"benchmark": words[1], "peer": engine, "mix": mix, "cores": cores}}
        if name == "no-erase" and mix == "erase":
            print(json.dumps(row | {{"supported": False, "reason": "it cannot erase"}}))
            continue
        rate = (1e6 if isinstance(does, str) else does) * factor * cores
        print(json.dumps(row | {{"operations": int(option("--ops")), "throughput": {{"n": 1, "median": rate}},
                                 "machine": machine, "warnings": ["memory: pages are small"], "quiet": True,
                                 "verified": not (wrong and mix == "find")}} | more))
sys.exit(1 if wrong else 0)
"""


class Fakes:
    """A folder with both programs, and the driver run on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.peers: list[dict[str, Any]] = []
        self.does: dict[str, list[Any]] = {}
        for program in ("mxk", "mxk-peers"):
            (folder / program).write_text(FAKE.format(python=sys.executable))
            (folder / program).chmod(0o755)

    def engine(self, name: str, *does: Any, kind: str = "peer", missing: str = "") -> None:  # noqa: ANN401
        """An engine and what it does in each round."""
        if name not in CONFIGURATIONS:
            peer = {"name": name, "kind": kind, "library": f"lib{name} 1.0", "built": not missing, "reason": missing}
            self.peers.append(peer)
        self.does[name] = list(does)

    def arguments(self, *options: str) -> list[str]:
        """The driver's arguments for this folder: of the parts those for which there is something to do."""
        self.tell()
        mxk = [name for name in CONFIGURATIONS if name in self.does] or [MXK]
        parts = ["table"] + ["zipf"] * any(name.endswith("-zipf") for name in self.does)
        parts += [part for part in ("tasks", "threads") if f"mxk-{part}" in self.does]
        chosen = ["--ops", "200K", "--mxk", ",".join(mxk), "--only", ",".join(parts), "--json"]
        peers = [peer["name"] for peer in self.peers] + ["random-lines"] * ("random-lines" in self.does)
        chosen += ["--peers", ",".join(peers)]
        return ["compare", *self.places(), *chosen, *options]

    def tell(self) -> None:
        """Hands the programs what they are to do."""
        told = {"list": self.peers, "does": self.does, "configurations": CONFIGURATIONS}
        (self.folder / "told.json").write_text(json.dumps(told))

    def places(self) -> list[str]:
        """The options that say where the programs and the results are."""
        return ["--build", str(self.folder), "--results", str(self.folder / "results")]

    def compare(self, *options: str) -> Ended:
        """Runs the comparison."""
        return drive(*self.arguments(*options))


def summary(ended: Ended) -> dict[str, Any]:
    """The one JSON line, which is the last of the output."""
    return json.loads(ended.output.splitlines()[-1])


def row(result: dict[str, Any], engine: str, mix: str, cores: int, section: str = "table") -> dict[str, Any]:
    """The row of an engine in a column."""
    wanted = (section, engine, mix, cores)
    found = [r for r in result["rows"] if (r["section"], r["engine"], r.get("mix"), r.get("cores")) == wanted]
    assert len(found) == 1, f"rows of {engine}, {mix}, {cores}: {found}"
    return found[0]

"""The gate of the locks over MPI, and mutants: locks that leave out one step at one place of their source, which the
gate has to notice, with as few sections as it takes. The programs build/linux/mutants/mxk-mpi-* have a command for that
(tests/mpi/mutants.cpp)."""

import json
import os
import re
import signal
import subprocess
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers import LINUX_BUILD, ROOT
from mxk_host.lock_mpi import MpiRun
from mxk_host.mpi import Mpi, kept_environment

SECTIONS = 4  # of each rank: more find little more
PASSES = 2
PATIENCE = 2  # seconds until a lock hangs
UNNOTICED = ROOT / "tests/mpi/unnoticed.toml"
AT_ONCE = 60  # mutants in one start of the ranks, until one hangs
MUTATIONS = {
    "store": ("left-out",),
    "put": ("left-out", "unflushed"),
    "update": ("left-out",),
    "condition": ("always", "never"),
}


@dataclass(frozen=True)
class Mutant:
    """What is done otherwise, in a lock of this kind."""

    kind: str
    place: str
    near: bool
    mutation: str
    name: str  # "mcs of a node, release() condition 2: never"

    def commands(self, sections: int, patience: int) -> str:
        """The gate over it, with an MPI that begins nothing before its flush. MPICH itself does, unasked."""
        near = " --near" if self.near else ""
        return (
            f"mutant --place {self.place}{near} --mutation {self.mutation} --lazy; "
            f"gate --lock {self.kind} --sections {sections} --passes {PASSES} --patience {patience} --json; met"
        )


@dataclass(frozen=True)
class Verdict:
    """What the gate has said: an empty text: nothing."""

    noticed: str
    changes: int = -1  # how often the mutant did something else, if the gate came to its end


def run_ranks(mpi: Mpi, commands: str, timeout: float) -> tuple[int | None, str, str]:
    """The exit status, None where time was over, and what the ranks have said."""
    line = MpiRun(mpi, 8, 2, commands, folder=LINUX_BUILD / "mutants").line
    with subprocess.Popen(
        line,
        env=kept_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as ranks:
        try:
            output, complaint = ranks.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(ranks.pid, signal.SIGKILL)
            output, complaint = ranks.communicate()
            return None, output, complaint
        return ranks.returncode, output, complaint


def rows_of(output: str) -> list[dict[str, Any]]:
    """The whole lines of JSON."""
    rows = []
    for line in output.splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def judge(mpi: Mpi, mutants: Sequence[Mutant], sections: int, patience: int = PATIENCE) -> dict[Mutant, Verdict]:
    """The gate's verdict of each."""
    verdicts: dict[Mutant, Verdict] = {}
    left = list(mutants)
    while left:
        some = left[:AT_ONCE]
        commands = "; ".join(mutant.commands(sections, patience) for mutant in some)
        status, output, complaint = run_ranks(mpi, commands, 10 + (patience + 1) * len(some))
        judged: list[Verdict] = []
        noticed, has_stray = "", False
        for row in rows_of(output):
            if row.get("benchmark") == "lock-gate":
                noticed = "" if row["verified"] else "hang" if row.get("error") == "hang" else "violation"
                has_stray = row.get("wrong_messages", 0) != 0
                if noticed == "hang":
                    break
            elif "changes" in row:
                judged.append(Verdict(noticed, row["changes"]))
                noticed = ""
                if has_stray:  # a message of a lock that went wrong is the next one's, too
                    break
        if status != 0 and len(judged) < len(some) and not has_stray:
            hangs = noticed == "hang" or status is None or ": hang: " in complaint
            judged.append(Verdict("hang" if hangs else noticed or f"crash: {status}"))
        if not judged:
            raise AssertionError(f"{commands}: {status}: {output}{complaint}")
        verdicts.update(zip(some, judged, strict=False))
        left = left[len(judged) :]
    return verdicts


def kinds_of(mpi: Mpi) -> list[str]:
    """All locks. Of those that share a part the simplest is first: it takes less time, and nothing else helps it."""
    rows = [row for row in rows_of(run_ranks(mpi, "list --json", 30)[1]) if "lock" in row]
    rows.sort(key=lambda row: (row["has_nodes"], len(row["lock"]), row["lock"]))
    return [row["lock"] for row in rows]


def position(place: str) -> tuple[str, int, int]:
    """File, line and column."""
    file, line, column = place.split(":")
    return file, int(line), int(column)


def mutants_of(mpi: Mpi, kinds: Sequence[str], folder: Path) -> list[Mutant]:
    """Of each place that a gate of many sections meets, with the first of these kinds of locks that has it."""
    gates = "; ".join(
        f"mutant; gate --lock {kind} --sections 30 --passes {PASSES} --patience 30; met --file {folder / kind}"
        for kind in kinds
    )
    status, output, complaint = run_ranks(mpi, gates, 300)
    assert status == 0, output + complaint
    places: dict[tuple[tuple[str, int, int], bool, str], tuple[str, str, str]] = {}
    for kind in kinds:
        file = folder / kind
        for row in rows_of(file.read_text(encoding="utf-8")) if file.exists() else ():
            key = (position(row["place"]), row["near"], row["step"])
            places.setdefault(key, (kind, row["place"], row["function"]))
    numbers: dict[tuple[str, bool, str, str], int] = {}
    mutants = []
    for (where, near, step), (kind, place, function) in sorted(places.items()):
        counted = (where[0], near, step, function)
        numbers[counted] = numbers.get(counted, 0) + 1
        file = re.sub(r"(_lock)?\.hpp$", "", where[0])
        name = f"{file}{' of a node' if near else ''}, {function}() {step} {numbers[counted]}"
        mutants += [Mutant(kind, place, near, how, f"{name}: {how}") for how in MUTATIONS[step]]
    return mutants


def smallest_numbers(mpi: Mpi, mutants: Iterable[Mutant], numbers: Sequence[int]) -> dict[Mutant, tuple[int, Verdict]]:
    """With how many sections each is noticed; 0: with none of these numbers."""
    found: dict[Mutant, tuple[int, Verdict]] = {}
    left = list(mutants)
    for number in numbers:
        verdicts = judge(mpi, left, number)
        for mutant, verdict in verdicts.items():
            found[mutant] = (number if verdict.noticed else 0, verdict)
        left = [mutant for mutant in left if not verdicts[mutant].noticed]
    return found


def expected_unnoticed() -> set[str]:
    """The names of those that the gate need not notice."""
    groups = tomllib.loads(UNNOTICED.read_text(encoding="utf-8"))["unnoticed"]
    return {name for group in groups for name in group["mutants"]}

"""Peak resident memory of allocators, each in a process of its own: `tools/mxk heap-peaks`. What a process has in use
includes what an allocator has kept of an earlier run, so it says something only of the one that is alone in it."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mxk_host.errors import UsageError
from mxk_host.machine import Accelerator
from mxk_host.programs import PROGRAMS, Programs, Side
from mxk_host.stream import Row

HEAPS = ("mxk", "locked", "glibc", "mimalloc", "jemalloc", "tbbmalloc", "snmalloc")
# What each runs: with so much memory that pages and tables do not matter.
OPTIONS = {
    "micro": "--pattern random,sawtooth --size 64,512 --live 100K --ops 300K",
    "remote": "--size 1Ki,32Ki --ops 100K",
    "larson": "--objects 20K --rounds 10 --replacements 20K",
    "footprint": "--part release",
}
PARTS = tuple(OPTIONS)

Peaks = Mapping[str, Mapping[str, float]]  # MiB, by allocator and part


@dataclass(frozen=True)
class Missing:
    """An allocator that this machine does not have, and why."""

    heap: str
    reason: str


def measure(folder: Path, heaps: Sequence[str], parts: Sequence[str], cores: int, timeout: float) -> list[Row]:
    """The rows of all processes, in the order of allocators and parts. Raises if one fails."""
    program = folder / PROGRAMS[Side.PEERS]
    if not program.is_file():
        raise UsageError(f"expected the program {program}: make linux builds it first")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as logs:
        programs = Programs(folder, Path(logs), timeout, Accelerator.TCG)  # the last one is the kernel's
        for heap in heaps:
            for part in parts:
                sets = "1" if part == "footprint" else str(cores)
                # Calibrating would touch memory of the nodes, which MXK's allocators then have without it being seen.
                options = f"--heap {heap} {OPTIONS[part]} --cores {sets} --repeat 1 --json"
                command = f"prefetch --default; bench heap {part} {options}"
                rows += [row for row in programs.rows(Side.PEERS, command, cores) if "heap" in row]
    return rows


def peaks_of(rows: Sequence[Row]) -> tuple[Peaks, list[Missing]]:
    """The maximum of each part's rows, and what could not be measured."""
    peaks: dict[str, dict[str, float]] = {}
    missing: dict[str, Missing] = {}
    for row in rows:
        heap, part = row["heap"], row["benchmark"].removeprefix("heap ")
        if "reason" in row or "error" in row:
            missing.setdefault(heap, Missing(heap, row.get("reason") or row["error"]))
        elif "resident_max_mib" in row:
            found = peaks.setdefault(heap, {})
            found[part] = max(found.get(part, 0), row["resident_max_mib"])
    return peaks, list(missing.values())


def best(peaks: Peaks, part: str) -> float:
    """The smallest peak of a part; 0 without any."""
    return min((of_heap[part] for of_heap in peaks.values() if part in of_heap), default=0)


def show(peaks: Peaks, missing: Sequence[Missing], parts: Sequence[str]) -> None:
    """A row for each allocator: of each part MiB, and how many times the best one's."""
    width = 22
    print(f"{'peak resident MiB':<18}" + "".join(f"{part:>{width}}" for part in parts))
    for heap, of_heap in peaks.items():
        cells = (_cell(of_heap.get(part), best(peaks, part)) for part in parts)
        print(f"{heap:<18}" + "".join(f"{cell:>{width}}" for cell in cells))
    for lost in missing:
        print(f"{lost.heap}: not measured: {lost.reason}")


def _cell(peak: float | None, smallest: float) -> str:
    if peak is None:
        return "-"
    return f"{peak:.1f} ({peak / smallest:.2f})" if smallest > 0 else f"{peak:.1f}"


def as_json(peaks: Peaks, parts: Sequence[str]) -> str:
    """One line."""
    ratios = {
        heap: {part: peak / best(peaks, part) for part, peak in of_heap.items() if part in parts and best(peaks, part)}
        for heap, of_heap in peaks.items()
    }
    return json.dumps({"heap_peaks": {"resident_max_mib": peaks, "by_best": ratios}})

"""Fakes for tests of tools/mxk simulate: a QEMU that is a shell script, a kernel that is a page of C++, and what a
plugin could have written about it."""

import json
import subprocess
from pathlib import Path
from typing import Any

from helpers import Ended, drive
from mxk_host.simulate.result import PARTS
from mxk_host.simulate.symbols import Symbols

HERTZ = 1_000_000_000

_KERNEL = """
#include <array>
#include <atomic>
namespace mxk::bench {
[[gnu::noinline]] void measured_part_begins() { asm volatile(""); }
[[gnu::noinline]] void measured_part_ends() { asm volatile(""); }
struct Lane { std::atomic<unsigned long> head; std::atomic<unsigned long> tail; short places[2][4]; };
struct Base { long waiting; };
struct alignas(64) Queue : Base { std::array<Lane, 3> lanes; union { int first; char bytes[4]; }; };
class Scheduler { public: static Queue shared; };
Queue Scheduler::shared;
namespace { alignas(64) int counters[16]; }
[[gnu::noinline]] void take() { Scheduler::shared.lanes[0].head = 1; }
[[gnu::noinline]] void put() { Scheduler::shared.lanes[0].tail = counters[3]++; }
}
extern "C" void _start() {
    using namespace mxk::bench;
    measured_part_begins(); take(); put(); measured_part_ends();
}
"""

# Writes what it was told to where the plugin would, then SERIAL (printf format), and ends with STATUS.
_QEMU = r"""#!/bin/sh
for word in "$@"; do
    case $word in *mxk-simulator.so,*) result=${word#*,result=}; result=${result%%,*} ;; esac
done
printf '%s\n' "$@" >"$0.arguments"
[ -z "$RESULT" ] || cp "$RESULT" "$result"
printf "$SERIAL"
[ "$STATUS" = never ] && exec sleep 60
exit "$STATUS"
"""


class Fakes:
    """In a folder: QEMU 10, a plugin, a kernel. `debug`: with types (-g), or without (-g1)."""

    def __init__(self, folder: Path, debug: str = "-g", kernel: str = _KERNEL) -> None:
        self.folder = folder
        self.qemu = folder / "machines/qemu-10/usr/bin/qemu-system-x86_64"
        self.qemu.parent.mkdir(parents=True)
        self.qemu.write_text(_QEMU)
        self.qemu.chmod(0o755)
        (folder / "mxk-simulator.so").touch()
        self.kernel = folder / "metal/mxk.elf"
        self.kernel.parent.mkdir()
        source = folder / "kernel.cpp"
        source.write_text(kernel)
        options = ["-std=c++20", debug, "-O0", "-static", "-nostdlib", "-fno-pie", "-no-pie", "-mcmodel=kernel"]
        place = "-Wl,-Ttext=0xffffffff80100000"
        subprocess.run(["g++", *options, place, "-o", str(self.kernel), str(source)], check=True)

    def drive(
        self,
        *arguments: str,
        command: str = "simulate",
        status: str = "33",
        serial: str = "",
        result: Any = None,  # noqa: ANN401
    ) -> Ended:
        """Runs `tools/mxk simulate`, or another command that does, with all of them. `result`: what the plugin writes;
        None: nothing."""
        written = self.folder / "written.json"
        if result is not None:
            written.write_text(result if isinstance(result, str) else json.dumps(result))
        return drive(
            command,
            *("--no-build", "--build", str(self.folder)),
            *arguments,
            MXK_MACHINES=str(self.folder / "machines"),
            MXK_METAL_PRESET=str(self.kernel.parent),
            RESULT="" if result is None else str(written),
            STATUS=status,
            SERIAL=serial,
        )

    @property
    def symbols(self) -> Symbols:
        """Of the kernel."""
        return Symbols(self.kernel)

    def address(self, name: str) -> int:
        """Of the function or variable whose linker's name has this in it, and little else."""
        return min((it for it in self.symbols.every if name in it.linked), key=lambda it: len(it.linked)).address

    @property
    def arguments(self) -> list[str]:
        """What QEMU was started with."""
        return self.qemu.with_suffix(".arguments").read_text().splitlines()


def stack(**cycles: float) -> dict[str, float]:
    """With nothing for all that is not named."""
    return dict.fromkeys(PARTS, 0.0) | cycles


def place(offset: int, core: int, code: int, *, reads: int = 0, writes: int = 0) -> dict[str, Any]:
    """Accesses of eight bytes."""
    return {"offset": offset, "bytes": 8, "core": core, "code": hex(code), "reads": reads, "writes": writes}


def line(physical: int, virtual: int, cycles: int, places: list[dict[str, Any]]) -> dict[str, Any]:
    """As the plugin writes it."""
    moved = {"transfers": cycles // 100, "invalidations": cycles // 200, "cycles": cycles}
    return {"physical": hex(physical), "virtual": hex(virtual), **moved, "places": places}


def a_result(fakes: Fakes) -> dict[str, Any]:
    """Two regions on test-2x2: one core, then all four, which share lines rightly and wrongly."""
    queue, counters = fakes.address("Scheduler6shared"), fakes.address("counters")
    take, put = fakes.address("take"), fakes.address("bench3put")
    heap = 0xFFFF_8000_0000_0000
    lines = [
        line(0x10_0040, queue, 8000, [place(8, 0, take, reads=50, writes=50), place(16, 2, put, reads=9, writes=70)]),
        line(0x1_0000_1000, heap, 4000, [place(0, core, put, reads=30, writes=30) for core in range(4)]),
        line(0x10_0200, counters, 500, [place(8, 1, put, reads=20)]),
    ]
    one = _region(0, 10_000, 1, take, [])
    return {
        "machine": "test-2x2",
        "hertz": HERTZ,
        "instructions": 50_000,
        "host_seconds": 0.02,
        "regions": [one, _region(20_000, 30_000, 4, take, lines)],
    }


def _region(begin: int, end: int, cores: int, code: int, lines: list[dict[str, Any]]) -> dict[str, Any]:
    spent = stack(base=2500.0, l1=500.0, remote_memory=2000.0, other_core=3000.0 if cores > 1 else 0.0)
    idle = end - begin - sum(spent.values())
    return {
        "begin": begin,
        "end": end,
        "cores": [
            {
                "core": core,
                "node": core // 2,
                "instructions": 10_000 if core < cores else 0,
                "cycles": end - begin,
                "stack": spent | {"idle": idle} if core < cores else stack(idle=float(end - begin)),
            }
            for core in range(4)
        ],
        "traffic": [[0, 64_000 * cores], [128_000 * cores, 0]],
        "channels": [
            {"node": node, "bytes": 128_000 * cores, "busy": 0.2 * cores + more}
            for node in range(2)
            for more in (0.1, -0.1)
        ],
        "functions": [
            {"address": hex(code + part), "instructions": 5000 * cores, "cycles": 4000 * cores, "stack": spent}
            for part in (0, 4)
        ],
        "lines": lines,
    }

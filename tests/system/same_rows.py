"""Whether two programs give the same rows: the same commands, seeds and sets of cores, and then the same keys in the
same order, the same types, and the same values of all that is not measured.

python3 tests/system/same_rows.py OLD NEW [WORD...] runs those commands of COMMANDS that contain a word, or all; it
prints each difference.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ONCE = "--repeat 1 --warm-up 0 --json"
LOCK = f"--cores 2 --ms 4 {ONCE}"
FLOW = f"--cores 1,2 --no-peers {ONCE}"
TWO_NODES = "--cores 4 --nodes 2 --"
ALONE = f"--cores 1,2 {ONCE}"

# Every benchmark, small, with its options that make other rows; in front of " -- " what the program is told.
COMMANDS = [
    f"bench heap micro --heap mxk,locked --size 16,64 --live 50 --ops 2000 --cores 1,2 {ONCE}",
    "bench heap micro --pattern lifo --size 16 --live 50 --ops 2000 --seed 3 --repeat 2 --json",
    f"bench heap remote --heap mxk,locked --size 64,1024 --ops 2000 --cores 1,2 {ONCE}",
    f"bench heap larson --heap mxk,locked --objects 50 --rounds 3 --replacements 200 --cores 1,2 {ONCE}",
    f"bench heap cache-thrash --heap mxk,locked --ops 200 --writes 20 --cores 1,2 {ONCE}",
    f"bench heap cache-scratch --heap mxk --ops 200 --writes 20 --cores 1,2 {ONCE}",
    f"bench heap first-touch --heap mxk,locked --mib 1 --iterations 2 {ONCE}",
    f"bench heap footprint --heap mxk,locked --mib 1 --rounds 50 --large 5 {ONCE}",
    f"bench heap footprint --heap mxk --part ping-pong,release --mib 1 --rounds 50 {ONCE}",
    f"bench heap replay {{trace}} --heap mxk,locked --cores 1,2 {ONCE}",
    f"bench dataflow pipe --rows 16,0 --envelopes 50 --slow 2 --discipline requests,original {FLOW}",
    f"bench dataflow fork --rows 50 --envelopes 1,10 --requests 3 {FLOW}",
    f"bench dataflow mix --rows 50 --envelopes 5 --requests 2x1,2x3 {ALONE}",
    f"bench dataflow flood --rows 50 --envelopes 3 --requests 1,20 {ALONE}",
    f"bench dataflow stagger --rows 50 --envelopes 3 --requests 10 {ALONE}",
    f"bench dataflow sweep --kib 1,5 --all-rows 500 --requests 2 --stages 1 {ALONE}",
    f"bench dataflow sort --rows 37 --all-rows 333 --requests 1x2 {ALONE}",
    f"bench dataflow idle --ms 2 --pings 5 --cores 1,2 {ONCE}",
    f"bench dataflow task --ops 500 --discipline requests,original --steals-first {ALONE}",
    f"bench dataflow steal --ops 200 {ALONE}",
    f"bench dataflow counters --ops 200 {ALONE}",
    f"bench dataflow balance --rows 64 --envelopes 20 --requests 30 --giant-envelopes 200 --giant-stages 8 {ALONE}",
    f"bench dataflow place --rows 100 --envelopes 64 --requests 5 --table-kib 4 {ALONE}",
    f"{TWO_NODES} bench dataflow place --rows 100 --envelopes 64 --requests 5 --table-kib 4 --cores 4 {ONCE}",
    f"{TWO_NODES} bench dataflow balance --rows 64 --envelopes 20 --requests 30 --giant-envelopes 99 --cores 4 {ONCE}",
    f"bench dataflow place --way heap --rows 10 --envelopes 8 --distances measured {ALONE}",
    *(f"bench figure {number} --ops 20k --cores 1,2 {ONCE}" for number in ("4.1", "4.2", "4.3", "4.4", "4.5", "4.6")),
    "bench figure --json",
    f"bench lock alone --ops 2000 {ONCE}",
    f"bench lock ecsb --lock mcs,clh,c-mcs-mcs,hmcs {LOCK}",
    f"bench lock ecsb --fabric emu --nodes 2 --lock mcs,clh --latency 1000 {LOCK}",
    f"bench lock ccwb --lock mcs,tts {LOCK}",
    f"bench lock wbab --lock mcs,tts --wait 0,40 {LOCK}",
    f"bench lock crowd {ONCE}",
    f"--cores 4 --nodes 1 -- bench lock upb --nodes 2 --lock mcs,clh --locks 50 {ONCE}",
    f"--cores 4 --nodes 1 -- bench lock upb --nodes 2 --fabric emu --lock mcs,clh,rma-mcs --locks 20 {ONCE}",
    f"bench list --kind rcu,spin --ms 4 {ALONE}",
    f"bench rcu --ops 10K --waits 50 {ONCE}",
    f"bench rcu-read --kind qsbr,rwlock --ms 4 {ALONE}",
    f"bench resize --keys 10k --ms 4 {ALONE}",
    f"bench fork-join --fib 12 --queens 5 --matrix 32 --keys 500 --loop-ms 1 --rows 99 --runtime serial,mxk "
    f"--program fib,queens,matrix,sort,loop-10,spmv {ALONE}",
    f"bench adaptive fork-join {ONCE}",
    f"bench adaptive ipc {ONCE}",
    f"bench adaptive mapping --pages 8 {ALONE}",
    f"bench adaptive revoke --pages 8 {ALONE}",
    f"bench adaptive revoke-independent --rounds 8 {ALONE}",
    f"bench lines --trips 100 --passes 3 --cores 2 {ONCE}",
    f"bench memory --part latency --max 64Ki --loads 10K {ONCE}",
    f"bench memory --part matrix --set 64Ki --loads 10K {ONCE}",
    f"bench memory --part loaded --set 64Ki --loads 10K {ONCE}",
    f"bench memory --part overlap --set 64Ki --loads 10K {ONCE}",
    f"bench tlb --max 4Mi --loads 10K {ONCE}",
    f"bench task --ops 10K --trips 100 --wakes 10 {ONCE}",
    f"bench thread {ONCE}",
    f"bench semaphore {ONCE}",
    f"bench table --layout bucketed --ops 20k --mix insert,find --submit batch {ALONE}",
    f"bench table --ops 20k --layout chained --mix mixed:50/40/10 {ALONE}",
    f"bench table --sweep 64Ki --mix find --layout bucketed --ops 20k {ALONE}",
    f"bench table --model threads --ops 20k {ALONE}",
]

TRACE = "mxk-heap-trace 1\n" + "".join(f"{n % 3} a {n} {8 + 40 * n}\n" for n in range(60)) + "1 f 7 288\n2 f 11 448\n"

# What is measured stands from one of these keys on.
MEASURED = {"seconds", "unit", "count", "moved_bytes", "reason", "error"}
# Of these only the keys count.
OF_THE_MACHINE = {
    "machine",
    "conditions",
    "warnings",
    "warning_count",
    "crc32",
    "prefetch",
}
# There are only such as the machine can tell, or as a run has met.
AS_IT_HAPPENS = {"not_quiet", "drift", "woken", "left_out"}


def rows_of(program: str, command: str) -> list[dict[str, Any]]:
    """The rows that a command prints, in their order; of a program that fails, too."""
    trace = Path(tempfile.gettempdir()) / f"same-rows-{os.getpid()}.trace"
    trace.write_text(TRACE)
    options, _, typed = command.rpartition(" -- ")
    options = options or "--cores 2 --nodes 1"  # on every machine the same
    ended = subprocess.run(
        [program, *options.split(), typed.format(trace=trace)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    trace.unlink()
    lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"{program} '{command}' prints no rows: {ended.stdout[-300:]} {ended.stderr[-300:]}")
    return [json.loads(line.replace(str(trace), "TRACE")) for line in lines]


def type_of(value: object) -> object:
    """What does not change from run to run: objects by their keys, numbers of any kind as one."""
    if isinstance(value, dict):
        return {key: type_of(of_key) for key, of_key in value.items()}
    if isinstance(value, bool) or value is None:
        return "bool or null"
    return "number" if isinstance(value, int | float) else type(value).__name__


def shape_of(row: dict[str, Any]) -> dict[str, Any]:
    """A row's keys in their order, with values in front of what was measured, and types behind it."""
    shape: dict[str, Any] = {}
    is_measured = False
    for key, value in row.items():
        is_measured = is_measured or key in MEASURED
        if key in AS_IT_HAPPENS:
            continue
        if key in OF_THE_MACHINE:
            shape[key] = list(value) if isinstance(value, dict) else type(value).__name__
        elif is_measured or (key in ("measured", "holds") and "statement" in row):
            shape[key] = type_of(value)
        else:
            shape[key] = value
    return shape


def differences(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[str]:
    """Where the shapes of rows differ."""
    if len(old) != len(new):
        yield f"{len(old)} rows, now {len(new)}"
    for number, (before, after) in enumerate(zip(map(shape_of, old), map(shape_of, new), strict=False)):
        if list(before) != list(after):
            yield f"row {number}: keys {' '.join(before)}; now {' '.join(after)}"
        for key in before.keys() & after.keys():
            if before[key] != after[key]:
                yield f"row {number}: {key} {before[key]!r}, now {after[key]!r}"


def main(old: str, new: str, *words: str) -> int:
    """The number of commands whose rows differ."""
    wrong = 0
    for command in COMMANDS:
        if words and not any(word in command for word in words):
            continue
        found = list(differences(rows_of(old, command), rows_of(new, command)))
        wrong += bool(found)
        print(
            "NO " if found else "yes",
            command,
            *found[:6],
            sep="\n      " if found else " ",
            flush=True,
        )
    return wrong


if __name__ == "__main__":
    sys.exit(min(1, main(*sys.argv[1:])))

#!/usr/bin/env -S python3 -E
"""Programs of Debian under libmxk-locks.so (docs/locks-preload.md): how long each takes with each kind of lock and with
glibc's mutex, if its results are right. Rows as JSON, and then tables for a page.

    tools/lock_programs.py                                      all, some hours
    tools/lock_programs.py --programs pigz,redis --kinds mcs --shapes 2 --repeat 1 --scale 0.1

A shape is how many processors and threads: 1 (one of each), 2 (two of each), 2x4 (eight threads on two processors). In
each round all kinds take turns. A run that is not over in --seconds has no time, and that kind no more rounds."""

import argparse
import functools
import gzip
import hashlib
import itertools
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1] / "build/linux/libmxk-locks.so"
GLIBC = "glibc"
KINDS = ("tas", "tts", "ticket", "mcs", "clh", "hemlock-ctr", "c-tkt-mcs", "c-mcs-mcs", "hmcs", "shfl")
SHAPES = {"1": (1, 1), "2": (2, 2), "2x4": (2, 8)}
PORT = 21199
PYTHON = """
import hashlib, queue, sys, threading
todo, done = queue.Queue(), []
def work():
    while (number := todo.get()) is not None:
        done.append((number, hashlib.sha256(str(number).encode() * 200).hexdigest()))
threads = [threading.Thread(target=work) for _ in range(int(sys.argv[1]))]
for thread in threads: thread.start()
for number in range(int(sys.argv[2])): todo.put(number)
for _ in threads: todo.put(None)
for thread in threads: thread.join()
print(hashlib.sha256(repr(sorted(done)).encode()).hexdigest())
"""


class WrongError(Exception):
    """A program did what it would not do with glibc's mutex."""


class Run:
    """One run of a program: its threads, its size, a folder of its own, and the kind of lock."""

    def __init__(self, kind: str, shape: str, scale: float, seconds: float, folder: Path) -> None:
        processors, self.threads = SHAPES[shape]
        self.processors = sorted(os.sched_getaffinity(0))[:processors]
        self.scale, self.folder = scale, folder
        self.end = time.monotonic() + seconds
        self.environment = {name: text for name, text in os.environ.items() if not name.startswith("MXK_LOCK")}
        self.preloaded = dict(self.environment)
        if kind != GLIBC:
            self.preloaded |= {"LD_PRELOAD": str(LIBRARY), "MXK_LOCK": kind}

    def size(self, full: int) -> int:
        """So many operations, in this run."""
        return max(1, int(full * self.scale))

    def _stay(self) -> None:
        os.sched_setaffinity(0, self.processors)

    def call(self, *words: object, preload: bool = True) -> str:
        """What a program prints; it succeeds, in time."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.preloaded if preload else self.environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=max(0.1, self.end - time.monotonic()),
            preexec_fn=self._stay,
            check=False,
        )
        if done.returncode != 0:
            raise WrongError(f"{words[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[:300]!r}")
        return done.stdout + done.stderr

    @contextmanager
    def server(self, *words: object) -> Iterator[None]:
        """A program that listens at the port, for as long as it is used."""
        server = subprocess.Popen(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.preloaded,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=self._stay,
        )
        try:
            while not self._is_listened_to():
                if server.poll() is not None:
                    raise WrongError(f"{words[0]} ended with {server.returncode}")
                if time.monotonic() > self.end:
                    raise subprocess.TimeoutExpired(str(words[0]), 0)
                time.sleep(0.02)
            yield
        finally:
            server.kill()
            server.wait()

    def _is_listened_to(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", PORT)) == 0


def timed(function: Callable[[], str]) -> tuple[float, str]:
    """Seconds, and the result."""
    begin = time.monotonic()
    result = function()
    return time.monotonic() - begin, result


def expect(got: object, expected: object) -> None:
    """Equal, or the lock was wrong."""
    if got != expected:
        raise WrongError(f"expected {expected}, got {got}")


@functools.cache
def text_of(size: int) -> bytes:
    """As compressible as text, the same each time."""
    lines = (
        f"{number} {hashlib.md5(str(number).encode()).hexdigest()[: number % 30]}\n" for number in itertools.count()
    )
    text = bytearray()
    while len(text) < size:
        text += next(lines).encode()
    return bytes(text)


def pigz(run: Run) -> float:
    """Compresses; what is unpacked has the same check sum."""
    text = text_of(run.size(64_000_000))
    (run.folder / "text").write_bytes(text)
    seconds, _ = timed(lambda: run.call("pigz", "-k", "-n", "-b", "32", "-p", run.threads, "text"))
    packed = gzip.decompress((run.folder / "text.gz").read_bytes())
    expect(hashlib.sha256(packed).hexdigest(), hashlib.sha256(text).hexdigest())
    return seconds


def stress_ng(run: Run) -> float:
    """One mutex, which all threads lock; all of it is done. Of a run that is too short it says that no thread began."""
    ops = max(100_000, run.size(400_000))
    words = ["--mutex", 1, "--mutex-procs", max(2, run.threads), "--mutex-ops", ops, "--metrics-brief"]
    seconds, output = timed(lambda: run.call("stress-ng", *words))
    (done,) = re.findall(r" mutex +(\d+) +[\d.]+ +[\d.]+ +[\d.]+ ", output)
    expect(int(done) >= ops, True)
    expect("successful run completed" in output, True)
    return seconds


def python(run: Run) -> float:
    """Threads take work from a queue; a check sum over what all have done."""
    count = run.size(200_000)
    done = sorted((number, hashlib.sha256(str(number).encode() * 200).hexdigest()) for number in range(count))
    seconds, output = timed(lambda: run.call(sys.executable, "-c", PYTHON, run.threads, count))
    expect(output.strip(), hashlib.sha256(repr(done).encode()).hexdigest())
    return seconds


def memcached(run: Run) -> float:
    """Sets by memcslap; the server has counted all."""
    each = run.size(200_000) // 4
    with run.server("memcached", "-u", "root", "-U", 0, "-l", "127.0.0.1", "-p", PORT, "-t", run.threads, "-m", 256):
        words = ["--servers", f"127.0.0.1:{PORT}", "--test", "set", "--concurrency", 4, "--execute-number", each]
        seconds, _ = timed(lambda: run.call("memcslap", *words, preload=False))
        with socket.create_connection(("127.0.0.1", PORT)) as connection, connection.makefile("rw") as stream:
            stream.write("stats\r\n")
            stream.flush()
            counts = dict(line.split()[1:3] for line in iter(stream.readline, "END\n") if line.startswith("STAT"))
    expect(int(counts["cmd_set"]), 4 * each)
    return seconds


def redis(run: Run) -> float:
    """Increments of one counter over many connections, and I/O threads; the counter."""
    count = run.size(400_000)
    threads = ["--io-threads", max(2, run.threads), "--io-threads-do-reads", "yes"]
    with run.server("redis-server", "--port", PORT, "--save", "", "--appendonly", "no", *threads):
        words = ["-p", PORT, "-t", "incr", "-n", count, "-c", 50, "-P", 8, "-q"]
        seconds, _ = timed(lambda: run.call("redis-benchmark", *words, preload=False))
        expect(run.call("redis-cli", "-p", PORT, "get", "counter:__rand_int__", preload=False).strip(), str(count))
    return seconds


def db_bench(run: Run) -> float:
    """Writes and reads of all threads; all keys are found."""
    number = run.size(400_000) // run.threads
    words = ["--benchmarks=fillseq,readrandom", f"--num={number}", f"--threads={run.threads}", f"--db={run.folder}/db"]
    seconds, output = timed(lambda: run.call("db_bench", *words))
    found = re.findall(r"\((\d+) of (\d+) found\)", output)
    expect(bool(found), True)
    expect(all(part == whole for part, whole in found), True)
    return seconds


PROGRAMS = {
    "memcached": (memcached, ("memcached", "memcslap")),
    "redis": (redis, ("redis-server", "redis-benchmark")),
    "db_bench": (db_bench, ("db_bench",)),
    "pigz": (pigz, ("pigz",)),
    "stress-ng": (stress_ng, ("stress-ng",)),
    "python": (python, (sys.executable,)),
}


def measure(name: str, kind: str, shape: str, options: argparse.Namespace) -> dict[str, object]:
    """A row: seconds, or why there are none."""
    row: dict[str, object] = {"program": name, "kind": kind, "shape": shape, "scale": options.scale}
    with tempfile.TemporaryDirectory() as folder:
        run = Run(kind, shape, options.scale, options.seconds, Path(folder))
        try:
            row["seconds"] = round(PROGRAMS[name][0](run), 4)
        except subprocess.TimeoutExpired:
            row["missing"] = f"did not finish in {options.seconds:g} s"
        except WrongError as wrong:
            row["missing"] = f"wrong: {wrong}"
    return row


def table(rows: list[dict[str, object]], shape: str, programs: list[str], kinds: list[str]) -> str:
    """Of one shape: medians in seconds."""

    def cell(name: str, kind: str) -> str:
        here = [row for row in rows if (row["program"], row["kind"], row["shape"]) == (name, kind, shape)]
        missing = [str(row["missing"]) for row in here if "missing" in row]
        return missing[0] if missing else f"{statistics.median(float(str(row['seconds'])) for row in here):.2f}"

    lines = [f"{shape}, s | " + " | ".join(programs), "|".join(["---"] + ["---:"] * len(programs))]
    lines += [f"{kind} | " + " | ".join(cell(name, kind) for name in programs) for kind in kinds]
    return "\n".join(f"| {line} |" for line in lines)


def names(known: list[str]) -> Callable[[str], list[str]]:
    """Some of these, with commas between."""

    def parse(text: str) -> list[str]:
        chosen = text.split(",")
        if unknown := [name for name in chosen if name not in known]:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(known)}, got {unknown[0]!r}")
        return chosen

    return parse


def main() -> int:
    """Exit codes: 0; 1: a result was wrong; 2: usage, or a program is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=names(list(PROGRAMS)), default=list(PROGRAMS))
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=list(KINDS))
    parser.add_argument("--shapes", type=names(list(SHAPES)), default=list(SHAPES))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="of the programs' work")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    tools = [tool for name in options.programs for tool in PROGRAMS[name][1]]
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        parser.error(f"expected {missing[0]}, which is not installed")
    if not LIBRARY.is_file():
        parser.error(f"expected {LIBRARY}: make linux")
    kinds = [GLIBC, *options.kinds]
    rows: list[dict[str, object]] = []
    given_up = set()
    for _, shape, name, kind in itertools.product(range(options.repeat), options.shapes, options.programs, kinds):
        if (name, kind, shape) not in given_up:
            rows.append(measure(name, kind, shape, options))
            print(json.dumps(rows[-1]), flush=True)
            if "missing" in rows[-1]:
                given_up.add((name, kind, shape))
    for shape in options.shapes:
        print("\n" + table(rows, shape, options.programs, kinds))
    return int(any(str(row.get("missing", "")).startswith("wrong") for row in rows))


if __name__ == "__main__":
    sys.exit(main())

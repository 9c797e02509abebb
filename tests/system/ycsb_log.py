"""Text as YCSB's `basic` client prints it, for tests: YCSB itself needs Java. From the command line:

python tests/system/ycsb_log.py FILE --operations 1000000 --records 100000 --workload a
"""

import argparse
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

# Shares of the core workloads in percent: read, update, insert, read-modify-write. F's last one is printed as a read
# and an update of the same key, which is what YCSB's client makes of it.
WORKLOADS = {"a": (50, 50, 0, 0), "b": (95, 5, 0, 0), "c": (100, 0, 0, 0), "d": (95, 0, 5, 0), "f": (50, 0, 0, 50)}
HEAD = """***************** properties *****************
"db"="site.ycsb.BasicDB"
"workload"="site.ycsb.workloads.CoreWorkload"
**********************************************
"""
TAIL = """[OVERALL], RunTime(ms), 12345
[READ], Operations, 500
[READ], Return=OK, 500
"""
ZIPF_THETA = 0.99


def key_name(number: int) -> str:
    """As YCSB makes it of a record's number: FNV-1 of 64 bits, without a sign."""
    fnv = 0xCBF29CE484222325
    for octet in number.to_bytes(8, "little"):
        fnv = (fnv ^ octet) * 1099511628211 & 2**64 - 1
    return f"user{fnv if fnv < 2**63 else 2**64 - fnv}"


def lines(operations: int, records: int, workload: str, seed: int = 1) -> Iterator[str]:
    """The load of all records, then so many operations on them, keys by Zipf's law, the latest first for d."""
    draw = random.Random(seed)
    weights = list(itertools.accumulate((rank + 1) ** -ZIPF_THETA for rank in range(records)))
    names = [key_name(number) for number in range(records)]
    yield HEAD
    for name in names:
        yield f"INSERT usertable {name} [ field0={draw.getrandbits(48):x} ]\n"
    read, update, insert, _ = WORKLOADS[workload]
    latest = workload == "d"
    ranks = draw.choices(range(records), cum_weights=weights, k=operations)
    for rank in ranks:
        what = draw.randrange(100)
        name = names[-1 - rank if latest else rank]
        field = f"[ field0={draw.getrandbits(48):x} ]"
        if what < read:
            yield f"READ usertable {name} [ <all fields>]\n"
        elif what < read + update:
            yield f"UPDATE usertable {name} {field}\n"
        elif what < read + update + insert:
            names.append(key_name(len(names)))
            yield f"INSERT usertable {names[-1]} {field}\n"
        else:
            yield f"READ usertable {name} [ <all fields>]\nUPDATE usertable {name} {field}\n"
    yield TAIL


def write(path: Path, operations: int, records: int, workload: str = "a", seed: int = 1) -> Path:
    """A file of them."""
    with path.open("w") as file:
        file.writelines(lines(operations, records, workload, seed))
    return path


def main() -> None:
    """Writes a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--operations", type=int, default=1000, metavar="N", help="behind the load (default 1000)")
    parser.add_argument("--records", type=int, default=100, metavar="N", help="that are loaded (default 100)")
    parser.add_argument("--workload", choices=sorted(WORKLOADS), default="a")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    arguments = parser.parse_args()
    write(arguments.file, arguments.operations, arguments.records, arguments.workload, arguments.seed)


if __name__ == "__main__":
    main()

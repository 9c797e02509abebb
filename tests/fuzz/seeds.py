#!/usr/bin/env -S python3 -BE
"""Where the fuzzers begin: writes tests/fuzz/corpus/NAME/*, machines and key strokes that a person would think of.

Run it after a change of an input's layout (targets/*.cpp say what the bytes mean) and commit what it writes. Needs iasl
for the tables of tests/unit/acpi_tables. The runner uses `acpi_tables` to turn tables of real servers into inputs.
"""

import dataclasses
import io
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from mxk_host.tpch.column_file import Column, Meaning, Table, Type, Writer  # noqa: E402

CORPUS = ROOT / "tests/fuzz/corpus"
SIGNATURES = (b"APIC", b"SRAT", b"SLIT", b"HMAT", b"FACP", b"HPET", b"MCFG")  # as in targets/acpi_machine.cpp
HEADER_BYTES = 36


# ACPI: the two layouts of targets/acpi_machine.hpp.


def acpi_tables(
    tables: Iterable[bytes],
    *,
    revision: int = 2,
    boot: int = 0,
    stopped: int = 0,
    ram: tuple[tuple[int, int], ...] = (),
) -> bytes:
    """An input of the tables layout; `ram` in frames: first, count."""
    result = struct.pack("<BBIBB", 0, revision, boot, stopped, len(ram))
    result += b"".join(struct.pack("<II", *frames) for frames in ram)
    for table in tables:
        body = table[8:9] + table[HEADER_BYTES:]
        result += struct.pack("<BH", SIGNATURES.index(table[:4]), len(body)) + body
    return result


def acpi_memory(tables: list[bytes], *, revision: int = 2, repair: bool = True) -> bytes:
    """An input of the memory layout: root pointer, RSDT, XSDT, tables."""
    rsdt, memory_start = 36, 0x1000
    xsdt = rsdt + HEADER_BYTES + 4 * len(tables)
    first = xsdt + HEADER_BYTES + 8 * len(tables)
    addresses = [memory_start + first + sum(map(len, tables[:i])) for i in range(len(tables))]
    pointer = struct.pack("<8sB6sBI", b"RSD PTR ", 0, b"MXK   ", revision, memory_start + rsdt)
    pointer = with_checksum(pointer, 8) + struct.pack("<IQI", 36, memory_start + xsdt, 0)
    image = with_checksum(pointer, 32)
    image += acpi_table(b"RSDT", struct.pack(f"<{len(tables)}I", *addresses))
    image += acpi_table(b"XSDT", struct.pack(f"<{len(tables)}Q", *addresses))
    return struct.pack("<BIB", 3 if repair else 1, 0, 0) + image + b"".join(tables)


def acpi_dump(tables: Iterable[bytes]) -> bytes:
    """An input of the dump layout: what acpidump writes."""
    text = ""
    for table in tables:
        text += f"{table[:4].decode()} @ 0x00000000BFFE0390\n"
        rows = (table[at : at + 16] for at in range(0, len(table), 16))
        text += "".join(f"    {16 * i:04X}: {row.hex(' ').upper()}  ....\n" for i, row in enumerate(rows)) + "\n"
    return b"\4" + text.encode()


def with_checksum(data: bytes, at: int) -> bytes:
    """The bytes add up to 0, by the one at `at`."""
    zeroed = data[:at] + b"\0" + data[at + 1 :]
    return zeroed[:at] + bytes([-sum(zeroed) % 256]) + zeroed[at + 1 :]


def acpi_table(signature: bytes, body: bytes, revision: int = 3) -> bytes:
    """A table with its header."""
    header = struct.pack("<4sIBB6s8sI4sI", signature, HEADER_BYTES + len(body), revision, 0, b"", b"", 0, b"", 0)
    return with_checksum(header + body, 9)


def madt(records: Iterable[bytes]) -> bytes:
    """The MADT of these records."""
    return acpi_table(b"APIC", struct.pack("<II", 0xFEE00000, 1) + b"".join(records), 4)


def srat(records: Iterable[bytes], revision: int = 3) -> bytes:
    """The SRAT of these records."""
    return acpi_table(b"SRAT", bytes(12) + b"".join(records), revision)


def slit(distances: list[list[int]]) -> bytes:
    """The SLIT with this matrix."""
    return acpi_table(b"SLIT", struct.pack("<Q", len(distances)) + b"".join(map(bytes, distances)), 1)


def local_apic(uid: int, apic_id: int, flags: int = 1) -> bytes:
    """MADT type 0."""
    return struct.pack("<BBBBI", 0, 8, uid, apic_id, flags)


def local_x2apic(uid: int, apic_id: int, flags: int = 1) -> bytes:
    """MADT type 9."""
    return struct.pack("<BBHIII", 9, 16, 0, apic_id, flags, uid)


def processor_affinity(domain: int, apic_id: int, flags: int = 1) -> bytes:
    """SRAT type 0."""
    high = (domain >> 8).to_bytes(3, "little")
    return struct.pack("<BBBBIB3sI", 0, 16, domain & 0xFF, apic_id, flags, 0, high, 0)


def x2apic_affinity(domain: int, apic_id: int, flags: int = 1) -> bytes:
    """SRAT type 2."""
    return struct.pack("<BBHIIIII", 2, 24, 0, domain, apic_id, flags, 0, 0)


def memory_affinity(domain: int, start: int, size: int, flags: int = 1) -> bytes:
    """SRAT type 1."""
    return struct.pack("<BBIHQQIIQ", 1, 40, domain, 0, start, size, 0, flags, 0)


def hmat(structures: Iterable[bytes]) -> bytes:
    """The HMAT of these structures (ACPI 6.5 section 5.2.28)."""
    return acpi_table(b"HMAT", bytes(4) + b"".join(structures), 2)


def hmat_proximity(initiator: int, memory: int) -> bytes:
    """HMAT type 0: which initiator a memory domain is attached to."""
    return struct.pack("<HHIHHIIIQQ", 0, 0, 40, 1, 0, initiator, memory, 0, 0, 0)


def hmat_locality(data_type: int, base: int, initiators: list[int], targets: list[int], entries: list[int]) -> bytes:
    """HMAT type 1: latencies (data types 0-2, picoseconds) or bandwidths (3-5, MB/s) in units of `base`."""
    size = 32 + 4 * len(initiators) + 4 * len(targets) + 2 * len(entries)
    head = struct.pack("<HHIBBBBIIIQ", 1, 0, size, 0, data_type, 0, 0, len(initiators), len(targets), 0, base)
    return head + struct.pack(f"<{len(initiators) + len(targets)}I{len(entries)}H", *initiators, *targets, *entries)


def compiled(name: str) -> bytes:
    """What iasl makes of tests/unit/acpi_tables/NAME.asl."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "table"
        source = ROOT / "tests/unit/acpi_tables" / f"{name}.asl"
        subprocess.run(["iasl", "-p", output, source], check=True, capture_output=True)
        return output.with_suffix(".aml").read_bytes()


def acpi_seeds() -> dict[str, bytes]:
    """Machines: compiled tables, and the shapes that real servers show."""
    two_nodes = [compiled(f"two_nodes_{table}") for table in ("madt", "srat", "slit")]
    fixed = [compiled("facp"), compiled("hpet")]
    odd = [compiled("x2apic_madt"), compiled("x2apic_srat"), compiled("odd_nodes_slit")]
    unused = [local_apic(0x80 + i, 0xFF, 0) for i in range(4)]  # as BIOSes fill up empty sockets
    sockets = madt([*(local_apic(i, (i % 2) * 32 + i // 2 * 2) for i in range(8)), *unused, b"\4\6\xff\0\0\1"])
    four_gib, whole = 4 << 30, [[10, 20], [20, 10]]
    domains = srat(
        [
            *(processor_affinity(i % 2, (i % 2) * 32 + i // 2 * 2) for i in range(8)),
            processor_affinity(0, 0, 0),
            memory_affinity(0, 0, 0xA0000),
            memory_affinity(0, 1 << 20, (3 << 30) - (1 << 20)),
            memory_affinity(0, four_gib, four_gib),
            memory_affinity(1, 2 * four_gib, 2 * four_gib),
            memory_affinity(1, 4 * four_gib, four_gib, 0),  # not enabled
            memory_affinity(1, 8 * four_gib, four_gib, 3),  # hot-pluggable
        ]
    )
    wide = [madt([local_apic(0, 0), local_x2apic(0, 0), *(local_x2apic(i, 250 + 3 * i) for i in range(4))])]
    wide += [srat([x2apic_affinity(7, 0), *(x2apic_affinity(0x10000 + i, 250 + 3 * i) for i in range(4))])]
    latency = hmat_locality(0, 1000, [0, 1], [0, 1], [10, 21, 21, 10])
    bandwidth = hmat_locality(3, 100, [0, 1], [0, 1], [1000, 400, 400, 1000])
    memory_kinds = hmat([hmat_proximity(0, 0), hmat_proximity(1, 1), latency, bandwidth])
    overlap = srat([processor_affinity(0, 0), memory_affinity(0, 0, 1 << 30), memory_affinity(5, 1 << 29, 1 << 31)], 1)
    low_ram = ((1, 0x9E), (0x100, 0xBFF00))
    return {
        "two-nodes": acpi_tables(two_nodes + fixed, ram=low_ram),
        "two-nodes-rsdt": acpi_tables(two_nodes, revision=0, stopped=0x0A),
        "x2apic-odd-nodes": acpi_tables(odd, boot=3, ram=(*low_ram, (0x100000, 0x100000))),
        "two-sockets": acpi_tables([sockets, domains, slit(whole), memory_kinds], boot=32, ram=low_ram),
        "sparse-ids": acpi_tables(wide, boot=256),
        "overlapping-domains": acpi_tables([madt([local_apic(1, 0)]), overlap], ram=((0, 1 << 20),)),
        "no-tables": acpi_tables([]),
        "dump": b"\4made by hand\n\n" + acpi_dump([sockets, fixed[1], slit(whole)])[1:],
        "dump-old": acpi_dump([slit(whole)]).replace(b"    ", b"  ").replace(b"\n", b"\r\n").lower(),
        "memory": acpi_memory([sockets, domains, slit(whole)]),
        "memory-hmat": acpi_memory([sockets, domains, memory_kinds, slit(whole)]),
        "memory-as-it-is": acpi_memory([two_nodes[0], *fixed], revision=1, repair=False),
    }


# Boot information: the layout of targets/boot_info.cpp.

MULTIBOOT2, PVH, AT_THE_END, MADE_RIGHT, NEVER_CLOSED = 0, 1, 4, 8, 16
LOW_START = 0x9000
PC_MAP = ((0, 0x9FC00, 1), (0x9FC00, 0x400, 2), (0x100000, 0x3FF00000, 1), (0xFFFC0000, 0x40000, 2))
EFI_REGIONS = (  # conventional, boot services, for a specific purpose, ACPI's, at run time
    (7, 0, 0x9F, 0xF),
    (4, 0x100000, 0x1000, 0xF),
    (7, 0x1100000, 0x2000, 0x4000F),
    (9, 0x3100000, 16, 0xF),
    (6, 0x3110000, 16, 1 << 63),
)
ODD_MAP = ((0x100800, 0x10000, 1), (0x105000, 0x10, 2), (0x110000, 0x8000, 1), (2**64 - 4096, 2**32 - 1, 1), (0, 0, 3))


def memory_map(entries: Iterable[tuple[int, int, int]]) -> bytes:
    """The regions at a stride of 24 bytes."""
    return b"".join(struct.pack("<QQII", *entry, 0) for entry in entries)


def efi_map(regions: Iterable[tuple[int, int, int, int]], stride: int = 48) -> bytes:
    """Tag 17 of regions: type, start, pages, attributes."""
    return struct.pack("<II", stride, 1) + b"".join(
        struct.pack("<IIQQQQ", kind, 0, start, 0, pages, attributes).ljust(stride, b"\0")
        for kind, start, pages, attributes in regions
    )


def multiboot2(entries: Iterable[tuple[int, int, int]], line: bytes, efi: bytes = b"") -> bytes:
    """The information that GRUB leaves."""
    tags = [(1, line + b"\0"), (2, b"GRUB 2.06\0"), (3, struct.pack("<II", 0x200800, 0x201801) + b"trace\0")]
    tags += [(4, bytes(8)), (14, b"RSD PTR " + bytes(12))]
    tags += [(15, b"RSD PTR " + bytes(28)), (6, struct.pack("<II", 24, 0) + memory_map(entries))]
    tags += [(17, efi)] if efi else []
    tags += [(0, b"")]
    body = b""
    for kind, payload in tags:
        body += struct.pack("<II", kind, 8 + len(payload)) + payload
        body += bytes(-len(body) % 8)
    return struct.pack("<II", 8 + len(body), 0) + body


def pvh(start: int, entries: Iterable[tuple[int, int, int]], line: bytes, version: int = 1, modules: int = 0) -> bytes:
    """The information that QEMU leaves: start structure, modules (of -initrd), regions, command line."""
    regions = memory_map(entries)
    module_list = b"".join(struct.pack("<QQQQ", 0x7FFD000 + 4096 * i, 17, 0, 0) for i in range(modules))
    after = start + 56 + len(module_list)
    lists = (start + 56 if modules else 0, after + len(regions), 0xF5AD0, after, len(regions) // 24)
    head = struct.pack("<IIIIQQQQII", 0x336EC578, version, 0, modules, *lists, 0)
    return head + module_list + regions + line + b"\0"


def boot_info_seeds() -> dict[str, bytes]:
    """Both protocols, low in memory and at the end of it."""
    line = b"""run="topology; bench table; exit" serial=com2 a='b "c"'"""
    top = 2**64 - 4096
    return {
        "multiboot2": bytes([MULTIBOOT2]) + multiboot2(PC_MAP, line),
        "multiboot2-made-right": bytes([MULTIBOOT2 | MADE_RIGHT]) + multiboot2(ODD_MAP, b'"run=a; b"'),
        "multiboot2-at-the-end": bytes([MULTIBOOT2 | AT_THE_END | MADE_RIGHT]) + multiboot2(PC_MAP[:2], b""),
        "multiboot2-efi": bytes([MULTIBOOT2 | MADE_RIGHT]) + multiboot2(PC_MAP, line, efi_map(EFI_REGIONS)),
        "multiboot2-efi-wrong": bytes([MULTIBOOT2]) + multiboot2(PC_MAP, line, efi_map(EFI_REGIONS, 40)[:-1]),
        "pvh": bytes([PVH]) + pvh(LOW_START, PC_MAP, line),
        "pvh-at-the-end": bytes([PVH | AT_THE_END]) + pvh(top, ODD_MAP, b"run=x"),
        "pvh-never-closed": bytes([PVH | MADE_RIGHT | NEVER_CLOSED]) + pvh(LOW_START, ODD_MAP, line)[:-1],
        "pvh-module": bytes([PVH]) + pvh(LOW_START, PC_MAP, b"module-name=trace", modules=1),
        "pvh-old": bytes([PVH]) + pvh(LOW_START, PC_MAP, line, version=0),
        "unknown-loader": bytes([2]) + struct.pack("<I", 0x2BADB002) + multiboot2(PC_MAP, line),
    }


# Text.


def options_seeds() -> dict[str, bytes]:
    """Lines that people type, right and wrong."""
    return {
        "every-option": b"fuzz-probe --wide 24M --bounded=1.5K --narrow 255 --share .5 --free 12.25 --perhaps 8 "
        b"--cores 1,2,4-8 --any 1Ki --shape open --mix mixed:50/40/10 --phases insert,find,erase --label x --tag a "
        b"--tag b --json 1 2",
        "bench-table": b"bench table --layout chained --cores 1,2,4 --ops 24M --buckets 0.1 --mix insert,find --help",
        "bench-table-ways": b"bench table --layout bucketed --submit=batch --notation function --walk whole "
        b"--prefetch 16 --queue shared --dist zipf:0.99 --tasks-per-core 50 --repeat 5 --seed 7 --json --help",
        "quotes": b"""fuzz-probe 'a ; b' "it's" x"y z"'w' '' ; fuzz-probe ";" --label='x=y'""",
        "open-quote": b"fuzz-probe a; fuzz-probe 'b; c",
        "help": b"help; help bench; help fuzz-probe; help nonsense; tset; bench --help",
        "complete-option": b"fuzz-probe --tag a --sh",
        "complete-value": b"fuzz-probe --shape ",
        "complete-command": b"help; fuz",
        "wrong": b"fuzz-probe --wide 1.0005K; fuzz-probe --cores 4-1; fuzz-probe --mix mixed:1/2/3; fuzz-probe --json=",
        "counts": b"1 1.5Ki .5G 18446744073709551615 18446744073.709551615G 17179869184Gi 0.000000001000000000G 2mi",
        "too-many-words": b"fuzz-probe" + b" x" * 64,
        "too-long": b"fuzz-probe " + b"'such a long word' " * 55 + b";help",
        "numbers": b"fuzz-probe --share 0.000001 --free 999999999999999.125; fuzz-probe --share=0.9499999999",
    }


def editor_seeds() -> dict[str, bytes]:
    """Key strokes as terminals send them."""
    keys = b"\x1b[D\x1b[C\x1b[A\x1b[B\x1b[H\x1b[F\x1b[3~\x1bOA\x1bOD\x1b[1~\x1b[4~\x1b[1;5D\x1b[1;5C"
    return {
        "words": b"bench tabel\x7f\x7fle --cores 1,2\x01\x1b[1;5C x\x02\x15\x0b\x17again\r",
        "keys": b"one two" + keys + b"\x01\x02\x04\x05\x06\x08\x0b\x0c\x0e\x10\x15\x17\r",
        "history": b"first\rsecond\n\x10\x10 edited\x0e\x0e\r\ndraft\x1b[A\x1b[A\x1b[B\x1b[B!\r",
        "completion": b"he\t\t be\t fuz\t\r\nfuzz-probe --\t\t\tsh\t\topen\t\x7f\t\r",
        "long-line": b"".join(b"word%d " % i for i in range(45)) + b"\x01\x1b[1;5C\x1b[1;5Cx\x05\x7f\x7f\x1b[D\x1b[D",
        "full-line": b"x" * 249 + b";fuz\t\x02\x02yy\x17\x17\x15",
        "sequences": b"a\x1b[5~b\x1b[200~c\x1b]0;title\ad\x1bPx;y\x1b\\e\x1b[[Af\x1b(Bg\x1b[1;22;4mh\x03\xc3\xa4\x1f\r",
    }


# Traces: the layout of targets/trace.cpp.

MAX_KEY = 2**64 - 2


def binary_trace(records: Iterable[tuple[int, int, int]], order: str = "<", version: int = 1) -> bytes:
    """The binary form of these operations (bench/trace/trace_format.hpp)."""
    body = b"".join(struct.pack(f"{order}BQQ", *record) for record in records)
    head = struct.pack(f"{order}8sIIQ", b"MXKTRACE", 0x01020304, version, len(body) // 17)
    return head + struct.pack(f"{order}II", zlib.crc32(head + body), 0) + body


def trace_seeds() -> dict[str, bytes]:
    """Both forms, right and wrong."""
    every = [(0, 7, 70), (1, 7, 0), (3, 7, 71), (4, MAX_KEY, 2**64 - 1), (5, 7, 72), (2, 7, 0)]
    text = b"mxk-trace 1\n# a comment\ninsert 7 70\n\nfind 0x7 # behind\r\nupdate 7\t71\n"
    text += b"upsert 18446744073709551614 0xffffffffffffffff\nmodify 7 72\nerase 7"
    return {
        "binary": b"\0" + binary_trace(every),
        "binary-made-right": b"\1" + binary_trace(every),
        "text": b"\0" + text,
        "swapped": b"\0" + binary_trace(every, ">"),
        "next-version": b"\0" + binary_trace(every, version=2),
        "over-long": b"\0" + binary_trace(every) + b"x",
        "unknown-operation": b"\1" + binary_trace([*every, (6, 1, 1)]),
        "key-0": b"\1" + binary_trace([(1, 0, 0)]),
        "value-of-a-find": b"\1" + binary_trace([(1, 1, 1)]),
        "check-sum": b"\0" + binary_trace(every)[:-1] + b"\1",
        "text-wrong": b"\0mxk-trace 1\ninsert 7",
        "text-scan": b"\0mxk-trace 1\nscan 7 3",
        "neither": b"\0READ usertable user6284781860667377211 [ <all fields>]",
    }


# Column files: the layout of targets/columns.cpp.


def column_file(tables: list[tuple[Table, list[bytes]]]) -> bytes:
    """The tables, each with the values of its columns."""
    file = io.BytesIO()
    writer = Writer(file, [table for table, _ in tables])
    for _, columns in tables:
        for values in columns:
            writer.add(values)
    writer.finish()
    return file.getvalue()


def columns_seeds() -> dict[str, bytes]:
    """Every type and meaning; files that are wrong in one place each."""
    wide = Table(
        "wide",
        3,
        (
            Column("key", Type.I64),
            Column("price", Type.I32, Meaning.DECIMAL, 2),
            Column("day", Type.I32, Meaning.DATE),
            Column("flag", Type.U8, Meaning.CHARACTER),
            Column("segment", Type.U8, Meaning.DICTIONARY, dictionary=("AUTOMOBILE", "BUILDING")),
        ),
    )
    values = [struct.pack("<3q", 1, -2, 2**40), struct.pack("<3i", 1234, -1, 0), struct.pack("<3i", 0, 9204, -1)]
    values += [b"ANR", bytes((1, 0, 1))]
    narrow = Table("narrow", 70, (Column("value", Type.U8),))
    empty = Table("empty", 0, (Column("a", Type.I32), Column("b", Type.U8)))
    whole = column_file([(wide, values), (narrow, [bytes(range(70))])])
    same_name = dataclasses.replace(narrow, name="wide")
    return {
        "tables": b"\0" + whole,
        "made-right": b"\1" + whole,
        "without-rows": b"\0" + column_file([(empty, [b"", b""])]),
        "same-name": b"\1" + column_file([(wide, values), (same_name, [bytes(70)])]),
        "unknown-code": b"\1" + column_file([(wide, [*values[:-1], bytes((1, 0, 2))])]),
        "cut": b"\1" + whole[:-64],
        "over-long": b"\1" + whole + bytes(64),
        "check-sum": b"\0" + whole[:-100] + b"x" + whole[-99:],
    }


# Plans and models: the layouts of targets/plans.cpp and targets/models.cpp.

LAST = 0  # rows: those of the step before
FILTER, MAP, JOIN, GROUPS, ORDER, LIMIT, ANSWER = 42, 43, 44, 45, 46, 47, 250
X, Y = 8, 9  # names of boxes
FIRST, SECOND = 0, 1  # columns of the rows
NEW = b"\0"  # the name of a column


def operation(number: int, *operands: bytes) -> bytes:
    """An expression, by the number of its case."""
    return bytes([72 + number]) + b"".join(operands)


def of_column(name: int) -> bytes:
    """A column."""
    return bytes([1, name])


def of_number(value: int) -> bytes:
    """A small number."""
    return bytes([0, 0, value])


def scan(table: int, columns: int) -> bytes:
    """The first columns of one of the tables."""
    return bytes([0, X, table, columns]) + bytes(columns)


def plan(*steps: bytes, cores: int = 0, parts: int = 0, rows: int = 0, seed: int = 1) -> bytes:
    """A plan with a capacity of 4 over tables of 5, 40 and 5 rows, which runs to its end."""
    return bytes([cores, parts, rows, 0]) + struct.pack("<H", seed) + bytes([0, 4, 0, 0, 0]) + b"".join(steps)


def plans_seeds() -> dict[str, bytes]:
    """Each step; over columns of some types."""
    first = of_column(FIRST)
    equal, less, is_null = operation(3, first, first), operation(5, first, first), operation(11, first)
    count, smallest = NEW + b"\0" + first, NEW + b"\4" + first
    grouped = bytes([GROUPS, X, LAST, 1]) + NEW + first + b"\2" + count + smallest
    renamed = bytes([MAP, Y, LAST, 2]) + NEW + first + NEW + is_null
    joined = bytes([JOIN, X, LAST, 0, LAST, 1]) + is_null + is_null
    ordered = bytes([ORDER, Y, LAST, 1, SECOND, 1, 0])
    added = operation(0, first, of_number(1))
    filtered = bytes([FILTER, Y, LAST])
    result = {}
    for seed in range(6):
        result[f"groups-{seed}"] = plan(scan(0, 1), filtered + equal, grouped, ordered, seed=seed)
        result[f"join-{seed}"] = plan(scan(1, 1), renamed, scan(0, 1), joined, cores=1, parts=1, rows=3, seed=seed)
        result[f"map-{seed}"] = plan(
            scan(0, 1), bytes([MAP, X, LAST, 1]) + NEW + added, bytes([LIMIT, X, LAST, 0]), seed=seed
        )
    result["wrong-name"] = plan(scan(0, 1), filtered + operation(3, bytes([1, 255, 19]), of_number(1)))
    result["no-condition"] = plan(scan(0, 1), filtered + added)
    result["two-answers"] = plan(scan(0, 1), filtered + less, bytes([ANSWER, X, LAST, 1]), scan(1, 2))
    return result


def models_seeds() -> dict[str, bytes]:
    """Boxes and what connects them, right and wrong."""
    numbers, passes, gathers, in_order, deals, gather, sort, end = (
        bytes([kind, 20]) for kind in (0, 3, 4, 5, 6, 7, 8, 11)
    )

    def connect(*pairs: tuple[int, int]) -> bytes:
        return b"".join(bytes([80, 0, *pair]) for pair in pairs)

    return {
        "pipe": b"\1" + numbers + passes + end + connect((0, 1), (1, 2)),
        "sort": b"\1" + numbers + sort + end + connect((0, 1), (1, 2)),
        "stage": b"\1"
        + numbers
        + deals
        + 2 * passes
        + gather
        + end
        + connect((0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5)),
        "in-order": b"\1" + 2 * numbers + in_order + end + bytes([160, 3, 0, 2, 160, 4, 1, 2]) + connect((2, 3)),
        "circle": b"\1" + numbers + gathers + passes + connect((0, 1), (1, 2), (2, 1)),
        "not-connected": b"\1" + numbers + end,
        "no-room": b"\1" + numbers + end + b"\xff\0" + connect((0, 1)),
    }


def main() -> None:
    """Writes all seeds."""
    seeds = {
        "acpi": acpi_seeds(),
        "boot-info": boot_info_seeds(),
        "options": options_seeds(),
        "editor": editor_seeds(),
        "trace": trace_seeds(),
        "columns": columns_seeds(),
        "plans": plans_seeds(),
        "models": models_seeds(),
    }
    for target, inputs in seeds.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for name, content in inputs.items():
            (folder / name).write_bytes(content)
        print(f"{target}: {len(inputs)} inputs, {sum(map(len, inputs.values()))} bytes")


if __name__ == "__main__":
    main()

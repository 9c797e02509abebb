"""Firmware that lies: faults in the tables of an otherwise sound machine, each with what the kernel is to say of it and
how it is to read it. `tools/mxk firmware faults` lists them, `tools/mxk run --firmware-fault NAME` boots with one."""

import struct
from collections.abc import Callable, Sequence

from mxk_host.errors import UsageError
from mxk_host.firmware import tables
from mxk_host.firmware.field_faults import FIELD_FAULTS
from mxk_host.firmware.parts import MIB, NEAR, Fault, Parts
from mxk_host.firmware.tables import Memory
from mxk_host.shape import Shape

MAX_MEBIBYTES = 2048  # up to there a PC's memory is one range from 0 on
HUGE = 0xFFFF_FFFF


def _checksum_of(name: str) -> Callable[[Parts], Memory]:
    return lambda parts: parts.changed(name, 16, b"?", checked=False)


def _length(name: str, length: int) -> Callable[[Parts], Memory]:
    return lambda parts: parts.changed(name, 4, struct.pack("<I", length), checked=False)


def _madt(change: Callable[[list[bytes], int], list[bytes]]) -> Callable[[Parts], Memory]:
    """`change`: of the records; told the number of cores, whose records come first."""
    return lambda parts: parts.with_tables(tables.madt(change(parts.madt, parts.cores)))


def _srat(change: Callable[[Parts], Sequence[bytes]], revision: int = 3) -> Callable[[Parts], Memory]:
    """`change` gives the records: first those of the cores, then those of memory."""
    return lambda parts: parts.with_tables(tables.srat(change(parts), revision))


def _slit(localities: int) -> Callable[[Parts], Memory]:
    return lambda parts: parts.with_tables(tables.slit(parts.slit, localities))


def _hmat_against_slit(parts: Parts) -> Memory:
    parts.latencies = [[140 if a == b else 80 for b in range(parts.nodes)] for a in range(parts.nodes)]
    return parts.with_tables()


def _hmat_of_structure(change: Callable[[bytes], bytes], revision: int = 2) -> Callable[[Parts], Memory]:
    return lambda parts: parts.with_tables(tables.hmat([change(tables.locality_matrix(parts.latencies))], revision))


_ONE_CORE = "going on with one core on one node"
_ASSUMED = "distances taken as 10 local, 20 remote"
_NO_MADT = "no MADT with an enabled processor"

FAULTS = {
    fault.name: fault
    for fault in (
        # The root pointer and the lists of tables.
        Fault("rsdp-signature", "the root pointer's signature is another", [_ONE_CORE, _NO_MADT],
              lambda it: it.root_pointer(0, b"RSD-PTR ", (8, 20), (32, 36)), 1, 1),
        Fault("rsdp-checksum", "the root pointer's checksum is wrong", [_ONE_CORE, _NO_MADT],
              lambda it: it.root_pointer(9, b"?"), 1, 1),
        Fault("rsdp-extended-checksum", "the checksum of its extension is wrong",
              ["the extended checksum is wrong: using the RSDT"], lambda it: it.root_pointer(33, b"?")),
        Fault("rsdp-length", "its length is 20 in revision 2",
              ["its length is wrong: using the RSDT"], lambda it: it.root_pointer(20, struct.pack("<I", 20), (32, 36))),
        Fault("rsdp-length-huge", "its length is far beyond memory",
              ["its length is wrong: using the RSDT"],
              lambda it: it.root_pointer(20, struct.pack("<I", HUGE), (32, 36))),
        Fault("rsdp-without-xsdt", "revision 2 without an XSDT", ["it names no XSDT: using the RSDT"],
              lambda it: it.lists(has_xsdt=False)),
        Fault("rsdp-revision-0-with-xsdt", "revision 0, but only an XSDT",
              ["RSDP of revision 0 names no RSDT, but a valid XSDT: it is taken"],
              lambda it: it.lists(revision=0, has_rsdt=False)),
        Fault("rsdp-without-lists", "neither XSDT nor RSDT", ["it names no XSDT", _ONE_CORE, _NO_MADT],
              lambda it: it.lists(has_rsdt=False, has_xsdt=False), 1, 1),
        Fault("rsdt-beyond-memory", "revision 0, its RSDT where there is no memory", [_ONE_CORE, _NO_MADT],
              lambda it: it.root_pointer(15, b"\0" + struct.pack("<I", HUGE), (8, 20)), 1, 1),
        Fault("xsdt-beyond-memory", "the XSDT where there is no memory", ["not readable; using the RSDT"],
              lambda it: it.root_pointer(24, struct.pack("<Q", 1 << 60), (32, 36))),
        Fault("xsdt-checksum", "the XSDT's checksum is wrong", ["wrong checksum; using the RSDT"],
              _checksum_of("XSDT")),
        Fault("xsdt-signature", "another table in the XSDT's place", ["not the XSDT; using the RSDT"],
              lambda it: it.changed("XSDT", 0, b"XXXX")),
        Fault("xsdt-length", "the XSDT is shorter than a header", ["impossible length 35; using the RSDT"],
              _length("XSDT", 35)),
        Fault("xsdt-odd-length", "half an entry at the XSDT's end", ["4 bytes behind its last whole entry"],
              lambda it: it.lists(tail=b"\0" * 4)),
        Fault("xsdt-lists-itself", "a cyclic XSDT", ["is a list of tables; skipped"], lambda it: it.listed_too("XSDT")),
        Fault("xsdt-lists-rsdt", "the XSDT lists the RSDT", ["is a list of tables; skipped"],
              lambda it: it.listed_too("RSDT")),
        Fault("xsdt-table-twice", "one table twice at one address", ["stands in it before; skipped"],
              lambda it: it.listed_too("SRAT")),
        Fault("xsdt-null-entry", "an entry with address 0", ["table at 0x0: not readable; skipped"],
              lambda it: it.lists(more_entries=[0])),
        Fault("xsdt-entry-beyond-memory", "an entry where there is no memory", ["not readable; skipped"],
              lambda it: it.lists(more_entries=[0xFFFF_FFF0])),
        Fault("xsdt-empty", "no table at all", [_NO_MADT], lambda it: it.only([]), 1, 1),
        Fault("both-lists-checksum", "XSDT and RSDT with wrong checksums",
              ["wrong checksum; using the RSDT", _ONE_CORE, _NO_MADT], lambda it: it.both_lists_broken(), 1, 1),
        # What holds for each table.
        Fault("madt-checksum", "the MADT's checksum is wrong",
              ["table APIC", _NO_MADT], _checksum_of("APIC"), 1),
        Fault("srat-checksum", "the SRAT's checksum is wrong", ["table SRAT"], _checksum_of("SRAT"), 4, 1),
        Fault("slit-checksum", "the SLIT's checksum is wrong", ["table SLIT", _ASSUMED], _checksum_of("SLIT")),
        Fault("hmat-checksum", "the HMAT's checksum is wrong", ["table HMAT"], _checksum_of("HMAT")),
        Fault("madt-length", "the MADT's length is 0", ["impossible length 0", _NO_MADT], _length("APIC", 0), 1),
        Fault("srat-length-huge", "the SRAT's length is 4 GiB", ["impossible length 4294967295"],
              _length("SRAT", HUGE), 4, 1),
        Fault("slit-past-the-end", "the SLIT crosses the end of memory", ["bytes are not readable", _ASSUMED],
              lambda it: it.past_the_end(b"SLIT")),
        Fault("madt-twice", "two MADTs", ["2 tables APIC; the first one is taken"],
              lambda it: it.only(it.sound() + it.named(b"APIC"))),
        Fault("srat-twice", "two SRATs", ["2 tables SRAT; the first one is taken"],
              lambda it: it.only(it.sound() + it.named(b"SRAT"))),
        Fault("slit-twice", "two SLITs", ["2 tables SLIT; the first one is taken"],
              lambda it: it.only(it.sound() + it.named(b"SLIT"))),
        # Who can run.
        Fault("madt-missing", "no MADT", [_NO_MADT], lambda it: it.only(it.without(b"APIC")), 1),
        Fault("madt-duplicate-core", "a core listed twice", ["enables 1 processors more than once"],
              _madt(lambda records, _: [*records, records[1]])),
        Fault("madt-all-disabled", "no core enabled", [_NO_MADT],
              _madt(lambda _, cores: [tables.local_apic(core, core, 0) for core in range(cores)]), 1),
        Fault("madt-record-length-0", "a record of 0 bytes behind two cores", ["MADT: no valid record at offset 60"],
              _madt(lambda records, _: [*records[:2], b"\0\0", *records[2:]]), 2),
        Fault("madt-record-past-the-end", "the last record is longer than the table",
              ["MADT: no valid record at offset"], _madt(lambda records, _: [*records, b"\0\xff"])),
        Fault("madt-record-short", "a core's record of 4 bytes", ["MADT: 1 records too short for their type"],
              _madt(lambda records, _: [*records, b"\0\4\0\0"])),
        Fault("madt-without-boot-core", "the core that boots is not listed", ["does not enable the core that runs"],
              _madt(lambda records, _: records[1:]), only_booted=True),
        Fault("madt-core-that-is-not-there", "a core that never answers", ["APIC id 200 did not start"],
              lambda it: it.one_more_core(tables.local_apic(200, 200), tables.processor_affinity(1, 200)),
              only_booted=True),
        Fault("madt-core-out-of-reach", "a core whose id needs an x2APIC, and which never answers",
              ["APIC id 70000"],
              lambda it: it.one_more_core(tables.local_x2apic(200, 70_000), tables.x2apic_affinity(1, 70_000)),
              only_booted=True),
        Fault("madt-thousands-of-cores", "4096 cores more, which never answer",
              ["3845 cores, with the APIC ids 255, 256, 257, 258, 259, 260, 261, 262 and others, cannot be reached",
               "251 cores, with the APIC ids 4, 5, 6, 7, 8, 9, 10, 11 and others, did not start"],
              lambda it: it.more_cores(4096), only_booted=True),
        # Who belongs where.
        Fault("srat-core-of-no-node", "a core without an entry",
              ["SRAT does not name 1 of 4 cores; they go to node 0"], _srat(lambda parts: parts.srat[1:])),
        Fault("srat-cores-disabled", "all entries of cores disabled", ["SRAT does not name 4 of 4 cores"],
              _srat(lambda parts: [*(tables.processor_affinity(1, core, 0) for core in range(parts.cores)),
                                   *parts.srat[parts.cores:]])),
        Fault("srat-core-in-two-domains", "a core in two domains",
              ["puts 1 cores in several domains; the lowest is taken"],
              _srat(lambda parts: [*parts.srat, tables.processor_affinity(1, 0)])),
        Fault("srat-ranges-overlap", "two domains with the same memory", ["KiB to two proximity domains"],
              _srat(lambda parts: [*parts.srat, tables.memory_affinity(1, 16 * MIB, 16 * MIB)])),
        Fault("srat-range-in-another", "all memory in domain 0, and a part in domain 1",
              ["KiB to two proximity domains"],
              _srat(lambda parts: [*parts.srat[:parts.cores],
                                   tables.memory_affinity(0, 0, parts.nodes * parts.node_bytes),
                                   tables.memory_affinity(1, parts.node_bytes, parts.node_bytes)])),
        Fault("srat-past-the-address-space", "a range that passes 2^64",
              ["pass the end of the address space; cut"],
              _srat(lambda parts: [*parts.srat, tables.memory_affinity(1, (1 << 64) - 4096, 8192)])),
        Fault("srat-memory-of-no-domain", "RAM outside of all ranges", ["SRAT does not cover"],
              _srat(lambda parts: [*parts.srat[:-1], tables.memory_affinity(1, parts.node_bytes, MIB)]),
              only_booted=True),
        Fault("srat-ram-non-volatile", "a part of the RAM called non-volatile", ["16384 KiB of RAM non-volatile"],
              _srat(lambda parts: [*parts.srat, tables.memory_affinity(1, parts.node_bytes, 16 * MIB, 5)])),
        Fault("srat-all-non-volatile", "all memory called non-volatile",
              ["calls all memory non-volatile", "SRAT does not cover"],
              _srat(lambda parts: [*parts.srat[:parts.cores],
                                   tables.memory_affinity(0, 0, parts.nodes * parts.node_bytes, 5)]),
              only_booted=True),
        Fault("srat-domain-without-distances", "a domain that the SLIT does not know",
              ["SLIT without a row for proximity domain 4000000000"],
              _srat(lambda parts: [*parts.srat[:-1],
                                   tables.memory_affinity(4_000_000_000, parts.node_bytes, parts.node_bytes)]),
              nodes=3),
        Fault("srat-record-length-0", "a record of 0 bytes behind the others", ["SRAT: no valid record at offset"],
              _srat(lambda parts: [*parts.srat, b"\0\0"])),
        Fault("srat-record-short", "a range's record of 8 bytes", ["SRAT: 1 records too short for their type"],
              _srat(lambda parts: [*parts.srat, b"\1\x08" + bytes(6)])),
        Fault("srat-junk-in-revision-1", "bits that revision 1 reserves are set in domains", [],
              _srat(lambda parts: [tables.processor_affinity((0xABCD << 8) | core * parts.nodes // parts.cores, core)
                                   for core in range(parts.cores)] + parts.srat[parts.cores:], 1)),
        # How far they are from each other.
        Fault("slit-missing", "two domains and no SLIT", ["no SLIT; " + _ASSUMED],
              lambda it: it.only(it.without(b"SLIT"))),
        Fault("slit-10-off-diagonal", "another domain as near as the own one",
              ["distance 10 between 1 pairs of different domains"],
              lambda it: it.with_distance(0, 1, NEAR, both_ways=True)),
        Fault("slit-asymmetric", "another distance on the way back", ["another distance on the way back for 1 pairs"],
              lambda it: it.with_distance(0, 1, 40)),
        Fault("slit-diagonal", "20 from a domain to itself", ["SLIT with distance 20 from 0 to 0; " + _ASSUMED],
              lambda it: it.with_distance(0, 0, 20)),
        Fault("slit-below-10", "a distance of 5", ["SLIT with distance 5 from 1 to 0; " + _ASSUMED],
              lambda it: it.with_distance(1, 0, 5)),
        Fault("slit-no-localities", "a SLIT of 0 localities", ["SLIT for 0 localities", ],
              _slit(0)),
        Fault("slit-too-many-localities", "more localities than the table has room for",
              ["SLIT for 4294967296 localities"], _slit(1 << 32)),
        Fault("slit-one-locality", "a SLIT of one locality for two domains",
              ["SLIT without a row for proximity domain 1"], _slit(1)),
        # What is said of their speed.
        Fault("hmat-against-slit", "memory nearer by the SLIT, slower by the HMAT",
              ["HMAT and SLIT contradict each other: 2 nodes"], _hmat_against_slit),
        Fault("hmat-revision-0", "an HMAT of revision 0", ["HMAT of revision 0"],
              _hmat_of_structure(lambda structure: structure, 0)),
        Fault("hmat-structure-short", "a matrix that its structure has no room for",
              ["HMAT: 1 structures too short for their matrix"],
              _hmat_of_structure(lambda structure: structure[:4] + struct.pack("<I", 40) + structure[8:40])),
        Fault("hmat-structure-length-0", "a structure of 0 bytes", ["HMAT: no valid structure at offset 40"],
              _hmat_of_structure(lambda structure: structure[:4] + bytes(4) + structure[8:])),
        Fault("hmat-unit-0", "latencies in units of 0 ps", ["HMAT: 4 values that no memory has"],
              lambda it: it.with_tables(it.hmat(unit=0))),
        Fault("hmat-unit-huge", "latencies of years", ["HMAT: 4 values that no memory has"],
              lambda it: it.with_tables(it.hmat(unit=1 << 60))),
        *FIELD_FAULTS,
    )
}  # fmt: skip

SOUND = "none"  # the tables of the machine without a fault


def image_for(name: str, shape: Shape) -> bytes:
    """The image for a machine of this shape with this fault; SOUND: without any. Raises where there is no such fault,
    or the machine is too small for it."""
    if name != SOUND and name not in FAULTS:
        raise UsageError(f"expected one of the faults that tools/mxk firmware faults lists, got '{name}'")
    if shape.cpus < 4 or len(shape.nodes) < 2 or shape.mebibytes > MAX_MEBIBYTES or not shape.nodes[-1].mebibytes:
        raise UsageError(
            "expected a machine of 4 or more cores, 2 or more nodes that all have memory, and up to 2G for a fault of "
            f"its firmware; got {shape.cpus} cores, {len(shape.nodes)} nodes, {shape.mebibytes}M"
        )
    parts = Parts.of(shape)
    memory = parts.with_tables() if name == SOUND else FAULTS[name].make(parts)
    return memory.file()

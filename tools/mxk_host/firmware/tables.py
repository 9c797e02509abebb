"""Builds ACPI tables, and the image of memory that holds them (kernel/acpi/memory_image.hpp). Sections: ACPI 6.5."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

MARK = b"MXKACPI1"
BASE = 0x7E00_0000  # of the image's memory; nothing else refers to it
HEADER = 36
CHECKSUM = 9  # its offset in a table

LOCAL_APIC = 0xFEE0_0000
IO_APIC = 0xFEC0_0000


def set_checksum(table: bytes, at: int = CHECKSUM, length: int | None = None) -> bytes:
    """The same with all bytes, or the first `length`, adding up to 0 (section 5.2.6)."""
    changed = bytearray(table)
    changed[at] = 0
    changed[at] = -sum(changed[:length]) & 0xFF
    return bytes(changed)


def table(signature: bytes, revision: int, content: bytes) -> bytes:
    """A table with its header (section 5.2.6)."""
    length = HEADER + len(content)
    header = struct.pack("<4sIBB6s8sI4sI", signature, length, revision, 0, b"MXK   ", b"FIRMWARE", 1, b"MXK ", 1)
    return set_checksum(header + content)


def local_apic(uid: int, apic_id: int, flags: int = 1) -> bytes:
    """MADT type 0 (5.2.12.2)."""
    return struct.pack("<BBBBI", 0, 8, uid, apic_id, flags)


def local_x2apic(uid: int, apic_id: int, flags: int = 1) -> bytes:
    """MADT type 9 (5.2.12.12)."""
    return struct.pack("<BBHIII", 9, 16, 0, apic_id, flags, uid)


def io_apic() -> bytes:
    """MADT type 1 (5.2.12.3): that of a PC."""
    return struct.pack("<BBBBII", 1, 12, 0, 0, IO_APIC, 0)


def interrupt_override(source: int, interrupt: int, signal: int = 0) -> bytes:
    """MADT type 2 (5.2.12.5)."""
    return struct.pack("<BBBBIH", 2, 10, 0, source, interrupt, signal)


def nmi_source(interrupt: int, signal: int = 0) -> bytes:
    """MADT type 3 (5.2.12.6)."""
    return struct.pack("<BBHI", 3, 8, signal, interrupt)


def local_nmi() -> bytes:
    """MADT type 4 (5.2.12.7): LINT1 of every processor."""
    return struct.pack("<BBBHB", 4, 6, 0xFF, 0, 1)


def madt(records: Sequence[bytes]) -> bytes:
    """Section 5.2.12."""
    return table(b"APIC", 3, struct.pack("<II", LOCAL_APIC, 1) + b"".join(records))


def processor_affinity(domain: int, apic_id: int, flags: int = 1) -> bytes:
    """SRAT type 0 (5.2.16.1)."""
    low, high = domain & 0xFF, (domain >> 8).to_bytes(3, "little")
    return struct.pack("<BBBBIB3sI", 0, 16, low, apic_id, flags, 0, high, 0)


def x2apic_affinity(domain: int, apic_id: int, flags: int = 1) -> bytes:
    """SRAT type 2 (5.2.16.3)."""
    return struct.pack("<BBHIIIII", 2, 24, 0, domain, apic_id, flags, 0, 0)


def memory_affinity(domain: int, start: int, size: int, flags: int = 1) -> bytes:
    """SRAT type 1 (5.2.16.2)."""
    return struct.pack("<BBIHQQIIQ", 1, 40, domain, 0, start, size, 0, flags, 0)


def srat(records: Sequence[bytes], revision: int = 3) -> bytes:
    """Section 5.2.16."""
    return table(b"SRAT", revision, struct.pack("<IQ", 1, 0) + b"".join(records))


def slit(rows: Sequence[Sequence[int]], localities: int | None = None) -> bytes:
    """Section 5.2.17. `localities`: what the table says, where that is not the number of rows."""
    said = len(rows) if localities is None else localities
    return table(b"SLIT", 1, struct.pack("<Q", said) + b"".join(bytes(row) for row in rows))


def locality_matrix(rows: Sequence[Sequence[int]], unit: int = 1000) -> bytes:
    """HMAT type 1 (5.2.28.4): the access latency of memory, in `unit` picoseconds."""
    domains = struct.pack(f"<{2 * len(rows)}I", *range(len(rows)), *range(len(rows)))
    entries = b"".join(struct.pack(f"<{len(row)}H", *row) for row in rows)
    length = 32 + len(domains) + len(entries)
    fixed = struct.pack("<HHIBBBBIIIQ", 1, 0, length, 0, 0, 0, 0, len(rows), len(rows), 0, unit)
    return fixed + domains + entries


def hmat(structures: Sequence[bytes], revision: int = 2) -> bytes:
    """Section 5.2.28."""
    return table(b"HMAT", revision, struct.pack("<I", 0) + b"".join(structures))


@dataclass
class Image:
    """Tables on their way into memory; what a fault changes is changed before memory() or in what it gives."""

    tables: list[bytes]
    revision: int = 2  # of the root pointer
    has_rsdt: bool = True
    has_xsdt: bool = True
    more_entries: list[int] = field(default_factory=list)  # addresses that both lists name, too
    tail: bytes = b""  # of the XSDT, behind its entries

    def memory(self) -> "Memory":
        """Root pointer, XSDT, RSDT, then the tables, each at a multiple of 64 bytes."""
        result = Memory()
        result.add("RSDP", bytes(36))
        entries = len(self.tables) + len(self.more_entries)
        result.add("XSDT", bytes(HEADER + 8 * entries + len(self.tail)))
        result.add("RSDT", bytes(HEADER + 4 * entries))
        for content in self.tables:
            result.add(content[:4].decode(), content)
        addresses = [result.addresses[at] for at in range(3, 3 + len(self.tables))] + self.more_entries
        xsdt = struct.pack(f"<{entries}Q", *addresses) + self.tail
        rsdt = struct.pack(f"<{entries}I", *(address & 0xFFFF_FFFF for address in addresses))
        result.replace(1, table(b"XSDT", 1, xsdt))
        result.replace(2, table(b"RSDT", 1, rsdt))
        result.replace(0, self._root_pointer(result))
        return result

    def _root_pointer(self, memory: "Memory") -> bytes:
        rsdt = memory.addresses[2] if self.has_rsdt else 0
        xsdt = memory.addresses[1] if self.has_xsdt else 0
        plain = struct.pack("<8sB6sBIIQB3x", b"RSD PTR ", 0, b"MXK   ", self.revision, rsdt, 36, xsdt, 0)
        return set_checksum(set_checksum(plain, 8, 20), 32)


class Memory:
    """What stands where. Parts are numbered in their order: 0 the root pointer, 1 the XSDT, 2 the RSDT, 3... tables."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.names: list[str] = []
        self.addresses: list[int] = []

    def add(self, name: str, content: bytes) -> None:
        """Behind all others."""
        self.content += bytes(-len(self.content) % 64)
        self.names.append(name)
        self.addresses.append(BASE + len(self.content))
        self.content += content

    def replace(self, part: int, content: bytes) -> None:
        """Where `part` stands; as long as before."""
        at = self.addresses[part] - BASE
        self.content[at : at + len(content)] = content

    def part(self, name: str) -> int:
        """The number of the first of this name."""
        return self.names.index(name)

    def change(self, name: str, offset: int, value: bytes, *, checked: bool = True) -> None:
        """Writes over a part of a table; `checked`: its bytes add up to 0 again."""
        at = self.addresses[self.part(name)] - BASE
        self.content[at + offset : at + offset + len(value)] = value
        if checked:
            (length,) = struct.unpack_from("<I", self.content, at + 4)
            self.content[at : at + length] = set_checksum(bytes(self.content[at : at + length]))

    def file(self) -> bytes:
        """The image as the kernel reads it."""
        return MARK + struct.pack("<Q", BASE) + self.content

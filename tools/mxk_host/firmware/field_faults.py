"""The faults that fields.py's list gives: each field with each value that is wrong by its kind, in otherwise sound
tables; and all addresses wrong at once, so that a few boots see every field."""

import re
import struct
from collections.abc import Callable, Iterable

from mxk_host.firmware import tables
from mxk_host.firmware.fields import Field, Kind, fields
from mxk_host.firmware.parts import Fault, Parts
from mxk_host.firmware.tables import HEADER, Memory

# Where a struct lies: the table, and the offset in it. Those that are not named are records of the MADT.
_PLACES = {
    "Rsdp": ("RSDP", 0),
    "TableHeader": ("APIC", 0),
    "RecordHeader": ("APIC", 44),
    "MadtFixedPart": ("APIC", HEADER),
    "StructureHeader": ("HMAT", 40),
    "LocalityStructure": ("HMAT", 40),
    "HpetTable": ("HPET", HEADER),
    "Fadt": ("FACP", HEADER),
    "Spcr": ("SPCR", HEADER),
    "WdatHead": ("WDAT", HEADER),
    "WdatEntry": ("WDAT", HEADER + 32),
    "Spmi": ("SPMI", HEADER),
    "Dmar": ("DMAR", HEADER),
}
_OF_SRAT = ("LocalApicAffinity", "MemoryRecord", "LocalX2ApicAffinity")
_PREVIEWED = ("RSDP", "APIC", "SRAT", "HMAT")
_MEMORY, _PORT = 0, 1  # address spaces
_DEFAULT_APIC = struct.pack("<BBHQ", 5, 12, 0, tables.LOCAL_APIC)
_X2APIC_NMI = struct.pack("<BBHIB3x", 10, 12, 0, 0xFFFF_FFFF, 1)


def _register(space: int, address: int, bits: int = 32) -> bytes:
    """A generic address (ACPI 6.5 section 5.2.3.2)."""
    return struct.pack("<BBBBQ", space, bits, 0, {8: 1, 16: 2, 32: 3}[bits], address)


def _with_fields(name: str, values: dict[str, bytes]) -> bytes:
    """A struct of zeros but for these fields."""
    parts = [field for field in fields() if field.struct == name]
    return b"".join(values.get(part.name, bytes(part.size)).ljust(part.size, b"\0") for part in parts)


def _device_tables() -> list[bytes]:
    """As they are on QEMU's machine with an HPET and the chip set's watchdog: FADT, HPET, SPCR, WDAT, SPMI, DMAR."""
    fadt = {
        "smi_command": struct.pack("<I", 0xB2),
        "acpi_enable": b"\2",
        "pm1a_control": struct.pack("<I", 0x604),
        "pm_timer": struct.pack("<I", 0x608),
        "boot_architecture": struct.pack("<H", 1 << 1),
        "flags": struct.pack("<I", 1 << 10 | 1 << 8),
        "reset_register": _register(_PORT, 0xCF9, 8),
        "reset_value": b"\x0f",
        "x_pm1a_control": _register(_PORT, 0x604, 16),
        "x_pm_timer": _register(_PORT, 0x608),
    }
    control = _register(_PORT, 0x668, 16)
    query = _with_fields("WdatEntry", {"action": b"\x08", "place": control, "mask": b"\1"})
    stop = _with_fields("WdatEntry", {"action": b"\x0b", "instruction": b"\x82", "place": control, "mask": b"\0\x08"})
    head = _with_fields("WdatHead", {"header_length": b"\x20", "flags": b"\1", "entries": b"\2"})
    bodies = {
        "FACP": _with_fields("Fadt", fadt),
        "HPET": _with_fields("HpetTable", {"base": _register(_MEMORY, 0xFED0_0000)}),
        "SPCR": _with_fields("Spcr", {"address": _register(_PORT, 0x3F8, 8), "baud": b"\7"}),
        "WDAT": head + query + stop,
        "SPMI": _with_fields("Spmi", {"type": b"\4"}),  # on a bus, without registers
        "DMAR": _with_fields("Dmar", {"address_width": b"\x26"}),
    }
    return [tables.table(name.encode(), 4, body) for name, body in bodies.items()]


def _sound(parts: Parts, structs: Iterable[str]) -> Memory:
    """With all tables, and a record of each of these kinds."""
    more = {
        "NmiSourceRecord": tables.nmi_source(23),
        "LocalApicAddressRecord": _DEFAULT_APIC,
        "LocalX2ApicRecord": tables.local_x2apic(3, 3),
        "LocalX2ApicNmiRecord": _X2APIC_NMI,
    }
    parts.madt += [record for name, record in more.items() if name in structs]
    if "LocalX2ApicAffinity" in structs:
        parts.srat.append(tables.x2apic_affinity(parts.nodes - 1, 3))
    return parts.with_tables(*_device_tables())


def _put(memory: Memory, field: Field, wrong: str, value: int) -> None:
    name, at = _PLACES.get(field.struct, ("SRAT", 48) if field.struct in _OF_SRAT else ("APIC", 44))
    content = memory.content[memory.addresses[memory.part(name)] - tables.BASE :]
    if field.struct not in _PLACES:
        while content[at] != field.record:
            at += content[at + 1]
    if field.meaning.kind is Kind.VALUE:
        written = (b"\0" if wrong == "zero" else b"\xff") * field.size
    elif field.is_register:
        written = _register(_PORT if field.meaning.kind is Kind.PORT else _MEMORY, value)
    else:
        written = value.to_bytes(field.size, "little")
    if field.struct == "Fadt" and not field.name.startswith("x_"):  # which is read only without the extended one
        for extended in fields():
            if (extended.struct, extended.name) == ("Fadt", f"x_{field.name}"):
                memory.change(name, at + extended.offset, bytes(extended.size))
    if field.struct == "Spmi" and field.is_register:
        memory.change(name, HEADER, b"\1")  # KCS, which has registers
    checked = field.name not in ("length", "checksum", "extended_checksum")
    memory.change(name, at + field.offset, written, checked=checked and name != "RSDP")
    if name == "RSDP" and checked:
        pointer = tables.set_checksum(tables.set_checksum(bytes(memory.content[:36]), 8, 20), 32, 36)
        memory.replace(0, pointer)


def _make(changes: list[Field], wrong: str) -> Callable[[Parts], Memory]:
    def make(parts: Parts) -> Memory:
        memory = _sound(parts, {field.struct for field in changes})
        for field in changes:
            _put(memory, field, wrong, field.wrong()[wrong])
        return memory

    return make


def _warns(changed: list[Field], wrong: str) -> list[str]:
    told = (field.meaning for field in changed if wrong != "zero" or not field.meaning.is_optional)
    return [meaning.warns for meaning in told if meaning.warns]


def _of_one(field: Field, wrong: str) -> Fault:
    kebab = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", field.struct).lower()
    table, _ = _PLACES.get(field.struct, ("SRAT" if field.struct in _OF_SRAT else "APIC", 0))
    return Fault(
        f"{kebab}-{field.name.replace('_', '-')}-{wrong}",
        f"{field.struct}.{field.name}, {field.meaning.kind.value}: {wrong.replace('-', ' ')}",
        None if field.meaning.kind is Kind.VALUE else _warns([field], wrong),
        _make([field], wrong),
        only_booted=table not in _PREVIEWED or field.meaning.kind is Kind.DEVICE,
    )


def _of_all(kinds: tuple[Kind, ...], wrong: str) -> Fault:
    """Of one struct of each kind of record, since a second address of the local APICs counts alone."""
    changed = [
        field
        for field in fields()
        if field.meaning.kind in kinds and wrong in field.wrong() and field.struct != "LocalApicAddressRecord"
        if field.meaning.warns
    ]
    if Kind.PORT in kinds:
        changed = [field for field in changed if field.name.startswith("x_")]
    what = "port" if Kind.PORT in kinds else "address"
    said = wrong.replace("-", " ")
    return Fault(f"every-{what}-{wrong}", f"every {what} at once: {said}", _warns(changed, wrong),
                 _make(changed, wrong), only_booted=True)  # fmt: skip


_ADDRESSES = (Kind.DEVICE, Kind.TABLE)
TOGETHER = [
    *(_of_all(_ADDRESSES, wrong) for wrong in Kind.DEVICE.wrong(8)),
    _of_all((Kind.PORT,), "too-wide"),
]
FIELD_FAULTS = [*TOGETHER, *(_of_one(field, wrong) for field in fields() for wrong in field.wrong())]

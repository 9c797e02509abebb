"""Every field of the structs by which the kernel reads firmware's tables, out of their declarations in kernel/acpi,
with the kind of what stands in it; and for each kind the values that are wrong. A field without a kind is an error: so
no new one is forgotten."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from mxk_host.building import ROOT
from mxk_host.files import read_text

ONES = (1 << 64) - 1
# Some bytes into the kernel; memory; what no processor reaches; an HPET of a BIOS; the end of all addresses.
_ANYWHERE = {"in-kernel": 0x11_0000}
_NO_MEMORY = {"in-memory": 0x100_0000}
_FAR = {"beyond": 1 << 47, "far": 0xFED0_0000_0000_0000, "last": ONES & ~0xFFF}
_UNALIGNED = {"unaligned": 0xFED9_0001}


class Kind(Enum):
    """What a field holds, and what is wrong of it whatever the machine."""

    DEVICE = "the address of a device"
    TABLE = "the address of a table"
    PORT = "an I/O port"
    VALUE = "a number, flags, text or nothing"

    def wrong(self, size: int) -> dict[str, int]:
        """By name; of a field of so many bytes."""
        if self is Kind.VALUE:
            return {"zero": 0, "ones": ONES}
        if self is Kind.PORT:
            return {"zero": 0, "too-wide": 0x1_0000}
        memory = _ANYWHERE | (_NO_MEMORY | _UNALIGNED if self is Kind.DEVICE else {})
        return {"zero": 0} | memory | (_FAR if size == 8 else {})


@dataclass(frozen=True)
class Meaning:
    """`warns`: a part of the WARN that a wrong value gets; empty: none, since another field is read in its place."""

    kind: Kind
    warns: str = ""
    is_optional: bool = False  # 0 says that there is none
    is_aligned: bool = True  # registers that may stand at any address cannot be at an unaligned one


# By struct; what is not named here, and in _VALUES neither, is an error.
_MEANINGS = {
    "Rsdp.xsdt": Meaning(Kind.TABLE, "using the RSDT"),
    "Rsdp.rsdt": Meaning(Kind.TABLE),
    "MadtFixedPart.local_apic": Meaning(Kind.DEVICE, "ACPI: MADT, address of the local APICs"),
    "LocalApicAddressRecord.address": Meaning(Kind.DEVICE, "ACPI: MADT, address of the local APICs"),
    "IoApicRecord.address": Meaning(Kind.DEVICE, "ACPI: MADT, address of an I/O APIC"),
    "HpetTable.base": Meaning(Kind.DEVICE, "ACPI: HPET, base address", is_optional=True),
    "Fadt.dsdt": Meaning(Kind.TABLE, "ACPI: FADT, DSDT", is_optional=True),
    "Fadt.x_dsdt": Meaning(Kind.TABLE, "ACPI: FADT, X_DSDT", is_optional=True),
    "Fadt.smi_command": Meaning(Kind.PORT),
    "Fadt.pm1a_control": Meaning(Kind.PORT, "ACPI: FADT, PM1a control", is_optional=True),
    "Fadt.pm1b_control": Meaning(Kind.PORT),
    "Fadt.pm_timer": Meaning(Kind.PORT, "ACPI: FADT, PM timer", is_optional=True),
    "Fadt.reset_register": Meaning(Kind.DEVICE, "ACPI: FADT, reset register", is_optional=True, is_aligned=False),
    "Fadt.x_pm1a_control": Meaning(Kind.PORT, "ACPI: FADT, PM1a control", is_optional=True),
    "Fadt.x_pm1b_control": Meaning(Kind.PORT),
    "Fadt.x_pm_timer": Meaning(Kind.PORT, "ACPI: FADT, PM timer", is_optional=True),
    "Spcr.address": Meaning(Kind.DEVICE, "ACPI: SPCR", is_optional=True),
    "WdatEntry.place": Meaning(Kind.DEVICE, "ACPI: WDAT of"),
    "Spmi.address": Meaning(Kind.DEVICE, "ACPI: SPMI", is_aligned=False),
}
_VALUES = {
    "Rsdp": "signature checksum oem_id revision length extended_checksum reserved",
    "TableHeader": "signature length revision checksum oem_id oem_table_id oem_revision compiler_id compiler_revision",
    "RecordHeader": "type length",
    "MadtFixedPart": "flags",
    "LocalApicRecord": "header acpi_uid apic_id flags",
    "IoApicRecord": "header id reserved first_interrupt",
    "OverrideRecord": "header bus source global_interrupt signal",
    "NmiSourceRecord": "header signal global_interrupt",
    "LocalNmiRecord": "header acpi_uid signal input",
    "LocalApicAddressRecord": "header reserved",
    "LocalX2ApicRecord": "header reserved apic_id flags acpi_uid",
    "LocalX2ApicNmiRecord": "header signal acpi_uid input reserved",
    "LocalApicAffinity": "header domain_low apic_id flags sapic_eid domain_high clock_domain",
    "MemoryRecord": "header domain reserved_6 start bytes reserved_24 flags reserved_32",
    "LocalX2ApicAffinity": "header reserved_2 domain apic_id flags clock_domain reserved_20",
    "StructureHeader": "type reserved length",
    "LocalityStructure": "header flags measure min_transfer reserved_11 initiators targets reserved_20 "
    "entry_base_units",
    "HpetTable": "block_id number min_tick page_protection",
    "Fadt": "firmware_control reserved_44 acpi_enable reserved_53 pm2_control reserved_80 boot_architecture "
    "reserved_111 flags reset_value reserved_129 reserved_148 x_pm2_control",
    "Spcr": "interface reserved interrupt_type irq global_interrupt baud",
    "WdatHead": "header_length pci_segment pci_bus pci_device pci_function reserved0 timer_period max_count min_count "
    "flags reserved1 entries",
    "WdatEntry": "action instruction reserved value mask",
    "Spmi": "type reserved",
    "Dmar": "address_width flags",
}  # fmt: skip
_SIZES = {"std::uint8_t": 1, "char": 1, "std::uint16_t": 2, "std::uint32_t": 4, "std::uint64_t": 8}
_REGISTER = "GenericAddress"  # its parts are fields of those that have one


@dataclass(frozen=True)
class Field:
    """`offset`: in its struct, in bytes, as `size`. `record`: the type of the records that the struct is of."""

    struct: str
    name: str
    offset: int
    size: int
    is_register: bool
    record: int | None
    meaning: Meaning

    def wrong(self) -> dict[str, int]:
        """The values that are wrong, by name."""
        wrong = self.meaning.kind.wrong(8 if self.is_register else self.size)
        return {name: value for name, value in wrong.items() if self.meaning.is_aligned or name != "unaligned"}


_STRUCT = re.compile(r"struct \[\[gnu::packed\]\] (\w+) \{(.*?)^\};\nstatic_assert\(sizeof\(\1\) == (\d+)", re.S | re.M)
_FIELD = re.compile(r"^    (?:std::array<)?([\w:]+)(?:, (\d+)>)? (\w+)(?:\[(\d+)\])?;", re.M)
_RECORD = re.compile(r"static constexpr std::uint\d+_t type = (\d+);")


@cache
def fields() -> tuple[Field, ...]:
    """All of them, in the order of files and declarations."""
    sizes = dict(_SIZES)
    found: list[Field] = []
    sources = sorted((ROOT / "kernel/acpi").glob("*.?pp"), key=lambda path: (path.stem != "generic_address", path.name))
    for path in sources:
        for match in _STRUCT.finditer(read_text(path, "the declaration of a table")):
            struct, body = match[1], match[2]
            parts = list(_fields_of(struct, body, sizes))
            sizes[struct] = sum(part.size for part in parts)
            assert sizes[struct] == int(match[3]), f"{path.name}: the fields of {struct} have {sizes[struct]} bytes"
            found += parts if struct != _REGISTER else []
    return tuple(found)


def _fields_of(struct: str, body: str, sizes: dict[str, int]) -> Iterator[Field]:
    offset = 0
    record = _RECORD.search(body)
    for kind, length, name, count in _FIELD.findall(body):
        size = sizes[kind] * int(length or count or 1)
        yield Field(
            struct, name, offset, size, kind == _REGISTER, int(record[1]) if record else None, _meaning(struct, name)
        )
        offset += size


def _meaning(struct: str, name: str) -> Meaning:
    if struct == _REGISTER or name in _VALUES.get(struct, "").split():
        return Meaning(Kind.VALUE)
    meaning = _MEANINGS.get(f"{struct}.{name}")
    assert meaning, f"{struct}.{name} is new: say in {__name__} what stands there"
    return meaning


def known_names() -> set[str]:
    """The fields that have a kind, as 'Struct.name': those of the structs, and no other."""
    return _MEANINGS.keys() | {f"{struct}.{name}" for struct, names in _VALUES.items() for name in names.split()}

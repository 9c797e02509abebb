"""Which field of a variable lies at an offset in it, by the kernel's debug information (DWARF 5). That of a kernel has
tens of megabytes, and reading all of it takes a minute: the entry of a variable is found by the bytes of its address,
and only the compilation unit around it is read."""

from pathlib import Path

from elftools.common.exceptions import DWARFError
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.elf.elffile import ELFFile

from mxk_host.files import reading

_AT_ADDRESS = b"\x09\x03"  # a location expression of nine bytes: DW_OP_addr
_TRANSPARENT = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_atomic_type")
_STRUCTURES = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
_POINTERS = ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
_OF_THE_LIBRARY = "_M_"  # members of libstdc++, such as the value of an atomic, say nothing
_MAX_DEPTH = 32


class Fields:
    """The debug information of a kernel."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._dwarf: DWARFInfo | None = None
        self._bytes = b""
        self._types: dict[int, DIE | None] = {}  # by the variable's address

    def field(self, address: int, offset: int) -> str:
        """What is at this offset in the variable at `address`, such as ".queues[3].head"; empty if not known."""
        try:
            kind = self._type_of(address)
            return "" if kind is None else _path(kind, offset, _MAX_DEPTH)
        except (DWARFError, KeyError, ValueError, AttributeError, IndexError):
            return ""  # a form that is not understood here costs a name, no report

    @property
    def has_types(self) -> bool:
        """Whether any variable is described, as with -g; with -g1 there are only functions and lines."""
        return any(kind is not None for kind in self._types.values())

    def _type_of(self, address: int) -> DIE | None:
        if address not in self._types:
            self._types[address] = self._find(address)
        return self._types[address]

    def _find(self, address: int) -> DIE | None:
        if self._dwarf is None:
            # The file stays open with it: compilation units are read when they are asked for.
            self._dwarf = ELFFile(reading(self._path, "a program with types")).get_dwarf_info(
                relocate_dwarf_sections=False
            )
            self._bytes = self._dwarf.debug_info_sec.stream.getvalue() if self._dwarf.debug_info_sec else b""
        wanted = _AT_ADDRESS + address.to_bytes(8, "little")
        place = -1
        while (place := self._bytes.find(wanted, place + 1)) >= 0:
            variable = self._entry_around(place)
            if variable is not None and variable.tag == "DW_TAG_variable":
                return _type(_declared(variable))
        return None

    def _entry_around(self, place: int) -> DIE | None:
        assert self._dwarf is not None
        unit = self._dwarf.get_CU_containing(place)
        return next((die for die in unit.iter_DIEs() if die.offset <= place < die.offset + die.size), None)


def _declared(variable: DIE) -> DIE:
    """A variable of a namespace or class is declared there, with its type, and defined elsewhere."""
    for name in ("DW_AT_specification", "DW_AT_abstract_origin"):
        if name in variable.attributes:
            return _declared(variable.get_DIE_from_attribute(name))
    return variable


def _type(entry: DIE) -> DIE | None:
    kind = entry.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in entry.attributes else None
    while kind is not None and kind.tag in _TRANSPARENT:
        kind = kind.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in kind.attributes else None
    return kind


def _path(kind: DIE, offset: int, depth: int) -> str:
    if depth == 0:
        return ""
    if kind.tag == "DW_TAG_array_type":
        return _path_in_array(kind, offset, depth)
    if kind.tag in _STRUCTURES:
        for member in kind.iter_children():
            if member.tag not in ("DW_TAG_member", "DW_TAG_inheritance"):
                continue
            begin, inner = _begin(member), _type(member)
            if begin is None or inner is None or not begin <= offset < begin + max(_size(inner), 1):
                continue
            name = _name(member) if member.tag == "DW_TAG_member" else ""
            shown = f".{name}" if name and not name.startswith(_OF_THE_LIBRARY) else ""
            return shown + _path(inner, offset - begin, depth - 1)
    return ""


def _path_in_array(kind: DIE, offset: int, depth: int) -> str:
    element = _type(kind)
    if element is None or (size := _size(element)) == 0:
        return ""
    counts = _counts(kind)
    index, rest = divmod(offset, size)
    places = []
    for count in reversed(counts[1:]):
        index, place = divmod(index, count)
        places.append(place)
    places.append(index)
    return "".join(f"[{place}]" for place in reversed(places)) + _path(element, rest, depth - 1)


def _begin(member: DIE) -> int | None:
    """Its offset; None for a static one. Members of a union have none."""
    if "DW_AT_data_bit_offset" in member.attributes:
        return member.attributes["DW_AT_data_bit_offset"].value // 8
    if "DW_AT_data_member_location" in member.attributes:
        value = member.attributes["DW_AT_data_member_location"].value
        return value if isinstance(value, int) else None  # a virtual base: not known here
    is_static = "DW_AT_external" in member.attributes or "DW_AT_declaration" in member.attributes
    return None if is_static else 0


def _size(kind: DIE) -> int:
    if "DW_AT_byte_size" in kind.attributes:
        return kind.attributes["DW_AT_byte_size"].value
    if kind.tag in _POINTERS:
        return 8
    if kind.tag == "DW_TAG_array_type":
        element = _type(kind)
        size = 0 if element is None else _size(element)
        for count in _counts(kind):
            size *= count
        return size
    inner = _type(kind)
    return 0 if inner is None else _size(inner)


def _counts(array: DIE) -> list[int]:
    """Of its dimensions, the outer one first."""
    counts = []
    for dimension in array.iter_children():
        if dimension.tag == "DW_TAG_subrange_type":
            if "DW_AT_count" in dimension.attributes:
                counts.append(dimension.attributes["DW_AT_count"].value)
            elif "DW_AT_upper_bound" in dimension.attributes:
                counts.append(dimension.attributes["DW_AT_upper_bound"].value + 1)
    return counts


def _name(entry: DIE) -> str:
    name = entry.attributes.get("DW_AT_name")
    return name.value.decode(errors="replace") if name is not None else ""

"""Turns a font in GRUB's format (PF2), which Debian's grub-common installs, into NASM source (stdout): for each ASCII
character from blank to tilde 16 bytes, a row of eight pixels each, the leftmost in the highest bit. The glyphs are GNU
Unifont's, and stay under its licence: NOTICE.

The format: sections of a name (4 bytes), a length (4) and content, all numbers big-endian. CHIX is an index: code point
(4), flags (1), offset in the file (4). There: width, height, distance from the left, from the base line, to the next
character (2 bytes each), then the pixels, row by row without a gap. Used by the build and by a test. Plain Python 3.
"""

import struct
import sys
from pathlib import Path

COLUMNS, ROWS = 8, 16
FIRST, LAST = 0x20, 0x7E
_NAME_AND_LENGTH = struct.Struct(">4sI")
_INDEX_ENTRY = struct.Struct(">IBI")
_GLYPH = struct.Struct(">HHhhh")


def glyphs_of(font: bytes) -> dict[str, list[int]]:
    """The rows of each character. Raises ValueError if it is no such font, or one whose cells are larger."""
    sections = {}
    at = 0
    while at + _NAME_AND_LENGTH.size <= len(font):
        name, length = _NAME_AND_LENGTH.unpack_from(font, at)
        at += _NAME_AND_LENGTH.size
        if name == b"DATA":
            break
        sections[name] = font[at : at + length]
        at += length
    if sections.get(b"FILE") != b"PFF2":
        raise ValueError("expected a font in GRUB's format PFF2")
    (descent,) = struct.unpack(">H", sections[b"DESC"])
    places = {code: offset for code, _, offset in _INDEX_ENTRY.iter_unpack(sections[b"CHIX"])}
    return {chr(code): _rows(font, places[code], descent) for code in range(FIRST, LAST + 1)}


def _rows(font: bytes, place: int, descent: int) -> list[int]:
    width, height, left, bottom, _ = _GLYPH.unpack_from(font, place)
    pixels = int.from_bytes(font[place + _GLYPH.size :][: (width * height + 7) // 8], "big")
    unused = -width * height % 8
    top = ROWS - descent - bottom - height
    if left < 0 or left + width > COLUMNS or top < 0 or top + height > ROWS:
        raise ValueError(f"expected characters of up to {COLUMNS} by {ROWS} pixels")
    rows = [0] * ROWS
    for row in range(height):
        bits = pixels >> (unused + (height - 1 - row) * width) & ((1 << width) - 1)
        rows[top + row] = bits << (COLUMNS - left - width)
    return rows


def main() -> None:
    """Writes the source of the font that is named."""
    print("section .rodata progbits alloc noexec nowrite align=16")
    print("global console_font")
    print("console_font:")
    for character, rows in glyphs_of(Path(sys.argv[1]).read_bytes()).items():
        print("db " + ",".join(map(str, rows)) + f" ; {ord(character):#x}")


if __name__ == "__main__":
    main()

"""Joins photos of the QR codes that `show qr` has put on a screen into a log. What a code consists of is said in
bench/frame/result_summary.hpp."""

import re
import shutil
import subprocess
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mxk_host import files
from mxk_host.errors import DriverError, ExitCode, UsageError
from mxk_host.image import shown

_READER = "zbarimg"
_CODE = re.compile(r"(MXK1 ([1-9]\d?)/([1-9]\d?) ([0-9A-F]{8}) (.*)) ([0-9A-F]{8})", re.DOTALL)
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
_MAX_TEXT = 1 << 20
_NOTHING_FOUND = 4  # exit status of zbarimg


@dataclass(frozen=True)
class Part:
    """What one code says."""

    number: int
    count: int
    summary: str  # the check sum of the whole text, by which summaries differ
    data: str


def join(photos: Sequence[Path], output: Path) -> None:
    """Writes the log that the codes of these pictures are; raises where one is missing, and says which."""
    if shutil.which(_READER) is None:
        raise UsageError(f"expected {_READER} to be installed, which reads QR codes: run tools/setup qr")
    found = {str(photo): parts_of(_codes_in(photo), str(photo)) for photo in photos}
    blank = [photo for photo, parts in found.items() if not parts]
    text = text_of([part for parts in found.values() for part in parts], blank)
    files.write_text(output, text)
    print(f"{text.partition(chr(10))[0]}\nlog: {shown(output)}")


def parts_of(codes: Iterable[str], photo: str) -> list[Part]:
    """Those of a photo; codes of others are passed over. Raises where one is damaged."""
    parts = []
    for code in codes:
        if not code.startswith("MXK1 "):
            continue
        found = _CODE.fullmatch(code)
        if found is None:
            raise _wrong(f"{photo}: expected MXK1 NUMBER/COUNT SUM DATA SUM in a code, got {code:.40}")
        checked, number, count, summary, data, expected = found.groups()
        if (got := _sum_of(checked.encode())) != expected:
            raise _wrong(f"{photo}: the check sum of code {number}/{count}: expected {expected}, got {got}")
        parts.append(Part(int(number), int(count), summary, data))
    return parts


def text_of(parts: Sequence[Part], blank: Sequence[str] = ()) -> str:
    """The whole of it; the same part may come several times. `blank`: photos in which no code was found."""
    hint = f"; no code was found in {', '.join(blank)}: it has to be whole, sharp and without reflections"
    if not parts:
        raise _wrong(f"expected QR codes of `show qr`, got none{hint if blank else ''}")
    summaries = {(part.summary, part.count) for part in parts}
    if len(summaries) > 1:
        seen = ", ".join(f"{summary} of {count} codes" for summary, count in sorted(summaries))
        raise _wrong(f"expected photos of one summary, got those of {len(summaries)}: {seen}")
    ((summary, count),) = summaries
    by_number = {part.number: part.data for part in parts}
    missing = [str(number) for number in range(1, count + 1) if number not in by_number]
    if missing:
        raise _wrong(f"expected photos of all {count} codes: missing {', '.join(missing)}{hint if blank else ''}")
    try:
        text = _expanded(_bytes_of("".join(by_number[number] for number in range(1, count + 1))))
        said = text.decode()
    except (ValueError, ArithmeticError) as error:
        raise _wrong(f"expected codes of `show qr` that are one text: {error}") from error
    if (got := _sum_of(text)) != summary:
        raise _wrong(f"the check sum of all: expected {summary}, got {got}")
    return said


def _codes_in(photo: Path) -> list[str]:
    """The texts of all codes in it. Ours have no line ends."""
    files.reading(photo, "a photo").close()
    line = [_READER, "--quiet", "--raw", "--nodbus", "-Sdisable", "-Sqrcode.enable", str(photo.absolute())]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode not in (0, _NOTHING_FOUND):
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        raise UsageError(f"expected a photo that {_READER} can read, got {photo}: {said[0]}")
    return done.stdout.decode(errors="replace").splitlines()


def _bytes_of(text: str) -> bytes:
    """Base45 (RFC 9285)."""
    data = bytearray()
    for at in range(0, len(text), 3):
        digits = [_ALPHABET.index(character) for character in text[at : at + 3]]
        value = sum(digit * 45**place for place, digit in enumerate(digits))
        data += value.to_bytes(len(digits) - 1, "big")
    return bytes(data)


def _expanded(data: bytes) -> bytes:
    """DEFLATE, up to what a summary may be."""
    reader = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        text = reader.decompress(data, _MAX_TEXT)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not reader.eof:
        raise ValueError("the compressed text has no end")
    return text


def _sum_of(data: bytes) -> str:
    return f"{zlib.crc32(data):08X}"


def _wrong(message: str) -> DriverError:
    return DriverError(message, ExitCode.COMMAND_FAILED)

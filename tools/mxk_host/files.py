"""All that the driver reads of files and writes to them. It reads regular files up to a stated size, text in UTF-8 with
or without a byte-order mark; what it writes replaces the old file once it is whole and on the disc, not before."""

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mxk_host.errors import DriverError, UsageError

MAX_BYTES = 1 << 30  # of a file that is read as a whole
MAX_WORKLOAD_BYTES = 16 << 30  # of recorded workloads, which are larger
MARK = b"\xef\xbb\xbf"  # U+FEFF, which spreadsheets put in front
_OTHER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_KINDS = {
    stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}  # fmt: skip

Wrong = Callable[[str], DriverError]


def reading(path: Path, what: str, limit: int = MAX_BYTES) -> BinaryIO:
    """A regular file, opened; raises, with what was expected, where it is none, too large, or cannot be read."""
    try:
        # Without waiting: a pipe that nobody writes to is opened at once, and refused.
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise UsageError(f"expected {what}, got {path}: {_reason(error)}") from error
    kind = os.fstat(file.fileno())
    if stat.S_ISREG(kind.st_mode) and kind.st_size <= limit:
        return file
    file.close()
    if stat.S_ISREG(kind.st_mode):
        raise UsageError(f"expected {what} of up to {limit} bytes, got {path} of {kind.st_size}")
    raise UsageError(f"expected {what}, a regular file, got {path}, {_KINDS[stat.S_IFMT(kind.st_mode)]}")


def read_bytes(path: Path, what: str, limit: int = MAX_BYTES) -> bytes:
    """The whole of a regular file."""
    with reading(path, what, limit) as file:
        return read_stream(file, f"{path}, {what}", limit)


def read_stream(stream: BinaryIO, what: str, limit: int = MAX_BYTES) -> bytes:
    """All of a stream, which may be one without an end, as files of /proc have no size and standard input none."""
    try:
        pieces, left = [], limit
        while piece := stream.read(min(left + 1, 1 << 24)):
            pieces.append(piece)
            left -= len(piece)
            if left < 0:
                raise UsageError(f"expected {what}, of up to {limit} bytes, got more")
        return b"".join(pieces)
    except OSError as error:
        raise UsageError(f"expected {what}: {_reason(error)}") from error


def read_text(path: Path, what: str, limit: int = MAX_BYTES, wrong: Wrong = UsageError) -> str:
    """The text of a file, without a mark in front; `wrong` makes the error of one that is no UTF-8."""
    return text_of(read_bytes(path, what, limit), f"{path}: expected {what} in UTF-8", wrong)


def text_of(data: bytes, expected: str, wrong: Wrong = UsageError) -> str:
    """Bytes as text, without a mark in front and with lines that end with a line feed alone."""
    try:
        return data.removeprefix(MARK).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        hint = next((f": this is {name}" for mark, name in _OTHER_MARKS.items() if data.startswith(mark)), "")
        raise wrong(f"{expected}, got the byte 0x{error.object[error.start]:02x}{hint}") from error


@contextmanager
def expecting(what: str) -> Iterator[None]:
    """What a file holds is used inside: where a part of it is missing or another than expected, that is said."""
    try:
        yield
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        AssertionError,
        RecursionError,
    ) as error:
        raise UsageError(f"expected {what}: {type(error).__name__}: {error!s:.200}") from error


@contextmanager
def writing(path: Path, wrong: Wrong = UsageError) -> Iterator[BinaryIO]:
    """A new file in place of `path`, once the block has ended and it is on the disc; if it does not get there, nothing
    is changed. A device or a pipe, which cannot be replaced, is written to."""
    try:
        kind = _mode(path)
        if kind is not None and not stat.S_ISREG(kind):
            with _opened(path) as file:
                yield file
            return
        target = path.resolve()  # a link goes on to lead there
        if kind is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        descriptor, name = tempfile.mkstemp(prefix=".mxk-", dir=target.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fchmod(file.fileno(), stat.S_IMODE(kind) if kind is not None else 0o666 & ~_umask())
                os.fsync(file.fileno())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink()
            raise
    except OSError as error:
        raise wrong(f"expected {path} to be written: {_reason(error)}") from error


def write_bytes(path: Path, data: bytes, wrong: Wrong = UsageError) -> None:
    """All of a file at once."""
    with writing(path, wrong) as file:
        file.write(data)


def write_text(path: Path, text: str, wrong: Wrong = UsageError) -> None:
    """The same in UTF-8; half of a surrogate pair, which that cannot have, is written as its escape."""
    write_bytes(path, text.encode(errors="backslashreplace"), wrong)


def log(path: Path, *, add: bool = False) -> BinaryIO:
    """A file that can be followed while it is written, and that keeps what it has if the driver is killed."""
    try:
        return _opened(path, os.O_CREAT | (os.O_APPEND if add else os.O_TRUNC))
    except OSError as error:
        raise UsageError(f"expected {path} to be written: {_reason(error)}") from error


def _opened(path: Path, flags: int = 0) -> BinaryIO:
    """For writing; without waiting for somebody to read a pipe."""
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags, 0o666)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: OSError) -> str:
    return "nobody reads this pipe" if error.errno == errno.ENXIO else error.strerror or str(error)

"""The jobs about firmware's tables: list the faults, write an image, make one for a run."""

import hashlib
import re
import sys
from pathlib import Path

from mxk_host import files, image
from mxk_host.errors import UsageError
from mxk_host.firmware import faults
from mxk_host.firmware.tables import HEADER, Image
from mxk_host.shape import Shape

TABLES = ("APIC", "SRAT", "SLIT", "HMAT")
_MAX_TABLE_BYTES = 16 << 20
FOLDER = image.BUILD / "firmware"
_TABLE_FILE = re.compile(rf"({'|'.join(TABLES)})([0-9]*)(\.(dat|bin|aml))?", re.IGNORECASE)


def show_faults() -> None:
    """A line for each: its name, and what the firmware does."""
    width = max(map(len, faults.FAULTS))
    for fault in faults.FAULTS.values():
        print(f"{fault.name:{width}}  {fault.lie}")


def image_of_server(directory: Path) -> bytes:
    """The tables that lie there (APIC, SRAT, SLIT, HMAT), as an image."""
    if not directory.is_dir():
        raise UsageError(f"expected a folder with the files APIC, SRAT, SLIT of a machine, got {directory}")
    found = [
        (TABLES.index(match[1].upper()), int(match[2] or 0), path)
        for path in directory.iterdir()
        if (match := _TABLE_FILE.fullmatch(path.name))
    ]
    if not found:
        raise UsageError(f"expected one of the files {', '.join(TABLES)} in {directory}")
    return Image([_table(path, TABLES[which]) for which, _, path in sorted(found)]).memory().file()


def _table(path: Path, signature: str) -> bytes:
    table = files.read_bytes(path, f"the table {signature}", _MAX_TABLE_BYTES)
    if len(table) < HEADER or not table.startswith(signature.encode()):
        raise UsageError(f"expected {path} to be a table of {HEADER} bytes or more that begins with {signature}")
    return table


def write(path: Path, *, fault: str | None, acpi: Path | None, shape: Shape) -> None:
    """Writes an image: of a server's tables, or of a machine's with a fault or none."""
    content = _content("--fault", fault or (None if acpi else faults.SOUND), acpi, shape)
    files.write_bytes(path, content)
    print(f"{image.shown(path)}: {len(content)} bytes", file=sys.stderr)


def module_for_run(*, fault: str | None, acpi: Path | None, shape: Shape) -> Path | None:
    """The file that the loader is to bring; none where the machine's own tables are to be read."""
    if fault is None and acpi is None:
        return None
    content = _content("--firmware-fault", fault, acpi, shape)
    name = fault or "server"
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}.acpi"
    if not path.exists():
        files.write_bytes(path, content)  # as a whole: runs side by side may write the same file
    return path


def _content(option: str, fault: str | None, acpi: Path | None, shape: Shape) -> bytes:
    """Of the image with this fault, which `option` names, or of the tables in this folder: one of both is given."""
    if acpi is None:
        return faults.image_for(str(fault), shape)
    if fault is not None:
        raise UsageError(f"expected one of {option} and --acpi, got both")
    return image_of_server(acpi)

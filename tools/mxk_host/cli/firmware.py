"""The options of firmware faults and firmware image, which are about ACPI tables that the kernel is to read."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host.firmware import job
from mxk_host.shape import Shape

firmware_app = typer.Typer(
    no_args_is_help=True, help="Firmware's tables for 'run --firmware-fault' and 'topology --acpi': faults, image."
)


@firmware_app.command()
def faults() -> None:
    """Lists the faults that firmware can be given: the name, and what the firmware does."""
    job.show_faults()


@firmware_app.command()
def image(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="What is written.")],
    fault: Annotated[str | None, typer.Option(help="One of 'firmware faults'.")] = None,
    acpi: Annotated[Path | None, typer.Option(metavar="DIR", help="The tables of a server: APIC, SRAT, ...")] = None,
    cpus: Annotated[int, typer.Option(help="Cores of the machine.")] = 4,
    nodes: Annotated[int, typer.Option(help="Its NUMA nodes.")] = 2,
    mem: Annotated[str, typer.Option("--mem", help="Memory of all nodes together.")] = "512M",
) -> None:
    """Writes an image of firmware's memory, for 'topology --acpi FILE' and for 'acpi-image=' on the kernel's command
    line: a sound machine's tables, such with a fault, or those of a server."""
    job.write(path, fault=fault, acpi=acpi, shape=Shape.checked(cpus, nodes, mem))

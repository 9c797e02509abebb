"""The options of run and bench, which boot the kernel in QEMU."""

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from mxk_host import jobs
from mxk_host.arguments import finite
from mxk_host.bochs import Model, expect_possible
from mxk_host.commands import checked_words, command_text
from mxk_host.errors import UsageError
from mxk_host.firmware import job as firmware_job
from mxk_host.image import checked_module
from mxk_host.machine import Accelerator, Boot, Emulator, Firmware, choose_accelerator, expect_firmware
from mxk_host.qemu import Machine
from mxk_host.shape import Shape

DEFAULT_BENCH = "topology; bench table --cores 1,2,4 --ops 24M --json"
DEFAULT_TRACE_BENCH = "topology; bench table --trace {} --layout open --submit batch --cores 1,2,4 --json"

Commands = Annotated[list[str] | None, typer.Argument(help="Console commands, separated by ';'.")]
Cpus = Annotated[int, typer.Option(help="Cores of the machine.")]
Nodes = Annotated[int, typer.Option(help="NUMA nodes; cores and memory are split over them.")]
Memory = Annotated[str, typer.Option("--mem", help="Memory of all nodes together, such as 512M or 4G.")]
BootOption = Annotated[
    Boot, typer.Option(help="QEMU loads the ELF, or firmware and GRUB load it, from the ISO or over the network.")
]
FirmwareOption = Annotated[Firmware, typer.Option(help="The firmware under GRUB; uefi needs --boot iso or pxe.")]
EmulatorOption = Annotated[
    Emulator, typer.Option(help="qemu10: x2APIC, more than 255 cores. bochs: the ISO, slowly, commands only.")
]
Accel = Annotated[Accelerator, typer.Option(help="auto: KVM where the hardware has it, else TCG.")]
NoBuild = Annotated[bool, typer.Option("--no-build", help="Boot the image as it is.")]
Trace = Annotated[
    Path | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="A recorded workload for the machine to bring: 'bench table --trace NAME', the name without folders.",
    ),
]
Raw = Annotated[list[str] | None, typer.Option("--qemu", metavar="ARG", help="One more QEMU argument; repeatable.")]


def run(
    commands: Commands = None,
    cpus: Cpus = 4,
    nodes: Nodes = 1,
    mem: Annotated[
        str | None, typer.Option("--mem", help="As 512M or 4G, of all nodes together; default 4G, in Bochs 512M.")
    ] = None,
    model: Annotated[Model | None, typer.Option(help="The processor that Bochs emulates; default skylake-x.")] = None,
    boot: BootOption = Boot.KERNEL,
    firmware: FirmwareOption = Firmware.BIOS,
    emulator: EmulatorOption = Emulator.QEMU,
    accel: Accel = Accelerator.AUTO,
    trace: Trace = None,
    qemu: Raw = None,
    no_build: NoBuild = False,
    no_srat: Annotated[bool, typer.Option("--no-srat", help="Give the kernel no SRAT; one node only.")] = False,
    memoryless_node: Annotated[
        bool, typer.Option("--memoryless-node", help="One more node with the last cores but no memory.")
    ] = False,
    coreless_node: Annotated[
        bool, typer.Option("--coreless-node", help="One more node with the last share of the memory but no cores.")
    ] = False,
    firmware_fault: Annotated[
        str | None, typer.Option(metavar="NAME", help="Firmware that lies: one of 'firmware faults'.")
    ] = None,
    acpi: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The tables of another machine: APIC, SRAT, ...")
    ] = None,
    hmat: Annotated[
        bool, typer.Option("--hmat", help="Give the kernel latencies and bandwidths between the nodes.")
    ] = False,
    menu: Annotated[
        bool, typer.Option("--menu", help="Show GRUB's menu, as on a server, in place of booting at once.")
    ] = False,
    word: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="One more option of the kernel's command line, such as apic=xapic; repeatable."
        ),
    ] = None,
    tests: Annotated[
        bool, typer.Option("--tests", help="The kernel with the tests inside, as for commands that are tests.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the QEMU line; build and run nothing.")] = False,
    timeout: Annotated[
        float | None, typer.Option(callback=finite, min=0, help="Seconds; default 600 with commands, none without.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="The raw serial log; default build/results/run-last.log.", dir_okay=False)
    ] = None,
) -> None:
    """Boots the kernel, obeys the commands, tells by the exit code how they went; without commands: the console.

    Exit codes: 0 every command succeeded, 1 one failed, 2 wrong usage, 3 panic, 4 timeout, 5 no verdict.

    In the console Ctrl-C goes to the kernel and Ctrl-A X ends QEMU.
    """
    expect_firmware(boot, firmware)
    mem = mem or ("512M" if emulator is Emulator.BOCHS else "4G")
    shape = Shape.checked(
        cpus,
        nodes,
        mem,
        srat=not no_srat,
        memoryless_node=memoryless_node,
        coreless_node=coreless_node,
        hmat=hmat,
        max_cpus=emulator.max_cpus,
    )
    tables = firmware_job.module_for_run(fault=firmware_fault, acpi=acpi, shape=shape)
    if tables and trace:
        raise UsageError("expected one file for the loader to bring, got --trace and tables of firmware")
    machine = Machine(
        shape,
        boot,
        firmware,
        choose_accelerator(accel),
        tuple(qemu or ()),
        module=tables or checked_module(trace),
        emulator=emulator,
        words=(
            *((f"acpi-image={tables.name}",) if tables else ()),
            *checked_words(word or ()),
            *_width(word or [], menu),
        ),
    )
    if tests and boot is not Boot.KERNEL and not commands:
        raise UsageError("expected --tests with --boot kernel or with commands: GRUB's menu has an entry for the tests")
    if menu and (boot is Boot.KERNEL or commands or trace or machine.words):
        raise UsageError(
            "expected --menu with --boot iso or pxe, and neither commands nor a file to bring: the menu has its own"
        )
    job = jobs.Job(machine, command_text(commands or []), own_menu=not menu, with_tests=tests)
    if emulator is Emulator.BOCHS:
        expect_possible(machine)
        if not job.commands or dry_run or firmware is not Firmware.BIOS:
            raise UsageError("expected commands, the BIOS and no --dry-run with --emulator bochs")
        jobs.run_in_bochs(job, model or Model.SKYLAKE_X, build=not no_build, timeout=timeout, log=log)
    elif model is not None:
        raise UsageError("expected --emulator bochs with --model, a processor that Bochs knows")
    elif dry_run:
        jobs.explain(job)
    elif job.commands:
        jobs.run(job, build=not no_build, timeout=timeout, log=log)
    else:
        jobs.converse(job, build=not no_build, timeout=timeout, log=log)


def _width(words: list[str], menu: bool) -> tuple[str, ...]:
    """Tells the kernel how wide the terminal is, since a serial line does not."""
    if menu or not sys.stdout.isatty() or any(word.startswith("columns=") for word in words):
        return ()
    columns = shutil.get_terminal_size().columns
    return (f"columns={min(max(columns, 48), 1000)}",) if columns != 80 else ()


def bench(
    commands: Commands = None,
    cpus: Cpus = 4,
    nodes: Nodes = 2,
    mem: Memory = "3G",
    boot: BootOption = Boot.ISO,
    firmware: FirmwareOption = Firmware.BIOS,
    accel: Accel = Accelerator.AUTO,
    trace: Trace = None,
    qemu: Raw = None,
    no_build: NoBuild = False,
    timeout: Annotated[float, typer.Option(callback=finite, min=0, help="Seconds.")] = 1800,
) -> None:
    """Measures: obeys the benchmark commands, keeps log and rows in build/results/<UTC time>/ and shows a table.

    Exit codes as for run; a run without JSON rows, or with a row that is not verified, fails with 1.
    """
    expect_firmware(boot, firmware)
    shape = Shape.checked(cpus, nodes, mem)
    machine = Machine(shape, boot, firmware, choose_accelerator(accel), tuple(qemu or ()), module=checked_module(trace))
    default = DEFAULT_BENCH if trace is None else DEFAULT_TRACE_BENCH.format(trace.name)
    jobs.measure(jobs.Job(machine, command_text(commands or [default])), build=not no_build, timeout=timeout)

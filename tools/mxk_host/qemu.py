"""The QEMU command line: a pure function of what is to be run."""

import itertools
from dataclasses import dataclass
from pathlib import Path

from mxk_host.machine import OVMF, Accelerator, Boot, Emulator, Firmware
from mxk_host.shape import Node, Shape

LOCAL_DISTANCE = 10  # ACPI 6.5 section 5.2.17: 10 is a node's distance to itself
REMOTE_DISTANCE = 21

# What the HMAT says (section 5.2.28): ns, and MB/s (of 2^20 bytes for QEMU, which makes no difference in the table).
LOCAL_LATENCY, REMOTE_LATENCY = 80, 140
LOCAL_BANDWIDTH, REMOTE_BANDWIDTH = 20000, 10000

# The kernel ends QEMU by writing a byte here: status 2 * byte + 1.
EXIT_DEVICE = "isa-debug-exit,iobase=0xf4,iosize=0x04"


# By PXE: what a machine is told to load first, and a network card that its firmware knows.
_NETWORK = {
    Firmware.BIOS: ("boot/grub/i386-pc/core.0", "e1000"),
    Firmware.UEFI: ("boot/grub/x86_64-efi/core.efi", "virtio-net-pci"),
}


@dataclass(frozen=True)
class Machine:
    """All that decides the QEMU command line, except where the image lies."""

    shape: Shape
    boot: Boot
    firmware: Firmware
    accelerator: Accelerator
    extra: tuple[str, ...] = ()
    one_thread: bool = False  # of the host runs all cores, one at a time (TCG)
    counted: bool = False  # the emulator's clock is the number of instructions: a nanosecond each
    module: Path | None = None  # a file that the loader brings besides the kernel
    emulator: Emulator = Emulator.QEMU
    words: tuple[str, ...] = ()  # of the kernel's command line, besides commands and the module's name


def qemu_line(machine: Machine, image: Path, command_line: str, interactive_log: Path | None = None) -> list[str]:
    """The arguments that boot `image`; an ISO and a directory for PXE already carry the command line. With
    `interactive_log` QEMU serves the terminal itself, and keeps the raw serial log there."""
    accelerate = ["-accel", "kvm", "-cpu", "host"]
    if machine.counted:
        accelerate = ["-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-cpu", machine.emulator.cpu]
    elif machine.accelerator is Accelerator.TCG:
        threads = "single" if machine.one_thread else "multi"
        accelerate = ["-accel", f"tcg,thread={threads}", "-cpu", machine.emulator.cpu]
    return [
        *(*machine.emulator.line, "-machine", "q35,hmat=on" if machine.shape.hmat else "q35", *accelerate),
        *("-display", "none", "-nodefaults", "-no-reboot", "-device", EXIT_DEVICE),
        *_serial(interactive_log),
        *("-m", f"{machine.shape.mebibytes}M", "-smp", _cores(machine.shape)),
        *_numa(machine.shape),
        *_image(machine, image, command_line),
        *machine.extra,
    ]


def _serial(interactive_log: Path | None) -> list[str]:
    if interactive_log is None:
        return ["-monitor", "none", "-serial", "stdio"]
    # `-serial mon:stdio` written out, since only the long form can keep a log. Ctrl-C goes to the guest.
    terminal = f"stdio,id=terminal,mux=on,signal=off,logfile={option_value(interactive_log)}"
    return ["-chardev", terminal, "-serial", "chardev:terminal", "-mon", "chardev=terminal"]


def _cores(shape: Shape) -> str:
    if not shape.sockets:
        return str(shape.cpus)
    cores = shape.cpus // shape.sockets // shape.threads_per_core
    return f"{shape.cpus},sockets={shape.sockets},cores={cores},threads={shape.threads_per_core}"


def _numa(shape: Shape) -> list[str]:
    if not shape.srat:
        return []
    nodes = range(len(shape.nodes))
    arguments = [argument for node in nodes for argument in _node(node, shape.nodes[node], shape.hmat)]
    if len(nodes) > 1:
        for a, b in itertools.product(nodes, nodes):
            arguments += ["-numa", f"dist,src={a},dst={b},val={_distance(shape, a, b)}"]
    return [*arguments, *(_hmat(shape) if shape.hmat else [])]


def _distance(shape: Shape, a: int, b: int) -> int:
    if shape.distances is not None:
        return shape.distances[a][b]
    return LOCAL_DISTANCE if a == b else REMOTE_DISTANCE


def _hmat(shape: Shape) -> list[str]:
    """Every node that has cores reaches every one that has memory."""
    arguments = []
    for a, b in itertools.product(range(len(shape.nodes)), repeat=2):
        if not shape.nodes[a].cpus or shape.nodes[b].mebibytes == 0:
            continue
        latency, bandwidth = (LOCAL_LATENCY, LOCAL_BANDWIDTH) if a == b else (REMOTE_LATENCY, REMOTE_BANDWIDTH)
        pair = f"hmat-lb,initiator={a},target={b},hierarchy=memory"
        arguments += ["-numa", f"{pair},data-type=access-latency,latency={latency}"]
        arguments += ["-numa", f"{pair},data-type=access-bandwidth,bandwidth={bandwidth}M"]
    return arguments


def _node(number: int, node: Node, hmat: bool) -> list[str]:
    cpus = f",cpus={node.cpus[0]}-{node.cpus[-1]}" if node.cpus else ""
    initiator = f",initiator={number if node.cpus else 0}" if hmat else ""
    place = f"node,nodeid={number}{cpus}{initiator}"
    if node.mebibytes == 0:
        return ["-numa", place]
    memory = f"memory-backend-ram,id=memory{number},size={node.mebibytes}M"
    return ["-object", memory, "-numa", f"{place},memdev=memory{number}"]


def _image(machine: Machine, image: Path, command_line: str) -> list[str]:
    if machine.boot is Boot.KERNEL:
        module = ("-initrd", str(machine.module)) if machine.module else ()
        return ["-kernel", str(image), *module, *(("-append", command_line) if command_line else ())]
    firmware = ("-bios", str(OVMF)) if machine.firmware is Firmware.UEFI else ()
    if machine.boot is Boot.ISO:
        return [*firmware, "-cdrom", str(image)]
    loader, card = _NETWORK[machine.firmware]
    network = f"user,id=network,tftp={option_value(image)},bootfile={loader}"
    return [*firmware, "-netdev", network, "-device", f"{card},netdev=network,bootindex=0"]


def option_value(path: Path) -> str:
    """A path inside an option."""
    return str(path).replace(",", ",,")  # QEMU's way to write a comma inside an option

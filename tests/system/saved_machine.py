"""A machine that goes back to its prompt, a snapshot of QEMU's; its serial line is a socket, which need not be read."""

import re
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from helpers import Monitor
from mxk_host.commands import KERNEL_WITH_TESTS
from mxk_host.image import image_path
from mxk_host.machine import QEMU, Boot

# Said by what has also written the status of a panic to QEMU's exit device, which a machine that goes back has not.
END = b"MXK has ended in a panic.\r\nType r to reset the machine, p to switch it off.\r\n"


def empty_disk() -> bytes:
    """A QCOW2 image of a MiB, which snapshots can be kept in: header, table and block of counts, first-level table."""
    cluster = 1 << 16
    image = bytearray(4 * cluster)
    struct.pack_into(">4sIQIIQIIQQIIQ", image, 0, b"QFI\xfb", 2, 0, 0, 16, 1 << 20, 0, 1, 3 * cluster, cluster, 1, 0, 0)
    struct.pack_into(">Q", image, cluster, 2 * cluster)
    struct.pack_into(">4H", image, 2 * cluster, 1, 1, 1, 1)
    return bytes(image)


class Machine:
    """At the kernel's prompt, with a snapshot of that."""

    def __init__(self, monitor: Monitor, line: socket.socket) -> None:
        self.monitor, self.line = monitor, line
        self.said = b""
        self.expect(rb"mxk> $", 60)
        self._order("savevm prompt")

    def _order(self, command: str) -> None:
        self.monitor.obey("human-monitor-command", **{"command-line": command})

    def go_back(self) -> None:
        """To the prompt; what was said is forgotten."""
        self._order("loadvm prompt")
        self.said = b""

    def expect(self, pattern: bytes, seconds: float = 30) -> None:
        """Waits until it has said so since it went back."""
        self.line.settimeout(seconds)
        while not re.search(pattern, self.said):
            received = self.line.recv(65536)
            assert received, self.said.decode(errors="replace")
            self.said += received

    def take_rest(self) -> None:
        """What it has said, until nothing comes for a second."""
        self.line.settimeout(1)
        with suppress(TimeoutError):
            while received := self.line.recv(65536):
                self.said += received


@contextmanager
def booted(folder: Path) -> Iterator[Machine]:
    """A machine of two cores."""
    (folder / "disk").write_bytes(empty_disk())
    sockets = {name: socket.socket(socket.AF_UNIX) for name in ("line", "monitor")}
    places = {name: folder / name for name in sockets}
    arguments = ["-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-display", "none", "-nodefaults"]
    arguments += ["-m", "128M", "-smp", "2", "-kernel", str(image_path(Boot.KERNEL, KERNEL_WITH_TESTS))]
    arguments += ["-qmp", f"unix:{places['monitor']},server=on,wait=off"]
    arguments += ["-chardev", f"socket,id=line,path={places['line']},server=on,wait=on", "-serial", "chardev:line"]
    arguments += ["-drive", f"if=none,format=qcow2,file={folder / 'disk'}"]
    with subprocess.Popen([QEMU, *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as emulator:
        try:
            deadline = time.monotonic() + 20
            while not places["line"].exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            sockets["line"].connect(str(places["line"]))
            while not places["monitor"].exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            yield Machine(Monitor(places["monitor"]), sockets["line"])
        finally:
            emulator.kill()

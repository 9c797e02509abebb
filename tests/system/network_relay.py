"""A bad network: a switch between TAP devices that delays frames, sends them in another order, loses some, and cuts
links. Run as a process of its own: it says "ready" once the devices are there, takes lines `cut PORT` on its standard
input, and says what it did when that ends. Port 0 is the host's, from which ranks are started: its frames can be cut,
but are neither disturbed (of fifty starts by Open MPI over such a network, one never ends) nor counted."""

import contextlib
import fcntl
import heapq
import json
import os
import random
import selectors
import struct
import sys
import time
from dataclasses import asdict, dataclass, field

_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
_MAX_FRAME = 1 << 16
_BROADCAST = 1  # of an address' first byte


@dataclass(frozen=True)
class Disturbance:
    """What happens to frames, by chance, drawn from the seed."""

    seed: int
    lost: float  # a share of all
    delayed: float  # a share of all, by up to `delay` seconds; the others go on at once, and so in front of them
    delay: float


@dataclass
class Counts:
    """What happened between the ports but port 0."""

    forwarded: int = 0
    lost: int = 0
    delayed: int = 0
    reordered: int = 0  # sent after one that came later, of the same link in the same direction
    cut: int = 0  # came to or from a link that is cut


@dataclass
class Switch:
    """Frames between ports. Knows no device: what is to be sent comes out of `due()`."""

    ports: int
    disturbance: Disturbance
    counts: Counts = field(default_factory=Counts)
    _of_port_0: Counts = field(default_factory=Counts)
    _cut: set[int] = field(default_factory=set)
    _waiting: list[tuple[float, int, int, bytes]] = field(default_factory=list)
    _port_of: dict[bytes, int] = field(default_factory=dict)
    _number: int = 0
    _latest: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = random.Random(self.disturbance.seed)

    def cut(self, port: int) -> None:
        """From now on nothing comes or goes there, nor what is on its way."""
        if port not in range(self.ports):
            raise ValueError(f"expected a port below {self.ports}, got {port}")
        self._cut.add(port)

    def take(self, port: int, frame: bytes, now: float) -> None:
        """A frame came in."""
        if len(frame) < 14 or frame[6] & _BROADCAST:
            return  # no Ethernet, or of no one sender
        self._port_of[frame[6:12]] = port
        known = None if frame[0] & _BROADCAST else self._port_of.get(frame[:6])
        for to in range(self.ports) if known is None else (known,):
            if to != port:
                self._plan(port, to, frame, now)

    def _counts(self, port: int, to: int) -> Counts:
        return self.counts if port and to else self._of_port_0

    def _plan(self, port: int, to: int, frame: bytes, now: float) -> None:
        counts = self._counts(port, to)
        is_disturbed = port and to
        if {port, to} & self._cut:
            counts.cut += 1
        elif is_disturbed and self._random.random() < self.disturbance.lost:
            counts.lost += 1
        else:
            due = now
            if is_disturbed and self._random.random() < self.disturbance.delayed:
                counts.delayed += 1
                due += self._random.uniform(0, self.disturbance.delay)
            self._number += 1
            heapq.heappush(self._waiting, (due, self._number, port << 16 | to, frame))

    def due(self, now: float) -> list[tuple[int, bytes]]:
        """What is to be sent by now: ports and frames."""
        found = []
        while self._waiting and self._waiting[0][0] <= now:
            _, number, link, frame = heapq.heappop(self._waiting)
            port, to = link >> 16, link & 0xFFFF
            counts = self._counts(port, to)
            if {port, to} & self._cut:
                counts.cut += 1
                continue
            counts.reordered += number < self._latest.get(link, 0)
            self._latest[link] = max(number, self._latest.get(link, 0))
            counts.forwarded += 1
            found.append((to, frame))
        return found

    def wait(self, now: float) -> float | None:
        """Seconds until there is something to send; None: for ever."""
        return max(0.0, self._waiting[0][0] - now) if self._waiting else None


def open_device(name: str) -> int:
    """A TAP device, which is there until this is closed."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI))
    return device


def _send(device: int, frame: bytes) -> None:
    with contextlib.suppress(OSError):  # the device is down, or full: a network loses frames
        os.write(device, frame)


def main() -> None:
    """seed lost delayed delay DEVICE..."""
    seed, lost, delayed, delay = int(sys.argv[1]), *map(float, sys.argv[2:5])
    devices = [open_device(name) for name in sys.argv[5:]]
    switch = Switch(len(devices), Disturbance(seed, lost, delayed, delay))
    selector = selectors.DefaultSelector()
    for port, device in enumerate(devices):
        selector.register(device, selectors.EVENT_READ, port)
    selector.register(sys.stdin.fileno(), selectors.EVENT_READ, None)
    print("ready", flush=True)
    while True:
        for key, _ in selector.select(switch.wait(time.monotonic())):
            if key.data is None:
                commands = os.read(key.fd, 1 << 16).decode()
                if not commands:
                    print(json.dumps(asdict(switch.counts)), flush=True)
                    return
                for command in commands.splitlines():
                    switch.cut(int(command.removeprefix("cut ")))
                continue
            try:
                frame = os.read(key.fd, _MAX_FRAME)
            except OSError:
                continue  # the device is down
            switch.take(key.data, frame, time.monotonic())
        for port, frame in switch.due(time.monotonic()):
            _send(devices[port], frame)


if __name__ == "__main__":
    main()

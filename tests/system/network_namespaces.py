"""Several hosts on this one: network namespaces, each with one address, joined by a bridge on which this host is, or by
a relay that disturbs what they send (network_relay.py). They share everything but the network and the host's name, so
that a process of one can be found and killed from outside."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import network_relay
from network_relay import Counts, Disturbance

from helpers import run, succeed

NOT_PERMITTED = "network namespaces are not permitted"
NO_DEVICES = "TAP devices are not permitted"


@dataclass(frozen=True)
class Namespaces:
    """The addresses of the hosts, and the program that runs a command on one: AGENT ADDRESS COMMAND..."""

    addresses: tuple[str, ...]
    agent: Path
    prefix: str
    relay: "Relay | None" = None

    def hosts_file(self, folder: Path, slots: int) -> Path:
        """A file as tools/mxk cluster --hosts reads it."""
        file = folder / "hosts"
        file.write_text("".join(f"{address} {slots}\n" for address in self.addresses))
        return file

    def cut(self, number: int) -> None:
        """Takes the link of a host away; what is sent over it is lost, and nobody is told."""
        if self.relay is not None:
            self.relay.cut(number)
        else:
            succeed("ip", "link", "set", f"{self.prefix}v{number}", "down")


class Relay:
    """Joins devices, in a process of its own; device 0 is this host's."""

    def __init__(self, devices: Sequence[str], how: Disturbance) -> None:
        words = (how.seed, how.lost, how.delayed, how.delay, *devices)
        self._process = subprocess.Popen(
            [sys.executable, "-P", network_relay.__file__, *map(str, words)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n", "the relay did not begin"

    def cut(self, number: int) -> None:
        """Forwards nothing more to and from that device."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"cut {number}\n")
        self._process.stdin.flush()

    def end(self) -> Counts:
        """What it did."""
        said, _ = self._process.communicate(timeout=30)
        return Counts(**json.loads(said))

    def kill(self) -> None:
        """If it is still there."""
        self._process.kill()
        self._process.wait()


@cache
def are_permitted() -> bool:
    """Whether this user, here, can make namespaces, a bridge, and links."""
    if os.geteuid() != 0:
        return False
    name = f"mxk{os.getpid()}t"
    try:
        made = run("ip", "netns", "add", name).code == 0 and run("ip", "link", "add", name, "type", "bridge").code == 0
    except FileNotFoundError:
        return False
    run("ip", "link", "del", name)
    run("ip", "netns", "del", name)
    return made


def are_devices_permitted() -> bool:
    """Whether this user, here, can make the devices that a relay joins."""
    try:
        os.close(network_relay.open_device(f"mxk{os.getpid()}t"))
    except OSError:
        return False
    return True


@contextmanager
def namespaces(count: int, folder: Path, disturbance: Disturbance | None = None) -> Iterator[Namespaces]:
    """So many hosts, 1 to `count`, which are gone with the block. `folder`: for the agent."""
    prefix = f"mxk{os.getpid()}"  # names of links have up to 15 characters
    net = f"10.213.{os.getpid() % 256}"
    own = f"{prefix}v0"
    agent = folder / "agent"
    # With a name for each: daemons of Open MPI that find themselves on one host remove each other's files.
    entered = f'ip netns exec "{prefix}n$number" unshare --uts sh -c "hostname host$number; $*"'
    agent.write_text(f"#!/bin/sh\nnumber=${{1##*.}}\nshift\nexec {entered}\n")
    agent.chmod(0o755)
    numbers = range(1, count + 1)
    relay = None
    try:
        if disturbance is None:
            succeed("ip", "link", "add", own, "type", "bridge")
        else:
            relay = Relay([own, *(f"{prefix}v{number}" for number in numbers)], disturbance)
        succeed("ip", "addr", "add", f"{net}.254/24", "dev", own)
        succeed("ip", "link", "set", own, "up")
        for number in numbers:
            space, link = f"{prefix}n{number}", f"{prefix}v{number}"
            succeed("ip", "netns", "add", space)
            if relay is None:
                succeed("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
                succeed("ip", "link", "set", link, "master", own, "up")
            else:
                succeed("ip", "link", "set", link, "netns", space, "name", "eth0")
            succeed("ip", "-n", space, "addr", "add", f"{net}.{number}/24", "dev", "eth0")
            succeed("ip", "-n", space, "link", "set", "eth0", "up")
            succeed("ip", "-n", space, "link", "set", "lo", "up")
        yield Namespaces(tuple(f"{net}.{number}" for number in numbers), agent, prefix, relay)
    finally:
        if relay is not None:
            relay.kill()  # and the devices with it
        for number in numbers:
            # A namespace goes when the kernel is done with its connections.
            _remove("link", "del", f"{prefix}v{number}")
            _remove("netns", "del", f"{prefix}n{number}")
        _remove("link", "del", own)


def _remove(*words: str) -> None:
    subprocess.run(["ip", *words], check=False, capture_output=True)

"""Several hosts on this one: network namespaces, each with one address, joined by a bridge on which this host is, too.
They share everything but the network, so that a process of one can be found and killed from outside."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helpers import run, succeed

NOT_PERMITTED = "network namespaces are not permitted"


@dataclass(frozen=True)
class Namespaces:
    """The addresses of the hosts, and the program that runs a command on one: AGENT ADDRESS COMMAND..."""

    addresses: tuple[str, ...]
    agent: Path
    prefix: str

    def hosts_file(self, folder: Path, slots: int) -> Path:
        """A file as tools/mxk cluster --hosts reads it."""
        file = folder / "hosts"
        file.write_text("".join(f"{address} {slots}\n" for address in self.addresses))
        return file

    def cut(self, number: int) -> None:
        """Takes the link of a host away; what is sent over it is lost, and nobody is told."""
        succeed("ip", "link", "set", f"{self.prefix}v{number}", "down")


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


@contextmanager
def namespaces(count: int, folder: Path) -> Iterator[Namespaces]:
    """So many hosts, 1 to `count`, which are gone with the block. `folder`: for the agent."""
    prefix = f"mxk{os.getpid()}"  # names of links have up to 15 characters
    net = f"10.213.{os.getpid() % 256}"
    bridge = f"{prefix}b"
    agent = folder / "agent"
    agent.write_text(f'#!/bin/sh\nhost=$1\nshift\nexec ip netns exec "{prefix}n${{host##*.}}" sh -c "$*"\n')
    agent.chmod(0o755)
    try:
        succeed("ip", "link", "add", bridge, "type", "bridge")
        succeed("ip", "addr", "add", f"{net}.254/24", "dev", bridge)
        succeed("ip", "link", "set", bridge, "up")
        for number in range(1, count + 1):
            space, link = f"{prefix}n{number}", f"{prefix}v{number}"
            succeed("ip", "netns", "add", space)
            succeed("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
            succeed("ip", "link", "set", link, "master", bridge, "up")
            succeed("ip", "-n", space, "addr", "add", f"{net}.{number}/24", "dev", "eth0")
            succeed("ip", "-n", space, "link", "set", "eth0", "up")
            succeed("ip", "-n", space, "link", "set", "lo", "up")
        yield Namespaces(tuple(f"{net}.{number}" for number in range(1, count + 1)), agent, prefix)
    finally:
        for number in range(1, count + 1):
            _remove(
                "link", "del", f"{prefix}v{number}"
            )  # a namespace goes when the kernel is done with its connections
            _remove("netns", "del", f"{prefix}n{number}")
        _remove("link", "del", bridge)


def _remove(*words: str) -> None:
    subprocess.run(["ip", *words], check=False, capture_output=True)

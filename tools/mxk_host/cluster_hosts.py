"""The hosts of a cluster: a file with a line for each, `name [slots]`; # begins a comment."""

import re
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from mxk_host import files
from mxk_host.errors import UsageError
from mxk_host.mpi import MAX_RANKS

MAX_FILE_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")  # neither an option nor anything to a shell


@dataclass(frozen=True)
class Host:
    """A machine, by its name or address, and how many ranks it takes."""

    name: str
    slots: int
    address: str

    @property
    def is_loopback(self) -> bool:
        """Whether the name means the machine that resolves it."""
        return ip_address(self.address).is_loopback


def read_hosts(path: Path, ranks: int) -> tuple[Host, ...]:
    """Those of the file that so many ranks need, in its order. Raises, with file and line, for what is no host."""
    hosts: dict[str, Host] = {}
    lines = files.read_text(path, "a file with a host in each line", MAX_FILE_BYTES).splitlines()
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if words:
            host = _host(words, f"{path}:{number}")
            machine = "this one" if host.is_loopback else host.address
            if machine in hosts:
                raise UsageError(f"{path}:{number}: expected each host once, got {host.name} again")
            hosts[machine] = host
    if not hosts:
        raise UsageError(f"{path}: expected a line for each host, 'name [slots]', got none")
    slots = sum(host.slots for host in hosts.values())
    if slots < ranks:
        raise UsageError(f"{path}: expected {ranks} slots, one for each rank, got {slots} in {len(lines)} lines")
    return tuple(_needed(hosts, ranks))


def _needed(hosts: dict[str, Host], ranks: int) -> list[Host]:
    needed: list[Host] = []
    for host in hosts.values():
        if ranks > 0:
            needed.append(host)
            ranks -= host.slots
    return needed


def _host(words: list[str], place: str) -> Host:
    name, *rest = words
    if len(rest) > 1:
        raise UsageError(f"{place}: expected 'name [slots]', got {' '.join(words)}")
    if not _NAME.fullmatch(name):
        raise UsageError(f"{place}: expected a host's name or IPv4 address, got {name}")
    slots = rest[0] if rest else "1"
    if not re.fullmatch(r"[0-9]{1,3}", slots) or not 1 <= int(slots) <= MAX_RANKS:
        raise UsageError(f"{place}: expected from 1 to {MAX_RANKS} slots, got {slots}")
    try:
        found = socket.getaddrinfo(name, None, family=socket.AF_INET, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{place}: expected a host that can be found, got {name}") from error
    return Host(name, int(slots), str(found[0][4][0]))


def own_address(hosts: tuple[Host, ...]) -> str:
    """By which address of this machine the hosts reach it: that by which it reaches the first that is another one."""
    for host in hosts:
        if not host.is_loopback:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                try:
                    probe.connect((host.address, 9))  # sends nothing
                except OSError as error:
                    raise UsageError(f"expected a way to the host {host.name}, {host.address}: {error}") from error
                return str(probe.getsockname()[0])
    return "127.0.0.1"

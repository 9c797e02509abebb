"""What a run of mxk-cluster is, and the arguments of the starter for it. Each rank has a shell above it (HOLDER), so
that the starter does not end the others, within milliseconds, when one is killed: they are to notice it themselves, and
say so."""

import os
import shutil
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mxk_host.cluster_hosts import Host, own_address
from mxk_host.errors import UsageError
from mxk_host.files import write_text
from mxk_host.image import ROOT
from mxk_host.marked_processes import VARIABLE
from mxk_host.mpi import Mpi, check_ranks

MAX_CORES = 4096
TRANSPORT = "MXK_CLUSTER_TRANSPORT"  # and this in its results
LOST_AFTER, MAX_LOST_AFTER = 5, 3600  # seconds; the program's own default, and its bound
# Argument 0: the run's folder, which on another host is not there yet. Before the program starts and once a second it
# says that it lives, without a process for that: nothing ever comes from descriptor 4. Of a child that was killed a
# shell says "Killed", on its own standard error. What did not end by itself keeps its place until all are ended. The
# MPI_Finalize of MPICH may hang over TCP (a rank waits there for others, which wait for it without looking), and its
# starter kills the other ranks of the host when one ends without: a program may leave it out, and the shell tells the
# starter.
HOLDER = """exec 3>&2 2>/dev/null
mkdir -p "$0"
rank=${OMPI_COMM_WORLD_RANK-$PMI_RANK}
lives="mxk-cluster: rank $rank lives"
echo "$lives" >&3
(
    exec 4<> <(:) </dev/null >/dev/null
    while read -r -t 1 -u 4; kill -0 $$ && echo "$lives" >&3; do :; done
) &
(exec "$@" 2>&3 3>&-)
status=$?
kill $!
echo "mxk-cluster: rank $rank ended with status $status" >&3
[ $status -le 2 ] || sleep 30
trap '' PIPE
[ -z "$PMI_FD" ] || { echo cmd=finalize >&"$PMI_FD" && read -r -t 5 -u "$PMI_FD" _; }
exit 0"""


class Transport(StrEnum):
    """What ranks of one host talk over; those of different hosts talk over TCP."""

    SHM = "shm"
    TCP = "tcp"


class Network(StrEnum):
    """Which cores of a rank talk to other ranks: one for all, or each."""

    ONE = "one"
    EACH = "each"


@dataclass(frozen=True)
class ClusterRun:
    """What is run, by whom, on how many ranks, and where; without hosts, on this one."""

    mpi: Mpi
    ranks: int
    commands: str  # empty: rank 0 reads them from its standard input
    cores: int | None = None  # of each rank
    hosts: tuple[Host, ...] = ()
    transport: Transport = Transport.SHM
    network: Network | None = None
    options: tuple[str, ...] = ()  # of the program, besides
    lost_after: int = LOST_AFTER  # seconds in which nothing is heard of a rank
    agent: str = "ssh"  # AGENT HOST COMMAND... runs a command of the shell on a host
    folder: Path = Path(os.environ.get("MXK_LINUX_BUILD", ROOT / "build/linux"))  # with the programs

    def check(self) -> None:
        """Raises where this cannot be run."""
        check_ranks(self.ranks)
        if self.cores is not None and not 1 <= self.cores <= MAX_CORES:
            raise UsageError(f"expected --cores from 1 to {MAX_CORES}, of each rank, got {self.cores}")
        if not 1 <= self.lost_after <= MAX_LOST_AFTER:
            raise UsageError(f"expected --lost-after from 1 to {MAX_LOST_AFTER} s, got {self.lost_after}")
        if any(word.partition("=")[0] == "--lost-after" for word in self.options):
            raise UsageError("expected --lost-after as an option of tools/mxk cluster, not in --options")
        self.mpi.check(self.program, "cluster")
        if self.hosts and shutil.which(self.agent) is None:
            raise UsageError(f"expected --agent as a program that runs a command on a host, got {self.agent}")

    @property
    def program(self) -> Path:
        """The program for this implementation; on other hosts it lies at the same place."""
        return self.folder.absolute() / f"mxk-cluster-{self.mpi}"

    @property
    def variables(self) -> dict[str, str]:
        """What MPICH's transport takes of the environment, which logs to standard output unless told otherwise, and
        what the program shows of it."""
        told = {TRANSPORT: "tcp" if self.hosts else str(self.transport)}
        if self.mpi is Mpi.OPENMPI:
            return told
        shared = "self" if self.transport is Transport.TCP else "sm,self"
        between = ",tcp" if self.hosts or self.transport is Transport.TCP else ""
        inside = {"MPIR_CVAR_NOLOCAL": "1"} if self.transport is Transport.TCP else {}
        loopback = {} if self.hosts else {"UCX_NET_DEVICES": "lo"}
        return {"UCX_TLS": shared + between, "UCX_LOG_FILE": "stderr", **inside, **loopback, **told}

    def line(self, folder: Path) -> list[str]:
        """The starter's arguments. `folder`: the run's own."""
        place = self._openmpi(folder) if self.mpi is Mpi.OPENMPI else self._mpich(folder)
        holder = ["bash", "-c", HOLDER, os.fspath(folder)]
        return [
            self.mpi.starter,
            *self.mpi.starter_options,
            *place,
            "-n",
            str(self.ranks),
            *holder,
            os.fspath(self.program),
            *self.arguments,
        ]

    def write_hosts(self, folder: Path) -> None:
        """The file of hosts, as the starter reads it."""
        slots = " slots=" if self.mpi is Mpi.OPENMPI else ":"
        write_text(folder / "hosts", "".join(f"{host.name}{slots}{host.slots}\n" for host in self.hosts))

    @property
    def arguments(self) -> list[str]:
        """The program's own."""
        cores = [] if self.cores is None else ["--cores", str(self.cores)]
        network = [] if self.network is None else ["--network", self.network]
        lost = [] if self.lost_after == LOST_AFTER else ["--lost-after", str(self.lost_after)]
        return [*cores, *network, *lost, *self.options, *([self.commands] if self.commands else [])]

    def _openmpi(self, folder: Path) -> list[str]:
        memory = [] if self.transport is Transport.TCP else ["vader"]
        tcp = ["tcp"] if self.hosts or self.transport is Transport.TCP else []
        parameters = {
            "pml": "ob1",
            "btl": ",".join([*memory, *tcp, "self"]),
            "btl_vader_backing_directory": os.fspath(folder),
            "orte_tmpdir_base": os.fspath(folder),
            # One-sided operations, of the table that is compared with; the second one takes one thread of a rank only.
            "osc": "pt2pt" if tcp else "sm",
        }
        if self.hosts:
            parameters |= {"plm_rsh_agent": os.fspath(shutil.which(self.agent) or self.agent)}
            parameters |= {"plm_rsh_no_tree_spawn": "1"}  # each host is reached from here
            more = ["--hostfile", os.fspath(folder / "hosts")]
        else:
            parameters |= {"btl_tcp_if_include": "lo", "oob_tcp_if_include": "lo"}
            more = []
        passed = [word for name in (VARIABLE, TRANSPORT, "TMPDIR") for word in ("-x", name)]
        return ["--quiet", *[w for name, value in parameters.items() for w in ("--mca", name, value)], *more, *passed]

    def _mpich(self, folder: Path) -> list[str]:
        if not self.hosts:
            return ["-launcher", "fork", "-localhost", "127.0.0.1"]
        agent = os.fspath(shutil.which(self.agent) or self.agent)
        # "rsh": HOST COMMAND... as they are; "ssh" would put an option in front.
        reached = ["-launcher", "rsh", "-launcher-exec", agent, "-localhost", own_address(self.hosts)]
        return ["-f", os.fspath(folder / "hosts"), *reached]

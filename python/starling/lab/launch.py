"""`starling lab run`: a command whose MPI launchers start their ranks on the hosts of a lab.

The command line is not changed. It runs on the host of rank 0, and environment variables give each MPI's launcher the
hosts, the way to start programs there (libexec/starling-lab-rsh), and the network to use. So the line may be a
launcher, `starling run` before one, or a script with many of them; options in the line override the variables.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from starling.installation import variants
from starling.lab import idle, namespaces
from starling.lab.plan import ipc_file, namespace, uts_file
from starling.lab.state import LabError, State, folder, require, up
from starling.launchers import launcher, process
from starling.launchers.variables import PRELOAD
from starling.messages import printable
from starling.networks.placement import Order, ordered
from starling.networks.platform_file import Host, Platform

IDLE_MICROSECONDS = 1000
"""Longest wait of an empty poll in the kernel."""


@dataclass(frozen=True)
class Outcome:
    """Facts about a run: `cpu_idle` from 0 to 1; a run that is `cpu_bound` measured this machine, not the lab."""

    lab: str
    platform: str
    hosts: int
    packet: int
    order: str
    seed: int
    line: list[str]
    status: int
    seconds: float
    cpu_idle: float
    cpu_bound: bool

    def text(self) -> str:
        """One line for people."""
        share = f"CPU {idle.percent(self.cpu_idle)} idle over {self.seconds:.1f} s"
        if not self.cpu_bound:
            return f"lab {self.lab}: {share}"
        return (
            f"lab {self.lab}: CPU-bound, {share}: times are those of the processors and not of the network; "
            "end other jobs, or take fewer hosts, a lower rate, or larger packets"
        )


def host_files(hosts: Sequence[Host]) -> dict[str, str]:
    """The hosts and their numbers of ranks, in the format of each launcher."""
    return {
        "openmpi": "".join(f"{host.name} slots={host.ranks}\n" for host in hosts),
        "hydra": "".join(f"{host.name}:{host.ranks}\n" for host in hosts),
    }


def _open_mpi(host_file: str, agent: str) -> dict[str, str]:
    """Open MPI 4 and 5, whose launcher is PRRTE."""
    return {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_plm": "rsh",
        "OMPI_MCA_plm_rsh_agent": agent,
        "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
        "OMPI_MCA_orte_default_hostfile": host_file,
        "OMPI_MCA_oob_tcp_if_include": "eth0",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "tcp,self",
        "OMPI_MCA_btl_tcp_if_include": "eth0",
        # Each host sees all processors, and would bind its first rank to the first processor.
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_plm": "ssh",
        "PRTE_MCA_plm_ssh_agent": agent,
        "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
        "PRTE_MCA_prte_default_hostfile": host_file,
        "PRTE_MCA_prte_if_include": "eth0",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
    }


def _hydra(host_file: str, agent: str, per_host: int) -> dict[str, str]:
    """MPICH 4 and 5, and Intel MPI, which ignores the file and places the same number of ranks on each host."""
    return {
        "HYDRA_LAUNCHER": "rsh",
        "HYDRA_LAUNCHER_EXEC": agent,
        "HYDRA_HOST_FILE": host_file,
        "HYDRA_IFACE": "eth0",
        "HYDRA_ENV": "all",
        "MPIR_CVAR_CH4_NETMOD": "ucx",
        "UCX_TLS": "tcp,self",
        "UCX_NET_DEVICES": "eth0",
        "I_MPI_HYDRA_BOOTSTRAP": "rsh",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC": agent,
        "I_MPI_HYDRA_HOST_FILE": host_file,
        "I_MPI_HYDRA_IFACE": "eth0",
        "I_MPI_PERHOST": str(per_host),
        "I_MPI_FABRICS": "ofi",
        "I_MPI_PIN": "0",
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": "eth0",
    }


def within_hosts(platform: Platform) -> dict[str, str]:
    """Variables by which ranks of a host share no memory, where the memory of any has a rate.

    Then all that they exchange passes the loopback, which has that rate. Open MPI does so on any lab.
    """
    if not any(host.memory_rate for host in platform.hosts):
        return {}
    return {
        "MPIR_CVAR_NOLOCAL": "1",
        "I_MPI_SHM": "off",
        "I_MPI_COLL_INTRANODE": "pt2pt",
        "STARLING_SHARED_MEMORY": "0",
    }


def environment(
    environ: Mapping[str, str],
    place: Path,
    files: Mapping[str, Path],
    per_host: int,
    agent: Path,
    shim: Path | None,
    idle_us: int,
) -> dict[str, str]:
    """The environment of a command on a lab whose folder is `place`."""
    found = {
        **environ,
        **_open_mpi(str(files["openmpi"]), str(agent)),
        **_hydra(str(files["hydra"]), str(agent), per_host),
        "STARLING_LAB": str(place),
    }
    if shim is not None:
        found[PRELOAD] = ":".join([*filter(None, [environ.get(PRELOAD)]), str(shim)])
        found["STARLING_IDLE_US"] = str(idle_us)
    return found


def entering(state: State, host: str, line: Sequence[str]) -> list[str]:
    """The line of a command on a host."""
    place = folder(state.prefix)
    kept = [f"--uts={uts_file(place, host)}", f"--ipc={ipc_file(place, host)}"]
    return ["nsenter", *kept, "ip", "netns", "exec", namespace(state.prefix, host), *line]


def _installed(folder_name: str, name: str) -> Path:
    places = [path / name for path in variants.package_folders(folder_name)]
    found = next((path for path in places if path.is_file()), None)
    if found is None:
        raise LabError(f"{places[0]}: not there, the installation is incomplete; {variants.AGAIN}")
    return found


def _undamaged_state(prefix: str) -> State:
    """The state of a lab that is up, with all its namespaces. Raises LabError."""
    state = up(prefix)
    require("ip", "nsenter")
    there = namespaces.existing(state.namespaces)
    if len(there) < len(state.namespaces):
        missing = next(name for name in state.namespaces if name not in there)
        raise LabError(f"lab {prefix} is damaged, {missing} is gone; first: starling lab down --prefix {prefix}")
    return state


def _is_there(line: Sequence[str]) -> bool:
    return shutil.which(line[0]) is not None or launcher.is_program(line[0])


def execute(prefix: str, host: str, line: Sequence[str]) -> int:
    """Runs a command on a host, with its output and exit status as they are. Raises LabError, process.StartError."""
    state = _undamaged_state(prefix)
    known = state.described().host_names
    if host not in known:
        few = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        raise LabError(f"no host {printable(host)} in lab {prefix}; there are: {few}", 2)
    return process.run(entering(state, host, line) if _is_there(line) else line, os.environ)


def run(line: Sequence[str], prefix: str, order: Order, seed: int, idle_us: int) -> Outcome:
    """Runs a command on the lab: on the first host in that order, where Open MPI always places rank 0.

    Raises LabError, process.StartError.
    """
    state = _undamaged_state(prefix)
    platform = state.described()
    agent = _installed("libexec", "starling-lab-rsh")
    shim = _installed("lib", "libstarling-idle.so") if idle_us else None
    hosts = ordered(platform, order, seed)
    with tempfile.TemporaryDirectory(prefix="run-", dir=folder(prefix), ignore_cleanup_errors=True) as name:
        files = {kind: Path(name) / kind for kind in host_files(hosts)}
        for kind, text in host_files(hosts).items():
            files[kind].write_text(text)
        per_host = min(host.ranks for host in hosts)
        network = Path(name) / "platform.json"
        network.write_text(json.dumps(platform.as_json()))
        # Times measured on a lab hold only for labs like it.
        machine = f"{platform.name} {zlib.crc32(network.read_bytes()):08x} {state.packet or state.mtu}"
        described = {"STARLING_PLATFORM": str(network), "STARLING_MACHINE": machine}
        described |= {**within_hosts(platform), **os.environ}
        env = environment(described, folder(prefix), files, per_host, agent, shim, idle_us)
        before, start = idle.ticks(), time.monotonic()
        status = process.run(entering(state, hosts[0].name, line) if _is_there(line) else line, env)
        seconds, share = time.monotonic() - start, idle.ticks().idle_since(before)
    return Outcome(
        lab=prefix,
        platform=platform.name,
        hosts=len(hosts),
        packet=state.packet or state.mtu,
        order=str(order),
        seed=seed,
        line=list(line),
        status=status,
        seconds=round(seconds, 3),
        cpu_idle=round(share, 4),
        cpu_bound=share < idle.CPU_BOUND,
    )


def write_json(outcome: Outcome, path: Path) -> None:
    """Writes an outcome for programs to read. Raises LabError."""
    try:
        path.write_text(json.dumps({"schema": 1, **asdict(outcome)}, indent=1) + "\n")
    except OSError as error:
        raise LabError(f"{printable(path)}: cannot be written: {error.strerror}") from error

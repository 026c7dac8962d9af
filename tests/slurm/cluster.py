"""Slurm on the hosts of a lab: a controller, a daemon on each host, a key of their own; nothing of the machine's."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lab.labs import lab, lab_up
from starling.lab.launch import entering
from starling.lab.state import State, up
from support.processes import HangError, Outcome, run_job, stacks_of_cores

CPUS = 8
"""Of each host, as Slurm is told: tests run beside each other."""

_CONFIGURATION = """\
ClusterName={name}
SlurmctldHost={hosts[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool-%n
# The PMIx plugin makes folders of fixed names there, and the hosts share their files.
TmpFS={folder}/tmp-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
KillWait=2
MpiDefault=none
# Ranks' memory in /dev/shm has names by host and job: those of another cluster on this machine are to differ.
FirstJobId={job}
NodeName={range} CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

NETWORK = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "SLURM_PMIX_FENCE": "ring"}
"""UCX would else take this machine's memory and its loopback for ways from one host to another, and hang. Slurm 22.05's
other way of a fence lets the ranks of each host go as soon as they have come, if hosts are fewer than TreeWidth."""


@dataclass(frozen=True)
class Cluster:
    """A Slurm that is up: `hosts` by name, files of its daemons in `folder`."""

    state: State
    folder: Path
    hosts: tuple[str, ...]

    def run(self, line: Sequence[str], env: Mapping[str, str] | None = None, timeout: float = 120) -> Outcome:
        """Runs a command on the first host, as a user on a login node; `env` is added to the environment.

        Of ranks of `srun` that a signal ended, stderr has the stacks too.
        """
        settings = {"SLURM_CONF": str(self.folder / "slurm.conf"), **NETWORK, **(env or {})}
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("STARLING_", "SLURM_"))}
        try:
            outcome = run_job(entering(self.state, self.hosts[0], line), {**plain, **settings}, timeout, self.folder)
        except HangError as hang:
            raise HangError(f"{hang}\n{stacks_of_cores(self.folder)}") from None
        if outcome.status == 0:
            return outcome
        return replace(outcome, stderr=outcome.stderr + stacks_of_cores(self.folder))

    def submit(self, script: Path, *options: str, env: Mapping[str, str] | None = None) -> int:
        """Submits a batch script; returns the job's number."""
        return int(self.run(["sbatch", "--parsable", *options, str(script)], env).check().stdout)

    def wait(self, job: int, timeout: float = 150) -> str:
        """Waits until nothing of a job is in the queue; returns what Slurm then knows of it."""

        def over() -> bool:
            left = self.run(["squeue", "--noheader", "--jobs", str(job)])
            return left.status != 0 or not left.stdout.strip()

        self.until(over, f"job {job} does not end", timeout)
        return self.run(["scontrol", "show", "job", str(job)]).check().stdout

    def until_ready(self) -> None:
        """Waits until all hosts take jobs."""
        command = ["sinfo", "--noheader", "--format=%t %D"]
        ready = f"idle {len(self.hosts)}"
        self.until(lambda: self.run(command).stdout.strip() == ready, "Slurm does not come up", 60)

    def logs(self) -> str:
        """The ends of the daemons' logs, for failure messages."""
        return "\n".join(f"--- {file.name}\n{file.read_text()[-3000:]}" for file in sorted(self.folder.glob("*.log")))

    def until(self, reached: Callable[[], bool], what: str, timeout: float) -> None:
        """Waits until something is reached; AssertionError with `what` and the logs after so many seconds."""
        end = time.monotonic() + timeout
        while not reached():
            assert time.monotonic() < end, f"{what} in {timeout} s\n{self.run(['squeue']).stdout}\n{self.logs()}"
            time.sleep(0.1)


@contextlib.contextmanager
def slurm(prefix: str, topology: str, folder: Path) -> Iterator[Cluster]:
    """A lab with Slurm on it. Both are taken down in the end, by the lab's prefix and the daemons' numbers."""
    lab_up(topology, "--prefix", prefix, "--rate", "100mbit", "--no-check")
    try:
        state = up(prefix)
        hosts = tuple(state.described().host_names)
        with _daemons(state, hosts, folder) as cluster:
            cluster.until_ready()
            yield cluster
    finally:
        lab("down", "--prefix", prefix).check()


@contextlib.contextmanager
def _daemons(state: State, hosts: tuple[str, ...], folder: Path) -> Iterator[Cluster]:
    folder.chmod(0o755)  # munged refuses a socket that others cannot reach
    for one in ["state", *(f"{kind}-{host}" for kind in ("spool", "tmp") for host in hosts)]:
        (folder / one).mkdir()
    key = folder / "munge.key"
    key.touch(0o600)
    key.write_bytes(secrets.token_bytes(1024))
    names = ",".join(hosts)
    configuration = folder / "slurm.conf"
    job = 1 + secrets.randbelow(60_000_000)
    configuration.write_text(
        _CONFIGURATION.format(name=state.prefix, hosts=hosts, folder=folder, range=names, cpus=CPUS, job=job)
    )
    munged = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket"]
    munged += [f"--{kind}-file={folder}/munge.{kind}" for kind in ("pid", "seed")] + [f"--log-file={folder}/munge.log"]
    lines = {"munged": munged, "slurmctld": entering(state, hosts[0], ["slurmctld", "-D", "-f", str(configuration)])}
    for host in hosts:
        lines[f"slurmd-{host}"] = entering(state, host, ["slurmd", "-D", "-N", host, "-f", str(configuration)])
    # A lab's hosts have no control groups, and Slurm asks which version they would be of.
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    started: list[subprocess.Popen[bytes]] = []
    try:
        for name, line in lines.items():
            with (folder / f"{name}.out.log").open("wb") as log:
                started.append(subprocess.Popen(line, stdout=log, stderr=log, start_new_session=True))
        yield Cluster(state, folder, hosts)
    finally:
        for daemon in reversed(started):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

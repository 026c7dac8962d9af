"""The current status of a lab: its hosts, their processes, and packets that its switches dropped."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import Any

from starling.lab import namespaces
from starling.lab.launch import within_hosts
from starling.lab.plan import address, switches_namespace
from starling.lab.state import State, require, up
from starling.networks.platform_file import rate_text


@dataclass(frozen=True)
class HostStatus:
    """A host, the rates of its link, current and original, and of its memory, and its processes by pid and name."""

    name: str
    switch: str
    address: str
    rate: int
    made_with: int
    ranks: int
    memory_rate: int | None
    processes: dict[int, str]

    @property
    def shown_rate(self) -> str:
        """The rate for people, with the original one where it differs."""
        now, before = rate_text(self.rate), rate_text(self.made_with)
        return now if self.rate == self.made_with else f"{now} (made with {before.removesuffix(now[now.index(' ') :])})"


@dataclass(frozen=True)
class Status:
    """A lab that is up. `dropped` counts packets dropped by full buffers of switches since it was made."""

    state: State
    hosts: list[HostStatus]
    missing: list[str]
    dropped: int


def _dropped(prefix: str) -> int:
    done = subprocess.run(
        ["tc", "-n", switches_namespace(prefix), "-s", "-j", "qdisc", "show"],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        return sum(int(queue.get("drops", 0)) for queue in json.loads(done.stdout) if queue.get("kind") == "tbf")
    except json.JSONDecodeError:
        return 0


def examine(prefix: str) -> Status:
    """The status of a lab. Raises LabError where it is not up."""
    state = up(prefix)
    require("ip", "tc")
    platform = state.described()
    running: dict[str, dict[int, str]] = {}
    for pid, name in namespaces.processes(state.namespaces).items():
        running.setdefault(name, {})[pid] = namespaces.command_of(pid)
    hosts = [
        HostStatus(
            name=host.name,
            switch=platform.switch_of(host.name),
            address=address(i),
            rate=state.rates.get(host.name, platform.links_of(host.name)[0].rate),
            made_with=platform.links_of(host.name)[0].rate,
            ranks=host.ranks,
            memory_rate=host.memory_rate,
            processes=running.get(state.namespaces[i + 1], {}),
        )
        for i, host in enumerate(platform.hosts)
    ]
    there = set(namespaces.existing(state.namespaces))
    return Status(state, hosts, [name for name in state.namespaces if name not in there], _dropped(prefix))


def as_json(found: Status) -> dict[str, Any]:
    """The status as JSON values."""
    return {
        "lab": found.state.prefix,
        "platform": found.state.platform,
        "mtu": found.state.mtu,
        "packet": found.state.packet,
        "congestion": found.state.congestion,
        "rates": found.state.rates,
        "processes": {host.name: host.processes for host in found.hosts if host.processes},
        "missing": found.missing,
        "dropped": found.dropped,
    }


def text(found: Status) -> str:
    """The status for people."""
    state = found.state
    packet = f"packets of up to {state.packet} bytes" if state.packet else f"packets of {state.mtu} bytes"
    lines = [f"lab {state.prefix}: {state.platform['name']}, {packet}, TCP {state.congestion}"]
    for host in found.hosts:
        names = ", ".join(f"{name} ({pid})" for pid, name in host.processes.items())
        ranks = "1 rank" if host.ranks == 1 else f"{host.ranks} ranks"
        if host.memory_rate:
            ranks += f", memory {rate_text(host.memory_rate)}"
        lines.append(
            f"  {host.name:8} {host.address:13} on {host.switch:8} {host.shown_rate:12} {ranks}  {names}".rstrip()
        )
    lines += [f"  {one.ends[0]} to {one.ends[1]}: {rate_text(one.rate)}" for one in state.described().trunks]
    if within_hosts(state.described()):
        lines.append("ranks of a host share no memory; all that they exchange are messages at the rate of its memory")
    lines.append(f"packets dropped by full switches: {found.dropped}")
    if found.missing:
        lines.append(
            f"damaged: {', '.join(found.missing)} gone; make it again after: starling lab down --prefix {state.prefix}"
        )
    return "\n".join(lines)

"""The plan for making a lab, computed from a platform: files to write and commands to run.

A host is a network namespace with an interface `eth0`, and namespaces of its own for the host's name (UTS) and for
System V memory (IPC), so that MPI treats it as another computer. Switches are bridges in one more network namespace;
a cable is a pair of virtual interfaces. Each end of each cable sends through a token bucket of the link's rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from starling.networks.platform_file import Link, Platform

MOST_HOSTS = 256
"""Every host knows the hardware address of every other, and all of them share this machine's processors."""
ETC_NETNS = Path("/etc/netns")
"""`ip netns exec NAME` puts the files of /etc/netns/NAME in place of those in /etc."""

_BUCKET_BYTES = 20_000
_BUCKET_SECONDS = 0.0005
"""A bucket of this size makes up for late timers."""
_PEAK = 1.2
"""Rate of a second bucket of one packet: without it the first bucket after a pause would pass at any speed."""
_SWITCH_BUFFER = 512 * 1024
_HOST_BUFFER = 4 * 1024 * 1024
_TCP_BUFFER = 4 * 1024 * 1024
_FOREVER = 100_000_000
ETHERNET_HEADER = 14
IP_AND_TCP_HEADERS = 52
"""With TCP's timestamps."""


@dataclass(frozen=True)
class Options:
    """How the network carries bytes: `mtu` of the links; `packet`, the largest one the kernel passes on at once.

    A packet of 0 is one of `mtu` bytes. Larger ones cost this machine less, and their first one after a pause is free.
    """

    mtu: int = 1500
    packet: int = 9000
    congestion: str = "cubic"

    def problem(self) -> str | None:
        """What is wrong with these values and what to do; None if they are valid."""
        if not 576 <= self.mtu <= 9000:
            return f"--mtu {self.mtu}: give 576 to 9000 bytes, like 1500"
        if self.packet != 0 and not max(4000, self.mtu) <= self.packet <= 65536:
            return (
                f"--packet {self.packet}: give 0 for packets of the MTU, or {max(4000, self.mtu)} to 65536, like 9000"
            )
        if not self.congestion.isalnum():
            return f"--congestion {self.congestion}: give the name of one, like cubic"
        return None

    @property
    def largest_frame(self) -> int:
        """Bytes that a token bucket must take at once."""
        return max(self.mtu + 100, self.packet + 200 if self.packet else 0)

    @property
    def payload_share(self) -> float:
        """The share of a link's rate that TCP can give to a program: the rest is headers."""
        return (self.mtu - IP_AND_TCP_HEADERS) / (self.mtu + ETHERNET_HEADER)


@dataclass(frozen=True)
class Step:
    """One command: its purpose, for error messages; its arguments; its stdin."""

    does: str
    argv: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True)
class Plan:
    """Files to write, then commands to run, in this order. `namespaces` are the network namespaces they make."""

    namespaces: tuple[str, ...]
    files: Mapping[Path, str]
    steps: tuple[Step, ...]


def namespace(prefix: str, host: str) -> str:
    """The network namespace of a host."""
    return f"{prefix}-{host}"


def switches_namespace(prefix: str) -> str:
    """The network namespace of all switches; no host has a dot in its name."""
    return f"{prefix}.switches"


def address(index: int) -> str:
    """The address of a host, by its index in the platform."""
    return f"10.77.{index // 250}.{index % 250 + 1}"


def _hardware_address(index: int) -> str:
    return f"02:57:00:00:{index >> 8:02x}:{index & 255:02x}"


def etc_hosts(platform: Platform, prefix: str) -> str:
    """The file /etc/hosts of every host. Its first line names the lab."""
    lines = (f"{address(i)} {name}\n" for i, name in enumerate(platform.host_names))
    return f"{mark(prefix)}127.0.0.1 localhost\n{''.join(lines)}"


def mark(prefix: str) -> str:
    """The first line of files below /etc/netns that a lab wrote."""
    return f"# starling lab {prefix}\n"


def uts_file(folder: Path, host: str) -> Path:
    """Where the UTS namespace of a host is kept."""
    return folder / "uts" / host


def ipc_file(folder: Path, host: str) -> Path:
    """Where the IPC namespace of a host is kept."""
    return folder / "ipc" / host


def _token_bucket(device: str, rate: int, buffer: int, options: Options) -> str:
    burst = max(_BUCKET_BYTES, int(rate / 8 * _BUCKET_SECONDS), 2 * options.mtu + 100, options.packet + 2000)
    return (
        f"qdisc replace dev {device} root handle 1: tbf rate {rate}bit burst {burst} limit {buffer}"
        f" peakrate {int(rate * _PEAK)}bit mtu {options.largest_frame}\n"
    )


def _set(namespace: str, values: Mapping[str, str | int]) -> Step:
    """Kernel settings of a network namespace; those that this kernel does not have are left out."""
    lines = (
        f"if [ -e /proc/sys/{name} ]; then echo '{value}' >/proc/sys/{name} || exit 1; fi\n"
        for name, value in values.items()
    )
    return Step(f"setting up {namespace}", ("ip", "netns", "exec", namespace, "sh"), "".join(lines))


_NO_IPV6: Mapping[str, str | int] = {"net/ipv6/conf/all/disable_ipv6": 1, "net/ipv6/conf/default/disable_ipv6": 1}
_PLAIN_BRIDGES: Mapping[str, str | int] = {
    f"net/bridge/bridge-nf-call-{table}": 0 for table in ("iptables", "ip6tables", "arptables")
}
_TCP: Mapping[str, str | int] = {
    "net/ipv4/tcp_rmem": f"4096 131072 {_TCP_BUFFER}",
    "net/ipv4/tcp_wmem": f"4096 65536 {_TCP_BUFFER}",
    "net/ipv4/tcp_no_metrics_save": 1,
}


def _switches(platform: Platform, options: Options, prefix: str) -> Iterator[Step]:
    here = switches_namespace(prefix)
    numbers = {name: i for i, name in enumerate(platform.switches)}
    # Bridges send no spanning tree or multicast traffic; learnt addresses never expire.
    links = "link set lo up\n" + "".join(
        f"link add br{i} type bridge stp_state 0 mcast_snooping 0 ageing_time {_FOREVER}\n" for i in numbers.values()
    )
    limits = ""
    for i, host in enumerate(platform.host_names):
        cable = platform.links_of(host)[0]
        links += (
            f"link add p{i} mtu {options.mtu} type veth"
            f" peer name eth0 mtu {options.mtu} address {_hardware_address(i)} netns {namespace(prefix, host)}\n"
            f"link set p{i} master br{numbers[cable.other(host)]} up\n"
        )
        limits += _token_bucket(f"p{i}", cable.rate, _SWITCH_BUFFER, options)
    for i, trunk in enumerate(platform.trunks):
        links += f"link add t{i}a mtu {options.mtu} type veth peer name t{i}b mtu {options.mtu}\n"
        for end, switch in zip("ab", trunk.ends, strict=True):
            links += f"link set t{i}{end} master br{numbers[switch]} up\n"
            limits += _token_bucket(f"t{i}{end}", trunk.rate, _SWITCH_BUFFER, options)
    links += "".join(f"link set br{i} up\n" for i in numbers.values())
    yield _set(here, {**_PLAIN_BRIDGES, **_NO_IPV6})
    yield Step("making switches and links", ("ip", "-n", here, "-batch", "-"), links)
    yield Step("limiting the rates of the switches", ("tc", "-n", here, "-batch", "-"), limits)


def _host(platform: Platform, options: Options, prefix: str, folder: Path, index: int) -> Iterator[Step]:
    name = platform.host_names[index]
    here = namespace(prefix, name)
    cable: Link = platform.links_of(name)[0]
    memory = platform.hosts[index].memory_rate
    pieces = f"gso_max_size {options.packet}" if options.packet else "gso_max_segs 1"
    # What a host sends to its own address passes lo: with a rate, in the packets of a link.
    within = f" mtu {options.mtu} {pieces}" if memory else ""
    # Congestion control is set by route: as a default, only what the machine allows would work in other namespaces.
    lines = (
        f"link set lo{within} up\nlink set eth0 {pieces} up\naddr add {address(index)}/16 dev eth0 noprefixroute\n"
        f"route add 10.77.0.0/16 dev eth0 src {address(index)} congctl {options.congestion}\n"
    )
    # Hardware addresses are known in advance, so that a first message costs no more than others.
    lines += "".join(
        f"neigh replace {address(i)} lladdr {_hardware_address(i)} dev eth0 nud permanent\n"
        for i in range(len(platform.hosts))
        if i != index
    )
    yield _set(here, {**_NO_IPV6, **_TCP})
    yield Step(f"setting up {name}", ("ip", "-n", here, "-batch", "-"), lines)
    limit = _token_bucket("eth0", cable.rate, _HOST_BUFFER, options)
    limit += _token_bucket("lo", memory, _HOST_BUFFER, options) if memory else ""
    yield Step(f"limiting the rate of {name}", ("tc", "-n", here, "-batch", "-"), limit)
    kept = (f"--uts={uts_file(folder, name)}", f"--ipc={ipc_file(folder, name)}")
    yield Step(f"naming {name}", ("unshare", *kept, "sh"), f"echo {name} >/proc/sys/kernel/hostname\n")


def limits(platform: Platform, options: Options, prefix: str, host: str, rate: int) -> Iterator[Step]:
    """Sets another rate for the link of a host while the lab is up, in both directions."""
    port = _token_bucket(f"p{platform.host_names.index(host)}", rate, _SWITCH_BUFFER, options)
    yield Step(f"limiting the rate to {host}", ("tc", "-n", switches_namespace(prefix), "-batch", "-"), port)
    cable = _token_bucket("eth0", rate, _HOST_BUFFER, options)
    yield Step(f"limiting the rate of {host}", ("tc", "-n", namespace(prefix, host), "-batch", "-"), cable)


def plan(platform: Platform, options: Options, prefix: str, folder: Path) -> Plan:
    """The plan for a lab of that prefix, whose files are in `folder`."""
    namespaces = (switches_namespace(prefix), *(namespace(prefix, name) for name in platform.host_names))
    known = etc_hosts(platform, prefix)
    files = {ETC_NETNS / namespace(prefix, name) / "hosts": known for name in platform.host_names}
    files.update({at(folder, name): "" for name in platform.host_names for at in (uts_file, ipc_file)})
    steps = [
        Step("making network namespaces", ("ip", "-batch", "-"), "".join(f"netns add {name}\n" for name in namespaces)),
        *_switches(platform, options, prefix),
    ]
    for i in range(len(platform.hosts)):
        steps += _host(platform, options, prefix, folder, i)
    return Plan(namespaces, files, tuple(steps))

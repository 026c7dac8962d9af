"""A platform in SimGrid's format: its XML, and the hosts of the ranks."""

from __future__ import annotations

from collections.abc import Sequence

from starling.networks.platform_file import Host, Link, Platform

_HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""
MEMORY_LATENCY = 1e-6
"""Seconds that a message between ranks of one host takes before its first byte."""
MEMORY_MESSAGE_RATE = 5e9
"""Most bytes per second of one message between ranks of one host."""
_WAY_BACK = 1.05
"""SimGrid lets each message take 5 % more on the links of the way back, for acknowledgements."""
_SPEED = "1Gf"
"""Of every host. It has no effect, as computation takes no simulated time."""


def centre(platform: Platform) -> str:
    """The switch with the smallest distance to its farthest switch."""
    neighbours: dict[str, set[str]] = {name: set() for name in platform.switches}
    for link in platform.trunks:
        one, other = link.ends
        neighbours[one].add(other)
        neighbours[other].add(one)
    left = set(neighbours)
    while len(left) > 2:  # the last one or two are the middle of the longest path
        leaves = [name for name in left if len(neighbours[name]) <= 1]
        for leaf in leaves:
            for other in neighbours[leaf]:
                neighbours[other].discard(leaf)
        left.difference_update(leaves)
    return min(left)


def _link(identity: str, link: Link) -> str:
    """A cable: one resource for each direction."""
    return (
        f'<link id="{identity}" bandwidth="{link.rate / 8!r}Bps" latency="{link.latency!r}s"'
        ' sharing_policy="SPLITDUPLEX"/>\n'
    )


def _memory(host: Host) -> tuple[str, str]:
    """What messages between ranks of a host pass, and the route; nothing for a host whose memory has no rate.

    Each message gets the first link alone, and shares the second with all others. SimGrid's own loopback has no second.
    The way back is the same one here, and is not to count.
    """
    if host.memory_rate is None:
        return "", ""
    each, total = f"messages.{host.name}", f"memory.{host.name}"
    rate = host.memory_rate / 8 * _WAY_BACK
    links = (
        f'<link id="{each}" bandwidth="{MEMORY_MESSAGE_RATE!r}Bps" latency="{MEMORY_LATENCY!r}s"'
        ' sharing_policy="FATPIPE"/>\n'
        f'<link id="{total}" bandwidth="{rate!r}Bps" latency="0s" sharing_policy="SHARED"/>\n'
    )
    ways = f'<link_ctn id="{each}"/><link_ctn id="{total}"/>'
    return links, f'<route src="{host.name}" dst="{host.name}" symmetrical="NO">{ways}</route>\n'


def _switch(platform: Platform, name: str, *, shared: bool) -> str:
    """A switch and its hosts: a zone in which every host reaches the switch by its own link.

    A zone of the kind that SimGrid routes fastest sends what goes from a host to itself over its link, too. Where ranks
    share hosts it is of the kind in which that takes the loopback.
    """
    lines = []
    hosts = {host.name: host for host in platform.hosts}
    for link in platform.links_of(name):
        host = link.other(name)
        if host in hosts:
            cable = f"link.{host}"
            part = f'<host id="{host}" speed="{_SPEED}"/>{_link(cable, link).rstrip()}'
            if shared:
                memory, within = _memory(hosts[host])
                part += memory
                way = f'<route src="{host}" dst="port.{name}"><link_ctn id="{cable}" direction="UP"/></route>{within}'
            else:
                way = f'<host_link id="{host}" up="{cable}_UP" down="{cable}_DOWN"/>'
            lines.append((part, way))
    routing = "Floyd" if shared else "Cluster"
    parts = [f"{host}\n" for host, _ in lines] if shared else [f"{host}{way}\n" for host, way in lines]
    routes = "".join(f"{way}\n" for _, way in lines) if shared else ""
    return (
        f'<zone id="switch.{name}" routing="{routing}">\n{"".join(parts)}<router id="port.{name}"/>\n{routes}</zone>\n'
    )


def platform_xml(platform: Platform, *, shared: bool = False) -> str:
    """The platform as SimGrid reads it; `shared` where hosts have several ranks each.

    Each switch and its hosts form a zone; a zone around it and theirs contains the switches below it. SimGrid then
    finds a route by climbing the tree, whatever the number of hosts.
    """
    root = centre(platform)
    order, above = [root], {root: ""}
    trunk_to: dict[str, Link] = {}
    switches = set(platform.switches)
    for name in order:
        for link in platform.links_of(name):
            other = link.other(name)
            if other in switches and other != above[name]:
                above[other] = name
                trunk_to[other] = link
                order.append(other)
    inside = dict.fromkeys(order, "")
    cables = dict.fromkeys(order, "")
    routes = dict.fromkeys(order, "")
    whole = ""
    for name in reversed(order):
        zone, identity = _switch(platform, name, shared=shared), f"switch.{name}"
        if inside[name]:
            identity = f"below.{name}"
            zone = f'<zone id="{identity}" routing="Floyd">\n{zone}{inside[name]}{cables[name]}{routes[name]}</zone>\n'
        if name == root:
            whole = zone
            break
        parent, cable = above[name], f"trunk.{name}"
        inside[parent] += zone
        cables[parent] += _link(cable, trunk_to[name])
        routes[parent] += (
            f'<zoneRoute src="{identity}" dst="switch.{parent}" gw_src="port.{name}" gw_dst="port.{parent}">'
            f'<link_ctn id="{cable}" direction="UP"/></zoneRoute>\n'
        )
    return f"{_HEAD}{whole}</platform>\n"


def host_file(hosts: Sequence[Host], ranks: int) -> str:
    """A line for each rank: its host. The hosts must hold that many ranks."""
    places = [host.name for host in hosts for _ in range(host.ranks)]
    return "".join(f"{name}\n" for name in places[:ranks])

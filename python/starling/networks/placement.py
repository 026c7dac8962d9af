"""The order in which ranks are placed on the hosts of a platform."""

from __future__ import annotations

import random
from enum import StrEnum

from starling.networks.platform_file import Host, Platform


class Order(StrEnum):
    """The order of hosts for placing ranks; each host takes all of its ranks consecutively."""

    BLOCK = "block"
    CYCLIC = "cyclic"
    RANDOM = "random"


def ordered(platform: Platform, order: Order, seed: int) -> list[Host]:
    """The hosts as in the file, one from each switch in turn, or shuffled by the seed, the same on every machine."""
    hosts = list(platform.hosts)
    if order is Order.RANDOM:
        random.Random(seed).shuffle(hosts)  # noqa: S311 - nothing secret
    if order is Order.CYCLIC:
        turns: dict[str, int] = {}
        turn_of: dict[str, int] = {}
        for host in hosts:
            switch = platform.switch_of(host.name)
            turn_of[host.name] = turns[switch] = turns.get(switch, -1) + 1
        hosts.sort(key=lambda host: turn_of[host.name])
    return hosts

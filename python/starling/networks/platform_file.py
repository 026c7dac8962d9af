"""Platforms: the hosts, switches and links of a cluster, from a JSON file or a short name (docs/laboratory.md)."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from starling import files
from starling.messages import printable, quoted
from starling.networks import slurm_topology
from starling.networks.short_names import NODES, SHORT, is_short

SCHEMA = 1
DEFAULT_RATE = 100_000_000
"""Rate of a short name's links, bits per second: the Fast Ethernet of STAR-MPI's clusters."""
MOST_NODES = 65_536
"""Most switches and hosts in all, to catch a mistyped number of hosts."""

_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)bit(?:/s)?", re.IGNORECASE)
_LATENCY = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s)")
_NAME = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
_LONGEST = 63
"""Characters of a name."""
_RANGE = re.compile(r"(.*)\[([\d,-]+)\](.*)")
_SHORT_NAMES = (
    "single:HOSTS, chain:SWITCHESxHOSTS, star:SWITCHESxHOSTS, tree:SWITCHESxHOSTS, fattree:SWITCHESx...xHOSTS[:TAPER]"
)


class PlatformError(Exception):
    """A platform that cannot be used; the text says where, what, and what to do."""


@dataclass(frozen=True)
class Host:
    """A computer, the number of ranks a job places on it, and what is described of its inside.

    `domains` are its NUMA domains; `memory_rate` is what messages between its ranks share, bits per second.
    """

    name: str
    ranks: int = 1
    domains: int | None = None
    memory_rate: int | None = None

    def as_json(self) -> dict[str, Any]:
        """An entry of a platform file."""
        described = {"domains": self.domains, "memory_rate": self.memory_rate}
        return {
            "name": self.name,
            "ranks": self.ranks,
            **{key: value for key, value in described.items() if value is not None},
        }


@dataclass(frozen=True)
class Link:
    """A cable between two nodes: bits per second in each direction, and seconds from one end to the other."""

    ends: tuple[str, str]
    rate: int
    latency: float = 0.0

    def other(self, node: str) -> str:
        """The node at the other end."""
        return self.ends[1] if node == self.ends[0] else self.ends[0]


@dataclass(frozen=True)
class Platform:
    """A tree of switches with hosts as its leaves. One returned by `checked` has the properties of a platform file."""

    name: str
    switches: tuple[str, ...]
    hosts: tuple[Host, ...]
    links: tuple[Link, ...]
    _around: dict[str, list[Link]] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        around: dict[str, list[Link]] = {name: [] for name in (*self.switches, *self.host_names)}
        for link in self.links:
            for end in link.ends:
                around.setdefault(end, []).append(link)
        object.__setattr__(self, "_around", around)

    @property
    def host_names(self) -> tuple[str, ...]:
        """The names of the hosts, in the order of the file."""
        return tuple(host.name for host in self.hosts)

    @property
    def trunks(self) -> tuple[Link, ...]:
        """The links between switches."""
        return tuple(link for link in self.links if set(link.ends) <= set(self.switches))

    def links_of(self, node: str) -> tuple[Link, ...]:
        """The links that end at a node."""
        return tuple(self._around[node])

    def switch_of(self, host: str) -> str:
        """The switch that a host is connected to."""
        return self._around[host][0].other(host)

    def path(self, start: str, end: str) -> tuple[Link, ...]:
        """The links from one node to another, in this order; none where they are not connected."""
        came: dict[str, Link] = {}
        waiting = [start]
        while waiting and end not in came:
            node = waiting.pop()
            for link in self._around[node]:
                beyond = link.other(node)
                if beyond != start and beyond not in came:
                    came[beyond] = link
                    waiting.append(beyond)
        found: list[Link] = []
        node = end
        while node != start and node in came:
            found.append(came[node])
            node = came[node].other(node)
        return tuple(reversed(found))

    def ring(self) -> tuple[str, ...]:
        """The hosts depth first: messages from each to the next, all at once, use no direction of a link twice."""
        order: list[str] = []
        names = set(self.host_names)
        seen = {self.switches[0]}
        waiting = [self.switches[0]]
        while waiting:
            node = waiting.pop()
            if node in names:
                order.append(node)
            beyond = [link.other(node) for link in self._around[node]]
            fresh = [other for other in beyond if other not in seen]
            seen.update(fresh)
            waiting += reversed(fresh)
        return tuple(order)

    def as_json(self) -> dict[str, Any]:
        """The platform as a file with every range expanded and numbers for rates and latencies."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "switches": list(self.switches),
            "hosts": [host.as_json() for host in self.hosts],
            "links": [{"between": list(link.ends), "rate": link.rate, "latency": link.latency} for link in self.links],
        }

    def to_text(self) -> str:
        """The platform as the library reads it."""
        return json.dumps(self.as_json(), separators=(",", ":"))


def _figure(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e300 else printable(value)  # an int may be too large for a float


def bits_per_second(value: object) -> int:
    """Bits per second from a number, or a text like `100mbit` or `2.5gbit`. Raises ValueError."""
    if isinstance(value, str):
        match = _RATE.fullmatch(value.strip())
        if match is None:
            raise ValueError(f"{quoted(value)} is no rate; write it like 100mbit or 1gbit")
        value = float(match[1]) * 1000 ** " kmgt".index(match[2].lower() or " ")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{quoted(value)} is no rate; write it like 100mbit, or as bits per second")
    if not 1e4 <= value <= 1e13:
        raise ValueError(f"{_figure(value)} bit/s is no rate; give one from 10kbit to 10tbit, like 100mbit")
    return round(value)


def seconds(value: object) -> float:
    """Seconds from a number, or a text like `25us`. Raises ValueError."""
    if isinstance(value, str):
        match = _LATENCY.fullmatch(value.strip())
        if match is None:
            raise ValueError(f"{quoted(value)} is no latency; write it like 25us")
        value = float(match[1]) / {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1}[match[2]]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{quoted(value)} is no latency; write it like 25us, or as seconds")
    if not 0 <= value <= 1:
        raise ValueError(f"{_figure(value)} s is no latency of a link; give one from 0 to 1 s, like 25us")
    return float(value)


def rate_text(bits: float) -> str:
    """A rate for people: `100 Mbit/s`."""
    for unit, factor in (("Tbit/s", 1e12), ("Gbit/s", 1e9), ("Mbit/s", 1e6)):
        if bits >= factor:
            return f"{bits / factor:.3g} {unit}"
    return f"{bits / 1e3:.3g} kbit/s"


def names(text: str) -> list[str]:
    """The names that `h3` or `h[0-7,9]` stands for; `h[00-15]` keeps the zeros. Raises ValueError."""
    match = _RANGE.fullmatch(text)
    found: list[str] = []
    if match is None:
        found.append(text)
    elif len(match[1]) + len(match[3]) <= _LONGEST:
        for part in match[2].split(","):
            first, _, last = part.partition("-")
            if (
                not first
                or (not last and "-" in part)
                or "-" in last
                or len(part) > _LONGEST
                or int(last or first) < int(first)
            ):
                raise ValueError(f"{quoted(text)}: {quoted(part)} is no range; write it like h[0-7]")
            if len(found) + int(last or first) - int(first) >= MOST_NODES:
                raise ValueError(f"{quoted(text)}: more than {MOST_NODES} names; correct the range")
            found += [
                f"{match[1]}{number:0{len(first)}d}{match[3]}" for number in range(int(first), int(last or first) + 1)
            ]
    else:
        found.append(text)  # too long, reported below
    for name in found:
        if not _NAME.fullmatch(name) or name == "localhost":
            raise ValueError(f"{quoted(name)} is no name; use small letters, digits and '-', beginning with a letter")
    return found


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _HostEntry(_Entry):
    name: str
    ranks: int = Field(1, ge=1, le=4096)
    domains: int | None = Field(None, ge=1, le=4096)
    memory_rate: Annotated[int | None, BeforeValidator(bits_per_second)] = None


def _named(value: object) -> object:
    """A host given by its name alone."""
    return {"name": value} if isinstance(value, str) else value


class _LinkEntry(_Entry):
    between: Annotated[list[str], Field(min_length=2, max_length=2)]
    rate: Annotated[int, BeforeValidator(bits_per_second)]
    latency: Annotated[float, BeforeValidator(seconds)] = 0.0


class _File(_Entry):
    schema_: Literal[1] = Field(1, alias="schema")
    name: str = ""
    switches: list[str] = Field(min_length=1)
    hosts: Annotated[list[Annotated[_HostEntry, BeforeValidator(_named)]], Field(min_length=1)]
    links: list[_LinkEntry] = Field(min_length=1)


def _place(location: tuple[int | str, ...]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return printable(text.removeprefix(".")) or "the file"


def _reason(error: Mapping[str, Any]) -> str:
    kind = error["type"]
    if kind == "extra_forbidden":
        return "unknown key; remove it, or correct its name"
    if kind == "missing":
        return "missing; add it"
    if kind == "value_error":
        return str(error["ctx"]["error"])
    if kind == "model_type":
        return f"must be a JSON object, but it is {quoted(error['input'])}; correct it"
    if kind == "too_short" and not error["input"]:
        return "empty; add at least one"
    text = str(error["msg"])
    return f"{text[0].lower()}{text[1:]}, but it is {quoted(error['input'])}; correct it"


def _unknown_beside(missing: tuple[int | str, ...], errors: Iterable[Mapping[str, Any]]) -> str | None:
    """The unknown key most similar to a missing one in the same object, if any."""
    kind, above = "extra_forbidden", missing[:-1]
    unknown = [str(one["loc"][-1]) for one in errors if one["type"] == kind and one["loc"][:-1] == above]
    return next(iter(difflib.get_close_matches(str(missing[-1]), unknown, n=1, cutoff=0)), None)


def from_json(value: object, where: str) -> Platform:
    """The platform of a parsed file. Raises PlatformError, whose text begins with `where`."""
    try:
        file = _File.model_validate(value)
    except ValidationError as error:
        first, *others = error.errors()
        reason = _reason(first)
        if first["type"] == "missing" and (unknown := _unknown_beside(first["loc"], others)):
            reason += f", or correct the unknown key {printable(unknown)}"
        raise PlatformError(f"{where}: {_place(first['loc'])}: {reason}") from error

    def expanded(place: str, text: str) -> list[str]:
        try:
            return names(text)
        except ValueError as error:
            raise PlatformError(f"{where}: {place}: {error}") from error

    placed: dict[str, str] = {}

    def fresh(place: str, text: str) -> list[str]:
        found = expanded(place, text)
        for name in found:
            if name in placed:
                raise PlatformError(f"{where}: {place}: {name} is there twice, first in {placed[name]}; rename one")
            placed[name] = place
        if len(placed) > MOST_NODES:
            raise PlatformError(f"{where}: {place}: more than {MOST_NODES} nodes; make the platform smaller")
        return found

    switches = [name for i, text in enumerate(file.switches) for name in fresh(f"switches[{i}]", text)]
    hosts = [
        Host(name, entry.ranks, entry.domains, entry.memory_rate)
        for i, entry in enumerate(file.hosts)
        for name in fresh(f"hosts[{i}]", entry.name)
    ]
    links: list[Link] = []
    places: list[str] = []
    for i, entry in enumerate(file.links):
        ends = [expanded(f"links[{i}]", text) for text in entry.between]
        if min(map(len, ends)) > 1:
            raise PlatformError(f"{where}: links[{i}]: a range at both ends; write one link for each node of one end")
        pairs = [(one, other) for one in ends[0] for other in ends[1]]
        links += [Link(pair, entry.rate, entry.latency) for pair in pairs]
        places += [f"links[{i}]"] * len(pairs)
    platform = Platform(file.name or Path(where).stem, tuple(switches), tuple(hosts), tuple(links))
    _check_tree(platform, places, where)
    return platform


def _check_tree(platform: Platform, places: list[str], where: str) -> None:
    """Raises PlatformError unless all hosts are leaves of one tree. `places` are those of the links in the file."""
    switches, hosts = set(platform.switches), set(platform.host_names)
    nodes = switches | hosts
    so_far = Platform(platform.name, platform.switches, platform.hosts, ())
    for link, place in zip(platform.links, places, strict=True):
        one, other = link.ends
        for end in link.ends:
            if end not in nodes:
                raise PlatformError(
                    f"{where}: {place}: no host or switch {printable(end)}; add it, or correct the name"
                )
        if one == other:
            raise PlatformError(f"{where}: {place}: {printable(one)} is linked to itself; correct one end")
        if hosts >= {one, other}:
            raise PlatformError(
                f"{where}: {place}: {printable(one)} and {printable(other)} are both hosts; put a switch between them"
            )
        for end in hosts & {one, other}:
            if taken := so_far.links_of(end):
                raise PlatformError(
                    f"{where}: {place}: {printable(end)} is linked to {printable(taken[0].other(end))} already; "
                    f"a host has one link"
                )
        if one in switches and other in switches and (circle := so_far.path(one, other)):
            through = _nodes_between(circle, one)
            what = f"through {printable(', '.join(through))}" if through else "directly"
            raise PlatformError(
                f"{where}: {place}: {printable(one)} and {printable(other)} are linked {what} already, "
                f"so this is no tree; leave one link out"
            )
        for end in link.ends:
            so_far._around[end].append(link)
    start = platform.switches[0]
    reached = _reached(platform, start)
    for name in (*platform.host_names, *platform.switches):
        if name not in reached:
            raise PlatformError(f"{where}: links: nothing connects {printable(name)} to {printable(start)}; add a link")


def _nodes_between(path: tuple[Link, ...], start: str) -> list[str]:
    found: list[str] = []
    for link in path[:-1]:
        start = link.other(start)
        found.append(start)
    return found


def _reached(platform: Platform, start: str) -> set[str]:
    seen = {start}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        beyond = {link.other(node) for link in platform.links_of(node)} - seen
        seen |= beyond
        waiting += beyond
    return seen


def short(text: str, rate: int = DEFAULT_RATE) -> Platform:
    """The platform of a short name: `single:16`, or chain, star or tree with switches and hosts of each, `star:4x8`.

    A chain has its switches in a line, a star has the others around the first, a tree has all of them below one more
    switch without hosts, and links of a fat tree grow with those below. `rate` is that of a host's link, bits
    per second. Raises PlatformError.
    """
    match = SHORT.fullmatch(text)
    if match is None:
        if text == NODES:
            raise PlatformError(f"{NODES}: MPI tells them while a program runs; give a file or a short name here")
        if "/" in text or text.endswith(".json"):
            raise PlatformError(
                f"{printable(text)}: no such file; correct the path, or give a short name: {_SHORT_NAMES}"
            )
        raise PlatformError(f"{printable(text)}: neither a file nor a short name; short names are {_SHORT_NAMES}")
    if match[6]:
        return _fat_tree(text, [int(count) for count in match[7].split("x")], int(match[8] or 1), rate)
    kind = match[1] or match[3]
    count, each = (1, int(match[2])) if match[1] else (int(match[4]), int(match[5]))
    if count < 1 or each < 1:
        raise PlatformError(
            f"{printable(text)}: nothing in it; give numbers from 1, like {kind}:{'8' if match[1] else '4x8'}"
        )
    if count * each > MOST_NODES:
        raise PlatformError(f"{printable(text)}: more than {MOST_NODES} hosts; give smaller numbers")
    switches = [f"s{i}" for i in range(count)]
    hosts = tuple(Host(f"h{i}") for i in range(count * each))
    pairs = [(host.name, switches[i // each]) for i, host in enumerate(hosts)]
    if kind == "chain":
        pairs += [(switches[i], switches[i + 1]) for i in range(count - 1)]
    elif kind == "star":
        pairs += [(switches[0], other) for other in switches[1:]]
    elif kind == "tree":
        pairs += [("core", other) for other in switches]
        switches.append("core")
    return Platform(text, tuple(switches), hosts, tuple(Link(pair, rate) for pair in pairs))


def _fat_tree(text: str, counts: list[int], taper: int, rate: int) -> Platform:
    """The fat tree of Leiserson (1985): `counts` from the top down, the last one the hosts of a lowest switch.

    The link above a switch has the rates of all links below it together, divided by `taper`.
    """
    if min(*counts, taper) < 1:
        raise PlatformError(f"{printable(text)}: nothing in it; give numbers from 1, like fattree:16x16")
    if math.prod(counts) > MOST_NODES:
        raise PlatformError(f"{printable(text)}: more than {MOST_NODES} hosts; give smaller numbers")
    hosts = tuple(Host(f"h{i}") for i in range(math.prod(counts)))
    links: list[Link] = []
    switches: list[str] = []
    below, depth = [host.name for host in hosts], len(counts)
    for level, each in enumerate(reversed(counts)):
        names_here = [f"s{i}" if level == 0 else f"s{level}-{i}" for i in range(len(below) // each)]
        if level == depth - 1:
            names_here = ["core"]
        links += [Link((node, names_here[i // each]), rate) for i, node in enumerate(below)]
        switches += names_here
        below, rate = names_here, max(1, rate * each // taper)
    return Platform(text, tuple(switches), hosts, tuple(links))


def from_slurm(text: str, where: str) -> Platform:
    """The platform of Slurm's topology.conf, which has no rates: all links have the default one.

    Raises PlatformError, whose text begins with `where`.
    """
    switches: list[str] = []
    hosts: list[str] = []
    links: list[Link] = []
    places: list[str] = []
    seen: set[str] = set()
    try:
        for line, switch, below, under in slurm_topology.links(text):
            for names_of_kind, found in ((switches, [switch]), (hosts, below)):
                for name in found:
                    if name in seen:
                        raise ValueError(f"{line}: {printable(name)} is there twice; leave one out")
                    names_of_kind.append(name)
                    seen.add(name)
            links += [Link((switch, name), DEFAULT_RATE) for name in (*below, *under)]
            places += [f"line {line}"] * (len(below) + len(under))
    except ValueError as error:
        raise PlatformError(f"{where}:{error}") from error
    if not hosts:
        raise PlatformError(f"{where}: no switch has Nodes=; add them")
    platform = Platform(Path(where).stem, tuple(switches), tuple(map(Host, hosts)), tuple(links))
    _check_tree(platform, places, where)
    return platform


def read(path: Path) -> Platform:
    """The platform of a file: JSON, or Slurm's topology.conf. Raises PlatformError."""
    try:
        text = files.read(path).decode()
        if slurm_topology.is_one(text):
            return from_slurm(text, printable(path))
        value = json.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise PlatformError(f"{printable(path)}: cannot be read: {reason}") from error
    except (ValueError, RecursionError) as error:  # invalid JSON, and numbers too long for Python
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise PlatformError(f"{printable(path)}:{line}: not JSON: {printable(error)}; correct it there") from error
    return from_json(value, printable(path))


def platform(topology: str) -> Platform:
    """The platform of a short name or the path of a file. Raises PlatformError."""
    return read(Path(topology)) if not is_short(topology) and Path(topology).exists() else short(topology)


def adjusted(
    platform: Platform,
    *,
    host_rate: int | None = None,
    trunk_rate: int | None = None,
    ranks: int | None = None,
    memory_rate: int | None = None,
    latency: float | None = None,
) -> Platform:
    """The same platform with other rates and latencies of links, other numbers of ranks and rates of memory of hosts.

    `host_rate` is that of the links to hosts, `trunk_rate` of those between switches, `latency` that of both.
    """
    trunks = set(platform.trunks)

    def of(link: Link) -> Link:
        rate = (trunk_rate if link in trunks else host_rate) or link.rate
        return replace(link, rate=rate, latency=link.latency if latency is None else latency)

    hosts = tuple(
        replace(host, ranks=ranks or host.ranks, memory_rate=memory_rate or host.memory_rate) for host in platform.hosts
    )
    return replace(platform, hosts=hosts, links=tuple(map(of, platform.links)))


def described(
    topology: str,
    *,
    rate: str | None = None,
    trunk_rate: str | None = None,
    ranks: int | None = None,
    memory_rate: str | None = None,
) -> Platform:
    """The platform given by options of a command: a short name or a file, with other rates or ranks on each host.

    For a short name `rate` is also the default for links between switches. Raises PlatformError.
    """

    def bits(option: str, text: str | None) -> int | None:
        try:
            return None if text is None else bits_per_second(text)
        except ValueError as error:
            raise PlatformError(f"{option}: {error}") from error

    host_rate, between = bits("--rate", rate), bits("--trunk-rate", trunk_rate)
    within = bits("--memory-rate", memory_rate)
    is_named = is_short(topology)
    found = short(topology, host_rate or DEFAULT_RATE) if is_named else platform(topology)
    if between is not None and not found.trunks:
        raise PlatformError(f"--trunk-rate: {printable(topology)} has no links between switches; leave it out")
    rates = {} if is_named else {"host_rate": host_rate}
    return adjusted(found, **rates, trunk_rate=between, ranks=ranks, memory_rate=within)

"""The switches and hosts that Slurm's topology.conf describes (its plugin topology/tree)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from starling.messages import printable, quoted

_SWITCH = re.compile(r"^\s*SwitchName\s*=", re.IGNORECASE | re.MULTILINE)
_ENTRY = re.compile(r"(\w+)\s*=\s*(\S+)")
_BRACKETS = re.compile(r"([^\[\],]*)\[([^\[\]]*)\]([^\[\],]*)")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
MOST_NAMES = 65_536
_LONGEST = 255
"""Characters of a host's name."""


def is_one(text: str) -> bool:
    """Whether a text is a topology.conf rather than JSON."""
    return _SWITCH.search(text) is not None


def _items(text: str) -> Iterator[str]:
    """The items of a host list: split at commas outside brackets."""
    item = ""
    for piece in text.split(","):
        item += piece
        if "[" in item and "]" not in item:
            item += ","
            continue
        yield item
        item = ""
    if item:
        yield item.removesuffix(",")


def host_list(text: str) -> list[str]:
    """The names of a host list: `n[0-3,7],login` is n0, n1, n2, n3, n7, login; `n[08-10]` keeps zeros.

    Raises ValueError.
    """
    found: list[str] = []
    for item in _items(text) if text else ():
        if len(item.partition("[")[0]) + len(item.rpartition("]")[2]) > 2 * _LONGEST:
            raise ValueError(f"{quoted(item)}: longer than names of hosts are")
        match = _BRACKETS.fullmatch(item)
        if match is None and not re.fullmatch(r"[^\[\]]+", item):
            raise ValueError(f"{quoted(item)} is no list of names; write it like n[0-7,9]")
        if match is None:
            found.append(item)
            continue
        for part in match[2].split(","):
            span = _RANGE.fullmatch(part)
            if span is None or int(span[2] or span[1]) < int(span[1]):
                raise ValueError(f"{quoted(item)}: {quoted(part)} is no range; write it like n[0-7]")
            if len(found) + int(span[2] or span[1]) - int(span[1]) >= MOST_NAMES:
                raise ValueError(f"{quoted(item)}: more than {MOST_NAMES} names; correct the range")
            numbers = range(int(span[1]), int(span[2] or span[1]) + 1)
            found += [f"{match[1]}{number:0{len(span[1])}d}{match[3]}" for number in numbers]
    return found


def links(text: str) -> Iterator[tuple[int, str, list[str], list[str]]]:
    """For each switch its line, its name, the hosts and the switches below it.

    Raises ValueError, whose text begins with the line's number.
    """
    carried = ""
    start = 1
    for number, line in enumerate(text.splitlines(), 1):
        start = start if carried else number  # the first line of a continued one
        carried += line.partition("#")[0].removesuffix("\\") + " "
        if line.endswith("\\"):
            continue
        words, carried = carried, ""
        entries = {key.lower(): value for key, value in _ENTRY.findall(words)}
        if not entries:
            if words.strip():
                raise ValueError(
                    f"{start}: {quoted(words.strip())} is no entry; write SwitchName=... Nodes=... or Switches=..."
                )
            continue
        if "switchname" not in entries:
            raise ValueError(f"{start}: no SwitchName; add it, or remove the line")
        try:
            names = host_list(entries["switchname"])
            hosts, switches = (host_list(entries.get(key, "")) for key in ("nodes", "switches"))
        except ValueError as error:
            raise ValueError(f"{start}: {error}") from error
        if len(names) != 1:
            raise ValueError(
                f"{start}: {printable(entries['switchname'])} is {len(names)} switches; write a line for each"
            )
        yield start, names[0], hosts, switches

"""`starling predict`: the cost model's times of the candidates of a collective, as a table (docs/cost-model.md)."""

from __future__ import annotations

import re
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from starling.messages import printable
from starling.terminal.figures import human_bytes, human_seconds

_SIZE = re.compile(r"(\d+)([kmg]?)(?:i?b)?", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


def size(text: str) -> int:
    """Bytes from a text like `65536`, `64K` or `1M`, in powers of 1024. Raises ValueError."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{printable(text)}: no size; write it in bytes, or like 64K or 1M")
    return int(match[1]) * _FACTORS[match[2].lower()]


def _refusals(candidates: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """The reasons why candidates have no time, each with its candidates; N stands for numbers that differ."""
    alike: dict[str, dict[str, list[str]]] = {}
    for one in candidates:
        if why := one["refusal"]:
            alike.setdefault(re.sub(r"\d+", "N", why), {}).setdefault(why, []).append(one["name"])
    return [
        (next(iter(reasons)) if len(reasons) == 1 else pattern, [name for names in reasons.values() for name in names])
        for pattern, reasons in alike.items()
    ]


def render(found: dict[str, Any], platform: str, console: Console, rows: int | None = None) -> None:
    """Prints at most `rows` candidates, the quickest first, each also as a multiple of the lower bound."""
    bound = found["lower_bound_s"]
    root = "" if found["root"] is None else f", root {found['root']}"
    console.print(
        Text(
            f"{found['collective']} of {human_bytes(found['bytes'])} on {found['ranks']} ranks of "
            f"{printable(platform)}{root}"
        )
    )
    timed = [one for one in found["candidates"] if one["seconds"] is not None]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("candidate", overflow="fold")
    table.add_column("group", overflow="fold")
    table.add_column("predicted", justify="right")
    table.add_column("of the bound", justify="right")
    for one in timed[:rows]:
        ratio = f"{one['seconds'] / bound:.2f}" if bound else ""
        table.add_row(Text(one["name"]), Text(one["group"]), human_seconds(one["seconds"]), ratio)
    console.print(table)
    if rows is not None and len(timed) > rows:
        console.print(Text(f"and {len(timed) - rows} slower ones; all: --all"))
    console.print(Text(f"lower bound: {human_seconds(bound)}"))
    refusals = _refusals(found["candidates"])
    if refusals and rows is None:
        for why, names in refusals:
            console.print(Text(f"left out, {why}: {', '.join(names)}"))
    elif refusals:
        console.print(Text(f"left out: {sum(len(names) for _, names in refusals)}; why: --all"))

"""Tables for terminals: less important columns are left out where there is no room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from starling.messages import in_one_line, printable


@dataclass(frozen=True)
class Column:
    """A column: its title, its cells, and how early it is left out of a narrow table (0: never)."""

    title: str
    cells: Sequence[str]
    leave: int = 0
    right: bool = True

    @property
    def width(self) -> int:
        """Characters of the widest cell."""
        return max(map(len, [self.title, *self.shown]))

    @property
    def shown(self) -> list[str]:
        """The cells in printable form."""
        return [printable(cell) for cell in self.cells]


def line(text: str, style: str = "") -> Text:
    """A text for people in one printable line, whatever its values contain."""
    return Text(in_one_line(text), style=style)


def fitted(columns: Sequence[Column], width: int) -> Table:
    """A table of the columns that fit into `width` characters; columns that are never left out are folded if needed."""
    shown = list(columns)
    while sum(column.width + 2 for column in shown) > width and any(column.leave for column in shown):
        shown.remove(min((column for column in shown if column.leave), key=lambda column: column.leave))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in shown:
        table.add_column(
            column.title, justify="right" if column.right else "left", overflow="fold", no_wrap=column.right
        )
    for row in zip(*(column.shown for column in shown), strict=True):
        table.add_row(*map(Text, row))
    return table

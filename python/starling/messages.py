"""What people are told: one line on stderr, in which values from outside are printable and short."""

from __future__ import annotations

import sys
from collections.abc import Iterable

MISUSE = 2
"""Exit status of a command that was typed wrongly."""

MOST_SHOWN = 200
"""Characters of a value that a message tells at most."""

_CUT = "..."


def in_one_line(text: str) -> str:
    r"""A text as one line that any terminal can show: escapes like `\n` and `\x1b` for what is not printable."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escape(one) for one in text)


def _escape(one: str) -> str:
    # What os.fsdecode makes of a byte that is not UTF-8 stands for that byte.
    return f"\\x{ord(one) - 0xDC00:02x}" if "\udc80" <= one <= "\udcff" else repr(one)[1:-1]


def printable(value: object) -> str:
    """A value of a variable, a file, an argument as messages tell it: in one line, cut after MOST_TOLD characters."""
    text = str(value)
    shown = in_one_line(text[: MOST_SHOWN + 1])
    if len(shown) <= MOST_SHOWN:
        return shown
    line = ""
    for piece in map(in_one_line, text):  # never half an escape
        if len(line) + len(piece) + len(_CUT) > MOST_SHOWN:
            break
        line += piece
    return line + _CUT


def quoted(value: object) -> str:
    """The same in quotes where it is a text, and as Python writes it otherwise."""
    return f"'{printable(value)}'" if isinstance(value, str) else printable(repr(value))


def listed(values: Iterable[object]) -> str:
    """Values with commas between them."""
    return ", ".join(map(printable, values))


def version() -> str:
    """What `--version` prints."""
    from starling import __version__

    return f"starling {__version__}"


def log(message: str) -> None:
    """One line on stderr; stdout belongs to the program."""
    print(f"starling: {in_one_line(message)}", file=sys.stderr, flush=True)  # noqa: T201

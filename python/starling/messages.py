"""What people are told: one line on stderr, in which values from outside are printable and short."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

MISUSE = 2
"""Exit status of wrong use of a command."""

MOST_SHOWN = 200
"""Most characters of a value that a message shows."""

_CUT = "..."


def in_one_line(text: str) -> str:
    r"""A text as one line that any terminal can show, with escapes like `\n` and `\x1b` for unprintable characters."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escape(one) for one in text)


def _escape(one: str) -> str:
    # A surrogate from os.fsdecode stands for a byte that is not UTF-8.
    return f"\\x{ord(one) - 0xDC00:02x}" if "\udc80" <= one <= "\udcff" else repr(one)[1:-1]


def printable(value: object) -> str:
    """A value of a variable, a file or an argument for messages: in one line, cut after MOST_SHOWN characters."""
    text = str(value)
    shown = in_one_line(text[: MOST_SHOWN + 1])
    if len(shown) <= MOST_SHOWN:
        return shown
    line = ""
    for piece in map(in_one_line, text):  # never cut within an escape
        if len(line) + len(piece) + len(_CUT) > MOST_SHOWN:
            break
        line += piece
    return line + _CUT


def quoted(value: object) -> str:
    """The same, in quotes if it is a text, else as Python writes it."""
    return f"'{printable(value)}'" if isinstance(value, str) else printable(repr(value))


def listed(values: Iterable[object]) -> str:
    """Values separated by commas."""
    return ", ".join(map(printable, values))


def is_cut_short(text: str, mistake: json.JSONDecodeError) -> bool:
    """Whether a text that should be JSON, with this mistake, is only the beginning of some."""
    if mistake.msg == "Extra data":  # behind what is whole
        return False
    return not text[mistake.pos :].strip() or (text.startswith("{") and not text.rstrip().endswith("}"))


def no_folder(file: Path) -> str | None:
    """That a file's folder is missing; None where it is there."""
    folder = file.absolute().parent
    return None if folder.exists() else f"there is no folder {printable(folder)}; make it, or name another file"


def missing_folder(file: Path) -> str | None:
    """Why a file cannot be written where its folder is missing; None where that is there."""
    why = no_folder(file)
    return why and f"{printable(file)}: {why}"


def not_written(file: Path, error: OSError) -> str:
    """Why a file that was asked for was not written; where its folder is missing, that."""
    return missing_folder(file) or f"{printable(file)}: {error.strerror}"


def version() -> str:
    """What `--version` prints."""
    from starling import __version__

    return f"starling {__version__}"


def log(message: str) -> None:
    """Prints one line on stderr; stdout belongs to the program. Where stderr is closed or full, there is no message."""
    if sys.stderr is None:  # print would take stdout
        return
    try:
        print(f"starling: {in_one_line(message)}", file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        sys.stderr = None  # else Python would try again when it exits, and change the exit status

"""Manual pages, one for each command: `python -m starling.commands.manual docs/man`.

They say what `--help` says: nothing is known here that is not in the commands themselves.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from starling.commands import cli
from starling.messages import log, version

_EXAMPLE = "Example: "
_HEADS = {"argument": "ARGUMENTS", "option": "OPTIONS"}
_TYPE = re.compile(r" <[\w\[\] ]+>$")
"""The kind of a value, in Python's words."""


def _roff(text: str) -> str:
    """A text as groff shows it."""
    lines = text.replace("\\", r"\(rs").replace("-", r"\-").splitlines()
    return "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in lines)


def _all(name: str, command: Any, parent: Any = None) -> Iterator[tuple[str, Any, Any]]:
    """A command and those below it, each with its words and its context."""
    context = typer.Context(command, info_name=name.rpartition(" ")[2], parent=parent, **command.context_settings)
    yield name, command, context
    for below, one in sorted(getattr(command, "commands", {}).items()):
        yield from _all(f"{name} {below}", one, context)


def _entries(records: Sequence[tuple[str, str]]) -> list[str]:
    return [line for left, right in records for line in (".TP", rf"\fB{_roff(left)}\fR", _roff(right) or r"\&")]


def _page(name: str, command: Any, context: Any) -> str:
    """The manual page of one command."""
    paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    summary = re.split(r"\.(?: |$)", paragraphs[0])[0]
    found = {kind: [one for one in command.get_params(context) if one.param_type_name == kind] for kind in _HEADS}
    lines = [
        rf'.TH "{_roff(name.replace(" ", "-").upper())}" "1" "" "{_roff(version())}" "Starling"',
        ".SH NAME",
        rf"{_roff(name.replace(' ', '-'))} \- {_roff(summary)}",
        ".SH SYNOPSIS",
        rf"\fB{_roff(name)}\fR {_roff(' '.join(command.collect_usage_pieces(context)))}",
        ".SH DESCRIPTION",
        *(line for part in paragraphs for line in (".PP", _roff(part))),
    ]
    for kind, head in _HEADS.items():
        records = [
            (_TYPE.sub("", left), right)
            for one in found[kind]
            for left, right in [one.get_help_record(context) or ("", "")]
            if left
        ]
        lines += [f".SH {head}", *_entries(records)] if records else []
    if below := sorted(getattr(command, "commands", {})):
        lines += [".SH COMMANDS", *(rf"\fB{_roff(f'{name} {one}')}\fR" + "\n.br" for one in below)]
    if command.epilog:
        lines += [".SH EXAMPLES", ".nf", *(_roff(one) for one in command.epilog.removeprefix(_EXAMPLE).split("; "))]
        lines += [".fi"]
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Every page by the name of its file."""
    command = typer.main.get_command(cli.app)
    return {
        f"{name.replace(' ', '-')}.1": _page(name, one, context) for name, one, context in _all("starling", command)
    }


def main(words: Sequence[str]) -> int:
    """Writes the pages into the folder that is named, and removes those of former commands. Returns the exit status."""
    if len(words) != 1:
        log("python -m starling.commands.manual FOLDER")
        return 2
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.1"):
        old.unlink()
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

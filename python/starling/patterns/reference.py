"""The reference of the Python package in the docs: `python -m starling.patterns.reference docs/patterns.md`.

It stands in the page between two comments. Nothing is known here that is not in the docstrings and signatures.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Sequence

from starling import pages, patterns

_NAME = "python"
"""Of the part of the page."""
_MADE_OTHERWISE = {"Error", "Figures", "Map"}
"""Classes that programs do not call."""
_WIDTH = 110
"""Most characters of a signature in one line."""


def _text(documented: object) -> str:
    """A docstring with each paragraph in one line."""
    paragraphs = (inspect.getdoc(documented) or "").split("\n\n")
    return "\n\n".join(" ".join(one.split()) for one in paragraphs)


def _signature(name: str, called: inspect.Signature) -> str:
    given = [one for one in called.parameters.values() if one.name not in {"self", "cls"}]
    returned = called.return_annotation
    result = "" if returned in {called.empty, "None"} or str(returned).startswith("_") else f" -> {returned}"
    parts = str(called.replace(parameters=given, return_annotation=called.empty))
    parts = re.sub(r"'([^']*)'(?=[,)=]| =)", r"\1", parts)
    line = f"{name}{parts}{result}"
    if len(line) <= _WIDTH:
        return line
    words = "".join(f"    {part},\n" for part in _split(parts[1:-1]))
    return f"{name}(\n{words}){result}"


def _in_cell(signature: str) -> str:
    """In one line, as rows of tables are, and without what would end a cell."""
    return re.sub(r",?\n\)", ")", signature).replace("(\n    ", "(").replace("\n   ", "").replace("|", "\\|")


def _split(parameters: str) -> Iterator[str]:
    """Parameters, each by itself: at commas that are in no brackets."""
    depth, since = 0, 0
    for place, letter in enumerate(parameters):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            yield parameters[since:place].strip()
            since = place + 1
    yield parameters[since:].strip()


def _members(noun: type) -> Iterator[tuple[str, str]]:
    """What a class has of its own: how it is written, and what it says."""
    for name, member in vars(noun).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield name, _text(member)
        elif isinstance(member, classmethod):
            yield _signature(f"{noun.__name__}.{name}", inspect.signature(member.__func__)), _text(member.__func__)
        elif inspect.isfunction(member):
            yield _signature(name, inspect.signature(member)), _text(member)


def _section(name: str) -> str:
    noun = getattr(patterns, name)
    parts = [f"### {name}", _text(noun)]
    if name not in _MADE_OTHERWISE:
        making = noun.__init__
        parts += [f"```python\n{_signature(name, inspect.signature(making))}\n```", _text(making)]
    if rows := [f"| `{_in_cell(how)}` | {' '.join(says.split())} |" for how, says in _members(noun)]:
        parts.append("\n".join(["| member | meaning |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def reference() -> str:
    """Every name of the package, what makes it and what it has."""
    return "\n".join(_section(name) for name in patterns.__all__)


def page(text: str) -> str:
    """A page with the reference as it is now."""
    return pages.with_part(text, _NAME, reference())


def main(words: Sequence[str]) -> int:
    """Puts the reference into the page that is named. Returns the exit status."""
    return pages.put(words, "starling.patterns.reference", _NAME, reference())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

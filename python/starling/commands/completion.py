"""What a shell offers behind a command: names of strategies, collectives and algorithms, as the library lists them.

Bash splits words at colons: `forced:allreduce:ri` reaches a program as five words, of which it replaces the last.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

_ASKED_BY = "_STARLING_COMPLETE"


def run(app: Callable[[], None]) -> None:
    """Runs a command line, which may have been started by a shell to be told what it offers."""
    if os.environ.get(_ASKED_BY) != "complete_bash":
        app()
        return
    typed = join_words(os.environ)
    offered = io.StringIO()
    try:
        with contextlib.redirect_stdout(offered):
            app()
    finally:
        for line in offered.getvalue().splitlines(keepends=True):
            sys.stdout.write(line[typed.rfind(":") + 1 :])


def join_words(environ: MutableMapping[str, str]) -> str:
    """Undoes bash's splitting in the variables that tell a program what was typed. Returns the word to be completed."""
    words = environ["COMP_WORDS"].split("\n")
    at = int(environ["COMP_CWORD"])
    joined: list[str] = []
    current = 0
    for i, word in enumerate(words):
        if joined and (word.startswith(":") or joined[-1].endswith(":")):
            joined[-1] += word
        else:
            joined.append(word)
        if i == at:
            current = len(joined) - 1
    environ["COMP_WORDS"] = "\n".join(joined)
    environ["COMP_CWORD"] = str(current)
    return joined[current]


def _listing() -> dict[str, Any]:
    from starling.algorithms import repository
    from starling.installation.questions import RepositoryError

    try:
        return repository.listing()
    except RepositoryError:
        return {"collectives": [], "algorithms": [], "others": [], "strategies": []}


def _beginning(names: Iterable[str], typed: str) -> list[str]:
    return [name for name in names if name.startswith(typed)]


def _ways(found: dict[str, Any]) -> list[str]:
    from starling.algorithms import repository

    return [f"{one['collective']}:{one['name']}" for one in repository.algorithms(found)]


def _with_ways(found: dict[str, Any], typed: str, before: str = "") -> list[str]:
    """Collectives, and the algorithms of one that is typed with its colon."""
    names = _ways(found) if ":" in typed.removeprefix(before) else found["collectives"]
    return _beginning((before + name for name in names), typed)


def strategies(incomplete: str) -> list[str]:
    """Values of `--strategy`."""
    found = _listing()
    if incomplete.startswith("forced:"):
        return _with_ways(found, incomplete, "forced:")
    return _beginning((one["name"] for one in found["strategies"]), incomplete)


def collectives(incomplete: str) -> list[str]:
    """A collective."""
    return _beginning(_listing()["collectives"], incomplete)


def ways(incomplete: str) -> list[str]:
    """A collective, or an algorithm with it: `allreduce:ring`."""
    return _with_ways(_listing(), incomplete)


def lists_of_collectives(incomplete: str) -> list[str]:
    """Values of `--collectives`."""
    before = incomplete[: incomplete.rfind(",") + 1]
    return _beginning((before + name for name in _listing()["collectives"]), incomplete)


def lists_of_ways(incomplete: str) -> list[str]:
    """Values of `--only` and `--except`."""
    return _with_ways(_listing(), incomplete, incomplete[: incomplete.rfind(",") + 1])


OF_SETTINGS: dict[str, Callable[[str], list[str]]] = {
    "strategy": strategies,
    "only": lists_of_ways,
    "except": lists_of_ways,
}
"""What is offered for settings that are names."""

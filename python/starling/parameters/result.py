"""What was found, for people, for programs, and as a file that the MPI library or a shell reads."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.text import Text

from starling import files
from starling.messages import in_one_line, not_written, printable
from starling.parameters.journal import key
from starling.parameters.search import Outcome
from starling.parameters.space import Settings, in_words, is_mca, variable
from starling.terminal.figures import human_seconds
from starling.terminal.tables import Column, fitted
from starling.tuning.json_lines import JournalError

_ROWS = 12
"""Settings that are listed, the best first."""


def verdict(found: Outcome) -> str:
    """One sentence: whether the settings are better than none, by how much, and how sure that is."""
    if not found.found and not found.failed:
        return "nothing was tried before the budget was used up; with a larger --budget the same command tries more"
    if found.chosen is None:
        return "no settings worked: leave the MPI library as it is"
    name = in_words(found.chosen)
    if found.broken:
        return f"{name}: not certain, a run of the comparison failed: {found.broken}"
    comparison = found.comparison
    if comparison is None or comparison.margin is None:
        return f"{name}: not certain, too few pairs of runs were made to compare it with the library as it is"
    pairs = f"{len(found.pairs)} pairs of runs"
    factor = f"{comparison.ratio:.3f} +- {comparison.margin:.3f} times as good as the library as it is"
    if found.is_better:
        return f"{name}: {factor}, by {pairs} (95 % confidence)"
    worse = comparison.ratio + comparison.margin < 1
    return f"leave the MPI library as it is: {name} is {factor}, by {pairs}" + ("" if worse else "; no sure gain")


def is_for_openmpi(settings: Settings) -> bool:
    """Whether a file of MCA parameters can hold all of these."""
    return all(is_mca(name) for name in settings)


def use(settings: Settings, path: Path) -> str:
    """How the file is used."""
    shown = printable(path)
    if is_for_openmpi(settings):
        return f"OMPI_MCA_mca_base_param_files={shown} mpirun ..., or append it to ~/.openmpi/mca-params.conf"
    return f". {shown}; mpirun ..."


def text(found: Outcome, command: str) -> str:
    """The file: `name = value` for Open MPI's MCA parameters, else lines for a shell.

    What is not certainly better than the library as it is stands in comments.
    """
    lines = [f"# {in_one_line(command)}", f"# {in_one_line(verdict(found))}"]
    settings = found.chosen or {}
    for name, value in settings.items():
        line = f"{name} = {value}" if is_for_openmpi(settings) else f"export {variable(name)}={shlex.quote(value)}"
        lines.append(line if found.is_better else f"# {line}")
    return "\n".join(lines) + "\n"


def write(found: Outcome, command: str, path: Path) -> None:
    """Writes the file. Raises JournalError."""
    try:
        files.write(path, text(found, command))
    except OSError as error:
        raise JournalError(not_written(path, error)) from error


def as_json(found: Outcome, known: Mapping[str, str]) -> dict[str, Any]:
    """All figures, and what they say."""
    comparison = found.comparison
    return {
        "default": {"figures": found.default, "settings": {name: known.get(name) for name in found.candidates[0]}},
        "candidates": [
            {
                "settings": dict(one),
                "figures": found.found.get(key(one), []),
                "failed": found.failed.get(key(one)),
            }
            for one in found.candidates
        ],
        "chosen": None if found.chosen is None else dict(found.chosen),
        "why": found.why,
        "complete": found.complete,
        "pairs": [list(pair) for pair in found.pairs],
        "ratio": comparison.ratio if comparison else None,
        "margin": comparison.margin if comparison else None,
        "better": found.is_better,
        "verdict": verdict(found),
    }


def _shown(found: Outcome, figure: float) -> str:
    return human_seconds(figure) if found.figure.expression is None else f"{figure:.6g}"


def render(found: Outcome, known: Mapping[str, str], console: Console) -> None:
    """Prints the verdict, how it came about, and the best settings."""
    console.print(Text(in_one_line(verdict(found)), style="bold"))
    if found.why:
        console.print(Text(in_one_line(found.why)))
    console.print()
    tried = [one for one in found.candidates if math.isfinite(found.cost(one))]
    tried.sort(key=found.cost)
    shown = tried[:_ROWS]
    names = list(found.candidates[0])
    default = median([*found.default, *(first for first, _ in found.pairs)])
    figures = [default, *(median(found.found[key(one)]) for one in shown)]
    costs = [found.figure.cost(one) for one in figures]
    runs = [len(found.default) + len(found.pairs), *(len(found.found[key(one)]) for one in shown)]
    as_it_is = [f"({known[name]})" if known.get(name) else "-" for name in names]
    columns = [
        *(
            Column(name, [as_it_is[number], *(one[name] for one in shown)], right=False)
            for number, name in enumerate(names)
        ),
        Column("median", [_shown(found, one) for one in figures]),
        Column("runs", [str(one) for one in runs], leave=1),
        Column("times as good", [f"{costs[0] / cost:.3f}" for cost in costs], leave=2),
    ]
    console.print(fitted(columns, console.width))
    others = len(tried) - len(shown)
    untried = len(found.candidates) - len(tried) - len(found.failed)
    notes = [
        *([f"{others} more were tried"] if others else []),
        *([f"{untried} were not tried"] if untried else []),
        *([f"{len(found.failed)} failed: {next(iter(found.failed.values()))}"] if found.failed else []),
    ]
    for note in notes:
        console.print(Text(in_one_line(note)))

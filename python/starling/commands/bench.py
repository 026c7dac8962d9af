"""`starling bench`: compares files of measured times, which bench/ makes (`make bench-lab`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starling.commands.shared import AsJson
from starling.messages import MISUSE, log, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from starling.lab.measured import Case, Compared

app = typer.Typer(
    help="Compares two files of measured times.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _group() -> None:
    pass


@app.command(epilog="Example: starling bench compare before.json after.json")
def compare(
    first: Annotated[Path, typer.Argument(metavar="A.json", help="The baseline.")],
    second: Annotated[Path, typer.Argument(metavar="B.json", help="The times to compare.")],
    as_json: AsJson = False,
) -> None:
    """Compare the cases that two files share.

    Prints A's median time / B's, which is above 1 where B is faster, with 95 % intervals.
    """
    from starling.lab import measured

    try:
        found, *missing = measured.compare(measured.read(first), measured.read(second))
    except measured.MeasuredError as error:
        log(str(error))
        raise typer.Exit(MISUSE) from error
    if not found:
        log(
            f"{printable(first)} and {printable(second)} have no case in common: platform, MPI, ranks, what, "
            f"bytes and how must be equal"
        )
        raise typer.Exit(MISUSE)
    if as_json:
        typer.echo(json.dumps(_as_json(found, missing), indent=1))
        return
    from rich.console import Console

    _render(found, missing, Console(highlight=False))


def _as_json(found: Sequence[Compared], missing: Sequence[Sequence[Case]]) -> dict[str, Any]:
    from starling.lab.measured import geometric_mean

    return {
        "compared": [
            {
                **one.case._asdict(),
                "a_s": one.first._asdict(),
                "b_s": one.second._asdict(),
                "ratio": one.ratio._asdict(),
                "verdict": one.verdict,
                "values": one.values,
                "cpu_bound": one.cpu_bound,
            }
            for one in found
        ],
        "geometric_mean": geometric_mean(one.ratio.middle for one in found),
        "only_a": [case._asdict() for case in missing[0]],
        "only_b": [case._asdict() for case in missing[1]],
    }


def _render(found: Sequence[Compared], missing: Sequence[Sequence[Case]], console: Console) -> None:
    """Prints a table for each platform and MPI, and how many cases are faster, even and slower."""
    from itertools import groupby

    from rich.text import Text

    from starling.lab.measured import geometric_mean
    from starling.terminal.figures import human_bytes, human_seconds
    from starling.terminal.tables import Column, fitted, line

    found = sorted(found, key=lambda one: one.case[:3])
    for place, group in groupby(found, key=lambda one: one.case[:3]):
        rows = list(group)
        console.print(line(f"{printable(place[0])}, {printable(place[1])}, {printable(place[2])} ranks", style="bold"))
        columns = [
            Column("what", [one.case.what for one in rows], right=False),
            Column("bytes", [human_bytes(one.case.bytes) for one in rows]),
            Column("how", [one.case.how for one in rows], right=False),
            Column("A", [human_seconds(one.first.middle) for one in rows], leave=2),
            Column("B", [human_seconds(one.second.middle) for one in rows], leave=1),
            Column("A / B", [f"{one.ratio.middle:.2f}" for one in rows]),
            Column(
                "95 %",
                ["" if one.verdict == "unknown" else f"{one.ratio.low:.2f}-{one.ratio.high:.2f}" for one in rows],
                leave=3,
            ),
            Column(
                "B is", [one.verdict + (" (CPU-bound)" if one.cpu_bound else "") for one in rows], leave=4, right=False
            ),
        ]
        console.print(fitted(columns, console.width))
        console.print()
    verdicts = [one.verdict for one in found]
    counts = ", ".join(f"{verdicts.count(name)} {name}" for name in ("faster", "even", "slower", "unknown"))
    mean = geometric_mean(one.ratio.middle for one in found)
    console.print(Text(f"{len(found)} in both: B is {counts}; geometric mean of A / B: {mean:.3f}"))
    for name, cases in zip("AB", missing, strict=True):
        if cases:
            first = " ".join(printable(word) for word in cases[0] if word is not None)
            console.print(line(f"only in {name}: {len(cases)}, the first {first}"))

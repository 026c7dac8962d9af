"""`starling algorithms`: the repository, in lists and pictures."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from starling import files
from starling.commands import completion
from starling.commands.shared import AsJson, commands, fail, misused
from starling.messages import MISUSE, not_written, printable

app = commands()


@app.command(epilog="Example: starling algorithms allreduce; starling algorithms bcast:binomial --draw binomial.svg")
def algorithms(
    collective: Annotated[
        str | None,
        typer.Argument(
            metavar="[COLLECTIVE[:NAME]]",
            help="Algorithms of this collective, or details of one.",
            autocompletion=completion.ways,
        ),
    ] = None,
    as_json: AsJson = False,
    draw: Annotated[
        Path | None, typer.Option(metavar="F.svg", help="Draw what each rank does in the algorithm COLLECTIVE:NAME.")
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="List the meshes of N ranks. With --draw: ranks in the picture, 8."),
    ] = None,
    root: Annotated[int | None, typer.Option(metavar="N", min=0, help="Root in the picture, 0.")] = None,
    blocks: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Blocks the vector is divided into in the picture.")
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(metavar="LAUNCHER", help="List those of this MPI library as well, as in: --mpi mpirun."),
    ] = None,
) -> None:
    """List the repository of algorithms.

    Names, parameters, and a sentence each. Or show all about one, or draw it.
    """
    from starling.algorithms import repository
    from starling.installation.questions import RepositoryError, UnknownError
    from starling.terminal.console import terminal

    if draw is not None:
        _draw(collective, draw, 8 if ranks is None else ranks, root or 0, blocks)
        return
    for option, given in (("--root", root), ("--blocks", blocks)):
        if given is not None:
            misused(f"{option} is for a picture: add --draw F.svg, or leave it out")
    requested, _, name = (collective or "").partition(":")
    try:
        found = repository.listing(ranks)
        entries = repository.algorithms(found, requested or None)
        one = repository.named(found, requested, name) if name else None
    except UnknownError as error:
        misused(error)
    except RepositoryError as error:
        fail(error)
    if mpi is not None:
        if one:
            misused("--mpi lists the MPI library's algorithms: name a collective, or nothing")
        entries = repository.with_library(entries, _of_library(mpi, [requested] if requested else found["collectives"]))
    if as_json:
        typer.echo(json.dumps([one] if one else entries, indent=2))
    elif one:
        repository.render_one(one, entries, terminal())
    else:
        repository.render(entries, terminal(), ranks)


def _of_library(launcher: str, collectives: list[str]) -> list[dict[str, Any]]:
    from starling.tuning import library
    from starling.tuning.job import JobError

    try:
        return library.entries(launcher, collectives, os.environ)
    except JobError as error:
        if error.status == MISUSE:
            misused(error)
        fail(error)


_MOST_DRAWN = 64
"""Ranks in a picture."""


def _draw(candidate: str | None, file: Path, ranks: int, root: int, blocks: int | None) -> None:
    from starling.algorithms import repository
    from starling.installation.questions import RepositoryError, UnknownError
    from starling.pictures import drawing

    if candidate is None:
        misused("--draw needs an algorithm, as in: starling algorithms alltoall:ring --draw ring.svg")
    if ranks > _MOST_DRAWN:
        misused(f"--ranks {ranks}: a picture has room for at most {_MOST_DRAWN}")
    if file.suffix != ".svg":
        misused(f"--draw {printable(file)}: pictures are SVG; give a name that ends in .svg")
    try:
        plan = repository.plan(candidate, ranks, root, blocks)
        files.write(file, drawing.draw(plan))
    except UnknownError as error:
        misused(error)
    except RepositoryError as error:
        fail(error)
    except OSError as error:
        fail(not_written(file, error))
    if plan.mistake:
        fail(f"{printable(candidate)} is wrong on {ranks} ranks, and drawn as it is: {printable(plan.mistake)}")

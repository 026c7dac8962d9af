"""`starling config`: what a program needs to be compiled and linked."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

import typer

from starling.commands.shared import commands, fail, misused
from starling.installation.variants import Flavour

app = commands()


@app.command(epilog="Example: starling config --flags, as in: mpicc app.c $(starling config --flags) -o app")
def config(
    flags: Annotated[bool, typer.Option("--flags", help="Flags to compile and to link.")] = False,
    cflags: Annotated[bool, typer.Option("--cflags", help="Flags to compile: the folder of the headers.")] = False,
    libs: Annotated[bool, typer.Option("--libs", help="Flags to link: the library for this MPI.")] = False,
    module: Annotated[bool, typer.Option("--module", help="The source of the Fortran module.")] = False,
    mpicc: Annotated[str, typer.Option(metavar="MPICC", help="The compiler wrapper of the MPI.")] = "mpicc",
    mpi: Annotated[Flavour | None, typer.Option(help="The MPI, in place of a compiler wrapper's.")] = None,
) -> None:
    """Print the flags to compile and link with the library. See docs/patterns.md."""
    from starling.installation import linking

    if not (flags or cflags or libs or module):
        misused("say what to print: --flags, --cflags, --libs or --module")
    try:
        words = linking.compiling() if flags or cflags else []
        if flags or libs:
            words += linking.linking(linking.variant_for(mpi, mpicc), os.environ)
        if module:
            words.append(str(linking.headers() / "starling" / "starling.f90"))
    except linking.LinkingError as error:
        fail(error)
    typer.echo(shlex.join(words))

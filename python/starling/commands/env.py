"""`starling env`: the variables that tune every program."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from starling.commands.settings_options import flags, takes_settings
from starling.commands.shared import commands, misused
from starling.installation.variants import Flavour
from starling.runs.environment import Shell

app = commands()


@app.command(epilog="Example: starling env --table site.json --shell lua >starling.lua")
@takes_settings
def env(
    *,
    mpi: Annotated[Flavour | None, typer.Option(help="Only for programs of this MPI.")] = None,
    shell: Annotated[Shell, typer.Option(help="Syntax of the output; lua and tcl are for module files.")] = Shell.SH,
    **given: str | bool | None,
) -> None:
    """Print the variables that tune every MPI program. They are for module files and shells."""
    from starling.runs import environment

    try:
        found = environment.wanted(mpi, flags(given), os.environ)
    except environment.NotToBeHadError as error:
        misused(error)
    for line in environment.lines(found, shell):
        typer.echo(line)

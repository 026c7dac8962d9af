"""`starling doctor`: what is installed and works."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from starling.commands.shared import AsJson, commands, fail
from starling.messages import log, printable

app = commands()


@app.command(epilog="Example: starling doctor --build /opt/mpich/bin/mpicc")
def doctor(
    mpicc: Annotated[
        str | None,
        typer.Option("--build", metavar="MPICC", help="Build the library for the MPI of this compiler wrapper."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is installed, what works, and what to do.

    Shows the libraries for each MPI, a trial of each launcher, and the settings in force.
    Exit status 1 where a settings file or a variable is wrong.
    """
    from starling.installation import build
    from starling.launchers import process
    from starling.terminal.console import terminal
    from starling.trials import doctor as examination

    if mpicc is not None:
        try:
            with process.cleaning_up():
                places = build.build(mpicc, os.environ, log)
        except build.BuildError as error:
            fail(error)
        for place in places:
            log(f"built {printable(place)}")
        return
    with process.cleaning_up():
        diagnosis = examination.examine(os.environ)
    if as_json:
        typer.echo(json.dumps(examination.as_json(diagnosis), indent=2))
    else:
        examination.render(diagnosis, terminal())
    if not diagnosis.settings_are_valid:
        raise typer.Exit(1)

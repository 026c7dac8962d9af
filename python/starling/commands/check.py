"""`starling check`: what there is to gain."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from starling import files
from starling.commands.shared import Launcher, OfMpi, commands, fail, refuse_inner_run

app = commands()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling check -- mpirun -n 64 ./app input.txt",
)
def check(
    line: Launcher,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for programs to read; the program's own output goes to stderr.")
    ] = False,
    mpi: OfMpi = None,
) -> None:
    """Run a program natively and say what Starling could save.

    Shows the time in collectives, waiting in them, and what to do first.

    What is known of faster ways comes from the tuning table and the history in force.
    """
    from starling.installation.questions import RepositoryError
    from starling.records import history as histories
    from starling.records import profile as profiles
    from starling.records.record import RecordError
    from starling.runs import settings
    from starling.runs.profile import run_profiled
    from starling.tables.table import TableError
    from starling.tables.table import read as read_table
    from starling.terminal.console import terminal
    from starling.verdicts import check as checking

    refuse_inner_run("check", line)
    with files.temporary_folder("check") as folder:
        file = folder / "profile.json"
        status = run_profiled(line, file, {"mpi": mpi.value} if mpi else {}, keep_stdout=as_json)
        if not file.exists():
            raise typer.Exit(status)
        try:
            profile, _ = profiles.read(file)
            in_force = settings.in_force({}, os.environ, settings.find_files(settings.working_folder(), os.environ))
            history = settings.history_folder(in_force, os.environ)
            known, _ = histories.known(histories.read(history).entries) if history else ([], [])
            table = read_table(Path(in_force["table"].value)) if in_force.get("table") else None
        except (RecordError, RepositoryError, histories.HistoryError, settings.SettingsError, TableError) as error:
            fail(error)
    found = checking.check(profile, known, table)
    if as_json:
        typer.echo(json.dumps(checking.as_json(found, line), indent=2))
    else:
        checking.render(found, line, terminal(to_stderr=True))
    raise typer.Exit(status)

"""`starling profile`: what a program does with collectives."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from starling import files
from starling.commands.shared import (
    Everything,
    OfMpi,
    commands,
    fail,
    misused,
    refuse_inner_run,
    refuse_missing_folder,
    refuse_other_than_page,
    refuse_to_replace,
)
from starling.messages import MISUSE, log, not_written, printable

app = commands()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling profile -o app.json -- mpirun -n 64 ./app input.txt",
)
def profile(
    line: Annotated[
        list[str] | None, typer.Argument(metavar="LAUNCHER ...", help="mpirun, mpiexec, srun, or a program.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File for the profile; profile.json.")
    ] = None,
    show: Annotated[Path | None, typer.Option(metavar="FILE", help="Run nothing: show an existing profile.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the profile as JSON; the program's own output goes to stderr.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="F.html", help="Write a page with a picture for each collective.")
    ] = None,
    everything: Everything = False,
    mpi: OfMpi = None,
) -> None:
    """Record a program's collectives and where its ranks wait.

    Shows the collectives with their sizes and communicators. Changes nothing.
    """
    from starling.records import profile as profiles
    from starling.records.profile_page import page
    from starling.records.record import RecordError
    from starling.runs.profile import run_profiled
    from starling.terminal.console import terminal

    if (show is None) == (not line):
        misused("give a launcher line, or --show and a profile, as in: starling profile -- mpirun -n 4 ./app")
    if line:
        refuse_inner_run("profile", line)
    if show is not None and output is not None:
        misused("-o is where a new profile goes, and --show runs nothing: leave out one of them")
    refuse_other_than_page(html)
    if show is not None:
        refuse_to_replace(show, "--html", html)
    refuse_missing_folder("--html", html)
    status = 0
    file = show or output or Path("profile.json")
    if line:
        status = run_profiled(line, file, {"mpi": mpi.value} if mpi else {}, keep_stdout=as_json)
        if not file.exists() or status == MISUSE:
            raise typer.Exit(status)
    try:
        found, text = profiles.read(file)
        if html is not None:
            files.write(html, page(found))
    except RecordError as error:
        fail(error)
    except OSError as error:
        fail(not_written(html or file, error))
    if as_json:
        typer.echo(text, nl=False)
    else:
        profiles.render(found, terminal(to_stderr=show is None), rows=None if everything else 20)
    if line:
        log(f"profile {printable(file)}; see it with: starling profile --show {shlex.quote(str(file))}")
    raise typer.Exit(status)

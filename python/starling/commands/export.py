"""`starling export`: a tuning table in an MPI library's words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from starling import files
from starling.commands.shared import commands, fail, misused, refuse_to_replace
from starling.messages import log, not_written
from starling.tables.formats import Format

app = commands()


@app.command(epilog="Example: starling export table.json --to openmpi-rules -o rules.conf")
def export(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A tuning table.")],
    to: Annotated[Format | None, typer.Option(help="Format of the output.")] = None,
    output: Annotated[Path | None, typer.Option("-o", metavar="F", help="File to write; else on stdout.")] = None,
    ranks: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only entries for this number of ranks.")
    ] = None,
    library: Annotated[
        Path | None, typer.Option(metavar="F", help="For mpich-json: libmpi.so of the MPICH that will read it.")
    ] = None,
) -> None:
    """Write a tuning table as settings of an MPI library. The library follows them without Starling."""
    from starling.installation.questions import RepositoryError
    from starling.tables import exporting
    from starling.tables.table import TableError, read

    if to is None:
        misused(f"--to is missing: one of {', '.join(Format)}")
    refuse_to_replace(table, "-o", output)
    try:
        found = exporting.export(read(table), to, file=str(output) if output else "FILE", library=library, ranks=ranks)
        if output is not None:
            files.write(output, found.text)
    except (TableError, RepositoryError) as error:
        fail(error)
    except OSError as error:
        fail(not_written(output or table, error))
    for line in (*found.left_out, *found.notes):
        log(line)
    for line in found.use:
        log(f"to use it: {line}")
    if output is None:
        typer.echo(found.text, nl=False)

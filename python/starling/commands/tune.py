"""`starling tune`: a tuning table."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from starling.commands import completion
from starling.commands.shared import Wrapper, commands, fail, misused
from starling.messages import log, printable

app = commands()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling tune --collectives allreduce,bcast --budget 10m -o table.json -- mpirun -n 16",
)
def tune(
    line: Annotated[
        list[str], typer.Argument(metavar="LAUNCHER ...", help="A launcher line without a program: mpirun -n 16.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="TABLE", help="File for the table.")] = Path(
        "table.json"
    ),
    profile: Annotated[
        Path | None, typer.Option(metavar="F", help="Measure only contexts of this profile, most time first.")
    ] = None,
    collectives: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Collectives; by default eight of them.",
            autocompletion=completion.lists_of_collectives,
        ),
    ] = None,
    sizes: Annotated[str | None, typer.Option(metavar="1,4K", help="Sizes in bytes; by default 1 to 8M.")] = None,
    ranks: Annotated[
        str | None, typer.Option(metavar="4,8", help="Numbers of ranks; by default all ranks of the line.")
    ] = None,
    ways: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only these, and native: ring, chain?segment=8192, native_*.")
    ] = None,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="Time limit of measuring: 90s, 10m, 2h, or none.")
    ] = "10m",
    platform: Annotated[str, typer.Option(metavar="F", help="A platform file or a name like star:4x8.")] = "",
    parameters: Annotated[
        Path | None, typer.Option(metavar="P", help="File from `starling calibrate`, with --platform.")
    ] = None,
    mpicc: Wrapper = None,
    everything: Annotated[bool, typer.Option("--all", help="Measure every way everywhere; for research.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the new table.")] = False,
) -> None:
    """Measure the fastest ways and write them as a tuning table.

    Measures each collective, size and number of ranks. Runs a small program of ours under your launcher line. The same
    command goes on after an interruption.
    """
    import sys

    from starling.installation.questions import RepositoryError
    from starling.runs import checks
    from starling.tables.table import TableError
    from starling.terminal.console import terminal
    from starling.tuning import tune as tuning
    from starling.tuning.job import JobError
    from starling.tuning.json_lines import JournalError
    from starling.tuning.points import PlanError

    if wrong := checks.wrong_variable(os.environ):
        fail(wrong)
    request = tuning.Request(
        line=line,
        table=output,
        command=tuning.command_line(sys.argv[1:]),
        profile=profile,
        collectives=collectives,
        sizes=sizes,
        ranks=ranks,
        ways=ways,
        budget=budget,
        platform=platform,
        parameters=parameters,
        mpicc=mpicc,
        everything=everything,
    )
    try:
        found, status = tuning.tune(request, os.environ)
    except (PlanError, JournalError) as error:
        misused(error)
    except JobError as error:
        log(str(error))
        raise typer.Exit(error.status) from error
    except (TableError, RepositoryError) as error:
        fail(error)
    from starling.tuning import report as reports

    if not quiet:
        reports.render(found, terminal())
        quoted = printable(shlex.quote(str(output)))
        log(f"table {printable(output)}; use it: starling run --table {quoted} -- mpirun ...")
    if status != 0:
        raise typer.Exit(status)

"""`starling tune-mpi`: the MPI library's own parameters."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from starling.commands.shared import AsJson, Launcher, commands, fail, misused
from starling.messages import log, printable

app = commands()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling tune-mpi -p btl_tcp_eager_limit=4K..256K*4 -o mca-params.conf -- mpirun -n 16 ./app",
)
def tune_mpi(
    line: Launcher,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter",
            "-p",
            metavar="NAME=VALUES",
            help="A parameter and its values: 4K,64K, 1..8, 4K..64K*2, a|b. Without any, usual ones of Open MPI.",
        ),
    ] = None,
    parameters: Annotated[
        Path | None, typer.Option(metavar="F", help="A file with such parameters, one in a line.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option(metavar="A<=B", help="Leave out combinations for which this does not hold.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File for the settings that won.")
    ] = Path("mpi-parameters.conf"),
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="S", help="brute-force, attribute, attribute:tested, factorial, ...")
    ] = "brute-force",
    repetitions: Annotated[
        int,
        typer.Option(
            "--repetitions", "-r", metavar="N", min=1, help="Runs of each; what is clearly slower gets fewer."
        ),
    ] = 3,
    pairs: Annotated[
        int, typer.Option(metavar="N", min=2, help="Runs of the winner, and as many without it, to compare them.")
    ] = 5,
    budget: Annotated[str, typer.Option(metavar="TIME", help="Time limit: 90s, 10m, 2h, or none.")] = "30m",
    figure: Annotated[
        str | None,
        typer.Option(metavar="REGEX", help="The number to improve, as the program prints it; else the run's seconds."),
    ] = None,
    larger: Annotated[bool, typer.Option("--larger", help="Larger figures are better: a bandwidth.")] = False,
    benchmark: Annotated[
        str | None,
        typer.Option(metavar="WHAT:SIZE", help="Run this collective instead of a program: allreduce:64K."),
    ] = None,
    mpicc: Annotated[
        str | None, typer.Option(help="The compiler wrapper for --benchmark, by default that beside the launcher.")
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not tell each run on stderr.")] = False,
) -> None:
    """Search run-time parameters of the MPI library.

    Runs a program with them, and writes those that win. What the program prints is not shown. The same command
    goes on after an interruption.
    """
    import sys

    from starling.installation.questions import RepositoryError
    from starling.parameters import result, space
    from starling.parameters import tune as tuning
    from starling.parameters.search import DefaultError
    from starling.terminal.console import terminal
    from starling.tuning.job import JobError
    from starling.tuning.json_lines import JournalError

    request = tuning.Request(
        line=line,
        output=output,
        command=shlex.join(["starling", *sys.argv[1:]]),
        parameters=parameter or [],
        file=parameters,
        where=where or [],
        strategy=strategy,
        repetitions=repetitions,
        pairs=pairs,
        budget=budget,
        figure=figure,
        larger=larger,
        benchmark=benchmark,
        mpicc=mpicc,
    )

    def tell(what: str, settings: space.Settings) -> None:
        if not quiet:
            log(f"{what}: {space.in_words(settings)}")

    try:
        found, known = tuning.tune(request, os.environ, tell, log)
    except (space.SpaceError, JournalError) as error:
        misused(error)
    except RepositoryError as error:
        fail(error)
    except (DefaultError, JobError) as error:
        log(str(error))
        for one in getattr(error, "said", ()):
            typer.echo(f"  {printable(one)}", err=True)
        raise typer.Exit(error.status) from error
    if as_json:
        typer.echo(json.dumps(result.as_json(found, known), indent=2))
    else:
        result.render(found, known, terminal())
    if found.is_better and found.chosen is not None:
        log(f"written to {printable(output)}; use it: {result.use(found.chosen, output)}")
    else:
        log(f"{printable(output)} has the settings in comments only: {printable(request.measurements)} has all figures")

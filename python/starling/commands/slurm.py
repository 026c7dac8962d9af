"""`starling slurm`: a job script with its programs tuned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from starling.commands.shared import commands, fail
from starling.messages import log, printable

app = commands()


@app.command(epilog="Example: starling slurm job.sh >tuned.sh")
def slurm(script: Annotated[Path, typer.Argument(metavar="JOB.sh", help="A job script.")]) -> None:
    """Put starling run before each launcher of a job script.

    Prints the script with every srun, mpirun and mpiexec started by starling run. Lists the changed lines on stderr.
    """
    from starling.runs import environment

    try:
        text, changed = environment.job_script(environment.read_script(script))
    except environment.NotToBeHadError as error:
        fail(error)
    typer.echo(text.encode(errors="surrogateescape"), nl=False)
    if not changed:
        fail(f"{printable(script)}: no line starts srun, mpirun or mpiexec: nothing was changed")
    log(f"changed line{'s' * (len(changed) > 1)} {', '.join(map(str, changed))} of {printable(script)}")

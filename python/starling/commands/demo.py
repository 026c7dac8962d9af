"""`starling demo`: a small application, tuned."""

from __future__ import annotations

import os
import shlex

import typer

from starling.commands.report import report
from starling.commands.shared import commands, fail

app = commands()


@app.command(epilog="Example: starling demo")
def demo() -> None:
    """Run a small MPI application tuned, and show its report. It uses the MPI of this environment."""
    from starling.trials import demo as demonstration

    try:
        job = demonstration.prepare(os.environ)
    except demonstration.DemoError as error:
        fail(error)
    typer.echo(f"A heat equation solved by Fourier transforms, {job.what}, under auto:\n")
    typer.echo(f"$ starling run -- {shlex.join(job.line)}\n")
    status = demonstration.run(job)
    if status != 0:
        fail(f"the application ended with exit status {status}; see what works with: starling doctor")
    typer.echo("\n$ starling report\n")
    report(record=job.record, from_history=None, as_json=False, everything=False, html=None)
    typer.echo("\nYour own program: starling run -- mpirun -n 4 ./app, then: starling report")

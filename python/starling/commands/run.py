"""`starling run`: a program, tuned."""

from __future__ import annotations

import typer

from starling.commands.settings_options import flags, takes_settings
from starling.commands.shared import commands

app = commands()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling run --strategy star -- mpirun -n 64 ./app input.txt",
)
@takes_settings
def run(line: list[str], **given: str | bool | None) -> None:
    """Run a launcher line with its collectives tuned. Its output and exit status are the program's own."""
    from starling.runs import run as runner

    raise typer.Exit(runner.run(line, flags(given)))

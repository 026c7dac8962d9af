"""`starling compare`: native and tuned runs, by the clock."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from starling.commands.settings_options import flags, takes_settings
from starling.commands.shared import AsJson, commands, misused, refuse_inner_run
from starling.messages import log, printable
from starling.runs.settings import KEYS, Kind, flag

app = commands()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling compare --runs 5 -- mpirun -n 64 ./app input.txt",
)
@takes_settings
def compare(
    line: list[str],
    *,
    runs: Annotated[int, typer.Option("--runs", "-n", metavar="N", min=1, help="Runs of each kind.")] = 5,
    as_json: AsJson = False,
    **given: str | bool | None,
) -> None:
    """Run a program natively and tuned, and compare by the clock.

    The launcher line runs natively and tuned in turn; the result says how sure it is.

    What the programs print is not shown. Tuned runs learn from each other as those of starling run do; with
    --history off each begins with nothing.
    """
    from starling.runs import checks, settings
    from starling.terminal.console import terminal
    from starling.terminal.progress import progress
    from starling.verdicts import compare as comparing

    refuse_inner_run("compare", line)
    try:
        requested = settings.in_force(
            flags(given), os.environ, settings.find_files(settings.working_folder(), os.environ)
        )
    except settings.SettingsError as error:
        misused(f"{error}; nothing was started; correct this first")
    in_force, wrong = checks.described(requested)
    wrong += checks.wrong(in_force, os.environ)
    # Runs themselves refuse what is wrong in an option or a variable; of a file they would all be native.
    if why := next((one.text for one in wrong if one.in_file), None):
        misused(f"{why}; nothing was started; correct this first")
    words = [
        word
        for name, value in flags(given).items()
        for word in ([flag(name)] if KEYS[name].kind is Kind.FLAG else [flag(name), value])
    ]
    with progress(2 * runs) as step:
        try:
            found = comparing.compare(line, words, runs, os.environ, log, step)
        except comparing.CompareError as error:
            log(str(error))
            for one in error.said:
                typer.echo(f"  {printable(one)}", err=True)
            raise typer.Exit(error.status) from error
    if as_json:
        typer.echo(json.dumps(found.as_json(), indent=2))
    else:
        comparing.render(found, terminal())

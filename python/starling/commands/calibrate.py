"""`starling calibrate`: the cost model's parameters."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from starling.commands.shared import AsJson, Wrapper, commands, misused, refuse_to_replace
from starling.messages import log, printable

app = commands()


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling calibrate --platform cluster.json -o parameters.json -- mpirun -n 2 --host node1,node2",
)
def calibrate(
    line: Annotated[
        list[str], typer.Argument(metavar="LAUNCHER ...", help="A launcher line with 2 or more ranks on 2 hosts.")
    ],
    platform: Annotated[
        str, typer.Option(metavar="F", envvar="STARLING_PLATFORM", help="The platform file with the two hosts.")
    ] = "",
    output: Annotated[Path, typer.Option("--output", "-o", metavar="P", help="File for the parameters.")] = Path(
        "parameters.json"
    ),
    mpicc: Wrapper = None,
    as_json: AsJson = False,
) -> None:
    """Measure what messages cost between two hosts.

    Writes a file for `starling predict --parameters`. Takes some seconds.
    """
    from starling.networks import platform_file
    from starling.terminal.console import terminal
    from starling.trials import calibration

    if not platform:
        misused("--platform is missing: the rates of links are in the platform file")
    refuse_to_replace(platform, "-o", output)
    if not output.absolute().parent.is_dir():  # before it measures
        misused(f"-o {printable(output)}: no such folder")
    try:
        described = platform_file.platform(platform)
        found, model = calibration.parameters(calibration.measure(line, mpicc, os.environ), described)
        calibration.write(found, output)
    except platform_file.PlatformError as error:
        misused(error)
    except calibration.CalibrationError as error:
        log(str(error))
        raise typer.Exit(error.status) from error
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    calibration.render(found, model, terminal())
    typer.echo(f"written to {printable(output)}; use it: starling predict --parameters {output} --platform ...")

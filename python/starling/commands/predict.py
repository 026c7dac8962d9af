"""`starling predict`: times by the cost model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from starling.commands import completion
from starling.commands.shared import AsJson, commands, fail, misused
from starling.messages import printable
from starling.networks.placement import Order

app = commands()


@app.command(epilog="Example: starling predict --platform star:4x8 --ranks 32 alltoall 64K")
def predict(
    collective: Annotated[
        str,
        typer.Argument(metavar="COLLECTIVE", help="alltoall, allreduce, ...", autocompletion=completion.collectives),
    ],
    size: Annotated[
        str, typer.Argument(metavar="SIZE", help="Bytes, or like 64K: the vector, or one block. Nothing for a barrier.")
    ] = "",
    platform: Annotated[
        str,
        typer.Option(metavar="F", envvar="STARLING_PLATFORM", help="A platform file or a name like star:4x8."),
    ] = "",
    ranks: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Ranks; by default as many as the platform holds.")
    ] = None,
    root: Annotated[int, typer.Option(metavar="N", min=0, help="The root, if the collective has one.")] = 0,
    parameters: Annotated[
        Path | None, typer.Option(metavar="P", help="File from `starling calibrate`; else usual values of TCP.")
    ] = None,
    rate: Annotated[str | None, typer.Option(metavar="RATE", help="Rate of the hosts' links, like 20mbit.")] = None,
    trunk_rate: Annotated[str | None, typer.Option(metavar="RATE", help="Rate of the links between switches.")] = None,
    ranks_per_host: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=4096, help="Ranks that each host takes.")
    ] = None,
    order: Annotated[Order, typer.Option(help="How ranks are placed on hosts.")] = Order.BLOCK,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of --order random.")] = 1,
    everything: Annotated[bool, typer.Option("--all", help="Show all candidates, and why some are left out.")] = False,
    as_json: AsJson = False,
) -> None:
    """Predict the time of each algorithm on a described machine."""
    from starling.algorithms import prediction, repository
    from starling.installation.questions import RepositoryError, UnknownError
    from starling.networks import platform_file
    from starling.networks.placement import ordered
    from starling.terminal.console import terminal

    if not platform:
        misused("--platform is missing: a platform file, or a name like star:4x8")
    if not size and collective != "barrier":
        misused(
            f"a size is missing, as in: starling predict --platform {printable(platform)} {printable(collective)} 64K"
        )
    if size and collective == "barrier":
        misused(f"{printable(size)}: a barrier has no size; leave it out")
    if parameters is not None and not parameters.is_file():
        why = "it is no file" if parameters.exists() else "no such file"
        misused(f"{printable(parameters)}: {why}; make one with: starling calibrate")
    try:
        described = platform_file.described(platform, rate=rate, trunk_rate=trunk_rate, ranks=ranks_per_host)
        placed = replace(described, hosts=tuple(ordered(described, order, seed)))
        count = ranks or sum(host.ranks for host in placed.hosts)
        with terminal(to_stderr=True).status(f"predicting {printable(collective)} on {count} ranks"):
            found = repository.prediction(placed, count, collective, prediction.size(size or "0"), root, parameters)
    except (platform_file.PlatformError, ValueError, UnknownError) as error:
        misused(error)
    except RepositoryError as error:
        fail(error)
    if not found["candidates"]:
        misused(f"{printable(collective)}: the cost model knows none of its ways")
    if as_json:
        typer.echo(json.dumps({"platform": placed.name, **found}, indent=2))
    else:
        prediction.render(found, placed.name, terminal(), rows=None if everything else 20)

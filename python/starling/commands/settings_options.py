"""Options for the settings of a run, for commands that take those."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from starling.commands import completion
from starling.commands.shared import Launcher
from starling.installation.variants import Flavour
from starling.runs.settings import KEYS, Kind, flag


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each setting of a run that has one, unless it has one of that name itself."""
    own = inspect.signature(command, eval_str=True).parameters
    parameters = {}
    if "line" in own:
        parameters["line"] = inspect.Parameter("line", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Launcher)
    for name, key in KEYS.items():
        if key.option is None or name in own:
            continue
        words = [flag(name), *([key.option.short] if key.option.short else [])]
        offered = completion.OF_SETTINGS.get(name)
        option = typer.Option(*words, metavar=key.option.metavar, help=key.option.help, autocompletion=offered)
        type_ = {Kind.FLAG: bool, Kind.FLAVOUR: Flavour}.get(key.kind, str)
        parameters[name] = inspect.Parameter(
            f"{name}_", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[type_ | None, option]
        )
    parameters |= {name: one for name, one in own.items() if one.kind is inspect.Parameter.KEYWORD_ONLY}
    signature = inspect.Signature(list(parameters.values()))
    command.__dict__["__signature__"] = signature
    command.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    return command


def flags(given: Mapping[str, str | bool | None]) -> dict[str, str]:
    """The settings that were given as options."""
    there = {name: value for name, value in given.items() if value or value == ""}
    return {name.removesuffix("_"): "1" if value is True else str(value) for name, value in there.items()}

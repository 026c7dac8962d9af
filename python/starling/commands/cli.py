"""The `starling` command: what all commands have in common. Each is a file beside this one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from starling.commands import (
    algorithms,
    bench,
    calibrate,
    check,
    compare,
    config,
    demo,
    doctor,
    env,
    export,
    history,
    lab,
    predict,
    profile,
    report,
    run,
    slurm,
    tune,
    tune_mpi,
)
from starling.messages import in_one_line, printable, quoted, version


class _Commands(TyperGroup):
    """All commands; complaints about a word are in our own words and show only a readable part of it."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> Any:
        """Reads the words before a command."""
        with _readable(list(args)):
            return super().make_context(info_name, args, *rest, **more)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that was typed."""
        with _readable([*ctx._protected_args, *ctx.args]):
            return super().invoke(ctx)


@contextmanager
def _readable(words: list[str]) -> Iterator[None]:
    try:
        yield
    except typer.TyperException as error:
        message = getattr(error, "message", None)
        context = getattr(error, "ctx", None)
        # A group without a command complains with its help, which has many lines and none of the user's words.
        if message is not None and not (context and message == context.get_help()):
            error.message = _printable_complaint(message.removeprefix("Value error, "), words) + _of_launcher(error)
        raise


def _of_launcher(error: typer.TyperException) -> str:
    """What to add to the complaint about an option that may be meant for a launcher: it resembles none of ours."""
    context = getattr(error, "ctx", None)
    if context is None or getattr(error, "possibilities", True):
        return ""
    if all(one.name != "line" for one in context.command.params):
        return ""
    return f"; a launcher's options follow it: starling {context.info_name} -- mpirun -n 4 ./app"


def _printable_complaint(message: str, words: list[str]) -> str:
    """A complaint in which the words typed by the user are printable."""
    for value in (part for word in words for part in (word, *word.split("=", 1))):
        if printable(value) != value:
            message = message.replace(value, printable(value)).replace(repr(value), quoted(value))
    return in_one_line(message)


app = typer.Typer(
    name="starling",
    cls=_Commands,
    help="Makes the collectives of any MPI program adapt to the machine, the network and the program itself.",
    epilog="Example: starling run -- mpirun -n 4 ./app",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (
    run,
    compare,
    check,
    env,
    slurm,
    config,
    report,
    profile,
    algorithms,
    export,
    predict,
    calibrate,
    tune,
    tune_mpi,
    doctor,
    demo,
):
    app.add_typer(command.app)
for group in (lab, history, bench):
    app.add_typer(group.app, name=group.__name__.rpartition(".")[2])


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(version())
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass

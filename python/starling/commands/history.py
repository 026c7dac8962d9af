"""`starling history`: names, options and exit statuses; the work is done in `records` and by the library."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from starling.commands import completion
from starling.commands.shared import AsJson
from starling.messages import MISUSE, listed, log, printable

if TYPE_CHECKING:
    from starling.records.history import History, Skipped

_MOST_LISTED = 3
"""Most skipped files that are reported one by one; `list` reports all."""


class _ListByDefault(TyperGroup):
    """Without a command it lists."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Puts the command before options that are not the group's own, as in `--history DIR show`; `list` if none."""
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            words = enumerate(itertools.pairwise(args), 1)
            # A word behind an option is its value: a folder may be called `list`.
            at = next((i for i, (option, word) in words if word in self.commands and not option.startswith("-")), None)
            args = ["list", *args] if at is None else [args[at], *args[:at], *args[at + 1 :]]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ListByDefault,
    help="List, show, merge or clear the results of earlier runs. Without a command it lists.",
    epilog="Example: starling history; starling history show allreduce",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Folder = Annotated[
    str | None, typer.Option("--history", metavar="DIR", help="Folder of the records; by default that of starling run.")
]
Machine = Annotated[str | None, typer.Option(metavar="M", help="Only runs on this machine.")]


@contextmanager
def _failures() -> Iterator[None]:
    """Turns failures into one line and an exit status."""
    from starling.installation.questions import RepositoryError
    from starling.records.history import HistoryError
    from starling.runs.settings import SettingsError

    try:
        yield
    except (HistoryError, RepositoryError) as error:
        log(str(error))
        raise typer.Exit(1) from error
    except SettingsError as error:
        log(f"{error}; nothing was done; correct this first, or name the folder of the records with --history")
        raise typer.Exit(1) from error


def _misused(why: str) -> typer.Exit:
    log(why)
    return typer.Exit(MISUSE)


def folder_named(requested: str | None) -> Path:
    """The folder of an option --history, which must be there, or else that of `starling run`."""
    from starling.runs import checks, settings

    flags = {} if requested is None else {"history": requested}
    if complaint := checks.empty_flag(flags):
        raise _misused(complaint)
    files = [] if flags else settings.find_files(settings.working_folder(), os.environ)
    in_force = settings.in_force(flags, os.environ, files)
    folder = settings.history_folder(in_force, os.environ)
    if folder is None:
        source = f" ({in_force['history'].source})" if "history" in in_force else ""
        raise _misused(f"the history is off{source}; name a folder: --history DIR")
    if requested is not None and not folder.exists():
        raise _misused(f"--history {printable(requested)}: no such folder")
    return folder


def _read(requested: str | None) -> History:
    from starling.records import history

    return history.read(folder_named(requested))


def _log_skipped(skipped: Sequence[Skipped], most: int | None = _MOST_LISTED) -> None:
    for one in skipped[:most]:
        log(f"skipped {printable(one.file)}: {one.why}")
    if most is not None and len(skipped) > most:
        log(f"skipped {len(skipped) - most} more files that are no whole records; see them with: starling history list")


def _no_records(found: History, machine: str | None) -> str:
    """Why there are no records to show, and what to do."""
    if machine is not None and found.entries:
        there = listed(found.machines()) or "none; its records are older than machines' names"
        return f"{printable(found.folder)}: no record of machine {printable(machine)}; there are: {there}"
    return f"{printable(found.folder)}: no record yet; make one with: starling run -- mpirun -n 4 ./app"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


@app.command("list", epilog="Example: starling history list --machine node")
def list_(folder: Folder = None, machine: Machine = None, as_json: AsJson = False) -> None:
    """List the recorded runs, the latest last. Merged runs are one line; files that are no records are reported."""
    from starling.records import history_tables as tables
    from starling.terminal.console import terminal

    with _failures():
        found = _read(folder)
    entries = found.of(machine)
    if as_json:
        typer.echo(json.dumps(tables.list_json(entries, found.skipped), indent=2))
        return
    _log_skipped(found.skipped, None)
    if entries:
        tables.render_list(entries, terminal())
    else:
        log(_no_records(found, machine))


@app.command(epilog="Example: starling history show allreduce --ranks 64")
def show(
    collective: Annotated[
        str | None,
        typer.Argument(metavar="[COLLECTIVE]", help="Only this collective.", autocompletion=completion.collectives),
    ] = None,
    folder: Folder = None,
    machine: Machine = None,
    ranks: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only communicators of N ranks.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the fastest candidate for each collective and size. A table for each machine and MPI, over all runs."""
    from starling.algorithms import repository
    from starling.records import history
    from starling.records import history_tables as tables
    from starling.terminal.console import terminal

    with _failures():
        found = _read(folder)
        everything, damaged = history.known(found.of(machine))
        requested = [
            one for one in everything if collective in (None, one.key.collective) and ranks in (None, one.key.ranks)
        ]
        if collective is not None and all(one.key.collective != collective for one in everything):
            names = repository.listing()["collectives"]
            if collective not in names:
                raise _misused(f"no collective {printable(collective)}; there are: {', '.join(names)}")
    skipped = [*found.skipped, *damaged]
    if as_json:
        typer.echo(json.dumps(tables.known_json(requested, skipped), indent=2))
        return
    _log_skipped(skipped)
    if requested:
        tables.render_known(requested, terminal())
    elif everything:
        what = collective or "collectives"
        on = f" on {_count(ranks, 'rank')}" if ranks else ""
        log(
            f"{printable(found.folder)}: nothing is known of {printable(what)}{on}; "
            f"see all that is known with: starling history show"
        )
    else:
        log(_no_records(found, machine))


@app.command(epilog="Example: starling history merge")
def merge(folder: Folder = None, as_json: AsJson = False) -> None:
    """Make one record of all runs on a machine and MPI. The next run then has less to read at its start."""
    from rich.console import Console

    from starling.records import history, merging

    with _failures():
        place = folder_named(folder)
        with Console(stderr=True).status(f"merging the records of {printable(place)}"):
            merger = merging.merge(place) if place.exists() else merging.Merger(0, [], [])
    skipped = [history.Skipped(*one) for one in merger.skipped]
    if as_json:
        kept = [one._asdict() for one in skipped]
        typer.echo(json.dumps({"runs": merger.runs, "written": merger.written, "skipped": kept}, indent=2))
        return
    _log_skipped(skipped)
    if merger.written:
        into = _count(len(merger.written), "record")
        typer.echo(f"merged {_count(merger.runs, 'run')} into {into} in {printable(place)}: {listed(merger.written)}")
    else:
        typer.echo(f"nothing to merge in {printable(place)}")


@app.command(epilog="Example: starling history clear --older-than 90d")
def clear(
    folder: Folder = None,
    machine: Machine = None,
    older_than: Annotated[
        str | None, typer.Option(metavar="AGE", help="Only runs that started longer ago: 30d, 12h, 2w, 90m.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove records, after asking. Files that are no records stay."""
    from starling.records import history

    try:
        before = None if older_than is None else datetime.now(UTC) - history.age(older_than)
    except ValueError as error:
        raise _misused(f"--older-than: {error}") from error
    removed: list[Path] = []
    with _failures():
        found = _read(folder)
        chosen = history.to_clear(found, machine, before)
        if chosen and not yes:
            _ask(f"remove {_count(len(chosen), 'record')} from {found.folder}?")
        try:
            history.remove(chosen, removed.append)
        finally:
            if as_json:
                typer.echo(json.dumps({"removed": [str(path) for path in removed]}, indent=2))
            elif removed:
                typer.echo(f"removed {_count(len(removed), 'record')} from {printable(found.folder)}")
    if not removed and not as_json:
        typer.echo(f"nothing to remove from {printable(found.folder)}")


def _ask(question: str) -> None:
    """Goes on only after a yes."""
    if not sys.stdin.isatty():
        raise _misused(f"{question} There is nobody to ask; add --yes")
    typer.echo(f"{question} [y/N] ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        log("nothing was removed")
        raise typer.Exit(1)

"""What several commands have: options, and how they fail."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from starling.installation.variants import Flavour
from starling.messages import MISUSE, log, missing_folder, printable

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs to read.")]
Everything = Annotated[bool, typer.Option("--all", help="Show every context, not only the 20 with most time.")]
OfMpi = Annotated[Flavour | None, typer.Option(help="The MPI of the program, if it cannot be detected.")]
Wrapper = Annotated[
    str | None, typer.Option(metavar="MPICC", help="The compiler wrapper, by default that beside the launcher.")
]
Launcher = Annotated[list[str], typer.Argument(metavar="LAUNCHER ...", help="mpirun, mpiexec, srun, or a program.")]


def commands() -> typer.Typer:
    """What a command is registered with, for `cli` to add."""
    return typer.Typer(rich_markup_mode=None)


def refuse_inner_run(command: str, line: list[str]) -> None:
    """Refuses a line that starts its programs by `starling run`: the command itself decides what is tuned."""
    from starling.launchers import launcher
    from starling.runs import options

    for at in launcher.programs(line, launcher.locate(line)):
        if Path(line[at]).name == "starling" and line[at + 1 : at + 2] == ["run"]:
            inner = options.typed(line[at + 2 :])
            outer = shlex.join([*line[:at], *(inner.line if inner else ["..."])])
            misused(f"leave out the inner starling run: starling {command} -- {printable(outer)}")


def refuse_other_than_page(html: Path | None) -> None:
    """Refuses a name for a page that may be that of a record, a table or a program."""
    if html is not None and html.suffix != ".html":
        misused(f"--html {printable(html)}: give a name that ends in .html")


def refuse_to_replace(read: Path | str, option: str, written: Path | None) -> None:
    """Refuses to write over the file that the command reads."""
    try:
        same = written is not None and written.samefile(read)
    except OSError:  # one of them is not there
        return
    if same:
        misused(f"{option} {printable(written)}: this is the file to read; name another one")


def refuse_missing_folder(option: str, written: Path | None) -> None:
    """Refuses a file that cannot be written once the command has done its work."""
    if written is not None and (why := missing_folder(written)):
        misused(f"{option} {why}")


def fail(error: Exception | str) -> NoReturn:
    """Ends the command with one line."""
    log(str(error))
    raise typer.Exit(1)


def misused(error: Exception | str) -> NoReturn:
    """Ends the command with one line on what was typed wrongly."""
    log(str(error))
    raise typer.Exit(MISUSE)

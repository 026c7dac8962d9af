"""The `starling` command: names, options and exit statuses; the work is done in the other rooms."""

from __future__ import annotations

import inspect
import json
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from starling.commands import bench, completion, history, lab
from starling.commands.shared import AsJson
from starling.installation.variants import Flavour
from starling.messages import MISUSE, in_one_line, log, not_written, printable, quoted, version
from starling.networks.placement import Order
from starling.runs.environment import Shell
from starling.runs.settings import KEYS, Kind, flag
from starling.tables.formats import Format

if TYPE_CHECKING:
    from starling.records.record import RunRecord


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
        if message is not None:
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

app.add_typer(lab.app, name="lab")
app.add_typer(history.app, name="history")
app.add_typer(bench.app, name="bench")

_MOST_LISTED = 3
"""Most skipped files of the history that are reported one by one."""


_Line = Annotated[list[str], typer.Argument(metavar="LAUNCHER ...", help="mpirun, mpiexec, srun, or a program.")]


def _without_inner_run(command: str, line: list[str]) -> None:
    """Refuses a line that starts its programs by `starling run`: the command itself decides what is tuned."""
    from starling.launchers import launcher
    from starling.runs import options

    for at in launcher.programs(line, launcher.locate(line)):
        if Path(line[at]).name == "starling" and line[at + 1 : at + 2] == ["run"]:
            inner = options.typed(line[at + 2 :])
            outer = shlex.join([*line[:at], *(inner.line if inner else ["..."])])
            _misused(f"leave out the inner starling run: starling {command} -- {printable(outer)}")


def _fail(error: Exception | str) -> NoReturn:
    log(str(error))
    raise typer.Exit(1)


def _misused(error: Exception | str) -> NoReturn:
    log(str(error))
    raise typer.Exit(MISUSE)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(version())
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


def _takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each setting of a run that has one, unless it has one of that name itself."""
    own = inspect.signature(command, eval_str=True).parameters
    parameters = {}
    if "line" in own:
        parameters["line"] = inspect.Parameter("line", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=_Line)
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


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling run --strategy star -- mpirun -n 64 ./app input.txt",
)
@_takes_settings
def run(line: list[str], **given: str | bool | None) -> None:
    """Run a launcher line with its collectives tuned. Its output and exit status are the program's own."""
    from starling.runs import run as runner

    raise typer.Exit(runner.run(line, _flags(given)))


def _flags(given: Mapping[str, str | bool | None]) -> dict[str, str]:
    """The settings that were given as options."""
    there = {name: value for name, value in given.items() if value or value == ""}
    return {name.removesuffix("_"): "1" if value is True else str(value) for name, value in there.items()}


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling compare --runs 5 -- mpirun -n 64 ./app input.txt",
)
@_takes_settings
def compare(
    line: list[str],
    *,
    runs: Annotated[int, typer.Option("--runs", "-n", min=1, help="Runs of each kind.")] = 5,
    as_json: AsJson = False,
    **given: str | bool | None,
) -> None:
    """Run a launcher line natively and tuned, in turn, and say which was faster by the clock, and how sure that is.

    What the programs print is not shown. Tuned runs learn from each other as those of starling run do; with
    --history off each begins with nothing.
    """
    from starling.terminal.console import terminal
    from starling.terminal.progress import progress
    from starling.verdicts import compare as comparing

    _without_inner_run("compare", line)
    words = [
        word
        for name, value in _flags(given).items()
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


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling check -- mpirun -n 64 ./app input.txt",
)
def check(
    line: _Line,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for programs to read; the program's own output goes to stderr.")
    ] = False,
    mpi: Annotated[Flavour | None, typer.Option(help="The MPI of the program, if it cannot be detected.")] = None,
) -> None:
    """Run a launcher line natively and say what there is to gain: collectives, waiting in them, and what to do first.

    What is known of faster ways comes from the tuning table and the history in force.
    """
    from starling.installation.questions import RepositoryError
    from starling.records import history as histories
    from starling.records import profile as profiles
    from starling.records.record import RecordError
    from starling.runs import settings
    from starling.runs.profile import run_profiled
    from starling.tables.table import TableError
    from starling.tables.table import read as read_table
    from starling.terminal.console import terminal
    from starling.verdicts import check as checking

    _without_inner_run("check", line)
    with tempfile.TemporaryDirectory(prefix="starling-check-") as name:
        file = Path(name) / "profile.json"
        status = run_profiled(line, file, {"mpi": mpi.value} if mpi else {}, keep_stdout=as_json)
        if not file.exists():
            raise typer.Exit(status)
        try:
            profile, _ = profiles.read(file)
            in_force = settings.in_force({}, os.environ, settings.find_files(Path.cwd(), os.environ))
            folder = settings.history_folder(in_force, os.environ)
            known, _ = histories.known(histories.read(folder).entries) if folder else ([], [])
            table = read_table(Path(in_force["table"].value)) if in_force.get("table") else None
        except (RecordError, RepositoryError, histories.HistoryError, settings.SettingsError, TableError) as error:
            _fail(error)
    found = checking.check(profile, known, table)
    if as_json:
        typer.echo(json.dumps(checking.as_json(found, line), indent=2))
    else:
        checking.render(found, line, terminal(to_stderr=True))
    raise typer.Exit(status)


@app.command(epilog="Example: starling env --table site.json --shell lua >starling.lua")
@_takes_settings
def env(
    *,
    mpi: Annotated[Flavour | None, typer.Option(help="Only for programs of this MPI.")] = None,
    shell: Annotated[Shell, typer.Option(help="Syntax of the output; lua and tcl are for module files.")] = Shell.SH,
    **given: str | bool | None,
) -> None:
    """Print the variables that tune every MPI program, for module files and shells."""
    from starling.runs import environment

    try:
        found = environment.wanted(mpi, _flags(given), os.environ)
    except environment.NotToBeHadError as error:
        _misused(error)
    for line in environment.lines(found, shell):
        typer.echo(line)


@app.command(epilog="Example: starling slurm job.sh >tuned.sh")
def slurm(script: Annotated[Path, typer.Argument(metavar="JOB.sh", help="A job script.")]) -> None:
    """Print a job script with every srun, mpirun and mpiexec started by starling run, and say which lines changed."""
    from starling.runs import environment

    try:
        text, changed = environment.job_script(environment.read_script(script))
    except environment.NotToBeHadError as error:
        _fail(error)
    typer.echo(text.encode(errors="surrogateescape"), nl=False)
    if not changed:
        _fail(f"{printable(script)}: no line starts srun, mpirun or mpiexec: nothing was changed")
    log(f"changed line{'s' * (len(changed) > 1)} {', '.join(map(str, changed))} of {printable(script)}")


@app.command(epilog="Example: starling config --flags, as in: mpicc app.c $(starling config --flags) -o app")
def config(
    flags: Annotated[bool, typer.Option("--flags", help="Flags to compile and to link.")] = False,
    cflags: Annotated[bool, typer.Option("--cflags", help="Flags to compile: the folder of the headers.")] = False,
    libs: Annotated[bool, typer.Option("--libs", help="Flags to link: the library for this MPI.")] = False,
    module: Annotated[bool, typer.Option("--module", help="The source of the Fortran module.")] = False,
    mpicc: Annotated[str, typer.Option(help="The compiler wrapper of the MPI.")] = "mpicc",
    mpi: Annotated[Flavour | None, typer.Option(help="The MPI, in place of a compiler wrapper's.")] = None,
) -> None:
    """Print the flags that a program needs to be compiled and linked with the library (docs/patterns.md)."""
    from starling.installation import linking

    if not (flags or cflags or libs or module):
        _misused("say what to print: --flags, --cflags, --libs or --module")
    try:
        words = linking.compiling() if flags or cflags else []
        if flags or libs:
            words += linking.linking(linking.variant_for(mpi, mpicc), os.environ)
        if module:
            words.append(str(linking.headers() / "starling" / "starling.f90"))
    except linking.LinkingError as error:
        _fail(error)
    typer.echo(shlex.join(words))


@app.command(epilog="Example: starling report")
def report(
    record: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RECORD]", help="A run record, a folder with records, or a tuning table; the last run by default."
        ),
    ] = None,
    from_history: history.Folder = None,
    as_json: AsJson = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every context, not only the 20 with most time.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="F.html", help="Write a page with pictures instead; it loads nothing.")
    ] = None,
) -> None:
    """Show which algorithms ran in the last run, why, how long the others took, and what tuning cost.

    Of a tuning table: what it says, and what that gains over native.
    """
    from starling.records import record as records
    from starling.records import report as reports
    from starling.runs import settings
    from starling.terminal.console import terminal

    if record is not None and _is_table(record):
        _report_table(record, as_json=as_json, html=html)
        return
    if record is not None and from_history is not None:
        _misused("name a record or --history, not both")

    def folder() -> Path | None:
        if from_history is not None:
            return history.folder_named(from_history)
        if record is not None and record.is_dir():
            return record
        in_force = settings.in_force({}, os.environ, settings.find_files(Path.cwd(), os.environ))
        return settings.history_folder(in_force, os.environ)

    try:
        if record is None or record.is_dir():
            found, text, skipped = records.last_good(folder())
            for why in skipped[:_MOST_LISTED]:
                log(f"skipped {why}")
            if len(skipped) > _MOST_LISTED:
                log(f"skipped {len(skipped) - _MOST_LISTED} more files of the history that are no whole records")
        elif not record.exists():
            _fail(f"{printable(record)}: no such file; {records.listed(folder())}")
        else:
            found, text = records.read(record)
    except (records.RecordError, settings.SettingsError) as error:
        _fail(error)
    if html is not None:
        _write_page(found, html)
        return
    if as_json:
        typer.echo(text, nl=False)
        return
    reports.render(found, terminal(), rows=None if everything else 20)


def _write_page(found: RunRecord, file: Path) -> None:
    from starling.records import profile as profiles
    from starling.records import profile_page, run_page

    text = run_page.page(found) if found.profile is None else profile_page.page(profiles.of(found))
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        _fail(not_written(file, error))
    log(f"page {printable(file)}")


def _is_table(path: Path) -> bool:
    """Whether a file is meant to be a tuning table of any version; what it is, its reader says."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return "starling-table-" in file.read(1024)
    except OSError:
        return False


def _report_table(path: Path, *, as_json: bool, html: Path | None) -> None:
    from starling.tables import table as tables
    from starling.terminal.console import terminal
    from starling.tuning import page
    from starling.tuning import report as reports

    try:
        found = tables.read(path)
        if html is not None:
            page.write(found, html)
    except tables.TableError as error:
        _fail(error)
    if as_json:
        typer.echo(tables.to_text(found), nl=False)
    elif html is not None:
        log(f"page {printable(html)}")
    else:
        reports.render(found, terminal())


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling profile -o app.json -- mpirun -n 64 ./app input.txt",
)
def profile(
    line: Annotated[
        list[str] | None, typer.Argument(metavar="LAUNCHER ...", help="mpirun, mpiexec, srun, or a program.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File for the profile; profile.json.")
    ] = None,
    show: Annotated[Path | None, typer.Option(metavar="FILE", help="Run nothing: show an existing profile.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the profile as JSON; the program's own output goes to stderr.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="F.html", help="Write a page with a picture for each collective.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every context, not only the 20 with most time.")
    ] = False,
    mpi: Annotated[Flavour | None, typer.Option(help="The MPI of the program, if it cannot be detected.")] = None,
) -> None:
    """Record which collectives, sizes and communicators a program uses, and where its ranks wait. Changes nothing."""
    from starling.records import profile as profiles
    from starling.records.profile_page import page
    from starling.records.record import RecordError
    from starling.runs.profile import run_profiled
    from starling.terminal.console import terminal

    if (show is None) == (not line):
        _misused("give a launcher line, or --show and a profile, as in: starling profile -- mpirun -n 4 ./app")
    if line:
        _without_inner_run("profile", line)
    if show is not None and output is not None:
        _misused("-o is where a new profile goes, and --show runs nothing: leave out one of them")
    if html is not None and html.suffix != ".html":
        _misused(f"--html {printable(html)}: give a name that ends in .html")
    status = 0
    file = show or output or Path("profile.json")
    if line:
        status = run_profiled(line, file, {"mpi": mpi.value} if mpi else {}, keep_stdout=as_json)
        if not file.exists() or status == MISUSE:
            raise typer.Exit(status)
    try:
        found, text = profiles.read(file)
        if html is not None:
            html.write_text(page(found), encoding="utf-8")
    except RecordError as error:
        _fail(error)
    except OSError as error:
        _fail(not_written(html or file, error))
    if as_json:
        typer.echo(text, nl=False)
    else:
        profiles.render(found, terminal(to_stderr=show is None), rows=None if everything else 20)
    if line:
        log(f"profile {printable(file)}; see it with: starling profile --show {shlex.quote(str(file))}")
    raise typer.Exit(status)


@app.command(epilog="Example: starling algorithms allreduce; starling algorithms bcast:binomial --draw binomial.svg")
def algorithms(
    collective: Annotated[
        str | None,
        typer.Argument(
            metavar="[COLLECTIVE[:NAME]]",
            help="Algorithms of this collective, or details of one.",
            autocompletion=completion.ways,
        ),
    ] = None,
    as_json: AsJson = False,
    draw: Annotated[
        Path | None, typer.Option(metavar="F.svg", help="Draw what each rank does in the algorithm COLLECTIVE:NAME.")
    ] = None,
    ranks: Annotated[
        int | None, typer.Option(min=1, help="List the meshes of N ranks. With --draw: ranks in the picture, 8.")
    ] = None,
    root: Annotated[int | None, typer.Option(min=0, help="Root in the picture, 0.")] = None,
    blocks: Annotated[int | None, typer.Option(min=1, help="Blocks the vector is divided into in the picture.")] = None,
    mpi: Annotated[
        str | None,
        typer.Option(metavar="LAUNCHER", help="List those of this MPI library as well, as in: --mpi mpirun."),
    ] = None,
) -> None:
    """List the repository of algorithms: names, parameters, and a sentence each. Or show all about one, or draw it."""
    from starling.algorithms import repository
    from starling.installation.questions import RepositoryError, UnknownError
    from starling.terminal.console import terminal

    if draw is not None:
        _draw(collective, draw, 8 if ranks is None else ranks, root or 0, blocks)
        return
    for option, given in (("--root", root), ("--blocks", blocks)):
        if given is not None:
            _misused(f"{option} is for a picture: add --draw F.svg, or leave it out")
    requested, _, name = (collective or "").partition(":")
    try:
        found = repository.listing(ranks)
        entries = repository.algorithms(found, requested or None)
        one = repository.named(found, requested, name) if name else None
    except UnknownError as error:
        _misused(error)
    except RepositoryError as error:
        _fail(error)
    if mpi is not None:
        if one:
            _misused("--mpi lists the MPI library's algorithms: name a collective, or nothing")
        entries = repository.with_library(entries, _of_library(mpi, [requested] if requested else found["collectives"]))
    if as_json:
        typer.echo(json.dumps([one] if one else entries, indent=2))
    elif one:
        repository.render_one(one, entries, terminal())
    else:
        repository.render(entries, terminal(), ranks)


def _of_library(launcher: str, collectives: list[str]) -> list[dict[str, Any]]:
    from starling.tuning import library
    from starling.tuning.job import JobError

    try:
        return library.entries(launcher, collectives, os.environ)
    except JobError as error:
        if error.status == MISUSE:
            _misused(error)
        _fail(error)


_MOST_DRAWN = 64
"""Ranks in a picture."""


def _draw(candidate: str | None, file: Path, ranks: int, root: int, blocks: int | None) -> None:
    from starling.algorithms import repository
    from starling.installation.questions import RepositoryError, UnknownError
    from starling.pictures import drawing

    if candidate is None:
        _misused("--draw needs an algorithm, as in: starling algorithms alltoall:ring --draw ring.svg")
    if ranks > _MOST_DRAWN:
        _misused(f"--ranks {ranks}: a picture has room for at most {_MOST_DRAWN}")
    if file.suffix != ".svg":
        _misused(f"--draw {printable(file)}: pictures are SVG; give a name that ends in .svg")
    try:
        plan = repository.plan(candidate, ranks, root, blocks)
        file.write_text(drawing.draw(plan))
    except UnknownError as error:
        _misused(error)
    except RepositoryError as error:
        _fail(error)
    except OSError as error:
        _fail(not_written(file, error))
    if plan.mistake:
        _fail(f"{printable(candidate)} is wrong on {ranks} ranks, and drawn as it is: {printable(plan.mistake)}")


@app.command(epilog="Example: starling export table.json --to openmpi-rules -o rules.conf")
def export(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A tuning table.")],
    to: Annotated[Format | None, typer.Option(help="Format of the output.")] = None,
    output: Annotated[Path | None, typer.Option("-o", metavar="F", help="File to write; else on stdout.")] = None,
    ranks: Annotated[int | None, typer.Option(min=1, help="Only entries for this number of ranks.")] = None,
    library: Annotated[
        Path | None, typer.Option(metavar="F", help="For mpich-json: libmpi.so of the MPICH that will read it.")
    ] = None,
) -> None:
    """Say what a tuning table says in the words of an MPI library, so that it helps without Starling."""
    from starling.installation.questions import RepositoryError
    from starling.tables import exporting
    from starling.tables.table import TableError, read

    if to is None:
        _misused(f"--to is missing: one of {', '.join(Format)}")
    try:
        found = exporting.export(read(table), to, file=str(output) if output else "FILE", library=library, ranks=ranks)
        if output is not None:
            output.write_text(found.text)
    except (TableError, RepositoryError) as error:
        _fail(error)
    except OSError as error:
        _fail(not_written(output or table, error))
    for line in found.left_out:
        log(line)
    for line in found.use:
        log(f"to use it: {line}")
    if output is None:
        typer.echo(found.text, nl=False)


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
    ranks: Annotated[int | None, typer.Option(min=1, help="Ranks; by default as many as the platform holds.")] = None,
    root: Annotated[int, typer.Option(min=0, help="The root, if the collective has one.")] = 0,
    parameters: Annotated[
        Path | None, typer.Option(metavar="P", help="File from `starling calibrate`; else usual values of TCP.")
    ] = None,
    rate: Annotated[str | None, typer.Option(metavar="RATE", help="Rate of the hosts' links, like 20mbit.")] = None,
    trunk_rate: Annotated[str | None, typer.Option(metavar="RATE", help="Rate of the links between switches.")] = None,
    ranks_per_host: Annotated[int | None, typer.Option(min=1, max=4096, help="Ranks that each host takes.")] = None,
    order: Annotated[Order, typer.Option(help="How ranks are placed on hosts.")] = Order.BLOCK,
    seed: Annotated[int, typer.Option(help="Seed of --order random.")] = 1,
    everything: Annotated[bool, typer.Option("--all", help="Show all candidates, and why some are left out.")] = False,
    as_json: AsJson = False,
) -> None:
    """Predict how long each algorithm of a collective would take on a described machine."""
    from starling.algorithms import prediction, repository
    from starling.installation.questions import RepositoryError, UnknownError
    from starling.networks import platform_file
    from starling.networks.placement import ordered
    from starling.terminal.console import terminal

    if not platform:
        _misused("--platform is missing: a platform file, or a name like star:4x8")
    if not size and collective != "barrier":
        _misused(
            f"a size is missing, as in: starling predict --platform {printable(platform)} {printable(collective)} 64K"
        )
    if parameters is not None and not parameters.is_file():
        _misused(f"{printable(parameters)}: no such file; make one with: starling calibrate")
    try:
        described = platform_file.described(platform, rate=rate, trunk_rate=trunk_rate, ranks=ranks_per_host)
        placed = replace(described, hosts=tuple(ordered(described, order, seed)))
        count = ranks or sum(host.ranks for host in placed.hosts)
        found = repository.prediction(placed, count, collective, prediction.size(size or "0"), root, parameters)
    except (platform_file.PlatformError, ValueError, UnknownError) as error:
        _misused(error)
    except RepositoryError as error:
        _fail(error)
    if as_json:
        typer.echo(json.dumps({"platform": placed.name, **found}, indent=2))
    else:
        prediction.render(found, placed.name, terminal(), rows=None if everything else 20)


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
    mpicc: Annotated[
        str | None, typer.Option(help="The compiler wrapper, by default that beside the launcher.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what messages cost between two hosts, for `starling predict --parameters`. Takes some seconds."""
    from starling.networks import platform_file
    from starling.terminal.console import terminal
    from starling.trials import calibration

    if not platform:
        _misused("--platform is missing: the rates of links are in the platform file")
    try:
        described = platform_file.platform(platform)
        found, model = calibration.parameters(calibration.measure(line, mpicc, os.environ), described)
        calibration.write(found, output)
    except platform_file.PlatformError as error:
        _misused(error)
    except calibration.CalibrationError as error:
        log(str(error))
        raise typer.Exit(error.status) from error
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    calibration.render(found, model, terminal())
    typer.echo(f"written to {printable(output)}; use it: starling predict --parameters {output} --platform ...")


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling tune --collectives allreduce,bcast --budget 10m -o table.json -- mpirun -n 16",
)
def tune(
    line: Annotated[
        list[str], typer.Argument(metavar="LAUNCHER ...", help="A launcher line without a program: mpirun -n 16.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="TABLE", help="File for the table.")] = Path(
        "table.json"
    ),
    profile: Annotated[
        Path | None, typer.Option(metavar="F", help="Measure only contexts of this profile, most time first.")
    ] = None,
    collectives: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Collectives; by default eight of them.",
            autocompletion=completion.lists_of_collectives,
        ),
    ] = None,
    sizes: Annotated[str | None, typer.Option(metavar="1,4K", help="Sizes in bytes; by default 1 to 8M.")] = None,
    ranks: Annotated[
        str | None, typer.Option(metavar="4,8", help="Numbers of ranks; by default all ranks of the line.")
    ] = None,
    ways: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only these, and native: ring, chain?segment=8192, native_*.")
    ] = None,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="Time limit of measuring: 90s, 10m, 2h, or none.")
    ] = "10m",
    platform: Annotated[str, typer.Option(metavar="F", help="A platform file or a name like star:4x8.")] = "",
    parameters: Annotated[
        Path | None, typer.Option(metavar="P", help="File from `starling calibrate`, with --platform.")
    ] = None,
    mpicc: Annotated[
        str | None, typer.Option(help="The compiler wrapper, by default that beside the launcher.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Measure every way everywhere; for research.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the new table.")] = False,
) -> None:
    """Measure which way is the fastest for each collective, size and number of ranks, and write a tuning table.

    Runs a small program of ours under your launcher line. The same command goes on after an interruption.
    """
    import sys

    from starling.tables.table import TableError
    from starling.terminal.console import terminal
    from starling.tuning import tune as tuning
    from starling.tuning.job import JobError
    from starling.tuning.json_lines import JournalError
    from starling.tuning.points import PlanError

    request = tuning.Request(
        line,
        output,
        tuning.command_line(sys.argv[1:]),
        profile,
        collectives,
        sizes,
        ranks,
        ways,
        budget,
        platform,
        parameters,
        mpicc,
        everything,
    )
    try:
        found, status = tuning.tune(request, os.environ)
    except (PlanError, JournalError) as error:
        _misused(error)
    except JobError as error:
        log(str(error))
        raise typer.Exit(error.status) from error
    except TableError as error:
        _fail(error)
    from starling.tuning import report as reports

    if not quiet:
        reports.render(found, terminal())
        log(f"table {printable(output)}; use it: starling run --table {printable(output)} -- mpirun ...")
    if status != 0:
        raise typer.Exit(status)


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling tune-mpi -p btl_tcp_eager_limit=4K..256K*4 -o mca-params.conf -- mpirun -n 16 ./app",
)
def tune_mpi(
    line: _Line,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter", "-p", metavar="NAME=VALUES", help="A parameter and its values: 4K,64K, 1..8, 4K..64K*2, a|b."
        ),
    ] = None,
    parameters: Annotated[
        Path | None, typer.Option(metavar="F", help="A file with such parameters, one in a line.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option(metavar="A<=B", help="Leave out combinations for which this does not hold.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File for the settings that won.")
    ] = Path("mpi-parameters.conf"),
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="S", help="brute-force, attribute, attribute:tested, factorial, ...")
    ] = "brute-force",
    repetitions: Annotated[
        int, typer.Option("--repetitions", "-r", min=1, help="Runs of each; what is clearly slower gets fewer.")
    ] = 3,
    pairs: Annotated[int, typer.Option(min=2, help="Runs of the winner, and as many without it, to compare them.")] = 5,
    budget: Annotated[str, typer.Option(metavar="TIME", help="Time limit: 90s, 10m, 2h, or none.")] = "30m",
    figure: Annotated[
        str | None,
        typer.Option(metavar="REGEX", help="The number to improve, as the program prints it; else the run's seconds."),
    ] = None,
    larger: Annotated[bool, typer.Option("--larger", help="Larger figures are better: a bandwidth.")] = False,
    benchmark: Annotated[
        str | None,
        typer.Option(metavar="WHAT:SIZE", help="Run this collective instead of a program: allreduce:64K."),
    ] = None,
    mpicc: Annotated[
        str | None, typer.Option(help="The compiler wrapper for --benchmark, by default that beside the launcher.")
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not tell each run on stderr.")] = False,
) -> None:
    """Search run-time parameters of the MPI library by running a program with them, and write those that win.

    What the program prints is not shown. The same command goes on after an interruption.
    """
    import sys

    from starling.installation.questions import RepositoryError
    from starling.parameters import result, space
    from starling.parameters import tune as tuning
    from starling.parameters.search import DefaultError
    from starling.terminal.console import terminal
    from starling.tuning.job import JobError
    from starling.tuning.json_lines import JournalError

    request = tuning.Request(
        line=line,
        output=output,
        command=shlex.join(["starling", *sys.argv[1:]]),
        parameters=parameter or [],
        file=parameters,
        where=where or [],
        strategy=strategy,
        repetitions=repetitions,
        pairs=pairs,
        budget=budget,
        figure=figure,
        larger=larger,
        benchmark=benchmark,
        mpicc=mpicc,
    )

    def tell(what: str, settings: space.Settings) -> None:
        if not quiet:
            log(f"{what}: {space.in_words(settings)}")

    try:
        found, known = tuning.tune(request, os.environ, tell, log)
    except (space.SpaceError, JournalError) as error:
        _misused(error)
    except RepositoryError as error:
        _fail(error)
    except (DefaultError, JobError) as error:
        log(str(error))
        for one in getattr(error, "said", ()):
            typer.echo(f"  {printable(one)}", err=True)
        raise typer.Exit(error.status) from error
    if as_json:
        typer.echo(json.dumps(result.as_json(found, known), indent=2))
    else:
        result.render(found, known, terminal())
    if found.is_better and found.chosen is not None:
        log(f"written to {printable(output)}; use it: {result.use(found.chosen, output)}")
    else:
        log(f"{printable(output)} has the settings in comments only: {printable(request.measurements)} has all figures")


@app.command(epilog="Example: starling doctor --build /opt/mpich/bin/mpicc")
def doctor(
    mpicc: Annotated[
        str | None,
        typer.Option("--build", metavar="MPICC", help="Build the library for the MPI of this compiler wrapper."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is installed, which MPI libraries work, which settings are in force, and what to do.

    Exit status 1 where a settings file or a variable is wrong.
    """
    from starling.installation import build
    from starling.launchers import process
    from starling.terminal.console import terminal
    from starling.trials import doctor as examination

    if mpicc is not None:
        try:
            with process.cleaning_up():
                places = build.build(mpicc, os.environ, log)
        except build.BuildError as error:
            _fail(error)
        for place in places:
            log(f"built {printable(place)}")
        return
    with process.cleaning_up():
        diagnosis = examination.examine(os.environ)
    if as_json:
        typer.echo(json.dumps(examination.as_json(diagnosis), indent=2))
    else:
        examination.render(diagnosis, terminal())
    if not diagnosis.settings_are_valid:
        raise typer.Exit(1)


@app.command(epilog="Example: starling demo")
def demo() -> None:
    """Run a small MPI application tuned, on the MPI of this environment, and show its report."""
    from starling.trials import demo as demonstration

    try:
        job = demonstration.prepare(os.environ)
    except demonstration.DemoError as error:
        _fail(error)
    typer.echo(f"A heat equation solved by Fourier transforms, {job.what}, under auto:\n")
    typer.echo(f"$ starling run -- {shlex.join(job.line)}\n")
    status = demonstration.run(job)
    if status != 0:
        _fail(f"the application ended with exit status {status}; see what works with: starling doctor")
    typer.echo("\n$ starling report\n")
    report(record=job.record, from_history=None, as_json=False, everything=False, html=None)
    typer.echo("\nYour own program: starling run -- mpirun -n 4 ./app, then: starling report")

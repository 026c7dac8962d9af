"""The `starling` command: names, options and exit statuses; the work is done in the other modules."""

from __future__ import annotations

import errno
import json
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from starling import __version__, bench_commands, history_commands
from starling.lab import commands as lab
from starling.lab.launch import Order
from starling.run import say
from starling.variants import Flavour


class _Commands(TyperGroup):
    """All commands, with what is wrong with a value told without the words of those who found it."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that was typed."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise


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
app.add_typer(history_commands.app, name="history")
app.add_typer(bench_commands.app, name="bench")

_SKIPPED = 3
"""Files of the history that are told one by one where they are no records."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs to read.")]


def main() -> None:
    """The entry point of the command."""
    try:
        try:
            app(prog_name="starling")
        finally:
            sys.stdout.flush()
    except OSError as error:
        # What could not be written stays in the buffer, and Python would complain of it once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if error.errno != errno.EPIPE:
            say(f"{error.filename or 'standard output'}: {error.strerror}")
        raise SystemExit(1) from None


def _fail(error: Exception | str) -> NoReturn:
    say(str(error))
    raise typer.Exit(1)


def _misused(error: Exception | str) -> NoReturn:
    say(str(error))
    raise typer.Exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"starling {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling run --strategy star-basic -- mpirun -n 64 ./app input.txt",
)
def run(
    line: Annotated[list[str], typer.Argument(metavar="LAUNCHER ...", help="mpirun, mpiexec, srun, or a program.")],
    strategy: Annotated[str | None, typer.Option(help="native, star-basic, forced:NAME, ...")] = None,
    history: Annotated[str | None, typer.Option(metavar="DIR|off", help="Folder for the records of runs.")] = None,
    record: Annotated[str | None, typer.Option(metavar="F", help="One more copy of this run's record.")] = None,
    machine: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose runs to learn from; by default named by cluster or host.")
    ] = None,
    fresh: Annotated[
        bool | None, typer.Option("--fresh", help="Start without what earlier runs found; still leave a record.")
    ] = None,
    reproducible: Annotated[
        bool | None, typer.Option("--reproducible", help="Reductions give the same result from run to run.")
    ] = None,
    host_buffers: Annotated[
        bool | None, typer.Option("--host-buffers", help="Buffers lie in host memory, though a GPU runtime is loaded.")
    ] = None,
    only: Annotated[str | None, typer.Option(metavar="A,B", help="Tune only these collectives or algorithms.")] = None,
    except_: Annotated[str | None, typer.Option("--except", metavar="A,B", help="Do not use these.")] = None,
    platform: Annotated[
        str | None,
        typer.Option(metavar="F", help="The network: a platform file, a name like star:4x8, or nodes: what MPI tells."),
    ] = None,
    mpi: Annotated[
        Flavour | None, typer.Option(help="The MPI of the program, where it cannot be seen from it.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not say where the record is.")] = False,
) -> None:
    """Run a launcher line with its collectives tuned. Its output and exit status are the program's own."""
    from starling import run as runner

    given = {
        "strategy": strategy,
        "history": history,
        "record": record,
        "machine": machine,
        "fresh": "1" if fresh else None,
        "reproducible": "1" if reproducible else None,
        "host_buffers": "1" if host_buffers else None,
        "only": only,
        "except": except_,
        "platform": platform,
        "mpi": str(mpi) if mpi else None,
    }
    raise typer.Exit(runner.run(line, {name: text for name, text in given.items() if text is not None}, quiet=quiet))


@app.command(epilog="Example: starling report")
def report(
    record: Annotated[
        Path | None, typer.Argument(metavar="[RECORD]", help="A run record; the last one by default.")
    ] = None,
    as_json: AsJson = False,
    everything: Annotated[bool, typer.Option("--all", help="Show every context, not the 20 heaviest.")] = False,
) -> None:
    """Show which algorithm ran where in the last run, why, what the others cost, and what tuning cost."""
    from starling import record as records
    from starling import report as reports
    from starling import settings

    def history() -> Path | None:
        in_force = settings.in_force({}, os.environ, settings.find_file(Path.cwd(), os.environ))
        return settings.history_folder(in_force, os.environ)

    try:
        if record is None:
            found, text, skipped = records.last_good(history())
            for why in skipped[:_SKIPPED]:
                say(f"skipped {why}")
            if len(skipped) > _SKIPPED:
                say(f"skipped {len(skipped) - _SKIPPED} more files of the history that are no whole records")
        elif not record.exists():
            _fail(f"{record}: no such file; {records.listed(history())}")
        else:
            found, text = records.read(record)
    except (records.RecordError, settings.SettingsError) as error:
        _fail(error)
    if as_json:
        typer.echo(text, nl=False)
        return
    reports.render(found, reports.terminal(), rows=None if everything else 20)


@app.command(epilog="Example: starling algorithms allreduce; starling algorithms bcast:binomial --draw binomial.svg")
def algorithms(
    collective: Annotated[
        str | None,
        typer.Argument(metavar="[COLLECTIVE[:NAME]]", help="Those of this collective, or all about one of them."),
    ] = None,
    as_json: AsJson = False,
    draw: Annotated[
        Path | None, typer.Option(metavar="F.svg", help="Draw what each rank does in the algorithm COLLECTIVE:NAME.")
    ] = None,
    ranks: Annotated[int | None, typer.Option(min=1, max=64, help="Ranks in the picture, 8.")] = None,
    root: Annotated[int | None, typer.Option(min=0, help="Root in the picture, 0.")] = None,
    blocks: Annotated[int | None, typer.Option(min=1, help="Blocks the vector is divided into in the picture.")] = None,
) -> None:
    """List the repository of algorithms: names, parameters, and a sentence each. Or tell all about one, or draw it."""
    from starling import report as reports
    from starling import repository

    if draw is not None:
        _draw(collective, draw, 8 if ranks is None else ranks, root or 0, blocks)
        return
    for option, given in (("--ranks", ranks), ("--root", root), ("--blocks", blocks)):
        if given is not None:
            _misused(f"{option} is for a picture: add --draw F.svg, or leave it out")
    wished, _, name = (collective or "").partition(":")
    try:
        found = repository.listing()
        entries = repository.algorithms(found, wished or None)
        one = repository.named(found, wished, name) if name else None
    except repository.UnknownError as error:
        _misused(error)
    except repository.RepositoryError as error:
        _fail(error)
    if as_json:
        typer.echo(json.dumps([one] if one else entries, indent=2))
    elif one:
        repository.render_one(one, entries, reports.terminal())
    else:
        repository.render(entries, reports.terminal())


def _draw(candidate: str | None, file: Path, ranks: int, root: int, blocks: int | None) -> None:
    from starling import drawing, repository

    if candidate is None:
        _misused("--draw needs an algorithm, as in: starling algorithms alltoall:ring --draw ring.svg")
    if file.suffix != ".svg":
        _misused(f"--draw {file}: pictures are SVG; give a name that ends in .svg")
    try:
        file.write_text(drawing.draw(repository.plan(candidate, ranks, root, blocks)))
    except repository.UnknownError as error:
        _misused(error)
    except repository.RepositoryError as error:
        _fail(error)
    except OSError as error:
        _fail(f"{file}: {error.strerror}")


@app.command(epilog="Example: starling predict --platform star:4x8 --ranks 32 alltoall 64K")
def predict(
    collective: Annotated[str, typer.Argument(metavar="COLLECTIVE", help="alltoall, allreduce, ...")],
    size: Annotated[
        str, typer.Argument(metavar="SIZE", help="Bytes, or like 64K: the vector, or one block. Nothing for a barrier.")
    ] = "",
    platform: Annotated[
        str,
        typer.Option(metavar="F", envvar="STARLING_PLATFORM", help="A platform file or a name like star:4x8."),
    ] = "",
    ranks: Annotated[
        int | None, typer.Option(min=1, help="Ranks; as many as the platform has room for by default.")
    ] = None,
    root: Annotated[int, typer.Option(min=0, help="Where the collective has one.")] = 0,
    parameters: Annotated[
        Path | None, typer.Option(metavar="P", help="What `starling calibrate` measured; else usual values of TCP.")
    ] = None,
    rate: Annotated[str | None, typer.Option(metavar="RATE", help="Of the hosts' links, like 20mbit.")] = None,
    trunk_rate: Annotated[str | None, typer.Option(metavar="RATE", help="Of the links between switches.")] = None,
    ranks_per_host: Annotated[int | None, typer.Option(min=1, max=4096, help="Ranks that each host takes.")] = None,
    order: Annotated[Order, typer.Option(help="In which ranks are placed on hosts.")] = Order.BLOCK,
    seed: Annotated[int, typer.Option(help="Of --order random.")] = 1,
    everything: Annotated[bool, typer.Option("--all", help="Show all candidates, and why some are left out.")] = False,
    as_json: AsJson = False,
) -> None:
    """Predict how long each algorithm of a collective takes on a described machine, which need not be there."""
    from starling import platform_file, prediction, repository
    from starling import report as reports
    from starling.lab.launch import ordered

    if not platform:
        _misused("--platform is missing: a platform file, or a name like star:4x8")
    if not size and collective != "barrier":
        _misused(f"a size is missing, as in: starling predict --platform {platform} {collective} 64K")
    if parameters is not None and not parameters.is_file():
        _misused(f"{parameters}: no such file; make one with: starling calibrate")
    try:
        described = platform_file.described(platform, rate=rate, trunk_rate=trunk_rate, ranks=ranks_per_host)
        placed = replace(described, hosts=tuple(ordered(described, order, seed)))
        count = ranks or sum(host.ranks for host in placed.hosts)
        found = repository.prediction(placed, count, collective, prediction.size(size or "0"), root, parameters)
    except (platform_file.PlatformError, ValueError, repository.UnknownError) as error:
        _misused(error)
    except repository.RepositoryError as error:
        _fail(error)
    if as_json:
        typer.echo(json.dumps({"platform": placed.name, **found}, indent=2))
    else:
        prediction.render(found, placed.name, reports.terminal(), rows=None if everything else 20)


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling calibrate --platform cluster.json -o parameters.json -- mpirun -n 2 --host node1,node2",
)
def calibrate(
    line: Annotated[list[str], typer.Argument(metavar="LAUNCHER ...", help="It places 2 ranks or more, on 2 hosts.")],
    platform: Annotated[
        str, typer.Option(metavar="F", envvar="STARLING_PLATFORM", help="The platform file that has the two hosts.")
    ] = "",
    output: Annotated[Path, typer.Option("--output", "-o", metavar="P", help="Where the parameters go.")] = Path(
        "parameters.json"
    ),
    mpicc: Annotated[str | None, typer.Option(help="The compiler wrapper, if not the one beside the launcher.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what messages cost between two hosts, for `starling predict --parameters`. Takes some seconds."""
    from starling import calibration, platform_file
    from starling import report as reports

    if not platform:
        _misused("--platform is missing: the rates of links are in the platform file")
    try:
        described = platform_file.platform(platform)
        found, model = calibration.parameters(calibration.measure(line, mpicc, os.environ), described)
        calibration.write(found, output)
    except platform_file.PlatformError as error:
        _misused(error)
    except calibration.CalibrationError as error:
        say(str(error))
        raise typer.Exit(error.status) from error
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    calibration.render(found, model, reports.terminal())
    typer.echo(f"written to {output}; use it: starling predict --parameters {output} --platform ...")


@app.command(epilog="Example: starling doctor --build /opt/mpich/bin/mpicc")
def doctor(
    mpicc: Annotated[
        str | None,
        typer.Option("--build", metavar="MPICC", help="Build the library for the MPI of this compiler wrapper."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what is installed, which MPI libraries work with it, which settings are in force, and what to do."""
    from starling import build, process
    from starling import doctor as examination
    from starling import report as reports

    if mpicc is not None:
        try:
            with process.cleaning_up():
                places = build.build(mpicc, os.environ, say)
        except build.BuildError as error:
            _fail(error)
        for place in places:
            say(f"built {place}")
        return
    with process.cleaning_up():
        diagnosis = examination.examine(os.environ)
    if as_json:
        typer.echo(json.dumps(examination.as_json(diagnosis), indent=2))
    else:
        examination.render(diagnosis, reports.terminal())


@app.command(epilog="Example: starling demo")
def demo() -> None:
    """Run a small MPI application tuned, on the MPI of this environment, and show its report."""
    from starling import demo as demonstration

    try:
        job = demonstration.prepare(os.environ)
    except demonstration.DemoError as error:
        _fail(error)
    typer.echo(f"A heat equation solved by Fourier transforms, {job.what}, under star-basic:\n")
    typer.echo(f"$ starling run -- {shlex.join(job.line)}\n")
    status = demonstration.run(job)
    if status != 0:
        _fail(f"the application ended with exit status {status}; see what works with: starling doctor")
    typer.echo("\n$ starling report\n")
    report(record=job.record, as_json=False, everything=False)
    typer.echo("\nYour own program: starling run -- mpirun -n 4 ./app, then: starling report")

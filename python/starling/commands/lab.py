"""`starling lab`: names, options and exit statuses; the work is done in `lab`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from starling import files
from starling.commands import completion
from starling.commands.shared import AsJson, misused, refuse_missing_folder
from starling.lab.launch import IDLE_MICROSECONDS
from starling.lab.state import DEFAULT_PREFIX
from starling.messages import MISUSE, log, not_written, printable
from starling.networks.placement import Order

app = typer.Typer(
    help="The emulated cluster on this machine, and the simulated one. "
    "The emulated one has hosts, switches and links, and needs root.",
    epilog="Example: starling lab up star:4x8 && starling lab run -- mpirun -n 32 ./app; starling lab down",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Prefix = Annotated[
    str,
    typer.Option(metavar="NAME", envvar="STARLING_LAB_PREFIX", help="Name of the lab, if there are several."),
]
Topology = Annotated[
    str,
    typer.Argument(
        metavar="TOPOLOGY",
        help="single:HOSTS; chain, star or tree:SWITCHESxHOSTS; fattree:SWITCHESx...xHOSTS; or a platform file.",
    ),
]
Line = Annotated[list[str], typer.Argument(metavar="COMMAND ...", help="The command and its arguments.")]
HostRate = Annotated[str | None, typer.Option("--rate", metavar="RATE", help="Rate of the hosts' links, like 20mbit.")]
TrunkRate = Annotated[
    str | None,
    typer.Option(metavar="RATE", help="Rate of the links between switches; by default --rate for a short name."),
]
IdleMicroseconds = Annotated[
    int,
    typer.Option(
        "--idle-us", metavar="N", min=0, max=1_000_000, help="Longest wait after an unsuccessful poll; 0: no wait."
    ),
]
Ranks = Annotated[
    int | None, typer.Option("--ranks-per-host", metavar="N", min=1, max=4096, help="Ranks that each host takes.")
]

MemoryRate = Annotated[
    str | None,
    typer.Option(
        metavar="RATE", help="What messages between ranks of one host share, like 400mbit; by default no limit."
    ),
]


@contextmanager
def _failures() -> Iterator[None]:
    """Turns failures of the lab into one line and an exit status."""
    from starling.lab.state import LabError
    from starling.launchers.process import StartError
    from starling.networks.platform_file import PlatformError

    try:
        yield
    except PlatformError as error:
        log(str(error))
        raise typer.Exit(2) from error
    except (LabError, StartError) as error:
        log(str(error))
        raise typer.Exit(error.status) from error


@app.command(epilog="Example: starling lab up star:4x8 --rate 50mbit --packet 0")
def up(
    topology: Topology,
    rate: HostRate = None,
    trunk_rate: TrunkRate = None,
    ranks: Ranks = None,
    memory_rate: MemoryRate = None,
    mtu: Annotated[int, typer.Option(metavar="BYTES", help="MTU of every link.")] = 1500,
    packet: Annotated[
        int,
        typer.Option(
            metavar="BYTES", help="Largest packet that is passed on at once; 0: the MTU, then use at most 50mbit."
        ),
    ] = 9000,
    congestion: Annotated[str, typer.Option(metavar="NAME", help="TCP's congestion control.")] = "cubic",
    prefix: Prefix = DEFAULT_PREFIX,
    checked: Annotated[bool, typer.Option("--check/--no-check", help="Measure the real rates of the links.")] = True,
    as_json: AsJson = False,
) -> None:
    """Make a lab, and compare its links with the requested rates."""
    from starling.lab import check, cluster
    from starling.lab.plan import Options
    from starling.networks import platform_file

    with _failures():
        platform = platform_file.described(
            topology, rate=rate, trunk_rate=trunk_rate, ranks=ranks, memory_rate=memory_rate
        )
        options = Options(mtu, packet, congestion)
        try:
            cluster.up(platform, options, prefix, log)
        except cluster.Interrupted as error:
            log(f"interrupted; nothing is left of lab {prefix}")
            raise typer.Exit(128 + error.number) from error
        hosts, switches = len(platform.hosts), len(platform.switches)
        if not as_json:
            typer.echo(
                f"lab {prefix}: {printable(platform.name)}, {_count(hosts, 'host')} on "
                f"{_count(switches, 'switch', 'es')}"
            )
        measured = []
        for one in check.check(platform, options, prefix) if checked else ():
            measured.append(one.as_json())
            if not as_json:
                typer.echo(one.text())
            if not one.ok:
                log(f"warning: {check.advice(one)}")
        if measured and all(one["ok"] for one in measured) and not as_json:
            typer.echo(f"all within {check.TOLERANCE:.0%} of the requested rates")
        if as_json:
            typer.echo(json.dumps({"lab": prefix, "platform": platform.as_json(), "measured": measured}, indent=2))


@app.command(epilog="Example: starling lab down")
def down(prefix: Prefix = DEFAULT_PREFIX) -> None:
    """Take a lab down, and end all that runs on it. Also an unfinished lab; nothing is left behind."""
    from starling.lab import cluster

    with _failures():
        gone = cluster.down(prefix)
        if gone is None:
            typer.echo(f"no lab {prefix}: nothing to take down")
            return
        ended = f", {_count(gone[1], 'process', 'es')} ended" if gone[1] else ""
        typer.echo(f"lab {prefix} is down: {_count(gone[0], 'namespace')} removed{ended}")


@app.command(epilog="Example: starling lab status --json")
def status(prefix: Prefix = DEFAULT_PREFIX, as_json: AsJson = False) -> None:
    """Show the lab that is up, and what runs on it.

    Also packets that full switches dropped. Exit status 1: none is up.
    """
    from starling.lab import status as states

    with _failures():
        found = states.examine(prefix)
        typer.echo(json.dumps(states.as_json(found), indent=2) if as_json else states.text(found))


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling lab run -- starling run -- mpirun -n 16 ./app",
)
def run(
    line: Line,
    order: Annotated[
        Order, typer.Option(help="Hosts as in the platform, one from each switch in turn, or shuffled.")
    ] = Order.BLOCK,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of --order random.")] = 1,
    idle_us: IdleMicroseconds = IDLE_MICROSECONDS,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="F", help="Write facts about the run.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Report the idle CPU only if it is too low.")] = False,
    prefix: Prefix = DEFAULT_PREFIX,
) -> None:
    """Run a command on the host of rank 0. MPI launchers in it start their ranks on all hosts."""
    from starling.lab import launch

    refuse_missing_folder("--json", json_file)
    with _failures():
        outcome = launch.run(line, prefix, order, seed, idle_us)
        if outcome.cpu_bound or not quiet:
            log(outcome.text())
        if json_file is not None:
            launch.write_json(outcome, json_file)
    raise typer.Exit(outcome.status)


@app.command("rate", epilog="Example: starling lab rate h1 10mbit; starling lab rate h1")
def set_rate(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    rate: Annotated[
        str | None, typer.Argument(metavar="[RATE]", help="Like 10mbit; by default the original rate.")
    ] = None,
    prefix: Prefix = DEFAULT_PREFIX,
) -> None:
    """Give the link of one host another rate while programs run.

    It is like a fault or another job in the network.
    """
    from starling.lab import cluster
    from starling.networks import platform_file

    with _failures():
        try:
            bits = None if rate is None else platform_file.bits_per_second(rate)
        except ValueError as error:
            raise platform_file.PlatformError(str(error)) from error
        now = cluster.set_rate(prefix, host, bits)
    typer.echo(f"{printable(host)}: {platform_file.rate_text(now)} both ways")


@app.command(
    "exec", context_settings={"allow_interspersed_args": False}, epilog="Example: starling lab exec h3 -- ip addr"
)
def execute(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    line: Line,
    prefix: Prefix = DEFAULT_PREFIX,
) -> None:
    """Run a command on one host of the lab. Its output and exit status are its own."""
    from starling.lab import launch
    from starling.lab.state import LabError

    with _failures():
        if line[0] != "--" and line[0].startswith("-"):
            text = "options go before the host, and the command behind it"
            raise LabError(
                f"{printable(line[0])}: {text}: starling lab exec [OPTIONS] {printable(host)} -- COMMAND ...", 2
            )
        command = line[1:] if line[0] == "--" else line
        if not command:
            raise typer.BadParameter("a command is missing behind the host")
        ended = launch.execute(prefix, host, command)
    raise typer.Exit(ended)


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling lab calibrate -o parameters.json -- mpirun -n 2",
)
def calibrate(
    line: Line,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="P", help="File for the parameters.")] = Path(
        "parameters.json"
    ),
    idle_us: IdleMicroseconds = IDLE_MICROSECONDS,
    as_json: AsJson = False,
    prefix: Prefix = DEFAULT_PREFIX,
) -> None:
    """Measure the cost model's parameters on the lab. It is `starling calibrate` under `starling lab run`."""
    from starling.installation import itself
    from starling.lab import launch

    wanted = ["calibrate", "--output", str(output), *(["--json"] if as_json else []), "--", *line]
    with _failures():
        outcome = launch.run(itself.starling(wanted), prefix, Order.BLOCK, 1, idle_us)
        if outcome.cpu_bound:
            log(outcome.text())
    raise typer.Exit(outcome.status)


def _write(file: Path, text: str) -> None:
    from starling.lab.state import LabError

    try:
        files.write(file, text)
    except OSError as error:
        raise LabError(not_written(file, error)) from error


@app.command(
    epilog="Example: starling lab race allreduce:ring --against all --sizes 1K:1M --plot ring.svg -- mpirun -n 16",
)
def race(
    candidate: Annotated[
        str,
        typer.Argument(metavar="COLLECTIVE:WAY", help="As in allreduce:ring.", autocompletion=completion.ways),
    ],
    line: Line,
    against: Annotated[str, typer.Option(metavar="A,B|all", help="Other ways; native always takes part.")] = "all",
    sizes: Annotated[str, typer.Option(metavar="1K:1M", help="A range, in steps of 4, or a comma list.")] = "8:1M",
    budget: Annotated[str, typer.Option(metavar="TIME", help="Time limit of measuring: 90s, 10m, or none.")] = "10m",
    plot: Annotated[Path | None, typer.Option(metavar="F.svg", help="Draw time by size.")] = None,
    csv: Annotated[Path | None, typer.Option(metavar="F.csv", help="Write every measurement.")] = None,
    idle_us: IdleMicroseconds = IDLE_MICROSECONDS,
    prefix: Prefix = DEFAULT_PREFIX,
) -> None:
    """Race one way against others on the lab, all in turn. Prints a row for each size; writes numbers and a picture."""
    from starling.algorithms import repository
    from starling.installation import itself
    from starling.installation.questions import RepositoryError, UnknownError
    from starling.lab import launch
    from starling.lab.state import LabError
    from starling.tables import table as tables
    from starling.terminal.console import terminal
    from starling.tuning import race as races

    collective, _, way = candidate.partition(":")
    with _failures(), files.temporary_folder("race") as folder:
        table = folder / "table.json"
        try:
            if not way.startswith("native"):
                races.check(repository.named(repository.listing(), collective, way.partition("?")[0]), collective, way)
            if plot is not None and plot.suffix != ".svg":
                raise LabError(f"--plot {printable(plot)}: pictures are SVG; give a name that ends in .svg", MISUSE)
            for file in (csv, plot):
                if file is not None and not file.absolute().parent.is_dir():
                    raise LabError(not_written(file, OSError()), MISUSE)
            wanted = races.words(collective, way, against, races.sizes(sizes), budget, str(table))
        except (races.RaceError, UnknownError) as error:
            raise LabError(str(error), MISUSE) from error
        except RepositoryError as error:
            raise LabError(str(error)) from error
        outcome = launch.run(itself.starling([*wanted, "--", *line]), prefix, Order.BLOCK, 1, idle_us)
        if outcome.status != 0 and not table.exists():
            raise typer.Exit(outcome.status)
        if outcome.cpu_bound:
            log(outcome.text())
        try:
            found = races.of(tables.read(table), collective, way)
            races.render(found, terminal())
            for file, text in ((csv, races.as_csv(found)), (plot, races.plot(found))):
                if file is not None:
                    _write(file, text)
        except (races.RaceError, tables.TableError) as error:
            raise LabError(str(error)) from error
    raise typer.Exit(outcome.status)


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Example: starling lab simulate --platform star:4x8 --ranks 32 --collective alltoall --size 64KiB",
)
def simulate(
    topology: Annotated[
        str, typer.Option("--platform", metavar="F", help="A platform file, or a name like star:4x8 or fattree:16x16.")
    ],
    ranks: Annotated[int, typer.Option(metavar="N", min=1, help="How many MPI ranks.")],
    line: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE ... ARGUMENT ...]", help="C or C++ files of an MPI program; else a benchmark."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="S",
            help="native, auto, star, forced:NAME, ...; may be repeated.",
            autocompletion=completion.strategies,
        ),
    ] = None,
    collective: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Of the benchmark; may be repeated. Default: allreduce.",
            autocompletion=completion.collectives,
        ),
    ] = None,
    size: Annotated[
        list[str] | None, typer.Option(metavar="BYTES", help="Of the benchmark, like 64KiB; may be repeated.")
    ] = None,
    calls: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Of the benchmark's cases, by default 3. The median counts.")
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="F", help="Where a program's run record goes.")] = None,
    rate: HostRate = None,
    trunk_rate: TrunkRate = None,
    latency: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Of every link; by default 5us for a short name, else the file's."),
    ] = None,
    ranks_per_host: Ranks = None,
    memory_rate: MemoryRate = None,
    order: Annotated[
        Order, typer.Option(help="Hosts as in the platform, one from each switch in turn, or shuffled.")
    ] = Order.BLOCK,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of --order random.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Run collectives, or a program, on a simulated network. Starling runs in SimGrid, without root."""
    from starling.commands import lab_simulate
    from starling.networks import platform_file
    from starling.networks.placement import ordered

    words = line[1:] if line and line[0] == "--" else line or []
    if not words and record is not None:
        misused("--record: the benchmark leaves none; name a program")
    of_benchmark = {"--collective": collective, "--size": size, "--calls": calls, "--json": as_json}
    if words and (option := next((name for name, value in of_benchmark.items() if value), None)):
        misused(f"{option}: this is of the benchmark, which runs without a program; leave one of both out")
    refuse_missing_folder("--record", record)
    with _failures():
        found = platform_file.described(
            topology, rate=rate, trunk_rate=trunk_rate, ranks=ranks_per_host, memory_rate=memory_rate
        )
        found = lab_simulate.with_latency(found, topology, latency)
        hosts = ordered(found, order, seed)
        if words:
            raise typer.Exit(lab_simulate.program(found, hosts, ranks, words, strategy or [], record))
        lab_simulate.benchmark(
            found, hosts, ranks, collective or ["allreduce"], size or ["8"], strategy, calls or 3, as_json
        )


@app.command(epilog="Example: starling lab platform star:4x8 --rate 1gbit > star.json")
def platform(
    topology: Topology,
    rate: HostRate = None,
    trunk_rate: TrunkRate = None,
    ranks: Ranks = None,
    memory_rate: MemoryRate = None,
) -> None:
    """Check a platform and print it with all ranges expanded. Needs neither root nor a lab."""
    from starling.networks import platform_file

    with _failures():
        found = platform_file.described(
            topology, rate=rate, trunk_rate=trunk_rate, ranks=ranks, memory_rate=memory_rate
        )
        typer.echo(json.dumps(found.as_json(), indent=1))


def _count(number: int, noun: str, plural: str = "s") -> str:
    return f"{number} {noun}{'' if number == 1 else plural}"

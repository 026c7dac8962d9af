"""`starling tune`: a job under the user's launcher line, a search through it, and the tuning table (docs/tune.md)."""

from __future__ import annotations

import math
import re
import shlex
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from starling import __version__
from starling.algorithms import repository
from starling.installation.questions import UnknownError
from starling.launchers import process
from starling.messages import in_one_line, log, printable
from starling.networks import platform_file
from starling.networks.platform_file import Platform
from starling.tables import table as tables
from starling.tables.table import NATIVE
from starling.terminal.figures import human_bytes
from starling.tuning import outcome, points, spreads
from starling.tuning.expected import Expectation, guessed
from starling.tuning.job import JobError, MpiJob, crowded
from starling.tuning.jobs import Jobs
from starling.tuning.journal import Journal
from starling.tuning.points import Plan, PlanError
from starling.tuning.search import Search
from starling.tuning.turns import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

_FEWEST_RANKS = 2
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|min|h)?")
_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
_LINES = 10
"""Number of lines about progress where there is no terminal for a bar;"""
_BETWEEN_LINES = (10.0, 600.0)
"""without a budget as many seconds between two lines as were used before, but no fewer and no more than these."""


@dataclass(frozen=True)
class Request:
    """What the command was asked for: its options as they were given."""

    line: Sequence[str]
    table: Path
    command: str
    profile: Path | None = None
    collectives: str | None = None
    sizes: str | None = None
    ranks: str | None = None
    ways: str | None = None
    budget: str = "10m"
    platform: str = ""
    parameters: Path | None = None
    mpicc: str | None = None
    everything: bool = False

    @property
    def measurements(self) -> Path:
        """The file beside the table that has what was measured."""
        return self.table.with_name(f"{self.table.name}.measurements")


def seconds_of(budget: str) -> float | None:
    """Seconds of a text like `90s`, `10m`, `1.5h`; None for `none`. Raises PlanError."""
    if budget == "none":
        return None
    match = _DURATION.fullmatch(budget)
    if match is None or not float(match[1]):
        raise PlanError(f"--budget {printable(budget)}: write a time like 90s, 10m or 2h, or none")
    return float(match[1]) * _UNITS[match[2] or ""]


def _platform(request: Request) -> Platform | None:
    if request.parameters is not None and not request.parameters.is_file():
        raise PlanError(f"{printable(request.parameters)}: no such file; make one with: starling calibrate")
    try:
        return platform_file.described(request.platform) if request.platform else None
    except platform_file.PlatformError as error:
        raise PlanError(f"--platform: {error}") from error


def check(request: Request) -> None:
    """Finds what is wrong with a request before any job is started. Raises PlanError."""
    seconds_of(request.budget)
    points.collectives(request.collectives)
    points.sizes(request.sizes)
    _platform(request)
    if request.profile is not None and request.sizes is not None:
        raise PlanError("--sizes and --profile: the profile has the sizes; leave one out")
    if request.profile is not None and not (request.profile.is_file() or request.profile.is_fifo()):
        raise PlanError(
            f"{printable(request.profile)}: no such file; make a profile with: starling profile -o F -- LAUNCHER ..."
        )
    if request.table.exists() and not (request.table.is_file() and request.measurements.exists()):
        raise PlanError(f"{printable(request.table)}: there is such a file; move it away, or name another with -o")
    if not request.table.absolute().parent.is_dir():
        raise PlanError(f"{printable(request.table)}: no such folder")


def plan(request: Request, nodes: Sequence[int]) -> tuple[Plan, list[str]]:
    """The points of a request in a job, of each of whose ranks `nodes` has the node, and notes. Raises PlanError."""
    if request.profile is not None:
        only = points.collectives(request.collectives) if request.collectives else None
        asked = None if request.ranks is None else points.numbers_of_ranks(request.ranks, len(nodes))
        found, note = points.from_profile(request.profile, only, nodes, asked)
        return found, [note] if note else []
    counts = points.numbers_of_ranks(request.ranks, len(nodes))
    return points.grid(points.collectives(request.collectives), points.sizes(request.sizes), counts), []


def admitted(ways: Mapping[str, Sequence[str]], wanted: str | None) -> dict[str, list[str]]:
    """Native, and the ways that --ways admits, by name, by algorithm, or by a beginning like `native_*`.

    A name with parameters need not be in `ways`. Raises PlanError for an item that admits none, RepositoryError.
    """
    if wanted is None:
        return {name: list(found) for name, found in ways.items()}
    # A comma within parameters does not end an item: knomial?k=4,segment=8192.
    items = [item.strip() for item in re.split(r",(?![^,?]*=)", wanted)]

    def admits(item: str, way: str) -> bool:
        if item.endswith("*"):
            return way.startswith(item[:-1])
        return item in (way, way.partition("?")[0])

    named: dict[str, list[str]] = {name: [] for name in ways}
    for item in items:
        if any(admits(item, way) for found in ways.values() for way in found):
            continue
        composed = {name: way for name in ways if (way := _full_name(name, item))}
        if not composed:
            raise PlanError(f"--ways {printable(item)}: no such way here; see them with: starling algorithms")
        for name, way in composed.items():
            named[name].append(way)
    return {
        name: [
            way
            for way in dict.fromkeys((*found, *named[name]))
            if way == NATIVE or way in named[name] or any(admits(item, way) for item in items)
        ]
        for name, found in ways.items()
    }


def _full_name(collective: str, item: str) -> str:
    """Of a way that is not offered, like a hierarchy of any two parts; empty where there is none."""
    try:
        return repository.full_name(collective, item) if "?" in item else ""
    except UnknownError:
        return ""


def _offered(jobs: Jobs, wanted: Plan) -> dict[str, list[str]]:
    """The ways of each collective of a plan, on any of its numbers of ranks."""
    offered: dict[str, dict[str, None]] = {}
    for collective, ranks in dict.fromkeys((one.collective, one.ranks) for one in wanted):
        offered.setdefault(collective, {}).update(dict.fromkeys(jobs.ways(collective, ranks)))
    return {name: list(names) for name, names in offered.items()}


class Done(NamedTuple):
    """A table, and the command's exit status: 128 + n where signal n ended it early, 1 where no job could go on."""

    table: tables.Table
    status: int


def tune(request: Request, environ: Mapping[str, str]) -> Done:
    """Measures, and writes the table, also after Ctrl-C and SIGTERM, and where the job cannot be started again.

    Raises PlanError, JobError, JournalError, RepositoryError, TableError.
    """
    check(request)
    status = 0
    with (
        process.cleaning_up(),
        MpiJob.compiled(request.line, request.mpicc, environ, request.platform) as job,
        Jobs(job, environ) as jobs,
    ):
        job.start()
        nodes, machine = job.nodes, job.machine
        if len(nodes) < _FEWEST_RANKS:
            raise PlanError(
                f"the job has one rank with {job.library}; start more, or name the compiler wrapper of the "
                "launcher's MPI with --mpicc"
            )
        wanted, notes = plan(request, nodes)
        ways = admitted(_offered(jobs, wanted), request.ways)
        if crowd := crowded(nodes, job.sharing):
            notes = [crowd, *notes]
        for note in notes:
            log(note)
        described = _platform(request)
        expected = Expectation(
            described or guessed(*spreads.of(nodes)),
            described=described is not None,
            parameters=request.parameters,
        )
        journal = Journal(request.measurements, request.line, job.library, nodes, machine.name)
        if journal.kept.lines:
            log(f"going on with {printable(request.measurements)}: {len(journal.kept.lines)} answers are there already")
            earlier = points.measured_earlier(journal.kept.natives, nodes)
            wanted = {**earlier, **wanted}
            offered = _offered(jobs, wanted)
            # --ways is about what is measured now; other collectives keep all that they have.
            ways = offered | admitted({name: offered[name] for name in ways}, request.ways)
        expected.prepare(wanted)
        with shown() as report:
            search = Search(
                wanted,
                ways,
                jobs,
                clock=time.monotonic,
                budget=seconds_of(request.budget),
                log=journal,
                kept=journal.kept,
                prior=expected.prior,
                refused=expected.refusal,
                report=report,
                everything=request.everything,
                in_row=points.waits_for_all,
            )
            try:
                search.run()
            except (KeyboardInterrupt, SystemExit) as ended:
                status = int(str(ended.code)) if isinstance(ended, SystemExit) else 128 + signal.SIGINT
                log("interrupted: the table has what was measured so far")
                job.kill()
            except JobError as error:
                status = error.status
                log(f"{error}; the table has what was measured so far")
        journal.close()
        made = tables.Made(
            when=f"{datetime.now(tz=UTC):%Y-%m-%dT%H:%M:%SZ}", command=request.command, starling=__version__
        )
        job.end()
        found = outcome.table(search, nodes, machine, made, in_one_line(request.platform))
        found = found.model_copy(update={"notes": [*notes, *found.notes]})
        tables.write(found, request.table)
        for note in search.notes:
            log(note)
        if not status and search.budget.used_up:
            log("the budget is used up; with a larger --budget the same command measures more")
        elif not status and search.lacks_time:
            log(
                "the budget has no time for all that is worth it; with a larger --budget the same command measures more"
            )
        return Done(found, status)


def command_line(words: Sequence[str]) -> str:
    """The command for the table, as a shell reads it; bytes that are not UTF-8, which JSON cannot have, as escapes."""
    return in_one_line(shlex.join(["starling", *words]))


def _words(progress: Progress) -> str:
    point = progress.point
    others = len(progress.ways) - 1
    return f"{point.collective} {human_bytes(point.bytes)}, {point.place}, native" + (
        f" and {others} more" if others else ""
    )


def _time(seconds: float) -> str:
    whole = max(math.ceil(seconds), 0)
    return f"{whole // 60}:{whole % 60:02}"


def _next_line(progress: Progress) -> float:
    """How many seconds are used when the next line about progress is due."""
    if math.isfinite(progress.budget):
        return (math.floor(progress.elapsed / progress.budget * _LINES) + 1) * progress.budget / _LINES
    least, most = _BETWEEN_LINES
    return progress.elapsed + min(max(progress.elapsed, least), most)


@contextmanager
def shown() -> Iterator[Callable[[Progress], None]]:
    """Shows progress on stderr: a bar on a terminal, else now and then a line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        due = 0.0

        def tell(progress: Progress) -> None:
            nonlocal due
            if progress.elapsed < due:
                return
            due = _next_line(progress)
            left = progress.budget - progress.elapsed
            at_most = f"; at most {_time(left)} left" if math.isfinite(left) else ""
            log(f"{_time(progress.elapsed)} used, {progress.measured} measured{at_most}")

        yield tell
        return
    columns = (BarColumn(), TextColumn("{task.fields[left]}"), TextColumn("{task.description}"))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, left="")

        def show(progress: Progress) -> None:
            if math.isfinite(progress.budget):
                left = f"at most {_time(progress.budget - progress.elapsed)} left"
                bar.update(task, total=progress.budget, completed=progress.elapsed, left=left)
            bar.update(task, description=f"{progress.measured} measured; {_words(progress)}")

        yield show

"""`starling tune-mpi`: parameters of the MPI library, searched under the user's launcher line (docs/tune-mpi.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from starling import files
from starling.launchers import launcher, process
from starling.messages import printable
from starling.parameters import library, result, space
from starling.parameters.journal import Journal
from starling.parameters.runs import Benchmark, Figure, Program, Runner
from starling.parameters.search import Outcome, Search
from starling.parameters.space import Settings, SpaceError
from starling.tuning.json_lines import JournalError
from starling.tuning.points import PlanError
from starling.tuning.tune import seconds_of


@dataclass(frozen=True)
class Request:
    """What the command was asked for: its options as they were given."""

    line: Sequence[str]
    output: Path
    command: str
    parameters: Sequence[str]
    file: Path | None
    where: Sequence[str]
    strategy: str
    repetitions: int
    pairs: int
    budget: str
    figure: str | None
    larger: bool
    benchmark: str | None
    mpicc: str | None

    @property
    def measurements(self) -> Path:
        """The file beside the output that has what was measured."""
        return self.output.with_name(f"{self.output.name}.measurements")


def _candidates(request: Request, found: launcher.Located, note: Callable[[str], None]) -> list[Settings]:
    texts = list(request.parameters)
    if not texts and request.file is None:
        texts = library.usual(request.line, found)
        if texts:
            note(f"no parameter is named; what is tried is usual: {' '.join(texts)}")
    if request.file is not None:
        try:
            texts += space.lines(files.read(request.file).decode())
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise SpaceError(f"{printable(request.file)}: {why}") from error
    example = library.EXAMPLES.get(found.kind, library.EXAMPLE)
    return space.combinations(space.parameters(texts, example), request.where)


def _runner(request: Request, found: launcher.Located, figure: Figure, environ: Mapping[str, str]) -> Runner:
    if request.benchmark is None:
        return Program(request.line, found, figure, environ)
    if request.figure is not None:
        raise SpaceError("--figure and --benchmark: the benchmark has its own figure; leave one out")
    return Benchmark(request.line, found, request.benchmark, request.mpicc, environ)


def tune(
    request: Request, environ: Mapping[str, str], tell: Callable[[str, Settings], None], note: Callable[[str], None]
) -> tuple[Outcome, Mapping[str, str]]:
    """Searches, and writes the file. Returns what was found, and the values that the library has by default.

    `tell` is told what runs next, `note` what else there is to know. Raises SpaceError, JournalError, DefaultError,
    JobError, RepositoryError.
    """
    found = launcher.locate(request.line)
    candidates = _candidates(request, found, note)
    figure = Figure.of(request.figure, larger=request.larger)
    try:
        budget = seconds_of(request.budget)
    except PlanError as error:
        raise SpaceError(str(error)) from error
    known = library.check(candidates[0], request.line, found)
    runner = _runner(request, found, figure, environ)
    if request.output.is_dir() or (request.output.exists() and not request.measurements.exists()):
        raise JournalError(f"{printable(request.output)}: there is such a file; move it away, or name another with -o")
    heading = {
        "line": list(request.line),
        "figure": request.figure,
        "larger": request.larger,
        "benchmark": request.benchmark,
    }
    with process.cleaning_up():
        journal = Journal(request.measurements, heading)
        if journal.lines:
            note(f"going on with {printable(request.measurements)}: {len(journal.lines)} runs are there already")
        outcome = Outcome(figure, candidates)
        try:
            Search(runner, outcome, journal, budget, tell).run(
                request.strategy, request.repetitions, request.pairs, environ
            )
        finally:
            journal.close()
        result.write(outcome, request.command, request.output)
    return outcome, known

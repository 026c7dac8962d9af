"""The MPI job that measures: src/tools/tuning_job.c under the user's launcher line, asked line by line."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol, Self

from starling.installation import build, itself
from starling.lab import idle
from starling.lab.idle import Ticks
from starling.launchers import launcher, process, variables
from starling.messages import in_one_line, printable
from starling.trials import trial
from starling.tuning.points import Point

PROGRAM = Path("src/tools/tuning_job.c")
HEADERS = (Path("src/tools/collective_calls.h"), Path("include/starling/starling.h"))
_SAYS = "starling-tune "
_OURS = "starling: "
_START_SECONDS = 300.0
"""How long a job may take to begin."""
_END_SECONDS = 60.0
_RANKS_IN_A_LINE = 40
MOST_COMMUNICATORS = 256
"""Of one job: see src/tools/tuning_job.c."""
_MOST_COMPLAINTS = 20
"""Lines that are kept of what a job says on stderr as it begins."""


class JobError(Exception):
    """The job cannot be started, or says nothing usable; `status` is the command's exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class JobEndedError(Exception):
    """The job ended, or did not answer in time, while it measured; the text says which."""


@dataclass(frozen=True)
class Times:
    """Seconds of each timed call, the slowest rank's, or of calls in a row the mean of all ranks.

    On a lab also the time of its processors meanwhile.
    """

    seconds: tuple[float, ...]
    processors: Ticks | None = None


@dataclass(frozen=True)
class Refusal:
    """Why a way gives no times at a point: it refuses, or is WRONG."""

    why: str


WRONG = Refusal("its result is wrong")


@dataclass(frozen=True)
class Ended:
    """How the job ended while a way was measured: by the way, or from outside."""

    why: str


Answer = Times | Refusal | Ended


class Job(Protocol):
    """What can measure."""

    def measure(
        self, point: Point, way: str, calls: int, *, checked: bool, patience: float, in_row: bool = False
    ) -> Answer:
        """Times `calls` calls by a way, after one whose result is checked where that is asked for.

        Each begins behind a barrier; those in a row do not, but for the first.
        Raises JobEndedError, also where there is no answer after `patience` seconds.
        """

    def delay(self, point: Point, way: str) -> float:
        """Seconds until it can begin to measure a way, as a job of its own must start first; mostly none."""


@dataclass(frozen=True)
class Machine:
    """Where a job ran, as in run records: name of the machine, and the MPI library."""

    name: str
    mpi_flavour: str
    mpi_version: str


def crowded(nodes: Sequence[int], sharing: Sequence[int]) -> str:
    """A sentence about the node on which most ranks share processors; empty if none do.

    `nodes` has the node of each rank, `sharing` 1 for each that shares its processors.
    """
    ranks = max(Counter(node for node, shares in zip(nodes, sharing, strict=False) if shares).values(), default=0)
    if not ranks:
        return ""
    return f"{ranks} ranks of a node share processors: what is measured is also how long they wait for one"


def first_words(lines: Sequence[str]) -> str:
    """The first paragraph of what a launcher said, without rules like `-----`; launchers break sentences over lines."""
    words: list[str] = []
    for line in list(lines):
        text = line.strip()
        if text.strip("-*="):
            words.append(text)
        elif words:
            break
    return " ".join(words).rstrip(".:")


class MpiJob:
    """A job under a launcher line like `mpirun -n 16`, started anew after it ended unexpectedly."""

    def __init__(self, line: Sequence[str], program: Path, environ: Mapping[str, str], platform: str = "") -> None:
        self.line, self._program, self._named_platform = line, program, platform
        self._line = [*line, str(program)]
        self._platform = ["--platform", platform] if platform else []
        self._environ = trial.environment(environ)
        self._is_on_lab = "STARLING_LAB" in environ
        self._process: subprocess.Popen[str] | None = None
        self._requests: IO[str] | None = None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._complaints: list[str] = []
        self.nodes: tuple[int, ...] = ()
        self.sharing: tuple[int, ...] = ()
        self.library = ""
        self._place: list[str] = []
        self._called: dict[Point, int] = {}
        """The ranks of points as the job calls them, by points of no collective; it has a communicator for each."""
        self.start_seconds = 0.0
        """What its last start took."""

    @classmethod
    def compiled(cls, line: Sequence[str], mpicc: str | None, environ: Mapping[str, str], platform: str = "") -> Self:
        """A job of the program, compiled for the MPI of a launcher line, on a platform if one is named.

        Raises JobError.
        """
        if not launcher.is_program(line[0]):
            raise JobError(process.not_found(line[0]), 2)
        found = launcher.locate(line)
        flavour = found.identity.flavour if found.identity else None
        compiler = mpicc or launcher.compiler_beside(line[found.at], flavour)
        if compiler is None:
            raise JobError(f"no mpicc beside {printable(line[found.at])}; name it with --mpicc", 2)
        try:
            sources = build.sources()
            headers = [sources / header for header in HEADERS]
            return cls(line, trial.compiled(compiler, sources / PROGRAM, environ, headers), environ, platform)
        except (build.BuildError, trial.CompileError) as error:
            raise JobError(str(error)) from error
        except OSError as error:
            raise JobError(f"{printable(error.filename)}: {error.strerror}") from error

    def with_variables(self, wanted: Mapping[str, str]) -> MpiJob:
        """A job like this one that starts with variables set on every rank."""
        line, environ = variables.rewrite(self.line, launcher.locate(self.line), wanted, self._environ)
        return MpiJob(line, self._program, environ, self._named_platform)

    def start(self) -> None:
        """Starts the job, and waits until it is ready.

        Raises JobError, also where it was started before, and its ranks were placed otherwise.
        """
        tuned = ["run", "--quiet", "--library", "--strategy", "native", "--history", "off", "--record", "off"]
        tuned += [*self._platform, "--"]
        self._lines, self._complaints, self._place, self._called = queue.SimpleQueue(), [], [], {}
        before = self.nodes
        began = time.monotonic()
        self._process = subprocess.Popen(
            itself.starling([*tuned, *self._line]),
            env=self._environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C is for us: a call in flight ends before the job does
        )
        self._requests = self._process.stdin
        hears = threading.Thread(target=self._listen, args=(self._process.stdout, self._lines), daemon=True)
        keeps = threading.Thread(target=self._keep_first, args=(self._process.stderr, self._complaints), daemon=True)
        hears.start()
        keeps.start()
        try:
            while (word := self._next(_START_SECONDS)) != "ready":
                if word.startswith("nodes "):
                    self.nodes = tuple(map(int, word.split()[1:]))
                elif word.startswith("sharing "):
                    self.sharing = tuple(map(int, word.split()[1:]))
                elif word.startswith("library "):
                    self.library = word.removeprefix("library ")
                elif word.startswith("place "):
                    self._place.append(word.removeprefix("place "))
                elif word == "inactive":
                    self.end()
                    keeps.join(_END_SECONDS)
                    ours = [line.removeprefix(_OURS) for line in self._complaints if line.startswith(_OURS)]
                    why = (
                        f", which said: {in_one_line(ours[0].strip())}"
                        if ours
                        else "; see what works with: starling doctor"
                    )
                    raise JobError(f"the library is not active in our job{why}")
        except JobEndedError as error:
            self.kill()
            said = first_words(self._complaints) or "it said nothing"
            raise JobError(
                f"{printable(self._line[0])}: no job of ours began, {printable(said)}; "
                "name a launcher that can start it, without a program of yours"
            ) from error
        self.start_seconds = time.monotonic() - began
        if before and before != self.nodes:
            self.nodes = before
            self.kill()
            raise JobError(
                f"{printable(self._line[0])}: our job was started again, and its ranks were placed otherwise than "
                "before; where they are placed as at first, the same command goes on"
            )

    @staticmethod
    def _listen(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
        for text in stream:
            # Launchers may put a tag, or a time, in front of each line.
            _, ours, said = text.partition(_SAYS)
            if ours:
                lines.put(said.rstrip("\n"))
        lines.put(None)

    @staticmethod
    def _keep_first(stream: IO[str], complaints: list[str]) -> None:
        for text in stream:
            if len(complaints) < _MOST_COMPLAINTS:
                complaints.append(text)

    def _next(self, seconds: float) -> str:
        try:
            found = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise JobEndedError(f"no answer within {seconds:.0f} s") from None
        if found is None:
            raise JobEndedError("the job ended")
        return found

    def _ask(self, request: str) -> None:
        if self._requests is None:
            self.start()
        try:
            print(request, file=self._requests, flush=True)
        except OSError as error:
            raise JobEndedError("the job ended") from error

    def ways(self, collective: str, ranks: int) -> tuple[str, ...]:
        """The names of all ways of the job's processes on so many ranks, native first. Raises JobError."""
        try:
            self._ask(f"ways {collective} {ranks}")
            found: list[str] = []
            while (word := self._next(_START_SECONDS)) != "end":
                found.append(word.removeprefix("way "))
        except JobEndedError as error:
            self.kill()
            raise JobError(f"asked for the ways of {collective}: {error}") from error
        return tuple(found)

    def measure(
        self, point: Point, way: str, calls: int, *, checked: bool, patience: float, in_row: bool = False
    ) -> Answer:
        """See Job."""
        kind = "row" if in_row else "measure"
        before = idle.ticks() if self._is_on_lab else None
        try:
            ranks = self._ranks(point)
            self._ask(f"{kind} {point.collective} {point.bytes} {ranks} {calls} {int(checked)} {way}")
            says, _, rest = self._next(patience).partition(" ")
        except JobEndedError:
            self.kill()
            raise
        if says == "times":
            return Times(tuple(map(float, rest.split())), idle.ticks() - before if before else None)
        return WRONG if says == "wrong" else Refusal(rest)

    def _ranks(self, point: Point) -> int:
        """The ranks of a point as the job calls them: how many first ones, or the negative number of a group.

        A job that has as many communicators as it can have is replaced by another one. Raises JobError where there are
        no such ranks.
        """
        if self._requests is None:
            self.start()
        group = point._replace(collective="", bytes=0)
        if group in self._called:
            return self._called[group]
        members = point.members(self.nodes)
        if members is None:
            raise JobError(f"our job has no {point.place}")
        if len(self._called) == MOST_COMMUNICATORS:
            self.end()
            self.start()
        called = point.ranks
        if point.nodes:
            number = len(self._called) + 1
            for at in range(0, len(members), _RANKS_IN_A_LINE):
                self._ask(f"ranks {number} {' '.join(map(str, members[at : at + _RANKS_IN_A_LINE]))}")
            called = -number
        self._called[group] = called
        return called

    def end(self) -> None:
        """Lets the job end, and kills it where it does not."""
        if self._process is None:
            return
        if self._requests is not None:
            with contextlib.suppress(OSError):
                self._requests.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Ends the job at once; the next request starts another one."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()  # the launcher ends its ranks
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        self._process = self._requests = None

    @property
    def machine(self) -> Machine:
        """Where the job ran, after its start."""
        *name, flavour, version = self._place
        return Machine("\n".join(name), flavour, version)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

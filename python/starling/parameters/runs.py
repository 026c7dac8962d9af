"""One run with some parameters set: of the user's program, or of a benchmark of ours."""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import IO, NamedTuple, Protocol

from starling.algorithms.prediction import size
from starling.launchers import process, variables
from starling.launchers.launcher import Kind, Located
from starling.messages import printable
from starling.parameters.space import Settings, SpaceError, is_mca, variable
from starling.tuning.job import JobEndedError, JobError, MpiJob, Times
from starling.tuning.points import COLLECTIVES, Point

_SAID = 12
"""Last lines of a failed run's output that are kept."""
_CALLS = 100
_SECONDS_OF_CALLS = 1.0
"""A benchmark makes so many calls, or fewer that take so long; never fewer than the least."""
_LEAST_CALLS = 5
_PATIENCE = 600.0
"""Seconds that a benchmark gets until it is known how long it takes."""
_ENDS_WITHIN = 10.0
"""Seconds from SIGTERM to SIGKILL."""


class Measured(NamedTuple):
    """The figure of a run, in its unit, and the seconds that the run took."""

    figure: float
    took: float


class Failed(NamedTuple):
    """Why a run gave no figure, its last lines, the seconds that it took, and what its exit status was."""

    why: str
    said: Sequence[str]
    took: float
    status: int = 1


Answer = Measured | Failed


class Runner(Protocol):
    """What can run with parameters set."""

    def run(self, settings: Settings, patience: float | None) -> Answer:
        """One run, ended after `patience` seconds."""


def environment(
    line: Sequence[str], found: Located, settings: Settings, environ: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The line and the environment in which the parameters have these values, on every rank."""
    wanted = {variable(name): value for name, value in settings.items()}
    if found.kind is not Kind.OPENMPI:
        return variables.rewrite(line, found, wanted, environ)
    # Open MPI's launcher reads its own variables too, and passes them on by itself.
    own = {variable(name): value for name, value in settings.items() if is_mca(name)}
    others = {name: value for name, value in wanted.items() if name not in own}
    words, env = variables.rewrite(line, found, others, environ)
    return words, {**env, **own}


class Figure(NamedTuple):
    """How a run is judged: by a number that it prints, the last that fits; without an expression by its seconds."""

    expression: re.Pattern[str] | None
    larger_is_better: bool = False

    @classmethod
    def of(cls, expression: str | None, *, larger: bool) -> Figure:
        """Raises SpaceError for what is no regular expression."""
        if expression is None:
            if larger:
                raise SpaceError("--larger: of a run's seconds fewer are better; name the figure with --figure")
            return cls(None)
        try:
            return cls(re.compile(expression), larger)
        except re.error as error:
            raise SpaceError(f"--figure {printable(expression)}: no regular expression: {error}") from error

    def cost(self, figure: float) -> float:
        """What is the smaller, the better the figure is."""
        return 1 / figure if self.larger_is_better else figure

    def found(self, text: str, seconds: float) -> float | str:
        """The figure of a run that printed this, or why there is none."""
        if self.expression is None:
            return seconds
        matches = [match[1] if match.re.groups else match[0] for match in self.expression.finditer(text)]
        if not matches:
            return f"nothing that it printed fits --figure {printable(self.expression.pattern)}"
        try:
            number = float(matches[-1])
        except (TypeError, ValueError):
            return f"its figure is no number: {printable(matches[-1])}"
        return number if math.isfinite(number) and number > 0 else f"its figure is not positive: {number:g}"


class Program:
    """The user's launcher line with its program."""

    def __init__(self, line: Sequence[str], found: Located, figure: Figure, environ: Mapping[str, str]) -> None:
        self._line, self._found, self._figure, self._environ = line, found, figure, environ

    def run(self, settings: Settings, patience: float | None) -> Answer:
        """See Runner."""
        line, env = environment(self._line, self._found, settings, self._environ)
        with tempfile.TemporaryFile(prefix="starling-parameters-") as output:
            began = time.perf_counter()
            try:
                status = _ended(line, env, output, patience)
            except OSError as error:
                return Failed(process.not_found(line[0]), [], 0.0, _status_of(error))
            took = time.perf_counter() - began
            output.seek(0)
            text = output.read().decode(errors="replace")
        if status is None:
            return Failed(f"it had not ended after {took:.0f} s", text.splitlines()[-_SAID:], took)
        if status != 0:
            return Failed(f"exit status {status}", text.splitlines()[-_SAID:], took, status)
        figure = self._figure.found(text, took)
        if isinstance(figure, str):
            return Failed(figure, text.splitlines()[-_SAID:], took)
        return Measured(figure, took)


def _status_of(error: OSError) -> int:
    return process.NOT_FOUND if isinstance(error, FileNotFoundError) else process.NOT_EXECUTABLE


def _ended(line: Sequence[str], env: Mapping[str, str], output: IO[bytes], patience: float | None) -> int | None:
    """The exit status as a shell has it; None where it had to be ended. Raises OSError."""
    child = subprocess.Popen(
        list(line),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=dict(env),
        start_new_session=True,
        preexec_fn=process.ended_with_parent(),  # noqa: PLW1509 - one thread only
    )
    try:
        status = child.wait(patience)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(child)
    return 128 - status if status < 0 else status


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ends a launcher and all that it left."""
    if child.poll() is None:
        child.terminate()  # the launcher ends its ranks
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_ENDS_WITHIN)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


class Benchmark:
    """Calls of one collective by the MPI library, in a small program of ours: the figure is the median of a call."""

    def __init__(
        self, line: Sequence[str], found: Located, what: str, mpicc: str | None, environ: Mapping[str, str]
    ) -> None:
        """Of a text like `allreduce:64K`. Raises SpaceError."""
        self._line, self._found, self._mpicc, self._environ = line, found, mpicc, environ
        collective, colon, bytes_ = what.partition(":")
        try:
            self._collective, self._bytes = collective, size(bytes_) if colon else 0
        except ValueError as error:
            raise SpaceError(f"--benchmark {printable(what)}: {error}") from error
        if collective not in COLLECTIVES or (not colon and collective != "barrier"):
            raise SpaceError(f"--benchmark {printable(what)}: write COLLECTIVE:SIZE, as allreduce:64K or alltoall:1M")

    def run(self, settings: Settings, patience: float | None) -> Answer:
        """See Runner. Raises JobError where the program cannot be compiled."""
        line, env = environment(self._line, self._found, settings, self._environ)
        began = time.perf_counter()
        with MpiJob.compiled(line, self._mpicc, env) as job:
            try:
                job.start()
            except JobError as error:
                return Failed(str(error), [], time.perf_counter() - began)
            point = Point(self._collective, len(job.nodes), self._bytes)
            try:
                first = job.measure(point, "native", 1, checked=True, patience=patience or _PATIENCE)
                calls = _CALLS
                if isinstance(first, Times):
                    calls = max(_LEAST_CALLS, min(_CALLS, int(_SECONDS_OF_CALLS / max(first.seconds[0], 1e-9))))
                answer = job.measure(point, "native", calls, checked=False, patience=patience or _PATIENCE)
            except JobEndedError as error:
                return Failed(str(error), [], time.perf_counter() - began)
            job.end()
        took = time.perf_counter() - began
        refused = next((one for one in (first, answer) if not isinstance(one, Times)), None)
        if refused is not None or not isinstance(answer, Times):
            return Failed(refused.why if refused else "", [], took)
        return Measured(median(answer.seconds), took)

"""Running a job of many processes so that a hang ends in a report."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TAIL = 8000
"""Characters of each output stream that a failure report shows."""


@dataclass(frozen=True)
class Outcome:
    """The result of a finished job: exit status (negative: killed by that signal), output, and seconds taken."""

    argv: tuple[str, ...]
    status: int
    stdout: str
    stderr: str
    seconds: float

    def report(self) -> str:
        """The job as text for a failure message."""
        return (
            f"{' '.join(self.argv)}\nexit status {self.status} after {self.seconds:.1f} s\n"
            f"--- stdout\n{self.stdout[-TAIL:]}\n--- stderr\n{self.stderr[-TAIL:]}"
        )

    def check(self) -> Outcome:
        """The outcome itself, or an AssertionError with the report where the job failed."""
        assert self.status == 0, self.report()
        return self


class HangError(AssertionError):
    """A job exceeded its time limit; the message has the stack of each process."""


def descendants(pid: int) -> list[int]:
    """Every process below `pid`, parents first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def stack_of(pid: int) -> str:
    """The stacks of a process by gdb where installed, else the kernel function it waits in."""
    try:
        name = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        where = Path(f"/proc/{pid}/wchan").read_text() or "running"
    except OSError:
        return f"process {pid}: gone"
    text = f"process {pid}: {name[:160]}\n  kernel: {where}"
    frames = _frames("-p", str(pid), "-ex", "thread apply all backtrace 14")
    return "\n  ".join([text, *frames])


def stacks_of_cores(folder: Path) -> str:
    """The stacks on which processes died whose cores are in a folder, which loses them; nothing without gdb."""
    text = ""
    for core in sorted(folder.glob("core*")):
        of_core = ("-c", str(core))
        program = re.search('AT_EXECFN.*"(.*)"', "\n".join(_said_by_gdb(*of_core, "-ex", "info auxv")))
        frames = _frames(*(program.groups() if program else ()), *of_core, "-ex", "backtrace 14")
        text += "\n  ".join([f"--- {core.name}: {program[1] if program else 'a program'}", *frames, ""])
        core.unlink()
    return text


def _said_by_gdb(*options: str) -> list[str]:
    """Its lines; none where it is not installed or takes too long."""
    gdb = shutil.which("gdb")
    if gdb is None:
        return []
    try:
        done = subprocess.run([gdb, "-batch", "-nx", *options], capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return []
    return done.stdout.splitlines()


def _frames(*options: str) -> list[str]:
    return [line for line in _said_by_gdb(*options) if line.startswith(("#", "Thread"))]


def end(processes: Sequence[int], with_signal: signal.Signals) -> None:
    """Sends a signal to those of `processes` that still run."""
    for pid in processes:
        try:
            os.kill(pid, with_signal)
        except ProcessLookupError:
            continue


def take_down(job: subprocess.Popen[bytes]) -> None:
    """Ends a job and all processes below it."""
    family = [job.pid, *descendants(job.pid)]
    end(family, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        job.wait(5)
    end(family, signal.SIGKILL)
    job.wait()


def status_of(job: subprocess.Popen[bytes], timeout: float, is_over: Callable[[], bool] | None) -> int:
    """The status of a job when it ends, or 0 when `is_over` says so and it is taken down; TimeoutExpired after that."""
    if is_over is None:
        return job.wait(timeout)
    until = time.monotonic() + timeout
    while True:
        try:
            return job.wait(0.1)
        except subprocess.TimeoutExpired:
            if is_over():
                take_down(job)
                return 0
            if time.monotonic() > until:
                raise


def run_job(
    argv: Sequence[str],
    env: Mapping[str, str],
    timeout: float,
    cwd: Path | None = None,
    last_lines: Collection[str] = (),
) -> Outcome:
    """Runs `argv` in a session of its own, for at most `timeout` seconds.

    When the time is over, it ends all processes of the job and raises HangError with their stacks and the ends of the
    output. Output goes through files, so that a process left by a launcher cannot block the reader.

    A job whose stdout has all `last_lines`, if there are any, is taken down: some launchers do not end by themselves.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:

        def texts() -> tuple[str, str]:
            # Opened anew: to seek in `out` would move the place where the job writes.
            out_text, err_text = (
                Path(f"/proc/self/fd/{one.fileno()}").read_text(errors="replace") for one in (out, err)
            )
            return out_text, err_text

        start = time.monotonic()
        job = subprocess.Popen(
            list(argv), stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=dict(env), cwd=cwd, start_new_session=True
        )
        is_over = (lambda: set(last_lines) <= set(texts()[0].splitlines())) if last_lines else None
        try:
            status = status_of(job, timeout, is_over)
        except subprocess.TimeoutExpired:
            stacks = "\n".join(stack_of(pid) for pid in [job.pid, *descendants(job.pid)])
            take_down(job)
            stdout, stderr = texts()
            left = Outcome(tuple(argv), -signal.SIGKILL, stdout, stderr, timeout).report()
            raise HangError(f"no end after {timeout} s\n{left}\n--- stacks\n{stacks}") from None
        stdout, stderr = texts()
        return Outcome(tuple(argv), status, stdout, stderr, time.monotonic() - start)

"""The main use in one minute: a small MPI application, tuned, and its report."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starling.installation import build
from starling.installation.variants import Flavour, library
from starling.launchers import launcher
from starling.messages import printable
from starling.runs import run as runner
from starling.runs import settings
from starling.trials import trial

RANKS = 4
EXAMPLE = Path("examples/heat_spectrum/heat_spectrum.c")


class DemoError(Exception):
    """The demonstration cannot run; the text says why and what to do."""


@dataclass(frozen=True)
class Job:
    """What the demonstration runs: a launcher line with our application at its end, and the environment for it."""

    line: list[str]
    env: dict[str, str]
    what: str
    record: Path


def prepare(environ: Mapping[str, str]) -> Job:
    """Finds the MPI of this environment and compiles the application for it. Raises DemoError."""
    starter = shutil.which("mpiexec") or shutil.which("mpirun")
    identity = launcher.identify(starter) if starter else None
    if starter is None or identity is None or identity.flavour is None:
        raise DemoError("no MPI on PATH; load one, or take the one of PyPI: pip install mpich")
    mpicc = launcher.compiler_beside(starter, identity.flavour) or shutil.which("mpicc")
    if mpicc is None:
        raise DemoError(f"no mpicc beside {printable(starter)}; install the development files of this MPI")
    variant = Flavour(identity.flavour).variant
    if library(variant, environ) is None:
        raise DemoError(f"no library for {identity.flavour}; build it with: starling doctor --build {printable(mpicc)}")
    try:
        source = build.sources() / EXAMPLE
        program = trial.compiled(mpicc, source, environ)
    except (build.BuildError, trial.CompileError) as error:
        raise DemoError(str(error)) from error
    except OSError as error:
        raise DemoError(f"{printable(error.filename)}: {error.strerror}") from error
    what = f"{RANKS} ranks, {identity.flavour} {identity.version}"
    line = [*trial.line(starter, identity, RANKS), str(program)]
    return Job(
        line,
        trial.environment(_without_user_settings(environ)),
        what,
        trial.cache(environ) / "demo.json",
    )


def _without_user_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without a user's settings, except the place of records."""
    return {
        name: value
        for name, value in environ.items()
        if not name.startswith("STARLING_") or name == settings.VARIABLES["history"]
    }


def run(job: Job) -> int:
    """Runs the application under `auto`, whatever starling.toml says; its output goes to ours.

    Returns the exit status.
    """
    job.record.unlink(missing_ok=True)
    flags = {"strategy": "auto", "record": str(job.record), "quiet": "1"}
    return runner.tuned(job.line, settings.in_force(flags, job.env, []), job.env)

"""`starling run`: a launcher line with the library preloaded into every rank."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from starling import launcher, platform_file, process, settings, trial, variables, variants


def say(message: str) -> None:
    """One line on stderr; stdout belongs to the program."""
    print(f"starling: {message}", file=sys.stderr, flush=True)  # noqa: T201


def _records(folder: Path | None) -> set[Path]:
    try:
        return set(folder.glob("*.json")) if folder else set()
    except OSError:
        return set()


def described(in_force: dict[str, settings.Setting]) -> dict[str, settings.Setting]:
    """The settings with the platform as text that the library reads, not as a name or a file. Raises PlatformError."""
    wished = in_force.get("platform")
    if wished is None or wished.value.startswith("{"):
        return in_force
    text = json.dumps(platform_file.platform(wished.value).as_json(), separators=(",", ":"))
    return {**in_force, "platform": replace(wished, value=text)}


def _natively(line: Sequence[str]) -> int:
    try:
        return process.run(line, os.environ)
    except process.StartError as error:
        say(str(error))
        return error.status


def run(line: Sequence[str], flags: Mapping[str, str], *, quiet: bool = False) -> int:
    """Runs the line tuned, or natively after one line of explanation where it must be. Returns its exit status."""
    environ = os.environ
    if not launcher.is_program(line[0]):
        return _natively(line)  # to be told by the system why
    path = settings.find_file(Path.cwd(), environ)
    try:
        in_force = settings.in_force(flags, environ, path)
    except settings.SettingsError as error:
        say(f"{error}; the file is ignored and the program runs natively")
        return _natively(line)

    try:
        in_force = described(in_force)
    except platform_file.PlatformError as error:
        say(f"{error}; the program runs natively")
        return _natively(line)

    found = launcher.locate(line)
    wished = in_force.get("mpi")
    choice = variants.choose(line, found, environ, variants.Flavour(wished.value) if wished else None)
    if choice is None:
        say(f"cannot tell which MPI library {line[0]} uses, so it runs natively; name it with --mpi")
        return _natively(line)
    library = variants.library(choice.variant, environ)
    if library is None:
        flavour = found.identity.flavour if found.identity else None
        mpicc = trial.compiler_beside(line[found.at], flavour) or "MPICC"
        say(
            f"no library for {choice.variant} ({choice.because}), so it runs natively; "
            f"build it with: starling doctor --build {mpicc}"
        )
        return _natively(line)

    wanted = {variables.PRELOAD: str(library), **settings.variables(in_force, environ)}
    argv, env = variables.rewrite(line, found, wanted, environ)
    history = settings.history_folder(in_force, environ)
    before = _records(history)
    try:
        status = process.run(argv, env)
    except process.StartError as error:
        say(str(error))
        return error.status
    if quiet or in_force.get("quiet") == settings.Setting("1", str(path)):
        return status
    new = sorted(_records(history) - before, key=lambda record: record.name)
    if new:
        say(f"record {new[-1]}; see it with: starling report")
    elif history is not None and status == 0:
        say("no record: the program made no MPI call that Starling saw, or did not get to MPI_Finalize")
    return status

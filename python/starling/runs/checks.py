"""Errors in settings, with their place: a flag, starling.toml, or a variable."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from starling.installation import questions
from starling.messages import no_folder, printable
from starling.runs.settings import VARIABLES, Setting, flag, place

_BEGINNING = 4096
"""Bytes among which a run record says that it is one."""


class Wrong(NamedTuple):
    """One error, the setting it is in, and whether that is a flag, or else in a settings file or a variable."""

    text: str
    name: str
    in_flag: bool = False
    in_file: bool = False


def _of_variable(variable: str, value: str, why: str) -> str:
    return f"{variable}='{printable(value)}': {why}"


def _wrong(name: str, setting: Setting, value: str, why: str) -> Wrong:
    if setting.source == VARIABLES[name]:
        return Wrong(_of_variable(setting.source, value, why), name)
    value = printable(value)
    if setting.source.startswith("--"):
        return Wrong(f"{setting.source} {value}: {why}", name, in_flag=True)
    return Wrong(f"{place(Path(setting.source), name)} = '{value}': {why}", name, in_file=True)


def empty_flag(flags: Mapping[str, str]) -> str | None:
    """The complaint about a flag without a value; None where each has one."""
    empty = next((name for name, value in flags.items() if not value.strip(" ,")), None)
    return f"{flag(empty)} needs a value; leave it out for the default" if empty else None


def described(in_force: Mapping[str, Setting]) -> tuple[dict[str, Setting], list[Wrong]]:
    """The settings with the platform as text for the library instead of a name or a file, and its errors."""
    requested = in_force.get("platform")
    if requested is None or requested.value.startswith("{"):
        return dict(in_force), []
    from starling.networks.short_names import NODES

    if requested.value == NODES:
        return dict(in_force), []
    from starling.networks import platform_file

    try:
        text = platform_file.platform(requested.value).to_text()
    except platform_file.PlatformError as error:
        why = str(error).removeprefix(f"{printable(requested.value)}: ")
        return {name: one for name, one in in_force.items() if name != "platform"}, [
            _wrong("platform", requested, requested.value, why)
        ]
    return {**in_force, "platform": requested._replace(value=text)}, []


def wrong(in_force: Mapping[str, Setting], environ: Mapping[str, str]) -> list[Wrong]:
    """What is wrong with these settings: complaints of the library, where the installation has it, and of --history."""
    history = in_force.get("history")
    why = _no_folder(history.value) if history and history.source == flag("history") else None
    return [
        *_complaints(in_force, environ),
        *([_wrong("history", history, history.value, why)] if history and why else []),
    ]


def record_in_vain(requested: Mapping[str, Setting]) -> list[Wrong]:
    """The complaint about a run record that could not be written, or only over something else."""
    record = requested.get("record")
    if record is None or record.value == "off":
        return []
    file = Path(record.value)
    for name in ("table", "platform"):
        other = requested.get(name)
        if other is not None and _is_one_file(file, Path(other.value)):
            return [_wrong("record", record, record.value, f"this is the file of {flag(name)}; name another one")]
    why = _no_place(file)
    if why is None and _holds_something_else(file):
        why = "it is there and no run record; name another one, or remove it"
    return [] if why is None else [_wrong("record", record, record.value, why)]


def _is_one_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is no file
        return False


def _no_place(file: Path) -> str | None:
    """Why there can be no file of this name; None where there can, or the library will say why not."""
    try:
        if file.is_dir():
            return "this is a folder; name a file in it"
        return no_folder(file)
    except (OSError, ValueError):
        return None


def _holds_something_else(file: Path) -> bool:
    """Whether a file has something in it that does not begin as run records do."""
    try:
        if not file.is_file() or file.stat().st_size == 0:
            return False
        with file.open("rb") as stream:
            return b'"run"' not in stream.read(_BEGINNING)
    except (OSError, ValueError):
        return False


def _no_folder(history: str) -> str | None:
    """Why that cannot be a history folder; None where it is one or can be made."""
    folder = Path(history).absolute()
    if history == "off" or folder.is_dir():
        return None
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        return f"{'it' if there == folder else printable(there)} is no folder; name one, or off"
    if not os.access(there, os.W_OK | os.X_OK):
        return f"it cannot be made in {printable(there)}; name another folder, or off"
    return None


def _complaints(in_force: Mapping[str, Setting], environ: Mapping[str, str]) -> list[Wrong]:
    """The library's complaints about these settings; empty where the installation cannot check them."""
    set_here = {VARIABLES[name]: (name, setting) for name, setting in in_force.items() if name in VARIABLES}
    if not set_here:
        return []
    others = {name: value for name, value in environ.items() if not name.startswith("STARLING_")}
    try:
        found, _ = questions.complaints({**others, **{name: one.value for name, (_, one) in set_here.items()}})
    except questions.RepositoryError:
        return []
    return [_wrong(*set_here[one.variable], one.value, one.why) for one in found if one.variable in set_here]


def wrong_variable(environ: Mapping[str, str]) -> str | None:
    """The complaint about a variable of an environment; None where all are right or cannot be checked."""
    try:
        found = questions.complaints(environ)[0]
    except questions.RepositoryError:
        return None
    return next((_of_variable(*one) for one in found), None)


def unknown(environ: Mapping[str, str]) -> list[str]:
    """A sentence for each unknown STARLING_* variable."""
    try:
        return questions.complaints(environ)[1]
    except questions.RepositoryError:
        return []

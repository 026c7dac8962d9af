"""Settings of a run: flags override STARLING_* variables, these the files starling.toml; each with its source."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from starling import files
from starling.installation import questions
from starling.installation.variants import Flavour, data_home, home, users_folder
from starling.messages import log, printable, quoted

FILE = "starling.toml"
_BELOW_LIBRARIES = ("starling", "python", "starling", "runs", "settings.py")


def site_folders(module: Path) -> tuple[Path, ...]:
    """The folders of a centre's settings: below `/`, Python's prefix, and the prefix of this `module`'s installation.

    Only `cmake --install` makes an installation with a prefix of its own; `pip` uses Python's.
    """
    roots = [Path("/"), Path(sys.prefix)]
    if module.parts[-len(_BELOW_LIBRARIES) :] == _BELOW_LIBRARIES:
        roots.append(module.parents[len(_BELOW_LIBRARIES)])  # above `lib`, or `lib64`
    return tuple(root / "etc/starling" for root in dict.fromkeys(roots))


SITE_FOLDERS = site_folders(Path(__file__).resolve())
"""Where a centre puts its settings: those below Python's prefix or this installation's override the machine's."""


class Kind(Enum):
    """Kinds of values in starling.toml, in words. The option of a FLAG takes no value."""

    TEXT = "a text in quotes"
    WHOLE = "a whole number"
    NUMBER = "a number"
    SHARE = 'a number like 0.03 or a text like "3%"'
    FLAG = "true or false"
    FLAVOUR = f"one of {', '.join(Flavour)}"


class Option(NamedTuple):
    """How `starling run` takes a setting."""

    help: str
    metavar: str | None = None
    short: str | None = None


class Key(NamedTuple):
    """A setting: the variable by which the library reads it, if it does, and what its values are."""

    variable: str | None
    kind: Kind
    option: Option | None = None
    is_list: bool = False
    is_path: bool = False
    default: str = ""


def _of_library() -> dict[str, Key]:
    try:
        table = questions.settings_table()
    except questions.RepositoryError as error:
        log(str(error))
        raise SystemExit(1) from error
    keys = {}
    for row in table:
        is_list = row["kind"] == "list"
        keys[row["name"]] = Key(
            row["variable"],
            Kind.TEXT if is_list else Kind[row["kind"].upper()],
            Option(row["says"], row["option"] or None) if "option" in row else None,
            is_list,
            row["is_path"],
            row.get("default", ""),
        )
    return keys


_OF_COMMAND: Mapping[str, Key] = {
    "mpi": Key(None, Kind.FLAVOUR, Option("The MPI of the program, if it cannot be detected.")),
    "quiet": Key(None, Kind.FLAG, Option("Do not print where the record is.", short="-q")),
}
"""What the command itself is told, and the library never hears of."""

KEYS: Mapping[str, Key] = {**_of_library(), **_OF_COMMAND}
"""Every setting, by its name in the table [run] of starling.toml."""

VARIABLES: Mapping[str, str] = {name: key.variable for name, key in KEYS.items() if key.variable}
"""The variable of each setting that the library reads."""


def flag(name: str) -> str:
    """What the option of a setting is on the command line."""
    return f"--{name.replace('_', '-')}"


_SHOWN = 60
"""Most characters of a wrong value that are shown."""


class SettingsError(Exception):
    """A settings file that cannot be used; the text has the file, the line, and the reason."""


class Setting(NamedTuple):
    """One setting in force."""

    value: str
    source: str


def working_folder() -> Path:
    """The folder that a starling.toml of the project is in. One that has been deleted has no file."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path()


def find_files(folder: Path, environ: Mapping[str, str]) -> list[Path]:
    """Every starling.toml in force; what a later one sets overrides what an earlier one does.

    The site's, the user's in $XDG_CONFIG_HOME/starling (~/.config/starling), and that of `folder`.
    """
    config = users_folder(environ, "XDG_CONFIG_HOME", ".config")
    folders = [*SITE_FOLDERS, *([config / "starling"] if config else []), folder]
    return [path for path in dict.fromkeys(place / FILE for place in folders) if _may_be_there(path)]


def _may_be_there(path: Path) -> bool:
    """Whether a file is there, or cannot be seen: reading it then tells why."""
    try:
        return path.is_file()
    except PermissionError:
        return True


def _line_of(text: str, location: tuple[int | str, ...]) -> int:
    """The line of a key or table, as far as a search for its name finds it."""
    name = re.escape(str(location[-1])) if location else ""
    pattern = re.compile(rf"^\s*(\[+\s*)?([\w\"'.-]+\.)?[\"']?{name}[\"']?\s*([=.\]]|$)")
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), 1)


def read_file(path: Path) -> dict[str, str]:
    """The [run] table of a settings file as texts by the names of settings. Raises SettingsError."""
    import tomllib

    name = printable(path)
    try:
        text = files.read(path).decode()
        file = tomllib.loads(text)
    except OSError as error:
        raise SettingsError(f"{name}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{name}: cannot be read: byte {error.start} is not UTF-8") from error
    except RecursionError as error:
        raise SettingsError(f"{name}:1: not TOML: nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError, and numbers too long for Python
        line = re.search(r"at line (\d+)", str(error))
        number = line[1] if line else len(text.splitlines())
        raise SettingsError(f"{name}:{number}: not TOML: {printable(error)}") from error

    def fail(place: tuple[str, ...], why: str) -> SettingsError:
        return SettingsError(f"{name}:{_line_of(text, place)}: {printable('.'.join(place))}: {why}")

    if unknown := next((key for key in file if key != "run"), None):
        raise fail((unknown,), "put it under [run]" if unknown in KEYS else "unknown key; settings stand under [run]")
    table = file.get("run", {})
    if not isinstance(table, dict):
        raise fail(("run",), f"must be a table, and is {_shown(table)}")
    if unknown := next((key for key in table if key not in KEYS), None):
        raise fail(("run", unknown), "unknown key")
    values: dict[str, str] = {}
    for key, value in table.items():
        found = _text(KEYS[key], value)
        if found is None:
            raise fail(("run", key), f"must be {KEYS[key].kind.value}, and is {_shown(value)}")
        values[key] = _from(path.parent, key, found)
    return values


def _text(key: Key, value: Any) -> str | None:
    """A valid value in the form of the variables; None for an invalid one."""
    kind = key.kind
    match value:
        case bool():
            return str(int(value)) if kind is Kind.FLAG else None
        case int():
            return str(value) if kind in (Kind.WHOLE, Kind.NUMBER, Kind.SHARE) else None
        case float():
            return str(value) if kind in (Kind.NUMBER, Kind.SHARE) else None
        case str():
            fits = value in list(Flavour) if kind is Kind.FLAVOUR else kind in (Kind.TEXT, Kind.SHARE)
            return value if fits else None
        case list() if key.is_list and all(isinstance(item, str) for item in value):
            return ",".join(value)
    return None


def _shown(value: object) -> str:
    """A value of the file for a message, possibly cut."""
    shown = quoted(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def _from(folder: Path, name: str, value: str) -> str:
    """A setting of a file; its paths are relative to the file's folder."""
    if not KEYS[name].is_path or value == "off":
        return value
    if name == "platform":
        from starling.networks.short_names import NODES, is_short

        if value == NODES or is_short(value):
            return value
    return str(folder.absolute() / _from_home(value))


def _from_home(text: str) -> str:
    """A path with a leading `~` replaced by the home."""
    known = home(os.environ)
    return str(known / text[2:]) if known and text.startswith("~/") else text


def place(path: Path, name: str) -> str:
    """The place of a setting in a file: file, line and key."""
    try:
        text = files.read(path).decode()
    except (OSError, UnicodeDecodeError):
        text = ""
    return f"{printable(path)}:{_line_of(text, ('run', name))}: run.{name}"


def in_force(flags: Mapping[str, str], environ: Mapping[str, str], files: Sequence[Path]) -> dict[str, Setting]:
    """Every setting that something sets; later files override earlier ones.

    Raises SettingsError for wrong files, which names all of them.
    """
    found, wrong = without_wrong_files(flags, environ, files)
    if wrong:
        raise SettingsError("; ".join(wrong))
    return found


def without_wrong_files(
    flags: Mapping[str, str], environ: Mapping[str, str], files: Sequence[Path]
) -> tuple[dict[str, Setting], list[str]]:
    """The same without what wrong files set, and what is wrong with each of these."""
    found: dict[str, Setting] = {}
    wrong: list[str] = []
    for path in files:
        try:
            found.update({name: Setting(value, str(path)) for name, value in read_file(path).items()})
        except SettingsError as error:
            wrong.append(str(error))
    for name, variable in VARIABLES.items():
        if environ.get(variable):
            found[name] = Setting(environ[variable], variable)
    found.update({name: Setting(value, flag(name)) for name, value in flags.items()})
    return found, wrong


def history_folder(settings: Mapping[str, Setting], environ: Mapping[str, str]) -> Path | None:
    """The folder of run records; None where the history is off."""
    if "history" not in settings:
        data = data_home(environ)
        return data / "starling" / "history" if data else None
    value = settings["history"].value
    return None if value == "off" else Path(value).absolute()


def variables(settings: Mapping[str, Setting], environ: Mapping[str, str]) -> dict[str, str]:
    """The STARLING_* variables that every rank must have. Paths are made absolute: ranks may work in another folder."""
    own = {name: value for name, value in environ.items() if name.startswith("STARLING_")}
    own.update({VARIABLES[name]: setting.value for name, setting in settings.items() if name in VARIABLES})
    own[VARIABLES["history"]] = str(history_folder(settings, environ) or "off")
    if own.get(VARIABLES["record"]) == "off":
        own[VARIABLES["record"]] = ""
    for name in ("record", "site_history", "table"):
        value = own.get(VARIABLES[name])
        if value and not value.startswith("{"):
            own[VARIABLES[name]] = str(Path(value).absolute())
    return own

"""Settings of a run: flags before STARLING_* variables before starling.toml, each with where it comes from."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from starling.platform_file import NODES, is_short
from starling.variants import Flavour, data_home, home, users_folder

FILE = "starling.toml"


def _one_text(value: object) -> object:
    """A list of texts as the comma list that the variables use."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return value


Texts = Annotated[str, BeforeValidator(_one_text)]


class RunTable(BaseModel):
    """The table [run] of starling.toml. Each key has the default of the library when it is absent."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    strategy: str | None = Field(None, description="STARLING_STRATEGY")
    history: str | None = Field(None, description="STARLING_HISTORY")
    record: str | None = Field(None, description="STARLING_RECORD")
    machine: str | None = Field(None, description="STARLING_MACHINE")
    fresh: bool | None = Field(None, description="STARLING_FRESH")
    reproducible: bool | None = Field(None, description="STARLING_REPRODUCIBLE")
    host_buffers: bool | None = Field(None, description="STARLING_HOST_BUFFERS")
    only: Texts | None = Field(None, description="STARLING_ONLY")
    except_: Texts | None = Field(None, alias="except", description="STARLING_EXCEPT")
    iterations: int | None = Field(None, description="STARLING_ITER")
    epsilon: float | None = Field(None, description="STARLING_EPSILON")
    delta_limit: int | None = Field(None, description="STARLING_DELTA_LIMIT")
    alpha: float | None = Field(None, description="STARLING_ALPHA")
    memory: float | None = Field(None, description="STARLING_MEMORY")
    longest_draw: int | None = Field(None, description="STARLING_LONGEST_DRAW")
    seed: int | None = Field(None, description="STARLING_SEED")
    sizes: int | None = Field(None, description="STARLING_SIZES")
    samples: str | None = Field(None, description="STARLING_SAMPLES")
    platform: str | None = Field(None, description="STARLING_PLATFORM")
    mpi: Annotated[Flavour, Field(strict=False)] | None = None
    quiet: bool | None = None


class SettingsFile(BaseModel):
    """A whole starling.toml."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    run: RunTable = Field(default_factory=lambda: RunTable.model_validate({}))


VARIABLES: Mapping[str, str] = {
    field.alias or name: field.description for name, field in RunTable.model_fields.items() if field.description
}
"""The variable of each setting that the library reads."""

DEFAULTS: Mapping[str, str] = {
    "strategy": "star-basic",
    "fresh": "0",
    "reproducible": "0",
    "host_buffers": "0",
    "iterations": "10",
    "epsilon": "0.1",
    "delta_limit": "1024",
    "alpha": "0.8",
    "memory": "0.8",
    "longest_draw": "20",
    "seed": "1",
    "sizes": "16",
    "samples": "max",
    "platform": "none",
}
"""What the library does where nothing is set, for `starling doctor`."""


class SettingsError(Exception):
    """A settings file that cannot be used; the text has the file, the line, and the reason."""


@dataclass(frozen=True)
class Setting:
    """One setting in force."""

    value: str
    source: str


def find_file(folder: Path, environ: Mapping[str, str]) -> Path | None:
    """The starling.toml in force: of `folder`, else of $XDG_CONFIG_HOME/starling (~/.config/starling)."""
    config = users_folder(environ, "XDG_CONFIG_HOME", ".config")
    places = [folder / FILE, *([config / "starling" / FILE] if config else [])]
    return next((path for path in places if path.is_file()), None)


def _line_of(text: str, location: tuple[int | str, ...]) -> int:
    """The line where a key or table stands, as far as a search by its name finds it."""
    name = re.escape(str(location[-1])) if location else ""
    pattern = re.compile(rf"^\s*(\[+\s*)?([\w\"'.-]+\.)?[\"']?{name}[\"']?\s*([=.\]]|$)")
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), 1)


def read_file(path: Path) -> dict[str, str]:
    """The [run] table of a settings file as texts by the names of settings. Raises SettingsError."""
    try:
        text = path.read_text(encoding="utf-8")
        table = SettingsFile.model_validate(tomllib.loads(text)).run
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: cannot be read: byte {error.start} is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        number = line[1] if line else len(text.splitlines())
        raise SettingsError(f"{path}:{number}: not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = tuple(part for part in first["loc"])
        name = ".".join(map(str, place))
        raise SettingsError(f"{path}:{_line_of(text, place)}: {name}: {_reason(first)}") from error
    values = {name: _text(value) for name, value in table.model_dump(by_alias=True, exclude_none=True).items()}
    for name in ("history", "record", "platform"):  # paths in a file are meant from where the file is
        is_name = values.get(name) == "off" or (
            name == "platform" and (values.get(name) == NODES or is_short(values.get(name, "")))
        )
        if name in values and not is_name:
            values[name] = str(path.parent.absolute() / _from_home(values[name]))
    return values


def _reason(error: Mapping[str, Any]) -> str:
    """What is wrong with a value of the file, in words for people."""
    kind = error["type"]
    if kind == "extra_forbidden":
        return "unknown key"
    kinds = {
        "int_type": "a whole number",
        "float_type": "a number",
        "bool_type": "true or false",
        "string_type": "a text in quotes",
        "enum": f"one of {', '.join(Flavour)}",
        "model_type": "a table",
        "model_attributes_type": "a table",
    }
    return f"must be {kinds[kind]}, and is {error['input']!r:.60}" if kind in kinds else str(error["msg"])


def _from_home(text: str) -> str:
    """A path whose `~` at the front is the home."""
    known = home(os.environ)
    return str(known / text[2:]) if known and text.startswith("~/") else text


def place(path: Path, name: str) -> str:
    """Where a setting stands in a file: file, line and key."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    return f"{path}:{_line_of(text, ('run', name))}: run.{name}"


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def in_force(flags: Mapping[str, str], environ: Mapping[str, str], path: Path | None) -> dict[str, Setting]:
    """Every setting that something sets. Raises SettingsError for an unusable file."""
    found: dict[str, Setting] = {}
    if path is not None:
        found.update({name: Setting(value, str(path)) for name, value in read_file(path).items()})
    for name, variable in VARIABLES.items():
        if environ.get(variable):
            found[name] = Setting(environ[variable], variable)
    found.update({name: Setting(value, f"--{name}") for name, value in flags.items()})
    return found


def history_folder(settings: Mapping[str, Setting], environ: Mapping[str, str]) -> Path | None:
    """The folder of run records; nothing where the history is off."""
    if "history" not in settings:
        data = data_home(environ)
        return data / "starling" / "history" if data else None
    value = settings["history"].value
    return None if value == "off" else Path(value).absolute()


def variables(settings: Mapping[str, Setting], environ: Mapping[str, str]) -> dict[str, str]:
    """The STARLING_* variables that every rank must have. Paths are made absolute: ranks may work in another folder."""
    own = {name: value for name, value in environ.items() if name.startswith("STARLING_")}
    own.update({VARIABLES[name]: setting.value for name, setting in settings.items() if name in VARIABLES})
    own["STARLING_HISTORY"] = str(history_folder(settings, environ) or "off")
    if own.get("STARLING_RECORD"):
        own["STARLING_RECORD"] = str(Path(own["STARLING_RECORD"]).absolute())
    return own

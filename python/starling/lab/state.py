"""The state of a lab on disk: its folder below /run, its lock, and its description."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from starling.lab.plan import Options
from starling.messages import printable
from starling.networks import platform_file

ROOT = Path("/run/starling-lab")
DEFAULT_PREFIX = "starling"
_PREFIX = re.compile(r"[a-z][a-z0-9]{0,14}")
_PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux"}
_SYSTEM_FOLDERS = ("/usr/sbin", "/sbin")


class LabError(Exception):
    """A failure of the lab; the text gives it and what to do. `status` is the command's exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class State(BaseModel):
    """The file state.json of a lab. It is written before anything else is made, and removed last."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Literal[1] = Field(1, alias="schema")
    prefix: str
    stage: Literal["making", "up"]
    namespaces: tuple[str, ...]
    platform: dict[str, Any]
    mtu: int
    packet: int
    congestion: str
    rates: dict[str, int] = Field(default_factory=dict)
    """Current rates of links that differ from the original ones, by host, bits per second."""

    @property
    def options(self) -> Options:
        """How its network carries bytes."""
        return Options(self.mtu, self.packet, self.congestion)

    def described(self) -> platform_file.Platform:
        """The platform the lab was made from."""
        return platform_file.from_json(self.platform, "state.json")


def folder(prefix: str) -> Path:
    """The folder of a lab."""
    return ROOT / prefix


def check_prefix(prefix: str) -> None:
    """Raises LabError for a prefix that cannot begin names of namespaces."""
    if not _PREFIX.fullmatch(prefix):
        raise LabError(f"--prefix {printable(prefix)}: give up to 15 small letters and digits, a letter first", 2)


def require(*tools: str) -> None:
    """Adds the system's folders to PATH. Raises LabError for a missing tool, or where we are not root."""
    path = os.environ.get("PATH", os.defpath)
    missing_folders = [name for name in _SYSTEM_FOLDERS if name not in path.split(os.pathsep)]
    os.environ["PATH"] = os.pathsep.join([path, *missing_folders])
    missing = [name for name in tools if shutil.which(name) is None]
    if missing:
        packages = " ".join(dict.fromkeys(_PACKAGES[name] for name in missing))
        raise LabError(f"{' and '.join(missing)} missing; install: apt-get install {packages}")
    if os.geteuid() != 0:
        raise LabError("network namespaces need root; run it as root, or with sudo")


@contextlib.contextmanager
def locked() -> Iterator[int]:
    """A lock: only one process at a time makes labs or takes them down; others wait.

    The lock is a file handle. A command that inherits it keeps the lock if we are killed before the command ends.
    """
    while True:
        ROOT.mkdir(parents=True, exist_ok=True)
        handle = os.open(ROOT, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if ROOT.stat().st_ino == os.fstat(handle).st_ino:  # else the previous owner has removed it
                    yield handle
                    return
        finally:
            with contextlib.suppress(OSError):
                ROOT.rmdir()  # while it is locked, and only if empty
            os.close(handle)


def write(state: State) -> None:
    """Writes state.json, by renaming."""
    place = folder(state.prefix)
    place.mkdir(parents=True, exist_ok=True)
    half = place / ".state.json"
    half.write_text(state.model_dump_json(by_alias=True, indent=1) + "\n")
    half.replace(place / "state.json")


def read(prefix: str) -> State | None:
    """The state of a lab; None where there is none. Raises LabError for an invalid file."""
    path = folder(prefix) / "state.json"
    try:
        return State.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise LabError(
            f"{printable(path)}: {printable(first)}; another version of starling made this lab: take it down with that"
        ) from error


def up(prefix: str) -> State:
    """The state of a lab that is up. Raises LabError where it is not."""
    check_prefix(prefix)
    state = read(prefix)
    named = "" if prefix == DEFAULT_PREFIX else f" --prefix {prefix}"
    if state is None:
        others = [name for name in prefixes() if name != prefix]
        there = f" (there is: {', '.join(others)})" if others else ""
        raise LabError(f"no lab {prefix}{there}; make one: starling lab up{named} single:4")
    if state.stage != "up":
        raise LabError(f"lab {prefix} was not finished; make it again: starling lab up{named} {state.platform['name']}")
    return state


def prefixes() -> Sequence[str]:
    """The existing labs, finished or not."""
    return sorted(path.parent.name for path in ROOT.glob("*/state.json"))

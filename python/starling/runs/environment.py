"""`starling env` and `starling slurm`: tuning where nobody types `starling run`, in module files and job scripts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from starling.installation import variants
from starling.launchers import launcher, variables
from starling.messages import printable
from starling.runs import checks, settings

_FORWARDED = "OMPI_MCA_mca_base_env_list"
"""Variables that Open MPI's launcher passes to ranks on other nodes."""
_AT_COMMAND = re.compile(
    r"(?:^|(?<=[;&|({])|(?<=\bdo)|(?<=\bthen)|(?<=\belse)|(?<=\btime)|(?<=\bexec)|(?<=\bnohup)|(?<=!))"
    r"(?P<before>\s*(?:[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|\S)*\s+)*)"
    rf"(?P<launcher>(?:\S*/)?{launcher.NAMES}(?:\.\w+)?)(?=\s)"
)
"""A launcher where a command begins, behind assignments if there are any."""


class NotToBeHadError(Exception):
    """What was asked for cannot be had; the text says why and what to do."""


class Shell(StrEnum):
    """In whose words variables are set."""

    SH = "sh"
    CSH = "csh"
    LUA = "lua"
    TCL = "tcl"


def wanted(flavour: variants.Flavour | None, flags: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that tune every MPI program, or only those of a flavour. Raises NotToBeHadError.

    The history is left to each user's own place unless a setting names one: a module file is for all of them.
    """
    preloaded = variants.preloaded(flavour, environ)
    if not preloaded:
        missing = f"no library for {flavour}" if flavour else "the library is missing"
        raise NotToBeHadError(f"{missing}; build it with: starling doctor --build MPICC, as in mpicc")
    try:
        requested = settings.in_force(flags, environ, settings.find_files(settings.working_folder(), environ))
    except settings.SettingsError as error:
        raise NotToBeHadError(f"{error}; correct this first") from error
    in_force, wrong = checks.described(requested)
    wrong += [one for one in checks.wrong(in_force, environ) if one not in wrong]
    if wrong:
        raise NotToBeHadError(wrong[0].text)
    set_here = settings.variables(in_force, environ)
    # Not what the command itself uses: the lab's name, the file of an enclosing run.
    found = {**preloaded, **{name: set_here[name] for name in settings.VARIABLES.values() if name in set_here}}
    if "history" not in in_force:
        del found[settings.VARIABLES["history"]]
    if flavour in (None, variants.Flavour.OPENMPI):
        found[_FORWARDED] = ";".join(found)
    return found


def _sh(name: str, value: str) -> str:
    if name == variables.PRELOAD:
        return f'export {name}={shlex.quote(value)}"${{{name}:+:${name}}}"'
    return f"export {name}={shlex.quote(value)}"


def _csh(name: str, value: str) -> str:
    return f"setenv {name} {shlex.quote(value)}"


def _lua(name: str, value: str) -> str:
    text = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'prepend_path("{name}", {text}, ":")' if name == variables.PRELOAD else f'setenv("{name}", {text})'


def _tcl(name: str, value: str) -> str:
    text = '"' + re.sub(r'([\\"$\[\]])', r"\\\1", value) + '"'
    return f"prepend-path {name} {text}" if name == variables.PRELOAD else f"setenv {name} {text}"


_LINES: Mapping[Shell, Callable[[str, str], str]] = {
    Shell.SH: _sh,
    Shell.CSH: _csh,
    Shell.LUA: _lua,
    Shell.TCL: _tcl,
}


def lines(found: Mapping[str, str], shell: Shell) -> list[str]:
    """A line for each variable."""
    return [_LINES[shell](name, value) for name, value in found.items()]


def job_script(text: str) -> tuple[str, list[int]]:
    """A job script in which every launcher starts by `starling run`, and the numbers of the lines that were changed.

    Comments, lines that have it already, and what follows a line's end are left as they are.
    """
    changed = []
    result = []
    continued = False
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        is_code = not continued and not line.lstrip().startswith("#") and "starling run" not in line
        new = _AT_COMMAND.sub(r"\g<before>starling run -q -- \g<launcher>", line) if is_code else line
        if new != line:
            changed.append(number)
        result.append(new)
        continued = line.rstrip("\n").endswith("\\")
    return "".join(result), changed


def read_script(path: Path) -> str:
    """The text of a job script. Raises NotToBeHadError."""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise NotToBeHadError(f"{printable(path)}: cannot be read: {error.strerror}") from error
    if "\0" in text:
        raise NotToBeHadError(f"{printable(path)}: not a script; name the file that you give to sbatch")
    return text

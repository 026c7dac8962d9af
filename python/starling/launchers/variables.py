"""Passing variables to every rank of a launcher line, on remote nodes too, in the launcher's own way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from starling.launchers.launcher import Kind, Located, parts

PRELOAD = "LD_PRELOAD"
_OPENMPI_LIST = "mca_base_env_list"
_MUST_BE_FIRST = re.compile(r"lib(asan|tsan|hwasan)\b")


def joined_preload(ours: str, existing: str | None) -> str:
    """LD_PRELOAD with our library in it.

    Ours goes first, so that it sees the program's calls; an MPI tool behind it still sees all other calls, and other
    libraries are not affected. Only sanitizers must be first.
    """
    others = [item for item in re.split(r"[ :]+", existing or "") if item and item != ours]
    first = [item for item in others if _MUST_BE_FIRST.match(Path(item).name)]
    return ":".join([*first, ours, *(item for item in others if item not in first)])


def rewrite(
    line: Sequence[str], found: Located, variables: Mapping[str, str], environ: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The line and the environment that pass `variables` to every rank.

    A variable that the line itself sets keeps its value, except LD_PRELOAD, where both values are joined. In Open MPI's
    list of variables ours replace it: `starling env` puts names without values there.
    """
    ours = variables.get(PRELOAD)
    words = list(line)
    existing = environ.get(PRELOAD)
    for i in range(found.at):
        if ours is not None and words[i].startswith(f"{PRELOAD}="):  # env LD_PRELOAD=tool.so ...
            existing = words[i].partition("=")[2]
            if found.kind in (Kind.NONE, Kind.SRUN):
                words[i] = f"{PRELOAD}={joined_preload(ours, existing)}"
    wanted = dict(variables)
    if ours is not None:
        wanted[PRELOAD] = joined_preload(ours, existing)

    if found.kind is Kind.OPENMPI:
        return _for_openmpi(words, found, wanted, ours, environ)
    if found.kind is Kind.HYDRA:
        return _for_hydra(words, found, wanted, ours), dict(environ)
    env = {**environ, **wanted}
    if found.kind is Kind.SRUN:
        _for_srun(words, found, wanted, env)
    return words, env


def _in_list(listed: str, wanted: Mapping[str, str], ours: str | None) -> str:
    """Open MPI's list with our variables in place of those of the same names, which it would call a conflict."""
    added = dict(wanted)
    kept = []
    for item in filter(None, listed.split(";")):
        name, _, value = item.partition("=")
        if name not in wanted:
            kept.append(item)
        elif name == PRELOAD and ours is not None and value:
            added[PRELOAD] = joined_preload(ours, value)
    return ";".join([*kept, *(f"{name}={value}" for name, value in added.items())])


def _has_application_file(line: Sequence[str], found: Located) -> bool:
    """Whether a file, without any -x in it, says which programs are started."""
    part = parts(line, found)[0]
    files = [line[i + 1] for i in range(part.start, part.options_end - 1) if line[i] in ("-app", "--app")]
    if not files or not Path(files[0]).is_file():
        return False  # a pipe is for the launcher alone, and it will report what is not there
    try:
        return not {"-x", "--x"} & set(Path(files[0]).read_text(errors="replace").split())
    except OSError:
        return False


def _for_openmpi(
    line: list[str], found: Located, wanted: Mapping[str, str], ours: str | None, environ: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """`-x NAME=VALUE` in each part of the line; or in the list of variables, where it is used: both is an error.

    With an application file Open MPI 4 ignores every -x of the line, so the list is used unless the file has a -x.
    """
    env = dict(environ)
    key = f"OMPI_MCA_{_OPENMPI_LIST}"
    if key in env or _has_application_file(line, found):
        env[key] = _in_list(env.get(key, ""), wanted, ours)
        return line, env
    for part in parts(line, found):
        for i in range(part.start, part.options_end - 1):
            if line[i] == _OPENMPI_LIST:
                line[i + 1] = _in_list(line[i + 1], wanted, ours)
                return line, env

    result = line[: found.at + 1]
    for part in parts(line, found):
        options = line[part.start : part.options_end]
        set_here: set[str] = set()
        for i in range(len(options) - 1):
            if options[i] in ("-x", "--x"):
                name, _, value = options[i + 1].partition("=")
                set_here.add(name)
                if name == PRELOAD and ours is not None:
                    # A second -x would not work: Open MPI 4 takes the last value, 5 the first.
                    options[i + 1] = f"{name}={joined_preload(ours, value or environ.get(name))}"
        for name, value in wanted.items():
            if name not in set_here:
                result += ["-x", f"{name}={value}"]
        result += [*options, *line[part.options_end : part.end], *line[part.end : part.end + 1]]
    return result, env


def _for_hydra(line: list[str], found: Located, wanted: Mapping[str, str], ours: str | None) -> list[str]:
    """`-genv NAME VALUE` once, right behind the launcher."""
    set_here: set[str] = set()
    for part in parts(line, found):
        for i in range(part.start, part.options_end - 2):
            option, name = line[i].lstrip("-"), line[i + 1]
            if option in ("genv", "env") and line[i].startswith("-"):
                if option == "genv":
                    set_here.add(name)
                if name == PRELOAD and ours is not None:
                    line[i + 2] = joined_preload(ours, line[i + 2])
    added = [word for name, value in wanted.items() if name not in set_here for word in ("-genv", name, value)]
    return [*line[: found.at + 1], *added, *line[found.at + 1 :]]


def _for_srun(line: list[str], found: Located, wanted: Mapping[str, str], env: dict[str, str]) -> None:
    """Slurm exports the environment, unless `--export` or SLURM_EXPORT_ENV names what to export."""

    def with_ours(listed: str) -> str:
        items = [item for item in listed.split(",") if item and item.upper() not in ("NONE", "NIL")]
        if "ALL" in (item.upper() for item in items):
            return listed
        return ",".join([*items, *(name for name in wanted if name not in {item.partition("=")[0] for item in items})])

    for part in parts(line, found):
        for i in range(part.start, part.options_end):
            if line[i].startswith("--export="):
                line[i] = f"--export={with_ours(line[i].partition('=')[2])}"
            elif line[i] == "--export" and i + 1 < part.options_end:
                line[i + 1] = with_ours(line[i + 1])
    if "SLURM_EXPORT_ENV" in env:
        env["SLURM_EXPORT_ENV"] = with_ours(env["SLURM_EXPORT_ENV"])

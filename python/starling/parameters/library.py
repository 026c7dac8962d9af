"""Which parameters the MPI library of a launcher has, as its own tools list them."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from starling.launchers import launcher
from starling.messages import listed, printable
from starling.parameters.space import SpaceError, is_mca, variable

_TOOLS: Mapping[launcher.Kind, tuple[str, Sequence[str], re.Pattern[str]]] = {
    launcher.Kind.OPENMPI: (
        "ompi_info",
        ("--all", "--parsable"),
        re.compile(r"^mca:[^:]*:[^:]*:param:([^:]+):value:(.*)$", re.MULTILINE),
    ),
    launcher.Kind.HYDRA: ("mpivars", (), re.compile(r"^\s*(MPIR_CVAR_\w+)\s*=(\S*)\tSCOPE", re.MULTILINE)),
}
"""What lists the parameters of a family, beside its launcher, and how it writes a name and its value."""
_PREFIXES = {launcher.Kind.HYDRA: "MPIR_CVAR_"}
"""Of the names that the tool lists: other variables are not the library's."""

_USUAL: Mapping[launcher.Kind, Sequence[Sequence[str]]] = {
    launcher.Kind.OPENMPI: (
        ("btl_tcp_eager_limit=64K,256K,1M",),
        ("btl_tcp_links=1,2",),
        ("btl_sm_eager_limit=4K,16K", "btl_vader_eager_limit=4K,16K"),
    ),
}
"""What is worth trying first in a family of libraries, by the names of its releases, the newest first: from which size
on messages wait for their receivers, and how many connections carry them. A library's own value comes first."""


EXAMPLE = "btl_tcp_eager_limit=16K,64K,256K"
EXAMPLES = {launcher.Kind.HYDRA: "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling,reduce_scatter_allgather"}
"""Parameters to name where nothing is usual: of some families, and of all others."""


def defaults(line: Sequence[str], found: launcher.Located) -> dict[str, str]:
    """The parameters that the library of a launcher lists, and their values; empty where nothing lists them."""
    if found.kind not in _TOOLS:
        return {}
    name, options, pattern = _TOOLS[found.kind]
    path = Path(shutil.which(line[found.at]) or line[found.at]).absolute()
    try:
        done = subprocess.run(
            [str(path.with_name(name)), *options], capture_output=True, text=True, errors="replace", check=False
        )
    except OSError:
        return {}
    return {} if done.returncode else dict(pattern.findall(done.stdout))


def usual(line: Sequence[str], found: launcher.Located) -> list[str]:
    """Parameters with values that are worth trying, of those that the library of a launcher lists."""
    there = defaults(line, found)
    named = ([text for text in texts if text.partition("=")[0] in there] for texts in _USUAL.get(found.kind, ()))
    return [texts[0] for texts in named if texts]


def check(names: Iterable[str], line: Sequence[str], found: launcher.Located) -> dict[str, str]:
    """The values that the parameters have by default, as far as the library tells.

    Raises SpaceError for one that the library does not have, would not read, or that the line sets itself.
    """
    there = defaults(line, found)
    options = [
        *line[: found.at],
        *(word for part in launcher.parts(line, found) for word in line[part.start : part.options_end]),
    ]
    mca, prefix = found.kind is launcher.Kind.OPENMPI, _PREFIXES.get(found.kind, "")
    for name in names:
        if is_mca(name) and found.kind is launcher.Kind.HYDRA:
            raise SpaceError(f"{name}: a parameter of Open MPI; {printable(line[found.at])} starts another MPI library")
        if there and name not in there and (is_mca(name) if mca else name.startswith(prefix)):
            like = difflib.get_close_matches(name, there, n=3)
            raise SpaceError(f"{name}: this MPI library has no such parameter" + (f"; {listed(like)}?" if like else ""))
        set_by = (name, variable(name))
        if any(word.partition("=")[0] in set_by for word in options):
            raise SpaceError(f"{name}: the launcher line sets it itself; leave it out there")
    return there

"""The MPI library's own algorithms, as a job of one rank and Intel's tool list them (docs/library-algorithms.md)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starling.launchers import launcher as launchers
from starling.tables import intel_rules
from starling.tables.expressed import PREFIX
from starling.tuning.job import MpiJob

_INTEL = "Intel(R) MPI"
_INTELS_TOOL = "impi_info"
_RANGE = re.compile(r"range: 0-(\d+)")


def set_at_start(collective: str, line: Sequence[str], library: str, environ: Mapping[str, str]) -> list[str]:
    """The ways of a collective that the library of a launcher line takes only when a job starts: Intel MPI's."""
    if not library.startswith(_INTEL):
        return []
    path = Path(shutil.which(line[launchers.locate(line).at]) or "").absolute()
    beside = path.with_name(_INTELS_TOOL)
    tool = str(beside) if beside.is_file() else shutil.which(_INTELS_TOOL)
    if tool is None:
        return []
    # It needs Intel's library itself, which only a program's own path to it or Intel's set-up script names.
    folder = Path(tool).parents[1] / "lib"
    found = os.pathsep.join([str(folder), str(folder / "release"), *filter(None, [environ.get("LD_LIBRARY_PATH")])])
    try:
        done = subprocess.run(
            [tool, "-v", intel_rules.variable(collective)],
            env={**environ, "LD_LIBRARY_PATH": found},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError:
        return []
    match = _RANGE.search(done.stdout)
    return [intel_rules.way(number) for number in range(int(match[1]) + 1)] if match else []


def entries(launcher: str, collectives: Sequence[str], environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """The algorithms of the MPI that a launcher belongs to, in the form of the repository's listing.

    Raises JobError.
    """
    with MpiJob.compiled([launcher, "-n", "1"], None, environ) as job:
        job.start()
        found = [entry for one in collectives for entry in described(one, job.ways(one, 1), job.library)]
        for one in collectives:
            for way in set_at_start(one, [launcher], job.library, environ):
                ((variable, number),) = intel_rules.setting(one, way).items()
                says = f"{variable}={number}: tune measures it, export writes it; a running job cannot change to it"
                found.append({"collective": one, "name": way, "parameters": [], "says": says})
        return found


def described(collective: str, ways: Sequence[str], library: str) -> list[dict[str, Any]]:
    """An entry for each algorithm of the library among `ways`, with all values of its parameters."""
    found: dict[str, dict[str, dict[str, None]]] = {}
    for way in ways:
        name, _, bound = way.partition("?")
        if not name.startswith(PREFIX):
            continue
        values = found.setdefault(name, {})
        for item in filter(None, bound.split(",")):
            parameter, _, value = item.partition("=")
            values.setdefault(parameter, {})[value] = None
    product = " ".join(library.partition(",")[0].replace("Version:", "").split())  # MPICH's has both
    return [
        {
            "collective": collective,
            "name": name,
            "parameters": [{"name": one, "values": list(values)} for one, values in parameters.items()],
            "says": f"{name.removeprefix(PREFIX)} of {product}",
        }
        for name, parameters in found.items()
    ]

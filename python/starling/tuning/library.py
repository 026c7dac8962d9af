"""The MPI library's own algorithms, as a job of one rank lists them (docs/library-algorithms.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starling.tables.expressed import PREFIX
from starling.tuning.job import MpiJob


def entries(launcher: str, collectives: Sequence[str], environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """The algorithms of the MPI that a launcher belongs to, in the form of the repository's listing.

    Raises JobError.
    """
    with MpiJob.compiled([launcher, "-n", "1"], None, environ) as job:
        job.start()
        return [entry for one in collectives for entry in described(one, job.ways(one, 1), job.library)]


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
    product = library.partition(",")[0]
    return [
        {
            "collective": collective,
            "name": name,
            "parameters": [{"name": one, "values": list(values)} for one, values in parameters.items()],
            "says": f"{name.removeprefix(PREFIX)} of {product}",
        }
        for name, parameters in found.items()
    ]

"""The repository of algorithms, as the installed library itself lists it."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from starling.variants import package_folders


class RepositoryError(Exception):
    """The repository cannot be listed; the text says why and what to do."""


def listing() -> dict[str, Any]:
    """What `starling-repository` prints: `algorithms` and `strategies`. Raises RepositoryError."""
    places = [folder / "starling-repository" for folder in package_folders("libexec")]
    program = next((place for place in places if place.is_file()), None)
    if program is None:
        raise RepositoryError(
            f"{places[0]}: not there, the installation is incomplete; install again with: pip install ."
        )
    try:
        done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        found: dict[str, Any] = json.loads(done.stdout)
    except (OSError, subprocess.CalledProcessError, json.JSONDecodeError) as error:
        raise RepositoryError(f"{program}: {error}; install again with: pip install --force-reinstall .") from error
    return found


def algorithms(collective: str | None = None) -> list[dict[str, Any]]:
    """The algorithms, native ones first within a collective; all of them, or those of one collective.

    Raises RepositoryError, also for a collective that there is not.
    """
    found: list[dict[str, Any]] = listing()["algorithms"]
    names = list(dict.fromkeys(entry["collective"] for entry in found))
    if collective is not None and collective not in names:
        raise RepositoryError(f"no collective {collective} in the repository; there are: {', '.join(names)}")
    wanted = names if collective is None else [collective]
    result: list[dict[str, Any]] = []
    for name in wanted:
        here = [entry for entry in found if entry["collective"] == name]
        if all(entry["name"] != "native" for entry in here):
            result.append({"collective": name, "name": "native", "parameters": [], "says": "the MPI library's own way"})
        result += here
    return result


def _bound(parameter: Any) -> str:
    if isinstance(parameter, dict) and "name" in parameter:
        values = "|".join(str(value) for value in parameter.get("values", []))
        return f"{parameter['name']}={values}" if values else str(parameter["name"])
    return str(parameter)


def _parameters(entry: dict[str, Any]) -> str:
    parameters = entry.get("parameters") or []
    if isinstance(parameters, dict):
        parameters = [{"name": name, "values": values} for name, values in parameters.items()]
    return " ".join(_bound(parameter) for parameter in parameters)


def render(entries: list[dict[str, Any]], console: Console) -> None:
    """Prints a table of algorithms."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("collective", "name", "parameters", "says"):
        table.add_column(title, overflow="fold")
    for entry in entries:
        cells = (entry["collective"], entry["name"], _parameters(entry), entry.get("says", ""))
        table.add_row(*(Text(str(cell)) for cell in cells))
    console.print(table)

"""`starling export`: a tuning table as settings of an MPI library, which then needs no Starling."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from starling.algorithms import repository
from starling.messages import listed
from starling.tables import intel_rules, mpich_selection, mpich_variables, openmpi_rules, ucc_rules
from starling.tables.expressed import (
    Dialect,
    Expressed,
    Rules,
    express,
    for_every_communicator,
    on_other_nodes,
    translations,
)
from starling.tables.formats import Format
from starling.tables.table import Shape, Table, TableError


class Exported(NamedTuple):
    """The text for the library, how to use it, and a line for each part of the table that it does not say.

    A text that says nothing of the table has no use. `notes` are lines about all of the text.
    """

    text: str
    use: list[str]
    left_out: list[str]
    notes: Sequence[str] = ()


_OPERATORS = "its rules do not know operators: do not use them where reductions have operators that do not commute"


def _reading(file: str, launcher: str) -> str:
    """A line for a shell that reads a file of assignments, then starts a job with them."""
    named = file if "/" in file else f"./{file}"  # without a folder a shell looks on PATH
    return f". {shlex.quote(named)} && {launcher} ..."


def export(table: Table, to: Format, *, file: str, library: Path | None = None, ranks: int | None = None) -> Exported:
    """A table in the words of a library.

    `file` is where the text will be, `library` the MPICH that will read mpich-json, `ranks` the only number of ranks
    to say anything about. Raises TableError, or RepositoryError where the installation cannot list its algorithms.
    """
    listing = repository.listing()
    algorithms, traits = listing["algorithms"], listing["traits"]
    known = sorted({choice.ranks for choice in table.choices})
    if ranks is not None and ranks not in known:
        raise TableError(f"the table has nothing for {ranks} ranks; it has: {listed(known)}")

    def expressed(dialect: Dialect, kind: Callable[[Shape], str] | None = None) -> Expressed:
        found = express(table, dialect, algorithms, ranks, kind)
        if not found.entries:
            found.left_out.append(f"nothing of the table can be said so: {dialect.title} chooses as without it")
        return found

    def sourced(text: str, launcher: str, left_out: list[str], entries: list[Rules]) -> Exported:
        assigns = any(line.startswith("export ") for line in text.splitlines())
        return Exported(text, [_reading(file, launcher)] if assigns else [], left_out, on_other_nodes(entries))

    match to:
        case Format.OPENMPI_RULES | Format.OPENMPI_JSON:
            is_json = to is Format.OPENMPI_JSON
            entries, left_out = expressed(openmpi_rules.DIALECT, openmpi_rules.distribution if is_json else None)
            text = openmpi_rules.as_json(entries, left_out) if is_json else openmpi_rules.as_text(entries, left_out)
            variables = f"coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {shlex.quote(file)}"
            use = [
                f"mpirun --mca {variables} ...",
                *([_OPERATORS] if any(traits[entry.shape.collective]["reduces"] for entry in entries) else []),
            ]
            notes = openmpi_rules.on_other_nodes(entries) if is_json else on_other_nodes(entries)
            notes += openmpi_rules.on_sizes_and_nodes(entries)
            return Exported(text, use if entries else [], left_out, notes)
        case Format.MPICH_JSON:
            mpich, told = mpich_selection.library_for(table, library)
            entries, left_out = expressed(mpich_selection.dialect(mpich))
            text = mpich_selection.as_json(entries, mpich, left_out)
            told += mpich_selection.without_device(entries)
            use = [f"export {name}={shlex.quote(value)}" for name, value in mpich_selection.variables(entries, file)]
            return Exported(text, use if entries else [], left_out, [*on_other_nodes(entries), *told])
        case Format.MPICH_ENV:
            entries, left_out = expressed(mpich_variables.DIALECT)
            kept = for_every_communicator(entries, left_out)
            ways = translations(table, mpich_variables.DIALECT, algorithms)
            found = mpich_variables.as_environment(kept, table, ways)
            text = "".join(f"{line}\n" for line in found.lines)
            return sourced(text, "mpiexec", [*left_out, *found.left_out], kept)
        case Format.IMPI_ENV:
            entries, left_out = expressed(intel_rules.DIALECT)
            kept = for_every_communicator(entries, left_out)
            return sourced(intel_rules.as_environment(kept, left_out), "mpiexec", left_out, kept)
        case Format.UCC:
            entries, left_out = expressed(ucc_rules.DIALECT)
            launcher = f"mpirun --mca coll_ucc_enable 1 --mca coll_ucc_priority 100 -x {ucc_rules.VARIABLE}"
            return sourced(ucc_rules.as_string(entries), launcher, left_out, entries)

#!/usr/bin/env python3
"""Writes the MPI entry points of one build of the library from prototypes.toml.

usage: generate.py --abi openmpi|mpich|abi|smpi|any FOLDER

Writes into FOLDER: operations.hpp (the names of all counted operations), entries.cpp (a function for each entry point,
and their table) and symbols.inc (the exported names, for trampolines.S). For `any`, the library that chooses among the
others (src/chooser): symbols.inc and names.cpp, with the names that any of them has.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

PROTOTYPES = Path(__file__).with_name("prototypes.toml")
_TABLE: dict[str, Any] = tomllib.loads(PROTOTYPES.read_text())
TEMPLATES: dict[str, str] = tomllib.loads(Path(__file__).with_name("templates.toml").read_text())

PRELOADED = ("openmpi", "mpich", "abi")
"""The builds that are preloaded into programs; SimGrid's is linked."""


class Use(Enum):
    """What Starling does with a function."""

    TUNED = "tuned"
    COUNTED = "counted"
    STARTS = "starts"
    STOPS = "stops"
    FREES = "frees"
    FREES_TYPES = "frees_types"
    NAMES = "names_object"


@dataclass(frozen=True)
class Argument:
    """One argument of a collective, as prototypes.toml describes it."""

    name: str
    type: str
    large: str = ""
    call: str = ""
    fortran: str = "value"

    def c_type(self, *, large: bool) -> str:
        """Its C type in the ordinary or the large-count form."""
        return self.large if large and self.large else self.type

    def to_member(self, *, large: bool) -> str:
        """The statement that stores it in a Call."""
        counted = self.call in ("sendcounts", "recvcounts", "sdispls", "rdispls")
        has_addresses = "MPI_Aint" in self.type  # in the ordinary form too
        value = f"{{{self.name}, {str(large or has_addresses).lower()}}}" if counted else self.name
        return f"  call.{self.call} = {value};"

    def from_member(self, *, large: bool) -> str:
        """The expression that reads it from a Call."""
        c_type = self.c_type(large=large)
        if self.call in ("sendcounts", "recvcounts", "sdispls", "rdispls"):
            return f"static_cast<{c_type}>(call.{self.call}.values)"
        if self.call in ("sendcount", "recvcount"):
            return f"static_cast<{c_type}>(call.{self.call})"
        return f"call.{self.call}"

    def to_c(self) -> str:
        """The C argument, converted from the Fortran one."""
        if self.fortran == "Datatypes":
            return f"from_fortran::Datatypes({self.name}, {self.name[:4]}buf, comm)"
        if self.fortran in ("outgoing", "incoming"):
            return f"from_fortran::{self.fortran}({self.name}, comm)"
        return f"from_fortran::{self.fortran}({self.name})"


@dataclass(frozen=True)
class Function:
    """An MPI function: `name` without the prefix, in lower case; `collective` is its row in the table."""

    collective: str
    name: str
    arguments: tuple[Argument, ...]
    use: Use

    @property
    def c_name(self) -> str:
        """The name in the standard: MPI_Iallreduce."""
        return f"MPI_{self.name.capitalize()}"

    @property
    def has_large_form(self) -> bool:
        """Whether the standard has an _c form: if there is a count."""
        return any(argument.large for argument in self.arguments)

    @property
    def has_buffer(self) -> bool:
        """Whether data is moved."""
        return any(argument.fortran == "address" for argument in self.arguments)


def lacks(abi: str, what: str) -> bool:
    """Whether the MPI of a build lacks such functions."""
    return what in _TABLE["lacks"].get(abi, ())


def functions(abi: str) -> Iterator[Function]:
    """All functions without large-count forms: the blocking collectives first, in the order of the table."""
    known = {name: Argument(name, **what) for name, what in _TABLE["arguments"].items()}
    collectives = _TABLE["collectives"]
    neighbourhood = {} if lacks(abi, "neighbourhood") else _TABLE["neighbourhood"]
    counted = collectives | neighbourhood

    def function(collective: str, name: str, words: str, use: Use) -> Function:
        return Function(collective, name, tuple(known[word] for word in words.split()), use)

    for name, words in collectives.items():
        yield function(name, name, words, Use.TUNED)
    for name, words in neighbourhood.items():
        yield function(name, name, words, Use.TUNED)
    for name, words in counted.items():
        yield function(name, f"i{name}", f"{words} request", Use.COUNTED)
    for name, words in ({} if lacks(abi, "persistent") else counted).items():
        yield function(name, f"{name}_init", f"{words} info request", Use.COUNTED)
    for name, words in _TABLE["lifetime"].items():
        yield function(name, name, words, Use.STOPS if name == "finalize" else Use.STARTS)
    for name, words in _TABLE["freeing"].items():
        yield function(name, name, words, Use.FREES)
    for name, words in _TABLE["freeing_types"].items():
        yield function(name, name, words, Use.FREES_TYPES)
    for name, words in _TABLE["naming"].items():
        yield function(name, name, words, Use.NAMES)


def fortran_bindings(abi: str, function: Function) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The Fortran symbols whose calls bypass the C entry points.

    Open MPI's Fortran library calls PMPI_* everywhere: mpif.h and `use mpi` under one of four spellings, as the
    compiler has it, `use mpi_f08` through ompi_*_f. The MPICH family calls MPI_*, but PMPI_* for `use mpi_f08` where no
    buffer is involved.
    """
    name = function.name
    if lacks(abi, "fortran"):
        return
    if abi == "openmpi":
        yield "mpifh", (f"mpi_{name}_", f"mpi_{name}", f"mpi_{name}__", f"MPI_{name.upper()}")
        yield "f08", (f"ompi_{name}_f",)
    elif not function.has_buffer:
        yield "f08", (f"mpi_{name}_f08_",)


@dataclass(frozen=True)
class Entry:
    """An entry point, exported under `spellings`, and the code of its function, whose name is `wrapper`."""

    spellings: tuple[str, ...]
    wrapper: str
    is_fortran: bool
    code: str
    fallback: str = ""
    """The function called instead if the MPI library lacks this one."""

    @property
    def slot(self) -> str:
        """The C++ name of its slot number."""
        return f"slot_{self.spellings[0]}"


def c_entry(function: Function, *, large: bool) -> Entry:
    """The C entry point of a function, in its ordinary or its large-count form."""
    suffix = "_c" if large else ""
    symbol = function.c_name + suffix
    types = [argument.c_type(large=large) for argument in function.arguments]
    names = [argument.name for argument in function.arguments]
    template = TEMPLATES[function.use.value]
    code = ((TEMPLATES["native"] if function.use is Use.TUNED else "") + template).format(
        name=function.name + suffix,
        collective=function.collective,
        operation=function.name,
        slot=f"slot_{symbol}",
        types=", ".join(types),
        parameters=", ".join(f"{kind} {name}" for kind, name in zip(types, names, strict=True)),
        arguments=", ".join(names),
        object=names[0] if names else "",
        members=", ".join(argument.from_member(large=large) for argument in function.arguments),
        statements="\n".join(argument.to_member(large=large) for argument in function.arguments),
    )
    if not large:
        return Entry((symbol,), function.name, is_fortran=False, code=code)
    narrow = f"{function.name}_c_narrow"
    return Entry(
        (symbol,), function.name + suffix, is_fortran=False, code=code + narrow_form(function), fallback=narrow
    )


def significance(function: Function, argument: Argument) -> str:
    """A C++ expression: whether MPI looks at a count, or an array of a value for each rank, on this rank."""
    names = {one.name for one in function.arguments}
    side = next((one for one in ("send", "recv") if argument.name.startswith(one[0])), None)
    if side is None:
        return "root != MPI_PROC_NULL" if "root" in names else "true"
    in_place = f"{side}buf != MPI_IN_PLACE"
    if "root" not in names:
        return in_place if side == "send" else "true"
    if (side == "recv") == ("gather" in function.name):
        return "narrow.is_root(root)"
    # Between two groups only those of the other one have a part beside the root's.
    return f"root >= 0 && {in_place}"


def narrow_form(function: Function) -> str:
    """The large-count form for an MPI library that lacks it: calls the ordinary form if the counts fit."""
    narrowed, passed = [], []
    for argument in function.arguments:
        if not argument.large:
            passed.append(argument.name)
            continue
        passed.append(f"narrow_{argument.name}")
        sends = argument.name.startswith("s")
        is_array = "*" in argument.type
        method = "count" if not is_array else "sends" if sends else "receives"
        kind = "const int*" if is_array else "const int"
        value = f"narrow.{method}({argument.name}, {significance(function, argument)})"
        narrowed.append(f"  {kind} narrow_{argument.name} = {value};")
    # A reduction's results go to the rank's own group, in blocks.
    others = "own" if "reduce_scatter" in function.name else "others"
    return TEMPLATES["narrow"].format(
        name=f"{function.name}_c",
        ordinary=function.name,
        symbol=function.c_name,
        parameters=", ".join(f"{argument.c_type(large=True)} {argument.name}" for argument in function.arguments),
        peers="neighbours" if "neighbor" in function.name else others,
        lifetime="for_good" if any(argument.name == "request" for argument in function.arguments) else "until_return",
        narrowed="\n".join(narrowed),
        arguments=", ".join(passed),
    )


def fortran_entry(function: Function, binding: str, spellings: tuple[str, ...]) -> Entry:
    """A Fortran entry point: if tuned it calls the C one, else the MPI library's own Fortran function."""
    arguments = [argument for argument in function.arguments if argument.name not in ("argc", "argv")]
    names = [*(argument.name for argument in arguments), "ierror"]
    types = ["void*" if argument.fortran == "address" else "Fint*" for argument in arguments] + ["Fint*"]
    code = TEMPLATES[f"fortran_{function.use.value}"].format(
        name=function.name,
        binding=binding,
        operation=function.name,
        slot=f"slot_{spellings[0]}",
        types=", ".join(types),
        parameters=", ".join(f"{kind} {name}" for kind, name in zip(types, names, strict=True)),
        arguments=", ".join(names),
        inputs="".join(f"{name}, " for name in names[:-1]),
        converted=", ".join(argument.to_c() for argument in arguments),
    )
    return Entry(spellings, f"{function.name}_{binding}", is_fortran=True, code=code)


def entries(abi: str) -> Iterator[Entry]:
    """Every entry point of a build, the C ones before the Fortran ones that call them."""
    for function in functions(abi):
        yield c_entry(function, large=False)
        if function.has_large_form and not lacks(abi, "large-count"):
            yield c_entry(function, large=True)
    for function in functions(abi):
        for binding, spellings in fortran_bindings(abi, function):
            yield fortran_entry(function, binding, spellings)


def symbols(every: Sequence[tuple[str, ...]]) -> str:
    """The text of symbols.inc, for entries with these spellings."""
    lines = [f"SYMBOL({slot}, {name})" for slot, spellings in enumerate(every) for name in spellings]
    return TEMPLATES["symbols"].format(count=len(every), symbols="\n".join(lines))


def generate_names() -> dict[str, str]:
    """The text of each generated file, by file name, of the library that chooses."""
    every = sorted({name for abi in PRELOADED for entry in entries(abi) for name in entry.spellings})
    names = "\n".join(f'    "{name}",' for name in every)
    return {"names.cpp": TEMPLATES["names"].format(names=names), "symbols.inc": symbols([(name,) for name in every])}


def table_row(entry: Entry) -> str:
    """The row of the table of entries."""
    spellings = ", ".join(f'"{name}"' for name in entry.spellings)
    fallback = f", address_of({entry.fallback})" if entry.fallback else ""
    return f"      Entry{{{{{spellings}}}, {str(entry.is_fortran).lower()}, address_of({entry.wrapper}){fallback}}},"


def generate(abi: str) -> dict[str, str]:
    """The text of each generated file, by file name."""
    operations = [function.name for function in functions(abi) if function.use in (Use.TUNED, Use.COUNTED)]
    every = list(entries(abi))
    return {
        "operations.hpp": TEMPLATES["operations"].format(
            count=len(operations), names="\n".join(f'    "{name}",' for name in operations)
        ),
        "entries.cpp": TEMPLATES["entries"].format(
            slots="\n".join(f"  {entry.slot}," for entry in every),
            functions="".join(entry.code for entry in every),
            table="\n".join(table_row(entry) for entry in every),
        ),
        "symbols.inc": symbols([entry.spellings for entry in every]),
    }


def main() -> None:
    """Writes the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--abi", choices=(*PRELOADED, "smpi", "any"), required=True)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    files = generate_names() if arguments.abi == "any" else generate(arguments.abi)
    for name, text in files.items():
        (arguments.folder / name).write_text(text)


if __name__ == "__main__":
    main()

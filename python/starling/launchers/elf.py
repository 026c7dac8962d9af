"""The needs of an executable or a shared library, read from its ELF file without executing it.

`ldd` would run the program's own loader on a file that the user may not trust, and it fails for other architectures.
"""

from __future__ import annotations

import functools
import mmap
import os
import re
import struct
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 1, 5, 15, 29

_OPENMPI = re.compile(r"libmpi(_mpifh|_usempi\w*|_cxx)?\.so\.(?!1[0-9]\b)\d+$")
_MPICH = re.compile(r"lib(mpi|mpich|mpifort|mpicxx|mpi_cray|mpi_gnu_\w+|mpifort_\w+)\.so\.1[0-9]$")
_ABI = re.compile(r"libmpi_abi\.so(\.\d+)?$")

_DEFAULT_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


class Needs(NamedTuple):
    """The dynamic section of an ELF file: names of libraries, and folders to search for them."""

    needed: tuple[str, ...]
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()


def needs(path: Path) -> Needs | None:
    """Reads the dynamic section; None where the file is not ELF, is truncated or cannot be read.

    A statically linked program has empty needs.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                return None
            # Mapped, for programs may have a hundred megabytes, of which some pages are needed.
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _dynamic_section(data)
    except (OSError, struct.error, ValueError, LookupError, OverflowError, StopIteration):
        return None


def _dynamic_section(data: mmap.mmap) -> Needs:
    wide = data[4] == 2
    order = "<" if data[5] == 1 else ">"
    if wide:
        (phoff,) = struct.unpack_from(order + "Q", data, 32)
        size, count = struct.unpack_from(order + "HH", data, 54)
    else:
        (phoff,) = struct.unpack_from(order + "I", data, 28)
        size, count = struct.unpack_from(order + "HH", data, 42)

    loads: list[tuple[int, int, int]] = []  # address, offset in the file, length in the file
    dynamic: tuple[int, int] | None = None
    for number in range(count):
        at = phoff + number * size
        if wide:
            kind, _, offset, address, _, length = struct.unpack_from(order + "IIQQQQ", data, at)
        else:
            kind, offset, address, _, length = struct.unpack_from(order + "IIIII", data, at)
        if kind == _PT_LOAD:
            loads.append((address, offset, length))
        elif kind == _PT_DYNAMIC:
            dynamic = (offset, length)
    if dynamic is None:
        return Needs(())

    entry = struct.Struct(order + ("qQ" if wide else "iI"))
    tags: dict[int, list[int]] = {}
    for tag, value in entry.iter_unpack(data[dynamic[0] : dynamic[0] + dynamic[1] // entry.size * entry.size]):
        if tag == 0:
            break
        tags.setdefault(tag, []).append(value)
    table = next(offset + tags[_DT_STRTAB][0] - at for at, offset, n in loads if at <= tags[_DT_STRTAB][0] < at + n)

    def texts(tag: int) -> list[str]:
        places = [(start, data.find(b"\0", start)) for start in (table + value for value in tags.get(tag, []))]
        if any(end < 0 for _, end in places):
            raise ValueError("a text does not end")
        return [os.fsdecode(data[start:end]) for start, end in places]

    def folders(tag: int) -> tuple[str, ...]:
        return tuple(folder for text in texts(tag) for folder in text.split(":") if folder)

    return Needs(tuple(texts(_DT_NEEDED)), folders(_DT_RPATH), folders(_DT_RUNPATH))


@functools.cache
def _loader_cache(path: str = "/etc/ld.so.cache") -> Mapping[str, tuple[str, ...]]:
    """Library name -> paths, in the loader's order; empty without a cache in glibc's current format."""
    try:
        data = Path(path).read_bytes()
        start = data.index(b"glibc-ld.so.cache1.1")
        (count,) = struct.unpack_from("=I", data, start + 20)
        found: dict[str, tuple[str, ...]] = {}
        for number in range(count):
            _, key, value = struct.unpack_from("=iII", data, start + 48 + 24 * number)
            name, where = (os.fsdecode(data[start + at : data.index(0, start + at)]) for at in (key, value))
            found[name] = (*found.get(name, ()), where)
    except (OSError, ValueError, struct.error):
        return {}
    return found


def _places(name: str, user: Path, wanted: Needs, environ: Mapping[str, str]) -> Iterator[Path]:
    """The paths that the loader tries for `name`, needed by the file `user`, in its order."""
    if "/" in name:
        yield Path(name)
        return
    origin = str(user.resolve().parent)
    for folder in (
        *(() if wanted.runpath else wanted.rpath),
        *environ.get("LD_LIBRARY_PATH", "").split(":"),
        *wanted.runpath,
    ):
        if folder:
            yield Path(folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)) / name
    yield from map(Path, _loader_cache().get(name, ()))
    yield from (Path(folder) / name for folder in _DEFAULT_FOLDERS)


def abi_of_library(name: str) -> str | None:
    """The ABI of an MPI library by its name: `openmpi`, `mpich` or `abi` (MPI 5); None for other libraries."""
    for abi, pattern in (("abi", _ABI), ("mpich", _MPICH), ("openmpi", _OPENMPI)):
        if pattern.match(name):
            return abi
    return None


def libraries(program: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """The names of the libraries that a program needs, direct ones first, then indirect ones; names may repeat."""
    waiting = deque([program])
    seen: set[str] = set()
    while waiting:
        user = waiting.popleft()
        wanted = needs(user)
        if wanted is None:
            continue
        yield from wanted.needed
        for name in wanted.needed:
            if name not in seen:
                seen.add(name)
                found = next((place for place in _places(name, user, wanted, environ) if place.is_file()), None)
                if found is not None:
                    waiting.append(found)


def mpi_of(program: Path, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The ABI and the name of the MPI library that a program needs, directly or through its libraries.

    None where it needs none: an interpreter, a script, a statically linked program.
    """
    for name in libraries(program, environ):
        if abi := abi_of_library(Path(name).name):
            return abi, name
    return None


def needs_pmix(program: Path, environ: Mapping[str, str]) -> bool:
    """Whether a program or its MPI is linked with PMIx."""
    return any(Path(name).name.startswith("libpmix.so") for name in libraries(program, environ))

"""Running programs under Starling for tests, and the candidates of its repository."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starling.algorithms import repository
from starling.installation import variants
from starling.launchers.variables import PRELOAD
from starling.records import record
from support.mpis import ROOT, Mpi, made_once, run_ranks
from support.processes import Outcome

STARLING = (sys.executable, "-m", "starling")
"""The command, as installed for the interpreter of the tests."""

LARGEST = 8192
"""Largest parameter value tested, in bytes: larger ones would not divide the tests' small messages."""

SMALL_ENOUGH = 1024
SMALL = "32"
"""An additional value for parameters that have only larger ones: any number may be forced."""


def library(mpi: Mpi) -> Path:
    """The variant that serves an MPI; AssertionError where it is not built."""
    found = variants.library(variants.Variant(mpi.abi), os.environ)
    assert found is not None, f"no variant of the library for {mpi}"
    return found


def chooser() -> Path:
    """The library that `starling run` preloads; AssertionError where it is not built."""
    found = variants.preloaded(None, os.environ)
    assert found, "libstarling.so is not built"
    return Path(found[PRELOAD])


def values(parameter: dict[str, Any]) -> list[str]:
    """The values of a parameter that matter to small messages."""
    offered: list[str] = parameter["values"]
    few = [value for value in offered if not value.isdigit() or int(value) <= LARGEST]
    small = any(value.isdigit() and int(value) <= SMALL_ENOUGH for value in offered)
    has_sizes = any(value.isdigit() for value in offered)
    return few if small or not has_sizes else [*few, SMALL]


def combination(choices: Mapping[str, Sequence[str]], number: int) -> dict[str, str]:
    """One value of each parameter, by the digits of `number` in a mixed base."""
    bound: dict[str, str] = {}
    for name, offered in choices.items():
        number, digit = divmod(number, len(offered))
        bound[name] = offered[digit]
    return bound


@functools.cache
def candidates(turn: int = 0) -> dict[str, tuple[str, ...]]:
    """Every way but native of each collective among all ranks, in the form of `forced:`.

    Each is included with two combinations of its parameters' values, which depend on the turn; enough turns use all.
    Ways among neighbours are for tests/mpi/neighbours.cpp, which makes the topologies that they need.
    """
    found: dict[str, list[str]] = {}
    for algorithm in repository.algorithms(repository.listing()):
        if algorithm["name"] == "native" or algorithm["collective"].startswith("neighbor_"):
            continue
        choices = {parameter["name"]: values(parameter) for parameter in algorithm["parameters"]}
        for i in (2 * turn, 2 * turn + 1):
            bound = ",".join(f"{name}={value}" for name, value in combination(choices, i).items())
            name = algorithm["name"] + (f"?{bound}" if bound else "")
            names = found.setdefault(algorithm["collective"], [])
            if name not in names:
                names.append(name)
    return {collective: tuple(names) for collective, names in found.items()}


@functools.cache
def considerate(folder: Path, *, sleeping: bool = True) -> Path:
    """A library that makes waiting ranks yield their processor and in time sleep, compiled into `folder`."""
    polls = [] if sleeping else ["-DPOLLS_BEFORE_SLEEP=INT_MAX"]
    line = ["cc", "-O2", "-shared", "-fPIC", *polls, str(ROOT / "tests/support/yield.c"), "-o"]
    name = "yield.so" if sleeping else "yield_awake.so"
    return made_once(folder / name, line, lambda built: subprocess.run([*line, str(built)], check=True))


def tuned_spy(folder: Path) -> Path:
    """A library that, preloaded, tells which algorithms of Open MPI's component `tuned` are called, and with what."""
    line = ["cc", "-O1", "-shared", "-fPIC", str(ROOT / "tests/mpi/tuned_spy.c"), "-ldl", "-o"]
    return made_once(folder / "spy.so", line, lambda built: subprocess.run([*line, str(built)], check=True))


def preloaded(mpi: Mpi, folder: Path, first: Sequence[Path] = (), *, sleeping: bool = True) -> dict[str, str]:
    """The environment that preloads those libraries, and one for more ranks than processors.

    Where times count, ranks should not sleep: MPICH 4 alone needs it then.
    """
    polls = mpi.name == "mpich4" or (mpi.flavour == "openmpi" and sleeping)
    libraries = [*first, *([considerate(folder, sleeping=sleeping)] if polls else [])]
    return {"LD_PRELOAD": ":".join(map(str, libraries))} if libraries else {}


_PRINTED: dict[object, str] = {}


def printed_natively(mpi: Mpi, ranks: int, argv: Sequence[str], folder: Path, timeout: float = 60) -> str:
    """What a program prints without Starling, in one run for all tests of this process that ask for it."""
    program, *arguments = argv
    of = (mpi.name, ranks, hashlib.sha256(Path(program).read_bytes()).digest(), *arguments)
    if of not in _PRINTED:
        _PRINTED[of] = run_ranks(mpi, ranks, argv, preloaded(mpi, folder), timeout).check().stdout
    return _PRINTED[of]


def on_hosts_of(ranks: int, argv: Sequence[str]) -> list[str]:
    """A program of which so many ranks at a time see a host name of their own, and so are on a node of their own.

    As root.
    """
    name = f"host$((${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} / {ranks}))"
    return ["unshare", "--uts", "sh", "-c", f'echo {name} >/proc/sys/kernel/hostname && exec "$@"', "sh", *argv]


def on_hosts_of_two(argv: Sequence[str]) -> list[str]:
    """A program each pair of whose ranks is on a node of its own."""
    return on_hosts_of(2, argv)


def run_tuned(
    mpi: Mpi,
    ranks: int,
    argv: Sequence[str],
    strategy: str,
    folder: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    before: Sequence[str] = (),
) -> tuple[Outcome, record.RunRecord]:
    """Runs a program with the library preloaded and a strategy in force; the outcome and the run's record.

    `before` stands in front of the launcher.
    A job that fails or leaves no record is an AssertionError.
    """
    path = folder / "record.json"
    path.unlink(missing_ok=True)
    settings = {
        "STARLING_STRATEGY": strategy,
        "STARLING_RECORD": str(path),
        "STARLING_HISTORY": "off",
        "STARLING_PLATFORM": "nodes",
    }
    outcome = run_ranks(
        mpi, ranks, argv, {**preloaded(mpi, folder, [library(mpi)]), **settings, **(env or {})}, timeout, before=before
    ).check()
    assert path.is_file(), f"no record\n{outcome.report()}"
    return outcome, record.read(path)[0]

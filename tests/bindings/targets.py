"""The targets of the tests of entry points: each MPI library with its variant of Starling."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from support.mpis import ROOT, Mpi, debian_mpis, installed_mpis, mpi_named, run_ranks
from support.processes import Outcome

HERE = Path(__file__).parent
CHOOSER = "chooser"
"""In place of a variant: the library that chooses one in the program."""
DEBIAN = ("openmpi4", "mpich4")


def library(variant: str) -> Path:
    """The file of a variant, or of CHOOSER, in the folder STARLING_TEST_LIBRARIES or else in the installed package.

    AssertionError where it is not built.
    """
    name = f"libstarling-{variant}.so" if variant != CHOOSER else "libstarling.so"
    folder = os.environ.get("STARLING_TEST_LIBRARIES")
    if folder:
        found: Path | None = Path(folder) / name
    else:
        from starling.installation import variants  # noqa: PLC0415 - a folder of libraries is enough to run these tests

        found = next(place for folder in variants.library_folders(os.environ) if (place := folder / name).is_file())
    assert found is not None, f"{name} is not built"
    assert found.is_file(), f"{found} is not built"
    return found


@dataclass(frozen=True)
class Target:
    """An MPI library as one of its ABIs, and the variant of Starling for that."""

    mpi: Mpi
    variant: str

    def __str__(self) -> str:
        return self.mpi.name

    def run(
        self, argv: Sequence[str], folder: Path, ranks: int = 4, env: Mapping[str, str] | None = None, variant: str = ""
    ) -> Run:
        """Runs a program under the variant (or another one), with `folder` for its record."""
        history = folder / f"history-{self}"
        settings = {
            "LD_PRELOAD": str(library(variant or self.variant)),
            "STARLING_HISTORY": str(history),
            **(env or {}),
        }
        return Run(run_ranks(self.mpi, ranks, argv, settings, timeout=120).check(), history)


@dataclass(frozen=True)
class Run:
    """A finished program, and the folder that its record was to go to."""

    outcome: Outcome
    history: Path

    @property
    def records(self) -> list[Path]:
        """The records that it left."""
        return sorted(self.history.glob("*.json"))

    @property
    def calls(self) -> dict[str, int]:
        """How often each operation was intercepted on rank 0. AssertionError if there is not exactly one record."""
        assert len(self.records) == 1, f"{self.records}\n{self.outcome.report()}"
        counted: Counter[str] = Counter()
        for context in json.loads(self.records[0].read_text())["contexts"]:
            counted[context["collective"]] += context["calls"]
        return dict(counted)


def targets() -> list[Target]:
    """Every installed MPI, and the standard ABI of those that have it. Debian's two must be there."""
    present = {mpi.name for mpi in debian_mpis()}
    assert present >= set(DEBIAN), (
        f"Debian's Open MPI and MPICH are needed, with their headers; found {sorted(present)}"
    )
    found = [Target(mpi, mpi.abi) for mpi in installed_mpis()]
    for target in tuple(found):
        wrapper = target.mpi.mpicc.with_name("mpicc_abi")
        if wrapper.exists():
            in_cxx = target.mpi.mpicxx.with_name("mpicxx_abi")
            found.append(Target(replace(target.mpi, name=f"{target}-abi", mpicc=wrapper, mpicxx=in_cxx), "abi"))
    return found


def target_named(name: str) -> Target:
    """The target of that name."""
    mpi = mpi_named(name)
    return Target(mpi, mpi.abi)


def operation_names() -> list[str]:
    """Every operation that the library counts, from the generated list."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-B", str(ROOT / "src/bindings/generate.py"), "--abi", "abi", folder]
        subprocess.run(line, check=True)
        return re.findall(r'^    "(\w+)",$', (Path(folder) / "operations.hpp").read_text(), re.MULTILINE)

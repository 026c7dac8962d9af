"""Whole programs, run as jobs: those of bench/programs, and Debian's; what each of them must find.

Those of bench/programs check their own results and time their steps. LAMMPS, HPCC and Quantum ESPRESSO are Debian's,
unchanged: their time is that of the whole job, including its launch, and their output must be the same in all ways.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from starling.lab import idle
from starling.lab.measured import MeasuredError

PROGRAMS = Path(__file__).with_name("programs")
GRID = {4: (2, 2), 8: (2, 4), 16: (4, 4)}
"""Ranks of HPL and PTRANS in rows and columns."""


class WrongError(MeasuredError):
    """A program that failed, or gave another result under Starling."""


@dataclass(frozen=True)
class Real:
    """A program that is not ours; `result` extracts from its output and folder the part that must not change.

    `tolerance` is relative. `kernels` extracts the seconds of parts that the program times itself.
    """

    argv: tuple[str, ...]
    result: Callable[[str, Path], list[float]]
    tolerance: float
    kernels: Callable[[Path], dict[str, float]] = field(default=lambda _: {})

    def agree(self, found: Sequence[float], expected: Sequence[float]) -> bool:
        """Whether two results are the same."""
        pairs = zip(found, expected, strict=True)
        return all(math.isclose(one, other, rel_tol=self.tolerance) for one, other in pairs)


def last_line_of_numbers(output: str, _: Path) -> list[float]:
    """The last step in the table that LAMMPS prints."""
    lines = re.findall(r"^ *(\d+(?: +[-+0-9.e]+){4,5}) *$", output, re.MULTILINE)
    return [float(word) for word in lines[-1].split()]


def total_energy(output: str, _: Path) -> list[float]:
    """That of Quantum ESPRESSO, in Ry."""
    return [float(re.findall(r"^!\s+total energy\s+=\s+(\S+) Ry", output, re.MULTILINE)[-1])]


def tests_passed(_: str, folder: Path) -> list[float]:
    """How many of each group of HPCC's own tests passed: all. It leaves out rows whose processor time reads 0."""
    text = (folder / "hpccoutf.txt").read_text()
    if "Success=1" not in text or "FAILED" in text:
        raise WrongError("hpcc: a test of its own failed")
    return [float(found) for found in re.findall(r"^\s*(\d+) tests completed and passed", text, re.MULTILINE)]


def kernels_of_hpcc(folder: Path) -> dict[str, float]:
    """The two parts of HPCC that Zheng et al. time: MPIFFT, by its rate for 5 n log2 n operations, and RandomAccess."""
    summary = dict(re.findall(r"^(\w+)=(\S+)$", (folder / "hpccoutf.txt").read_text(), re.MULTILINE))
    points = float(summary["MPIFFT_N"])
    return {
        "MPIFFT": 5 * points * math.log2(points) / (1e9 * float(summary["MPIFFT_Gflops"])),
        "MPIRandomAccess": float(summary["MPIRandomAccess_time"]),
    }


REAL = {
    "lmp melt": Real(("lmp", "-in", "melt.lmp", "-log", "none"), last_line_of_numbers, 1e-5),
    "lmp salt": Real(("lmp", "-in", "salt.lmp", "-log", "none"), last_line_of_numbers, 1e-5),
    "pw.x": Real(("pw.x", "-nd", "1", "-in", "silicon.in"), total_energy, 1e-8),
    "hpcc": Real(("hpcc",), tests_passed, 0, kernels_of_hpcc),
}


def mpi_of(program: Path) -> str:
    """The MPI library that a program loads."""
    shown = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = re.search(r"libmpi(?:ch)?\.so\S* => (\S+)", shown)
    return found[1] if found else "no MPI"


def with_inputs(folder: Path) -> None:
    """Puts the inputs of all programs into a folder."""
    for file in (PROGRAMS / "inputs").iterdir():
        shutil.copy(file, folder)


def with_hpcc_input(folder: Path, size: int, ranks: int) -> None:
    """Sets the order of HPCC's matrices and its grid of ranks, in a folder with inputs."""
    rows, columns = GRID[ranks]
    lines = (folder / "hpccinf.txt").read_text().splitlines()
    for number, value in ((5, size), (10, rows), (11, columns)):
        lines[number] = f"{value} {lines[number].split(maxsplit=1)[1]}"
    (folder / "hpccinf.txt").write_text("\n".join(lines) + "\n")


@dataclass(frozen=True)
class Run:
    """One job: seconds of its steps or of all of it, what it computed, seconds of parts, the share of idle time."""

    seconds: list[float]
    result: list[float]
    kernels: dict[str, float]
    cpu_idle: float


class Runner:
    """Programs compiled for one MPI, and jobs of them, each in a fresh folder with all inputs."""

    def __init__(self, mpicc: str, ours: Sequence[str], folder: Path, timeout: float) -> None:
        self._folder = folder
        self._timeout = timeout
        self._env = {name: value for name, value in os.environ.items() if name != "STARLING_PLATFORM"}
        self._env |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        for name in ours:
            files = [str(PROGRAMS / f"{name}.c"), "-o", str(folder / name)]
            subprocess.run([mpicc, "-std=c99", "-O2", *files, "-lm"], check=True)
        self.library = mpi_of(folder / ours[0])
        """That of the compiled programs."""

    def why_not(self, program: str) -> str:
        """Why one of REAL cannot be measured here; empty if it can."""
        name = REAL[program].argv[0]
        found = shutil.which(name)
        if found is None:
            return f"{name} is not installed"
        theirs = mpi_of(Path(found))
        return "" if theirs == self.library else f"made for {theirs}, and the jobs run on {self.library}"

    def run(
        self,
        argv: Sequence[str],
        launcher: Sequence[str],
        real: Real | None = None,
        *,
        before: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        prepare: Callable[[Path], None] = lambda _: None,
    ) -> Run:
        """One job of `before`, the launcher, and a program with its arguments. Raises WrongError."""
        program = self._folder / argv[0]
        line = [*before, *launcher, *((str(program), *argv[1:]) if real is None else argv)]
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            folder = Path(place)
            with_inputs(folder)
            prepare(folder)
            ticks, start = idle.ticks(), time.monotonic()
            output = self.start(line, folder, env)
            wall = round(time.monotonic() - start, 3)
            share = round(idle.ticks().idle_since(ticks), 3)
            if real is not None:
                return Run([wall], real.result(output, folder), real.kernels(folder), share)
            printed = json.loads(output)
            return Run(printed["step_seconds"], [printed["check"]], {}, share)

    def start(self, line: Sequence[str], folder: Path | None = None, env: Mapping[str, str] | None = None) -> str:
        """Runs a line as all jobs here are run; what it prints. Raises WrongError where it fails."""
        done = subprocess.run(
            line,
            capture_output=True,
            text=True,
            check=False,
            cwd=folder or self._folder,
            env={**self._env, **(env or {})},
            timeout=self._timeout,
        )
        if done.returncode != 0:
            raise WrongError(f"{' '.join(line)}: exit status {done.returncode}: {done.stderr.strip()[-500:]}")
        return done.stdout

"""The MPI libraries that tests run on: Debian's, and those that `make test` installs from PyPI beside the sources."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.processes import Outcome, run_job

ROOT = Path(__file__).resolve().parents[2]
"""The top folder of the sources."""

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")

OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}

_NO_DEVICES = {"HWLOC_COMPONENTS": "-pci,-linuxio", "HWLOC_PLUGINS_PATH": "/nonexistent"}
"""Debian's hwloc looks for no devices. Else the launcher and each rank read all their registers, which in a virtual
machine is nearly half of the processor time of a short job, and load libraries of graphics cards."""

ON_FEW_PROCESSORS = {
    # A transport for networks that are not here lets each rank wait for a fifth of a second in MPI_Init.
    "openmpi4": {
        **_NO_DEVICES,
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,vader,tcp",
        "OMPI_MCA_mtl": "^ofi,psm,psm2",
    },
    # To make transports between hosts ready would be a quarter of the processor time of a short job.
    "mpich4": {**_NO_DEVICES, "UCX_TLS": "self,posix,cma"},
    # Its transport for networks that are not here sleeps a second in MPI_Init; to ask others before the one named here,
    # which it takes in any case, would be two thirds of the processor time of a short job.
    "openmpi5": {"OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "^ofi"},
    # Ranks that only yield take seven times the processor time of those that sleep, and four times as long.
    "mpich5": {
        "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
        "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "32",
        "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    },
    "intel": {"I_MPI_THREAD_YIELD": "3"},
}
"""By MPI: jobs start quickly, and ranks that wait give their processor away, since tests have more ranks than
processors. Open MPI 4 does so by itself; MPICH 4 has no setting for that: `preloaded` of support.tuned does it."""


@dataclass(frozen=True)
class Mpi:
    """An installed MPI library.

    `name` is `openmpi4`, `mpich4`, `openmpi5`, `mpich5` or `intel`; `flavour` is `openmpi`, `mpich` or `intel`;
    `launcher` is the launcher with its options up to the one that takes the number of ranks.
    """

    name: str
    flavour: str
    mpicc: Path
    mpicxx: Path
    launcher: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    mpifort: Path | None = None
    prefix: Path | None = None
    """The virtual environment of this MPI; None for Debian's."""

    @property
    def abi(self) -> str:
        """The variant of the library that serves it: `openmpi` or `mpich`."""
        return "openmpi" if self.flavour == "openmpi" else "mpich"

    def __str__(self) -> str:
        return self.name


def _debian(name: str, flavour: str, suffix: str, options: tuple[str, ...], env: Mapping[str, str]) -> Mpi | None:
    tools = {tool: shutil.which(f"{tool}.{suffix}") for tool in ("mpicc", "mpicxx", "mpirun", "mpifort")}
    mpicc, mpicxx, mpirun, mpifort = (Path(path) if path else None for path in tools.values())
    if mpicc is None or mpicxx is None or mpirun is None:
        return None
    return Mpi(name, flavour, mpicc, mpicxx, (str(mpirun), *options), env, mpifort)


def _environment(name: str, flavour: str, folder: str, options: tuple[str, ...], env: Mapping[str, str]) -> Mpi | None:
    prefix = Path(os.environ.get("STARLING_TEST_ENVIRONMENTS", ROOT)) / folder
    tools = prefix / "bin"
    if not (tools / "mpicc").exists():
        return None
    path = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    return Mpi(
        name,
        flavour,
        tools / "mpicc",
        tools / "mpicxx",
        (str(tools / "mpirun"), *options),
        {**path, **env},
        prefix=prefix,
    )


@functools.cache
def installed_mpis() -> tuple[Mpi, ...]:
    """Every MPI library found on this machine, Debian's first."""
    intel = str(Path(os.environ.get("STARLING_TEST_ENVIRONMENTS", ROOT)) / ".venv-intel")
    found = (
        _debian("openmpi4", "openmpi", "openmpi", ("--oversubscribe",), OPEN_MPI),
        _debian("mpich4", "mpich", "mpich", (), {}),
        _environment("openmpi5", "openmpi", ".venv-ompi5", ("--oversubscribe",), OPEN_MPI),
        _environment("mpich5", "mpich", ".venv-mpich5", (), {}),
        _environment("intel", "intel", ".venv-intel", (), {"I_MPI_ROOT": intel, "I_MPI_FABRICS": "shm"}),
    )
    return tuple(mpi for mpi in found if mpi is not None)


def debian_mpis() -> tuple[Mpi, ...]:
    """Debian's Open MPI and MPICH, as far as they are installed."""
    return tuple(mpi for mpi in installed_mpis() if mpi.prefix is None)


def mpi_named(name: str) -> Mpi:
    """The installed MPI of that name; AssertionError where it is not installed."""
    for mpi in installed_mpis():
        if mpi.name == name:
            return mpi
    raise AssertionError(
        f"{name} is not installed here: `make test` installs it; found {[str(m) for m in installed_mpis()]}"
    )


def environment(mpi: Mpi, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a job: this one without any Starling setting, what the MPI needs, then `extra`."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("STARLING_") and key != "LD_PRELOAD"}
    return {**plain, **mpi.env, **(extra or {})}


def _called(mpi: Mpi, argv: Sequence[str], extra: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, env=environment(mpi, extra), check=False)
    assert done.returncode == 0, f"{' '.join(argv)}\n{done.stdout}{done.stderr}"
    return done.stdout


@functools.cache
def _made() -> tempfile.TemporaryDirectory[str]:
    """What this process has compiled, until it ends."""
    return tempfile.TemporaryDirectory(prefix="starling-made-")


def made_once(made: Path, of: object, make: Callable[[Path], object]) -> Path:
    """`made`, as a copy of what `make` wrote when this process first asked for it: many tests compile one program.

    `of` is all that it depends on, with a `repr` of its own for each value.
    """
    kept = Path(_made().name) / hashlib.sha256(repr((made.name, of)).encode()).hexdigest()
    if not kept.exists():
        make(kept)
    made.unlink(missing_ok=True)  # a process of an earlier job may still have it open
    shutil.copy(kept, made)
    return made


def _link(mpi: Mpi, compiler: Path, options: Sequence[str], source: Path, program: Path) -> Path:
    _called(mpi, [str(compiler), *options, str(source), "-o", str(program), "-pthread", "-lm"])
    return program


def _compile(mpi: Mpi, compiler: Path, options: Sequence[str], source: Path, folder: Path) -> Path:
    """Compiles a C or C++ file, with ccache if installed; returns the program."""
    of = (compiler, tuple(options), source, source.read_bytes(), sorted(mpi.env.items()))
    return made_once(
        folder / f"{source.stem}-{mpi.name}", of, lambda program: _make(mpi, compiler, options, source, program)
    )


def _make(mpi: Mpi, compiler: Path, options: Sequence[str], source: Path, program: Path) -> Path:
    ccache = shutil.which("ccache")
    if ccache is None:
        return _link(mpi, compiler, options, source, program)
    # ccache caches compiling without linking, and needs the compiler itself, which the wrapper names.
    behind = shlex.split(_called(mpi, [str(compiler), "-show", "-c", source.name]))
    behind.remove(source.name)
    for_compiler = [
        one for one in options if not one.startswith(("-l", "-Wl,")) and not one.endswith((".so", ".a", ".o"))
    ]
    compiled = program.with_suffix(".o")
    argv = [ccache, *behind, *for_compiler, "-pthread", str(source), "-o", str(compiled)]
    _called(mpi, argv, {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"})  # as in CMakeLists.txt
    _link(mpi, compiler, options, compiled, program)
    compiled.unlink()
    return program


def compile_c(mpi: Mpi, source: Path, folder: Path, options: Sequence[str] = ()) -> Path:
    """Compiles a C file with the MPI's wrapper, warnings as errors, into `folder`, and returns the program's path."""
    return _compile(mpi, mpi.mpicc, ("-std=c11", "-O2", *WARNINGS, *options), source, folder)


def compile_cxx(mpi: Mpi, source: Path, folder: Path, options: Sequence[str] = ()) -> Path:
    """Compiles a C++20 file likewise."""
    return _compile(mpi, mpi.mpicxx, ("-std=c++20", "-O1", f"-I{ROOT / 'src'}", *WARNINGS, *options), source, folder)


def compile_fortran(mpi: Mpi, source: Path, folder: Path, options: Sequence[str] = ()) -> Path:
    """Compiles a Fortran file likewise; AssertionError where the MPI has no Fortran compiler wrapper."""
    assert mpi.mpifort is not None, f"{mpi} has no Fortran"
    program = folder / f"{source.stem}-{mpi.name}"
    return _link(mpi, mpi.mpifort, ("-O2", "-J", str(folder), *options), source, program)


_BUILD = ROOT / "build-test/wheel"
"""Where `make test-install` compiles the runtime and what lies below it."""


def compiler_of_the_build() -> str:
    """The C++ compiler as `make test-install` calls it: under that name the compiler's cache has what it compiled."""
    cache = (_BUILD / "CMakeCache.txt").read_text()
    return str(re.findall("^CMAKE_CXX_COMPILER:.*=(.*)$", cache, re.MULTILINE)[0])


def runtime(mpi: Mpi) -> list[str]:
    """Object files of the runtime for this MPI, and the library of everything below it."""
    of_library = _BUILD / f"CMakeFiles/starling-{mpi.abi}.dir"
    # A unit's name (cmake/Unity.cmake) holds its folder's.
    objects = [one for one in of_library.rglob("*.o") if re.search("src[/_]runtime", str(one.relative_to(of_library)))]
    below = _BUILD / "libstarling_core.a"
    assert objects and below.is_file(), f"{_BUILD}: not built; make test-install"
    return [*sorted(map(str, objects)), "-Wl,--whole-archive", str(below), "-Wl,--no-whole-archive"]


_IMPROPER = "exiting improperly"
"""What Open MPI 4's launcher says of a rank that ended without MPI_Finalize."""


def run_ranks(
    mpi: Mpi,
    ranks: int,
    argv: Sequence[str],
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
    *,
    before: Sequence[str] = (),
    launcher_options: Sequence[str] = (),
    cwd: Path | None = None,
    last_lines: Collection[str] = (),
) -> Outcome:
    """Runs `before... launcher -n ranks argv...` for at most `timeout` seconds; HangError with stacks after that.

    `env` is added to the job's environment. `before` stands in front of the launcher, e.g. `starling run ... --`. A job
    that has printed all `last_lines` is taken down.

    Once in some thousand jobs Open MPI 4's launcher takes a rank's end for one without MPI_Finalize (its issue 7833, a
    race in the launcher): such a job is run once more. What a program does wrong, it does again.
    """
    line = [*before, *mpi.launcher, *launcher_options, "-n", str(ranks), *argv]
    surroundings = environment(mpi, {**ON_FEW_PROCESSORS.get(mpi.name, {}), **(env or {})})
    outcome = run_job(line, surroundings, timeout, cwd, last_lines)
    if mpi.name == "openmpi4" and outcome.status == 1 and _IMPROPER in outcome.stderr:
        outcome = run_job(line, surroundings, timeout, cwd, last_lines)
    return outcome

"""Building the library variant of another MPI later, from the installed sources."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from starling import files
from starling.installation.variants import AGAIN, library_folders, package_folders
from starling.messages import printable


class BuildError(Exception):
    """A variant cannot be built; the text says why and what to do."""


def tool(name: str) -> list[str]:
    """The command line of `cmake` or `ninja`: the one on PATH, else the Python package. Raises BuildError."""
    if path := shutil.which(name):
        return [path]
    if importlib.util.find_spec(name) is not None:
        return [sys.executable, "-m", name]
    raise BuildError(f"{name} is missing; install it with: {sys.executable} -m pip install {name}")


def sources() -> Path:
    """The folder of the C++ sources that came with the package. Raises BuildError."""
    for folder in package_folders("sources"):
        if (folder / "CMakeLists.txt").is_file():
            return folder
    raise BuildError(f"{package_folders('sources')[0]}: the C++ sources are missing; {AGAIN}")


def place(files: list[Path], environ: Mapping[str, str]) -> list[Path]:
    """Moves libraries into the first writable library folder, by rename, so that a running job keeps its own."""
    reasons: list[str] = []
    for folder in library_folders(environ):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            placed: list[Path] = []
            for file in files:
                half = folder / f".{file.name}.{os.getpid()}"
                shutil.copyfile(file, half)
                half.replace(folder / file.name)
                placed.append(folder / file.name)
        except OSError as error:
            reasons.append(f"{printable(error.filename)}: {error.strerror}")
        else:
            return placed
    raise BuildError(
        f"no folder for the library can be written: {'; '.join(reasons)}; set XDG_DATA_HOME to one that can"
    )


def _run_tool(line: Sequence[str], text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a tool to its end; if this process ends first, in any way, so do the tool and its children."""
    started = subprocess.Popen(
        line,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = started.communicate(text)
    except BaseException:
        os.killpg(started.pid, signal.SIGKILL)
        started.communicate()  # wait for all of them, so that none writes into a removed folder
        raise
    return subprocess.CompletedProcess(line, started.returncode, out, err)


def _check_header(wrapper: str) -> None:
    """Raises BuildError unless the compiler wrapper finds an mpi.h."""
    try:
        done = _run_tool([wrapper, "-E", "-x", "c", "-"], "#include <mpi.h>\n")
    except OSError as error:
        raise BuildError(
            f"{printable(wrapper)}: cannot be executed: {error.strerror}; give the path of an mpicc"
        ) from error
    if done.returncode != 0 or "MPI_Init" not in done.stdout:
        said = next((line.strip() for line in done.stderr.splitlines() if "error" in line), "")
        raise BuildError(
            f"{printable(wrapper)}: it finds no mpi.h{f' ({printable(said)})' * bool(said)}; "
            "install the development files of this MPI, or give another mpicc"
        )


def build(mpicc: str, environ: Mapping[str, str], log: Callable[[str], None]) -> list[Path]:
    """Builds every variant that the headers of `mpicc` allow; returns where they are. Raises BuildError."""
    with compiled(mpicc, log) as built:
        return place(built, environ)


@contextlib.contextmanager
def compiled(mpicc: str, log: Callable[[str], None]) -> Iterator[list[Path]]:
    """The variants that the headers of `mpicc` allow, built in a temporary folder. Raises BuildError."""
    wrapper = shutil.which(mpicc)
    if wrapper is None:
        raise BuildError(f"{printable(mpicc)}: no such compiler wrapper; give the path of an mpicc")
    _check_header(wrapper)
    cmake = tool("cmake")
    if shutil.which("make") is None or shutil.which("ninja") is not None:
        ninja = tool("ninja")
        program = ninja[0] if len(ninja) == 1 else str(Path(sys.executable).parent / "ninja")
        generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={program}"]
    else:
        generator = ["-G", "Unix Makefiles"]
    jobs = str(len(os.sched_getaffinity(0)))
    with files.temporary_folder("build") as folder:
        options = ["-DCMAKE_BUILD_TYPE=Release", f"-DSTARLING_MPICC={Path(wrapper).absolute()}"]
        steps = (
            ("configuring", [*cmake, "-S", str(sources()), "-B", str(folder), *generator, *options]),
            ("building (a minute or two)", [*cmake, "--build", str(folder), "--parallel", jobs]),
        )
        for what, line in steps:
            log(f"{what} for {printable(wrapper)}")
            done = _run_tool(line)
            if done.returncode != 0:
                output = (done.stdout + done.stderr).splitlines()
                errors = [text for text in output if "error" in text.lower()] or output[-1:]
                raise BuildError(
                    f"{what} failed: {printable(errors[0].strip() if errors else 'no output')}; see: {' '.join(line)}"
                )
        built = sorted(folder.glob("libstarling-*.so")) + sorted(folder.glob("libstarling-*.a"))
        if not built:
            raise BuildError(
                f"{printable(wrapper)}: no mpi.h of Open MPI, MPICH, Intel MPI, MPI 5 or SimGrid behind it; "
                f"give another mpicc"
            )
        yield built

"""`cmake --install`: a prefix with everything in the places of a system's packages, which works after it has moved."""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from starling.records import history_folder
from support.mpis import ROOT, compile_c, compiler_of_the_build, environment, mpi_named
from support.processes import run_job

BUILD = ROOT / "build-test/prefix"


def called(*line: str | Path, env: Mapping[str, str] | None = None, timeout: float = 60) -> str:
    return run_job([str(word) for word in line], env or os.environ, timeout).check().stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Installed under a folder that has another name then."""
    folder = tmp_path_factory.mktemp("prefix")
    # Compiled as by `make test-install`, also under the name that the compiler has there: all of it is in the cache.
    options = [f"-DCMAKE_CXX_COMPILER={compiler_of_the_build()}"]
    options += ["-DSTARLING_WERROR=ON", "-DSTARLING_SIMULATOR=OFF"]
    options += [f"-DSTARLING_PYTHON={sys.executable}"]
    options += [f"-DSTARLING_MPICC={mpi_named('openmpi4').mpicc};{mpi_named('mpich5').mpicc}"]
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        # Another worker may be given some of these tests.
        fcntl.flock(lock, fcntl.LOCK_EX)
        called("cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", *options)
        called("cmake", "--build", BUILD, timeout=1800)
        called("cmake", "--install", BUILD, "--prefix", folder / "built")
    shutil.move(folder / "built", folder / "moved")
    yield folder / "moved"


def test_every_part_is_where_packages_have_it(prefix: Path) -> None:
    expected = [
        "bin/starling",
        "lib/starling/libstarling.so",
        "lib/starling/libstarling-openmpi.so",
        "lib/starling/libstarling-mpich.so",
        "lib/pkgconfig/starling-openmpi.pc",
        "libexec/starling/starling-repository",
        "include/starling/patterns.h",
        "include/starling/starling.f90",
        "share/man/man1/starling-run.1",
    ]
    assert [name for name in expected if not (prefix / name).is_file()] == []
    assert not list(prefix.rglob("__pycache__"))


def test_the_command_tunes_a_program(prefix: Path, tmp_path: Path) -> None:
    mpi = mpi_named("openmpi4")
    program = compile_c(mpi, ROOT / "tests/lab/ranks.c", tmp_path)
    history = tmp_path / "history"
    options = ("--history", str(history), "--", *mpi.launcher, "-n", "2")
    called(prefix / "bin/starling", "run", *options, program, env=environment(mpi))
    (record,) = history_folder.newest_first(history)
    assert "alltoall" in called(prefix / "bin/starling", "report", record)


def test_the_command_starts_itself_again(prefix: Path, tmp_path: Path) -> None:
    mpi = mpi_named("openmpi4")
    program = compile_c(mpi, ROOT / "tests/lab/ranks.c", tmp_path)
    env = environment(mpi, {"STARLING_HISTORY": "off"})
    compared = called(
        prefix / "bin/starling", "compare", "--runs", "2", "--", *mpi.launcher, "-n", "2", program, env=env, timeout=120
    )
    assert "times as fast" in compared
    # The Python of these tests has a starling of its own, which would do as well.
    packages = prefix / "lib/starling/python"
    ask = f"import sys; sys.path.insert(0, {str(packages)!r})\n"
    ask += "from starling.installation import itself\nprint(itself.starling([]))"
    assert str(packages) in called(sys.executable, "-c", ask)


def test_a_program_is_linked_by_pkg_config(prefix: Path, tmp_path: Path) -> None:
    mpi = mpi_named("openmpi4")
    env = {**environment(mpi), "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = shlex.split(called("pkg-config", "--cflags", "--libs", "starling-openmpi", env=env))
    source = tmp_path / "linked.c"
    source.write_text(
        "#include <mpi.h>\n#include <starling/patterns.h>\n"
        "int main(void) { MPI_Init(NULL, NULL); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }\n"
    )
    called(mpi.mpicc, source, "-o", tmp_path / "linked", *flags, env=env)
    needed = subprocess.run(["ldd", tmp_path / "linked"], capture_output=True, text=True, check=True).stdout
    (linked,) = re.findall(r"libstarling-openmpi\.so => (\S+)", needed)
    assert (prefix / "lib/starling/libstarling-openmpi.so").samefile(linked)
    called(*mpi.launcher, "-n", "2", tmp_path / "linked", env=env)


def test_module_files_name_the_prefix_of_the_installation(prefix: Path) -> None:
    installed = prefix.with_name("built")
    files = list((prefix / "share/modulefiles/starling").iterdir())
    assert len(files) == 2, "one for Lmod, one for Environment Modules"
    for file in files:
        assert f"{installed}/bin" in file.read_text()


def test_configuring_tells_the_python_and_an_unfinished_build_is_not_installed(tmp_path: Path) -> None:
    build = tmp_path / "build"
    options = ["-DSTARLING_MPI=OFF", "-DSTARLING_PYTHON=/opt/python/bin/python3"]
    assert "-- bin/starling will run with /opt/python/bin/python3\n" in called(
        "cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *options
    )
    outcome = run_job(["cmake", "--install", str(build), "--prefix", str(tmp_path / "prefix")], os.environ, 60)
    assert outcome.status == 1
    told = " ".join(outcome.stderr.split())
    assert f"starling-repository is not built; build first: cmake --build {build}" in told
    assert not (tmp_path / "prefix").exists()


def test_missing_packages_are_named(prefix: Path) -> None:
    outcome = run_job([sys.executable, "-S", str(prefix / "bin/starling-command"), "doctor"], os.environ, 60)
    assert outcome.status == 1
    assert "pip install pydantic rich typer" in outcome.stderr

"""Variables reach the ranks through every launcher that is installed here."""

import subprocess
from pathlib import Path

import pytest

from starling.launchers.launcher import identify, locate
from starling.launchers.variables import rewrite
from support.mpis import Mpi, compile_c, environment, installed_mpis
from support.processes import run_job

SHOW = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* const only = getenv("STARLING_ONLY");
  printf("%s%s%s\\n", getenv("LD_PRELOAD"), only ? " " : "", only ? only : "");
  return MPI_Finalize();
}
"""


def showing(mpi: Mpi, folder: Path) -> str:
    """A program whose ranks print what they got. It starts MPI: of ranks that end at once Hydra dies at times."""
    source = folder / "show.c"
    source.write_text(SHOW)
    return str(compile_c(mpi, source, folder))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library that does nothing."""
    source = tmp_path / "nothing.c"
    source.write_text("int nothing;\n")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", tmp_path / "nothing.so"], check=True)
    return tmp_path / "nothing.so"


@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_a_launcher_is_known_by_asking_it(mpi: Mpi) -> None:
    identity = identify(mpi.launcher[0])
    assert identity is not None
    # Intel's mpirun is a script that starts whichever Hydra is first on PATH.
    assert identity.flavour in {mpi.flavour, "mpich" if mpi.flavour == "intel" else mpi.flavour}


@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
@pytest.mark.parametrize("parts", [1, 2])
def test_every_rank_of_every_part_gets_library_and_settings(mpi: Mpi, parts: int, library: Path) -> None:
    show = showing(mpi, library.parent)
    line = [*mpi.launcher, "-n", "2", show, *([":", "-n", "1", show] if parts == 2 else [])]
    wanted = {"LD_PRELOAD": str(library), "STARLING_ONLY": "allreduce:ring,bcast:chain?segment=1024"}
    argv, env = rewrite(line, locate(line), wanted, environment(mpi))
    done = run_job(argv, env, 60).check()
    assert done.stdout.splitlines() == [" ".join(wanted.values())] * (2 if parts == 1 else 3)


@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_ranks_that_a_file_describes_get_library_and_settings(mpi: Mpi, library: Path) -> None:
    show = showing(mpi, library.parent)
    file = library.with_name("programs")
    file.write_text(f"-n 1 {show} one\n-n 1 {show} two\n")
    line = [*mpi.launcher, "--app" if mpi.flavour == "openmpi" else "-configfile", str(file)]
    wanted = {"LD_PRELOAD": str(library), "STARLING_ONLY": "allreduce:ring,bcast:chain?segment=1024"}
    argv, env = rewrite(line, locate(line), wanted, environment(mpi))
    done = run_job(argv, env, 60).check()
    assert done.stdout.splitlines() == [" ".join(wanted.values())] * 2


@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_the_users_own_preload_is_kept_behind_ours(mpi: Mpi, library: Path) -> None:
    tool = library.with_name("tool.so")
    tool.write_bytes(library.read_bytes())
    own = ["-x", f"LD_PRELOAD={tool}"] if mpi.flavour == "openmpi" else ["-genv", "LD_PRELOAD", str(tool)]
    line = [*mpi.launcher, *own, "-n", "2", showing(mpi, library.parent)]
    argv, env = rewrite(line, locate(line), {"LD_PRELOAD": str(library)}, environment(mpi))
    done = run_job(argv, env, 60).check()
    assert done.stdout.splitlines() == [f"{library}:{tool}"] * 2

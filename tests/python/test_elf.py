"""The MPI a program is linked to, read from real programs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.launchers.elf import abi_of_library, mpi_of, needs, needs_pmix
from support.mpis import Mpi, installed_mpis

DEBIAN_PROGRAMS = [path for name in ("lmp", "hpcc", "pw.x") if (path := shutil.which(name))]


@pytest.mark.parametrize("program", DEBIAN_PROGRAMS)
def test_programs_of_debian_need_open_mpi_themselves_or_through_a_library(program: str) -> None:
    found = mpi_of(Path(program), os.environ)
    assert found is not None
    assert found[0] == "openmpi"


@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_a_program_compiled_for_an_mpi_needs_its_abi(mpi: Mpi, tmp_path: Path) -> None:
    source = tmp_path / "one.c"
    source.write_text("#include <mpi.h>\nint main(int n, char** v) { MPI_Init(&n, &v); return MPI_Finalize(); }\n")
    subprocess.run([mpi.mpicc, source, "-o", tmp_path / "one"], check=True, env={**os.environ, **mpi.env})
    found = mpi_of(tmp_path / "one", os.environ)
    assert found is not None
    assert found[0] == mpi.abi


def test_mpi_behind_a_library_of_the_programs_own_folder_is_found(tmp_path: Path) -> None:
    cc = ["cc", "-shared", "-fPIC", "-nostdlib"]
    (tmp_path / "empty.c").write_text("int nothing;\n")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    lib = tmp_path / "lib"
    lib.mkdir()
    subprocess.run([*cc, "empty.c", "-o", "lib/libmpi.so.12", "-Wl,-soname,libmpi.so.12"], cwd=tmp_path, check=True)
    subprocess.run(
        [*cc, "empty.c", "-o", "lib/libphysics.so", "-Wl,--no-as-needed", "lib/libmpi.so.12"], cwd=tmp_path, check=True
    )
    link = ["-Wl,--no-as-needed", "-Llib", "-lphysics", "-Wl,-rpath,$ORIGIN/lib", "-Wl,--allow-shlib-undefined"]
    subprocess.run(["cc", "main.c", "-o", "app", *link], cwd=tmp_path, check=True)
    assert mpi_of(tmp_path / "app", {}) == ("mpich", "libmpi.so.12")
    assert not needs_pmix(tmp_path / "app", {})


def test_pmix_behind_the_mpi_is_found(tmp_path: Path) -> None:
    (tmp_path / "empty.c").write_text("int nothing;\n")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    link = ["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined"]
    cc = ["cc", "-shared", "-fPIC", "-nostdlib", "empty.c", *link]
    subprocess.run([*cc, "-o", "libpmix.so.2", "-Wl,-soname,libpmix.so.2"], cwd=tmp_path, check=True)
    subprocess.run([*cc, "-o", "libmpi.so.12", "-Wl,-soname,libmpi.so.12", "libpmix.so.2"], cwd=tmp_path, check=True)
    subprocess.run(["cc", "main.c", "-o", "app", *link, "libmpi.so.12"], cwd=tmp_path, check=True)
    assert mpi_of(tmp_path / "app", {}) == ("mpich", "libmpi.so.12")
    assert needs_pmix(tmp_path / "app", {})


@pytest.mark.parametrize("program", ["/bin/sh", "/usr/bin/env", "/etc/passwd", "/nonexistent", "/tmp"])  # noqa: S108
def test_what_is_no_mpi_program_needs_none(program: str) -> None:
    assert mpi_of(Path(program), {}) is None


@pytest.mark.parametrize(
    ("name", "abi"),
    [
        ("libmpi.so.40", "openmpi"),
        ("libmpi_mpifh.so.40", "openmpi"),
        ("libmpi_usempif08.so.40", "openmpi"),
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpifort.so.12", "mpich"),
        ("libmpi_cray.so.12", "mpich"),
        ("libmpi_abi.so.1", "abi"),
        ("libmpi_abi.so", "abi"),
        ("libm.so.6", None),
        ("libmpifake.so.3", None),
    ],
)
def test_a_library_is_known_by_its_name(name: str, abi: str | None) -> None:
    assert abi_of_library(name) == abi


def test_of_a_large_program_only_what_is_needed_is_read(tmp_path: Path) -> None:
    large = tmp_path / "large"
    shutil.copy("/bin/sh", large)
    os.truncate(large, 1 << 40)  # with a hole: more than any memory
    assert needs(large) == needs(Path("/bin/sh"))


@given(st.integers(0, 4000), st.binary(min_size=1, max_size=40))
def test_a_damaged_file_is_read_without_harm(at: int, noise: bytes) -> None:
    whole = Path("/bin/sh").read_bytes()[:4096]
    damaged = Path(os.environ.get("TMPDIR", "/tmp")) / f"starling-damaged-{os.getpid()}"  # noqa: S108
    try:
        damaged.write_bytes(whole[:at] + noise + whole[at + len(noise) :])
        found = needs(damaged)
        assert found is None or isinstance(found.needed, tuple)
    finally:
        damaged.unlink(missing_ok=True)

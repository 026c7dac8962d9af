"""Where variants are, what is preloaded, and launchers of another MPI."""

from collections.abc import Callable
from pathlib import Path

import pytest

from starling.installation import variants
from starling.installation.variants import Flavour, Variant, foreign_launcher, preloaded
from starling.launchers import elf
from starling.launchers.launcher import Identity, Kind, locate


def test_the_users_own_folder_is_searched_after_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, home = tmp_path / "package", tmp_path / "home"
    monkeypatch.setattr(variants, "package_folders", lambda name: [package / name])
    environ = {"XDG_DATA_HOME": str(home)}
    for folder in (package / "lib", home / "starling/lib"):
        folder.mkdir(parents=True)
    assert variants.library(Variant.ABI, environ) is None
    own = home / "starling/lib/libstarling-abi.so"
    own.touch()
    assert variants.library(Variant.ABI, environ) == own
    packaged = package / "lib/libstarling-abi.so"
    packaged.touch()
    assert variants.library(Variant.ABI, environ) == packaged


def test_what_is_preloaded_chooses_in_the_program_unless_the_user_names_an_mpi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, home = tmp_path / "package", tmp_path / "home"
    monkeypatch.setattr(variants, "package_folders", lambda name: [package / name])
    environ = {"XDG_DATA_HOME": str(home)}
    chooser, own = package / "lib/libstarling.so", home / "starling/lib/libstarling-mpich.so"
    for file in (chooser, own):
        file.parent.mkdir(parents=True)
    assert preloaded(None, environ) == preloaded(Flavour.INTEL, environ) == {}
    chooser.touch()
    assert preloaded(None, environ) == {"LD_PRELOAD": str(chooser)}
    own.touch()
    assert preloaded(None, environ) == {"LD_PRELOAD": str(chooser), "STARLING_VARIANTS": str(own.parent)}
    assert preloaded(Flavour.INTEL, environ) == {"LD_PRELOAD": str(own)}


LINKED = {"ompi": "libmpi.so.40", "mpich": "libmpi.so.12", "cray": "libmpi_cray.so.12", "abi": "libmpi_abi.so.0"}
FAMILIES = {
    "mpirun": Identity(Kind.OPENMPI, "openmpi", "4.1.4"),
    "mpiexec": Identity(Kind.HYDRA, "mpich", "5.0.2"),
    "impi": Identity(Kind.HYDRA, "intel", "2021"),
    "srun": Identity(Kind.SRUN, None, "23.02"),
}


@pytest.fixture
def warned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str | None]:
    """The warning for a line of programs of each MPI, launchers of each MPI, and other words."""
    for name in (*LINKED, *FAMILIES, "sh", "env"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {tmp_path / name: (elf.abi_of_library(library), library) for name, library in LINKED.items()}
    monkeypatch.setattr(elf, "mpi_of", lambda program, _: found.get(program))

    def of(line: str, environ: dict[str, str] | None = None, *, pmix: bool = False) -> str | None:
        monkeypatch.setattr(elf, "needs_pmix", lambda *_: pmix)
        words = line.split()
        said = foreign_launcher(words, locate(words, FAMILIES.get), environ or {})
        return said.replace(f"{tmp_path}/", "/x/") if said else None

    return of


def test_a_launcher_of_another_mpi_than_the_programs_is_told(warned: Callable[..., str | None]) -> None:
    def told(linked: str, launcher: str) -> str:
        return f"{linked}, and {launcher}: each rank will be alone; use the launcher of its MPI"

    ompi, mpich = (
        "ompi is linked with Open MPI (libmpi.so.40)",
        "mpich is linked with MPICH or Intel MPI (libmpi.so.12)",
    )
    assert warned("mpiexec -n 2 ompi") == told(ompi, "mpiexec (/x/mpiexec) is MPICH's")
    assert warned("impi -n 2 ompi") == told(ompi, "impi (/x/impi) is Intel MPI's")
    for line in ("mpirun -n 2 mpich", "timeout 60 mpirun mpich", "mpirun ompi : -n 2 mpich"):
        assert warned(line) == told(mpich, "mpirun (/x/mpirun) is Open MPI's")


@pytest.mark.parametrize(
    "line",
    [
        *("mpirun ompi", "mpiexec mpich", "impi mpich", "srun ompi", "srun mpich", "ompi", "mpirun nothing"),
        *("mpirun sh mpich", "mpirun env mpich", "mpirun abi", "mpiexec abi", "mpirun cray"),
        "env PATH=/y mpirun mpich",
    ],
)
def test_a_launcher_that_may_be_the_right_one_is_not_complained_of(
    line: str, warned: Callable[..., str | None]
) -> None:
    assert warned(line) is None


def test_a_program_of_mpich_that_uses_pmix_may_have_open_mpis_launcher(warned: Callable[..., str | None]) -> None:
    assert warned("mpirun mpich", pmix=True) is None
    assert warned("mpirun mpich", {"I_MPI_PMI_LIBRARY": "/lib/libpmix.so"}) is None
    assert warned("mpiexec ompi", pmix=True) is not None

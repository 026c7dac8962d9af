"""What pages show of several nodes, on a lab, as printed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from documents.console import run_page
from lab.labs import OURS, STARLING, lab, lab_up
from support.mpis import ROOT, compile_c, compiler_of_the_build, mpi_named
from support.processes import run_job

pytestmark = pytest.mark.long
"""They take longest of all."""

PREFIX = f"{OURS}d"
PROGRAM = ROOT / "examples/power_iteration/power_iteration.c"
ON_A_HOST = (*STARLING, "lab", "run", "--prefix", PREFIX, "--quiet", "--")


@pytest.fixture(scope="module")
def hosts() -> Iterator[Sequence[str]]:
    """What starts a command on the first of four hosts."""
    lab_up("single:4", "--prefix", PREFIX, "--no-check")
    yield ON_A_HOST
    lab("down", "--prefix", PREFIX).check()


def test_the_tutorial_for_research_is_as_printed(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    for name in run_job(["git", "-C", str(ROOT), "ls-files"], os.environ, 60).check().stdout.splitlines():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, sources / name)
    prefix = f"{OURS}r"
    # Compiled as by `make test-install`: all but the new file is in the compiler's cache.
    cache = os.environ.get("CCACHE_DIR", str(Path.home() / ".cache/ccache"))
    env = {"STARLING_LAB_PREFIX": prefix, "COLUMNS": "120", "CXX": compiler_of_the_build(), "CCACHE_DIR": cache}
    try:
        run_page(ROOT / "docs/tutorials/research.md", sources, env=env, timeout=900)
    finally:
        lab("down", "--prefix", prefix)


def test_the_tutorial_for_a_program_is_as_printed(hosts: Sequence[str], tmp_path: Path) -> None:
    shutil.copy(PROGRAM, tmp_path)
    run_page(ROOT / "docs/tutorials/program.md", tmp_path, hosts)


def test_what_there_is_to_gain_is_as_printed(hosts: Sequence[str], tmp_path: Path) -> None:
    compile_c(mpi_named("openmpi4"), PROGRAM, tmp_path).rename(tmp_path / "app")
    run_page(ROOT / "docs/check.md", tmp_path, hosts)


def test_readme_is_as_printed(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    prefix = f"{OURS}e"
    try:
        run_page(ROOT / "README.md", tmp_path, env={"STARLING_LAB_PREFIX": prefix, "COLUMNS": "120"})
    finally:
        lab("down", "--prefix", prefix)


# Where the processors are too busy, tuning's eight seconds are over before it has compared anything.
@pytest.mark.links
def test_the_tutorial_for_a_centre_is_as_printed(hosts: Sequence[str], tmp_path: Path) -> None:
    compile_c(mpi_named("openmpi4"), PROGRAM, tmp_path).rename(tmp_path / "app")
    run_page(ROOT / "docs/tutorials/centre.md", tmp_path, hosts)

"""Starling under a real Slurm: its launchers and the MPI libraries' own, batch jobs, arrays, and limits."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from slurm.cluster import Cluster
from starling.records import history_folder
from starling.records import record as records
from support.mpis import ROOT, Mpi, compile_c, environment, mpi_named
from support.tuned import STARLING

HERE = Path(__file__).parent
PLACES = ("--nodes=2", "--ntasks-per-node=2")
HOSTS = ["h0", "h0", "h1", "h1"]
SHORT_ADDRESSES = {"MPIR_CVAR_CH4_NETMOD": "ofi"}
"""With UCX, MPICH 5 sends memory behind its addresses too; where that packs badly, Slurm cuts the line."""


@pytest.fixture(scope="module", autouse=True)
def limited(cluster: Cluster) -> tuple[int, Path]:
    """A job of its own that runs into its limit while others run: its number and its history."""
    program = compile_c(mpi_named("openmpi4"), HERE / "endless.c", cluster.folder)
    folder = cluster.folder / "limited"
    script = cluster.folder / "limited.sh"
    line = f"{' '.join(STARLING)} run --history {folder} -- srun --mpi=pmix {program}"
    script.write_text(f"#!/bin/sh\n#SBATCH --nodes=2 --ntasks-per-node=1 --time=1\nexec {line}\n")
    job = cluster.submit(script, env={**environment(mpi_named("openmpi4")), "STARLING_CHECKPOINT": "5"})
    return job, folder


def ranks(cluster: Cluster, mpi: Mpi) -> str:
    """The program that says where its ranks are and checks what it exchanges."""
    return str(compile_c(mpi, ROOT / "tests/lab/ranks.c", cluster.folder))


def job_environment(mpi: Mpi, folder: Path) -> dict[str, str]:
    """Where a job script finds `starling`, and what it learns."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**environment(mpi, {"STARLING_HISTORY": str(folder)}), "PATH": path}


def started(cluster: Cluster, mpi: Mpi, folder: Path, launching: list[str], before: list[str]) -> None:
    """Runs the program on two hosts; asserts right results in the right places, and a record that says the same."""
    line = [*before, *STARLING, "run", "--history", str(folder), "--", *launching, ranks(cluster, mpi), "4096", "30"]
    outcome = cluster.run(line, environment(mpi, SHORT_ADDRESSES))
    said = dict(line.split(maxsplit=1) for line in outcome.check().stdout.splitlines() if " " in line)
    assert said["hosts"].split() == HOSTS, outcome.report()
    assert said["ranks_per_node"] == "2", outcome.report()
    (file,) = history_folder.newest_first(folder)
    run = records.read(file)[0].run
    assert (run.ranks, run.nodes) == (4, 2)
    assert run.machine == cluster.state.prefix, "times belong to the cluster, not to one of its hosts"


def test_no_rank_leaves_a_fence_before_all_have_come(cluster: Cluster, tmp_path: Path) -> None:
    """MPI_Init of Open MPI ends with one: a message that comes before a rank can take it calls a null pointer."""
    fences = tmp_path / "fences"
    fences.write_bytes(bytes(len(HOSTS)))
    cluster.run(["srun", "--mpi=pmix", *PLACES, sys.executable, str(HERE / "fences.py"), str(fences)]).check()


@pytest.mark.parametrize(("name", "interface"), [("openmpi4", "pmix"), ("mpich5", "pmi2")])
def test_srun_starts_ranks_of_a_script_with_starling(
    cluster: Cluster, name: str, interface: str, tmp_path: Path
) -> None:
    script = cluster.folder / "wrapper.sh"
    script.write_text('#!/bin/sh\nexec "$@"\n')
    script.chmod(0o755)
    launching = ["srun", f"--mpi={interface}", *PLACES, str(script)]
    started(cluster, mpi_named(name), tmp_path / "history", launching, [])


@pytest.mark.parametrize("name", ["openmpi4", "mpich5"])
def test_launchers_of_the_libraries_start_ranks_in_an_allocation(cluster: Cluster, name: str, tmp_path: Path) -> None:
    mpi = mpi_named(name)
    launching = [*mpi.launcher, "-n", "4"]
    started(cluster, mpi, tmp_path / "history", launching, ["salloc", "--quiet", *PLACES])


def test_job_scripts_of_the_page_run_as_printed_and_an_array_shares_a_history(cluster: Cluster, tmp_path: Path) -> None:
    mpi = mpi_named("openmpi4")
    shutil.copy(ranks(cluster, mpi), tmp_path / "app")
    alone, array = re.findall(r"```sh\n(#!.*?)```", (ROOT / "docs/slurm.md").read_text(), re.DOTALL)
    folder = tmp_path / "history"
    env = job_environment(mpi, folder)
    script = tmp_path / "job.sh"
    for text, times in ((array, 4), (alone, 1)):
        script.write_text(text)
        cluster.wait(cluster.submit(script, f"--chdir={tmp_path}", f"--output={tmp_path}/%j.out", env=env))
        said = [file.read_text() for file in tmp_path.glob("*.out")]
        assert [" ".join(["hosts", *HOSTS]) in one for one in said] == [True] * times, "\n".join(said)
        for file in tmp_path.glob("*.out"):
            file.unlink()
    assert history_folder.newest_first(folder), said
    last, *before = [records.read(file)[0] for file in history_folder.newest_first(folder)]
    assert len(before) == 4
    alltoall = next(one for one in last.contexts if one.collective == "alltoall")
    assert any(one.earlier_s for one in alltoall.candidates), "it knows what the array's jobs found"


def test_a_changed_job_script_runs(cluster: Cluster, tmp_path: Path) -> None:
    mpi = mpi_named("openmpi4")
    script = tmp_path / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH {' '.join(PLACES)}\nsrun --mpi=pmix {ranks(cluster, mpi)} 4096 30\n")
    changed = tmp_path / "tuned.sh"
    changed.write_text(cluster.run([*STARLING, "slurm", str(script)]).check().stdout)
    env = job_environment(mpi, tmp_path / "history")
    cluster.wait(cluster.submit(changed, f"--output={tmp_path}/out", env=env))
    assert " ".join(["hosts", *HOSTS]) in (tmp_path / "out").read_text()
    assert len(history_folder.newest_first(tmp_path / "history")) == 1


def test_a_job_that_is_killed_at_its_limit_leaves_what_it_learnt(cluster: Cluster, limited: tuple[int, Path]) -> None:
    job, folder = limited
    # A limit is a whole minute at least: it is brought forward, once something has been learnt.
    cluster.until(lambda: bool(history_folder.newest_first(folder)), "the job has learnt nothing", 60)
    cluster.run(["scontrol", "update", f"JobId={job}", "EndTime=now"])  # it may have ended: the state tells
    ended = cluster.wait(job)
    assert re.search("JobState=TIMEOUT", ended), ended
    (file,) = history_folder.newest_first(folder)
    found = records.read(file)[0]
    assert found.run.unfinished
    (reduced,) = [one for one in found.contexts if one.collective == "allreduce"]
    assert any(one.agreed_s for one in reduced.candidates)

"""The C interface's choice of ways, and the configuration phase on real MPI libraries."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from starling.commands.cli import app
from starling.records.record import Context
from starling.tables import table as tables
from starling.tables.table import NATIVE
from starling.tuning.job import Answer, MpiJob, Refusal, Times
from starling.tuning.points import Point
from starling.tuning.rows import FEWEST_CALLS
from support.mpis import ON_FEW_PROCESSORS, Mpi, compile_c, debian_mpis, environment, installed_mpis
from support.tuned import STARLING, on_hosts_of_two, preloaded, run_tuned

HERE = Path(__file__).parent
INTEL = [mpi for mpi in installed_mpis() if mpi.flavour == "intel"]
"""An optional peer: where it is not installed, its test is absent."""
SIZES = (8, 4096, 262144)
MESHES = 20
"""Choices of a mesh in choose.c."""


def samples(context: Context) -> dict[str, int]:
    return {one.public_name: one.samples for one in context.candidates if one.samples}


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_calls_go_by_the_way_that_was_chosen(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "choose.c", tmp_path))
    for strategy, processors in (("native", "own"), ("star", "shared")):
        said, record = run_tuned(mpi, 4, [program], strategy, tmp_path, {"STARLING_PROCESSORS": processors})
        assert said.stdout == f"{record.run.machine}\n{record.run.mpi_flavour}\n{record.run.mpi_version}\n"
        by_size = {(one.collective, one.ranks, one.bytes): one for one in record.contexts}
        world = samples(by_size["allreduce", 4, 4000])
        assert world["ring"] == 7
        refused = next(one for one in by_size["allreduce", 4, 4000].candidates if one.name == "segmented_ring")
        assert "one segment" in refused.reason
        if strategy == "native":
            # By the strategy twice, natively where segmented_ring refused, and where native was chosen.
            assert world == {"ring": 7, "native": 2 + 5 + 3}
        assert samples(by_size["allreduce", 2, 40]) == {"recursive_doubling": 2 * 4}
        gathered = samples(by_size["allgather", 4, 4])
        assert {name.partition("?")[0]: count for name, count in gathered.items()} == {"groups": MESHES}


def tune(
    mpi: Mpi, folder: Path, *options: str, behind: Sequence[str] = (), ranks: int = 4
) -> subprocess.CompletedProcess[str]:
    line = [*STARLING, "tune", "-o", str(folder / "table.json"), "--mpicc", str(mpi.mpicc), *options]
    line += ["--", *mpi.launcher, "-n", str(ranks), *behind]
    return subprocess.run(
        line,
        env=environment(
            mpi,
            {**ON_FEW_PROCESSORS.get(mpi.name, {}), **preloaded(mpi, folder), "XDG_CACHE_HOME": str(folder / "cache")},
        ),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_a_job_of_one_rank_has_nothing_to_tune(tmp_path: Path) -> None:
    mpi = debian_mpis()[0]
    done = tune(mpi, tmp_path, "--budget", "5s", ranks=1)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("starling: the job has one rank with Open MPI")
    assert not (tmp_path / "table.json").exists()


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_small_configuration_phase_makes_a_table_and_goes_on(mpi: Mpi, tmp_path: Path) -> None:
    options = ["--collectives", "allreduce,bcast", "--sizes", ",".join(map(str, SIZES)), "--ranks", "2,4"]
    few = ["--ways", "ring,recursive_doubling,binomial?segment=none,sequential?segment=none"]
    done = tune(mpi, tmp_path, *options, *few, "--budget", "none")
    assert done.returncode == 0, done.stderr
    assert "allreduce" in done.stdout
    table = tables.read(tmp_path / "table.json")
    assert table.mpi_flavour == mpi.flavour
    crowd = [note for note in table.notes if note.startswith("4 ranks of a node share processors: ")]
    assert len(crowd) == (len(os.sched_getaffinity(0)) < 4)
    assert all(note in done.stderr for note in crowd)
    assert {(one.collective, one.ranks, one.nodes) for one in table.choices} == {
        (collective, ranks, 1) for collective in ("allreduce", "bcast") for ranks in (2, 4)
    }
    assert {point.bytes for point in table.points} == set(SIZES)
    assert {point.way for point in table.points} > {"native"}
    assert all(choice.intervals[0].from_ == 0 for choice in table.choices)
    in_row = [one for one in table.points if one.in_row]
    assert {one.collective for one in in_row} <= {"allreduce"}, "calls of others overlap; no way may be near native"
    for one in in_row:
        assert one.in_row is not None
        assert one.in_row.samples >= 2 * FEWEST_CALLS
        assert one.in_row.mean_s > 0
        assert (one.in_row.of_native == 1) == (one.way == "native")

    kept = (tmp_path / "table.json.measurements").read_text()
    again = tune(mpi, tmp_path, *options[2:], "--ways", "ring", "--collectives", "allreduce", "--budget", "none")
    assert again.returncode == 0, again.stderr
    assert "going on with" in again.stderr
    wider = tables.read(tmp_path / "table.json")
    assert [one.shape for one in wider.choices] == [one.shape for one in table.choices], (
        "what was measured before stays"
    )
    of_bcast = [[one for one in of.points if one.collective == "bcast"] for of in (table, wider)]
    measured = [[one.model_dump(exclude={"of_native"}) for one in points] for points in of_bcast]
    assert measured[0] == measured[1]
    assert [one.of_native for one in of_bcast[0]] == pytest.approx([one.of_native for one in of_bcast[1]])
    assert (tmp_path / "table.json.measurements").read_text().startswith(kept)

    shown = subprocess.run(
        [*STARLING, "report", "table.json", "--html", "table.html"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert "<svg" in (tmp_path / "table.html").read_text()


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_composition_that_is_not_offered_is_measured(mpi: Mpi, tmp_path: Path) -> None:
    way = "two_level?inner=native,outer=chain:segment=1024"
    options = ["--collectives", "bcast", "--sizes", "4096", "--ways", way, "--budget", "none"]
    done = tune(mpi, tmp_path, *options, behind=on_hosts_of_two([]))
    assert done.returncode == 0, done.stderr
    assert {point.way for point in tables.read(tmp_path / "table.json").points} == {NATIVE, way}


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_profiles_communicators_are_measured_on_ranks_that_are_spread_like_theirs(mpi: Mpi, tmp_path: Path) -> None:
    shapes = ((2, 2, 1), (2, 1, 2), (4, 4, 1))
    contexts = [
        {"collective": "bcast", "bytes": 8, "seconds": 1.0, "ranks": ranks, "nodes": nodes, "ranks_per_node": fullest}
        for ranks, nodes, fullest in shapes
    ]
    (tmp_path / "profile.json").write_text(json.dumps({"contexts": contexts}))
    options = ["--profile", "profile.json", "--ways", "shared*", "--all", "--budget", "none"]
    done = tune(mpi, tmp_path, *options, behind=on_hosts_of_two([]))
    assert done.returncode == 0, done.stderr
    table = tables.read(tmp_path / "table.json")
    assert {(one.ranks, one.nodes, one.ranks_per_node) for one in table.choices} == set(shapes[:2])
    left_out = (
        "33% of the profile's time was not measured, as the job has no ranks that are spread like that: 4 ranks on"
    )
    assert sum(left_out in note for note in table.notes) == 1
    assert left_out in done.stderr


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_job_calls_on_the_ranks_that_it_is_told(mpi: Mpi, tmp_path: Path) -> None:
    environ = environment(mpi, {**ON_FEW_PROCESSORS.get(mpi.name, {}), **preloaded(mpi, tmp_path)})
    line = [*mpi.launcher, "-n", "4", *on_hosts_of_two([])]

    def measured(point: Point, way: str) -> Answer:
        return job.measure(point, way, 2, checked=True, patience=60.0)

    with MpiJob.compiled(line, str(mpi.mpicc), environ) as job:
        job.start()
        assert job.nodes == (0, 0, 2, 2)
        way = next(one for one in job.ways("bcast", 2) if one.startswith("shared"))
        across, within = Point("bcast", 2, 64, nodes=2, fullest=1), Point("bcast", 2, 64, nodes=1, fullest=2)
        for _ in range(2):
            assert isinstance(measured(across, NATIVE), Times)
            assert isinstance(measured(within, way), Times), "ranks of one node share memory"
            assert isinstance(measured(across, way), Refusal)
            assert isinstance(measured(Point("bcast", 3, 64, nodes=2, fullest=2), NATIVE), Times)
            job.kill()  # the next one is told anew
        measured(across, NATIVE)
        job.end()


@pytest.mark.parametrize("mpi", INTEL, ids=str)
def test_each_of_intels_algorithms_is_measured_in_a_job_that_starts_with_it(mpi: Mpi, tmp_path: Path) -> None:
    # Stands before the launcher, and notes what is started.
    told = tmp_path / "nice"
    told.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/started\nexec "$@"\n')
    told.chmod(0o755)
    with_note = replace(mpi, launcher=(str(told), *mpi.launcher))
    options = ["--collectives", "reduce_scatter", "--sizes", "96,8000", "--all", "--budget", "none"]
    done = tune(with_note, tmp_path, *options, "--ways", "native_adjust_1,native_adjust_2")
    assert done.returncode == 0, done.stderr
    table = tables.read(tmp_path / "table.json")
    assert table.mpi_flavour == "intel"
    measured = {(one.bytes, one.way) for one in table.points}
    assert measured == {(size, way) for size in (96, 8000) for way in ("native", "native_adjust_1", "native_adjust_2")}
    variable = "-genv I_MPI_ADJUST_REDUCE_SCATTER"
    jobs = (tmp_path / "started").read_text().splitlines()
    assert sum(f"{variable} 1 " in one for one in jobs) == 1
    assert sum(f"{variable} 2 " in one for one in jobs) == 1
    assert sum(variable not in one for one in jobs) == 1
    (choice,) = table.choices
    for interval in choice.intervals:
        assert (interval.at_run_time is None) == (interval.way == "native"), "no other way can be changed to"


def test_a_launcher_that_fails_is_told_in_one_line(tmp_path: Path) -> None:
    mpi = debian_mpis()[0]
    done = tune(mpi, tmp_path, "--collectives", "fold")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "fold: no such collective" in done.stderr
    line = [*STARLING, "tune", "-o", str(tmp_path / "t.json"), "--mpicc", str(mpi.mpicc), "--", "false"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, env=environment(mpi), check=False)
    assert done.returncode == 1
    assert "no job of ours began, it said nothing; name a launcher that can start it" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "t.json").exists()


def test_a_job_that_measures_has_no_file_that_a_kill_would_leave(tmp_path: Path) -> None:
    folder, work = tmp_path / "temporary", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    told = tmp_path / "nice"  # stands before the launcher, and notes what is there as the job starts
    told.write_text(f'#!/bin/sh\nls -A "$TMPDIR" >>{tmp_path}/there\nexec "$@"\n')
    told.chmod(0o755)
    mpi = debian_mpis()[0]
    with_note = replace(mpi, launcher=(str(told), *mpi.launcher))
    (work / "starling.toml").write_text('[run]\nrecord = "mine.json"\n')
    (work / "mine.json").write_text("kept")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TMPDIR", str(folder))
        done = tune(with_note, work, "--collectives", "barrier", "--ways", "dissemination*", "--budget", "1s")
    assert done.returncode == 0, done.stderr
    there = (tmp_path / "there").read_text().split()
    assert all(name.startswith("starling-run-") for name in there), "what the job's `starling run` deletes as it ends"
    assert (work / "mine.json").read_text() == "kept", "the record of a run, which this is not"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[run\n", ":1: not TOML: "),
        ("[run]\nspeed = 3\n", ":2: run.speed: unknown key"),
        ("[run]\nepsilon = true\n", ":2: run.epsilon: must be"),
    ],
)
def test_what_is_wrong_with_a_settings_file_is_told(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "starling.toml").write_text(text)
    done = tune(debian_mpis()[0], tmp_path, "--collectives", "barrier", "--budget", "1s")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"starling: the library is not active in our job, which said: {tmp_path / 'starling.toml'}{why}"
    )
    assert "no setting counts until this is corrected" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "table.json").exists()


def test_a_wrong_variable_is_told_before_anything_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_SHARED_MEMORY", "much")
    found = CliRunner().invoke(app, ["tune", "-o", str(tmp_path / "table.json"), "--", "mpirun", "-n", "2"])
    assert found.exit_code == 1
    assert found.stderr.startswith("starling: STARLING_SHARED_MEMORY='much': ")
    assert found.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize("behind", [("taskset", "--cpu-list", "0"), ("env", "STARLING_PROCESSORS=own")], ids=str)
def test_processors_are_shared_where_the_library_says_so(mpi: Mpi, behind: Sequence[str], tmp_path: Path) -> None:
    options = ("--collectives", "allreduce", "--sizes", "8", "--ways", "ring", "--budget", "1s")
    done = tune(mpi, tmp_path, *options, behind=behind)
    assert ("4 ranks of a node share processors" in done.stderr) == (behind[0] == "taskset"), done.stderr

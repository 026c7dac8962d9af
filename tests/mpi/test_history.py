"""One history directory under many jobs at once, and a history that cannot be written."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from starling.records import history, record
from starling.records.merging import merge
from support.mpis import Mpi, compile_c, debian_mpis, environment, mpi_named, run_ranks
from support.processes import end, run_job
from support.tuned import library, preloaded

HERE = Path(__file__).parent
COMMAND = str(Path(sys.executable).with_name("starling"))
JOBS = 50
CALLS = 5
"""Reductions in each job."""
PATIENCE = 60.0
"""Seconds until a test gives up."""
SAME_NUMBER = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
"""Makes a process number 1 in a namespace of its own, as containers do: the names of records can then be alike."""


def until(condition: Callable[[], bool]) -> None:
    """Waits for it; an AssertionError after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)


@contextlib.contextmanager
def jobs(before: Sequence[str], folder: Path, places: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Jobs of one rank each that have done their work and now enter MPI_Finalize, all at once."""
    mpi = mpi_named("mpich4")
    program = compile_c(mpi, HERE / "at_once.c", places)
    pipe = places / "go"
    os.mkfifo(pipe)
    settings = {"LD_PRELOAD": str(library(mpi)), "STARLING_HISTORY": str(folder)}
    outputs = [places / f"{number}.txt" for number in range(JOBS)]
    running: list[subprocess.Popen[bytes]] = []
    try:
        for output in outputs:
            with output.open("wb") as file:
                line = [*before, str(program), str(pipe), "0"]
                running.append(subprocess.Popen(line, stdout=file, stderr=file, env=environment(mpi, settings)))
        until(lambda: all(output.stat().st_size for output in outputs))
        go = os.open(pipe, os.O_RDWR)  # does not block where nobody reads any more
        yield running
        statuses = [job.wait(PATIENCE) for job in running]
        os.close(go)
    finally:
        end([job.pid for job in running if job.poll() is None], signal.SIGKILL)
    assert statuses == [0] * JOBS
    assert {output.read_text() for output in outputs} == {"sum 1\n"}


def calls(found: history.History) -> int:
    """The number of reductions in the records of a history."""
    whole = [record.read(entry.path)[0] for entry in found.entries]
    return sum(context.calls for one in whole for context in one.contexts if context.collective == "allreduce")


@pytest.mark.parametrize("before", [(), SAME_NUMBER], ids=["plainly", "with-one-number"])
def test_fifty_jobs_that_end_at_once_lose_nothing(tmp_path: Path, before: tuple[str, ...]) -> None:
    folder = tmp_path / "history"
    with jobs(before, folder, tmp_path):
        pass
    found = history.read(folder)
    assert (len(found.entries), found.skipped) == (JOBS, [])
    assert calls(found) == JOBS * CALLS
    assert len(list(folder.iterdir())) == JOBS, "something is left of writing"


def test_jobs_that_end_while_others_merge_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "history"
    folder.mkdir()
    with jobs((), folder, tmp_path) as running:
        while any(job.poll() is None for job in running):
            merge(folder)
    merge(folder)
    found = history.read(folder)
    assert [entry.runs for entry in found.entries] == [JOBS]
    assert calls(found) == JOBS * CALLS
    assert found.held == []


@pytest.mark.parametrize(
    ("mount", "why"),
    [
        ('mount -t tmpfs -o ro none "$0"', "Read-only file system"),
        ('mount -t tmpfs -o size=4k none "$0" && head -c 4096 /dev/zero >"$0/full"', "No space left on device"),
    ],
    ids=["read-only", "full"],
)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_history_that_cannot_be_written_costs_one_line(mpi: Mpi, tmp_path: Path, mount: str, why: str) -> None:
    folder = tmp_path / "history"
    folder.mkdir()
    program = compile_c(mpi, HERE / "at_once.c", tmp_path)
    env = environment(mpi, preloaded(mpi, tmp_path))
    line = [*mpi.launcher, "-n", "2", str(program), "/dev/null", "3"]
    # The mount is seen in a namespace that goes away with the job, whatever happens to the test.
    alone = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', str(folder)]
    plain = run_job([*alone, *line], env, PATIENCE)
    tuned = run_job([*alone, COMMAND, "run", "--history", str(folder), "--", *line], env, PATIENCE)
    assert plain.stdout == "sum 3\n"
    assert (tuned.status, tuned.stdout) == (plain.status, plain.stdout), tuned.report()
    (said,) = [one for one in tuned.stderr.splitlines() if "starling: " in one]
    assert said.startswith("starling: no run record in the history: ")
    assert str(folder) in said
    assert said.endswith(why)


def test_a_run_learns_from_the_sites_history_and_leaves_it_as_it_is(tmp_path: Path) -> None:
    mpi = mpi_named("mpich4")
    site, own = tmp_path / "site", tmp_path / "own"
    program = compile_c(mpi, HERE / "at_once.c", tmp_path)
    line = [*mpi.launcher, "-n", "2", str(program), "/dev/null", "0"]
    for settings, history_folder in (({}, site), ({"STARLING_SITE_HISTORY": str(site)}, own)):
        before = {one.name: one.read_bytes() for one in site.glob("*")}
        env = environment(mpi, {"STARLING_ITER": "1", **settings})
        flags = ["--strategy", "star-basic", "--only", "allreduce:ring", "--history", str(history_folder)]
        done = run_job([COMMAND, "run", "-q", *flags, "--", *line], env, PATIENCE)
        assert done.status == 0, done.report()
    assert {one.name: one.read_bytes() for one in site.glob("*")} == before
    (entry,) = history.read(own).entries
    (native,) = (
        candidate
        for context in record.read(entry.path)[0].contexts
        if context.collective == "allreduce"
        for candidate in context.candidates
        if candidate.name == "native"
    )
    assert native.earlier_s is not None


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_limit_on_the_size_of_files_ends_no_job(mpi: Mpi, tmp_path: Path) -> None:
    folder = tmp_path / "history"
    program = str(compile_c(mpi, HERE / "file_limit.c", tmp_path, ["-D_GNU_SOURCE"]))
    settings = {"LD_PRELOAD": str(library(mpi)), "STARLING_HISTORY": str(folder)}
    outcome = run_ranks(mpi, 2, [program], settings, PATIENCE).check()
    assert outcome.stdout == "1\n"
    (line,) = outcome.stderr.splitlines()
    assert line.startswith("starling: no run record in the history: cannot write ")
    assert line.endswith("File too large")
    assert list(folder.iterdir()) == []


def test_a_communicator_of_few_calls_begins_with_nothing_that_has_to_be_made_first(tmp_path: Path) -> None:
    mpi, kept, path = mpi_named("mpich4"), tmp_path / "history", tmp_path / "record.json"
    few = [str(compile_c(mpi, HERE / "pairs.c", tmp_path)), "7", "1"]
    many = str(compile_c(mpi, HERE / "many_reductions.c", tmp_path))
    env = preloaded(mpi, tmp_path, [library(mpi)]) | {"STARLING_HISTORY": str(kept), "STARLING_RECORD": str(path)}

    def shared_calls(argv: Sequence[str], **settings: str) -> int:
        run_ranks(mpi, 2, argv, env | settings, 60).check()
        (found,) = (one for one in record.read(path)[0].contexts if (one.collective, one.bytes) == ("allreduce", 8))
        return sum(one.samples for one in found.candidates if one.name == "shared")

    only = {"STARLING_ONLY": "allreduce:shared"}
    assert shared_calls([many, "400"], STARLING_STRATEGY="star-basic", STARLING_ITER="9", **only) > 0
    (file,) = kept.glob("*.json")
    known = json.loads(file.read_text())
    (context,) = (one for one in known["contexts"] if one["collective"] == "allreduce")
    for one in context["candidates"]:
        if one.get("agreed_s") is not None:
            one["agreed_s"] = 1e-7 if one["name"] == "shared" else 1e-5
    file.write_text(json.dumps(known))
    assert shared_calls(few) == 0
    assert shared_calls([many, "50000"], STARLING_STAKE="0", STARLING_PROBE="start") > 0

"""Ways that the MPI library takes only when a job starts: each has a job of its own, beside that of all others."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from starling.commands.cli import app
from starling.installation import build, itself
from starling.tables import table as tables
from starling.tables.table import NATIVE
from starling.tuning import job as tuning_job
from starling.tuning import library, points
from starling.tuning.job import Answer, Ended, JobEndedError, JobError, MpiJob, Times
from starling.tuning.jobs import Jobs
from starling.tuning.points import Point
from starling.tuning.search import Search

POINT = Point("allreduce", 4, 64)
INTEL = "Intel(R) MPI Library 2021.18 for Linux* OS"


class Stub:
    """A job that only remembers what was asked for."""

    def __init__(self, variables: Mapping[str, str], begun: list[Stub]) -> None:
        self.variables, self.begun = dict(variables), begun
        self.line: Sequence[str] = ["mpirun", "-n", "4"]
        self.library, self.nodes, self.start_seconds = INTEL, (0, 0, 1, 1), 2.5
        self.asked: list[str] = []
        self.running = True
        self.says: Answer | Exception = Times((1e-3,))
        begun.append(self)

    def with_variables(self, wanted: Mapping[str, str]) -> Stub:
        """Another one, which for a broadcast is placed elsewhere."""
        made = Stub(wanted, self.begun)
        if "I_MPI_ADJUST_BCAST" in wanted:
            made.nodes = (0, 1, 0, 1)
        return made

    def start(self) -> None:
        """Fails for one setting."""
        if self.variables.get("I_MPI_ADJUST_ALLREDUCE") == "13":
            raise JobError("mpirun: no job of ours began")

    def measure(
        self, point: Point, way: str, calls: int, *, checked: bool, patience: float, in_row: bool = False
    ) -> Answer:
        """What `says` has."""
        del calls, checked, patience
        self.asked.append(f"{point.collective}:{way}" + (" in a row" if in_row else ""))
        if isinstance(self.says, Exception):
            raise self.says
        return self.says

    def kill(self) -> None:
        """Is not running any more."""
        self.running = False


def jobs() -> tuple[Any, Jobs]:
    first: Any = Stub({}, [])
    return first, Jobs(first, {})


def measured(of: Jobs, way: str, collective: str = "allreduce") -> Answer:
    return of.measure(POINT._replace(collective=collective), way, 1, checked=True, patience=9.0)


def test_each_such_way_is_the_native_way_of_a_job_that_started_with_its_setting() -> None:
    first, of = jobs()
    with of:
        assert of.delay(POINT, "ring") == 0
        assert of.delay(POINT, "native_adjust_8") == 2.5, "as long as the first job took to start"
        for way in ("native", "native_adjust_8", "ring", "native_adjust_2", "native_adjust_8"):
            assert isinstance(measured(of, way), Times)
        assert of.delay(POINT, "native_adjust_8") == 0
        assert of.delay(POINT._replace(collective="bcast"), "native_adjust_8") == 2.5, "another setting"
        assert [one.variables for one in first.begun[1:]] == [
            {"I_MPI_ADJUST_ALLREDUCE": "8"},
            {"I_MPI_ADJUST_ALLREDUCE": "2"},
        ]
        assert first.asked == ["allreduce:native", "allreduce:ring"]
        assert [one.asked for one in first.begun[1:]] == [["allreduce:native"] * 2, ["allreduce:native"]]
    assert [one.running for one in first.begun] == [True, False, False], "the first job belongs to the caller"


def test_few_jobs_wait_at_the_same_time() -> None:
    first, of = jobs()
    with of:
        for number in (1, 2, 3, 1, 4):
            measured(of, f"native_adjust_{number}")
        running = {one.variables["I_MPI_ADJUST_ALLREDUCE"] for one in first.begun[1:] if one.running}
        assert running == {"1", "3", "4"}, "the one that was not used for longest has ended"


def test_a_job_of_a_way_that_fails_may_have_been_killed_and_leaves_none() -> None:
    first, of = jobs()
    with of:
        assert measured(of, "native_adjust_13") == Ended("in a job of its own: mpirun: no job of ours began")
        elsewhere = measured(of, "native_adjust_3", "bcast")
        assert isinstance(elsewhere, Ended)
        assert "placed on other nodes" in elsewhere.why
        measured(of, "native_adjust_1")
        first.begun[-1].says = JobEndedError("no answer within 30 s")
        assert measured(of, "native_adjust_1") == Ended("in a job of its own: no answer within 30 s")
        assert not any(one.running for one in first.begun[1:])
        assert of.delay(POINT, "native_adjust_13") == 2.5, "the next one may begin"
        assert isinstance(measured(of, "native_adjust_1"), Times), "it gets another one"
        assert isinstance(of.measure(POINT, NATIVE, 1, checked=False, patience=9.0, in_row=True), Times)
        assert isinstance(of.measure(POINT, "native_adjust_4", 1, checked=False, patience=9.0, in_row=True), Times)
        assert [first.asked[-1], first.begun[-1].asked[-1]] == ["allreduce:native in a row"] * 2
        first.says = JobEndedError("the job ended")
        with pytest.raises(JobEndedError):
            measured(of, "ring")


def test_a_way_whose_job_never_begins_is_given_up() -> None:
    first, of = jobs()
    plan = points.grid(["allreduce"], (8, 64, 512), (4,))
    ways = [NATIVE, "native_adjust_13", "native_adjust_2"]
    with of:
        found = Search(plan, {"allreduce": ways}, of, clock=time.monotonic, budget=None, everything=True)
        found.run()
    assert found.notes == [
        "allreduce:native_adjust_13 is chosen at no size: the job ended twice while it was measured, at last at 8 B "
        "on 4 ranks"
    ]
    assert sum(one.variables.get("I_MPI_ADJUST_ALLREDUCE") == "13" for one in first.begun) == 2
    assert {way for point in plan for way in found.known.measured(point)} == {NATIVE, "native_adjust_2"}


def test_the_variables_reach_every_rank_of_such_a_job(tmp_path: Path) -> None:
    (tmp_path / "mpiexec").write_text("#!/bin/sh\necho 'HYDRA build details:  Version: 4.2'\n")
    (tmp_path / "mpiexec").chmod(0o755)
    launcher = str(tmp_path / "mpiexec")
    plain = MpiJob([launcher, "-n", "4"], Path("tuning_job"), {"A": "1"})
    job = plain.with_variables({"I_MPI_ADJUST_BCAST": "3"})
    assert job.line == [launcher, "-genv", "I_MPI_ADJUST_BCAST", "3", "-n", "4"]
    assert plain.line == [launcher, "-n", "4"]
    for one in (plain, job):
        one.kill()


FAKE = """
import sys
from pathlib import Path

told, nodes, left = map(Path, sys.argv[1:])
def note(text):
    with told.open("a") as file:
        print(text, file=file)
note("start")
answers = int(left.read_text()) if left.exists() else sys.maxsize
if answers == 0:
    sys.exit("no room")
for word in ("nodes " + nodes.read_text(), "place m", "place openmpi", "place 4.1.4", "ready"):
    print("starling-tune", word, flush=True)
for line in sys.stdin:
    note(line.rstrip())
    if line.startswith("ways"):
        print("starling-tune way native\\nstarling-tune way ring\\nstarling-tune end", flush=True)
    elif not line.startswith("ranks"):
        if answers == 0:
            left.write_text("0")
            break
        answers -= 1
        print("starling-tune times 0.001", flush=True)
"""
"""What our job says, and notes that it hears. It ends after as many times as a file says, and does not begin again."""


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch) -> MpiJob:
    """A job of four ranks on the nodes that a file `nodes` has.

    It notes in `told` what it is asked for; after as many answers as `left` has it ends for good.
    """
    (folder / "nodes").write_text("0 0 2 2")
    line = [sys.executable, "-c", FAKE, *(str(folder / name) for name in ("told", "nodes", "left"))]
    monkeypatch.setattr(itself, "starling", lambda _arguments: line)
    return MpiJob(["mpirun", "-n", "4"], Path("tuning_job"), {})


def test_launchers_may_tag_what_a_job_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys.modules[__name__], "FAKE", FAKE.replace('print("starling-tune"', 'print("[1,0]<stdout>:starling-tune"')
    )
    with fake(tmp_path, monkeypatch) as job:
        assert isinstance(job.measure(POINT, NATIVE, 1, checked=False, patience=9.0), Times)


def test_a_job_is_replaced_where_it_can_have_no_more_communicators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (build.sources() / tuning_job.PROGRAM).read_text()
    assert re.search(rf"#define MOST_COMMUNICATORS {tuning_job.MOST_COMMUNICATORS}\b", program)
    monkeypatch.setattr(tuning_job, "MOST_COMMUNICATORS", 2)
    asked = [POINT, Point("bcast", 2, 8, nodes=2, fullest=1), POINT._replace(bytes=8), Point("bcast", 3, 8)]
    with fake(tmp_path, monkeypatch) as job:
        for point in asked:
            assert isinstance(job.measure(point, NATIVE, 1, checked=False, patience=9.0), Times)
        job.end()
    assert (tmp_path / "told").read_text().splitlines() == [
        "start",
        "measure allreduce 64 4 1 0 native",
        "ranks 2 0 2",
        "measure bcast 8 -2 1 0 native",
        "measure allreduce 8 4 1 0 native",
        "start",
        "measure bcast 8 3 1 0 native",
    ]


@pytest.mark.parametrize("point", [POINT, Point("bcast", 2, 8, nodes=2, fullest=1)], ids=["all", "some"])
def test_a_job_whose_ranks_are_placed_otherwise_when_it_starts_again_measures_nothing(
    point: Point, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured() -> Answer:
        return job.measure(point, NATIVE, 1, checked=False, patience=9.0)

    with fake(tmp_path, monkeypatch) as job:
        assert isinstance(measured(), Times)
        job.kill()
        (tmp_path / "nodes").write_text("0 0 0 0")
        for _ in range(2):
            with pytest.raises(JobError, match="its ranks were placed otherwise than before"):
                measured()
        (tmp_path / "nodes").write_text("0 0 2 2")
        assert isinstance(measured(), Times)
        with pytest.raises(JobError, match="our job has no 3 ranks on 1 node"):
            job.measure(Point("bcast", 3, 8, nodes=1, fullest=3), NATIVE, 1, checked=False, patience=9.0)


def test_a_search_whose_job_does_not_begin_again_leaves_its_table_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MpiJob, "compiled", lambda *_: fake(tmp_path, monkeypatch))
    file = tmp_path / "table.json"
    sizes = [8, 64, 512]

    def tuned() -> Result:
        options = ["--collectives", "allreduce", "--sizes", ",".join(map(str, sizes)), "--all", "--budget", "none"]
        return CliRunner().invoke(app, ["tune", *options, "-o", str(file), "--", "mpirun", "-n", "4"])

    (tmp_path / "left").write_text("4")
    done = tuned()
    assert done.exit_code == 1
    (line,) = [one for one in done.stderr.splitlines() if "no job of ours began" in one]
    assert line.endswith("a program of yours; the table has what was measured so far")
    measured = {(one.bytes, one.way) for one in tables.read(file).points}
    assert (8, NATIVE) in measured
    assert len(measured) < 2 * len(sizes)
    (tmp_path / "left").unlink()
    done = tuned()
    assert done.exit_code == 0, done.stderr
    assert "going on with" in done.stderr
    assert len(tables.read(file).points) == 2 * len(sizes)


def test_intels_own_tool_says_how_many_algorithms_there_are(tmp_path: Path) -> None:
    tool = tmp_path / "bin/impi_info"
    tool.parent.mkdir()
    tool.write_text(
        '#!/bin/sh\ncase "$LD_LIBRARY_PATH $*" in\n'
        f'"{tmp_path}/lib:{tmp_path}/lib/release:/own -v I_MPI_ADJUST_SCAN") echo "    range: 0-3 ";;\nesac\n'
    )
    tool.chmod(0o755)
    (tool.parent / "mpirun").write_text("#!/bin/sh\n")
    (tool.parent / "mpirun").chmod(0o755)
    line, environ = [str(tool.parent / "mpirun"), "-n", "4"], {"LD_LIBRARY_PATH": "/own"}
    assert library.set_at_start("scan", line, INTEL, environ) == [f"native_adjust_{number}" for number in range(4)]
    assert library.set_at_start("gather", line, INTEL, environ) == [], "it says nothing of it"
    assert library.set_at_start("scan", line, "Open MPI v4.1.4", environ) == []
    tool.unlink()
    assert library.set_at_start("scan", line, INTEL, environ) == []

"""Files of measured times, and the comparison of two by `starling bench compare`."""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from starling.commands.cli import app
from starling.lab import measured
from starling.lab.measured import Measurement, Measurements

FILE_OF = (
    '{"schema": 1, "measurements": [{"what": "a", "platform": "p", "mpi": "m",'
    ' "ranks": 1, "how": "h", "seconds": [%s]}]}'
)
times = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=40)


def one(
    how: str = "native", seconds: list[float] | None = None, bytes_: int | None = 65536, turn: int = 0
) -> Measurement:
    return Measurement(
        what="alltoall",
        bytes=bytes_,
        platform="single:16",
        mpi="MPICH 5",
        ranks=16,
        how=how,
        round=turn,
        seconds=seconds or [1.0, 2.0, 3.0],
        cpu_idle=0.5,
    )


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    whole = measured.empty()
    whole.measurements += [one(), one(turn=1), one(bytes_=None)]
    whole.write(tmp_path / "a.json")
    assert measured.read(tmp_path / "a.json") == whole
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@given(times)
def test_a_median_lies_in_its_interval(values: list[float]) -> None:
    found = measured.interval(values)
    assert min(values) <= found.low <= found.middle == median(values) <= found.high <= max(values)


def test_an_interval_contains_the_median_of_the_distribution_nineteen_times_in_twenty() -> None:
    dice = random.Random(1)
    hits = 0
    for _ in range(2000):
        found = measured.interval([dice.expovariate(1) for _ in range(25)])
        hits += found.low <= 0.6931471805599453 <= found.high
    assert hits / 2000 == pytest.approx(0.955, abs=0.02)


@given(times, times, st.floats(0.1, 10))
def test_a_ratio_scales_with_its_numerator(above: list[float], below: list[float], factor: float) -> None:
    found = measured.ratio(above, below)
    scaled = measured.ratio([factor * value for value in above], below)
    assert scaled == pytest.approx([factor * value for value in found])


def test_rounds_of_a_case_count_together_and_cases_apart() -> None:
    first = Measurements(measurements=[one(seconds=[2.0]), one(seconds=[4.0], turn=1), one("star")])
    second = Measurements(measurements=[one(seconds=[1.0]), one("lottery")])
    both, only_first, only_second = measured.compare(first, second)
    assert [(row.case.how, row.first.middle, row.ratio.middle) for row in both] == [("native", 3.0, 3.0)]
    assert ([case.how for case in only_first], [case.how for case in only_second]) == (["star"], ["lottery"])


def test_a_verdict_needs_an_interval_without_one() -> None:
    fast, slow = [1.0, 1.01, 1.02, 0.99, 1.0, 1.0], [2.0, 2.02, 2.01, 1.99, 2.0, 2.0]
    for ours, theirs, verdict in ((slow, fast, "faster"), (fast, slow, "slower"), (fast, fast, "even")):
        rows = measured.compare(
            Measurements(measurements=[one(seconds=ours)]), Measurements(measurements=[one(seconds=theirs)])
        )[0]
        assert rows[0].verdict == verdict


def test_few_values_give_no_verdict() -> None:
    ours, theirs = Measurements(measurements=[one(seconds=[1.0])]), Measurements(measurements=[one(seconds=[2.0] * 9)])
    assert measured.compare(ours, theirs)[0][0].verdict == "unknown"


def run(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["bench", "compare", *map(str, words)])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_prints_ratios(tmp_path: Path) -> None:
    for name, factor in (("a", 2.0), ("b", 1.0)):
        whole = Measurements(measurements=[one(seconds=[factor] * 6), one("star", [1.0]), one(name, [1.0])])
        whole.write(tmp_path / f"{name}.json")
    status, out, _ = run(tmp_path / "a.json", tmp_path / "b.json")
    assert status == 0
    out = " ".join(out.split())  # lines are folded to the terminal's width
    assert "2 in both: B is 1 faster, 0 even, 0 slower, 1 unknown; geometric mean of A / B: 1.414" in out
    assert "only in A: 1, the first single:16 MPICH 5 16 alltoall 65536 a" in out
    status, out, _ = run(tmp_path / "a.json", tmp_path / "b.json", "--json")
    told = json.loads(out)
    assert (status, told["compared"][0]["ratio"]["middle"], len(told["only_b"])) == (0, 2.0, 1)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "No such file"),
        ("{}x", "Invalid JSON"),
        ('{"schema": 2, "measurements": []}', "schema: Input should be 1"),
        (FILE_OF % 0, "measurements.0.seconds.0: Input should be greater than 0"),
        (FILE_OF % -1, "measurements.0.seconds.0: Input should be greater than 0"),
        (FILE_OF % "NaN", "measurements.0.seconds.0: Input should be a finite number"),
        ('{"schema": 1, "measurements": [{"what": "a"}]}', "measurements.0.platform: Field required"),
    ],
)
def test_a_bad_file_is_reported_in_a_line(tmp_path: Path, text: str | None, reason: str) -> None:
    path = tmp_path / "a.json"
    if text is not None:
        path.write_text(text)
    status, _, err = run(path, path)
    assert status == 2
    assert f"a.json: {reason}" in err
    assert err.count("\n") == 1


def test_files_without_a_common_case_are_told(tmp_path: Path) -> None:
    for name in "ab":
        Measurements(measurements=[one(name)]).write(tmp_path / f"{name}.json")
    status, _, err = run(tmp_path / "a.json", tmp_path / "b.json")
    assert (status, "no case in common" in err) == (2, True)


def test_the_command_in_a_file_has_no_folders_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["/some/bench/trees.py", "measure", "--mpicc", "/opt/mpich/bin/mpicc", "-o", "mine.json", "--", "mpirun"]
    monkeypatch.setattr("sys.argv", words)
    assert measured.empty().command == ["trees.py", "measure", "--mpicc", "mpicc", "-o", "mine.json", "--", "mpirun"]

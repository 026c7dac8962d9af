"""`starling tune-mpi` with a program of known truth, which reads its parameters as an MPI library would."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from starling.launchers.launcher import Identity, Kind, Located
from starling.parameters import library, result, runs, search, space
from starling.parameters.journal import Journal, Line
from starling.parameters.space import SpaceError
from starling.tuning.json_lines import JournalError
from support.command import called
from support.tuned import STARLING

TRUTH = """
import math, os, sys, time
eager, rails = (os.environ.get(f"OMPI_MCA_mine_{name}") for name in ("eager", "rails"))
with open(os.environ["LOG"], "a") as log:
    print(eager, rails, file=log)
time.sleep(float(os.environ.get("EACH", "0")))
if eager == "0":
    sys.exit("eager 0 does not work")
# The library as it is: 64 K and 1 rail. The best: 16 K and 3 rails.
print("first", 100)
print("time", 10 * (1 + 0.1 * abs(math.log2(int(eager or 65536)) - 14) + 0.2 * abs(int(rails or 1) - 3)))
"""

P = ("-p", "mine_eager=4K..256K*2", "-p", "mine_rails=1..4")
FIGURE = ("--figure", r"time ([\d.]+)")


class Place:
    """A folder with the program, and the command in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "truth.py"
        self.program.write_text(TRUTH)
        self.log = folder / "log"
        self.output = folder / "out.conf"

    @property
    def runs(self) -> list[str]:
        """The values of each run so far."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        """Of the command."""
        return {**os.environ, "LOG": str(self.log), "TMPDIR": str(self.folder), **extra}

    def line(self, *options: str) -> list[str]:
        """The command's."""
        return [*STARLING, *self.words(*options)]

    def words(self, *options: str) -> list[str]:
        """Those of it behind its name."""
        return ["tune-mpi", "-o", str(self.output), *options, "--", sys.executable, str(self.program)]

    def run(self, *options: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """The command, in an environment with `extra`."""
        return called(*self.words(*options), env=self.environment(extra), timeout=300)

    def found(self, *options: str, **extra: str) -> dict[str, Any]:
        """What it prints in JSON."""
        done = self.run("--json", *options, **extra)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("strategy", ["brute-force", "attribute", "attribute:tested", "star-basic"])
def test_every_search_finds_the_best_settings_and_the_file_has_them(strategy: str, place: Place) -> None:
    found = place.found(*P, *FIGURE, "--strategy", strategy)
    assert found["chosen"] == {"mine_eager": "16384", "mine_rails": "3"}
    assert found["complete"]
    assert found["better"]
    assert found["ratio"] == pytest.approx(1 + 0.2 + 0.4)
    assert found["pairs"] == [[pytest.approx(16), 10]] * 5
    lines = place.output.read_text().splitlines()
    assert lines[2:] == ["mine_eager = 16384", "mine_rails = 3"]
    assert lines[1].startswith("# mine_eager=16384 mine_rails=3: 1.600 +- 0.000 times as good")
    assert place.runs[0] == "None None", "the library as it is comes first"


def test_attributes_need_fewer_settings_and_clearly_slower_ones_get_fewer_runs(place: Place) -> None:
    found = place.found(*P, *FIGURE, "-r", "5", "--strategy", "attribute")
    runs_of_each = [len(one["figures"]) for one in found["candidates"]]
    assert {0, 1, 5} <= set(runs_of_each)


def test_a_factorial_search_measures_the_extremes_first(place: Place) -> None:
    found = place.found("-p", "mine_eager=16K,64K,256K", "-p", "mine_rails=3,2,1", *FIGURE, "--strategy", "factorial")
    assert found["chosen"] == {"mine_eager": "16384", "mine_rails": "3"}
    assert set(place.runs[1:5]) == {f"{eager} {rails}" for eager in (16384, 262144) for rails in (3, 1)}


def test_larger_figures_may_be_better_and_their_size_does_not_matter(place: Place) -> None:
    place.program.write_text(TRUTH.replace('print("time", 10 *', 'print("time", 1e12 *'))
    found = place.found("-p", "mine_eager=4K,256K,16K", *FIGURE, "--larger")
    assert found["chosen"] == {"mine_eager": "262144"}
    assert found["ratio"] == pytest.approx(1.8 / 1.6)


def test_what_is_no_better_than_the_library_as_it_is_stands_in_comments(place: Place) -> None:
    done = place.run("-p", "mine_eager=128K,256K", *FIGURE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("leave the MPI library as it is: mine_eager=131072 is 0.941")
    assert place.output.read_text().splitlines()[2:] == ["# mine_eager = 131072"]
    done = place.run("-p", "mine_eager=64K", *FIGURE)
    assert "no sure gain" in done.stdout
    assert place.output.read_text().splitlines()[2:] == ["# mine_eager = 65536"]


def test_settings_that_fail_are_left_out_and_told(place: Place) -> None:
    done = place.run("-p", "mine_eager=0,16K,32K", *FIGURE)
    assert done.returncode == 0, done.stderr
    assert "1 failed: exit status 1" in done.stdout
    assert "mine_eager = 16384" in place.output.read_text()
    assert [run for run in place.runs if run.startswith("0 ")] == ["0 None"], "once is enough"
    alone = place.run("-p", "mine_eager=0", *FIGURE)
    assert alone.stdout.startswith("no settings worked: leave the MPI library as it is")
    assert place.output.read_text().count("\n") == 2


def test_conditions_leave_combinations_out(place: Place) -> None:
    options = ["-p", "mine_eager=1,2,4", "-p", "mine_rails=1..4"]
    found = place.found(*options, "--where", "mine_rails >= mine_eager", "--where", "mine_rails!=3", *FIGURE)
    pairs = {(int(one["settings"]["mine_eager"]), int(one["settings"]["mine_rails"])) for one in found["candidates"]}
    assert pairs == {(1, 1), (1, 2), (1, 4), (2, 2), (2, 4), (4, 4)}


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        (["z<0"], "z<0: no combination of values fulfils it"),
        (["y>z"], "y>z: no combination of values fulfils it"),
        (["y<9", "y>9"], "y>9: no combination of values fulfils it and the other conditions"),
        (["y<z", "y<9", "x<y", "x>9"], "x<y: no combination of values fulfils it and the other conditions"),
        (["x<y", "y<x"], "no combination of values fulfils every --where"),
        (["z>200"], "more than 2000 combinations"),
        (["x<v", "v<w", "w<x"], "to find what fulfils the conditions takes too long"),
    ],
)
def test_what_no_combination_fulfils_is_told_without_walking_through_all(conditions: list[str], told: str) -> None:
    many = [
        *(f"a{number}=1..100" for number in range(20)),
        "v=1..300",
        "w=1..300",
        "x=1..300",
        "y=1..100",
        "z=101..300",
    ]
    with pytest.raises(space.SpaceError, match=told):
        space.combinations(space.parameters(many), conditions)


def test_combinations_come_in_the_order_of_the_values_given() -> None:
    given = space.parameters(["x=2,1", "y=1..3", "z=on,off"])
    found = space.combinations(given, ["z!=off", "y > x"])
    assert [tuple(one.items()) for one in found] == [
        (("x", x), ("y", y), ("z", "on")) for x, y in (("2", "3"), ("1", "2"), ("1", "3"))
    ]


def test_parameters_may_stand_in_a_file(place: Place) -> None:
    file = place.folder / "tcp.txt"
    file.write_text("# two of them\nmine_eager=16K,32K\n\nmine_rails = 3 , 4  # the last\n")
    assert place.found("--parameters", str(file), *FIGURE)["chosen"] == {"mine_eager": "16384", "mine_rails": "3"}


def test_names_in_capitals_are_variables_and_the_file_is_for_a_shell(place: Place) -> None:
    place.program.write_text("import os\nprint('time', 1 + len(os.environ.get('MY_MODE', '')))\n")
    found = place.found("-p", "MY_MODE=$(x) y|$|abc", *FIGURE)
    assert found["chosen"] == {"MY_MODE": "$"}
    assert not found["better"], "unset is better"
    line = place.output.read_text().splitlines()[2].removeprefix("# ")
    shown = subprocess.run(["sh", "-c", f"{line}; printf %s $MY_MODE"], capture_output=True, text=True, check=True)
    assert shown.stdout == "$"


def test_after_a_kill_the_same_command_goes_on(place: Place, tmp_path: Path) -> None:
    child = subprocess.Popen(
        place.line(*P, *FIGURE, "-q"), env=place.environment({"EACH": "0.05"}), stderr=subprocess.DEVNULL
    )
    while len(place.runs) < 12:
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    measurements = place.output.with_name("out.conf.measurements")
    kept = measurements.read_text()
    assert not place.output.exists()
    with measurements.open("a") as file:
        file.write('{"of": "search", "settings": {"mine_e')  # a line that was being written
    done = place.run(*P, *FIGURE)
    assert done.returncode == 0, done.stderr
    assert f"going on with {measurements}: {kept.count(chr(10)) - 1} runs are there already" in done.stderr
    whole = measurements.read_text()
    assert whole.startswith(kept)
    lines = [json.loads(line) for line in whole.splitlines()[1:]]
    assert [one["of"] for one in lines].count("default") == 1
    whole_search = [one["settings"] for one in lines if one["of"] == "search"]
    (tmp_path / "other").mkdir()
    other = Place(tmp_path / "other")
    other.found(*P, *FIGURE)
    lines = [json.loads(line) for line in other.output.with_name("out.conf.measurements").read_text().splitlines()[1:]]
    assert whole_search == [one["settings"] for one in lines if one["of"] == "search"], "as without the kill"
    before = len(place.runs)
    again = place.found(*P, *FIGURE)
    assert len(place.runs) == before, "everything is there already"
    assert again["chosen"] == {"mine_eager": "16384", "mine_rails": "3"}
    place.found(*P, *FIGURE, "-p", "mine_more=1")
    assert len(place.runs) > before


class FakeRunner:
    """Takes a second of its own clock for a run; the figure is the parameter's value."""

    def __init__(self) -> None:
        self.now = 0.0
        self.fails: list[int] = []
        """Numbers of runs, from 1."""
        self.asked: list[tuple[space.Settings, float | None]] = []

    def run(self, settings: space.Settings, patience: float | None) -> runs.Answer:
        """See Runner."""
        self.asked.append((settings, patience))
        self.now += 1
        if len(self.asked) in self.fails:
            return runs.Failed("it is Monday", [], 1.0)
        return runs.Measured(float(settings.get("x", 50)), 1.0)


def searched(runner: FakeRunner, folder: Path, budget: float | None, *, values: int = 20) -> search.Outcome:
    figure = runs.Figure.of("figure", larger=False)
    candidates = space.combinations([space.parameter(f"x={values}|" + "|".join(map(str, range(1, values))))])
    journal = Journal(folder / "journal", {"line": []})
    found = search.Outcome(figure, candidates)
    one = search.Search(runner, found, journal, budget, lambda _what, _settings: None, lambda: runner.now)
    one.run("brute-force", 3, 5, os.environ)
    journal.close()
    return found


def test_a_budget_ends_the_search_and_the_best_so_far_is_compared(tmp_path: Path) -> None:
    found = searched(FakeRunner(), tmp_path, 10)
    assert not found.complete
    assert found.chosen == {"x": "1"}
    assert len(found.found) == 8, "80 % of the time are for the search, one run is the library as it is"
    assert len(found.pairs) == 2
    assert found.is_better
    assert found.why == "the best of the 8 that were tried before the budget was used up"
    runner = FakeRunner()
    rest = searched(runner, tmp_path, None)
    assert rest.complete
    assert len(rest.found) == 20
    assert len(rest.pairs) == 5
    assert len(runner.asked) == 12 + 2 + 2 * 3, "what is new, two more of the best, and three pairs"


def test_a_budget_that_ends_before_anything_was_tried_is_told_so(tmp_path: Path) -> None:
    found = searched(FakeRunner(), tmp_path, 0)
    assert found.chosen is None
    assert not found.why
    assert result.verdict(found).startswith("nothing was tried before the budget was used up; with a larger --budget")


def test_the_parameter_to_name_is_one_of_the_library_at_hand(place: Place, tmp_path: Path) -> None:
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text("#!/bin/sh\necho HYDRA build details: Version: 4.0.2\n")
    mpiexec.chmod(0o755)
    done = called("tune-mpi", "-o", str(place.output), "--", str(mpiexec), "-n", "2", "true", timeout=300)
    assert done.returncode == 2
    assert "no parameter is named; name one: -p MPIR_CVAR_" in done.stderr


def test_a_run_may_take_twenty_times_as_long_as_the_library_as_it_is_or_a_minute(tmp_path: Path) -> None:
    runner = FakeRunner()
    searched(runner, tmp_path, None, values=3)
    assert [patience for _, patience in runner.asked] == [None] + [60.0] * (len(runner.asked) - 1)


def test_a_comparison_in_which_a_run_fails_says_nothing(tmp_path: Path) -> None:
    runner = FakeRunner()
    first = searched(FakeRunner(), tmp_path, None, values=3)
    assert first.is_better
    (tmp_path / "journal").unlink()
    runner.fails = [1 + 3 + 2 + 3]  # the library as it is, each once, two more of the best, and in the second pair
    found = searched(runner, tmp_path, None, values=3)
    assert len(found.pairs) == 1
    assert not found.is_better
    assert result.verdict(found) == "x=1: not certain, a run of the comparison failed: it is Monday"


def test_which_comes_first_changes_from_pair_to_pair(tmp_path: Path) -> None:
    runner = FakeRunner()
    searched(runner, tmp_path, None, values=3)
    assert [bool(settings) for settings, _ in runner.asked[-10:]] == [False, True, True, False] * 2 + [False, True]


def test_without_a_figure_the_seconds_of_the_run_count(place: Place) -> None:
    found = place.found("-p", "mine_rails=1,2", "-r", "1")
    assert "fastest of 2 candidates: mine_rails=" in found["why"]
    assert all(0 < one["figures"][0] < 300 for one in found["candidates"])


MISTAKES = [
    ((), "no parameter is named"),
    (("-p", "mine_eager"), "mine_eager: write NAME=VALUE,VALUE"),
    (("-p", "mine_eager=1,,2"), "a value is empty"),
    (("-p", "mine_eager=8..2"), "8..2: from a smaller to a larger number"),
    (("-p", "mine_eager=0..8*2"), "a factor of 2 or more, and a first value of 1 or more"),
    (("-p", "a_b=1..100", "-p", "c_d=1..100"), "these are more than 2000 combinations"),
    (("-p", "a_b=1", "-p", "a_b=2"), "a_b: named twice"),
    (("-p", "a_b=1", "--where", "a_b"), "--where a_b: write NAME <= NAME"),
    (("-p", "a_b=1", "--where", "c_d<2"), "--where c_d<2: neither side is a parameter"),
    (("-p", "a_b=1,2", "--where", "a_b<=1..4"), "--where a_b<=1..4: 1..4 is no parameter that is tried, no number and"),
    (("-p", "a_b=1,2", "--where", "a_b<=c_d"), "c_d is no parameter that is tried, no number and no value of a_b;"),
    (("-p", "a_b=on,off", "--where", "a_b!=none"), "none is no parameter that is tried, no number and no value of a_b"),
    (("-p", "a_b=1", "-o", "."), ".: there is such a file; move it away, or name another with -o"),
    (("-p", "a_b=1", "--where", "a_b<1"), "--where a_b<1: no combination of values fulfils it"),
    (("-p", "a_b=1..3", "--where", "a_b<2", "--where", "a_b>2"), "a_b>2: no combination of values fulfils it and the"),
    (("-p", "a_b=1", "--figure", "("), "--figure (: no regular expression"),
    (("-p", "a_b=1", "--larger"), "--larger: of a run's seconds fewer are better"),
    (("-p", "a_b=1", "--budget", "soon"), "--budget soon: write a time"),
    (("-p", "a_b=1", "--strategy", "auto"), "--strategy auto: no strategy auto that searches; there are: attribute, "),
    (("-p", "a_b=1", "--benchmark", "allreduce"), "--benchmark allreduce: write COLLECTIVE:SIZE"),
    (("-p", "a_b=1", "--benchmark", "allreduce:8", "--figure", "x"), "the benchmark has its own figure"),
    (("--parameters", "/nowhere"), "/nowhere: No such file or directory"),
]


@pytest.mark.parametrize(("options", "told"), MISTAKES, ids=[told for _, told in MISTAKES])
def test_a_mistake_is_told_in_one_line_before_anything_runs(options: tuple[str, ...], told: str, place: Place) -> None:
    done = place.run(*options)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert place.runs == []


def test_a_program_that_fails_without_parameters_ends_it_with_its_status(place: Place) -> None:
    place.program.write_text("import sys\nprint('no licence')\nsys.exit(3)\n")
    done = place.run("-p", "mine_eager=1,2")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-2:] == [
        "starling: the run without any parameter gave no figure: exit status 3",
        "  no licence",
    ]
    place.program.write_text("print('nothing of interest')\n")
    done = place.run("-p", "mine_eager=1,2", *FIGURE)  # another figure: what never ran is not in its way
    assert done.returncode == 1
    assert "nothing that it printed fits --figure time" in done.stderr


def test_files_of_others_are_not_overwritten(place: Place) -> None:
    place.output.write_text("btl = tcp\n")
    done = place.run(*P, *FIGURE)
    assert done.returncode == 2
    assert "there is such a file; move it away" in done.stderr
    assert place.output.read_text() == "btl = tcp\n"


def test_a_journal_of_another_line_or_with_nonsense_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    journal = Journal(path, {"line": ["a"], "figure": None})
    journal.add(Line("pair", {"x": "1"}, [2.0, 1.0], "", 3.5))
    journal.add(Line("search", {"x": "1"}, [], "exit status 1", 0.5))
    journal.close()
    again = Journal(path, {"line": ["a"], "figure": None})
    assert again.lines == journal.lines
    assert again.elapsed == 4
    again.close()
    with pytest.raises(JournalError, match="measured with another launcher line; move it away"):
        Journal(path, {"line": ["b"], "figure": None})
    with pytest.raises(JournalError, match="measured with another figure"):
        Journal(path, {"line": ["a"], "figure": "t"})
    for nonsense in ("[]", "{}", '{"of": "pair", "settings": {}, "took": 1, "figures": [1]}', "x"):
        path.write_text(path.read_text().splitlines()[0] + f"\n{nonsense}\n")
        with pytest.raises(JournalError, match="line 2: it is no line of measurements"):
            Journal(path, {"line": ["a"], "figure": None})


def test_values_are_lists_ranges_and_powers() -> None:
    assert space.parameter("a_b=1,4K,x").values == ("1", "4096", "x")
    assert space.parameter("a_b=4K..64K*4").values == ("4096", "16384", "65536")
    assert space.parameter("a_b=0..10+4").values == ("0", "4", "8")
    assert space.parameter("a_b=1..3,3,9").values == ("1", "2", "3", "9")
    assert space.parameter("OMPI_MCA_btl=self,tcp|self,vader") == space.Parameter("btl", ("self,tcp", "self,vader"))
    assert space.parameter("btl=x").variable == "OMPI_MCA_btl"
    assert space.parameter("UCX_TLS=x").variable == "UCX_TLS"
    with pytest.raises(SpaceError, match="more than 2000 values"):
        space.parameter("a_b=1..1M")
    for mistyped in ("1..x", "4K..", "1..8*"):
        with pytest.raises(SpaceError, match="a range is like"):
            space.parameter(f"a_b={mistyped}")
    assert space.parameter("a_b=1.5,x..y").values == ("1.5", "x..y")


def located(kind: Kind) -> Located:
    return Located(0, Identity(kind, kind.value, "4"))


def test_parameters_reach_ranks_in_the_launchers_own_way() -> None:
    settings = {"btl": "self", "UCX_TLS": "tcp"}
    line, env = runs.environment(["mpirun", "./app"], located(Kind.OPENMPI), settings, {"A": "1"})
    assert line == ["mpirun", "-x", "UCX_TLS=tcp", "./app"]
    assert env == {"A": "1", "OMPI_MCA_btl": "self"}
    line, env = runs.environment(["mpiexec", "./app"], located(Kind.HYDRA), {"MPIR_CVAR_X": "1"}, {})
    assert line == ["mpiexec", "-genv", "MPIR_CVAR_X", "1", "./app"]


def test_names_are_compared_with_the_librarys_own_list(tmp_path: Path) -> None:
    tools = {
        "ompi_info": "mca:btl:tcp:param:btl_tcp_eager_limit:value:65536\nmca:btl:tcp:param:btl_tcp_x:source:default",
        "mpivars": "2 MPI Control Variables\n\tMPIR_CVAR_EAGER  =131072\tSCOPE_ALL_EQ\tNo-object",
    }
    for name, says in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\ncat <<'E'\n{says}\nE\n")
        (tmp_path / name).chmod(0o755)
    line = [str(tmp_path / "mpirun"), "./app"]
    openmpi, hydra = located(Kind.OPENMPI), located(Kind.HYDRA)
    assert library.check(["btl_tcp_eager_limit", "UCX_TLS"], line, openmpi) == {"btl_tcp_eager_limit": "65536"}
    assert library.check(["MPIR_CVAR_EAGER", "UCX_TLS"], line, hydra) == {"MPIR_CVAR_EAGER": "131072"}
    with pytest.raises(SpaceError, match=r"btl_tcp_eager_limt: this .* no such parameter; btl_tcp_eager_limit\?"):
        library.check(["btl_tcp_eager_limt"], line, openmpi)
    with pytest.raises(SpaceError, match="MPIR_CVAR_EAGERS: this MPI library has no such parameter"):
        library.check(["MPIR_CVAR_EAGERS"], line, hydra)
    with pytest.raises(SpaceError, match="btl: a parameter of Open MPI"):
        library.check(["btl"], line, hydra)
    for options in (["--mca", "btl_tcp_eager_limit", "1"], ["-x", "OMPI_MCA_btl_tcp_eager_limit=1"]):
        with pytest.raises(SpaceError, match="the launcher line sets it itself"):
            library.check(["btl_tcp_eager_limit"], [line[0], *options, "./app"], openmpi)
    library.check(["btl_tcp_eager_limit"], [*line, "btl_tcp_eager_limit"], openmpi)
    assert library.check(["btl"], ["/nowhere/mpirun"], openmpi) == {}, "without its tool names are not checked"


def test_without_a_name_the_usual_parameters_are_tried_that_the_library_has(tmp_path: Path) -> None:
    info = "mca:btl:tcp:param:btl_tcp_eager_limit:value:65536\nmca:btl:sm:param:btl_sm_eager_limit:value:4096"
    info += "\nmca:btl:vader:param:btl_vader_eager_limit:value:4096"
    eager = 'os.environ.get("OMPI_MCA_btl_tcp_eager_limit", "65536")'
    scripts = {
        "ompi_info": f"#!/bin/sh\ncat <<'E'\n{info}\nE\n",
        "mpirun": f"#!{sys.executable}\nimport os\nprint('mpirun (Open MPI) 4.1.4')\nprint('time', 1e6 / int({eager}))",
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    line = [*STARLING, "tune-mpi", "--json", "-o", str(tmp_path / "out"), "-r", "1", "--pairs", "2", *FIGURE, "--"]
    done = subprocess.run(
        [*line, str(tmp_path / "mpirun"), "-n", "2", "--mca", "btl", "tcp,self", "app"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "usual: btl_tcp_eager_limit=64K,256K,1M btl_sm_eager_limit=4K,16K" in done.stderr
    found = json.loads(done.stdout)
    assert len(found["candidates"]) == 6
    assert found["chosen"]["btl_tcp_eager_limit"] == str(1 << 20)


def has_not_ended(pid: str) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_run_that_does_not_end_is_ended_and_fails(tmp_path: Path) -> None:
    script = tmp_path / "hangs"
    script.write_text(f"#!/bin/sh\nsleep 1000 & echo $! >{tmp_path}/pids\nsleep 1000\n")
    script.chmod(0o755)
    figure = runs.Figure.of(None, larger=False)
    answer = runs.Program([str(script)], Located(0, None), figure, os.environ).run({}, 0.3)
    assert isinstance(answer, runs.Failed)
    assert answer.why.startswith("it had not ended after")
    (pid,) = (tmp_path / "pids").read_text().split()
    deadline = time.monotonic() + 120
    while has_not_ended(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not has_not_ended(pid), "what it started has ended"


def test_figures_must_be_positive_numbers() -> None:
    figure = runs.Figure.of("x=(.*)", larger=False)
    assert figure.found("x=1\nx=2.5\n", 9) == 2.5
    for text in ("x=0", "x=-1", "x=nan", "x=inf"):
        assert "not positive" in str(figure.found(text, 9))
    assert figure.found("x=y", 9) == "its figure is no number: y"
    assert runs.Figure.of(None, larger=False).found("", 9) == 9
    assert math.isclose(runs.Figure.of("x", larger=True).cost(4), 0.25)

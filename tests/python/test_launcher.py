"""The launcher of a line, and the positions of its programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.launchers.launcher import Identity, Kind, Located, identity_from, locate, programs

OPENMPI = Identity(Kind.OPENMPI, "openmpi", "4.1.4")
HYDRA = Identity(Kind.HYDRA, "mpich", "5.0.2")
SRUN = Identity(Kind.SRUN, None, "23.02")
LAUNCHERS = {"mpirun": OPENMPI, "mpiexec": HYDRA, "srun": SRUN}
RUNS = {"./app", "app", "python3", "node", "core", "host1"}


def words(line: str) -> list[str]:
    return line.split()


@pytest.mark.parametrize(
    ("text", "kind", "flavour", "version"),
    [
        ("mpirun (Open MPI) 4.1.4\n\nReport bugs to ...", Kind.OPENMPI, "openmpi", "4.1.4"),
        ("mpirun.openmpi (OpenRTE) 4.1.4\n", Kind.OPENMPI, "openmpi", "4.1.4"),
        ("mpirun (Open MPI) 5.0.11\n", Kind.OPENMPI, "openmpi", "5.0.11"),
        ("HYDRA build details:\n    Version:     4.0.2\n    Release Date: ...", Kind.HYDRA, "mpich", "4.0.2"),
        (
            "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)\n",
            Kind.HYDRA,
            "intel",
            "2021.18.1",
        ),
        ("slurm 23.02.7\n", Kind.SRUN, None, "23.02.7"),
        ("slurm-wlm 22.05.8\n", Kind.SRUN, None, "22.05.8"),
    ],
)
def test_a_launcher_is_known_by_its_answer_to_version(text: str, kind: Kind, flavour: str | None, version: str) -> None:
    assert identity_from(text) == Identity(kind, flavour, version)


def test_an_unknown_answer_is_no_launcher() -> None:
    assert identity_from("GNU bash, version 5.2") is None


@pytest.mark.parametrize(
    ("line", "at", "identity"),
    [
        ("mpirun -n 4 ./app", 0, OPENMPI),
        ("timeout 60 mpirun -n 4 ./app", 2, OPENMPI),
        ("timeout -s KILL --foreground 60 mpirun -n 4 ./app", 5, OPENMPI),
        ("timeout --signal=KILL 60 mpirun -n 4 ./app", 3, OPENMPI),
        ("env -u FOO A=1 B=2 mpiexec -n 4 ./app", 5, HYDRA),
        ("nice -n 5 mpiexec -n 4 ./app", 3, HYDRA),
        ("numactl --cpunodebind=0 -m 0 mpiexec ./app", 4, HYDRA),
        ("stdbuf -oL -e L mpiexec ./app", 4, HYDRA),
        ("taskset -c 0-3 mpiexec ./app", 3, HYDRA),
        ("/usr/bin/time -v timeout 5 srun ./app", 4, SRUN),
        ("timeout 60 ./app mpirun", 2, None),
        ("./app mpirun", 0, None),
        ("bash -c mpirun", 0, None),
        ("timeout 60", 0, None),
    ],
)
def test_a_launcher_is_found_behind_commands_that_run_it(line: str, at: int, identity: Identity | None) -> None:
    assert locate(words(line), LAUNCHERS.get) == Located(at, identity)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mpirun -n 4 ./app -n 5", ["./app"]),
        ("mpirun --oversubscribe -np 4 --map-by node --bind-to core ./app", ["./app"]),
        ("mpirun -host node --mca btl self app x", ["app"]),
        ("mpirun --unheard-of value ./app", ["./app"]),
        ("mpirun -n 1 ./app : -n 2 python3 script.py", ["./app", "python3"]),
        ("mpirun -n 4", []),
        ("mpiexec -genv A 1 -f node -ppn 2 -n 4 ./app : -env B 2 app", ["./app", "app"]),
        ("mpiexec -hosts host1 -n 1 app", ["app"]),
        ("srun -n 4 -w node --mpi=pmix -p core ./app : x", ["./app"]),
        ("srun -n4 --export ALL -- ./app", ["./app"]),
        ("timeout 60 ./app ./app", ["./app"]),
    ],
)
def test_the_program_is_the_first_word_that_runs_and_is_no_options_argument(line: str, expected: list[str]) -> None:
    line_words = words(line)
    found = locate(line_words, LAUNCHERS.get)
    assert [line_words[at] for at in programs(line_words, found, RUNS.__contains__)] == expected


@given(
    st.lists(
        st.sampled_from(["-n", "4", ":", "./app", "-x", "--", "-", "", "--mca", "-genv", "env", "timeout"]), max_size=12
    )
)
def test_any_line_has_at_most_one_program_for_each_part(rest: list[str]) -> None:
    for launcher in LAUNCHERS:
        line = [launcher, *rest]
        at = list(programs(line, locate(line, LAUNCHERS.get), RUNS.__contains__))
        assert at == sorted(set(at))
        assert len(at) <= 1 + rest.count(":")
        assert all(line[i] in RUNS for i in at)

"""How variables reach the ranks of each kind of launcher line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.launchers.launcher import Identity, Kind, Located, locate
from starling.launchers.variables import joined_preload, rewrite

LAUNCHERS = {
    "mpirun": Identity(Kind.OPENMPI, "openmpi", "4.1.4"),
    "mpiexec": Identity(Kind.HYDRA, "mpich", "5.0.2"),
    "srun": Identity(Kind.SRUN, None, "23.02"),
}
OURS = {"LD_PRELOAD": "/s.so", "STARLING_ONLY": "a,b;c"}
X = "-x LD_PRELOAD=/s.so -x STARLING_ONLY=a,b;c"
GENV = "-genv LD_PRELOAD /s.so -genv STARLING_ONLY a,b;c"


def rewritten(line: str, environ: dict[str, str] | None = None) -> tuple[str, dict[str, str]]:
    words = line.split()
    argv, env = rewrite(words, locate(words, LAUNCHERS.get), OURS, environ or {})
    return " ".join(argv), env


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mpirun -n 4 ./app", f"mpirun {X} -n 4 ./app"),
        ("timeout 9 mpirun ./app -x A", f"timeout 9 mpirun {X} ./app -x A"),
        ("mpirun -n 1 a : -n 2 b", f"mpirun {X} -n 1 a : {X} -n 2 b"),
        (
            "mpirun -x LD_PRELOAD=/tool.so -n 4 a",
            "mpirun -x STARLING_ONLY=a,b;c -x LD_PRELOAD=/s.so:/tool.so -n 4 a",
        ),
        ("mpirun -x STARLING_ONLY=bcast a", "mpirun -x LD_PRELOAD=/s.so -x STARLING_ONLY=bcast a"),
        (
            "mpirun --mca mca_base_env_list A=1 a",
            "mpirun --mca mca_base_env_list A=1;LD_PRELOAD=/s.so;STARLING_ONLY=a,b;c a",
        ),
        ("mpiexec -n 4 ./app", f"mpiexec {GENV} -n 4 ./app"),
        ("mpiexec -n 1 a : -n 2 b", f"mpiexec {GENV} -n 1 a : -n 2 b"),
        (
            "mpiexec -genv LD_PRELOAD /tool.so -n 4 a",
            "mpiexec -genv STARLING_ONLY a,b;c -genv LD_PRELOAD /s.so:/tool.so -n 4 a",
        ),
        (
            "mpiexec -n 1 -env LD_PRELOAD /tool.so a -env LD_PRELOAD x",
            f"mpiexec {GENV} -n 1 -env LD_PRELOAD /s.so:/tool.so a -env LD_PRELOAD x",
        ),
        ("srun -n 4 --export=ALL a", "srun -n 4 --export=ALL a"),
        ("srun --export=NONE a --export=NONE", "srun --export=LD_PRELOAD,STARLING_ONLY a --export=NONE"),
        ("srun --export HOME,STARLING_ONLY a", "srun --export HOME,STARLING_ONLY,LD_PRELOAD a"),
        ("env LD_PRELOAD=/tool.so ./app", "env LD_PRELOAD=/s.so:/tool.so ./app"),
        (
            "env LD_PRELOAD=/tool.so mpiexec a",
            "env LD_PRELOAD=/tool.so mpiexec -genv LD_PRELOAD /s.so:/tool.so -genv STARLING_ONLY a,b;c a",
        ),
        ("./app -n 4", "./app -n 4"),
    ],
)
def test_the_line_of_each_launcher_brings_the_variables_in_its_own_way(line: str, expected: str) -> None:
    assert rewritten(line)[0] == expected


@pytest.mark.parametrize("line", ["mpirun -n 4 a", "mpiexec -n 4 a"])
def test_a_launcher_with_a_way_of_its_own_is_not_preloaded_itself(line: str) -> None:
    assert rewritten(line, {"HOME": "/h"})[1] == {"HOME": "/h"}


@pytest.mark.parametrize("line", ["srun -n 4 a", "./app", "bash job.sh", "timeout 5 ./app"])
def test_other_lines_get_the_variables_by_the_environment(line: str) -> None:
    assert rewritten(line, {"HOME": "/h"}) == (line, {"HOME": "/h", **OURS})


def test_the_variable_of_srun_is_extended_too() -> None:
    assert rewritten("srun a", {"SLURM_EXPORT_ENV": "NONE"})[1]["SLURM_EXPORT_ENV"] == "LD_PRELOAD,STARLING_ONLY"


def test_open_mpis_own_list_in_the_environment_is_extended_because_it_forbids_x() -> None:
    key = "OMPI_MCA_mca_base_env_list"
    line, env = rewritten("mpirun -n 4 a", {key: "A=1"})
    assert line == "mpirun -n 4 a"
    assert env[key] == "A=1;LD_PRELOAD=/s.so;STARLING_ONLY=a,b;c"


@pytest.mark.parametrize(
    ("in_file", "uses_list"),
    [("-n 1 ./a\n-n 1 ./b\n", True), ("-n 1 -x A=1 ./a\n", False), (None, False)],
)
def test_the_list_is_used_with_a_file_of_programs_unless_that_uses_x(
    in_file: str | None, uses_list: bool, tmp_path: Path
) -> None:
    file = tmp_path / "programs"
    if in_file is not None:
        file.write_text(in_file)
    line, env = rewritten(f"mpirun --app {file}")
    expected = {"OMPI_MCA_mca_base_env_list": "LD_PRELOAD=/s.so;STARLING_ONLY=a,b;c"}
    assert (line, env) == ((f"mpirun --app {file}", expected) if uses_list else (f"mpirun {X} --app {file}", {}))


@pytest.mark.parametrize(
    ("listed", "extended"),
    [
        ("LD_PRELOAD;STARLING_ONLY;A", "A;LD_PRELOAD=/s.so;STARLING_ONLY=a,b;c"),
        ("LD_PRELOAD=/tool.so;STARLING_ONLY=x;A=1", "A=1;LD_PRELOAD=/s.so:/tool.so;STARLING_ONLY=a,b;c"),
    ],
)
def test_what_starling_env_put_into_open_mpis_list_is_replaced(listed: str, extended: str) -> None:
    assert rewritten("mpirun a", {"OMPI_MCA_mca_base_env_list": listed})[1]["OMPI_MCA_mca_base_env_list"] == extended
    assert rewritten(f"mpirun --mca mca_base_env_list {listed} a")[0] == f"mpirun --mca mca_base_env_list {extended} a"


def test_a_preload_of_the_environment_is_kept_behind_ours() -> None:
    line, _ = rewritten("mpirun a", {"LD_PRELOAD": "/tool.so"})
    assert line.startswith("mpirun -x LD_PRELOAD=/s.so:/tool.so ")


@pytest.mark.parametrize(
    ("existing", "joined"),
    [
        (None, "/s.so"),
        ("", "/s.so"),
        ("/a.so /b.so", "/s.so:/a.so:/b.so"),
        ("/a.so:/s.so", "/s.so:/a.so"),
        ("/a.so:/usr/lib/libasan.so.8", "/usr/lib/libasan.so.8:/s.so:/a.so"),
    ],
)
def test_our_library_is_first_but_for_a_sanitizer(existing: str | None, joined: str) -> None:
    assert joined_preload("/s.so", existing) == joined


def is_subsequence(few: list[str], many: list[str]) -> bool:
    rest = iter(many)
    return all(word in rest for word in few)


@given(
    st.sampled_from([*LAUNCHERS, "./app", "timeout", "env"]),
    st.lists(
        st.sampled_from(["-n", "4", ":", "./a", "-x", "A=1", "--mca", "-genv", "B", "--export", "ALL", "--", "LD", ""])
        | st.text(max_size=5),
        max_size=15,
    ),
)
def test_no_word_of_the_user_is_lost_or_moved(first: str, rest: list[str]) -> None:
    line = [first, *(word for word in rest if not word.startswith(("--export=", "LD_PRELOAD")))]
    found = locate(line, LAUNCHERS.get)
    argv, _ = rewrite(line, found, {"LD_PRELOAD": "/s.so", "STARLING_A": "1"}, {})
    if "--export" not in line:
        assert is_subsequence(line, argv)
    assert argv[: found.at + 1] == line[: found.at + 1]


def test_without_variables_the_line_is_unchanged() -> None:
    line = ["mpirun", "-n", "4", "a"]
    assert rewrite(line, Located(0, LAUNCHERS["mpirun"]), {}, {"A": "1"}) == (line, {"A": "1"})

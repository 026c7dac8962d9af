"""The command line: exit statuses, streams, messages."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from starling.commands import cli
from support.command import called

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests/knowledge/run-record.json"
WHOLE = get_command(cli.app)
assert isinstance(WHOLE, TyperGroup)
COMMANDS = sorted(name for name, one in WHOLE.commands.items() if not one.hidden and not isinstance(one, TyperGroup))
GROUPS = {name for name, one in WHOLE.commands.items() if isinstance(one, TyperGroup)}


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment without settings, records or an MPI."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "sleep", "env"):
        path = shutil.which(name)
        assert path
        (tools / name).symlink_to(path)
    return {
        "HOME": str(tmp_path),
        "PATH": str(tools),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "LANG": "C.UTF-8",
    }


def starling(environ: dict[str, str], *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return called(*arguments, env=environ, cwd=cwd or Path(environ["HOME"]))


def one_line(text: str) -> str:
    assert text.startswith("starling: ")
    assert text.endswith("\n")
    assert text.count("\n") == 1, text
    return text


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(home: dict[str, str], command: str) -> None:
    done = starling(home, command, "--help")
    assert done.returncode == 0
    assert f"Example: starling {command}" in done.stdout


def test_the_help_of_the_whole_names_every_command(home: dict[str, str]) -> None:
    text = starling(home, "--help").stdout
    assert all(f"  {command} " in text for command in COMMANDS)


@pytest.mark.parametrize("group", [(), *((name,) for name in sorted(GROUPS - {"history"}))], ids=" ".join)
def test_without_a_command_the_help_of_a_group_is_shown_with_whole_summaries(
    home: dict[str, str], group: Sequence[str]
) -> None:
    bare = starling(home, *group)
    assert (bare.returncode, bare.stdout) == (2, "")
    assert bare.stderr == starling(home, *group, "--help").stdout
    commands = bare.stderr.partition("\nCommands:\n")[2].partition("\n\n")[0].splitlines()
    assert commands
    assert all(re.fullmatch(r"  [a-z-]+ +[A-Z].*[^.]\.", line) for line in commands), "a summary fits in its line"


def test_the_manual_has_a_row_and_a_section_for_every_command() -> None:
    table = (ROOT / "docs/command-line.md").read_text()
    pages = "".join(page.read_text() for page in (ROOT / "docs").glob("*.md"))
    assert [one for one in COMMANDS if not re.search(rf"^\| `starling {one}\b", table, re.MULTILINE)] == []
    assert [one for one in COMMANDS if not re.search(rf"^#+ .*\bstarling {one}\b", pages, re.MULTILINE)] == []


@pytest.mark.parametrize(
    "arguments",
    [("fly",), ("run",), ("run", "--speed", "--", "true"), ("run", "--mpi", "lam", "true"), ("report", "--bad")],
)
def test_a_wrong_use_of_the_command_ends_with_2_and_says_why(home: dict[str, str], arguments: Sequence[str]) -> None:
    done = starling(home, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Error: " in done.stderr


@pytest.mark.parametrize(("script", "status"), [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143)])
def test_run_without_any_mpi_ends_as_the_program_does_after_one_line(
    home: dict[str, str], script: str, status: int
) -> None:
    done = starling(home, "run", "--", "bash", "-c", f"echo out $LD_PRELOAD; {script}")
    assert (done.returncode, done.stdout.startswith("out /")) == (status, True)
    assert done.stdout.endswith("/lib/libstarling.so\n")
    assert "no record" in one_line(done.stderr)


@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full", ">/dev/full"])
def test_run_with_streams_that_cannot_be_used_changes_no_status_and_writes_nothing_elsewhere(
    home: dict[str, str], streams: str
) -> None:
    line = [sys.executable, "-m", "starling", "run", "--", "bash", "-c", "echo out; exit 4"]
    shell = ["bash", "-c", f'"$@" {streams}', "bash", *line]
    done = subprocess.run(shell, env=home, cwd=home["HOME"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 4
    assert done.stdout == ("out\n" if streams.startswith("2") else "")
    assert "Traceback" not in done.stderr


def test_run_in_a_folder_that_was_deleted_runs_the_program(home: dict[str, str], tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.executable, sys.argv[1:])"
    line = [sys.executable, "-m", "starling", "run", "--", "bash", "-c", "exit 4"]
    shell = [sys.executable, "-c", script, *line]
    done = subprocess.run(shell, env=home, cwd=gone, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 4, done.stderr


def test_run_of_a_program_with_address_sanitizer_starts_it_with_the_users_options(
    home: dict[str, str], tmp_path: Path
) -> None:
    source = tmp_path / "program.c"
    source.write_text("#include <stdlib.h>\nint main(void) { return getenv(\"ASAN_OPTIONS\")[0] == 'e' ? 3 : 4; }\n")
    program = source.with_suffix("")
    subprocess.run(["cc", "-fsanitize=address", source, "-o", program], check=True)
    done = starling({**home, "ASAN_OPTIONS": "exitcode=9"}, "run", "--", "env", str(program))
    assert done.returncode == 3, done.stderr


def test_run_leaves_the_programs_own_options_alone_with_and_without_dashes(home: dict[str, str]) -> None:
    for dashes in (["--"], []):
        done = starling(home, "run", *dashes, "bash", "-c", 'echo "$@"', "x", "--strategy", "--help")
        assert done.stdout == "--strategy --help\n"


def test_run_of_a_missing_program_is_127_as_in_a_shell(home: dict[str, str]) -> None:
    done = starling(home, "run", "--", "./app")
    assert done.returncode == 127
    assert one_line(done.stderr) == "starling: ./app: there is no such file\n"


def test_run_with_a_variant_that_is_not_built_says_how_to_build_it(home: dict[str, str]) -> None:
    done = starling({**home, "PYTHONPATH": home["PYTHONPATH"]}, "run", "--mpi", "abi", "--", "bash", "-c", "exit 4")
    if "no library" in done.stderr:
        assert "starling doctor --build" in one_line(done.stderr)
    assert done.returncode == 4


def test_run_with_wrong_settings_files_names_all_and_runs_natively(home: dict[str, str]) -> None:
    users, jobs = (Path(home["HOME"]) / folder / "starling.toml" for folder in (".config/starling", "."))
    users.parent.mkdir(parents=True)
    users.write_text("[run]\nspeed = 3\n")
    jobs.write_text('budget = "2%"\n')
    done = starling(home, "run", "--strategy", "star", "--", "bash", "-c", "echo $LD_PRELOAD; exit 5")
    assert (done.returncode, done.stdout) == (5, "\n")
    assert one_line(done.stderr) == (
        f"starling: {users}:2: run.speed: unknown key; {jobs}:1: budget: put it under [run]; "
        "no setting counts until this is corrected, and the program runs natively\n"
    )


def test_a_wrong_flag_is_told_where_a_settings_file_is_wrong_too(home: dict[str, str]) -> None:
    (Path(home["HOME"]) / "starling.toml").write_text("[run]\nspeed = 3\n")
    done = starling(home, "run", "--strategy", "bogus", "--", "bash", "-c", "echo started")
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done.stderr).startswith("starling: --strategy bogus: ")


def test_history_with_a_wrong_settings_file_does_nothing_unless_the_folder_is_named(home: dict[str, str]) -> None:
    file, history = Path(home["HOME"]) / "starling.toml", Path(home["HOME"]) / "h"
    file.write_text("[run]\nspeed = 3\n")
    history.mkdir()
    shutil.copy(SAMPLE, history / "20260102T000000-a-1.json")
    done = starling(home, "history", "clear", "--yes")
    assert (done.returncode, done.stdout) == (1, "")
    assert one_line(done.stderr) == (
        f"starling: {file}:2: run.speed: unknown key; nothing was done; "
        "correct this first, or name the folder of the records with --history\n"
    )
    done = starling(home, "history", "clear", "--yes", "--history", "h")
    assert (done.returncode, done.stderr, list(history.iterdir())) == (0, "", [])


@pytest.mark.parametrize("command", ["check", "compare", "profile"])
def test_a_wrong_settings_file_starts_nothing_where_the_runs_would_be_of_no_use(
    command: str, home: dict[str, str]
) -> None:
    file = Path(home["HOME"]) / "starling.toml"
    file.write_text("[run]\nspeed = 3\n")
    done = starling(home, command, "--", "bash", "-c", "touch started")
    assert (done.returncode, done.stdout) == (2, "")
    told = one_line(done.stderr)
    assert told == f"starling: {file}:2: run.speed: unknown key; nothing was started; correct this first\n"
    assert not (Path(home["HOME"]) / "started").exists()
    file.write_text('[run]\nstrategy = "fastest"\n')
    if command == "compare":
        done = starling(home, command, "--", "bash", "-c", "touch started")
        assert one_line(done.stderr).startswith(f"starling: {file}:2: run.strategy = 'fastest': no such strategy")
        assert not (Path(home["HOME"]) / "started").exists()


def test_a_wrong_settings_file_is_told_with_what_to_do(home: dict[str, str]) -> None:
    file = Path(home["HOME"]) / "starling.toml"
    file.write_text("[run]\nspeed = 3\n")
    for command, status, what in (("report", 1, "correct this, or name a record"), ("env", 2, "correct this first")):
        done = starling(home, command)
        assert (done.returncode, done.stdout) == (status, "")
        assert one_line(done.stderr) == f"starling: {file}:2: run.speed: unknown key; {what}\n"


def library_of(variant: str, home: dict[str, str]) -> Path:
    """An empty library in the user's folder, so that a line is prepared as for a real one."""
    place = Path(home["HOME"]) / ".local/share/starling/lib" / f"libstarling-{variant}.so"
    place.parent.mkdir(parents=True)
    source = place.with_suffix(".c")
    source.write_text("int nothing;\n")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", place], check=True)
    return place


def test_run_warns_of_the_launcher_of_another_mpi_and_goes_on(home: dict[str, str], tmp_path: Path) -> None:
    library, program, launcher = tmp_path / "libmpi.so.40", tmp_path / "app", tmp_path / "tools/mpirun"
    source = tmp_path / "app.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library, "-Wl,-soname,libmpi.so.40"], check=True)
    subprocess.run(["cc", source, "-o", program, "-Wl,--no-as-needed", library], check=True)
    launcher.write_text("#!/bin/sh\necho HYDRA build details: Version: 5.0.2\n")
    launcher.chmod(0o755)
    told = f"./app is linked with Open MPI (libmpi.so.40), and mpirun ({launcher}) is MPICH's: each rank will be alone"
    done = starling(home, "run", "--", "mpirun", "-n", "2", "./app")
    assert done.returncode == 0
    assert done.stdout != ""
    assert done.stderr.startswith(f"starling: {told}; use the launcher of its MPI\n")
    assert "alone" not in starling(home, "run", "--mpi", "openmpi", "--", "mpirun", "-n", "2", "./app").stderr


def recorded(numbers: Sequence[int], ranks: int = 1) -> str:
    """A script that leaves so many records, as of ranks that are a world each."""
    of_run = {"program": "bash -c ...", "ranks": ranks, "mpi_flavour": "openmpi", "mpi_version": "4.1.4"}
    record = json.dumps({"run": of_run})
    return "; ".join(f"echo '{record}' >h/2026010{one}T000000-a-1.json" for one in numbers)


@pytest.mark.parametrize(
    ("launcher", "written", "told"),
    [
        (
            "",
            recorded([1]),
            "it ran with one rank; a launcher goes before the program: starling run -- mpirun -n 4 bash",
        ),
        ("", recorded([1, 2]), ""),
        ("", recorded([1], ranks=2), ""),
        ("", recorded([1]).replace("bash", "./app"), ""),
        (
            "HYDRA build details: Version: 5.0.2",
            recorded([1, 2]),
            "each rank ran alone, as a program of one rank: mpirun",
        ),
        ("HYDRA build details: Version: 5.0.2", recorded([1]), "is MPICH's, and the program ran on openmpi 4.1.4; use"),
        ("mpirun (Open MPI) 4.1.4", recorded([1]), ""),
        (
            "mpirun (Open MPI) 4.1.4",
            recorded([1, 2]),
            "2 runs of one rank were recorded meanwhile; if they are ranks of",
        ),
        ("slurm-wlm 22.05.8", recorded([1, 2]), "did not make them one job; use the launcher of their openmpi 4.1.4"),
    ],
)
def test_run_says_that_ranks_were_alone(
    home: dict[str, str], tmp_path: Path, launcher: str, written: str, told: str
) -> None:
    library_of("abi", home)
    (tmp_path / "h").mkdir()
    line = ["bash", "-c", written]
    if launcher:
        program(home, "mpirun", f'if [ "$1" = --version ]; then echo "{launcher}"; exit; fi; {written}')
        line = ["mpirun", "-n", "2", *line]
    flags = ["--mpi", "abi", "--history", "h"]
    record, *more = starling(home, "run", *flags, "--", *line).stderr.splitlines()
    assert record.startswith("starling: record ")
    assert [told in one for one in more] == [True] * bool(told)
    assert starling(home, "run", "-q", *flags, "--", *line).stderr == ""


def test_an_invalid_choice_is_reported_in_our_words(home: dict[str, str]) -> None:
    for arguments in (("run", "--mpi", "lam", "true"), ("lab", "run", "--order", "lam", "--", "true")):
        done = starling(home, *arguments)
        assert ": 'lam' is not one of " in done.stderr
        assert "Value error" not in done.stderr


def test_run_hands_library_and_settings_to_the_program(home: dict[str, str], tmp_path: Path) -> None:
    library = library_of("abi", home)
    script = "echo $LD_PRELOAD $STARLING_STRATEGY $STARLING_ONLY $STARLING_REPRODUCIBLE $STARLING_HISTORY"
    flags = ["--strategy", "forced:ring", "--only", "bcast,ring", "--reproducible", "--history", "h", "--mpi", "abi"]
    done = starling(home, "run", *flags, "--", "bash", "-c", script)
    preloaded, *rest = done.stdout.split()
    assert Path(preloaded).name == library.name
    assert rest == ["forced:ring", "bcast,ring", "1", str(tmp_path / "h")]


WRONG = [
    ("strategy", "bogus", "--strategy bogus: no such strategy; there are: "),
    ("strategy", "forced:allreduce:rab1?frob=3", "allreduce:rab1 has no parameter 'frob'; it has allgather ("),
    ("only", "allreduce,nosuch", "--only nosuch: there is no collective or algorithm 'nosuch'"),
    ("except", "bcast:chian", "--except bcast:chian: no algorithm bcast:chian; there are: "),
    ("platform", "nosuch.json", "--platform nosuch.json: no such file; correct the path, or give a short name"),
    ("platform", "star:0x0", "--platform star:0x0: nothing in it; give numbers from 1"),
]


@pytest.mark.parametrize(("name", "value", "why"), WRONG)
def test_a_mistyped_flag_is_told_and_nothing_is_started(home: dict[str, str], name: str, value: str, why: str) -> None:
    done = starling(home, "run", f"--{name}", value, "--mpi", "abi", "--", "bash", "-c", "echo started")
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done.stderr).startswith(f"starling: --{name} ")
    assert why in done.stderr


@pytest.mark.parametrize(
    ("history", "why"),
    [("file", "it is no folder; name one, or off"), ("file/below", "/file is no folder; name one, or off")],
)
def test_a_history_that_cannot_be_a_folder_is_told_and_nothing_is_started(
    home: dict[str, str], tmp_path: Path, history: str, why: str
) -> None:
    (tmp_path / "file").touch()
    done = starling(home, "run", "--history", history, "--", "bash", "-c", "echo started")
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done.stderr).startswith(f"starling: --history {history}: ")
    assert why in done.stderr
    for good in ("new/below", "off"):
        assert starling(home, "run", "--history", good, "--", "bash", "-c", "echo started").stdout == "started\n"


def test_a_record_that_would_be_lost_or_replace_another_file_starts_nothing(
    home: dict[str, str], tmp_path: Path
) -> None:
    table, other, record = tmp_path / "table.json", tmp_path / "other.json", tmp_path / "record.json"
    table.write_text('{"schema": "starling-table-1"}')
    other.write_text('{"schema": "starling-table-1"}')
    record.write_text('{"schema": 1, "run": {}}')
    echo = ("--", "bash", "-c", "echo started")
    for flags, why in (
        (("--record", str(table), "--table", str(table)), "this is the file of --table; name another one"),
        (("--record", str(other)), "it is there and no run record; name another one, or remove it"),
        (("--record", str(tmp_path)), "this is a folder; name a file in it"),
        (("--record", f"{tmp_path}/no/new.json"), f"there is no folder {tmp_path}/no; make it, or name another file"),
    ):
        done = starling(home, "run", *flags, *echo)
        assert (done.returncode, done.stdout) == (2, "")
        assert one_line(done.stderr) == f"starling: --record {flags[1]}: {why}\n"
    assert table.read_text() == other.read_text() == '{"schema": "starling-table-1"}'
    for good in (record, tmp_path / "new.json"):
        assert starling(home, "run", "--record", str(good), *echo).stdout == "started\n"
    natively = starling({**home, "STARLING_RECORD": str(other)}, "run", *echo)
    assert natively.stdout == "started\n"
    assert "runs natively" in one_line(natively.stderr)


def test_options_of_a_launcher_before_it_are_told_to_follow_it(home: dict[str, str]) -> None:
    told = "a launcher's options follow it: starling {} -- mpirun -n 4 ./app"
    for command, option in (("run", "-n"), ("compare", "--oversubscribe"), ("check", "-np")):
        done = starling(home, command, option, "2", "--", "mpirun", "./app")
        assert (done.returncode, told.format(command) in done.stderr) == (2, True), done.stderr
    for mistyped in (("run", "--qiet", "true"), ("report", "--bad")):
        assert "a launcher's" not in starling(home, *mistyped).stderr


@pytest.mark.parametrize("command", ["check", "compare", "profile"])
def test_a_line_that_has_starling_run_in_it_is_refused(home: dict[str, str], command: str) -> None:
    program(home, "starling", "echo started")
    program(home, "mpirun", 'if [ "$1" = --version ]; then echo "mpirun (Open MPI) 4.1.4"; else echo started; fi')
    for line, right in (
        ("starling run -q -- mpirun -n 4 ./app", "mpirun -n 4 ./app"),
        ("env A=1 starling run --only bcast mpirun ./app", "env A=1 mpirun ./app"),
        ("mpirun -n 4 starling run -- ./app", "mpirun -n 4 ./app"),
    ):
        done = starling(home, command, "--", *line.split())
        assert (done.returncode, done.stdout) == (2, "")
        assert one_line(done.stderr) == f"starling: leave out the inner starling run: starling {command} -- {right}\n"


@pytest.mark.parametrize("name", ["strategy", "history", "record", "only", "except", "platform"])
def test_a_flag_without_a_value_is_told_and_nothing_is_started(home: dict[str, str], name: str) -> None:
    done = starling(home, "run", f"--{name}", "", "--", "bash", "-c", "echo started")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--{name} needs a value" in one_line(done.stderr)


@pytest.mark.parametrize(("name", "value", "why"), WRONG)
def test_a_wrong_value_in_the_settings_file_is_told_with_file_line_and_key_and_the_program_runs_natively(
    home: dict[str, str], name: str, value: str, why: str
) -> None:
    library_of("abi", home)
    (Path(home["HOME"]) / "starling.toml").write_text(f'[run]\nmpi = "abi"\n{name} = "{value}"\n')
    done = starling(home, "run", "--", "bash", "-c", "echo started $LD_PRELOAD; exit 3")
    assert (done.returncode, done.stdout) == (3, "started\n")
    line = one_line(done.stderr)
    assert f"starling.toml:3: run.{name} = '" in line
    assert why.partition(": ")[2].partition("; ")[0] in line
    assert line.endswith("; no setting counts until this is corrected, and the program runs natively\n")


def test_a_wrong_variable_is_left_to_the_library_to_report(home: dict[str, str]) -> None:
    library_of("abi", home)
    wrong = {**home, "STARLING_STRATEGY": "bogus"}
    done = starling(wrong, "run", "--mpi", "abi", "--", "bash", "-c", "echo $STARLING_STRATEGY; exit 3")
    assert (done.returncode, done.stdout) == (3, "bogus\n")


def test_doctor_tells_what_is_wrong_with_variables_and_which_are_unknown(home: dict[str, str]) -> None:
    wrong = {**home, "STARLING_ITER": "0", "STARLING_EPSILON": "-1", "STARLING_ITERATIONS": "5", "STARLING_LAB": "a"}
    advice = json.loads(starling(wrong, "doctor", "--json").stdout)["advice"]
    assert "correct STARLING_ITER='0': not a whole number from 1 to 1000000" in advice
    assert "correct STARLING_EPSILON='-1': not a number from 0 to 1000" in advice
    assert "STARLING_ITERATIONS is unknown and ignored; did you mean STARLING_ITER?" in advice
    assert not [line for line in advice if "STARLING_LAB" in line]


def test_run_says_once_where_the_record_is(home: dict[str, str], tmp_path: Path) -> None:
    library_of("abi", home)
    flags = ["run", "--mpi", "abi", "--history", "h"]
    (tmp_path / "h").mkdir()
    writes = ["bash", "-c", "echo > $STARLING_HISTORY/20260101T000000-a-1.json"]
    (tmp_path / "tools/python").write_text(f'#!/bin/sh\nexec {sys.executable} -m starling "$@"\n')
    (tmp_path / "tools/python").chmod(0o755)
    done = starling(home, *flags, "--", "python", "run", "--mpi", "abi", "--", *writes)
    record = f"{tmp_path}/h/20260101T000000-a-1.json"
    assert one_line(done.stderr) == f"starling: record {record}; see it with: starling report {record}\n"


def test_run_with_the_history_off_says_where_the_other_copy_is(home: dict[str, str], tmp_path: Path) -> None:
    library_of("abi", home)
    flags = ["run", "--mpi", "abi", "--history", "off", "--record", "r.json"]
    line = one_line(starling(home, *flags, "--", "bash", "-c", "echo '\"run\"' > r.json").stderr)
    assert line == f"starling: record {tmp_path}/r.json; see it with: starling report {tmp_path}/r.json\n"
    assert "no record" in one_line(starling(home, *flags, "--", "bash", "-c", ":").stderr), "the old one does not count"
    assert starling(home, *flags[:-2], "--", "bash", "-c", ":").stderr == "", "none was wanted"


def test_run_does_not_guess_where_the_library_said_why_there_is_no_record(home: dict[str, str]) -> None:
    library_of("abi", home)
    script = "test -f $STARLING_EXPLAINED && printf l >> $STARLING_EXPLAINED"
    done = starling(home, "run", "--mpi", "abi", "--", "bash", "-c", script)
    assert (done.returncode, done.stderr) == (0, "")


def test_run_says_that_a_failed_program_left_no_record_of_this_run(home: dict[str, str]) -> None:
    library_of("abi", home)
    done = starling(home, "run", "--mpi", "abi", "--", "bash", "-c", "exit 3")
    assert "no record of this run, which ended with exit status 3" in one_line(done.stderr)


def test_run_says_where_the_record_is_or_that_there_is_none(home: dict[str, str], tmp_path: Path) -> None:
    library_of("abi", home)
    flags = ["run", "--mpi", "abi", "--history", "h"]
    assert "no record" in one_line(starling(home, *flags, "--", "bash", "-c", ":").stderr)
    (tmp_path / "h").mkdir()
    writes = ["--", "bash", "-c", "echo > h/20260101T000000-a-1.json"]
    assert f"record {tmp_path}/h/20260101T000000-a-1.json" in one_line(starling(home, *flags, *writes).stderr)
    assert starling(home, *flags, "--quiet", "--", "bash", "-c", ":").stderr == ""


def test_report_prints_the_last_record_of_the_history(home: dict[str, str]) -> None:
    history = Path(home["HOME"]) / ".local/share/starling/history"
    history.mkdir(parents=True)
    (history / "20260101T000000-a-1.json").write_text("{}")
    shutil.copy(SAMPLE, history / "20260102T000000-a-1.json")
    done = starling(home, "report")
    assert done.returncode == 0
    assert "chain?segment=8192" in done.stdout
    assert done.stderr == ""


def test_report_prints_the_last_record_of_another_folder(home: dict[str, str], tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert "other: no record yet; make one with: " in one_line(starling(home, "report", "other").stderr)
    (other / "20260101T000000-a-1.json").write_text("{}")
    shutil.copy(SAMPLE, other / "20260102T000000-a-1.json")
    for words in (["other"], ["--history", "other"]):
        done = starling(home, "report", *words)
        assert (done.returncode, done.stderr, "chain?segment=8192" in done.stdout) == (0, "", True)
    for wrong, why in (
        (["--history", "mistyped"], "--history mistyped: no such folder"),
        (["other", "--history", "other"], "name a record or --history, not both"),
    ):
        done = starling(home, "report", *wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert why in one_line(done.stderr)


def test_report_skips_what_is_no_record_with_a_note_unless_it_is_named(home: dict[str, str], tmp_path: Path) -> None:
    history = tmp_path / ".local/share/starling/history"
    history.mkdir(parents=True)
    shutil.copy(SAMPLE, history / "20260102T000000-a-1.json")
    cut = history / "20260103T000000-a-1.json"
    cut.write_text(SAMPLE.read_text()[:700])
    (history / "notes.json").write_text("[]")
    (history / "zzz.json").symlink_to("nothing")
    done = starling(home, "report")
    assert (done.returncode, "chain?segment=8192" in done.stdout) == (0, True)
    assert done.stderr.count("\n") == 3
    assert all(line.startswith(f"starling: skipped {history}/") for line in done.stderr.splitlines())
    assert starling(home, "report", "--json").stdout == SAMPLE.read_text()
    done = starling(home, "report", str(cut))
    assert (done.returncode, done.stdout) == (1, "")
    assert "cut short" in one_line(done.stderr)


def test_report_of_a_history_without_any_whole_record_is_an_error(home: dict[str, str], tmp_path: Path) -> None:
    history = tmp_path / ".local/share/starling/history"
    history.mkdir(parents=True)
    (history / "20260103T000000-a-1.json").write_text("{}")
    done = starling(home, "report")
    assert done.returncode == 1
    assert "no whole record in it; the newest file: " in one_line(done.stderr)


@pytest.mark.parametrize("named", ["--history", "STARLING_HISTORY"])
def test_report_of_a_history_that_is_a_file_says_so(home: dict[str, str], tmp_path: Path, named: str) -> None:
    (tmp_path / "file").touch()
    done = starling(home, "report", named, "file") if named[0] == "-" else starling({**home, named: "file"}, "report")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{tmp_path}/file: it is no folder; name the folder of the records" in one_line(done.stderr)


def test_report_of_a_missing_record_names_those_that_there_are(home: dict[str, str], tmp_path: Path) -> None:
    history = tmp_path / ".local/share/starling/history"
    history.mkdir(parents=True)
    for i in range(5):
        (history / f"2026010{i}T000000-a-1.json").touch()
    line = one_line(starling(home, "report", "nofile.json").stderr)
    newest = ", ".join(f"2026010{i}T000000-a-1.json" for i in (4, 3, 2))
    assert line == f"starling: nofile.json: no such file; records in {history}: {newest}, and 2 more\n"


def test_output_that_cannot_be_written_is_one_line_and_status_1(home: dict[str, str]) -> None:
    for arguments in (("report", str(SAMPLE)), ("report", "--json", str(SAMPLE)), ("algorithms",)):
        with Path("/dev/full").open("w") as full:
            line = [sys.executable, "-m", "starling", *arguments]
            done = subprocess.run(line, env=home, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 1
        assert one_line(done.stderr) == "starling: standard output: No space left on device\n"


def test_output_in_a_pipe_has_the_width_of_columns_or_120_and_no_blanks_at_the_ends(home: dict[str, str]) -> None:
    for width, wanted in (({}, 120), ({"COLUMNS": "90"}, 90), ({"COLUMNS": "x"}, 120)):
        for command in (("report", "--all", str(SAMPLE)), ("algorithms",)):
            lines = starling({**home, **width}, *command).stdout.splitlines()
            assert wanted - 30 < max(map(len, lines)) <= wanted, command
            assert not [line for line in lines if line != line.rstrip()]


def test_doctor_tells_that_a_gpu_runtime_made_the_last_run_native(home: dict[str, str], tmp_path: Path) -> None:
    record = json.loads(SAMPLE.read_text())
    history = tmp_path / "told"
    history.mkdir()
    for reason, told in (("a rank has a GPU runtime in its process", True), ("needs a power of two of ranks", False)):
        record["contexts"][0]["candidates"][-1] |= {"eligible": False, "reason": reason}
        (history / "20260101T000000-host-1.json").write_text(json.dumps(record))
        done = starling({**home, "STARLING_HISTORY": str(history)}, "doctor", "--json")
        advice = json.loads(done.stdout)["advice"]
        assert any(reason in line and "--host-buffers" in line for line in advice) == told


def test_doctor_does_not_break_paths(home: dict[str, str]) -> None:
    library = library_of("abi", home)
    for width in ("30", "60", "200"):
        text = starling({**home, "COLUMNS": width}, "doctor").stdout
        assert str(library.parents[1] / "history") in text
        assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_report_as_json_is_the_record_as_it_is(home: dict[str, str]) -> None:
    done = starling(home, "report", "--json", str(SAMPLE))
    assert done.stdout == SAMPLE.read_text()
    assert json.loads(done.stdout)["schema"] == 1


@pytest.mark.parametrize("arguments", [(), ("missing.json",)])
def test_report_without_a_record_is_one_line_and_1(home: dict[str, str], arguments: Sequence[str]) -> None:
    done = starling(home, "report", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    one_line(done.stderr)


def test_algorithms_draws_one_of_them(home: dict[str, str], tmp_path: Path) -> None:
    picture = tmp_path / "chain.svg"
    line = ("algorithms", "bcast:chain?segment=8192", "--draw", str(picture), "--ranks", "5", "--root", "2")
    done = starling(home, *line)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = picture.read_text()
    assert text.startswith("<svg ")
    assert "5 ranks, root 2, 4 blocks, 16 messages" in text


def test_algorithms_shows_one_of_them_in_detail(home: dict[str, str]) -> None:
    done = starling(home, "algorithms", "allreduce:rab1")
    assert (done.returncode, done.stderr) == (0, "")
    for text in (
        "allreduce:rab1: scatters the sum by recursive halving",
        "a commutative operator",
        "allgather, the allgather that spreads the result; what STAR-MPI calls ring is pairwise: ring,",
        "2 (p-1)/p m beta",
        "Rabenseifner 2004",
        "--strategy forced:allreduce:rab1",
    ):
        assert text in done.stdout
    assert "Open MPI rabenseifner" in starling(home, "algorithms", "allreduce:rabenseifner").stdout
    assert json.loads(starling(home, "algorithms", "allreduce:rab1", "--json").stdout)[0]["name"] == "rab1"
    assert starling(home, "algorithms", "bcast:native").stdout == "bcast:native: the MPI library's own way\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("allreduce:rung",), "no algorithm allreduce:rung; there are: native, domains, gather_reduce, "),
        (("bcast:chain?segment=8192",), "leave the parameters out, all are shown"),
        (("cast",), "no collective cast in the repository; there are: "),
        (("bcast:chain", "--root", "1"), "--root is for a picture: add --draw F.svg, or leave it out"),
        (("bcast:chain", "--root", "0"), "--root is for a picture"),
        (("--blocks", "4"), "--blocks is for a picture"),
        (("bcast:chain", "--draw", "x.png"), "--draw x.png: pictures are SVG; give a name that ends in .svg"),
    ],
)
def test_algorithms_refuses_what_it_cannot_show(home: dict[str, str], arguments: Sequence[str], why: str) -> None:
    done = starling(home, "algorithms", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in one_line(done.stderr)
    assert not Path(home["HOME"], "x.png").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "--draw needs an algorithm, as in: starling algorithms alltoall:ring --draw"),
        (("alltoall",), "alltoall: name an algorithm as in alltoall:ring"),
        (("alltoall:rung",), "no algorithm alltoall:rung; there are: native, bruck, "),
        (("bcast:chain", "--root", "9"), "9: the root must be a number from 0 to 7"),
    ],
)
def test_algorithms_refuses_to_draw_unknown_candidates(
    home: dict[str, str], tmp_path: Path, arguments: Sequence[str], why: str
) -> None:
    done = starling(home, "algorithms", *arguments, "--draw", str(tmp_path / "x.svg"))
    assert done.returncode == 2
    assert why in one_line(done.stderr)
    assert not (tmp_path / "x.svg").exists()


def test_algorithms_cannot_draw_where_it_cannot_write(home: dict[str, str], tmp_path: Path) -> None:
    done = starling(home, "algorithms", "alltoall:ring", "--draw", str(tmp_path / "none/x.svg"))
    assert done.returncode == 1
    told = f"{tmp_path}/none/x.svg: there is no folder {tmp_path}/none; make it, or name another file"
    assert one_line(done.stderr) == f"starling: {told}\n"
    done = starling(home, "report", str(SAMPLE), "--html", "none/run.html")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"none/run.html: there is no folder {tmp_path}/none; make it" in one_line(done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "read.html", "--html", "read.html"),
        ("report", "read.html", "--html", "./read.html", "--json"),
        ("report", "read.html", "--html", "record.json"),
        ("profile", "--show", "read.html", "--html", "read.html"),
        ("export", "read.html", "--to", "ucc", "-o", "read.html"),
        ("calibrate", "--platform", "read.html", "-o", "read.html", "--", "true"),
    ],
    ids=" ".join,
)
def test_a_command_does_not_write_over_the_file_that_it_reads(
    home: dict[str, str], tmp_path: Path, arguments: Sequence[str]
) -> None:
    files = [tmp_path / "read.html", tmp_path / "record.json"]
    for file in files:
        shutil.copy(SAMPLE, file)
    done = starling(home, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"name another one|give a name that ends in \.html", one_line(done.stderr))
    assert all(file.read_bytes() == SAMPLE.read_bytes() for file in files)


def test_a_pipe_is_no_file_to_read_settings_from(home: dict[str, str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = starling(home, "run", "--table", "pipe", "--mpi", "abi", "--", "bash", "-c", "echo started")
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done.stderr) == "starling: --table pipe: it is not a regular file\n"


def test_predict_refuses_a_size_of_a_barrier(home: dict[str, str]) -> None:
    done = starling(home, "predict", "--platform", "single:4", "barrier", "8")
    assert (done.returncode, one_line(done.stderr)) == (2, "starling: 8: a barrier has no size; leave it out\n")


def test_doctor_as_json_tells_settings_with_their_sources(home: dict[str, str]) -> None:
    (Path(home["HOME"]) / "starling.toml").write_text("[run]\nepsilon = 0.2\n")
    done = starling({**home, "STARLING_ITER": "5"}, "doctor", "--json")
    found = json.loads(done.stdout)
    by_name = {setting["name"]: (setting["value"], setting["source"]) for setting in found["settings"]}
    assert by_name["iterations"] == ("5", "STARLING_ITER")
    assert by_name["epsilon"] == ("0.2", str(Path(home["HOME"]) / "starling.toml"))
    assert by_name["strategy"] == ("auto", "default")
    assert [variant["variant"] for variant in found["variants"]] == ["openmpi", "mpich", "abi"]
    assert found["launchers"] == []
    assert "no MPI launcher on PATH" in found["advice"][0]


def test_doctor_fails_where_a_settings_file_is_wrong(home: dict[str, str]) -> None:
    file = Path(home["HOME"]) / "starling.toml"
    file.write_text('[run]\nbudget = "lots"\n')
    done = starling(home, "doctor", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["settings_are_valid"]) == (1, False)
    why = "not a number from 0 to 1, nor a percentage from 0% to 100%"
    assert found["advice"][:2] == [
        f"correct {file}:2: run.budget = 'lots': {why}",
        "until this is corrected, programs run natively",
    ]
    assert [one["name"] for one in found["settings"] if not one["valid"]] == ["budget"]
    shown = starling({**home, "COLUMNS": "250"}, "doctor").stdout
    assert "Settings, not in force because of errors (below)\n" in shown
    assert re.search(r"^budget +lots \(invalid\) ", shown, re.MULTILINE)
    file.write_text("[run\n")
    done = starling(home, "doctor")
    assert (done.returncode, done.stderr) == (1, "")
    assert f"correct {file}:1: not TOML" in " ".join(done.stdout.split())
    file.write_text("[run]\nbudget = 0.02\n")
    assert starling(home, "doctor").returncode == 0


def test_a_budget_is_a_share(home: dict[str, str]) -> None:
    done = starling(home, "run", "--budget", "3", "--", "env")
    assert done.returncode == 2
    why = "not a number from 0 to 1, nor a percentage from 0% to 100%"
    assert one_line(done.stderr) == f"starling: --budget 3: {why}\n"
    library_of("abi", home)
    done = starling(home, "run", "--mpi", "abi", "--budget", "3%", "--", "env")
    assert "STARLING_BUDGET=3%" in done.stdout.splitlines()


def test_a_history_that_is_named_must_be_there(home: dict[str, str]) -> None:
    for words in (["list"], ["show"], ["merge"], ["clear", "--yes"]):
        done = starling(home, "history", *words, "--history", "mistyped")
        assert done.returncode == 2
        assert one_line(done.stderr) == "starling: --history mistyped: no such folder\n"


def test_doctor_builds_only_with_a_compiler_that_is_there(home: dict[str, str]) -> None:
    done = starling(home, "doctor", "--build", "/nonexistent/mpicc")
    assert done.returncode == 1
    assert "/nonexistent/mpicc: no such compiler wrapper" in one_line(done.stderr)


def program(home: dict[str, str], name: str, script: str) -> Path:
    """A shell script on PATH."""
    path = Path(home["PATH"]) / name
    path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
    path.chmod(0o755)
    return path


def test_doctor_builds_only_where_there_is_an_mpi_h(home: dict[str, str]) -> None:
    program(home, "cmake", "echo started >&2; exit 1")
    program(home, "mpicc", "echo 'fatal error: mpi.h: No such file or directory' >&2; exit 1")
    done = starling(home, "doctor", "--build", "mpicc")
    assert done.returncode == 1
    assert "mpicc: it finds no mpi.h (fatal error: mpi.h: No such file" in one_line(done.stderr)
    program(home, "mpicc", "exit 0")
    assert "it finds no mpi.h; install" in one_line(starling(home, "doctor", "--build", "mpicc").stderr)


def test_a_build_that_is_ended_leaves_nothing_behind(home: dict[str, str], tmp_path: Path) -> None:
    program(home, "mpicc", "echo 'int MPI_Init(int*, char***);'")
    program(home, "ninja", "exit 0")
    program(home, "cmake", "env > $4/half-done; echo ready > $READY; exec sleep 60")
    temporary, ready = tmp_path / "temporary", tmp_path / "ready"
    temporary.mkdir()
    os.mkfifo(ready)
    env = {**home, "TMPDIR": str(temporary), "READY": str(ready)}
    job = subprocess.Popen([sys.executable, "-m", "starling", "doctor", "--build", "mpicc"], env=env)
    assert ready.read_text() == "ready\n"
    assert len(list(temporary.glob("starling-build-*/half-done"))) == 1
    job.terminate()
    assert job.wait(20) == 143
    assert list(temporary.iterdir()) == []


def test_the_demo_reads_no_settings(home: dict[str, str], tmp_path: Path) -> None:
    library_of("mpich", home)
    program(
        home,
        "mpicc",
        f"printf '#!{shutil.which('bash')}\\n{shutil.which('cp')} {SAMPLE} $STARLING_RECORD' > $4; "
        f"{shutil.which('chmod')} +x $4",
    )
    program(
        home,
        "mpiexec",
        """if [ "$1" = --version ]; then echo "HYDRA build details:"; echo "Version: 4.0"; exit; fi
        while :; do case $1 in -genv) export "$2=$3"; shift 3;; -n) shift 2;; *) exec "$@";; esac; done""",
    )
    (tmp_path / "starling.toml").write_text("iter = = 3\n")
    done = starling({**home, "STARLING_ONLY": "nosuch"}, "demo")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "chain?segment=8192" in done.stdout


def test_demo_without_mpi_says_what_to_install(home: dict[str, str]) -> None:
    done = starling(home, "demo")
    assert done.returncode == 1
    assert "pip install mpich" in one_line(done.stderr)

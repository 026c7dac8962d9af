"""Variables for module files, and job scripts: what `starling env` and `starling slurm` print."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from starling.commands.cli import app
from starling.runs.environment import Shell, job_script, lines

RUNNER = CliRunner()


def test_a_shell_that_reads_the_lines_has_the_variables(tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["env", "--strategy", "star", "--record", f"{tmp_path}/it's.json"])
    assert done.exit_code == 0, done.output
    script = f'LD_PRELOAD=other.so\n{done.stdout}printf "%s\\n" "$STARLING_STRATEGY" "$STARLING_RECORD" "$LD_PRELOAD"\n'
    said = subprocess.run(
        ["sh", "-c", script.replace("\nprintf", "\ncommand printf")],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    ).stdout.split("\n")
    assert said[:2] == ["star", f"{tmp_path}/it's.json"]
    library, _, other = said[2].partition(":")
    assert (Path(library).name, other) == ("libstarling.so", "other.so")
    assert "STARLING_HISTORY" not in done.stdout, "each user has a history of their own"
    assert "LD_PRELOAD;" in done.stdout, "Open MPI passes it to other nodes"


def test_only_settings_of_programs_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STARLING_LAB_PREFIX", "STARLING_EXPLAINED", "STARLING_ITER"):
        monkeypatch.setenv(name, "7")
    done = RUNNER.invoke(app, ["env"])
    assert done.exit_code == 0, done.output
    assert "export STARLING_ITER=7" in done.stdout
    assert not any(name in done.stdout for name in ("STARLING_LAB", "STARLING_EXPLAINED"))


def test_the_launcher_of_an_mpi_that_is_named_may_need_no_list_of_variables() -> None:
    done = RUNNER.invoke(app, ["env", "--mpi", "mpich"])
    assert (done.exit_code, "OMPI_MCA" in done.stdout) == (0, False)
    assert "libstarling-mpich.so" in done.stdout


@pytest.mark.parametrize(
    ("shell", "preload", "other"),
    [
        (Shell.SH, "export LD_PRELOAD='/a b.so'\"${LD_PRELOAD:+:$LD_PRELOAD}\"", "export NAME='x\"$y'"),
        (Shell.CSH, "setenv LD_PRELOAD '/a b.so'", "setenv NAME 'x\"$y'"),
        (Shell.LUA, 'prepend_path("LD_PRELOAD", "/a b.so", ":")', 'setenv("NAME", "x\\"$y")'),
        (Shell.TCL, 'prepend-path LD_PRELOAD "/a b.so"', 'setenv NAME "x\\"\\$y"'),
    ],
)
def test_each_shell_has_its_words(shell: Shell, preload: str, other: str) -> None:
    assert lines({"LD_PRELOAD": "/a b.so", "NAME": 'x"$y'}, shell) == [preload, other]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--mpi", "openmpi", "--strategy", "no-such"], "no such strategy"),
        (["--mpi", "openmpi", "--table", "/no/such.json"], "/no/such.json"),
        (["--mpi", "no-such"], "no-such"),
    ],
)
def test_what_is_wrong_is_told(options: list[str], why: str) -> None:
    done = RUNNER.invoke(app, ["env", *options])
    assert (done.exit_code, done.stdout, why in done.stderr) == (2, "", True)


JOB = """#!/bin/bash
#SBATCH --ntasks=64
# srun ./old
module load openmpi
for size in 1 2; do
  OMP_NUM_THREADS=1 srun ./app $size
done
cd run && mpirun -n 4 ./first; time mpiexec ./second \\
  srun.txt --mpirun
if ! /opt/mpi/bin/mpirun ./check; then echo "mpirun failed"; fi
starling run -- srun ./tuned
srun_log=1
echo srun
"""


def test_every_launcher_of_a_job_script_is_started_by_starling() -> None:
    text, changed = job_script(JOB)
    assert changed == [6, 8, 10]
    found = text.splitlines()
    assert found[5] == "  OMP_NUM_THREADS=1 starling run -q -- srun ./app $size"
    assert found[7] == "cd run && starling run -q -- mpirun -n 4 ./first; time starling run -q -- mpiexec ./second \\"
    assert found[9] == 'if ! starling run -q -- /opt/mpi/bin/mpirun ./check; then echo "mpirun failed"; fi'
    same = [i for i in range(len(found)) if i + 1 not in changed]
    assert [found[i] for i in same] == [JOB.splitlines()[i] for i in same]
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0


def test_a_program_is_no_job_script(tmp_path: Path) -> None:
    program = tmp_path / "app"
    program.write_bytes(b"\x7fELF\0\0")
    done = CliRunner().invoke(app, ["slurm", str(program)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.endswith("app: not a script; name the file that you give to sbatch\n")


def test_a_job_script_is_changed_once() -> None:
    once, _ = job_script(JOB)
    assert job_script(once) == (once, [])


def test_the_command_prints_the_script_and_tells_what_changed(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text(JOB)
    done = RUNNER.invoke(app, ["slurm", str(script)])
    assert (done.exit_code, done.stdout) == (0, job_script(JOB)[0])
    assert "changed lines 6, 8, 10" in done.stderr
    script.write_text("#!/bin/sh\n./app\n")
    done = RUNNER.invoke(app, ["slurm", str(script)])
    assert (done.exit_code, done.stdout, "nothing was changed" in done.stderr) == (1, "#!/bin/sh\n./app\n", True)
    done = RUNNER.invoke(app, ["slurm", str(tmp_path / "none.sh")])
    assert (done.exit_code, "No such file" in done.stderr) == (1, True)

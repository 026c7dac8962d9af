"""A `starling` that is interrupted before it has begun ends silently; one that is killed leaves nothing for long."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.tuned import STARLING

ENTRY = "from starling.__main__ import main; main()"

HOOK = """
import os, signal, sys
from starling import __main__


class Interrupts:
    # Sends SIGINT to this process when it searches for the n-th module.
    left = int(os.environ["TEST_INTERRUPTED_AT"])

    def find_spec(self, name, path=None, target=None):
        if self.left == 0:
            print("sent at", name, flush=True)
            os.kill(os.getpid(), signal.SIGINT)
        self.left -= 1


sys.meta_path.insert(0, Interrupts())
__main__.main()
"""


def interrupted(at: int, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`starling` interrupted at its n-th import after its entry point has begun."""
    env = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TEST_INTERRUPTED_AT": str(at),
        "STARLING_HISTORY": "off",
    }
    line = [sys.executable, "-c", HOOK, *words]
    return subprocess.run(line, env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("words", [("run", "--", "true"), ("report",), ("--version",)], ids=" ".join)
def test_at_whichever_module_it_ends_with_130_and_says_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    at, step, sent = 0, 1, 0
    while True:
        done = interrupted(at, tmp_path, *words)
        if "sent at" not in done.stdout:
            break
        sent += 1
        assert done.returncode == 130, (at, done)
        assert done.stdout.count("\n") == 1
        assert done.stderr == ""
        # There are some hundreds: each of the first ones, then samples.
        at, step = at + step, step + step // 2 + (sent > 8)
    assert sent > 0
    assert "Traceback" not in done.stderr


def command(folder: Path, in_site: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The installed command, whose Python runs `in_site` before any of Starling's code."""
    (folder / "sitecustomize.py").write_text(f"import os, signal\n{in_site}\n")
    env = {**os.environ, "HOME": str(folder), "PYTHONPATH": str(folder), "STARLING_HISTORY": "off"}
    line = [str(Path(sys.executable).with_name("starling")), *words]
    return subprocess.run(line, env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


SEND = "os.kill(os.getpid(), signal.SIGINT)"
TELL = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


@pytest.mark.parametrize("words", [("run", "--", "true"), ("report",), ("--version",)], ids=" ".join)
def test_while_python_itself_starts_it_ends_with_130_and_says_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    done = command(tmp_path, SEND, *words)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_the_program_gets_interrupts_as_it_would_without_the_command(tmp_path: Path) -> None:
    line = ("run", "-q", "--", sys.executable, "-c", TELL)
    assert command(tmp_path, "", *line).stdout == "False\n"
    # What starts the command may have a reason to hold interrupts back.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        done = command(tmp_path, "", *line)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    assert done.stdout == "True\n"


def test_the_command_finds_itself_by_a_link_and_tells_what_is_missing(tmp_path: Path) -> None:
    installed = Path(sys.executable).with_name("starling")
    link = tmp_path / "link"
    link.symlink_to(installed)
    assert subprocess.run([link, "--version"], capture_output=True, text=True, check=True).stdout
    copy = tmp_path / "a copy"
    copy.write_bytes(installed.read_bytes())
    copy.chmod(0o755)
    done = subprocess.run([copy, "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 126
    assert done.stderr == f"starling: {copy}-command: No such file or directory\n"


def test_an_interrupt_that_was_ignored_stays_ignored(tmp_path: Path) -> None:
    # As in a shell's background jobs.
    line = [sys.executable, "-c", f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{ENTRY}", "run"]
    program = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('went on')"]
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([*line, *program], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "went on\n"


def test_once_the_program_runs_it_gets_the_interrupt(tmp_path: Path) -> None:
    script = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.kill(os.getppid(), signal.SIGINT)
print(signal.sigtimedwait([signal.SIGINT], 60) is not None, flush=True)
raise SystemExit(9)
"""
    line = [sys.executable, "-c", ENTRY, "run", "--", sys.executable, "-c", script]
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(line, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.returncode) == ("True\n", 9)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["run", "check"])
def test_what_a_killed_command_left_goes_with_the_next_one(command: str, tmp_path: Path) -> None:
    temporary, ready = tmp_path / "temporary", tmp_path / "ready"
    temporary.mkdir()
    os.mkfifo(ready)
    env = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(temporary), "STARLING_HISTORY": "off"}
    line = [*STARLING, command, "--", "sh", "-c", f"echo begun >{ready}; exec sleep 60"]
    with subprocess.Popen(line, env=env, stderr=subprocess.DEVNULL) as job:
        assert ready.read_text() == "begun\n"
        job.kill()
    assert list(temporary.iterdir()) != []
    subprocess.run([*STARLING, "run", "--", "true"], env=env, capture_output=True, check=True)
    assert list(temporary.iterdir()) == []


def test_a_prediction_needs_no_temporary_file(tmp_path: Path) -> None:
    before = tmp_path.stat().st_mtime_ns
    line = [*STARLING, "predict", "--platform", "single:4", "bcast", "1K"]
    subprocess.run(line, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, check=True)
    assert tmp_path.stat().st_mtime_ns == before

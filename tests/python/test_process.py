"""A program run by us behaves as if started directly: status, signals, streams."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from starling.launchers.process import StartError, not_found, run

RUN = "import os, sys; from starling.launchers import process; sys.exit(process.run(sys.argv[1:], os.environ))"


def ours(*line: str) -> list[str]:
    return [sys.executable, "-c", RUN, *line]


def waiting(number: signal.Signals) -> list[str]:
    """A program that says `ready`, waits for a signal, says `ended` and ends with 9; with 0 if none comes in 20 s."""
    script = f"""
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [{number:d}])  # blocked, so that it stays pending for sigtimedwait
print("ready", flush=True)
if signal.sigtimedwait([{number:d}], 20):
    print("ended", flush=True)
    raise SystemExit(9)
"""
    return [sys.executable, "-c", script]


@pytest.mark.parametrize(
    ("script", "status"),
    [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 143), ("kill -KILL $$", 137)],
)
def test_the_status_is_the_one_a_shell_shows(script: str, status: int) -> None:
    assert subprocess.run(ours("bash", "-c", script), check=False).returncode == status


def test_streams_pass_through_untouched() -> None:
    script = "read line; echo out $line; echo err >&2; printf 'no newline'"
    done = subprocess.run(ours("bash", "-c", script), input=b"in\n", capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"out in\nno newline", b"err\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT])
def test_a_signal_sent_to_us_reaches_the_program_and_its_status_comes_back(number: signal.Signals) -> None:
    job = subprocess.Popen(ours(*waiting(number)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"
    job.send_signal(number)
    assert job.wait(20) == 9


def test_a_program_that_a_forwarded_signal_ends_shows_that_signal() -> None:
    job = subprocess.Popen(ours("bash", "-c", "echo ready; exec sleep 60"), stdout=subprocess.PIPE)
    assert job.stdout is not None
    job.stdout.readline()
    job.terminate()
    assert job.wait(20) == 143


def test_a_program_is_ended_when_we_are_killed() -> None:
    job = subprocess.Popen(ours(*waiting(signal.SIGTERM)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"
    job.kill()
    assert job.stdout.read() == b"ended\n", "it had the pipe open until it ended"
    job.wait()


def test_a_program_whose_parent_ended_before_it_could_ask_is_ended_too() -> None:
    script = """
import os
from starling.launchers import process

tie = process.ended_with_parent()
if os.fork() == 0:  # its child's parent is not the process that called ended_with_parent
    if os.fork() == 0:
        tie()
        print("alive", flush=True)
        os._exit(0)
    os._exit(os.waitstatus_to_exitcode(os.wait()[1]))
raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (143, "")


def test_the_program_has_the_signal_mask_that_we_were_started_with() -> None:
    script = "grep SigBlk /proc/self/status"
    plain = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    assert subprocess.run(ours("bash", "-c", script), capture_output=True, check=True).stdout == plain


def test_an_ignored_sigchld_does_not_lose_the_status() -> None:
    script = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); " + RUN
    assert subprocess.run([sys.executable, "-c", script, "bash", "-c", "exit 5"], check=False).returncode == 5


def test_a_script_that_names_no_interpreter_is_for_the_shell(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('test "$1" = word && exit 6\n')
    script.chmod(0o755)
    assert run([str(script), "word"], {}) == 6


def test_what_cannot_be_started_has_the_shells_status(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    for word, status in (("/nonexistent/app", 127), (str(text), 126)):
        with pytest.raises(StartError) as caught:
            run([word], {})
        assert caught.value.status == status
        assert word in str(caught.value)


def test_a_module_may_be_missing_only_for_a_name_without_a_folder(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/nonexistent/sh\n")
    script.chmod(0o755)
    assert not_found("mpirun") == "mpirun: not found; is its module or environment loaded?"
    assert not_found("./nope") == "./nope: there is no such file"
    with pytest.raises(StartError, match="script: cannot be executed: no permission, or the interpreter of its first"):
        run([str(script)], {})

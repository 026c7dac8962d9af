"""How far a build has come, as `make demo` and `make install` show it."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "packaging/progress.py"


def shown(output: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """What the script prints of a build with this output and exit status, without a terminal."""
    build = [sys.executable, "-c", "import sys; print(sys.argv[1]); sys.exit(int(sys.argv[2]))", output, str(status)]
    return subprocess.run([sys.executable, SCRIPT, *build], capture_output=True, text=True, check=False, timeout=60)


def test_each_tenth_of_the_steps_is_a_line_and_what_comes_before_them_is_none() -> None:
    before = ["Configuring CMake...", "[0/2] Re-checking globbed directories..."]
    steps = [f"  [{step}/40] Building CXX object {step}" for step in range(1, 41)]
    done = shown("\n".join([*before, *steps]))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [f"building: {step} of 40" for step in (1, *range(4, 41, 4))]


def test_a_failed_build_ends_with_its_last_lines_and_its_status() -> None:
    done = shown("[1/2] Building CXX object\nit does not compile", 3)
    assert done.returncode == 3
    assert done.stderr.endswith("it does not compile\n")

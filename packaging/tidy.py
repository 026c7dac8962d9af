"""clang-tidy over the unity files of a build folder, without those that are as they were when it found nothing in them.

python packaging/tidy.py build-test/tidy

Beside the compiler's cache, an empty file stands for a unit without findings. Its name is a digest of everything that
clang-tidy's verdict depends on: its version and configuration, how the unit is compiled, what the preprocessor makes of
it, macros included, and each file that it reads, since comments count (NOLINT). Findings are not kept: a unit that has
some is read again each time.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIDY, CLANG = str(Path(sys.executable).with_name("clang-tidy")), "clang++-14"
CLEAN = Path(os.environ.get("CCACHE_DIR", Path.home() / ".cache/ccache")).parent / "starling-tidy"
NO_OUTPUT = re.compile(r" -o \S+ -c ")


def called(*line: str, cwd: str | None = None) -> bytes:
    """What a command prints; CalledProcessError where it fails."""
    return subprocess.run(line, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def digest(build: str, unit: dict[str, str]) -> str:
    """The name of the file that says that a unit is clean; the same in another clone of the sources."""
    options = shlex.split(NO_OUTPUT.sub(" ", unit["command"]))[1:]
    text = called(CLANG, *options, "-E", "-dD", cwd=unit["directory"])
    root = os.fsencode(ROOT)
    files = set(re.findall(rb'^# \d+ "([^<"][^"]*)"', text, re.MULTILINE))
    read = sorted(files, key=lambda name: name.replace(root, b""))
    parts = [
        called(TIDY, "--version"),
        called(TIDY, "-p", build, "--dump-config", unit["file"]),
        str("/src/" in f"{ROOT}/").encode(),  # the configuration shows findings by folders' names
        unit["command"].encode(),
        text,
        *((Path(unit["directory"]) / os.fsdecode(one)).read_bytes() for one in read),
    ]
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part.replace(root, b"")).digest())
    return whole.hexdigest()


def findings(build: str, unit: dict[str, str]) -> str | None:
    """What clang-tidy says of a unit: nothing where all is well; None where it is known that all is well."""
    before = digest(build, unit)
    if (CLEAN / before).exists():
        return None
    done = subprocess.run([TIDY, "-p", build, "--quiet", unit["file"]], capture_output=True, text=True, check=False)
    if done.returncode or done.stdout:
        return f"{done.stdout}{done.stderr}" or f"{TIDY}: exit status {done.returncode}"
    if digest(build, unit) == before:  # nobody edited it in the meantime
        (CLEAN / before).touch()
    return ""


def main() -> int:
    """Exit status 1 if anything was found."""
    (build,) = sys.argv[1:]
    commands = json.loads((Path(build) / "compile_commands.json").read_text())
    named = [(Path(one["file"]).name, one) for one in commands]
    # Generated entry points stay out.
    units = [one for name, one in named if re.fullmatch(r"unity.*\.cxx", name) and "generated" not in name]
    CLEAN.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        said = list(workers.map(lambda unit: findings(build, unit), units))
    for one in filter(None, said):
        sys.stdout.write(one)
    sys.stdout.write(f"clang-tidy: {len(units)} units, {said.count(None)} as they were when they had no findings\n")
    return int(any(said))


if __name__ == "__main__":
    sys.exit(main())

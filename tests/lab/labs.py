"""Driving `starling lab` from tests, and what is on the machine before and after."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.mpis import ROOT, Mpi, compile_c, environment
from support.processes import Outcome, run_job

STARLING = (sys.executable, "-m", "starling")
SOURCE = ROOT / "tests/lab/ranks.c"
BLOCK = 65536
OURS = f"slab{os.getpid()}"
"""The prefixes of the tests' labs begin with this: several test runs may go on at a time."""


def lab(*arguments: str, env: Mapping[str, str] | None = None, timeout: float = 60) -> Outcome:
    """Runs `starling lab ...`."""
    return run_job([*STARLING, "lab", *arguments], env or os.environ, timeout)


def lab_up(*arguments: str) -> Outcome:
    """Makes a lab. Where that is not permitted, the test fails with the reason: it is not skipped."""
    outcome = lab("up", *arguments)
    assert outcome.status == 0, (
        "labs need root and a kernel that permits network namespaces (in a container: CAP_SYS_ADMIN and "
        f"CAP_NET_ADMIN)\n{outcome.report()}"
    )
    return outcome


def on_lab(mpi: Mpi, prefix: str, options: Sequence[str], line: Sequence[str], timeout: float = 90) -> Outcome:
    """Runs a line on a lab, in the environment of an MPI."""
    argv = [*STARLING, "lab", "run", "--prefix", prefix, *options, "--", *line]
    return run_job(argv, environment(mpi), timeout)


def ranks_line(mpi: Mpi, folder: Path, ranks: int, before: Sequence[str] = ()) -> list[str]:
    """The launcher line of the test program."""
    program = compile_c(mpi, SOURCE, folder)
    return [*before, mpi.launcher[0], "-n", str(ranks), str(program), str(BLOCK), "5"]


def said(outcome: Outcome) -> dict[str, list[str]]:
    """What the test program printed, by the first word of each line."""
    lines = [line.split() for line in outcome.check().stdout.splitlines()]
    return {line[0]: line[1:] for line in lines if line}


def machine() -> dict[str, set[str]]:
    """Everything that a lab of these tests could leave behind."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    found = {
        "namespaces": names(Path("/run/netns")),
        "/etc/netns": below("/etc/netns"),
        "/run": below("/run"),
        "mounts": set(mounts),
    }
    ours = {what: {name for name in there if OURS in name} for what, there in found.items()}
    return {**ours, "interfaces": names(Path("/sys/class/net"))}


def below(top: str) -> set[str]:
    """All paths in a folder, of which others may delete some meanwhile."""
    return {str(Path(folder, name)) for folder, folders, files in os.walk(top) for name in (*folders, *files)}


def names(folder: Path) -> set[str]:
    """The names in a folder, which need not exist."""
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()

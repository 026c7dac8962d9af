"""Running MPI programs with Starling on a simulated network: SimGrid's SMPI."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from starling import files
from starling.installation import build, linking
from starling.installation.variants import package_folders, users_folder
from starling.lab import simgrid
from starling.lab.state import LabError
from starling.launchers.process import cleaning_up, ended_with_parent
from starling.messages import MISUSE, printable, quoted
from starling.networks.platform_file import Host, Platform

ARCHIVE = "libstarling-smpi.a"
C_SUFFIXES = (".c",)
CXX_SUFFIXES = (".cc", ".cpp", ".cxx")
_PACKAGE = "libsimgrid-dev"
_MARK = b"starling_is_active"
"""A symbol in every program that is linked with the archive."""
_MOST_RANKS_COPIED = 1024
"""Up to this many ranks each have a copy of the whole program, which is fastest; beyond, only of its variables."""
_MOST_RANKS_WITH_PLATFORM = 512
"""Up to this many ranks get the platform: each keeps it in memory."""

MODEL: Mapping[str, str] = {
    "smpi/simulate-computation": "no",
    "smpi/async-small-thresh": "65536",
    "smpi/os": "0:2e-6:0",
    "smpi/ois": "0:2e-6:0",
    "smpi/or": "0:2e-6:0",
    "smpi/bw-factor": "0:0.94",
    "smpi/lat-factor": "0:1.0",
    "smpi/coll-selector": "ompi",
}
"""SimGrid's settings; docs/laboratory.md explains them."""
_MOST_RANKS_WITH_SELECTOR = 128
"""Up to this many ranks leave broadcasts to SMPI's selector."""
_BEYOND_SELECTOR: Mapping[str, str] = {"smpi/bcast": "binomial_tree"}
"""Settings for more ranks. The selectors' broadcast first finds the ranks of each host by several ring allgathers on
each communicator: p x p messages each time, and SMPI broadcasts whenever a communicator is made."""


def model(ranks: int, settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """SimGrid's settings for that many ranks, overridden by those of the caller."""
    return {**MODEL, **(_BEYOND_SELECTOR if ranks > _MOST_RANKS_WITH_SELECTOR else {}), **(settings or {})}


_LOG = re.compile(r"^\[.*\] .*: \[\w+/(CRITICAL|ERROR|WARNING)\] (.*)")
_ABORTED = "MPI_Abort was called"
_DEADLOCK = "Deadlock detected"
_CRASHED = ("Segmentation fault", "Execution failed with code")
"""How lines begin that SimGrid and its launcher write where it crashes. It may, as it ends deadlocked ranks."""


def tool(name: str) -> str:
    """The path of one of SimGrid's programs. Raises LabError."""
    if path := shutil.which(name):
        return path
    raise LabError(f"{name}: not found; install SimGrid's SMPI: apt-get install {_PACKAGE}", MISUSE)


def _digest(smpicc: str) -> str:
    """A digest of what the archive depends on: the sources and the version of SimGrid."""
    printable = subprocess.run([smpicc, "--version"], capture_output=True, check=False).stdout
    found = hashlib.sha256(printable)
    root = build.sources()
    files = (path for part in ("src", "include", "cmake", "third_party") for path in (root / part).rglob("*"))
    for path in sorted([root / "CMakeLists.txt", root / "VERSION", *files]):
        if path.is_file():
            found.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def archive(environ: Mapping[str, str], log: Callable[[str], None]) -> Path:
    """The library that simulated programs are linked with: installed, or built on first use. Raises LabError.

    A built library is kept in the user's cache under a digest of its inputs: other sources or another SimGrid give
    another one.
    """
    smpicc = tool("smpicc")
    for folder in package_folders("lib"):
        if (folder / ARCHIVE).is_file():
            return folder / ARCHIVE
    cache = users_folder(environ, "XDG_CACHE_HOME", ".cache")
    if cache is None:
        raise LabError("no folder for the simulated library: set XDG_CACHE_HOME to one that can be written")
    try:
        kept = cache / "starling" / "simulator" / _digest(smpicc) / ARCHIVE
        if kept.is_file():
            return kept
        log(
            f"the simulator's library is not installed; it is built once, into {printable(kept.parent)}; "
            "to install it: pip install -C cmake.define.STARLING_SIMULATOR=ON ."
        )
        with cleaning_up(), build.compiled(smpicc, log) as built:
            kept.parent.mkdir(parents=True, exist_ok=True)
            half = kept.with_name(f".{kept.name}.{os.getpid()}")
            shutil.copyfile(next(path for path in built if path.name == ARCHIVE), half)
            half.replace(kept)
    except build.BuildError as error:
        raise LabError(str(error)) from error
    except OSError as error:
        raise LabError(
            f"{printable(error.filename)}: {error.strerror}; set XDG_CACHE_HOME to a folder of yours"
        ) from error
    return kept


def link_options(library: Path) -> list[str]:
    """Options that link a program with the archive.

    The whole archive is linked, as nothing refers to it, and bound within the program, or SMPI's own functions would be
    found first.
    """
    whole = ("-Wl,--whole-archive", str(library), "-Wl,--no-whole-archive")
    return ["-Wl,-Bsymbolic", "-Wl,--gc-sections", *whole, "-lstdc++", "-lm"]


def check(platform: Platform, hosts: Sequence[Host], ranks: int, arguments: Sequence[str] = ()) -> None:
    """Raises LabError for more ranks than the hosts take, and for arguments that smpirun cannot pass on."""
    slots = sum(host.ranks for host in hosts)
    if ranks > slots:
        text = f"--ranks {ranks}: the {len(hosts)} hosts of {platform.name} take {slots}"
        raise LabError(f"{printable(text)}; give fewer, or let a host take more with --ranks-per-host", MISUSE)
    for word in arguments:
        if not word or re.search(r"[\s*?\[]", word) or word.startswith(("--cfg=", "--log=")):
            raise LabError(f"{quoted(word)}: SimGrid's smpirun cannot pass on such an argument; leave it out", MISUSE)


def check_sources(sources: Sequence[Path]) -> None:
    """Raises LabError for a missing source."""
    for source in sources:
        if not source.is_file():
            raise LabError(f"{printable(source)}: no such file", MISUSE)


def compile_program(sources: Sequence[Path], program: Path, library: Path) -> None:
    """Compiles C or C++ files into a program for the simulator. Raises LabError."""
    wrapper = tool("smpicxx" if any(source.suffix in CXX_SUFFIXES for source in sources) else "smpicc")
    # SMPI would replace malloc by one that may share memory between ranks.
    flags = ["-O2", "-DSMPI_NO_OVERRIDE_MALLOC", *(["-std=c++20"] if wrapper.endswith("xx") else [])]
    try:
        flags += linking.compiling()
    except linking.LinkingError as error:
        raise LabError(str(error)) from error
    line = [wrapper, *flags, *map(str, sources), "-o", str(program), "-s", *link_options(library)]
    done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        said = [text.strip() for text in (done.stderr + done.stdout).splitlines() if text.strip()]
        first = next((text for text in said if "error" in text or "undefined" in text), said[0] if said else "failed")
        raise LabError(f"{printable(Path(wrapper).name)}: {printable(first)}")


def has_starling(program: Path) -> bool:
    """Whether a program was linked with the archive. Raises LabError where it cannot be read."""
    try:
        return _MARK in program.read_bytes()
    except OSError as error:
        raise LabError(
            f"{printable(program)}: {error.strerror}; give a C or C++ source, or a program for SMPI", MISUSE
        ) from error


_MEMORY = {
    "network/loopback-lat": f"{simgrid.MEMORY_LATENCY!r}",
    "network/loopback-bw": f"{simgrid.MEMORY_MESSAGE_RATE!r}",
}
"""What ranks of a host communicate by where its memory has no rate in the platform."""


@dataclass(frozen=True)
class Ended:
    """How a simulation ended: its exit status, its captured output, and the error, if any."""

    status: int
    stdout: str
    complaint: str


def _are_shared(hosts: Sequence[Host], ranks: int) -> bool:
    """Whether some host has several ranks."""
    return ranks > len({host.name for host in hosts})


@contextmanager
def _platform_files(platform: Platform, hosts: Sequence[Host], ranks: int) -> Iterator[tuple[Path, Path]]:
    with files.temporary_folder("simulate") as folder:
        network, places = folder / "platform.xml", folder / "hosts"
        network.write_text(simgrid.platform_xml(platform, shared=_are_shared(hosts, ranks)))
        places.write_text(simgrid.host_file(hosts, ranks))
        yield network, places


def run(
    program: Path,
    arguments: Sequence[str],
    platform: Platform,
    hosts: Sequence[Host],
    ranks: int,
    environ: Mapping[str, str],
    *,
    capture: bool,
    on_line: Callable[[str], None],
    settings: Mapping[str, str] | None = None,
) -> Ended:
    """Runs a program on `ranks` simulated ranks, placed on the hosts in this order.

    Its stdout is captured, or is ours; `on_line` gets each line of its stderr except SimGrid's own, which go to
    `complaint`. `settings` are SimGrid's, like {"smpi/alltoall": "pair"}, and override the model's. Raises
    LabError.
    """
    smpirun = tool("smpirun")
    check(platform, hosts, ranks, arguments)
    privatization = "dlopen" if ranks <= _MOST_RANKS_COPIED else "mmap"
    model_options = [f"--cfg={name}:{value}" for name, value in {**_MEMORY, **model(ranks, settings)}.items()]
    with cleaning_up(), _platform_files(platform, hosts, ranks) as (network, places):
        printable = network.with_name("platform.json")
        env = {**environ, "SMPI_PRIVATIZATION": privatization}
        if ranks <= _MOST_RANKS_WITH_PLATFORM and "STARLING_PLATFORM" not in env:
            printable.write_text(platform.to_text())
            env["STARLING_PLATFORM"] = str(printable)
        line = [smpirun, "-quiet", "-platform", str(network), "-hostfile", str(places), "-np", str(ranks)]
        line += [*model_options, "--log=root.thresh:warning", str(program.absolute()), *arguments]
        with subprocess.Popen(
            line,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            preexec_fn=ended_with_parent(),  # noqa: PLW1509 - one thread only
        ) as started:
            try:
                return _read_output(started, on_line)
            except BaseException:
                started.terminate()  # smpirun passes it on to the simulation
                raise


def _read_output(started: subprocess.Popen[str], on_line: Callable[[str], None]) -> Ended:
    """Reads a simulation's stderr to its end, then its stdout, which is short where it is captured."""
    worst = ""
    tracing = False
    for line in started.stderr or ():
        text = line.rstrip("\n")
        if found := _LOG.match(text):
            tracing = found[1] == "CRITICAL"
            if not worst and (found[1] != "WARNING" or _ABORTED in text):
                worst = found[2]
        elif not (tracing and (text.startswith(("Backtrace", "  ->", "Aborted")) or not text)):
            tracing = False
            if not (_DEADLOCK in worst and text.startswith(_CRASHED)):
                on_line(text)
    out = started.stdout.read() if started.stdout is not None else ""
    status = started.wait()
    if _DEADLOCK in worst:
        return Ended(status or 1, out, "the simulated program deadlocked: ranks wait for messages that nobody sends")
    if _ABORTED in worst:
        return Ended(status or 1, out, "the simulated program called MPI_Abort")
    if worst:
        return Ended(status or 1, out, f"SimGrid ended the simulation: {worst}")
    return Ended(status, out, "")

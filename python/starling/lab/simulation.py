"""The benchmark of collectives on a simulated network: strategies compared, with exactly reproducible times."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from starling import files
from starling.algorithms import repository
from starling.installation import build, questions
from starling.lab import simulator
from starling.lab.state import LabError
from starling.messages import MISUSE, printable
from starling.networks.platform_file import Host, Platform
from starling.records import record
from starling.terminal.figures import human_bytes, human_seconds

SOURCE = "bench/collective_times.c"
ITERATIONS = 3
"""Default of STARLING_ITER, calls of each tried candidate: few suffice, as times do not vary."""
_SIZE = re.compile(r"(\d+)\s*([KMG]i?)?B?", re.IGNORECASE)


@dataclass(frozen=True)
class Case:
    """A collective and its bytes: those of a block, or of the vector where there are no blocks."""

    collective: str
    bytes: int

    def memory(self, ranks: int, whole: int) -> int:
        """Bytes that the buffers of all ranks take, of which `whole` on each rank have a block for each rank."""
        return ranks * self.bytes * (whole * ranks + 2 - whole)


@dataclass(frozen=True)
class Tried:
    """One case under one strategy.

    The seconds of each call, the final candidate, the seconds of each measured candidate, and the calls that tried
    candidates and the later ones, by the clock of rank 0.
    """

    case: Case
    strategy: str
    seconds: Sequence[float]
    winner: str
    candidates: Mapping[str, float]
    exploring: record.Phase | None
    settled: record.Phase | None

    @property
    def median(self) -> float:
        """Seconds of the median call."""
        return median(self.seconds)


def size(text: str) -> int:
    """Bytes from `65536`, `64K` or `64KiB`. Raises LabError."""
    found = _SIZE.fullmatch(text.strip())
    number = int(found[1]) * 1024 ** " kmg".index((found[2] or " ")[0].lower()) if found else -1
    if number < 0 or number % 4:
        raise LabError(f"--size {printable(text)}: no such size; give a multiple of 4 bytes, like 8 or 64KiB", MISUSE)
    return number


def _calls_to_settle(collectives: Sequence[str], ranks: int, iterations: int) -> int:
    """Calls that a strategy needs to try all candidates on so many ranks."""
    listed = repository.listing(ranks)["algorithms"]
    most = 0
    for collective in collectives:
        entries = [entry for entry in listed if entry["collective"] == collective]
        candidates = sum(math.prod(len(one["values"]) for one in entry["parameters"]) for entry in entries)
        most = max(most, candidates + 1)
    return iterations * most + 1


def check_strategies(strategies: Sequence[str], environ: Mapping[str, str]) -> None:
    """Raises LabError for an unknown strategy."""
    for strategy in strategies:
        wrong, _ = questions.complaints({**environ, "STARLING_STRATEGY": strategy})
        if mistake := next((one for one in wrong if one.variable == "STARLING_STRATEGY"), None):
            raise LabError(f"--strategy {printable(strategy)}: {mistake.why}", MISUSE)


def _check(cases: Sequence[Case], strategies: Sequence[str], ranks: int, environ: Mapping[str, str]) -> None:
    """Raises LabError for what cannot be simulated here."""
    listing = repository.listing()
    of_algorithms = {entry["collective"] for entry in listing["algorithms"]}
    known = [name for name in listing["collectives"] if name in of_algorithms and name != "alltoallw"]
    for case in cases:
        if case.collective not in known:
            there_are = ", ".join(known)
            raise LabError(
                f"--collective {printable(case.collective)}: no such collective; there are: {there_are}", MISUSE
            )
    check_strategies(strategies, environ)
    traits = listing["traits"]
    needed = max(case.memory(ranks, traits[case.collective]["buffers_of_blocks"]) for case in cases)
    there_is = questions.available_memory()
    if 0 < there_is < needed:
        raise LabError(
            f"the buffers of {ranks} ranks take {human_bytes(needed)}, and {human_bytes(there_is)} are free here; "
            "give fewer --ranks or a smaller --size",
            MISUSE,
        )


def compare(
    platform: Platform,
    hosts: Sequence[Host],
    ranks: int,
    cases: Sequence[Case],
    strategies: Sequence[str],
    calls: int,
    environ: Mapping[str, str],
    log: Callable[[str], None],
) -> Iterator[Tried]:
    """Every case under every strategy, a simulation for each strategy. Raises LabError, after the results of others."""
    simulator.check(platform, hosts, ranks)
    _check(cases, strategies, ranks, environ)
    with files.temporary_folder("simulate") as folder:
        program = compiled(folder, environ, log)
        for strategy in strategies:
            yield from job(program, platform, hosts, ranks, cases, strategy, calls, environ, log)


def compiled(folder: Path, environ: Mapping[str, str], log: Callable[[str], None]) -> Path:
    """The benchmark, linked with Starling for the simulator. Raises LabError."""
    program = folder / Path(SOURCE).stem
    try:
        source = build.sources() / SOURCE
    except build.BuildError as error:
        raise LabError(str(error)) from error
    simulator.compile_program([source], program, simulator.archive(environ, log))
    return program


def job(
    program: Path,
    platform: Platform,
    hosts: Sequence[Host],
    ranks: int,
    cases: Sequence[Case],
    strategy: str,
    calls: int,
    environ: Mapping[str, str],
    log: Callable[[str], None],
    settings: Mapping[str, str] | None = None,
    computation: float = 0,
    warmup: int | None = None,
) -> list[Tried]:
    """One simulation: every case under a strategy, with SimGrid's `settings` beside the model's. Raises LabError.

    With `computation` ranks compute that many seconds between calls instead of synchronising before each. `warmup`
    calls do not count, by default those that try candidates.
    """
    path = program.with_name("record.json")
    tunes = strategy != "native" and not strategy.startswith("forced")
    iterations = int(environ.get("STARLING_ITER") or ITERATIONS)
    if warmup is None:
        warmup = _calls_to_settle([case.collective for case in cases], ranks, iterations) if tunes else 1
    env = {
        **environ,
        "STARLING_STRATEGY": strategy,
        "STARLING_ITER": str(iterations),
        "STARLING_RECORD": str(path),
        "STARLING_HISTORY": "off",
    }
    computes = ["-c", str(computation)] if computation else []
    words = [*computes, str(warmup), str(calls), *(f"{case.collective}:{case.bytes}" for case in cases)]
    path.unlink(missing_ok=True)
    ended = simulator.run(program, words, platform, hosts, ranks, env, capture=True, on_line=log, settings=settings)
    if ended.status != 0:
        why = ended.complaint or f"the benchmark ended with exit status {ended.status}"
        raise LabError(f"--strategy {printable(strategy)}: {why}")
    return _read(ended.stdout, path, strategy, cases)


def _read(printed: str, path: Path, strategy: str, cases: Sequence[Case]) -> list[Tried]:
    """The times printed by the program, with the facts in the run's record."""
    if not path.is_file():
        raise LabError(
            f"--strategy {strategy}: no run record: Starling did not see the calls; its library is not in it"
        )
    contexts = record.read(path)[0].contexts
    found = []
    for case, measured in zip(cases, json.loads(printed)["cases"], strict=True):
        of_case = [one for one in contexts if one.collective == case.collective and one.bytes in (case.bytes, None)]
        context = max(of_case, key=lambda one: one.calls, default=None)
        candidates = {
            one.public_name: one.agreed_s if one.agreed_s is not None else one.median_s
            for one in (context.candidates if context else [])
            if one.samples and one.median_s is not None
        }
        ordered = dict(sorted(candidates.items(), key=lambda item: item[1]))
        winner = context.winner if context else "native"
        exploring = context.phases.exploring if context else None
        settled = context.phases.settled if context else None
        found.append(Tried(case, strategy, measured["seconds"], winner, ordered, exploring, settled))
    return found


def as_json(platform: Platform, ranks: int, tried: Sequence[Tried]) -> dict[str, Any]:
    """The comparison as JSON values; seconds."""
    return {
        "platform": platform.name,
        "hosts": len(platform.hosts),
        "ranks": ranks,
        "model": simulator.model(ranks),
        "results": [
            {
                "collective": one.case.collective,
                "bytes": one.case.bytes,
                "strategy": one.strategy,
                "median_s": one.median,
                "winner": one.winner,
                "candidates": dict(one.candidates),
            }
            for one in tried
        ],
    }


def render(platform: Platform, ranks: int, tried: Sequence[Tried], console: Console) -> None:
    """Prints a table: times by strategy, and below a strategy the times of the candidates it tried."""
    console.print(Text(f"{ranks} simulated ranks on {printable(platform.name)}"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("collective", "size", "strategy", "median", "candidate"):
        table.add_column(title, justify="right" if title in ("size", "median") else "left", overflow="fold")
    for case in dict.fromkeys(one.case for one in tried):
        for one in (one for one in tried if one.case == case):
            cells = (case.collective, human_bytes(case.bytes), one.strategy, human_seconds(one.median), one.winner)
            table.add_row(*map(Text, cells))
            if len(one.candidates) > 1:
                for name, median in one.candidates.items():
                    table.add_row("", "", Text("  tried", style="dim"), Text(human_seconds(median)), Text(name))
    console.print(table)

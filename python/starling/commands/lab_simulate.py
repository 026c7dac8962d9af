"""`starling lab simulate`: runs a user's program or the benchmark."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import typer

from starling import files
from starling.lab import simulation, simulator
from starling.lab.state import LabError
from starling.messages import MISUSE, log, printable
from starling.networks import platform_file
from starling.networks.platform_file import Host, Platform
from starling.networks.short_names import is_short
from starling.terminal.console import terminal

LATENCY = 5e-6
"""Of each link of a short name, seconds."""
STRATEGIES = ("native", "star-basic")
"""A simulation tries everything: its time costs nothing."""


def with_latency(platform: Platform, topology: str, requested: str | None) -> Platform:
    """The platform with the requested latency: by default a file's own, else LATENCY. Raises LabError."""
    if requested is None:
        return platform_file.adjusted(platform, latency=LATENCY) if is_short(topology) else platform
    try:
        return platform_file.adjusted(platform, latency=platform_file.seconds(requested))
    except ValueError as error:
        raise LabError(f"--latency: {error}", MISUSE) from error


def _pass_on(line: str) -> None:
    typer.echo(line, err=True)


def program(
    platform: Platform,
    hosts: Sequence[Host],
    ranks: int,
    words: Sequence[str],
    strategies: Sequence[str],
    record: Path | None,
) -> int:
    """Runs a user's program with our streams, given as sources or as a program linked with Starling, and its arguments.

    Returns its exit status, 1 for a deadlock or MPI_Abort. Raises LabError.
    """
    if len(strategies) > 1:
        raise LabError("--strategy: a program runs under one; leave the others out", MISUSE)
    suffixes = (*simulator.C_SUFFIXES, *simulator.CXX_SUFFIXES)
    count = next((i for i, word in enumerate(words) if Path(word).suffix not in suffixes), len(words))
    # Report all errors that can be found quickly before building the library, which may take minutes.
    simulator.check(platform, hosts, ranks, words[max(count, 1) :])
    simulator.check_sources([Path(word) for word in words[:count]])
    simulation.check_strategies(strategies, os.environ)
    env = {**os.environ, **({"STARLING_STRATEGY": strategies[0]} if strategies else {})}
    env["STARLING_HISTORY"] = "off"
    if record is not None:
        env["STARLING_RECORD"] = str(record.absolute())
    with files.temporary_folder("simulate") as folder:
        if count:
            built = folder / Path(words[0]).stem
            library = simulator.archive(os.environ, log)
            simulator.compile_program([Path(word) for word in words[:count]], built, library)
        else:
            built, count = Path(words[0]), 1
            if not simulator.has_starling(built):
                options = " ".join(simulator.link_options(simulator.archive(os.environ, log)))
                raise LabError(f"{printable(built)}: Starling is not in it; link it by: smpicc ... {options}", MISUSE)
        ended = simulator.run(built, words[count:], platform, hosts, ranks, env, capture=False, on_line=_pass_on)
    if ended.complaint:
        log(ended.complaint)
    return ended.status


def benchmark(
    platform: Platform,
    hosts: Sequence[Host],
    ranks: int,
    collectives: Sequence[str],
    sizes: Sequence[str],
    strategies: Sequence[str] | None,
    calls: int,
    as_json: bool,
) -> None:
    """Compares strategies on every collective and size, and prints the result. Raises LabError, after what is known."""
    every = [simulation.size(text) for text in sizes]
    cases = [simulation.Case(name, number) for name in collectives for number in ([0] if name == "barrier" else every)]
    tried: list[simulation.Tried] = []
    try:
        tried.extend(
            simulation.compare(platform, hosts, ranks, cases, strategies or STRATEGIES, calls, os.environ, log)
        )
    finally:
        if tried and as_json:
            typer.echo(json.dumps(simulation.as_json(platform, ranks, tried), indent=1))
        elif tried:
            simulation.render(platform, ranks, tried, terminal())

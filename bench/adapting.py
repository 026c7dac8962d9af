r"""How strategies converge and adapt, call by call: from nothing, from history, and when a link slows down.

starling lab up single:16 --rate 20mbit --packet 0
starling lab run -- python bench/adapting.py measure --mpicc mpicc.openmpi -o docs/results/adapting-openmpi.json \
    -- mpirun.openmpi -n 16
python bench/adapting.py draw docs/results/adapting-openmpi.json adapting.svg

Each strategy has three jobs: one without history, one with the history of the first, and one in whose middle the link
of `--host` drops to a tenth of its rate. The third uses only the candidates of `--only`: the slower link affects a
pipelined chain no more than any other broadcast, so with all candidates there would be no reason to switch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import markdown
import plots
import result_files
from command import command_line
from timing import command, compiled, made
from trees import label

LAST = 50
"""Number of calls after which a strategy should use the best candidate on the slower link."""
TOGETHER = 10
"""Calls that show together which candidate a strategy uses."""
NEAR = 0.1
"""How much more a call may take than the fastest, as a share of that, where a strategy counts as adapted."""

Run = dict[str, Any]
"""Strategy, kind, seconds of its calls, call at which the link slowed, decisions and candidates of its record."""


def rate(host: str, *wanted: str) -> None:
    """Sets another rate for a host's link, or the original one."""
    subprocess.run(["starling", "lab", "rate", host, *wanted], check=True, capture_output=True)


def run(options: argparse.Namespace, program: Path, strategy: str, kind: str, history: Path) -> Run:
    """One job on the lab; the link slows down after half of its calls."""
    record = program.with_name("record.json")
    record.unlink(missing_ok=True)
    where = ["--history", str(history)] if kind in ("learning", "history") else ["--history", "off"]
    calls = {"slowing": options.calls // 2, "history": options.calls // 4, "fresh": 50}.get(kind, options.calls)
    extra = ["--only", options.only] if kind == "slowing" else []
    line = command(options.launcher, program, strategy, record, [*where, *extra])
    job = [*line, "-t", "0", str(calls), f"{options.collective}:{options.bytes}"]
    found: list[float] = []
    slowed_at = None
    try:
        with subprocess.Popen(job, stdout=subprocess.PIPE, text=True) as process:
            watchdog = threading.Timer(options.timeout, process.kill)
            watchdog.start()
            assert process.stdout is not None
            for word in process.stdout:
                if word.startswith("{"):
                    break
                found.append(float(word))
                if kind == "slowing" and len(found) == calls // 2:
                    slowed_at = len(found)
                    rate(options.host, options.slow)
            process.stdout.read()
            watchdog.cancel()
    finally:
        if kind == "slowing":
            rate(options.host)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(job)}: exit status {process.returncode}")
    context = max(json.loads(record.read_text())["contexts"], key=lambda one: one["seconds"])
    return {
        "strategy": strategy,
        "made": made(),
        "kind": kind,
        "seconds": found,
        "slowed_at": slowed_at,
        "winner": context["winner"],
        "decisions": context["decisions"],
        "candidates": [one for one in context["candidates"] if one["samples"]],
        "bookkeeping": {name: one["bookkeeping_seconds"] for name, one in context["phases"].items()},
    }


def measure(options: argparse.Namespace) -> None:
    """Runs every strategy."""
    runs: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="adapting-") as folder:
        program = compiled(options.mpicc, Path(folder))
        for strategy in ("native", *options.strategies.split(",")):
            history = Path(folder) / strategy.replace(":", "-")
            for kind in ("fresh",) if strategy == "native" else ("learning", "history", "slowing"):
                runs.append(run(options, program, strategy, kind, history))
                print(f"{strategy}, {kind}: median {1e3 * median(runs[-1]['seconds']):.1f} ms", flush=True)
                options.output.write_text(json.dumps(runs) + "\n")


def draw(options: argparse.Namespace) -> None:
    """A picture of each strategy's calls."""
    pyplot = plots.pyplot()
    runs = read(options.measured[0])
    native = median(next(one for one in runs if one["strategy"] == "native")["seconds"])
    tuned = [one for one in runs if one["strategy"] != "native"]
    strategies = list(dict.fromkeys(one["strategy"] for one in tuned))
    kinds = ("learning", "history", "slowing")
    figure, axes = pyplot.subplots(
        len(strategies), 3, figsize=(12, 2.6 * len(strategies)), layout="constrained", sharey=True, squeeze=False
    )
    for one in tuned:
        panel = axes[strategies.index(one["strategy"]), kinds.index(one["kind"])]
        seconds = one["seconds"]
        panel.plot([1e3 * time for time in seconds], ".", markersize=2, label="a call")
        panel.axhline(1e3 * native, color="black", linestyle="--", linewidth=1, label="native, median")
        if one["slowed_at"]:
            panel.axvline(one["slowed_at"], color="red", linewidth=1, label="the link slows down")
        panel.set(title=f"{one['strategy']}: {one['kind']}", xlabel="call", ylabel="ms")
        plots.logarithmic(panel)
    figure.legend(*axes[0, -1].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    plots.save(figure, options.picture)


def read(path: Path) -> list[Run]:
    """The runs of a file. Raises MeasuredError."""
    keys = {"strategy", "kind", "seconds", "slowed_at", "winner", "decisions", "made"}
    return result_files.rows(path, "a file that bench/adapting.py wrote", keys, under=None)


def figures(seconds: Sequence[float]) -> tuple[str, str]:
    """Median and mean in milliseconds."""
    return f"{1e3 * median(seconds):.1f}", f"{1e3 * mean(seconds):.1f}"


def table(runs: Sequence[Run]) -> str:
    """Median and mean of all calls and of the last quarter."""
    titles = ("strategy", "run", "calls", "median", "mean", "last quarter: median", "mean", "winner")
    rows = [
        (
            f"`{one['strategy']}`",
            one["kind"],
            len(one["seconds"]),
            *figures(one["seconds"]),
            *figures(one["seconds"][-(len(one["seconds"]) // 4) :]),
            label(one["winner"]),
        )
        for one in runs
        if one["slowed_at"] is None
    ]
    return f"{markdown.table(titles, rows)}\n\n{markdown.origin(one['made'] for one in runs)}"


def slowing(runs: Sequence[Run]) -> str:
    """Each strategy on a link that slows down: times of calls before, after, and at the end; and when it has adapted.

    That is when most of TOGETHER calls take as long as those of the best such stretch of any strategy, within NEAR.
    """
    slowed = [(one["strategy"], one["seconds"], one["slowed_at"]) for one in runs if one["slowed_at"] is not None]
    # The link does not slow at once: before that calls are faster than any can be afterwards.
    found = [median(seconds[i : i + TOGETHER]) for _, seconds, at in slowed for i in _stretches(seconds, at + TOGETHER)]
    least = min(found, default=0.0)
    titles = ("strategy", "before: median, mean", "after: median, mean", f"last {LAST}: median, mean")
    rows = []
    for strategy, seconds, at in slowed:
        near = [abs(one - least) <= NEAR * least for one in seconds]
        most = (sum(near[i : i + TOGETHER]) > TOGETHER / 2 for i in _stretches(seconds, at))
        adapted = next((f"after {calls} calls" for calls, is_near in enumerate(most) if is_near), "never")
        parts = (seconds[:at], seconds[at:], seconds[-LAST:])
        rows.append((f"`{strategy}`", *(", ".join(figures(part)) for part in parts), adapted))
    return markdown.table((*titles, "as fast as can be"), rows)


def _stretches(seconds: Sequence[float], first: int) -> range:
    """Where TOGETHER calls begin, from `first` on."""
    return range(first, len(seconds) - TOGETHER + 1)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--collective", default="bcast")
    parser.add_argument("--bytes", type=int, default=65536)
    parser.add_argument("--calls", type=int, default=1400)
    parser.add_argument("--only", default="bcast:binary,bcast:binomial,bcast:sequential", help="where a link slows")
    parser.add_argument("--strategies", default="lottery,lottery:inverse,star")
    parser.add_argument("--host", default="h1", help="whose link slows down")
    parser.add_argument("--slow", default="2mbit", help="to what")
    parser.add_argument("--timeout", type=float, default=900, help="seconds a job may take")


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw)

r"""Time against tree, segment size, ranks and operation, as figures 3 to 6 of Nishtala et al. 2003 show it.

starling lab up single:16 --rate 20mbit --packet 0
starling lab run -- python bench/trees.py measure --mpicc mpicc.openmpi -o docs/results/trees-openmpi.json \
    -- mpirun.openmpi
python bench/trees.py draw docs/results/trees-openmpi.json docs/results/trees-openmpi.svg

Candidates take turns, `--rounds` times: a job of each, `--calls` calls of each operation in a job. `measure` adds what
is not in the file yet.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from timing import carried_out, compiled, timed

TREES = ("binary", "binomial", "chain", "sequential")
OPERATIONS = ("bcast", "reduce", "gather", "scatter")
SEGMENTS = ("none", "1024", "2048", "4096", "8192", "16384")

Entry = dict[str, Any]
"""A job: operation, tree and segment, bytes, ranks, seconds of its calls, cpu_idle."""


def jobs() -> Iterator[tuple[str, dict[str, str]]]:
    """Strategies, each with the candidates of operations that it forces: one job times all operations."""
    yield "native", dict.fromkeys(OPERATIONS, "native")
    for tree in TREES:
        for size in SEGMENTS:
            forced = dict.fromkeys(OPERATIONS, f"{tree}?segment={size}")
            yield "forced:" + ",".join(f"{operation}:{name}" for operation, name in forced.items()), forced


def segment(candidate: str) -> str:
    """The value of a candidate's parameter."""
    return candidate.partition("=")[2]


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    entries: list[Entry] = json.loads(options.output.read_text()) if options.output.exists() else []
    with tempfile.TemporaryDirectory(prefix="trees-") as folder:
        program = compiled(options.mpicc, Path(folder))
        for turn in range(options.rounds):
            for ranks in options.ranks:
                done = {
                    (one["candidate"], one["collective"])
                    for one in entries
                    if one["ranks"] == ranks and one["round"] == turn
                }
                for strategy, forced in jobs():
                    wanted = {operation: name for operation, name in forced.items() if (name, operation) not in done}
                    if not wanted:
                        continue
                    cases = [f"{operation}:{options.bytes}" for operation in wanted]
                    launcher = [*options.launcher, "-n", str(ranks)]
                    times = timed(launcher, program, strategy, cases, warmup=1, calls=options.calls)
                    entries += [
                        {
                            "collective": operation,
                            "candidate": name,
                            "bytes": options.bytes,
                            "ranks": ranks,
                            "round": turn,
                            "seconds": times.seconds[f"{operation}:{options.bytes}"],
                            "cpu_idle": times.cpu_idle,
                        }
                        for operation, name in wanted.items()
                        if name == "native" or carried_out(times, operation, name)
                    ]
                    options.output.write_text(json.dumps(entries) + "\n")
                    print(f"round {turn}, {ranks} ranks: {strategy[:60]} (idle {times.cpu_idle:.0%})", flush=True)


def medians(entries: list[Entry], operation: str, ranks: int) -> dict[str, float]:
    """The median seconds of each candidate over all rounds."""
    found: dict[str, list[float]] = {}
    for one in entries:
        if one["collective"] == operation and one["ranks"] == ranks:
            found.setdefault(one["candidate"], []).extend(one["seconds"])
    return {name: median(seconds) for name, seconds in found.items()}


def draw(options: argparse.Namespace) -> None:
    """A picture of four panels, one for each operation; and the table behind it."""
    import matplotlib as mpl
    from matplotlib import pyplot, ticker

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "starling"
    entries: list[Entry] = json.loads(options.measured.read_text())
    most = max(one["ranks"] for one in entries)
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for panel, operation in zip(axes.flat, OPERATIONS, strict=True):
        times = medians(entries, operation, most)
        order = [*SEGMENTS[1:], "none"]
        for tree in TREES:
            line = [
                (i, times[name])
                for i, one in enumerate(order)
                for name in times
                if name.partition("?")[0] == tree and segment(name) == one
            ]
            panel.plot([i for i, _ in line], [1e3 * time for _, time in line], "o-", label=tree)
        panel.axhline(1e3 * times["native"], color="black", linestyle="--", label="native")
        panel.set(title=operation, yscale="log", ylabel="ms", xlabel="bytes of a segment")
        for axis in ("set_major_formatter", "set_minor_formatter"):
            getattr(panel.yaxis, axis)(ticker.FormatStrFormatter("%g"))
        panel.set_xticks(range(len(order)), order)
        panel.grid(visible=True, which="both", alpha=0.3)
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(TREES) + 1)
    figure.savefig(options.picture, metadata={"Date": None})
    for ranks in sorted({one["ranks"] for one in entries}):
        print(f"\n{ranks} ranks\n\n| operation | native | best | ratio | then | slowest |\n|---|---|---|---|---|---|")
        for operation in OPERATIONS:
            times = medians(entries, operation, ranks)
            native = times.pop("native")
            ranked = sorted(times, key=times.__getitem__)
            cells = [f"{name} {1e3 * times[name]:.1f} ms" for name in (ranked[0], ranked[1], ranked[-1])]
            ratio = native / times[ranked[0]]
            print(f"| {operation} | {1e3 * native:.1f} ms | {cells[0]} | {ratio:.2f} | {cells[1]} | {cells[2]} |")


def main() -> None:
    """Measures or draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    measuring.add_argument("--bytes", type=int, default=65536)
    measuring.add_argument("--ranks", type=int, nargs="+", default=[16])
    measuring.add_argument("--calls", type=int, default=5)
    measuring.add_argument("--rounds", type=int, default=2)
    measuring.add_argument("-o", "--output", type=Path, required=True)
    measuring.add_argument("launcher", nargs="+", metavar="LAUNCHER", help="without -n and program")
    measuring.set_defaults(does=measure)
    drawing = commands.add_parser("draw")
    drawing.add_argument("measured", type=Path)
    drawing.add_argument("picture", type=Path)
    drawing.set_defaults(does=draw)
    options = parser.parse_args()
    options.does(options)


if __name__ == "__main__":
    main()

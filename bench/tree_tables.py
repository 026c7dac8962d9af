"""Tables and pictures of a broadcast over trees by cluster, ranks and segment: figures 4, 5, 7, 8 of Nishtala 2003.

A file's measurements say in `platform` the cluster, in `what` how calls begin (BEGINS) or LOTTERY, and in `how` the
candidate or the lottery.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from itertools import product
from statistics import mean, median
from typing import Any

import plots
import result_files
from markdown import number, origin, table
from trees import TREES, bytes_of, label, segment

from starling.lab import measured
from starling.lab.measured import Measurements
from starling.terminal.figures import human_bytes

BEGINS = ("together", "computing")
"""On all ranks at once, or on each rank after its last call and a computation."""
LOTTERY = "lottery"
FEW = 4
"""Least number of ranks in the table: between two all trees are the same."""

Times = dict[tuple[str, int, str], dict[str, list[float]]]


def times_of(file: Measurements) -> Times:
    """Seconds of each candidate in all rounds, by cluster, ranks and what.

    Beside a lottery are the candidates measured for it, or else those of calls that begin together.
    """
    found: Times = {}
    for one in file.measurements:
        found.setdefault((one.platform, one.ranks, one.what), {}).setdefault(one.how, []).extend(one.seconds)
    for (cluster, ranks, what), times in found.items():
        if what == LOTTERY and list(times) == [LOTTERY]:
            times.update(found.get((cluster, ranks, BEGINS[0]), {}))
    return found


def clusters_of(times: Times) -> list[str]:
    """The clusters, in the order of the file."""
    return list(dict.fromkeys(cluster for cluster, _, _ in times))


def ranks_of(times: Times, cluster: str, what: str) -> list[int]:
    """The numbers of ranks with measurements."""
    return sorted(ranks for name, ranks, kind in times if (name, kind) == (cluster, what))


def best_of(times: Mapping[str, Sequence[float]], tree: str) -> tuple[float, str]:
    """The median seconds of a tree with its best segment size, and this size; of two equal ones the longer.

    Where only one tree was tried, that one: between two ranks all are the same.
    """
    each = [(median(seconds), -bytes_of(segment(name)), name) for name, seconds in times.items() if "?" in name]
    fastest = min([one for one in each if one[2].startswith(f"{tree}?")] or each)
    return fastest[0], segment(fastest[2])


def _told(seconds: float, size: str) -> str:
    return f"{number(1e3 * seconds)}, {human_bytes(int(size)) if size != 'none' else 'none'}"


def clusters(file: Measurements) -> str:
    """Milliseconds of each tree with its best segment size, by cluster and ranks, and whether ranks compute.

    Raises MeasuredError without native.
    """
    rows = []
    times = times_of(file)
    cases = (
        (kind, cluster, ranks)
        for kind, cluster in product(BEGINS, clusters_of(times))
        for ranks in ranks_of(times, cluster, kind)
        if ranks >= FEW
    )
    for kind, cluster, ranks in cases:
        of_case = times[cluster, ranks, kind]
        native = _native(of_case, cluster, ranks)
        best = {tree: best_of(of_case, tree) for tree in TREES}
        fastest = min(one for one, _ in best.values())
        told = (_told(*one) for one in best.values())
        rows.append((kind, cluster, ranks, number(1e3 * native), *told, f"{native / fastest:.2f}"))
    titles = ("calls begin", "cluster", "ranks", "native", *TREES, "native / best")
    return f"{table(titles, rows)}\n\n{origin(one.made for one in file.measurements)}"


def _native(times: Mapping[str, Sequence[float]], cluster: str, ranks: int) -> float:
    if "native" not in times:
        raise result_files.unmeasured(f"{cluster}, {ranks} ranks", "native")
    return median(times["native"])


def lottery(file: Measurements) -> str:
    """The lottery's median and mean beside the best and the slowest candidate, by cluster and ranks, milliseconds.

    Raises MeasuredError where the lottery is alone.
    """
    rows = []
    times = times_of(file)
    for cluster in clusters_of(times):
        for ranks in ranks_of(times, cluster, LOTTERY):
            of_case = times[cluster, ranks, LOTTERY]
            calls = of_case[LOTTERY]
            native = _native(of_case, cluster, ranks)
            others = {name: median(seconds) for name, seconds in of_case.items() if name != LOTTERY}
            best, slowest = min(others, key=others.__getitem__), max(others, key=others.__getitem__)
            last = calls[-(len(calls) // 4) :]
            figures = (median(calls), mean(calls), median(last), mean(last), native)
            ends = (f"{label(name)}: {number(1e3 * others[name])}" for name in (best, slowest))
            rows.append((cluster, ranks, *(number(1e3 * one) for one in figures), *ends))
    of_lottery = ("lottery: median", "mean", "last quarter: median", "mean")
    return table(("cluster", "ranks", *of_lottery, "native", "best", "slowest"), rows)


def draw_lines(panel: Any, times: Times, cluster: str, kind: str) -> None:
    """Time against ranks: each tree with its best segment size (figure 4)."""
    there_are = ranks_of(times, cluster, kind)
    line = [1e3 * _native(times[cluster, ranks, kind], cluster, ranks) for ranks in there_are]
    draw_trees(panel, times, cluster, kind)
    panel.plot(there_are, line, "k--", label="native")
    panel.set(title=f"time: {cluster}, {kind}", xlabel="ranks", ylabel="ms")
    ranks_axis(panel, there_are)
    plots.logarithmic(panel)


def draw_trees(panel: Any, times: Times, cluster: str, kind: str) -> None:
    """Each tree's time with its best segment size."""
    there_are = ranks_of(times, cluster, kind)
    for color, tree in enumerate(TREES):
        line = [1e3 * best_of(times[cluster, ranks, kind], tree)[0] for ranks in there_are]
        panel.plot(there_are, line, "o-", color=f"C{color}", label=tree, markersize=3)


def draw_segments(panel: Any, times: Times, cluster: str, kind: str, whole: int) -> None:
    """The best segment size against ranks (figure 5); of a message that is not divided its length, `whole`."""
    there_are = ranks_of(times, cluster, kind)
    for color, tree in enumerate(TREES[:3]):
        sizes = [min(bytes_of(best_of(times[cluster, ranks, kind], tree)[1]), whole) for ranks in there_are]
        shifted = [1.06 ** (color - 1) * size / 1024 for size in sizes]  # overlapping lines stay visible
        panel.plot(there_are, shifted, "o-", color=f"C{color}", label=tree, markersize=3)
    panel.set(title=f"best segment: {cluster}, {kind}", xlabel="ranks", ylabel="KiB")
    ranks_axis(panel, there_are)
    plots.logarithmic(panel)
    panel.set_yticks([1, 4, 16, 64, 256])


def ranks_axis(panel: Any, ranks: Sequence[int]) -> None:
    """Ranks as they are, on a logarithmic axis."""
    panel.set_xscale("log", base=2)
    panel.set_xticks(ranks, [str(one) for one in ranks])


def draw_lottery(panels: Sequence[Any], times: Times, cluster: str) -> None:
    """The lottery over the trees by ranks (figure 7); its calls on the most, and how they are spread (figure 8)."""
    there_are = ranks_of(times, cluster, LOTTERY)
    draw_trees(panels[0], times, cluster, LOTTERY)
    for how, style, name in ((median, "ks-", "median"), (mean, "k^--", "mean")):
        line = [1e3 * how(times[cluster, ranks, LOTTERY][LOTTERY]) for ranks in there_are]
        panels[0].plot(there_are, line, style, label=f"lottery, {name}", markersize=4)
    panels[0].set(title=f"lottery: {cluster}", xlabel="ranks", ylabel="ms")
    ranks_axis(panels[0], there_are)
    panels[0].legend(fontsize="x-small")
    calls = [1e3 * one for one in times[cluster, there_are[-1], LOTTERY][LOTTERY]]
    panels[1].plot(calls, ".", markersize=2)
    panels[1].set(title=f"its calls on {there_are[-1]} ranks", xlabel="call", ylabel="ms")
    panels[2].hist(calls, bins=60)
    panels[2].set(title="and their distribution", xlabel="ms", ylabel="calls")
    for panel in panels:
        plots.logarithmic(panel)


def draw(options: Namespace) -> None:
    """Time and best segment against ranks, a column for each cluster; a row for each cluster's lottery."""
    pyplot = plots.pyplot()
    file = measured.read(options.measured[0])
    times = times_of(file)
    there_are = clusters_of(times)
    whole = max(one.bytes or 0 for one in file.measurements)
    with_lottery = [cluster for cluster in there_are if ranks_of(times, cluster, LOTTERY)]
    trees_rows = 2 * len(BEGINS)
    rows = trees_rows + len(with_lottery)
    columns = max(3, len(there_are))  # as many as the lottery has panels
    figure, axes = pyplot.subplots(rows, columns, figsize=(14, 3 * rows), layout="constrained")
    for column, cluster in enumerate(there_are):
        for row, kind in enumerate(BEGINS):
            draw_lines(axes[row, column], times, cluster, kind)
            draw_segments(axes[len(BEGINS) + row, column], times, cluster, kind, whole)
        for panel in axes[:trees_rows, column]:
            panel.legend(fontsize="x-small")
    for row, cluster in enumerate(with_lottery, trees_rows):
        draw_lottery(axes[row], times, cluster)
    plots.save(figure, options.picture)

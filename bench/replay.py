r"""Replay: recorded times, played to strategies without MPI, the same to each. `make replay` does both commands.

python bench/replay.py play docs/results/matrices.json -o docs/results/replay.json      all strategies, all scenarios
python bench/pages.py replay docs/results/replay.json                                           the tables

python bench/replay.py play MINE.json --strategies auto,star --scenarios plain,noisy -o mine.json
python bench/pages.py replay mine.json
python bench/replay.py draw mine.json mine.svg

`play` needs the player, `starling-replay`: `make build-core` builds it where it is looked for. `--player FILE` names
another, such as one of your own build (`cmake -DSTARLING_BENCHMARKS=ON`, target `starling-replay`).
`matrices.py` describes the format of recorded times, `player.hpp` the scenarios. The same seed gives the same figures
on every machine. `play` keeps, for each strategy and scenario and after some numbers of calls, the ratios of all
matrices: total / native, total / the best candidate in hindsight.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import markdown
import plots
import result_files
from command import mistakes_told

from starling.lab.measured import MeasuredError
from starling.messages import in_one_line, listed, printable

PLAYER = Path(__file__).parents[1] / "build-test" / "core" / "bench" / "starling-replay"
MORE = ("attribute:tested", "native")
"""Played besides the strategies that learn."""
SHOWN = (20, 60, 300, 3000)
FOR_OTHERS = (60, 3000)
"""Numbers of calls that tables show."""
FIGURES = ("mean", "p95", "worst")
HEADS = [f"{name}, {calls:,} calls" for name in ("mean", "95th percentile", "worst") for calls in SHOWN]
NEAR = 1.03
"""A final choice is right if it takes at most this multiple of the best's time."""
WITHOUT_MODEL = "no model"
"""The scenario in which nothing is known before a candidate is tried."""
PLAIN = "plain"
"""The scenario of the times as recorded, which tables and pictures of strategies show."""

Row = Mapping[str, Any]
"""What all matrices gave to a strategy in a scenario."""


def asked(player: Path, words: Iterable[object]) -> Any:
    """What the player prints. Raises MeasuredError, with the player's own sentence where it has one."""
    try:
        done = subprocess.run([str(player.absolute()), *map(str, words)], capture_output=True, text=True, check=False)
    except OSError as error:
        raise MeasuredError(
            f"no player: {printable(player)}: {error.strerror}; build it with `make build-core`, or give --player FILE"
        ) from error
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix("starling-replay: ")
        raise MeasuredError(in_one_line(said) or f"{printable(player)}: exit status {done.returncode}")
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise MeasuredError(f"{printable(player)}: it is no starling-replay: it prints no JSON") from error


def play(
    player: Path, matrices: Path, strategies: Iterable[str], scenarios: Iterable[str], calls: int, seed: int
) -> Any:
    """The player's rows. Raises MeasuredError."""
    rows: list[dict[str, Any]] = []
    for scenario in scenarios:
        words = [matrices, "--strategies", ",".join(strategies), "--calls", calls, "--seed", seed]
        words += ["--no-model"] if scenario == WITHOUT_MODEL else ["--scenarios", scenario]
        rows += [{**one, "scenario": scenario} for one in asked(player, words)]
    return rows


def summed_up(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each strategy and scenario what all matrices gave."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in rows:
        groups.setdefault((one["strategy"], one["scenario"]), []).append(one)
    found = []
    for (strategy, scenario), cells in groups.items():
        at = cells[0]["at"]
        to_native = [[one["total_s"][i] / one["native_s"][i] for one in cells] for i in range(len(at))]
        to_best = [[one["total_s"][i] / one["best_s"][i] for one in cells] for i in range(len(at))]
        settled = [one["settled_from"] for one in cells if one["settled_from"] >= 0]
        found.append(
            {
                "strategy": strategy,
                "scenario": scenario,
                "matrices": len(cells),
                "at": at,
                "to_native": [spread(one) for one in to_native],
                "to_best": [spread(one) for one in to_best],
                "best_to_native": round(fmean(one["best_s"][-1] / one["native_s"][-1] for one in cells), 4),
                "right": round(sum(one["final_ratio"] <= NEAR for one in cells) / len(cells), 4),
                "near_best_from": median(settled) if 2 * len(settled) > len(cells) else None,
                "agreements": round(fmean(one["agreements"] for one in cells), 1),
            }
        )
    return found


def spread(values: Sequence[float]) -> dict[str, float]:
    """Mean, median, 95th and 99th percentile, and the largest."""
    ranked = sorted(values)

    def quantile(share: float) -> float:
        return ranked[min(len(ranked) - 1, int(share * len(ranked)))]

    figures = {
        "mean": fmean(ranked),
        "median": median(ranked),
        "p95": quantile(0.95),
        "p99": quantile(0.99),
        "worst": ranked[-1],
    }
    return {name: round(value, 4) for name, value in figures.items()}


def read(path: Path) -> list[dict[str, Any]]:
    """What `play` wrote. Raises MeasuredError."""
    keys = {"strategy", "scenario", "at", "to_native", "best_to_native", "right", "near_best_from"}
    return result_files.rows(path, "a file that bench/replay.py wrote", keys)


def _only(played: Iterable[Row], key: str, value: str) -> list[Row]:
    """The rows with this value, at least one. Raises MeasuredError."""
    found = [one for one in played if one[key] == value]
    if not found:
        raise MeasuredError(f"nothing was played with the {key} '{value}', which this shows; play it too")
    return found


def _cells(row: Row, figure: str) -> list[str]:
    """A figure after each of the numbers of calls; empty where fewer were played."""
    figures = dict(zip(row["at"], row["to_native"], strict=True))
    return [f"{figures[calls][figure]:.3f}" if calls in figures else "" for calls in SHOWN]


def strategies_table(played: Sequence[Row]) -> str:
    """Every strategy on the times as recorded. Raises MeasuredError where none was played."""
    rows = _only(played, "scenario", PLAIN)
    heads = ["strategy", *HEADS, "right at the end", "within 5 % of the best from call on (median)"]
    lines = []
    for one in rows:
        near = one["near_best_from"]
        lines.append(
            [
                f"`{one['strategy']}`",
                *(cell for figure in FIGURES for cell in _cells(one, figure)),
                f"{one['right']:.0%}",
                "never" if near is None else f"{near:,.0f}",
            ]
        )
    lines.append(["best in hindsight", f"{rows[0]['best_to_native']:.3f}"])
    return markdown.table(heads, lines)


def scenarios_table(played: Sequence[Row]) -> str:
    """`auto` in every scenario, and the best mean of any other strategy there.

    Raises MeasuredError where `auto` was played in none.
    """
    best_other = [f"best other mean, {number:,} calls" for number in FOR_OTHERS]
    heads = ["scenario", *HEADS, "right at the end", "best in hindsight", *best_other]
    lines = [
        [
            one["scenario"],
            *(cell for figure in FIGURES for cell in _cells(one, figure)),
            f"{one['right']:.0%}",
            f"{one['best_to_native']:.3f}",
            *(_best_other(played, one["scenario"], number) for number in FOR_OTHERS),
        ]
        for one in _only(played, "strategy", "auto")
    ]
    return markdown.table(heads, lines)


def _best_other(played: Sequence[Row], scenario: str, number: int) -> str:
    """The strategy besides `auto` and `native` whose mean is the least after so many calls, and its mean."""
    means = {
        one["strategy"]: one["to_native"][one["at"].index(number)]["mean"]
        for one in played
        if one["scenario"] == scenario and one["strategy"] not in ("auto", "native") and number in one["at"]
    }
    best = min(means, key=means.__getitem__, default=None)
    return f"{means[best]:.3f} `{best}`" if best else ""


def draw(options: argparse.Namespace) -> None:
    """Mean and 95th percentile of total / native against the number of calls, for each strategy."""
    everything = _only(read(options.measured[0]), "scenario", PLAIN)
    rows = [one for one in everything if one["strategy"] != "native"]
    figure, axes = plots.pyplot().subplots(1, 2, figsize=(10, 4), sharey=True)
    for panel, name, title in zip(axes, ("mean", "p95"), ("mean of all matrices", "95th percentile"), strict=True):
        for number, one in enumerate(rows):
            values = [figures[name] for figures in one["to_native"]]
            style = "--o" if number % 2 == 0 else "-o"  # star-basic, which is much like star, is dashed on top of it
            panel.plot(one["at"], values, style, markersize=4, label=one["strategy"])
        panel.axhline(1, color="black", linewidth=0.8)
        panel.set(xscale="log", xlabel="calls", title=title)
        plots.plain(panel.xaxis)
        plots.logarithmic(panel)
    axes[0].axhline(everything[0]["best_to_native"], color="grey", linestyle=":", label="best in hindsight")
    axes[0].set_ylabel("time of all calls / native's")
    axes[0].legend()
    plots.save(figure, options.picture)


def play_and_write(options: argparse.Namespace) -> None:
    """The command `play`. Raises MeasuredError."""
    result_files.output(options.output)
    known = asked(options.player, ["--list"])
    all_scenarios = [*known["scenarios"], WITHOUT_MODEL]
    scenarios = all_scenarios if options.scenarios == "all" else options.scenarios.split(",")
    for one in scenarios:
        if one not in all_scenarios:
            raise MeasuredError(
                f"--scenarios: there is no scenario '{printable(one)}'; there are: {listed(all_scenarios)}"
            )
    strategies = [*known["strategies"], *MORE] if options.strategies == "all" else options.strategies.split(",")
    rows = play(options.player, options.matrices, strategies, scenarios, options.calls, options.seed)
    lines = ",\n".join(json.dumps(one) for one in summed_up(rows))
    result_files.write(options.output, f'{{"schema": 1, "seed": {options.seed}, "played": [\n{lines}\n]}}\n')
    print(f"{len(rows)} games in {options.output}")


def main() -> None:
    """Plays matrices, or draws what was played."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play matrices to strategies")
    playing.add_argument("matrices", type=Path)
    playing.add_argument("--player", type=Path, default=PLAYER, help="the program starling-replay")
    playing.add_argument("--strategies", default="all")
    playing.add_argument("--scenarios", default="all")
    playing.add_argument("--calls", type=int, default=3000)
    playing.add_argument("--seed", type=int, default=1)
    playing.add_argument("-o", "--output", type=Path, required=True)
    drawing = commands.add_parser("draw", help="draw what was played")
    drawing.add_argument("measured", nargs=1, type=Path, metavar="PLAYED")
    drawing.add_argument("picture", type=Path)
    options = parser.parse_args()
    with mistakes_told():
        draw(options) if options.command == "draw" else play_and_write(options)


if __name__ == "__main__":
    main()

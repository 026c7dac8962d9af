r"""Collectives x sizes on the lab that is up: native, native set by hand, the choice of `star`, and the best candidate.

starling lab up single:16
starling lab run -- python bench/suite.py measure --mpicc mpicc.openmpi -o docs/results/single-openmpi.json \
    -- mpirun.openmpi -n 16
python bench/pages.py cells docs/results/single-openmpi.json
python bench/suite.py draw docs/results/single-openmpi.json single-openmpi.svg

Three parts. `star` learns each cell without history. Each of the MPI library's own algorithms is set by hand for all
cells. Then native, the choice of `star` and the runners-up (of `star` and of the cost model) take turns, a job of each
in a round. Every result is checked. `measure` adds only what the file lacks.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import plots
from command import command_line
from suite_tables import COLLECTIVES, FIRST, LEARNED, TUNER, Cell, rows_of
from timing import Times, carried_out, compiled, made, place_of, timed

from starling.algorithms import repository
from starling.lab import measured
from starling.lab.measured import Measurement
from starling.networks import platform_file
from starling.records.record import Candidate

SIZES = (1024, 16384, 65536, 262144)
ITERATIONS = "3"
"""Calls for which `star` tries a candidate here."""
SMALL = 65536
"""Bytes up to which `star` has twice as many calls to learn from: they are short, and more candidates are tried."""


def _tuned(collective: str, number: int) -> dict[str, str]:
    return {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        f"OMPI_MCA_coll_tuned_{collective}_algorithm": str(number),
    }


def _cvar(collective: str, name: str) -> dict[str, str]:
    return {f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM": name}


OMPI = {
    "alltoall": ("linear", "pairwise", "bruck", "linear_sync"),
    "allgather": ("linear", "bruck", "recursive_doubling", "ring", "neighbor"),
    "allreduce": ("linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring", "rabenseifner"),
    "bcast": (
        "linear",
        "chain",
        "pipeline",
        "split_binary",
        "binary",
        "binomial",
        "knomial",
        "scatter_allgather",
        "scatter_allgather_ring",
    ),
    "reduce": ("linear", "chain", "pipeline", "binary", "binomial", "in_order_binary", "rabenseifner"),
    "gather": ("linear", "binomial", "linear_sync"),
    "scatter": ("linear", "binomial", "linear_nb"),
}
"""Open MPI 4.1's coll/tuned: the names of its algorithms 1, 2, ... (ompi_info --param coll tuned --level 5)."""
MPICH = {
    "alltoall": ("brucks", "pairwise", "scattered"),
    "allgather": ("brucks", "recursive_doubling", "ring"),
    "allreduce": ("recursive_doubling", "reduce_scatter_allgather", "ring", "tree"),
    "bcast": (
        "binomial",
        "scatter_recursive_doubling_allgather",
        "scatter_ring_allgather",
        "pipelined_tree",
        "tree",
    ),
    "reduce": ("binomial", "reduce_scatter_gather"),
    "gather": ("binomial",),
    "scatter": ("binomial",),
}
"""Values of MPICH's MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM."""


def by_hand(flavour: str, collectives: Sequence[str]) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Jobs that force the library's own algorithms: variables, and the name that each collective then has."""
    names = {"openmpi": OMPI, "mpich": MPICH}.get(flavour, {})
    for number in range(max(map(len, names.values()), default=0)):
        forced = {one: names[one][number] for one in collectives if number < len(names[one])}
        env: dict[str, str] = {}
        for collective, name in forced.items():
            env |= _tuned(collective, number + 1) if flavour == "openmpi" else _cvar(collective, name)
        if forced:
            yield env, forced


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, options: argparse.Namespace, program: Path) -> None:
        self._options = options
        self._program = program
        self._platform = platform_file.platform(os.environ["STARLING_PLATFORM"])
        self.file = measured.read_or_empty(options.output)
        self._cells = [(one, size) for size in options.sizes for one in options.collectives]
        self.flavour = ""

    def _has(self, cell: Cell, how: str, turn: int = 0) -> bool:
        return any((one.what, one.bytes, one.how, one.round) == (*cell, how, turn) for one in self.file.measurements)

    def _time(
        self, strategy: str, cells: Sequence[Cell], warmup: int, calls: int, env: Mapping[str, str] | None = None
    ) -> Times:
        cases = [f"{collective}:{size}" for collective, size in cells]
        surroundings = {**os.environ, **(env or {})}
        times = timed(
            self._options.launcher, self._program, strategy, cases, warmup=warmup, calls=calls, env=surroundings
        )
        self.flavour = times.record["run"]["mpi_flavour"]
        return times

    def _add(self, cell: Cell, how: str, turn: int, times: Times, notes: Mapping[str, Any] | None = None) -> None:
        run = times.record["run"]
        self.file.measurements.append(
            Measurement(
                what=cell[0],
                bytes=cell[1],
                platform=place_of(self._platform),
                mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
                ranks=run["ranks"],
                how=how,
                round=turn,
                seconds=times.seconds[f"{cell[0]}:{cell[1]}"],
                cpu_idle=times.cpu_idle,
                made=made(),
                notes=dict(notes or {}),
            )
        )

    def _job(
        self,
        strategy: str,
        hows: Mapping[Cell, str],
        turn: int,
        *,
        warmup: int = 2,
        calls: int,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Adds what `hows` names, in one job: a cell that is in the file is left out."""
        todo = [cell for cell, how in hows.items() if not self._has(cell, how, turn)]
        if not todo:
            return
        times = self._time(strategy, todo, warmup, calls, env)
        for cell in todo:
            if strategy == "native" or carried_out(times, cell[0], hows[cell]):
                self._add(cell, hows[cell], turn, times)
        self.file.write(self._options.output)
        seconds = sum(sum(one) for one in times.seconds.values())
        print(f"round {turn}: {', '.join(dict.fromkeys(hows.values()))}: {seconds:.1f} s, {times.cpu_idle:.0%} idle")

    def _predicted(self, cell: Cell, ranks: int) -> dict[str, Any]:
        return repository.prediction(self._platform, ranks, *cell)

    def learn(self) -> None:
        """`star` on each collective without history, call by call."""
        for cell in self._cells:
            if self._has(cell, LEARNED):
                continue
            calls = self._options.learning * (2 if cell[1] <= SMALL else 1)
            times = self._time(LEARNED, [cell], 0, calls, {"STARLING_ITER": ITERATIONS})
            context = next(one for one in times.record["contexts"] if (one["collective"], one["bytes"]) == cell)
            tried = {
                one.public_name: one.agreed_s
                for one in map(Candidate.model_validate, context["candidates"])
                if one.agreed_s is not None
            }
            limit = self._predicted(cell, times.record["run"]["ranks"])["lower_bound_s"]
            notes = {"winner": context["winner"], "stage": context["stage"], "tried": tried, "limit_s": limit}
            self._add(cell, LEARNED, 0, times, notes)
            self.file.write(self._options.output)
            total = sum(times.seconds[f"{cell[0]}:{cell[1]}"])
            print(f"star, {cell}: {context['winner']} ({context['stage']}, {len(tried)} tried, {total:.1f} s)")

    def by_hand(self) -> None:
        """The library's own algorithms, and its own tuner where it has one."""
        self._job("native", dict.fromkeys(self._cells, "native"), 0, calls=self._options.calls)
        for env, names in by_hand(self.flavour or self._known_flavour(), self._options.collectives):
            hows = {cell: f"native {names[cell[0]]}" for cell in self._cells if cell[0] in names}
            self._job("native", hows, 0, calls=3, env=env)
        if (self.flavour or self._known_flavour()) == "intel":
            hows = dict.fromkeys(self._cells, TUNER)
            self._job("native", hows, 0, warmup=0, calls=FIRST + 10, env={"I_MPI_TUNING_MODE": "auto"})

    def _known_flavour(self) -> str:
        return self.file.measurements[0].mpi.split()[0]

    def _slots(self, cell: Cell) -> list[str]:
        """Candidates to race: the choice, the best others that `star` tried, the best of the cost model's."""
        notes = next(
            one.notes for one in self.file.measurements if one.how == LEARNED and cell == (one.what, one.bytes)
        )
        tried = sorted(notes["tried"], key=notes["tried"].__getitem__)
        model = self._predicted(cell, self.file.measurements[0].ranks)["candidates"]
        predicted = [one["name"] for one in model if one["seconds"] is not None]
        others = [*tried[:2], *predicted[:1]]
        return [name for name in dict.fromkeys([notes["winner"], *others]) if name != "native"]

    def _calls(self, size: int) -> int:
        """More calls of small messages, whose times vary more and cost less."""
        return int(self._options.calls) * min(6, max(1, max(SIZES) // size))

    def race(self) -> None:
        """Native and the best candidates, size by size, in rounds."""
        slots = {cell: self._slots(cell) for cell in self._cells}
        for turn in range(1, self._options.rounds + 1):
            for size in self._options.sizes:
                cells = [cell for cell in self._cells if cell[1] == size]
                self._job("native", dict.fromkeys(cells, "native"), turn, calls=self._calls(size))
                for number in range(max(len(slots[cell]) for cell in cells)):
                    hows = {cell: slots[cell][number] for cell in cells if number < len(slots[cell])}
                    forced = ",".join(f"{cell[0]}:{name}" for cell, name in hows.items())
                    self._job(f"forced:{forced}", hows, turn, calls=self._calls(size))


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="suite-") as folder:
        suite = Suite(options, compiled(options.mpicc, Path(folder)))
        suite.learn()
        suite.by_hand()
        suite.race()


def draw(options: argparse.Namespace) -> None:
    """Times as multiples of the limit, a panel for each collective, a column for each file."""
    pyplot = plots.pyplot()
    files = [measured.read(path) for path in options.measured]
    figure, axes = pyplot.subplots(
        len(COLLECTIVES),
        len(files),
        figsize=(3.2 * len(files) + 0.6, 2.1 * len(COLLECTIVES)),
        layout="constrained",
        sharey="row",
        squeeze=False,
    )
    for column, file in enumerate(files):
        rows = rows_of(file)
        first = file.measurements[0]
        for panel, collective in zip(axes[:, column], COLLECTIVES, strict=True):
            mine = [row for row in rows if row.cell[0] == collective]
            sizes = range(len(mine))
            lines: list[tuple[str, str, list[float]]] = [
                ("native", "k--", [median(row.native) / row.limit for row in mine]),
                ("best native by hand", "C1s:", [(row.hand_s or math.nan) / row.limit for row in mine]),
                ("star", "C0o-", [median(row.chosen) / row.limit for row in mine]),
            ]
            for label, style, values in lines:
                panel.plot(sizes, values, style, label=label, markersize=4)
            panel.axhline(1, color="gray", linewidth=1)
            panel.set(title=f"{collective}: {first.platform}, {first.mpi}")
            panel.title.set_fontsize(8)
            panel.set_xticks(sizes, [f"{row.cell[1] // 1024}" for row in mine])
            plots.logarithmic(panel)
            panel.tick_params(labelsize=7, which="both")
    figure.supxlabel("KiB")
    figure.supylabel("time / lower bound")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    plots.save(figure, options.picture)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--collectives", nargs="+", default=COLLECTIVES, choices=COLLECTIVES)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="bytes of a block")
    parser.add_argument(
        "--learning", type=int, default=100, help="calls of each cell that star has, twice as many of small ones"
    )
    parser.add_argument("--calls", type=int, default=5, help="of each cell in a job, more of small ones")
    parser.add_argument("--rounds", type=int, default=2)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw)

"""bench/applications.py: programs profiled, tuned for what they need, run with the table and with its exports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from starling.tables import table as tables
from support.mpis import ROOT, Mpi, debian_mpis

HOWS = ["native", "table", "exported"]


def protocol(mpi: Mpi, output: Path, *options: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, str(ROOT / "bench/applications.py"), "measure", "--small", "--mpicc", str(mpi.mpicc)]
    line += ["-o", str(output), "--ranks", "2", "--budget", "5s", *options, "--", *mpi.launcher]
    env = {key: value for key, value in os.environ.items() if not key.startswith("STARLING_")}
    env |= {**mpi.env, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"}
    return subprocess.run(
        line, env={**env, "STARLING_PLATFORM": "single:2"}, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_programs_are_measured_in_three_ways_and_only_what_is_missing(mpi: Mpi, tmp_path: Path) -> None:
    output = tmp_path / "measured.json"
    done = protocol(mpi, output, "--programs", "jacobi rows", "adams", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[2].split(" on ")[0].strip() for line in done.stdout.splitlines()] == [
        "jacobi rows",
        "adams",
    ]
    kept = tmp_path / "measured"
    made = tables.read(kept / "jacobi-rows-2.table.json")
    assert {(point.collective, point.ranks, point.bytes) for point in made.points} >= {("allgather", 2, 96 * 8 // 2)}

    before = (kept / "adams-2.table.json").read_text()
    done = protocol(mpi, output, "--programs", "adams", "--rounds", "2")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert (kept / "adams-2.table.json").read_text() == before
    found = json.loads(output.read_text())["measurements"]
    assert [(one["what"], one["how"], one.get("round", 0)) for one in found] == [
        (what, how, turn) for what, turn in (("jacobi rows", 0), ("adams", 0), ("adams", 1)) for how in HOWS
    ]
    (most, *_) = found[1]["notes"]["contexts"]
    assert most["stage"] in {"table", "native"}

    line = [sys.executable, str(ROOT / "bench/pages.py"), "applications", str(output)]
    table = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert "| jacobi rows | 2 |" in table.replace(" (CPU-bound)", "")
    assert "; with its exported settings alone at best " in table


def test_the_table_averages_rounds_and_tells_the_best_the_worst_and_those_that_communicate(tmp_path: Path) -> None:
    def rounds(what: str, share: float, native: list[float], table: list[float]) -> list[dict[str, object]]:
        common = {"what": what, "platform": "single:16", "mpi": "openmpi 4.1.4", "ranks": 16}
        notes = {"native": {"of_run": share}, "table": {"contexts": []}, "exported": {}}
        times = {"native": native, "table": table, "exported": native}
        return [
            {**common, "how": how, "round": turn, "seconds": [seconds], "notes": notes[how]}
            for how in HOWS
            for turn, seconds in enumerate(times[how])
        ]

    file = tmp_path / "measured.json"
    measurements = [*rounds("fft", 0.8, [3, 5], [2, 2]), *rounds("pw.x", 0.3, [1, 1], [1, 1.5])]
    file.write_text(json.dumps({"schema": 1, "command": ["applications.py"], "measurements": measurements}))
    line = [sys.executable, str(ROOT / "bench/pages.py"), "applications", str(file)]
    table = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert "| fft | 16 | 2 | 80 % | 4.0 s | 2.0 s | 2.00 (1.50-2.50) | 4.0 s | 1.00 (1.00-1.00) |" in table
    assert "| pw.x | 16 | 2 | 30 % | 1.0 s | 1.2 s | 0.80 (0.67-1.00) |" in table
    told = (
        "at best 2.00 (fft on 16 ranks), at worst 0.80 (pw.x on 16 ranks), in the mean of the 1 that mostly communicate"
    )
    assert f"Whole programs: with the table {told} 2.00; " in table

    file.write_text(json.dumps({"schema": 1, "command": ["applications.py"], "measurements": measurements[:4]}))
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "fft: exported is not measured yet" in done.stderr


def test_a_number_of_ranks_without_an_input_is_told(tmp_path: Path) -> None:
    done = protocol(debian_mpis()[0], tmp_path / "measured.json", "--programs", "hpcc")
    assert done.returncode == 0, done.stderr
    assert "hpcc is skipped: there is no input for 2 ranks" in done.stderr

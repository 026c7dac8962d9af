"""bench/replay.py and bench/pages.py: what is missing or wrong is told in one line, without a traceback."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.command import called

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
MATRICES = RESULTS / "matrices.json"
GAME = {
    "strategy": "auto",
    "at": [5, 10, 20],
    "total_s": [5.0, 9.0, 16.0],
    "native_s": [5.0, 10.0, 20.0],
    "best_s": [4.0, 8.0, 16.0],
    "final_ratio": 1.0,
    "settled_from": 6,
    "agreements": 2,
}
PLAYER = """#!/bin/sh
case "$1 $*" in
"--list "*) echo '{"scenarios": ["plain", "very late"], "strategies": ["auto", "star"]}' ;;
*ato*) echo "starling-replay: there is no strategy 'ato'; there are: auto, star" >&2; exit 2 ;;
*) cat "$0.json" ;;
esac
"""


def run(script: str, *words: object, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return called(*map(str, words), script=ROOT / "bench" / script, env=env, timeout=120)


def complaint(script: str, *words: object, env: Mapping[str, str] | None = None) -> str:
    """The one line with which a script refuses."""
    done = run(script, *words, env=env)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith(f"{script}: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix(f"{script}: ").strip()


@pytest.fixture
def player(tmp_path: Path) -> Path:
    """A player that answers as starling-replay does, at once: each game is the same."""
    path = tmp_path / "player"
    path.write_text(PLAYER)
    path.chmod(0o755)
    path.with_name("player.json").write_text(json.dumps([GAME]))
    return path


@pytest.mark.parametrize("script", ["replay.py", "searches.py"])
def test_a_missing_player_is_told_with_what_builds_it(script: str, tmp_path: Path) -> None:
    matrices = [MATRICES] if script == "replay.py" else []
    told = complaint(script, "play", *matrices, "--player", tmp_path / "none", "-o", tmp_path / "mine.json")
    assert told == (
        f"no player: {tmp_path}/none: No such file or directory; build it with `make build-core`, or give --player FILE"
    )
    told = complaint(script, "play", *matrices, "--player", "/bin/true", "-o", tmp_path / "mine.json")
    assert told == "/bin/true: it is no starling-replay: it prints no JSON"
    assert list(tmp_path.iterdir()) == []


def test_wrong_names_are_told_with_those_that_exist(player: Path, tmp_path: Path) -> None:
    words = ("play", MATRICES, "--player", player, "-o", tmp_path / "mine.json")
    assert complaint("replay.py", *words, "--scenarios", "plian") == (
        "--scenarios: there is no scenario 'plian'; there are: plain, very late, no model"
    )
    assert complaint("replay.py", *words, "--strategies", "ato") == (
        "there is no strategy 'ato'; there are: auto, star"
    )
    words = ("play", MATRICES, "--player", player, "-o", tmp_path / "nowhere" / "mine.json")
    assert f"there is no folder {tmp_path}/nowhere" in complaint("replay.py", *words)


def test_what_was_played_is_shown_as_far_as_it_was_played(player: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    done = run("replay.py", "play", MATRICES, "--player", player, "--scenarios", "plain,no model", "-o", mine)
    assert (done.returncode, done.stdout) == (0, f"2 games in {mine}\n")
    *_, row, best = run("pages.py", "replay", mine).stdout.splitlines()
    assert row.startswith("| `auto` | 0.800 |  |  |  | 0.800 |")  # after 20 calls; not after 60
    assert best.startswith("| best in hindsight | 0.800 |")
    rows = run("pages.py", "replay-scenarios", mine).stdout.splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == ["| plain", "| no model"]
    run("replay.py", "play", MATRICES, "--player", player, "--scenarios", "very late", "-o", mine)
    assert complaint("pages.py", "replay", mine) == (
        "table replay: nothing was played with the scenario 'plain', which this shows; play it too"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["rpelay", "replay.json"], "rpelay: no such table; there are: summary, "),
        (["replay"], "table replay: it takes 1 file, not 0: a file that bench/replay.py wrote"),
        (["replay", "replay.json", "replay.json"], "table replay: it takes 1 file, not 2: a file that bench/replay.py"),
        (
            ["predictions", "simulated.json"],
            "table predictions: it takes 2 files, not 1: a file of measurements, then ",
        ),
        (["summary"], "table summary: it takes 1 file or more, not 0: a file that bench/suite.py wrote"),
        (
            ["replay", "none.json"],
            f"table replay: none.json: there is no such file, here or in {RESULTS} (--folder); "
            "give a file that bench/replay.py wrote",
        ),
        (
            ["nodes", RESULTS / "simulated.json"],
            f"table nodes: {RESULTS}/simulated.json: its measurements are by simulated.py; "
            "give a file that bench/simulated_nodes.py wrote",
        ),
        (
            ["replay", RESULTS / "searches.json"],
            f"table replay: {RESULTS}/searches.json, row 1: 'at' is missing; give a file that bench/replay.py wrote",
        ),
        (["searches", "matrices.json"], f"table searches: {RESULTS}/matrices.json: it has no list 'played'; give "),
        (["adapting", "replay.json"], f"table adapting: {RESULTS}/replay.json: it is no list; give a file that bench/"),
        (["tuning-replay", "replay.md"], f"table tuning-replay: {RESULTS}/replay.md: it is no JSON: Expecting value"),
        (["--folder", "none"], "none: it has no pages; give --folder a copy of docs/results"),
    ],
)
def test_a_table_that_cannot_be_made_is_told_with_what_it_needs(words: list[object], told: str) -> None:
    assert complaint("pages.py", *words).startswith(told)


def test_files_of_the_folder_are_found_by_their_names() -> None:
    done = run("pages.py", "replay-scenarios", "replay.json")
    assert done.stdout in (RESULTS / "replay.md").read_text()
    assert done.stdout.startswith("| scenario |")


@pytest.mark.parametrize(
    ("table", "text", "why"),
    [
        ("replay", '{"schema": 1, "played": []}', "it is empty; give a file that bench/replay.py wrote"),
        (
            "cells",
            '{"schema": 1, "measurements": []}',
            "its 'command' does not name a script; give a file that bench/s",
        ),
        (
            "cells",
            '{"schema": 1, "command": ["suite.py"], "measurements": []}',
            "it has no measurements; let bench/suite.py measure first",
        ),
    ],
)
def test_an_empty_file_is_a_mistake(table: str, text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(text)
    told = complaint("pages.py", table, tmp_path / "mine.json")
    assert told.startswith(f"table {table}: {tmp_path}/mine.json: {why}")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("replay.py", ["draw", RESULTS / "replay.json"]),
        ("tuning_replay.py", ["draw", RESULTS / "tuning-replay.json"]),
        ("simulated.py", ["draw", RESULTS / "simulated.json"]),
        ("pages.py", ["--pictures", "--folder", RESULTS]),
    ],
)
def test_what_draws_names_the_package_that_is_missing(script: str, words: list[object], tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError(name='matplotlib')")
    picture = [] if script == "pages.py" else [tmp_path / "mine.svg"]
    told = complaint(script, *words, *picture, env={"PYTHONPATH": str(tmp_path)})
    assert told == "matplotlib, which draws, is not installed; run: pip install '.[plots]'"
    assert not (tmp_path / "mine.svg").exists()


@pytest.mark.parametrize(
    ("table", "data", "told"),
    [
        ("first-cells", "first-mpich.json", "alltoall 16384: round 0 of auto is not measured yet"),
        ("programs", "programs-openmpi.json", "fft: what Starling does is not measured yet"),
        ("trees", "trees-openmpi.json", "bcast, 16 ranks: a tree is not measured yet"),
        ("profile-cost", "profiles.json", "allreduce: without native is not measured yet"),
        ("peers", "simulated.json", "alltoall: an algorithm that SMPI has too is not measured yet"),
    ],
)
def test_a_measurement_that_was_interrupted_is_told(table: str, data: str, told: str, tmp_path: Path) -> None:
    file = json.loads((RESULTS / data).read_text())
    (tmp_path / data).write_text(json.dumps({**file, "measurements": file["measurements"][:1]}))
    assert complaint("pages.py", table, tmp_path / data) == f"table {table}: {told}; let the measurement go on"


def test_what_cannot_be_replayed_is_told_before_anything_is_written(tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    assert complaint("matrices.py", RESULTS / "profiles.json", "-o", mine).startswith("no matrix: no context")
    assert complaint("tuning_replay.py", "play", RESULTS / "replay.json", "-o", mine) == (
        f"{RESULTS}/replay.json: it has no list 'matrices'; give a file that bench/matrices.py wrote"
    )
    assert complaint("tuning_replay.py", "play", RESULTS / "README.md", "-o", mine).startswith(
        f"{RESULTS}/README.md: it is no file of measurements of starling tune; give a file MINE.json.measurements"
    )
    times = RESULTS / "simulated.json"
    assert complaint("searches.py", "play", "--times", times, "-o", mine) == (
        f"{times}: its measurements are by simulated.py; give a file that bench/solver.py wrote"
    )
    assert not mine.exists()

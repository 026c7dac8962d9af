"""Tables and pages of profiles, and what the command says of wrong use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from starling.commands.cli import app
from starling.records import profile as profiles
from starling.records.profile_page import page
from starling.records.record import RecordError

SAMPLE = Path(__file__).parents[1] / "knowledge/run-record.json"
RUNNER = CliRunner()


def context(collective: str, bytes_: int | None, *, calls: int = 10, **of_all: Any) -> dict[str, Any]:
    """A context of a profile on 4 ranks."""
    record = json.loads(SAMPLE.read_text())["contexts"][1]
    more = {"collective": collective, "bytes": bytes_, "calls": calls, "ranks": 4, "operator_class": None}
    all_ranks: dict[str, Any] = {
        "communicators": 1,
        "ranks": 4,
        "rank_seconds": 4.0,
        "slowest_rank": 1,
        "slowest_rank_seconds": 1.5,
        "quickest_rank": 3,
        "quickest_rank_seconds": 0.5,
        "waiting_rank_seconds": None,
        "sampled_calls": 0,
        "last": [],
        "mean_bytes": None,
    }
    return {**record, **more, "profile": {**all_ranks, **of_all}}


def written(folder: Path, contexts: list[dict[str, Any]], order: list[dict[str, Any]] | None = None) -> Path:
    """A profile of a run of 4 ranks that took 10 s."""
    record = json.loads(SAMPLE.read_text())
    record["run"] |= {"ranks": 4, "nodes": 1, "ranks_per_node": 4, "seconds": 10.0}
    record |= {"contexts": contexts, "profile": {"order": order or [], "order_left_out": 0}}
    file = folder / "profile.json"
    file.write_text(json.dumps(record))
    return file


def shown(file: Path, *options: str, env: Mapping[str, str] | None = None) -> str:
    """What `starling profile --show` prints."""
    done = RUNNER.invoke(app, ["profile", "--show", str(file), *options], env={"COLUMNS": "200", **(env or {})})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_shares_imbalance_and_waiting_are_those_of_all_ranks(tmp_path: Path) -> None:
    late: dict[str, Any] = {
        "waiting_rank_seconds": 3.0,
        "unequal_work_rank_seconds": 2.0,
        "sampled_calls": 50,
        "last": [{"rank": 3, "calls": 46}, {"rank": 0, "calls": 4}],
    }
    file = written(
        tmp_path, [context("bcast", 64, rank_seconds=1.0, slowest_rank_seconds=1.0), context("allreduce", 8, **late)]
    )
    lines = shown(file).splitlines()
    assert (
        "A rank spent 1.25 s in collectives in the mean, 12.5 % of the run; at least 60.0 % of that was waiting"
        in lines[1]
    )
    allreduce, bcast = (line.split() for line in lines[4:6])
    # collective, bytes, ranks, calls, mean, slowest rank, shares of run and collectives, max/mean, waiting, for whom
    assert " ".join(allreduce) == "allreduce 8 B all 4 10 1.00 s 1.50 s (1) 10.0 % 80.0 % 1.50 75.0 % 50.0 % 3 (92 %)"
    assert " ".join(bcast) == "bcast 64 B all 4 10 250 ms 1.00 s (1) 2.5 % 20.0 % 4.00 - -"


def test_ranks_that_began_before_rank_0_are_in_collectives_no_longer_than_the_run(tmp_path: Path) -> None:
    lines = shown(written(tmp_path, [context("barrier", 0, rank_seconds=120.0)])).splitlines()
    assert lines[1].startswith("A rank spent 30.0 s in collectives in the mean, 100.0 % of the run")
    assert "30.0 s 1.50 s (1) 100.0 % 100.0 %" in " ".join(lines[4].split())


def test_nobody_is_named_for_noise(tmp_path: Path) -> None:
    noise: dict[str, Any] = {"waiting_rank_seconds": 0.1, "sampled_calls": 50, "last": [{"rank": 3, "calls": 50}]}
    turns: dict[str, Any] = {
        "waiting_rank_seconds": 3.0,
        "sampled_calls": 40,
        "last": [{"rank": rank, "calls": 10} for rank in range(4)],
    }
    found, _ = profiles.read(written(tmp_path, [context("allreduce", 8, **noise), context("barrier", 0, **turns)]))
    assert [one.late for one in found.contexts] == [[], []]


def test_sizes_that_ranks_cannot_know_are_means(tmp_path: Path) -> None:
    assert "~2 KiB" in shown(written(tmp_path, [context("alltoallv", None, mean_bytes=2048)]))


def test_calls_that_follow_each_other_are_listed(tmp_path: Path) -> None:
    small = {"collective": "allreduce", "bytes": 8, "bucket": False, "ranks": 4}
    large = {"collective": "bcast", "bytes": 4096, "bucket": False, "ranks": 4}
    order = [{"from": small, "to": large, "calls": 312, "seconds_between": 0.312}]
    text = shown(written(tmp_path, [context("allreduce", 8)], order))
    assert "allreduce 8 B -> bcast 4 KiB  312 times, 1.00 ms between" in text


def test_the_page_has_a_bar_for_each_size_or_for_each_power_of_two(tmp_path: Path) -> None:
    sizes = [context("allgather", size) for size in range(1, 40)]
    found, _ = profiles.read(written(tmp_path, [*sizes, context("alltoall", 64), context("alltoall", 96)]))
    text = page(found)
    figures = text.split("<figure>")[1:]
    assert [figure.count('class="moving"') for figure in figures] == [6, 2]  # 1, 2+, 4+, 8+, 16+, 32+; 64, 96
    assert "http" not in text
    assert "<script" not in text


def test_names_from_a_file_are_escaped_on_the_page(tmp_path: Path) -> None:
    file = written(tmp_path, [context("<script>alert(1)</script>", 8)])
    assert "<script" not in page(profiles.read(file)[0])


def test_a_profile_of_nothing_is_shown(tmp_path: Path) -> None:
    file = written(tmp_path, [])
    assert "no collective was called" in shown(file)
    assert "<h1" in page(profiles.read(file)[0])


def test_json_is_the_file_unchanged(tmp_path: Path) -> None:
    file = written(tmp_path, [context("allreduce", 8)])
    assert shown(file, "--json") == file.read_text()


def test_a_record_without_a_profile_is_refused(tmp_path: Path) -> None:
    record = json.loads(SAMPLE.read_text())
    del record["profile"]
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    with pytest.raises(RecordError, match="a run record without a profile; make one with: starling profile"):
        profiles.read(file)


def test_seconds_that_are_no_number_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path, [context("allreduce", 8, rank_seconds=float("nan"))])
    with pytest.raises(RecordError, match="rank_seconds"):
        profiles.read(file)


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        ([], "give a launcher line, or --show and a profile", 2),
        (["--show", "a.json", "--", "true"], "give a launcher line, or --show and a profile", 2),
        (["--show", "a.json", "-o", "b.json"], "leave out one of them", 2),
        (["--html", "page.txt", "--", "true"], "give a name that ends in .html", 2),
        (["--html", "none/page.html", "--", "true"], "none/page.html: there is no folder ", 2),
        (["--show", "missing.json"], "missing.json: No such file", 1),
        (["-o", "/proc/none/profile.json", "--", "true"], "/proc/none: no folder that can be written to", 2),
        (["-o", "new.json", "--", "no-such-program"], "no-such-program: not found", 127),
    ],
)
def test_wrong_use_is_told_in_one_line(
    words: list[str], said: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = RUNNER.invoke(app, ["profile", *words])
    assert done.exit_code == status
    assert said in done.output
    assert len(done.output.splitlines()) == 1

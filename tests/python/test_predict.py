"""`starling predict` as people type it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from starling.algorithms import prediction
from support.command import called


def predict(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "120"}
    env.pop("STARLING_PLATFORM", None)
    return called("predict", *arguments, env=env)


def test_shows_candidates_from_the_quickest_on() -> None:
    done = predict("--platform", "single:8", "--ranks", "8", "allgather", "64K", "--all")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "allgather of 64 KiB on 8 ranks of single:8"
    assert lines[1].split() == ["candidate", "group", "predicted", "of", "the", "bound"]
    assert any(line.startswith("ring ") for line in lines)
    assert "lower bound: 39.1 ms" in done.stdout
    assert any(line.startswith("groups?mesh=") for line in lines)
    assert "each rank is alone on its node" in done.stdout


def test_prints_json_sorted_by_time() -> None:
    done = predict("--platform", "star:2x4", "bcast", "65536", "--root", "3", "--json")
    found = json.loads(done.stdout)
    assert (found["platform"], found["ranks"], found["root"], found["bytes"]) == ("star:2x4", 8, 3, 65536)
    times = [one["seconds"] for one in found["candidates"] if one["seconds"] is not None]
    assert times == sorted(times)
    assert times[0] >= found["lower_bound_s"] > 0
    assert all((one["seconds"] is None) == bool(one["refusal"]) for one in found["candidates"])


def test_nothing_is_faster_than_the_lower_bound() -> None:
    for size in ("1M", "1000000"):
        found = json.loads(predict("--platform", "single:12", "scatterv", size, "--json").stdout)
        assert found["candidates"][0]["seconds"] >= found["lower_bound_s"]


def test_a_collective_of_which_nothing_is_known_is_told() -> None:
    done = predict("--platform", "single:4", "neighbor_alltoall", "64")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "starling: neighbor_alltoall: the cost model knows none of its ways\n"


def test_rates_places_and_order_of_ranks_count() -> None:
    def ring(*options: str) -> float:
        found = json.loads(predict("--platform", "star:4x2", "allgather", "64K", "--json", *options).stdout)
        return float(next(one["seconds"] for one in found["candidates"] if one["name"] == "ring"))

    usual = ring()
    assert ring("--rate", "10mbit") > 9 * usual
    assert ring("--rate", "10mbit", "--trunk-rate", "1gbit") > 9 * usual
    assert ring("--order", "cyclic") > 1.9 * usual
    assert ring("--ranks-per-host", "2") > 2 * usual
    assert ring("--ranks", "4") < usual / 2


def test_parameters_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"schema": 1, "latency_s": 0.5}')
    found = json.loads(predict("--platform", "single:2", "barrier", "--json", "--parameters", str(path)).stdout)
    assert found["parameters"]["latency_s"] == 0.5
    assert found["candidates"][0]["seconds"] > 0.5
    path.write_text("")
    done = predict("--platform", "single:2", "barrier", "--parameters", str(path))
    told = "it is no file of parameters: it is cut short, or no JSON; make one with: starling calibrate"
    assert done.stderr == f"starling: {path}: {told}\n"
    path.write_text('{"schema": 1, "lateness": 0.5}')
    done = predict("--platform", "single:2", "barrier", "--parameters", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"starling: {path}: lateness: unknown key; remove it, or correct its name\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("alltoall", "1K"), "--platform is missing: a platform file, or a name like star:4x8"),
        (("--platform", "single:4", "alltoall"), "a size is missing, as in: starling predict --platform single:4"),
        (("--platform", "single:4", "alltoall", "1X"), "1X: no size; write it in bytes, or like 64K or 1M"),
        (("--platform", "single:4", "cast", "1K"), "no collective cast; there are: allgather, "),
        (("--platform", "single:4", "alltoall", "1K", "--root", "1"), "alltoall has no root"),
        (("--platform", "single:4", "bcast", "1K", "--root", "4"), "4: the root must be a number from 0 to 3"),
        (("--platform", "single:4", "--ranks", "5", "bcast", "1K"), "the platform has room for 4 ranks, not for 5"),
        (("--platform", "ring:4", "bcast", "1K"), "ring:4: neither a file nor a short name"),
        (("--platform", "single:4", "--rate", "fast", "bcast", "1K"), "--rate: 'fast' is no rate"),
        (("--platform", "single:4", "bcast", "1K", "--parameters", "nix.json"), "nix.json: no such file"),
        (("--platform", "single:4", "bcast", "1K", "--parameters", "."), ".: it is no file; make one with: starling"),
    ],
)
def test_invalid_arguments_are_reported_in_one_line(arguments: tuple[str, ...], says: str) -> None:
    done = predict(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"starling: {says}")
    assert done.stderr.count("\n") == 1


def test_sizes_are_powers_of_1024() -> None:
    assert [prediction.size(text) for text in ("0", "17", "64K", "64KiB", "1m", "2GB")] == [
        0,
        17,
        65536,
        65536,
        2**20,
        2**31,
    ]
    with pytest.raises(ValueError, match="no size"):
        prediction.size("64 kilo")


def test_domains_of_hosts_are_levels(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    host = {"name": "h0", "ranks": 16, "domains": 2}
    links = [{"between": ["h0", "s0"], "rate": "1gbit"}]

    def seconds(host: dict[str, object]) -> dict[str, float | None]:
        path.write_text(json.dumps({"switches": ["s0"], "hosts": [host], "links": links}))
        found = json.loads(predict("--platform", str(path), "bcast", "1M", "--json").stdout)
        return {one["name"]: one["seconds"] for one in found["candidates"]}

    two, one = seconds(host), seconds({**host, "domains": 1})
    assert one["domains"] is None
    assert two["domains"] is not None
    shared = two["shared?copies=twice"]
    assert shared is not None
    assert two["domains"] < shared

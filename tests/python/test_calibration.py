"""`starling calibrate`: parameters of the cost model from times between two hosts."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from starling.algorithms import repository
from starling.networks import platform_file
from starling.trials import calibration
from support.command import called

PLATFORM = platform_file.from_json(
    {
        "switches": ["s"],
        "hosts": ["a", "b"],
        "links": [
            {"between": ["a", "s"], "rate": "100mbit"},
            {"between": ["b", "s"], "rate": "80mbit", "latency": "5us"},
        ],
    },
    "two.json",
)
PAIR = {
    "one_way_s": [[1, 50.1e-6], [1000, 150e-6], [100_000, 10_050e-6]],
    "exchange_s": 10_060e-6,
    "send_s": 10e-6,
    "flood_s": 12e-6,
    "s_per_byte": 0.1e-6,
}
MEASURED: dict[str, Any] = {
    "hosts": ["a", "b.cluster"],
    "exchange_bytes": 100_000,
    "far": PAIR,
    "copy_s_per_byte": 1e-10,
    "combine_s_per_byte": 2e-10,
}


def test_parameters_are_those_of_loggp() -> None:
    found, line = calibration.parameters(MEASURED, PLATFORM)
    assert found["overhead_s"] == 10e-6
    assert found["gap_s"] == 12e-6
    assert found["latency_s"] == pytest.approx(25e-6)  # 50 us without both overheads and the link's own 5 us
    assert found["rate_share"] == pytest.approx(1.0)  # of 80 Mbit/s, the slowest link between the two
    assert found["large_take_turns"] is False
    assert line.seconds(1000) == pytest.approx(150e-6)
    assert found["measured"]["error"] == pytest.approx(0, abs=1e-9)
    assert "memory_latency_s" not in found


def test_an_exchange_that_takes_longer_than_a_message_means_turns() -> None:
    found, _ = calibration.parameters({**MEASURED, "far": {**PAIR, "exchange_s": 15e-3}}, PLATFORM)
    assert found["large_take_turns"] is True


def test_two_ranks_of_one_host_give_the_parameters_of_memory() -> None:
    near = {**PAIR, "one_way_s": [[1, 21e-6], [1000, 30e-6]], "s_per_byte": 1e-9}
    found, _ = calibration.parameters({**MEASURED, "near": near}, PLATFORM)
    assert found["memory_latency_s"] == pytest.approx(1e-6, rel=0.01)
    assert found["memory_s_per_byte"] == 1e-9


def test_the_cost_model_reads_what_calibration_writes(tmp_path: Path) -> None:
    path = tmp_path / "parameters.json"
    calibration.write(calibration.parameters(MEASURED, PLATFORM)[0], path)
    found = repository.prediction(PLATFORM, 2, "bcast", 1000, parameters=path)
    times = {one["name"]: one["seconds"] for one in found["candidates"]}
    assert times["binomial?segment=none"] == pytest.approx(10e-6 + 1000 * 0.1e-6 + 30e-6 + 10e-6)


@pytest.mark.parametrize(
    ("hosts", "says"),
    [
        (["a", "a"], "both ranks ran on a; give each its own host"),
        (["a", "c.cluster"], "a rank ran on c.cluster, which is no host of two;"),
    ],
)
def test_ranks_must_be_on_two_hosts_of_the_platform(hosts: list[str], says: str) -> None:
    with pytest.raises(calibration.CalibrationError, match=says):
        calibration.parameters({**MEASURED, "hosts": hosts}, PLATFORM)


def fake(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def calibrate(folder: Path, launcher: str, mpicc: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    platform = folder / "two.json"
    platform.write_text(json.dumps(PLATFORM.as_json()))
    options = ["--platform", str(platform), "--mpicc", mpicc, "-o", str(folder / "p.json")]
    return called("calibrate", *options, "--", launcher, "-n", "2", env=env)


COMPILES = 'while [ "$1" != -o ]; do shift; done; printf "#!/bin/sh\\n" >"$2"; chmod +x "$2"'


def test_the_command_writes_parameters_and_shows_how_good_they_are(tmp_path: Path) -> None:
    launcher = fake(tmp_path, "mpirun", f"echo warning; echo '[1,0]<stdout>:{json.dumps(MEASURED)}'")
    done = calibrate(tmp_path, launcher, fake(tmp_path, "mpicc", COMPILES))
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "p.json").read_text())["gap_s"] == 12e-6
    assert "100000" not in done.stdout
    assert "10.1 ms" in done.stdout
    assert f"written to {tmp_path / 'p.json'}" in done.stdout


def test_what_fails_is_told_in_one_line(tmp_path: Path) -> None:
    compiler = fake(tmp_path, "mpicc", COMPILES)
    done = calibrate(tmp_path, fake(tmp_path, "mpirun", "echo no slots >&2; exit 3"), compiler)
    assert (done.returncode, done.stderr) == (1, f"starling: {tmp_path}/mpirun ended with exit status 3: no slots\n")
    done = calibrate(tmp_path, "mpirun", fake(tmp_path, "broken", "echo 'error: no mpi.h' >&2; exit 1"))
    assert done.returncode == 1
    assert done.stderr.startswith("starling: link_times.c cannot be compiled: error: no mpi.h")
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("no folder")
    done = calibrate(tmp_path, "mpirun", compiler)
    assert (done.returncode, done.stderr.endswith("; set XDG_CACHE_HOME to a folder of yours\n")) == (1, True)
    assert not (tmp_path / "p.json").exists()

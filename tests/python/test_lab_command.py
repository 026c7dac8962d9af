"""`starling lab` as people type it, as far as that needs neither root nor namespaces."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from starling.lab import state
from starling.lab.state import LabError
from support.command import called


def lab(*arguments: str, cwd: Path | None = None, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    if path is not None:
        env["PATH"] = str(path)
    return called("lab", *arguments, env=env, cwd=cwd)


@pytest.mark.parametrize("command", ["up", "down", "status", "run", "exec", "calibrate", "platform"])
def test_the_help_of_every_command_has_an_example(command: str) -> None:
    done = lab(command, "--help")
    assert done.returncode == 0
    assert f"Example: starling lab {command}" in done.stdout


def test_a_platform_is_written_out_and_the_output_is_a_platform_file(tmp_path: Path) -> None:
    done = lab("platform", "star:2x1", "--rate", "20mbit", "--ranks-per-host", "2")
    assert json.loads(done.stdout) == {
        "schema": 1,
        "name": "star:2x1",
        "switches": ["s0", "s1"],
        "hosts": [{"name": "h0", "ranks": 2}, {"name": "h1", "ranks": 2}],
        "links": [
            {"between": ["h0", "s0"], "rate": 20000000, "latency": 0.0},
            {"between": ["h1", "s1"], "rate": 20000000, "latency": 0.0},
            {"between": ["s0", "s1"], "rate": 20000000, "latency": 0.0},
        ],
    }
    path = tmp_path / "f.json"
    path.write_text(done.stdout)
    assert lab("platform", str(path)).stdout == done.stdout
    within = json.loads(lab("platform", str(path), "--memory-rate", "200mbit").stdout)["hosts"]
    assert within == [{"name": name, "ranks": 2, "memory_rate": 200_000_000} for name in ("h0", "h1")]
    # In a file, links between switches have rates of their own.
    trunks = [link["rate"] for link in json.loads(lab("platform", str(path), "--rate", "1gbit").stdout)["links"]]
    assert trunks == [10**9, 10**9, 20000000]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("up", "ring:4"), "ring:4: neither a file nor a short name"),
        (("up", "nodes"), "nodes: MPI tells them while a program runs"),
        (("up", "racks.json"), "racks.json: no such file"),
        (("up", "single:4", "--rate", "0mbit"), "--rate: 0 bit/s is no rate"),
        (("up", "single:4", "--trunk-rate", "fast"), "--trunk-rate: 'fast' is no rate"),
        (("up", "single:4", "--trunk-rate", "1gbit"), "--trunk-rate: single:4 has no links between switches"),
        (("up", "single:4", "--memory-rate", "fast"), "--memory-rate: 'fast' is no rate"),
        (("up", "single:4", "--packet", "7"), "--packet 7: give 0 for packets of the MTU, or 4000 to 65536"),
        (("up", "single:4", "--congestion", "luck"), "--congestion luck: not in this kernel; take one of: "),
        (("up", "single:257"), "single:257: 257 hosts; a lab has 256 at most"),
        (("up", "single:4", "--prefix", "My_Lab"), "--prefix My_Lab: give up to 15 small letters and digits"),
        (("down", "--prefix", "../x"), "--prefix ../x: give up to 15"),
        (("platform", "star:0x0"), "star:0x0: nothing in it"),
        (("race", "bcast:chain", "--", "true"), "bcast:chain: a way has all of its parameters in its name, as in"),
        (("race", "allreduce:ring?k=2", "--", "true"), "parameters in its name, as in allreduce:ring"),
        (("race", "allreduce:ring", "--plot", "r.png", "--", "true"), "--plot r.png: pictures are SVG; give a name"),
        (("race", "allreduce:ring", "--csv", "a/b", "--", "true"), "a/b: there is no folder "),
        (("exec", "h3", "--prefix", "newu", "--", "hostname"), "--prefix: options go before the host, and the command"),
    ],
)
def test_a_wrong_use_is_one_line_and_2(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = lab(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("starling: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("5",), "--ranks 5: the 4 hosts of single:4 take 4; give fewer"),
        (("5", "--", "app.c"), "--ranks 5: the 4 hosts of single:4 take 4; give fewer"),
        (("4", "--", "absent.c", "1"), "absent.c: no such file"),
        (("4", "--", "./absent"), "absent: No such file or directory; give a C or C++ source, or a program for SMPI"),
        (("4", "--", "app.c", "*"), "'*': SimGrid's smpirun cannot pass on such an argument"),
        (("4", "--strategy", "best", "--", "app.c"), "--strategy best: no such strategy"),
        (("4", "--", "./linked"), "smpirun: not found"),
        (("4", "--", "app.c"), "smpicc: not found"),
    ],
)
def test_a_simulation_is_checked_before_its_library_is_built(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    (tmp_path / "app.c").touch()
    (tmp_path / "linked").write_text("starling_is_active")
    done = lab("simulate", "--platform", "single:4", "--ranks", *arguments, cwd=tmp_path, path=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"starling: {says}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("status",), ("run", "--", "true"), ("exec", "h0", "--", "true")])
def test_without_a_lab_it_is_said_how_to_make_one(arguments: tuple[str, ...]) -> None:
    done = lab(arguments[0], "--prefix", "nosuchlab", *arguments[1:])
    assert done.returncode == 1
    assert done.stderr.startswith("starling: no lab nosuchlab")  # and which there are
    assert done.stderr.endswith("; make one: starling lab up --prefix nosuchlab single:4\n")


def test_a_missing_tool_is_told_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(state, "_SYSTEM_FOLDERS", ())
    with pytest.raises(LabError, match=r"ip and tc and nsenter missing; install: apt-get install iproute2 util-linux"):
        state.require("ip", "tc", "nsenter")


def test_who_is_not_root_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LabError, match="network namespaces need root; run it as root, or with sudo"):
        state.require("sh")

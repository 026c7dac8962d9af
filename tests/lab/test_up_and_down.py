"""Labs come up as asked, and nothing of them stays: also where a predecessor was interrupted at any point."""

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.labs import OURS, STARLING, lab, lab_up, machine
from starling.lab import namespaces

PREFIX = f"{OURS}d"
WITH = ("--prefix", PREFIX)


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Whatever a test does, `down` leaves the machine as it was."""
    before = machine()
    if any(PREFIX in name for names in before.values() for name in names):  # of a test that failed
        lab("down", *WITH)
        before = machine()
    yield
    lab("down", *WITH).check()
    assert machine() == before


@pytest.mark.links
@pytest.mark.parametrize("options", [(), ("--packet", "0", "--rate", "30mbit")], ids=["9000", "1500"])
def test_links_carry_what_was_asked(options: tuple[str, ...]) -> None:
    found = json.loads(lab_up(*WITH, "--json", "chain:2x2", "--trunk-rate", "20mbit", *options).stdout)
    host_rate, trunk_rate = 30e6 if options else 100e6, 20e6
    *pairs, slowest_of_all = [one["asked"] for one in found["measured"]]
    assert pairs == [host_rate, trunk_rate, trunk_rate]
    assert slowest_of_all in (host_rate, trunk_rate)  # whichever lacks most of what was asked
    for one in found["measured"]:
        # Another job on this machine may cost some; the limit itself must hold.
        assert 0.5 < one["rate"] / one["expected"] < 1.08, one
        assert one["ok"] == (0.92 <= one["rate"] / one["expected"] <= 1.08)
    assert all(one["latency"] > 0 for one in found["measured"][:3])


@pytest.mark.links
def test_memory_carries_what_was_asked() -> None:
    options = ("--ranks-per-host", "2", "--rate", "20mbit", "--memory-rate", "160mbit")
    found = json.loads(lab_up(*WITH, "--json", "single:2", *options).stdout)
    *_, alone, together = found["measured"]
    assert (alone["what"], alone["asked"]) == ("memory of h0", 160e6)
    assert (together["what"], together["asked"]) == ("memory of all 2 hosts at once, the slowest", 160e6)
    for one in (alone, together):
        assert 0.5 < one["rate"] / one["expected"] < 1.08, one
    assert "2 ranks, memory 160 Mbit/s" in lab("status", *WITH).check().stdout


def test_a_link_gets_another_rate_while_the_lab_is_up() -> None:
    lab_up(*WITH, "single:2", "--no-check", "--rate", "40mbit")
    limits = ("-json", "qdisc", "show", "dev")

    def rates() -> list[int]:
        shown = (
            subprocess.run(["tc", "-n", name, *limits, device], capture_output=True, text=True, check=True).stdout
            for name, device in ((f"{PREFIX}.switches", "p1"), (f"{PREFIX}-h1", "eth0"))
        )
        return [json.loads(text)[0]["options"]["rate"] * 8 for text in shown]

    assert rates() == [40_000_000] * 2
    assert lab("rate", *WITH, "h1", "4mbit").check().stdout == "h1: 4 Mbit/s both ways\n"
    assert rates() == [4_000_000] * 2
    assert "4 Mbit/s (made with 40)" in lab("status", *WITH).check().stdout
    lab("rate", *WITH, "h1").check()
    assert rates() == [40_000_000] * 2
    assert "no host h7" in lab("rate", *WITH, "h7", "4mbit").stderr
    assert "is no rate" in lab("rate", *WITH, "h1", "fast").stderr


def longest_frame(packet: str) -> int:
    """The longest frame that a port of the switch sees while a host sends 1 MB to another."""
    lab_up(*WITH, "single:2", "--no-check", "--packet", packet)
    with namespaces.inside(f"{PREFIX}.switches"), socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0300) as port:
        port.bind(("p0", 3))
        port.setblocking(False)
        with namespaces.inside(f"{PREFIX}-h1"):
            listener = socket.create_server(("10.77.0.2", 0))
        with namespaces.inside(f"{PREFIX}-h0"):
            client = socket.create_connection(listener.getsockname())
        server = listener.accept()[0]
        with listener, client, server:
            lengths: list[int] = []
            for _ in range(16):
                client.sendall(bytes(65536))
                left = 65536
                while left:
                    left -= len(server.recv(left))
                try:
                    while True:
                        lengths.append(port.recv_into(bytearray(1), 1, socket.MSG_TRUNC))
                except BlockingIOError:
                    pass
    return max(lengths)


def test_packets_are_of_the_mtu_or_of_the_larger_size_that_was_asked() -> None:
    assert longest_frame("0") == 1514
    lab("down", *WITH).check()
    assert 8000 < longest_frame("9000") <= 9200


def tools_that_kill(folder: Path, tool: str, call: int, sent: signal.Signals) -> dict[str, str]:
    """An environment whose `tool` sends a signal to its caller at that call, and then does its work."""
    path = folder / tool
    path.write_text(
        f'#!/bin/sh\necho call >>{folder}/calls\nif [ "$(wc -l <{folder}/calls)" = {call} ]; then\n'
        f"  kill -{sent.value} $PPID\n  sleep 0.3\nfi\n"
        f'PATH="${{PATH#*:}}"\nexec {tool} "$@"\n'
    )
    path.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


CRASHES = [("ip", 1), ("ip", 3), ("tc", 1), ("unshare", 1), ("unshare", 3), ("tc", 5)]


@pytest.mark.parametrize(("tool", "call"), CRASHES)
def test_an_up_that_was_killed_is_cleared_away_by_the_next(tool: str, call: int, tmp_path: Path) -> None:
    killed = lab("up", *WITH, "single:4", env=tools_that_kill(tmp_path, tool, call, signal.SIGKILL))
    assert killed.status == -signal.SIGKILL
    assert lab("status", *WITH).status == 1
    again = lab_up(*WITH, "star:2x1", "--no-check")
    assert f"removing what an interrupted `starling lab up` left of {PREFIX} (single:4)" in again.stderr
    assert len(json.loads(lab("status", *WITH, "--json").check().stdout)["platform"]["hosts"]) == 2


@pytest.mark.parametrize(("tool", "call"), CRASHES)
def test_an_up_that_was_killed_leaves_nothing_after_down(tool: str, call: int, tmp_path: Path) -> None:
    before = machine()
    lab("up", *WITH, "single:4", env=tools_that_kill(tmp_path, tool, call, signal.SIGKILL))
    assert machine() != before
    lab("down", *WITH).check()
    assert machine() == before


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_up_that_gets_a_signal_takes_back_what_it_did(sent: signal.Signals, tmp_path: Path) -> None:
    before = machine()
    told = lab("up", *WITH, "single:4", env=tools_that_kill(tmp_path, "tc", 3, sent))
    assert told.status == 128 + sent
    assert told.stderr == f"starling: interrupted; nothing is left of lab {PREFIX}\n"
    assert machine() == before


def test_a_command_that_fails_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    before = machine()
    tc = tmp_path / "tc"
    tc.write_text("#!/bin/sh\necho 'Error: Specified qdisc kind is unknown.' >&2\nexit 2\n")
    tc.chmod(0o755)
    failed = lab("up", *WITH, "single:2", env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert failed.status == 1
    assert failed.stderr == (
        "starling: limiting the rates of the switches: Error: Specified qdisc kind is unknown.; "
        "the kernel lacks something: modprobe -a bridge veth sch_tbf\n"
    )
    assert machine() == before


def test_a_lab_that_is_up_is_not_made_again() -> None:
    lab_up(*WITH, "single:2", "--no-check")
    again = lab("up", *WITH, "single:4")
    assert again.status == 1
    assert f"lab {PREFIX} (single:2) is up already; first: starling lab down --prefix {PREFIX}" in again.stderr


def test_processes_on_a_lab_keep_it_from_being_replaced_and_end_with_it() -> None:
    lab_up(*WITH, "single:2", "--no-check")
    line = [
        *STARLING,
        "lab",
        "exec",
        *WITH,
        "h1",
        "--",
        "sh",
        "-c",
        "trap '' TERM; echo ready; while :; do sleep 1; done",
    ]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == b"ready\n"
        again = lab("up", *WITH, "single:4")
        assert again.status == 1
        assert f"lab {PREFIX} (single:2) runs " in again.stderr
        assert "sh (" in again.stderr
        running = json.loads(lab("status", *WITH, "--json").check().stdout)["processes"]
        assert "sh" in running["h1"].values()
        down = lab("down", *WITH).check()
        assert "3 namespaces removed" in down.stdout
        assert "ended" in down.stdout
        assert job.wait(20) != 0


def test_a_damaged_lab_is_told_and_can_be_taken_down() -> None:
    lab_up(*WITH, "single:2", "--no-check")
    subprocess.run(["ip", "netns", "delete", f"{PREFIX}-h1"], check=True)
    assert f"damaged: {PREFIX}-h1 gone" in lab("status", *WITH).check().stdout
    refused = lab("run", *WITH, "--", "true")
    assert refused.status == 1
    assert f"is damaged, {PREFIX}-h1 is gone; first: starling lab down --prefix {PREFIX}" in refused.stderr


def test_what_is_not_of_a_lab_is_left_alone_whatever_its_name() -> None:
    subprocess.run(["ip", "netns", "add", f"{PREFIX}-h0"], check=True)
    try:
        refused = lab("up", *WITH, "single:2")
        assert refused.status == 1
        assert f"a network namespace {PREFIX}-h0 is there that is not of this lab; choose another" in refused.stderr
        assert "nothing to take down" in lab("down", *WITH).stdout
        assert f"{PREFIX}-h0" in machine()["namespaces"]
    finally:
        subprocess.run(["ip", "netns", "delete", f"{PREFIX}-h0"], check=True)


def test_files_that_a_reboot_leaves_are_removed() -> None:
    before = machine()
    for folder in (f"{PREFIX}-h0", f"{PREFIX}-mine"):
        Path("/etc/netns", folder).mkdir(parents=True)
    Path("/etc/netns", f"{PREFIX}-h0", "hosts").write_text(f"# starling lab {PREFIX}\n127.0.0.1 localhost\n")
    other = Path("/etc/netns", f"{PREFIX}-mine", "hosts")
    other.write_text("127.0.0.1 localhost\n")
    try:
        lab("down", *WITH).check()
        assert machine()["/etc/netns"] - before["/etc/netns"] == {str(other.parent), str(other)}
    finally:
        other.unlink()
        other.parent.rmdir()
        with contextlib.suppress(OSError):
            Path("/etc/netns").rmdir()  # unless another lab has something in it


def test_two_labs_at_a_time_do_not_see_each_other() -> None:
    lab_up(*WITH, "single:2", "--no-check")
    try:
        lab_up("--prefix", f"{OURS}o", "single:3", "--no-check")
        assert lab("exec", *WITH, "h0", "--", "getent", "hosts", "h2").status != 0
        assert lab("exec", "--prefix", f"{OURS}o", "h0", "--", "getent", "hosts", "h2").status == 0
    finally:
        lab("down", "--prefix", f"{OURS}o").check()
    assert lab("exec", *WITH, "h0", "--", "true").status == 0

"""What `starling lab up` would write and run, computed without doing it."""

import re
from pathlib import Path

import pytest

from starling.lab.plan import Options, Plan, plan
from starling.networks.platform_file import from_json, short

FOLDER = Path("/run/starling-lab/mine")


def made(topology: str, options: Options | None = None) -> Plan:
    return plan(short(topology), options or Options(), "mine", FOLDER)


def lines(todo: Plan, *words: str) -> list[str]:
    """The lines of all commands that contain these words, each after its namespace."""
    found = [f"{' '.join(step.argv)}: {line}" for step in todo.steps for line in step.text.splitlines()]
    return [line for line in found if all(word in line for word in words)]


def test_nothing_is_made_in_the_machines_own_network() -> None:
    for step in made("star:3x2").steps:
        inside = {("ip", "-n"), ("tc", "-n"), ("ip", "netns"), ("unshare", f"--uts={step.argv[1][6:]}")}
        assert step.argv[:2] in inside or step.argv == ("ip", "-batch", "-")
        if step.argv == ("ip", "-batch", "-"):
            assert all(line.startswith("netns add mine") for line in step.text.splitlines())


def test_everything_carries_the_prefix() -> None:
    todo = made("tree:2x2")
    assert todo.namespaces == ("mine.switches", "mine-h0", "mine-h1", "mine-h2", "mine-h3")
    for path in todo.files:
        assert path.is_relative_to(FOLDER) or re.fullmatch(r"/etc/netns/mine-h\d/hosts", str(path))
    for step in todo.steps:
        for word in step.argv:
            if word.startswith(("mine", "--")):
                assert word.removeprefix("--uts=").removeprefix("--ipc=").startswith(("mine", str(FOLDER)))


def test_both_ends_of_every_cable_are_limited_to_its_rate() -> None:
    file = short("chain:2x2").as_json()
    for link, rate in zip(file["links"], ("10mbit", "20mbit", "30mbit", "40mbit", "5mbit"), strict=True):
        link["rate"] = rate
    todo = plan(from_json(file, "f"), Options(), "mine", FOLDER)
    rates = {}
    for line in lines(todo, "tbf"):
        match = re.search(r"tc -n (\S+) .* dev (\S+) .* rate (\d+)bit", line)
        assert match
        rates[match[1], match[2]] = int(match[3]) // 1_000_000
    hosts = {(f"mine-h{i}", "eth0"): 10 * (i + 1) for i in range(4)}
    ports = {("mine.switches", f"p{i}"): 10 * (i + 1) for i in range(4)}
    assert rates == {**hosts, **ports, ("mine.switches", "t0a"): 5, ("mine.switches", "t0b"): 5}


def test_memory_with_a_rate_is_a_link_of_that_rate_to_oneself() -> None:
    file = short("single:2").as_json()
    file["hosts"][1]["memory_rate"] = "400mbit"
    todo = plan(from_json(file, "f"), Options(), "mine", FOLDER)
    (limit,) = lines(todo, "dev lo ")
    assert limit.startswith("tc -n mine-h1 ")
    assert "tbf rate 400000000bit" in limit
    assert lines(todo, "link set lo", "mine-h") == [
        "ip -n mine-h0 -batch -: link set lo up",
        "ip -n mine-h1 -batch -: link set lo mtu 1500 gso_max_size 9000 up",
    ]


def test_the_limit_holds_from_the_first_packet_on() -> None:
    for options, packet in ((Options(), 9200), (Options(packet=0), 1600), (Options(mtu=9000, packet=0), 9100)):
        for line in lines(made("single:2", options), "tbf"):
            assert "rate 100000000bit" in line
            assert f"peakrate 120000000bit mtu {packet}" in line


def test_hosts_hang_on_their_own_switches_and_trunks_on_both() -> None:
    todo = made("star:3x2")
    masters = dict(re.findall(r"link set (\w+) master (\w+) up", "\n".join(lines(todo, "master"))))
    ports = {f"p{i}": f"br{i // 2}" for i in range(6)}
    assert masters == {**ports, "t0a": "br0", "t0b": "br1", "t1a": "br0", "t1b": "br2"}


def test_packets_are_of_the_asked_size() -> None:
    assert all("gso_max_size 9000" in line for line in lines(made("single:3"), "link set eth0"))
    small = made("single:3", Options(mtu=1400, packet=0))
    assert all("gso_max_segs 1 " in line for line in lines(small, "link set eth0"))
    assert len(lines(small, "peer name eth0 mtu 1400")) == 3


def test_congestion_control_is_set_on_the_route_of_every_host() -> None:
    assert len(lines(made("single:3", Options(congestion="reno")), "route add", "congctl reno")) == 3


def test_every_host_knows_the_names_and_hardware_addresses_of_all_others() -> None:
    todo = made("single:3")
    given = dict(re.findall(r"address (\S+) netns mine-(h\d)", "\n".join(lines(todo, "veth"))))
    assert len(given) == 3
    neighbours = lines(todo, "neigh")
    assert len(neighbours) == 6
    for hardware, name in given.items():
        index = int(name[1:])
        to_it = [line for line in neighbours if hardware in line]
        assert len(to_it) == 2
        assert all(f"10.77.0.{index + 1} " in line and f"-n mine-{name} " not in line for line in to_it)
    text = todo.files[Path("/etc/netns/mine-h0/hosts")]
    assert text.splitlines() == [
        "# starling lab mine",
        "127.0.0.1 localhost",
        "10.77.0.1 h0",
        "10.77.0.2 h1",
        "10.77.0.3 h2",
    ]


def test_more_hosts_than_an_address_byte_have_addresses_of_their_own() -> None:
    text = made("single:256").files[Path("/etc/netns/mine-h0/hosts")]
    addresses = re.findall(r"10\.77\.\d+\.\d+", text)
    assert len(set(addresses)) == 256
    assert not {number for one in addresses for number in one.split(".")[3:]} & {"0", "255"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (Options(mtu=100), "--mtu 100: give 576 to 9000 bytes, like 1500"),
        (Options(packet=1500), "--packet 1500: give 0 for packets of the MTU, or 4000 to 65536, like 9000"),
        (Options(mtu=9000, packet=8000), "--packet 8000: give 0 for packets of the MTU, or 9000 to 65536"),
        (Options(congestion="cubic; reboot"), "--congestion cubic; reboot: give the name of one, like cubic"),
        (Options(), None),
        (Options(packet=0), None),
    ],
)
def test_invalid_options_are_reported(options: Options, says: str | None) -> None:
    problem = options.problem()
    assert problem is says if says is None else problem is not None and problem.startswith(says)

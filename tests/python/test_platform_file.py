"""Platform files and short names: what they describe, and the errors for those that cannot be used."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.networks.platform_file import (
    Platform,
    PlatformError,
    adjusted,
    bits_per_second,
    from_json,
    names,
    platform,
    rate_text,
    seconds,
    short,
)

File = dict[str, Any]


def two_switches() -> File:
    """The smallest file with everything in it."""
    return {
        "schema": 1,
        "name": "two racks",
        "switches": ["left", "right"],
        "hosts": ["a[0-1]", {"name": "b[0-1]", "ranks": 2}],
        "links": [
            {"between": ["a[0-1]", "left"], "rate": "100mbit", "latency": "25us"},
            {"between": ["right", "b[0-1]"], "rate": 50_000_000},
            {"between": ["left", "right"], "rate": "1gbit"},
        ],
    }


def test_a_file_describes_hosts_ranks_switches_rates_and_latencies() -> None:
    found = from_json(two_switches(), "f.json")
    assert found.name == "two racks"
    assert [(host.name, host.ranks) for host in found.hosts] == [("a0", 1), ("a1", 1), ("b0", 2), ("b1", 2)]
    assert [found.switch_of(name) for name in found.host_names] == ["left", "left", "right", "right"]
    path = found.path("a1", "b0")
    assert [link.ends for link in path] == [("a1", "left"), ("left", "right"), ("right", "b0")]
    assert [link.rate for link in path] == [100_000_000, 1_000_000_000, 50_000_000]
    assert [link.latency for link in path] == [25e-6, 0, 0]
    assert [link.ends for link in found.trunks] == [("left", "right")]


def test_a_file_may_describe_domains_of_hosts() -> None:
    described = {**two_switches(), "hosts": [{"name": "a[0-1]", "domains": 2}, {"name": "b[0-1]", "ranks": 2}]}
    found = from_json(described, "f.json")
    assert [host.domains for host in found.hosts] == [2, 2, None, None]
    assert from_json(json.loads(json.dumps(found.as_json())), "again.json") == found
    with pytest.raises(PlatformError, match=r"hosts\[0\].*domains: input should be greater than or equal to 1"):
        from_json({**described, "hosts": [{"name": "a0", "domains": 0}]}, "f.json")


def test_what_is_printed_is_a_file_of_the_same_platform() -> None:
    for one in (from_json(two_switches(), "f.json"), *map(short, ("single:3", "chain:3x2", "star:4x2", "tree:4x8"))):
        assert from_json(json.loads(json.dumps(one.as_json())), "again.json") == one


@pytest.mark.parametrize(
    ("text", "hosts", "switches", "trunks"),
    [
        ("single:16", 16, 1, []),
        ("chain:4x8", 32, 4, [("s0", "s1"), ("s1", "s2"), ("s2", "s3")]),
        ("star:4x8", 32, 4, [("s0", "s1"), ("s0", "s2"), ("s0", "s3")]),
        ("tree:2x8", 16, 3, [("core", "s0"), ("core", "s1")]),
    ],
)
def test_short_names(text: str, hosts: int, switches: int, trunks: list[tuple[str, str]]) -> None:
    found = platform(text)
    assert (len(found.hosts), len(found.switches)) == (hosts, switches)
    assert [link.ends for link in found.trunks] == trunks
    assert found.switch_of(f"h{hosts - 1}") == f"s{hosts // 8 - 1 if trunks else 0}"


def test_links_of_a_fat_tree_carry_what_is_below_them() -> None:
    found = platform("fattree:2x4x8")
    assert (len(found.hosts), len(found.switches)) == (64, 2 * 4 + 2 + 1)
    rates = {link.ends: link.rate for link in found.trunks}
    assert rates["s0", "s1-0"] == 8 * 10**8
    assert rates["s1-1", "core"] == 4 * 8 * 10**8
    assert found.switch_of("h63") == "s7"
    tapered = short("fattree:2x4x8:4", 10**9)
    assert {link.ends: link.rate for link in tapered.trunks}["s1-1", "core"] == 2 * 10**9
    assert from_json(tapered.as_json(), "printed").links == tapered.links


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ring:4", "ring:4: neither a file nor a short name; short names are single:HOSTS"),
        ("star:4", "neither a file nor a short name"),
        ("single:0", "single:0: nothing in it; give numbers from 1, like single:8"),
        ("tree:4x0", "nothing in it"),
        ("fattree:4x0x2", "nothing in it"),
        ("fattree:4x4:0", "nothing in it"),
        ("fattree:1000x1000", "more than 65536 hosts"),
        ("single:99999999", "more than 65536 hosts"),
    ],
)
def test_invalid_short_names(text: str, says: str) -> None:
    with pytest.raises(PlatformError) as caught:
        platform(text)
    assert says in str(caught.value)


def edited(edit: Callable[[File], object]) -> File:
    file = two_switches()
    edit(file)
    return file


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda f: f["hosts"].append("a1"), "hosts[2]: a1 is there twice, first in hosts[0]; rename one"),
        (lambda f: f["switches"].append("b1"), "hosts[1]: b1 is there twice, first in switches[2]; rename one"),
        (
            lambda f: f["links"][0].update(between=["a[0-2]", "left"]),
            "links[0]: no host or switch a2; add it, or correct the name",
        ),
        (
            lambda f: f["links"].append({"between": ["right", "left"], "rate": "1gbit"}),
            "links[3]: right and left are linked directly already, so this is no tree; leave one link out",
        ),
        (
            lambda f: f["links"].append({"between": ["right", "a0"], "rate": "1gbit"}),
            "links[3]: a0 is linked to left already; a host has one link",
        ),
        (lambda f: f["links"].pop(), "links: nothing connects b0 to left; add a link"),
        (lambda f: f["hosts"].append("c"), "links: nothing connects c to left; add a link"),
        (lambda f: f["switches"].append("c"), "links: nothing connects c to left; add a link"),
        (
            lambda f: f["links"][0].update(between=["a0", "a1"]),
            "links[0]: a0 and a1 are both hosts; put a switch between them",
        ),
        (lambda f: f["links"][2].update(between=["left", "left"]), "links[2]: left is linked to itself"),
        (
            lambda f: f["links"][0].update(between=["a[0-1]", "b[0-1]"]),
            "links[0]: a range at both ends; write one link for each node of one end",
        ),
        (lambda f: f["links"][2].update(rate=0), "links[2].rate: 0 bit/s is no rate; give one from"),
        (lambda f: f["links"][2].update(rate="-3mbit"), "links[2].rate: '-3mbit' is no rate; write it like 100mbit"),
        (lambda f: f["links"][2].update(rate="fast"), "links[2].rate: 'fast' is no rate"),
        (lambda f: f["links"][2].update(rate=float("nan")), "links[2].rate: nan bit/s is no rate"),
        (lambda f: f["links"][2].update(rate=True), "links[2].rate: True is no rate"),
        (lambda f: f["links"][2].pop("rate"), "links[2].rate: missing; add it"),
        (lambda f: f["links"][0].update(latency="2min"), "links[0].latency: '2min' is no latency; write it like 25us"),
        (lambda f: f["links"][0].update(between=["left"]), "links[0].between: "),
        (lambda f: f["hosts"].append({"name": "c", "ranks": 0}), "hosts[2].ranks: "),
        (
            lambda f: f["hosts"].append({"name": "c", "memory_rate": 7}),
            "hosts[2].memory_rate: 7 bit/s is no rate; give",
        ),
        (lambda f: f["hosts"].append("C 3"), "hosts[2]: 'C 3' is no name; use small letters"),
        (lambda f: f["hosts"].append("localhost"), "hosts[2]: 'localhost' is no name"),
        (lambda f: f["hosts"].append("c[3-1]"), "hosts[2]: 'c[3-1]': '3-1' is no range; write it like h[0-7]"),
        (lambda f: f["hosts"].append("c[0-999999999]"), "hosts[2]: 'c[0-999999999]': more than 65536 names"),
        (lambda f: f.update(hosts=[]), "hosts: empty; add at least one"),
        (lambda f: f.pop("switches"), "switches: missing; add it"),
        (
            lambda f: f.update(swiches=f.pop("switches"), speed=3),
            "f.json: switches: missing; add it, or correct the unknown key swiches",
        ),
        (lambda f: f["hosts"].append([]), "hosts[2]: must be a JSON object, but it is []; correct it"),
        (lambda f: f.update(speed=3), "speed: unknown key; remove it, or correct its name"),
        (lambda f: f.update(schema=2), "schema: "),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_place_and_advice(edit: Callable[[File], object], says: str) -> None:
    with pytest.raises(PlatformError) as caught:
        from_json(edited(edit), "f.json")
    text = str(caught.value)
    assert text.startswith("f.json: ")
    assert says in text
    assert "\n" not in text


def test_a_file_that_is_no_object_is_told() -> None:
    with pytest.raises(PlatformError, match=r"^f\.json: the file: must be a JSON object, but it is \[\]; correct it$"):
        from_json([], "f.json")


def test_a_circle_of_switches_is_no_tree_and_its_switches_are_named() -> None:
    file = short("chain:4x1").as_json()
    file["links"].append({"between": ["s3", "s0"], "rate": "1gbit"})
    with pytest.raises(PlatformError, match=r"links\[7\]: s3 and s0 are linked through s2, s1 already"):
        from_json(file, "f.json")


def test_a_file_that_is_no_json_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('{"switches": ["s0"],\n "hosts": [}')
    with pytest.raises(PlatformError, match=rf"{path}:2: not JSON: "):
        platform(str(path))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(PlatformError, match="cannot be read: not UTF-8"):
        platform(str(path))
    with pytest.raises(PlatformError, match="cannot be read: Is a directory"):
        platform(str(tmp_path))


def test_the_memory_of_a_host_may_have_a_rate() -> None:
    described = {**two_switches(), "hosts": [{"name": "a[0-1]", "memory_rate": "400mbit"}, "b[0-1]"]}
    found = from_json(described, "f.json")
    assert [host.memory_rate for host in found.hosts] == [400_000_000, 400_000_000, None, None]
    assert from_json(json.loads(json.dumps(found.as_json())), "again.json") == found
    assert {host.memory_rate for host in adjusted(found, memory_rate=10**9).hosts} == {10**9}
    assert adjusted(found) == found


def test_rates_of_hosts_and_trunks_and_ranks_can_be_changed() -> None:
    found = adjusted(short("star:2x2"), host_rate=20_000_000, trunk_rate=10_000_000, ranks=3)
    assert {link.rate for link in found.links} - {link.rate for link in found.trunks} == {20_000_000}
    assert [link.rate for link in found.trunks] == [10_000_000]
    assert {host.ranks for host in found.hosts} == {3}
    assert adjusted(found) == found


@pytest.mark.parametrize(
    ("text", "bits"),
    [("100mbit", 100_000_000), ("2.5gbit", 2_500_000_000), ("64 kbit/s", 64_000), (20_000, 20_000), ("1Tbit", 10**12)],
)
def test_rates(text: object, bits: int) -> None:
    assert bits_per_second(text) == bits


@pytest.mark.parametrize("text", ["100", "100bps", "", "1e3mbit", "9999tbit", None, [], float("inf")])
def test_invalid_rates(text: object) -> None:
    with pytest.raises(ValueError, match="rate"):
        bits_per_second(text)


def test_latencies_and_rates_for_people() -> None:
    assert [seconds(text) for text in ("300ns", "25us", "1ms", 0.5, 0)] == pytest.approx([3e-7, 25e-6, 1e-3, 0.5, 0])
    assert [rate_text(bits) for bits in (20_000, 95.6e6, 1e9, 2e12)] == [
        "20 kbit/s",
        "95.6 Mbit/s",
        "1 Gbit/s",
        "2 Tbit/s",
    ]


def test_ranges_of_names() -> None:
    assert names("h[08-11,3]") == ["h08", "h09", "h10", "h11", "h3"]
    assert names("rack1-h[2]") == ["rack1-h2"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["switches", "hosts", "links", "between", "rate", "name"]), inner)
        ),
    )
)
def test_no_json_at_all_makes_anything_but_a_platform_or_one_line(value: object) -> None:
    try:
        assert isinstance(from_json(value, "f.json"), Platform)
    except PlatformError as error:
        assert "\n" not in str(error).replace(repr(value), "")


@st.composite
def random_platform(draw: st.DrawFn) -> Platform:
    """A random tree of switches with hosts at random places."""
    switches = draw(st.integers(1, 8))
    hosts = draw(st.lists(st.integers(0, switches - 1), min_size=1, max_size=20))
    links = [{"between": [f"s{i}", f"s{draw(st.integers(0, i - 1))}"], "rate": "1gbit"} for i in range(1, switches)]
    links += [{"between": [f"h{i}", f"s{switch}"], "rate": "1gbit"} for i, switch in enumerate(hosts)]
    file = {
        "switches": [f"s{i}" for i in range(switches)],
        "hosts": [f"h{i}" for i in range(len(hosts))],
        "links": draw(st.permutations(links)),
    }
    return from_json(file, "f.json")


@given(random_platform())
def test_steps_around_the_ring_of_hosts_use_no_direction_of_a_link_twice(found: Platform) -> None:
    ring = found.ring()
    assert sorted(ring) == sorted(found.host_names)
    used: list[tuple[str, str]] = []
    for start, end in zip(ring, [*ring[1:], ring[0]], strict=True):
        node = start
        for link in found.path(start, end):
            used.append((node, link.other(node)))
            node = link.other(node)
        assert node == end
    assert len(used) == len(set(used))

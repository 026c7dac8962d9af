"""Platforms in SimGrid's format: all hosts and links, routes that climb the tree, and hosts of ranks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

from starling.installation import build
from starling.lab import simgrid, simulation, simulator
from starling.lab.state import LabError
from starling.networks.platform_file import adjusted, short


@pytest.mark.parametrize(
    ("name", "centre", "depth"),
    [("single:4", "s0", 1), ("star:4x2", "s0", 2), ("chain:5x1", "s2", 3), ("tree:2x2", "core", 2)],
)
def test_zones_nest_from_the_centre(name: str, centre: str, depth: int) -> None:
    platform = short(name)
    assert simgrid.centre(platform) == centre

    def nested(element: ElementTree.Element) -> int:
        return max(
            (nested(zone) + (zone.get("id", "").startswith("below")) for zone in element.findall("zone")), default=0
        )

    root = ElementTree.fromstring(simgrid.platform_xml(platform))
    assert nested(root) == depth - 1
    assert {host.get("id") for host in root.iter("host")} == set(platform.host_names)
    assert len(list(root.iter("link"))) == len(platform.links)
    assert len(list(root.iter("zoneRoute"))) == len(platform.trunks)


def test_links_keep_their_rates_and_latencies() -> None:
    platform = adjusted(short("fattree:2x4:2", 10**9), latency=3e-6)
    root = ElementTree.fromstring(simgrid.platform_xml(platform))
    links = {link.get("id"): link for link in root.iter("link")}
    assert links["link.h5"].get("bandwidth") == "125000000.0Bps"
    assert links["trunk.s1"].get("bandwidth") == "250000000.0Bps"
    assert {link.get("latency") for link in links.values()} == {"3e-06s"}
    assert {link.get("sharing_policy") for link in links.values()} == {"SPLITDUPLEX"}


def test_a_memory_with_a_rate_is_a_route_from_its_host_to_itself() -> None:
    platform = adjusted(short("star:2x1"), ranks=2, memory_rate=8 * 10**10)
    root = ElementTree.fromstring(simgrid.platform_xml(platform, shared=True))
    routes = {route.get("src"): route for route in root.iter("route") if route.get("src") == route.get("dst")}
    assert set(routes) == {"h0", "h1"}
    links = {link.get("id"): link for link in root.iter("link")}
    of_one = [links[part.get("id")] for part in routes["h1"]]
    assert [link.get("sharing_policy") for link in of_one] == ["FATPIPE", "SHARED"]
    assert [link.get("bandwidth") for link in of_one] == ["5000000000.0Bps", "10500000000.0Bps"]
    without = ElementTree.fromstring(simgrid.platform_xml(adjusted(short("star:2x1"), ranks=2), shared=True))
    assert all(route.get("src") != route.get("dst") for route in without.iter("route"))


def test_ranks_fill_the_hosts() -> None:
    hosts = adjusted(short("single:3"), ranks=2).hosts
    assert simgrid.host_file(hosts, 5) == "h0\nh0\nh1\nh1\nh2\n"


@pytest.mark.parametrize(("text", "number"), [("8", 8), ("64K", 65536), ("64KiB", 65536), ("1 MiB", 1 << 20), ("0", 0)])
def test_sizes(text: str, number: int) -> None:
    assert simulation.size(text) == number


@pytest.mark.parametrize("text", ["", "-4", "7", "big", "1.5M"])
def test_invalid_sizes(text: str) -> None:
    with pytest.raises(LabError, match="no such size"):
        simulation.size(text)


def test_other_sources_make_another_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smpicc = tmp_path / "smpicc"
    smpicc.write_text("#!/bin/sh\necho SimGrid version 3.32\n")
    smpicc.chmod(0o755)
    sources = tmp_path / "sources"
    (sources / "src").mkdir(parents=True)
    for name in ("CMakeLists.txt", "VERSION", "src/one.cpp"):
        (sources / name).write_text(name)
    monkeypatch.setattr(build, "sources", lambda: sources)
    first = simulator._digest(str(smpicc))
    assert simulator._digest(str(smpicc)) == first
    (sources / "src/one.cpp").write_text("changed")
    second = simulator._digest(str(smpicc))
    smpicc.write_text("#!/bin/sh\necho SimGrid version 3.36\n")
    assert len({first, second, simulator._digest(str(smpicc))}) == 3


def test_the_first_simulation_tells_how_its_library_would_have_been_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def built(_: str, __: Callable[[str], None]) -> Iterator[list[Path]]:
        (tmp_path / simulator.ARCHIVE).write_text("library")
        yield [tmp_path / simulator.ARCHIVE]

    monkeypatch.setattr(simulator, "package_folders", lambda name: [tmp_path / "package" / name])
    monkeypatch.setattr(simulator, "tool", str)
    monkeypatch.setattr(simulator, "_digest", lambda _: "digest")
    monkeypatch.setattr(build, "compiled", built)
    told: list[str] = []
    for _ in range(2):
        kept = simulator.archive({"XDG_CACHE_HOME": str(tmp_path)}, told.append)
        assert kept.read_text() == "library"
    assert len(told) == 1, "once only"
    assert "to install it: pip install -C cmake.define.STARLING_SIMULATOR=ON ." in told[0]


def test_many_ranks_do_not_use_the_selectors_bcast_and_a_caller_overrides_settings() -> None:
    assert "smpi/bcast" not in simulator.model(128)
    assert simulator.model(129)["smpi/bcast"] == "binomial_tree"
    assert simulator.model(1024, {"smpi/bcast": "flattree"})["smpi/bcast"] == "flattree"

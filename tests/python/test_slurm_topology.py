"""Slurm's topology.conf as a platform."""

from pathlib import Path

import pytest

from starling.networks import slurm_topology
from starling.networks.platform_file import DEFAULT_RATE, PlatformError, described

SAMPLE = """\
# two leaves below a core
SwitchName=leaf0 Nodes=Node[00-02],login   # LinkSpeed is long gone
switchname=leaf1 \\
    nodes=Node[03-04]

SwitchName=core Switches=leaf[0-1]
"""


def written(folder: Path, text: str) -> str:
    """The path of a topology.conf with that text."""
    path = folder / "topology.conf"
    path.write_text(text)
    return str(path)


def test_switches_hosts_and_links_are_read(tmp_path: Path) -> None:
    platform = described(written(tmp_path, SAMPLE), trunk_rate="1gbit")
    assert platform.switches == ("leaf0", "leaf1", "core")
    assert platform.host_names == ("Node00", "Node01", "Node02", "login", "Node03", "Node04")
    assert platform.switch_of("Node03") == "leaf1"
    assert [link.rate for link in platform.path("Node00", "Node04")] == [DEFAULT_RATE, 10**9, 10**9, DEFAULT_RATE]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("SwitchName=s Nodes=n[0-", ":1: 'n[0-' is no list of names"),
        ("SwitchName=s Nodes=n[3-1]", ":1: 'n[3-1]': '3-1' is no range"),
        ("SwitchName=s[0-1] Nodes=n1", ":1: s[0-1] is 2 switches; write a line for each"),
        ("SwitchName=s Nodes=n1\nNodes=n2", ":2: no SwitchName; add it"),
        ("SwitchName=s Nodes=n1\nsomething else", ":2: 'something else' is no entry"),
        ("SwitchName=s Nodes=n1\nSwitchName=t Nodes=n1", ":2: n1 is there twice"),
        ("SwitchName=s Nodes=n1\nSwitchName=t Switches=u", "line 2: no host or switch u"),
        ("SwitchName=s Nodes=n1\nSwitchName=t Nodes=n2", "nothing connects n2 to s"),
        ("SwitchName=s Switches=t\nSwitchName=t Switches=s", "no switch has Nodes="),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(PlatformError) as caught:
        described(written(tmp_path, text))
    assert why in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "topology.conf"))


def test_json_is_none() -> None:
    assert not slurm_topology.is_one('{"switches": ["s"]}')

"""The rates of links that a lab keeps and `starling lab status` shows."""

import json
from pathlib import Path

import pytest

from starling.lab import cluster, namespaces, state, status
from starling.networks.platform_file import adjusted, short

PREFIX = "x"
Done = list[str]


@pytest.fixture
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Done:
    """A lab `single:2` that is up, made by a version that kept no rates; returns the commands run on it."""
    commands: Done = []
    monkeypatch.setattr(state, "ROOT", tmp_path)
    for module in (cluster, status):
        monkeypatch.setattr(module, "require", lambda *_: None)
    monkeypatch.setattr(cluster, "_run", lambda step, _: commands.append(step.text))
    monkeypatch.setattr(status, "_dropped", lambda _: 0)
    monkeypatch.setattr(namespaces, "processes", lambda _: {})
    monkeypatch.setattr(namespaces, "existing", lambda names: names)
    written = {
        "schema": 1,
        "prefix": PREFIX,
        "stage": "up",
        "namespaces": ["x.switches", "x-h0", "x-h1"],
        "platform": short("single:2").as_json(),
        "mtu": 1500,
        "packet": 9000,
        "congestion": "cubic",
    }
    (tmp_path / PREFIX).mkdir()
    (tmp_path / PREFIX / "state.json").write_text(json.dumps(written))
    return commands


def shown() -> list[str]:
    """The status line of each host."""
    return [line.strip() for line in status.text(status.examine(PREFIX)).splitlines()[1:-1]]


def test_status_shows_the_rate_that_was_set_and_the_one_the_link_was_made_with(done: Done) -> None:
    before = shown()
    assert [" ".join(line.split()) for line in before] == [
        "h0 10.77.0.1 on s0 100 Mbit/s 1 rank",
        "h1 10.77.0.2 on s0 100 Mbit/s 1 rank",
    ]
    assert cluster.set_rate(PREFIX, "h1", 10**7) == 10**7
    assert all("rate 10000000bit" in text for text in done)
    assert "10 Mbit/s (made with 100) 1 rank" in " ".join(shown()[1].split())
    assert shown()[0] == before[0]
    found = status.as_json(status.examine(PREFIX))
    assert found["rates"] == {"h1": 10**7}
    assert found["platform"] == short("single:2").as_json(), "programs are told what the lab was made with"


def test_the_original_rate_of_a_link_is_shown_once(done: Done) -> None:
    before = shown()
    changes: list[tuple[str, int | None]] = [("h0", 10**9), ("h1", 10**4), ("h0", 10**8), ("h1", None)]
    for host, rate in changes:
        cluster.set_rate(PREFIX, host, rate)
    assert len(done) == 8
    assert shown() == before
    assert status.as_json(status.examine(PREFIX))["rates"] == {}


def test_rates_of_two_hosts_are_kept_each_in_its_unit(done: Done) -> None:
    cluster.set_rate(PREFIX, "h0", 10**9)
    cluster.set_rate(PREFIX, "h1", 10**4)
    assert len(done) == 4
    assert "1 Gbit/s (made with 100 Mbit/s)" in shown()[0]
    assert "10 kbit/s (made with 100 Mbit/s)" in shown()[1]


def test_status_shows_the_rate_of_memory(done: Done, tmp_path: Path) -> None:
    assert done == []
    path = tmp_path / PREFIX / "state.json"
    described = json.loads(path.read_text())
    described["platform"] = adjusted(short("single:2"), ranks=4, memory_rate=4 * 10**8).as_json()
    path.write_text(json.dumps(described))
    *_, second, told = shown()
    assert "100 Mbit/s 4 ranks, memory 400 Mbit/s" in " ".join(second.split())
    assert told.startswith("ranks of a host share no memory")

"""What `starling lab run` passes to the launchers of each MPI, and its report of a run."""

from pathlib import Path

import pytest

from starling.lab import check, idle
from starling.lab.launch import Outcome, environment, host_files, within_hosts
from starling.lab.plan import Options
from starling.networks.placement import Order, ordered
from starling.networks.platform_file import Host, adjusted, short

FILES = {"openmpi": Path("/run/x/openmpi"), "hydra": Path("/run/x/hydra")}
PLACE, AGENT, SHIM = Path("/run/starling-lab/x"), Path("/lib/starling-lab-rsh"), Path("/lib/libstarling-idle.so")


def hosts(order: Order, seed: int = 1) -> list[str]:
    return [host.name for host in ordered(short("chain:3x2"), order, seed)]


def test_ranks_are_placed_in_the_asked_order() -> None:
    assert hosts(Order.BLOCK) == ["h0", "h1", "h2", "h3", "h4", "h5"]
    assert hosts(Order.CYCLIC) == ["h0", "h2", "h4", "h1", "h3", "h5"]
    assert sorted(hosts(Order.RANDOM)) == hosts(Order.BLOCK)
    assert hosts(Order.RANDOM) == hosts(Order.RANDOM)
    assert len({tuple(hosts(Order.RANDOM, seed)) for seed in range(20)}) > 10


def test_host_files_say_how_many_ranks_a_host_takes() -> None:
    assert host_files([Host("a", 2), Host("b")]) == {"openmpi": "a slots=2\nb slots=1\n", "hydra": "a:2\nb:1\n"}
    assert [host.ranks for host in ordered(adjusted(short("chain:2x2"), ranks=4), Order.CYCLIC, 1)] == [4, 4, 4, 4]


def test_each_launcher_gets_hosts_agent_and_network() -> None:
    env = environment({"HOME": "/root"}, PLACE, FILES, 2, AGENT, None, 0)
    assert env["HOME"] == "/root"
    assert env["STARLING_LAB"] == str(PLACE)
    hosts_of = ("OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "HYDRA_HOST_FILE")
    assert [env[name] for name in hosts_of] == ["/run/x/openmpi", "/run/x/openmpi", "/run/x/hydra"]
    agents = ("OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent", "HYDRA_LAUNCHER_EXEC")
    assert {env[name] for name in agents} == {str(AGENT)}
    assert env["I_MPI_PERHOST"] == "2"
    assert (env["OMPI_MCA_btl"], env["UCX_TLS"]) == ("tcp,self", "tcp,self")
    assert "LD_PRELOAD" not in env


def test_ranks_share_memory_unless_a_memory_of_the_lab_has_a_rate() -> None:
    assert within_hosts(short("single:2")) == {}
    limited = within_hosts(adjusted(short("single:2"), memory_rate=10**9))
    assert (limited["MPIR_CVAR_NOLOCAL"], limited["STARLING_SHARED_MEMORY"]) == ("1", "0")


def test_the_shim_goes_behind_other_preloaded_libraries() -> None:
    assert environment({}, PLACE, FILES, 2, AGENT, SHIM, 500)["LD_PRELOAD"] == str(SHIM)
    env = environment({"LD_PRELOAD": "/a.so"}, PLACE, FILES, 2, AGENT, SHIM, 500)
    assert (env["LD_PRELOAD"], env["STARLING_IDLE_US"]) == (f"/a.so:{SHIM}", "500")


def test_idle_time_is_the_share_between_two_readings() -> None:
    before = idle.ticks("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4\n")
    after = idle.ticks("cpu  160 0 80 1000 60 0 0 0 70 0\ncpu0 1 2 3 4\n")
    assert before.total == 1000
    assert after.idle_since(before) == pytest.approx(210 / 300)
    assert before.idle_since(before) == 1
    assert idle.ticks().total > 0


def outcome(share: float) -> Outcome:
    return Outcome("x", "single:4", 4, 9000, "block", 1, ["app"], 0, 2.5, share, cpu_bound=share < idle.CPU_BOUND)


def test_a_run_without_idle_time_is_called_cpu_bound() -> None:
    assert outcome(0.42).text() == "lab x: CPU 42 % idle over 2.5 s"
    assert (
        outcome(0.04).text().startswith("lab x: CPU-bound, CPU 4 % idle over 2.5 s: times are those of the processors")
    )


def test_neighbours_and_the_farthest_hosts_are_measured_and_no_pair_twice() -> None:
    assert check.pairs_to_measure(short("chain:3x2")) == [("h0", "h1"), ("h0", "h4"), ("h4", "h0")]
    assert check.pairs_to_measure(short("single:2")) == [("h0", "h1"), ("h1", "h0")]
    assert check.pairs_to_measure(short("single:1")) == []


def test_a_memory_is_compared_with_its_own_rate() -> None:
    assert check.bottleneck(adjusted(short("single:2"), memory_rate=10**9), ("h1", "h1")) == 10**9


def test_a_measurement_is_compared_with_the_rate_that_tcp_can_carry() -> None:
    expected = 100e6 * Options().payload_share
    assert expected == pytest.approx(95.64e6, rel=1e-3)
    assert check.within_tolerance(94e6, expected)
    assert not check.within_tolerance(64e6, expected)
    assert not check.within_tolerance(110e6, expected)
    assert check.bottleneck(adjusted(short("chain:2x1"), trunk_rate=10**7), ("h0", "h1")) == 10**7


@pytest.mark.parametrize(
    ("rate", "share", "says"),
    [(64e6, 0.02, "the processors are too busy"), (64e6, 0.5, "although"), (2e8, 0.5, "faster")],
)
def test_advice_names_the_cause(rate: float, share: float, says: str) -> None:
    measured = check.Measured("h0 to h1", 100_000_000, 95.6e6, rate, 1e-5, 3e-5, share, ok=False)
    assert says in check.advice(measured)
    assert "h0 to h1: asked 100 Mbit/s, measured" in measured.text()
    assert "10 us one way (the platform says 30 us; a lab adds none)" in measured.text()


def test_a_short_measurement_lasts_for_some_hundred_packets() -> None:
    assert check.duration(100_000_000, 9000) == 0.4
    assert check.duration(10_000_000, 9000) == pytest.approx(2.16)
    assert check.duration(10_000, 9000) == 4

"""bench/solver_tables.py: what a search took, over what is fair to compare it with."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from starling.lab.measured import Measurement

Over = Callable[[Mapping[str, Sequence[Measurement]], str], list[float]]


@pytest.fixture
def over(monkeypatch: pytest.MonkeyPatch) -> Over:
    """Finds `over_best_of_others` as bench/ does."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "bench")
    found: Over = importlib.import_module("solver_tables").over_best_of_others
    return found


def rounds_of(how: str, *seconds: float) -> list[Measurement]:
    return [
        Measurement(
            what="32x32x32",
            platform="p",
            mpi="openmpi 4.1.4",
            ranks=2,
            how=how,
            seconds=[one],
            cpu_idle=None,
            made="",
            notes={"chosen": "IsendIrecv_aao"},
        )
        for one in seconds
    ]


def test_a_search_is_compared_with_the_best_of_other_rounds_in_its_own(over: Over) -> None:
    rounds = {
        "IsendIrecv_aao": rounds_of("IsendIrecv_aao", 1.0, 1.0, 2.0),
        # Once as fast as nothing else, by chance.
        "IsendIrecv_pair": rounds_of("IsendIrecv_pair", 0.1, 1.4, 2.4),
        "auto": rounds_of("auto", 1.1, 1.1, 2.2),
    }
    found = over(rounds, "auto")
    # The second and third round's others say that pair is the best.
    assert found == pytest.approx([0.1, 1.1 / 1.4 - 1, 2.2 / 2.4 - 1])


def test_one_round_is_compared_with_itself(over: Over) -> None:
    rounds = {
        "IsendIrecv_aao": rounds_of("IsendIrecv_aao", 1.0),
        "IsendIrecv_pair": rounds_of("IsendIrecv_pair", 1.4),
        "auto": rounds_of("auto", 1.2),
    }
    assert over(rounds, "auto") == pytest.approx([0.2])


def test_what_has_fewer_rounds_is_left_out(over: Over) -> None:
    rounds = {
        "IsendIrecv_aao": rounds_of("IsendIrecv_aao", 1.0, 1.0),
        "IsendIrecv_pair": rounds_of("IsendIrecv_pair", 0.5),
        "auto": rounds_of("auto", 1.2, 1.2, 1.2),
    }
    assert over(rounds, "auto") == pytest.approx([0.2, 0.2])

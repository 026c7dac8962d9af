"""Cannon's algorithm of examples/matrix_product: its product is right, whichever functions shift its blocks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from starling.records import record as records
from support.linked import linked
from support.mpis import ROOT, Mpi, debian_mpis, run_ranks
from support.tuned import preloaded

SOURCE = ROOT / "examples/matrix_product/cannon.c"
FUNCTIONS, RINGS = 20, 2


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_product_is_right_while_both_rings_try_all_functions_by_one_timer(mpi: Mpi, tmp_path: Path) -> None:
    ranks, steps, products = 4, 2, 25
    assert products * steps > FUNCTIONS * RINGS
    record = tmp_path / "record.json"
    env = {"STARLING_RECORD": str(record), "STARLING_HISTORY": "off", "STARLING_ITER": "1", "STARLING_GIVE_UP": "0"}
    argv = [linked(mpi, SOURCE, tmp_path), "6", str(products), "brute-force"]
    outcome = run_ranks(mpi, ranks, argv, {**preloaded(mpi, tmp_path), **env}, 100).check()
    assert json.loads(outcome.stdout)["wrong"] == 0
    (context,) = [one for one in records.read(record)[0].contexts if one.collective == "shift_rtol"]
    assert context.calls == RINGS * steps * products
    assert [one.samples >= RINGS for one in context.candidates] == [True] * FUNCTIONS


def test_ranks_that_make_no_square_are_told(tmp_path: Path) -> None:
    mpi = debian_mpis()[0]
    outcome = run_ranks(mpi, 2, [linked(mpi, SOURCE, tmp_path), "8", "1"], preloaded(mpi, tmp_path))
    assert outcome.status == 2
    assert "on 1, 4, 9, 16, ... ranks: cannon 128 50; here are 2" in outcome.stderr

"""Ways that pass blocks on whose sizes only some ranks know: right, and large blocks lie on no other rank."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import ROOT, Mpi, compile_c, debian_mpis
from support.tuned import run_tuned

HERE = Path(__file__).parent
WAYS = [
    ("gatherv", "chain"),
    ("gatherv", "groups?mesh=2x2"),
    ("scatterv", "chain"),
    ("scatterv", "binomial"),
    ("alltoallv", "bruck"),
]


@pytest.mark.parametrize(("kind", "way"), WAYS)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_sizes_may_differ_from_call_to_call_and_large_blocks_go_straight(
    mpi: Mpi, tmp_path: Path, kind: str, way: str
) -> None:
    program = str(compile_c(mpi, HERE / "passed_on.c", tmp_path, [f"-I{ROOT / 'include'}"]))
    outcome, record = run_tuned(mpi, 4, [program, kind, way], "native", tmp_path)
    assert outcome.stdout == "0 wrong, no more memory\n"
    ran = {one.public_name for context in record.contexts for one in context.candidates if one.samples}
    assert any(name.startswith(way) for name in ran)

"""Where a rank has a GPU's runtime library its buffers may lie on the GPU: contexts made from then on are native."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from starling.records.record import Context, RunRecord
from support.mpis import Mpi, compile_c, debian_mpis
from support.tuned import run_tuned

HERE = Path(__file__).parent
PATIENCE = 60.0
"""Seconds after which a run counts as hung."""
STRATEGIES = ("star-basic", "lottery", "forced:allreduce:recursive_doubling,allgather:ring")
QUICK = {"STARLING_ITER": "1", "STARLING_LONGEST_DRAW": "2"}


def run(mpi: Mpi, folder: Path, strategy: str, when: str, name: str, env: dict[str, str]) -> RunRecord:
    stand_in = folder / name
    source = str(HERE / "gpu_runtime.c")
    line = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", source, "-o", str(stand_in)]
    subprocess.run(line, check=True)
    program = str(compile_c(mpi, HERE / "gpu.c", folder, ["-ldl"]))
    argv = [program, str(stand_in), when]
    outcome, record = run_tuned(mpi, 3, argv, strategy, folder, {**QUICK, **env}, PATIENCE)
    assert outcome.stdout == "0 wrong\n"
    return record


def context_of(record: RunRecord, collective: str) -> Context:
    """The one context of a collective."""
    (found,) = (context for context in record.contexts if context.collective == collective)
    return found


def is_native(context: Context) -> bool:
    """Whether only native was used. AssertionError where the record gives no reason."""
    others = [one for one in context.candidates if one.name != "native"]
    if any(one.samples for one in others):
        return False
    assert not any(one.eligible for one in others)
    assert any("GPU" in one.reason for one in others)
    return context.winner == "native"


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_contexts_made_from_then_on_are_native(mpi: Mpi, tmp_path: Path, when: str, strategy: str) -> None:
    record = run(mpi, tmp_path, strategy, when, "libcuda.so.1", {})
    assert is_native(context_of(record, "allgather"))
    assert is_native(context_of(record, "allreduce")) == (when == "before")


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_auto_learns_it_when_its_ranks_first_agree(mpi: Mpi, tmp_path: Path) -> None:
    record = run(mpi, tmp_path, "auto", "before", "libcuda.so.1", {})
    assert is_native(context_of(record, "allgather"))
    assert is_native(context_of(record, "allreduce"))


@pytest.mark.parametrize("name", ["libcudart.so.12", "libamdhip64.so.6", "libze_loader.so.1"])
def test_other_runtime_libraries_are_known(tmp_path: Path, name: str) -> None:
    record = run(debian_mpis()[0], tmp_path, "star-basic", "before", name, {})
    assert is_native(context_of(record, "allgather"))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_host_buffers_allows_tuning(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    record = run(mpi, tmp_path, strategy, "before", "libcuda.so.1", {"STARLING_HOST_BUFFERS": "1"})
    assert not is_native(context_of(record, "allgather"))
    assert not is_native(context_of(record, "allreduce"))

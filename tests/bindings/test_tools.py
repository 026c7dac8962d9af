"""MPI tools in the same program: who sees which call. docs/interposition.md says what a user may rely on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindings.targets import HERE, Run, Target, library, targets
from support.mpis import compile_c

NATIVE = {"STARLING_STRATEGY": "native"}


def run_with_tool(target: Target, folder: Path, options: list[str], *, tool_first: bool) -> Run:
    """One rank of the program with the tool loaded before or after Starling."""
    program = compile_c(target.mpi, HERE / "five_allreduces.c", folder)
    tool = compile_c(target.mpi, HERE / "tool.c", folder, ["-shared", "-fPIC", *options])
    order = [str(tool), str(library(target.variant))]
    preload = ":".join(order if tool_first else reversed(order))
    return target.run([str(program)], folder, ranks=1, env=NATIVE | {"LD_PRELOAD": preload})


@pytest.mark.parametrize("target", targets(), ids=str)
def test_a_profiler_behind_starling_keeps_the_program_s_calls(target: Target, tmp_path: Path) -> None:
    run = run_with_tool(target, tmp_path, [], tool_first=False)
    assert "sum 1" in run.outcome.stdout
    assert run.calls == {"allreduce": 5}
    assert "tool: 1 init 5 allreduce" in run.outcome.stderr


@pytest.mark.parametrize("target", targets(), ids=str)
def test_a_tool_that_passes_calls_on_works_before_starling(target: Target, tmp_path: Path) -> None:
    run = run_with_tool(target, tmp_path, ["-DCHAINS"], tool_first=True)
    assert run.calls == {"allreduce": 5}
    assert "tool: 1 init 5 allreduce" in run.outcome.stderr


@pytest.mark.parametrize("target", targets(), ids=str)
def test_a_profiler_before_starling_hides_the_program_from_it(target: Target, tmp_path: Path) -> None:
    run = run_with_tool(target, tmp_path, [], tool_first=True)
    assert "sum 1" in run.outcome.stdout
    assert run.records == []
    assert "tool: 1 init 5 allreduce" in run.outcome.stderr


@pytest.mark.parametrize("target", targets(), ids=str)
def test_a_tool_on_the_profiling_names_sees_what_starling_itself_calls(target: Target, tmp_path: Path) -> None:
    run = run_with_tool(target, tmp_path, ["-DWRAPS_PMPI"], tool_first=False)
    assert run.calls == {"allreduce": 5}
    assert "tool: saw the sizes of communicators" in run.outcome.stderr

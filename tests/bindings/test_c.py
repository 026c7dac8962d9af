"""C entry points: every form of every collective reaches the library once, and its result is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindings.targets import HERE, Target, operation_names, targets
from support.mpis import compile_c


@pytest.mark.parametrize("target", targets(), ids=str)
def test_every_form_of_every_collective_is_intercepted_once_and_right(target: Target, tmp_path: Path) -> None:
    program = compile_c(target.mpi, HERE / "every_collective.c", tmp_path)
    run = target.run([str(program)], tmp_path)
    words = run.outcome.stdout.split()
    large, persistent, wrong = int(words[1]), int(words[3]), int(words[5])
    assert wrong == 0, run.outcome.report()
    expected = {}
    for name in operation_names():
        if name.endswith("_init") and not persistent:
            continue
        expected[name] = 1 + (1 if large and "barrier" not in name else 0)
    expected["reduce"] += 1  # the program's own sum of errors
    assert run.calls == expected


@pytest.mark.parametrize("target", targets(), ids=str)
def test_large_counts_are_looked_at_only_where_they_are_significant(target: Target, tmp_path: Path) -> None:
    program = compile_c(target.mpi, HERE / "not_significant.c", tmp_path)
    run = target.run([str(program)], tmp_path)
    assert run.outcome.stdout == "0 wrong\n", run.outcome.report()

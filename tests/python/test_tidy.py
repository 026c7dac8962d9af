"""packaging/tidy.py: a unit without findings is not read again, unless anything that they depend on has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.mpis import ROOT

CONFIGURATION = "Checks: '-*,modernize-use-nullptr'\nWarningsAsErrors: '*'\nHeaderFilterRegex: '/src/'\n"
HEADER = """\
#include <two.hpp>
inline int* nowhere() { return 0; } // NOLINT
#if WITH_MORE || __has_include(<three.hpp>)
inline int* nor_here() { return 0; }
#endif
"""


def sources(folder: Path) -> Path:
    """A unit that includes a header, which includes another, as in a build folder; the folder."""
    for name in ("packaging", "src", "first", "second", "build"):
        (folder / name).mkdir(parents=True)
    shutil.copy(ROOT / "packaging/tidy.py", folder / "packaging")
    (folder / ".clang-tidy").write_text(CONFIGURATION)
    (folder / "second/two.hpp").touch()
    (folder / "src/one.hpp").write_text(HEADER)
    unit = folder / "build/unity_0_cxx.cxx"
    unit.write_text(f'#include "{folder}/src/one.hpp"\n')
    compiled(folder, "")
    return folder


def compiled(folder: Path, options: str) -> None:
    """How the unit is compiled, with those options."""
    unit = folder / "build/unity_0_cxx.cxx"
    line = f"c++ -I{folder}/first -I{folder}/second {options} -o unity_0.o -c {unit}"
    commands = [{"directory": str(folder / "build"), "command": line, "file": str(unit)}]
    (folder / "build/compile_commands.json").write_text(json.dumps(commands))


def tidied(folder: Path, cache: Path) -> tuple[int, int, int]:
    """The exit status, the number of findings, and of units that were not read again."""
    line = [sys.executable, "packaging/tidy.py", "build"]
    env = {**os.environ, "CCACHE_DIR": str(cache / "ccache")}
    done = subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)
    last = done.stdout.splitlines()[-1].split()
    assert last[:3] == ["clang-tidy:", "1", "units,"], done.stdout + done.stderr
    return done.returncode, done.stdout.count("modernize-use-nullptr,"), int(last[3])


def comment_goes(folder: Path) -> None:
    (folder / "src/one.hpp").write_text(HEADER.replace(" // NOLINT", ""))


def option_comes(folder: Path) -> None:
    compiled(folder, "-DWITH_MORE")


def header_comes(folder: Path) -> None:
    (folder / "first/two.hpp").write_text("#define WITH_MORE 1\n")


def header_that_is_only_asked_for_comes(folder: Path) -> None:
    (folder / "first/three.hpp").touch()


def header_changes(folder: Path) -> None:
    (folder / "src/one.hpp").write_text(HEADER.replace("#if WITH_MORE", "#if !NO_MORE"))


@pytest.mark.parametrize(
    "change",
    [
        comment_goes,
        option_comes,
        header_comes,
        header_that_is_only_asked_for_comes,
        header_changes,
    ],
    ids=lambda one: one.__name__,
)
def test_whatever_brings_a_finding_is_read_again_each_time(change: Callable[[Path], None], tmp_path: Path) -> None:
    folder = sources(tmp_path / "main")
    assert tidied(folder, tmp_path) == (0, 0, 0)
    assert tidied(folder, tmp_path) == (0, 0, 1)
    change(folder)
    assert tidied(folder, tmp_path) == (1, 1, 0)
    assert tidied(folder, tmp_path) == (1, 1, 0)


def test_another_configuration_counts(tmp_path: Path) -> None:
    folder = sources(tmp_path / "main")
    (folder / ".clang-tidy").write_text(CONFIGURATION.replace("use-nullptr", "use-auto"))
    (folder / "src/one.hpp").write_text(HEADER.replace(" // NOLINT", ""))
    assert tidied(folder, tmp_path) == (0, 0, 0)
    (folder / ".clang-tidy").write_text(CONFIGURATION)
    assert tidied(folder, tmp_path) == (1, 1, 0)


def test_another_clone_finds_what_is_clean_but_not_where_its_name_shows_more(tmp_path: Path) -> None:
    (tmp_path / "n_of_system.hpp").touch()  # its name is between those of the clones
    for clone, as_they_were in (("main", 0), ("other", 1)):
        folder = sources(tmp_path / clone)
        compiled(folder, f"-include {tmp_path}/n_of_system.hpp")
        assert tidied(folder, tmp_path) == (0, 0, as_they_were)
    assert tidied(sources(tmp_path / "src/main"), tmp_path) == (0, 0, 0)

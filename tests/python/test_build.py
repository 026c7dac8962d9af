"""Building a variant later: what is missing is named, and the library finds a place."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from starling.installation import build, variants
from starling.installation.variants import Variant, library


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package at tmp_path/package, and a user's folder at tmp_path/home."""
    (tmp_path / "package").mkdir()
    for module in (build, variants):
        monkeypatch.setattr(module, "package_folders", lambda name: [tmp_path / "package" / name])
    return tmp_path


def test_a_missing_tool_is_named_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(build.BuildError, match=f"{sys.executable} -m pip install cmake"):
        build.tool("cmake")


def test_a_tool_that_is_only_a_python_package_is_run_by_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    assert build.tool("cmake") == [sys.executable, "-m", "cmake"]


def test_missing_sources_are_reported(places: Path) -> None:
    with pytest.raises(build.BuildError, match="C\\+\\+ sources are missing"):
        build.sources()
    (places / "package/sources").mkdir()
    (places / "package/sources/CMakeLists.txt").touch()
    assert build.sources() == places / "package/sources"


def test_a_library_goes_into_the_package_and_replaces_the_one_there(places: Path) -> None:
    built = places / "libstarling-abi.so"
    for text in ("old", "new"):
        built.write_text(text)
        assert build.place([built], {"HOME": str(places / "home")}) == [places / "package/lib/libstarling-abi.so"]
    assert [file.read_text() for file in (places / "package/lib").iterdir()] == ["new"]


def test_a_library_goes_into_the_users_folder_where_the_package_cannot_be_written_and_is_found_there(
    places: Path,
) -> None:
    (places / "package/lib").write_text("no folder can be made here, for root neither")
    built = places / "libstarling-abi.so"
    built.touch()
    environ = {"XDG_DATA_HOME": str(places / "home")}
    assert build.place([built], environ) == [places / "home/starling/lib/libstarling-abi.so"]
    assert library(Variant.ABI, environ) == places / "home/starling/lib/libstarling-abi.so"


def test_no_writable_folder_is_an_error(places: Path) -> None:
    for file in ("package/lib", "home"):
        (places / file).write_text("no folder")
    built = places / "libstarling-abi.so"
    built.touch()
    with pytest.raises(build.BuildError, match="set XDG_DATA_HOME"):
        build.place([built], {"XDG_DATA_HOME": str(places / "home")})

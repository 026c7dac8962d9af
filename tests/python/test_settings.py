"""The sources of settings, and the handling of invalid files."""

import errno
import os
import pwd
import sys
from pathlib import Path

import pytest

from starling.installation import questions
from starling.installation.variants import library_folders, package_folders
from starling.runs import reference, settings
from starling.runs.settings import (
    KEYS,
    Setting,
    SettingsError,
    find_files,
    history_folder,
    in_force,
    read_file,
    variables,
    without_wrong_files,
)

PAGE = Path(__file__).resolve().parents[2] / "docs/command-line.md"


def written(folder: Path, text: str) -> Path:
    path = folder / "starling.toml"
    path.write_text(text)
    return path


def test_a_flag_overrides_a_variable_and_a_variable_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, '[run]\nstrategy = "a"\nepsilon = 0.2\nonly = ["bcast", "ring"]\n')
    environ = {"STARLING_STRATEGY": "b", "STARLING_EPSILON": "0.3"}
    assert in_force({"strategy": "c"}, environ, [path]) == {
        "strategy": Setting("c", "--strategy"),
        "epsilon": Setting("0.3", "STARLING_EPSILON"),
        "only": Setting("bcast,ring", str(path)),
    }


def test_every_key_of_the_file_becomes_its_variable(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """[run]
        strategy = "forced:ring"
        history = "off"
        record = "r.json"
        reproducible = true
        host_buffers = true
        only = "allreduce"
        except = ["bcast:chain"]
        iterations = 5
        epsilon = 0.5
        delta_limit = 8
        sizes = 2
        samples = "max"
        run_off = false
        platform = "nodes"
        mpi = "intel"
        quiet = true
        """,
    )
    found = in_force({}, {}, [path])
    assert found["mpi"].value == "intel"
    assert found["quiet"].value == "1"
    assert variables(found, {}) == {
        "STARLING_STRATEGY": "forced:ring",
        "STARLING_HISTORY": "off",
        "STARLING_RECORD": str(tmp_path / "r.json"),
        "STARLING_REPRODUCIBLE": "1",
        "STARLING_HOST_BUFFERS": "1",
        "STARLING_ONLY": "allreduce",
        "STARLING_EXCEPT": "bcast:chain",
        "STARLING_ITER": "5",
        "STARLING_EPSILON": "0.5",
        "STARLING_DELTA_LIMIT": "8",
        "STARLING_PLATFORM": "nodes",
        "STARLING_SIZES": "2",
        "STARLING_SAMPLES": "max",
        "STARLING_RUN_OFF": "0",
    }


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('[run]\nstrategy = "a"\nspeed = 3\n', 3, "run.speed: unknown key"),
        ("[tuning]\n", 1, "tuning: unknown key; settings stand under [run]"),
        ('budget = "2%"\n[run]\nseed = 1\n', 1, "budget: put it under [run]"),
        ("\n[run]\niterations = many\n", 3, "not TOML"),
        ('[run]\n\niterations = "ten"\n', 3, "run.iterations: must be a whole number, and is 'ten'"),
        ("[run]\nonly = [1]\n", 2, "run.only: must be a text in quotes, and is [1]"),
        ('[run]\nmpi = "lam"\n', 2, "run.mpi: must be one of openmpi, mpich, intel, abi, and is 'lam'"),
        ("[run]\nbudget = true\n", 2, 'run.budget: must be a number like 0.03 or a text like "3%", and is True'),
        ("[run]\nepsilon = 'x'\n", 2, "run.epsilon: must be a number, and is 'x'"),
        ("[run]\nreproducible = 1\n", 2, "run.reproducible: must be true or false, and is 1"),
        ("run = 3\n", 1, "run: must be a table, and is 3"),
        ("[run\n", 1, "not TOML"),
    ],
)
def test_a_wrong_file_is_told_with_its_line_and_the_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}:{line}: {reason}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "starling.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        read_file(path)


def test_a_file_that_others_may_not_see_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    # As for users, where root's umask closed the folder.
    monkeypatch.setattr(Path, "is_file", denied)
    monkeypatch.setattr(os, "open", denied)
    (*_, file) = find_files(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert file == tmp_path / "starling.toml"
    with pytest.raises(SettingsError, match="cannot be read: Permission denied"):
        read_file(file)


def test_all_wrong_files_are_told_and_the_others_may_be_had(tmp_path: Path) -> None:
    files = []
    for name, text in (("a", "[run]\nspeed = 3\n"), ("b", "[run]\nseed = 3\n"), ("c", "[run\n")):
        (tmp_path / name).mkdir()
        files.append(written(tmp_path / name, text))
    found, wrong = without_wrong_files({"strategy": "star"}, {}, files)
    assert found == {"seed": Setting("3", str(files[1])), "strategy": Setting("star", "--strategy")}
    assert [one.partition(":")[0] for one in wrong] == [str(files[0]), str(files[2])]
    with pytest.raises(SettingsError) as caught:
        in_force({}, {}, files)
    assert str(caught.value) == "; ".join(wrong)


def test_a_centres_settings_may_lie_below_the_prefix_of_the_installation() -> None:
    by_cmake = settings.site_folders(Path("/opt/starling/lib64/starling/python/starling/runs/settings.py"))
    assert by_cmake == (Path("/etc/starling"), Path(sys.prefix, "etc/starling"), Path("/opt/starling/etc/starling"))
    by_pip = settings.site_folders(Path(sys.prefix, "lib/python3/site-packages/starling/runs/settings.py"))
    assert by_pip == by_cmake[:2]


def test_the_file_of_the_folder_overrides_the_users_and_this_the_sites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, config, machine, beside = (tmp_path / name for name in ("here", "config", "etc", "beside"))
    monkeypatch.setattr(settings, "SITE_FOLDERS", (machine, beside))
    for folder in (here, config / "starling", machine, beside):
        folder.mkdir(parents=True)
    environ = {"XDG_CONFIG_HOME": str(config)}
    assert find_files(here, environ) == []
    sites = written(
        machine, '[run]\nstrategy = "a"\ntable = "t.json"\nsite_history = "runs"\nbudget = "1%"\nseed = 1\n'
    )
    newer = written(beside, '[run]\nstrategy = "b"\nbudget = 0.02\nseed = 2\n')
    users = written(config / "starling", '[run]\nstrategy = "c"\nseed = 3\n')
    own = written(here, '[run]\nstrategy = "d"\n')
    assert find_files(here, environ) == [sites, newer, users, own]
    assert in_force({}, {}, find_files(here, environ)) == {
        "strategy": Setting("d", str(own)),
        "table": Setting(str(machine / "t.json"), str(sites)),
        "site_history": Setting(str(machine / "runs"), str(sites)),
        "budget": Setting("0.02", str(newer)),
        "seed": Setting("3", str(users)),
    }
    assert find_files(config / "starling", environ) == [sites, newer, users], "a file counts once"


def test_the_history_is_where_the_library_puts_it() -> None:
    assert history_folder({}, {"HOME": "/h"}) == Path("/h/.local/share/starling/history")
    assert history_folder({}, {"HOME": "/h", "XDG_DATA_HOME": "/d"}) == Path("/d/starling/history")
    assert history_folder({}, {"HOME": "/h", "XDG_DATA_HOME": "relative"}) == Path("/h/.local/share/starling/history")
    assert history_folder({"history": Setting("off", "--history")}, {}) is None


@pytest.mark.parametrize("home", [{}, {"HOME": ""}, {"HOME": "here"}])
def test_without_an_absolute_home_the_one_the_system_knows_is_used_and_handed_to_the_library(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = pwd.getpwuid(os.getuid())
    monkeypatch.setattr(pwd, "getpwuid", lambda _: pwd.struct_passwd((*known[:5], str(tmp_path), known[6])))
    history = tmp_path / ".local/share/starling/history"
    assert history_folder({}, home) == history
    assert variables({}, home)["STARLING_HISTORY"] == str(history)
    (tmp_path / ".config/starling").mkdir(parents=True)
    assert find_files(tmp_path / "elsewhere", home) == []
    users = written(tmp_path / ".config/starling", "")
    assert find_files(tmp_path / "elsewhere", home) == [users]


def test_without_any_home_there_is_no_history(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert history_folder({}, {}) is None
    assert variables({}, {}) == {"STARLING_HISTORY": "off"}
    assert find_files(Path("/nonexistent"), {}) == []
    assert library_folders({}) == package_folders("lib")


def test_a_flag_turns_the_record_of_a_file_off(tmp_path: Path) -> None:
    file = written(tmp_path, '[run]\nrecord = "r.json"\n')
    assert variables(in_force({}, {}, [file]), {})["STARLING_RECORD"] == str(tmp_path / "r.json")
    assert variables(in_force({"record": "off"}, {}, [file]), {})["STARLING_RECORD"] == ""


def test_ranks_get_absolute_paths_and_all_variables_of_starling() -> None:
    environ = {"STARLING_RECORD": "r.json", "STARLING_TRACE": "1", "PATH": "/bin"}
    assert variables(in_force({"history": "h"}, environ, []), environ) == {
        "STARLING_RECORD": str(Path.cwd() / "r.json"),
        "STARLING_TRACE": "1",
        "STARLING_HISTORY": str(Path.cwd() / "h"),
    }


def test_the_table_in_the_docs_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert reference.page(text) == text, "run make docs"
    assert all(f"`{name}`" in text for name in KEYS)


def test_a_page_keeps_what_stands_around_the_table(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- settings -->\nold\n<!-- end -->\nbehind\n")
    assert reference.main([str(page)]) == 0
    assert page.read_text() == f"before\n<!-- settings -->\n{reference.table()}<!-- end -->\nbehind\n"
    assert reference.main([]) == 2


def test_an_installation_without_its_table_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "package_folders", lambda _: [tmp_path])
    with pytest.raises(questions.RepositoryError, match=r"incomplete; install again: pip install \. or cmake"):
        questions.settings_table()
    (tmp_path / "settings.json").write_text("[{")
    with pytest.raises(questions.RepositoryError, match=r"settings.json: .*; install again"):
        questions.settings_table()

"""The options of `starling run` are parsed without loading the command line, and with equal results."""

import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest
import typer
from typer.testing import CliRunner

from starling.commands import cli
from starling.runs import options, run
from starling.runs.settings import KEYS, Kind, flag

OPTIONS = {name: key for name, key in KEYS.items() if key.option is not None}
VALUES = {Kind.TEXT: "a,b", Kind.WHOLE: "3", Kind.NUMBER: "0.5", Kind.SHARE: "3%", Kind.FLAVOUR: "intel"}


def typed_by_typer(words: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> options.Typed | None:
    """The result of the whole command line; None where it prints an error or help."""
    handed: list[options.Typed] = []

    def noted(line: list[str], flags: Mapping[str, str]) -> int:
        handed.append(options.Typed(line, flags))
        return 0

    monkeypatch.setattr(run, "run", noted)
    CliRunner().invoke(cli.app, ["run", *words])
    return handed[0] if handed else None


def lines() -> list[list[str]]:
    program = ["app", "--strategy", "x", "--", "-q"]
    found = [program, ["--", *program], ["--", "--"], ["--"], [], ["--help"], ["--no-such", "app"], ["-x", "app"]]
    for name, key in OPTIONS.items():
        assert key.option is not None
        for word in filter(None, [flag(name), key.option.short]):
            if key.kind is Kind.FLAG:
                found += [[word, *program], [word, word, "--", *program], [f"{word}=1", *program], [word]]
            else:
                value = VALUES[key.kind]
                found += [[word, value, *program], [f"{word}={value}", "--", *program], [word, value], [word]]
                found += [[word, "lam", word, value, *program], [f"{word}=", *program], [word, "", *program]]
    every = [
        word
        for name, key in OPTIONS.items()
        for word in ([flag(name)] if key.kind is Kind.FLAG else [flag(name), VALUES[key.kind]])
    ]
    return [*found, [*every, *program]]


@pytest.mark.parametrize("words", lines(), ids=" ".join)
def test_what_is_read_at_once_is_what_the_whole_command_line_reads(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once, whole = options.typed(words), typed_by_typer(words, monkeypatch)
    if at_once is not None:
        assert at_once == whole


def test_every_option_is_read_at_once() -> None:
    for name, key in OPTIONS.items():
        given = [flag(name)] if key.kind is Kind.FLAG else [flag(name), VALUES[key.kind]]
        found = options.typed([*given, "app"])
        assert found == options.Typed(["app"], {name: VALUES.get(key.kind, "1")})


def test_every_option_of_the_command_is_a_setting() -> None:
    command = typer.main.get_command(cli.app).commands["run"]  # type: ignore[attr-defined]
    found = {word for one in command.params for word in one.opts if word.startswith("--")}
    assert found == {flag(name) for name in OPTIONS}


def test_a_run_does_not_wait_for_what_it_does_not_need() -> None:
    script = """
import sys
from starling import __main__
sys.argv[1:] = ["run", "--", "/no/such/program"]
try:
    __main__.main()
except SystemExit:
    print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "starling.runs.run" in loaded
    assert not loaded & {"typer", "rich", "pydantic", "inspect", "importlib.metadata", "tomllib"}
    rooms = {name.split(".")[1] for name in loaded if name.startswith("starling.")}
    assert rooms == {"__main__", "messages", "files", "runs", "launchers", "installation", "records"}

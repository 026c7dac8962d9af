"""Messages are one printable line with a readable part of each value, wherever it comes from."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from starling.commands import cli
from starling.lab import measured
from starling.messages import MOST_SHOWN, in_one_line, printable
from starling.networks import platform_file
from starling.records import history, history_tables, record, report
from starling.runs import settings

ROOT = Path(__file__).resolve().parents[2]
SAMPLE: dict[str, Any] = json.loads((ROOT / "tests/knowledge/run-record.json").read_text())
LONG = "Q" * 3000
COMMANDS = "\x1b[2J\r\nstarling: all is well\n\x9b1m\u202e\x7f"
ODD = pytest.mark.parametrize("odd", [LONG, COMMANDS], ids=["long", "commands"])


def for_people(text: str) -> None:
    """Lines that a terminal can show, with at most MOST_TOLD characters of a value."""
    assert all(line.isprintable() for line in text.split("\n")), text[:1000]
    assert max(map(len, re.findall("Q+", text)), default=0) <= MOST_SHOWN
    assert "\nstarling: all is well" not in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("ring", "ring"),
        ("Größe 日本", "Größe 日本"),
        ("a\nb\x1b[1m", "a\\nb\\x1b[1m"),
        ("\u2028\u202e\x9b", "\\u2028\\u202e\\x9b"),
        (os.fsdecode(b"\xff"), "\\xff"),
        (Path("/a b"), "/a b"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 197 + "..."),
        ("\n" * 3_000_000, "\\n" * 98 + "..."),
    ],
)
def test_a_value_is_told_in_one_line_and_cut(value: object, shown: str) -> None:
    assert printable(value) == shown
    assert in_one_line(shown) == shown


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """The places of all values in JSON values."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (key,)
        yield from ((key, *rest) for rest in places(child))


def spoilt(value: Any, odd: str) -> Iterator[Any]:
    """The same values with one of them replaced by an odd one or one of another type, or with an odd name."""
    for place in places(value):
        for other in (odd, {odd: 1}, [odd], -1, 1e308, None):
            changed = json.loads(json.dumps(value))
            inner = changed
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = other
            yield changed
        if isinstance(place[-1], str):
            inner[odd] = inner.pop(place[-1])
            yield changed


def read_all(file: Path, texts: Iterator[str], read: Callable[[Path], object]) -> int:
    """Reads each of the texts; returns how many are refused, each in words for people."""
    refused = 0
    for text in texts:
        file.write_text(text)
        try:
            read(file)
        except (
            record.RecordError,
            platform_file.PlatformError,
            settings.SettingsError,
            measured.MeasuredError,
        ) as error:
            for_people(str(error))
            assert "\n" not in str(error)
            refused += 1
    return refused


def shown(file: Path) -> None:
    """Prints a record and a history of it as the commands do."""
    whole = record.read(file)[0]
    console = Console(highlight=False, width=400, file=open(os.devnull, "w"), record=True)  # noqa: SIM115, PTH123
    report.render(whole, console, rows=None)
    found = history.read(file.parent)
    history_tables.render_list(found.entries, console)
    for_people(console.export_text())
    for one in found.skipped:
        for_people(one.why)


@ODD
def test_values_of_a_record_in_complaints_reports_and_lists(odd: str, tmp_path: Path) -> None:
    assert read_all(tmp_path / "r.json", map(json.dumps, spoilt(SAMPLE, odd)), shown) > 100


PLATFORM = {
    "schema": 1,
    "name": "two",
    "switches": ["s[0-1]"],
    "hosts": ["h0", {"name": "h1", "ranks": 2}],
    "links": [
        {"between": ["s0", "s1"], "rate": "1gbit", "latency": "5us"},
        {"between": ["h0", "s0"], "rate": 1000000},
        {"between": ["h1", "s1"], "rate": 1000000},
    ],
}


@ODD
def test_values_of_a_platform_file(odd: str, tmp_path: Path) -> None:
    assert read_all(tmp_path / "p.json", map(json.dumps, spoilt(PLATFORM, odd)), platform_file.read) > 50


@ODD
def test_values_of_slurms_topology(odd: str, tmp_path: Path) -> None:
    lines = ["SwitchName=s0 Nodes=n[0-3]", "SwitchName=s1 Switches=s0", "SwitchName=s2 Nodes=n9,n8 LinkSpeed=1"]
    words = ["s0", "n[0-3]", "n9", "SwitchName", "Nodes=", "[0-3]", "s1 "]
    flat = odd.replace("\n", " ").replace("\r", " ")
    texts = ["\n".join(lines).replace(word, other) for word in words for other in (flat, f"[{flat}]", f"{flat}={flat}")]
    assert read_all(tmp_path / "topology.conf", iter(texts), platform_file.read) > 10


@ODD
def test_values_of_starling_toml(odd: str, tmp_path: Path) -> None:
    text = json.dumps(odd)  # TOML's texts have the same escapes
    values = [text, f"[{text}]", "-1", f"{{{text} = 1}}", odd, "nan", "2020-01-01"]
    texts = [f"[run]\n{key} = {value}\n" for key in [*settings.KEYS, text] for value in values]
    texts += [f"{text} = 1\n", f"[{text}]\n", odd, f"run = {text}\n"]
    assert read_all(tmp_path / "starling.toml", iter(texts), settings.read_file) > 80


def usages() -> list[list[str]]:
    """Every option of every command with a value, and every command with an argument."""
    import typer  # noqa: PLC0415 - only here

    found: list[list[str]] = [["VALUE"], ["--VALUE"]]

    def add(command: Any, words: list[str]) -> None:
        for name, one in getattr(command, "commands", {}).items():
            add(one, [*words, name])
        if getattr(command, "commands", None):
            return
        found.extend([[*words, "VALUE"], [*words, "--VALUE"], [*words, "--VALUE=VALUE"]])
        found.extend([*words, one.opts[0], "VALUE"] for one in command.params if one.param_type_name == "option")

    add(typer.main.get_command(cli.app), [])
    # These would have effects.
    return [words for words in found if words[:1] not in (["demo"], ["doctor"]) and words[:2] != ["lab", "down"]]


@ODD
@pytest.mark.parametrize("words", usages(), ids=" ".join)
def test_what_is_typed(words: list[str], odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("STARLING_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(cli.app, [word.replace("VALUE", odd) for word in words])
    # Errors of the system are reported by the entry point, for all commands alike.
    assert done.exception is None or isinstance(done.exception, SystemExit | OSError), done.exception
    for_people(done.stderr if words[0] == "env" else done.output)  # a shell reads what env prints


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--platform", COMMANDS, "true"],
        ["run", "--strategy", COMMANDS, "true"],
        ["run", COMMANDS],
        ["run", "--", LONG],
        ["report", LONG],
    ],
    ids=str,
)
def test_what_the_entry_point_tells(words: list[str], tmp_path: Path) -> None:
    line = [sys.executable, "-m", "starling", *words]
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(line, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    for_people(done.stderr)
    assert done.stderr.count("\n") == 1

"""What shells offer: bash for real, with the words as it splits them."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from starling.algorithms import repository
from starling.commands import completion
from starling.installation.variants import Flavour

BASH = shutil.which("bash") or "/bin/bash"


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `starling --install-completion` puts into a file that bash reads, and a `starling` on PATH."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "starling").write_text(f'#!{BASH}\nexec {shlex.quote(sys.executable)} -m starling "$@"\n')
    (folder / "starling").chmod(0o755)
    env = {**os.environ, "_STARLING_COMPLETE": "source_bash"}
    line = [sys.executable, "-m", "starling"]
    text = subprocess.run(line, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    return f"PATH={shlex.quote(str(folder))}:$PATH\n{text}"


def offered(script: str, *words: str) -> list[str]:
    """What bash offers for the last of these words, which are split as it splits them."""
    typed = " ".join(map(shlex.quote, ["starling", *words]))
    ask = f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _starling_completion starling"
    text = f'{script}\n{ask}\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    done = subprocess.run([BASH, "-c", text], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_offers_what_the_library_lists(script: str) -> None:
    found = repository.listing()
    assert offered(script, "run", "--mpi", "") == list(Flavour)
    assert offered(script, "run", "--strategy", "") == [one["name"] for one in found["strategies"]]
    assert offered(script, "algorithms", "all") == [name for name in found["collectives"] if name.startswith("all")]
    of_bcast = [one["name"] for one in repository.algorithms(found, "bcast")]
    assert offered(script, "algorithms", "bcast", ":") == of_bcast
    assert offered(script, "run", "--strategy", "forced", ":", "bcast", ":", "chai") == [
        name for name in of_bcast if name.startswith("chai")
    ]


@pytest.mark.parametrize(
    ("typed", "at", "joined", "current"),
    [
        (["starling", "algorithms", "bcast", ":", "ri"], 4, ["starling", "algorithms", "bcast:ri"], 2),
        (["starling", "algorithms", "bcast", ":"], 3, ["starling", "algorithms", "bcast:"], 2),
        (["starling", "predict", "bcast", ""], 3, ["starling", "predict", "bcast", ""], 3),
        (["starling", "lab", "race", "a", ":", "b", "--ag"], 6, ["starling", "lab", "race", "a:b", "--ag"], 4),
    ],
)
def test_words_that_bash_has_split_are_joined(typed: list[str], at: int, joined: list[str], current: int) -> None:
    environ = {"COMP_WORDS": "\n".join(typed), "COMP_CWORD": str(at)}
    assert completion.join_words(environ) == joined[current]
    assert (environ["COMP_WORDS"].split("\n"), environ["COMP_CWORD"]) == (joined, str(current))


def test_what_is_offered_are_whole_words_and_lists_go_on() -> None:
    assert completion.strategies("nat") == ["native"]
    assert "forced:bcast:chain" in completion.strategies("forced:bcast:c")
    assert "neighbor_alltoall:Sendrecv_pair" in completion.ways("neighbor_alltoall:S")
    assert completion.lists_of_ways("ring,allr") == ["ring,allreduce"]
    assert "bcast,allreduce:ring" in completion.lists_of_ways("bcast,allreduce:ri")
    assert completion.lists_of_collectives("bcast,allr") == ["bcast,allreduce"]
    assert completion.ways("nothing") == []


def test_an_incomplete_installation_offers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.installation.questions.package_folders", lambda _: [tmp_path])
    assert completion.collectives("") == []

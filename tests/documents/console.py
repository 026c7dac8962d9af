"""The console blocks of a page, typed as a reader would: in a fresh folder, in order, with the output compared.

A fenced block ```console has commands behind `$ `, continued where a line ends with a backslash, and below each what it
prints on both streams: all of it, or nothing where it prints nothing. A block with a title, ```c title="app.c", is a
file that the reader saves under that name. Other blocks are not run.

Output is compared word by word, wherever lines end. `...` stands for anything. Any of a kind matches any other of it:

- measured numbers: with a unit of time, `%` or `x`, or with one to three decimals; `-` where a table has none; with or
  without the report's mark of times that the ranks did not agree on, and what it says of that mark
- dates, names of run records, the folders before a file's name
- names of ways: which one wins differs from machine to machine
- sentences that say what a measurement came to: a busy machine shows no difference where a quiet one shows a gain
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from starling.algorithms import repository
from support.mpis import ROOT, environment, mpi_named
from support.processes import run_job

_BLOCK = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL
)
_MEASURED = re.compile(
    r"(?<![\w.])(?:\d+m[\d.]+s|\d+(?:\.\d+)? ?(?:[num]?s|min|h|x)(?!\w)|\d+(?:\.\d+)? ?%"
    r"|\d+\.\d{1,3}(?![\d.])|-(?= |$))\*?"
)
_AMOUNT = r"[\d.]+ ?[num]?s"
_OUTCOMES = (
    (
        re.compile(
            rf"(?<=times as fast: )(?:no difference that \d+ pairs of runs can show(?:, these differ too much)?"
            rf"|{_AMOUNT} (?:less|more) of {_AMOUNT} \(medians\))"
        ),
        "<difference>",
    ),
    (re.compile(r"(?<=^tuned )[\d.]+(?: \+- [\d.]+)?(?= times as fast: )"), "<ratio>"),
    (
        re.compile(
            rf"(?:(?:Saved {_AMOUNT} against native, with which the run would have taken {_AMOUNT} instead of {_AMOUNT}"
            rf"|Lost {_AMOUNT} against native, [\d.]+% of the run)"
            rf"(?:, by typical calls; {_AMOUNT} of delays count neither as saved nor as lost)?"
            r"|What was saved is not known: (?:native was not measured|ranks mostly waited for each other"
            r"|delays of calls hide it)"
            r" where \d+% of the time in collectives went)"
        ),
        "<saved>",
    ),
    (
        re.compile(
            rf"Starling could save less than {_AMOUNT} \([\d.]+ % of the run\), which is all that is no waiting"
            rf"|Starling could save {_AMOUNT} \([\d.]+ % of the run\) with the ways that it knows to be faster here"
            r"(?:, and less than [^()]*\([\d.]+ %\), all that is no waiting, where it has measured none)?"
            r"|nothing to save: no way that was measured here is faster by [\d.]+ % of the run"
        ),
        "<prospect>",
    ),
)
_MARK = re.compile(r" \*: rank 0's time\. .*? before they do\.")
_KINDS = (
    (re.compile(r"\S*/\d{8}T\d{6}-[\w.-]+\.json"), "<record>"),
    (re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:]+Z)?"), "<date>"),
    (re.compile(r"(?<![\w.])~?(?:/[\w.+-]+)+/(?=[\w.+-])"), "<folder>/"),
    (_MEASURED, "<number>"),
)
_OF_LABS = re.compile(r"\[h\d+:\d+\] plm:rsh: Warning: setpgid.*\n|starling: lab \w+: CPU-bound.*\n")
"""What is said now and then of a lab: by Open MPI 4's launcher of the substitute for `rsh`, by a busy machine's."""
_END = "\x1e"
"""Printed behind each command's output: no program prints it by itself."""


@dataclass(frozen=True)
class File:
    """A file that the page tells its reader to save."""

    name: str
    text: str

    @property
    def script(self) -> str:
        """The same for the shell."""
        return f"cat >{self.name} <<'{_END}'\n{self.text}{_END}\n"


@dataclass(frozen=True)
class Command:
    """A command of a page and the output below it; `line` is its place in the page."""

    text: str
    output: str
    line: int

    @property
    def script(self) -> str:
        """The same for the shell: a command that fails ends all."""
        return f"{self.text}\nstatus=$?; printf '{_END}'; [ $status = 0 ] || exit $status\n"


def steps(page: str) -> Iterator[File | Command]:
    """What a page has its reader do."""
    for block in _BLOCK.finditer(page):
        if block["title"]:
            yield File(block["title"], block["text"])
        elif block["language"] == "console":
            yield from _commands(block["text"], page.count("\n", 0, block.start()) + 2)


def _commands(block: str, first: int) -> Iterator[Command]:
    lines = block.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    assert starts[:1] == [0], f"line {first}: a console block begins with a command"
    for start, end in itertools.pairwise([*starts, len(lines)]):
        last = next(i for i in range(start, end) if not lines[i].endswith("\\"))
        text = "\n".join(lines[start : last + 1]).removeprefix("$ ")
        yield Command(text, "\n".join(lines[last + 1 : end]), first + start)


def run_page(
    page: Path, folder: Path, before: Sequence[str] = (), env: Mapping[str, str] | None = None, timeout: float = 240
) -> None:
    """Does in a folder what a page says; AssertionError where a command fails or prints something else.

    `before` starts the shell, for instance on a host of a lab. The shell finds `starling` as installed for the tests,
    and Debian's Open MPI. Its home is a fresh one, so nothing was learnt before.
    """
    assert sys.executable.startswith(str(ROOT)), "pages run the starling that `make test-install` installed"
    todo = list(steps(page.read_text()))
    commands = [one for one in todo if isinstance(one, Command)]
    assert commands, f"{page}: no console block"
    script = "exec 2>&1\n" + "".join(one.script for one in todo)
    home = folder / "home"
    home.mkdir()
    paths = [str(Path(sys.executable).parent)]
    paths += [one for one in os.environ["PATH"].split(os.pathsep) if not one.startswith(str(ROOT))]
    plain = {key: value for key, value in environment(mpi_named("openmpi4")).items() if not key.startswith("XDG_")}
    own = {"HOME": str(home), "PATH": os.pathsep.join(paths), "COLUMNS": "100", "LC_ALL": "C.UTF-8", **(env or {})}
    outcome = run_job([*before, "bash", "-c", script], {**plain, **own}, timeout, folder)
    outputs = _OF_LABS.sub("", outcome.stdout).split(_END)
    for i, command in enumerate(commands):
        where = f"{page.name}:{command.line}: {command.text}"
        assert len(outputs) > i + 1 or outcome.status == 0, f"{where}\n{outcome.report()}"
        assert agree(command.output, outputs[i]), f"{where}\n--- prints\n{outputs[i]}\n--- the page\n{command.output}"
    assert outcome.status == 0, outcome.report()


def agree(shown: str, printed: str) -> bool:
    """Whether output is that of a page, but for what differs from run to run."""
    pattern = _plain(shown).replace("...", "\0")
    wanted = re.escape(pattern).replace("\\ \0", "\0").replace("\0\\ ", "\0").replace("\0", ".*")
    return re.fullmatch(wanted, _plain(printed)) is not None


def _plain(text: str) -> str:
    text = _MARK.sub("", " ".join(text.split()))
    for kind, name in (*_OUTCOMES, (_ways(), "<way>"), *_KINDS):
        text = kind.sub(name, text)
    return text


@functools.cache
def _ways() -> re.Pattern[str]:
    names = {one["name"] for one in repository.listing()["algorithms"]}
    some = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    way = rf"(?:native_\w+|(?:native|{some})(?:_(?:light|mpi)_barrier)?)(?:\?[\w=.,:+]+)?"
    return re.compile(rf"(?<![\w/.-]){way}(?![\w/.-])")

"""A strategy of the library that says what to try next: `starling-repository search`, asked line by line."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from starling.installation import questions
from starling.messages import printable
from starling.parameters.space import Settings, SpaceError, in_words


class Choice(NamedTuple):
    """What the strategy chose, and why."""

    settings: Settings
    why: str


class Strategist:
    """A search among settings, each of which is a candidate whose attributes are its values."""

    def __init__(
        self, strategy: str, candidates: Sequence[Settings], repetitions: int, environ: Mapping[str, str]
    ) -> None:
        """Raises RepositoryError where the installation is incomplete."""
        self._strategy = strategy
        self._named = {in_words(one): one for one in candidates}
        self._process = subprocess.Popen(
            [str(questions.repository()), "search", strategy],
            env={**environ, "STARLING_ITER": str(repetitions)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for us
        )
        self._say([{"name": name, "attributes": one} for name, one in self._named.items()])

    def asks(self) -> Settings | Choice:
        """What to try next, or what the strategy has chosen. Raises SpaceError where there is no such strategy."""
        assert self._process.stdout is not None  # noqa: S101 - for mypy: it is a pipe
        line = self._process.stdout.readline()
        if not line:
            raise SpaceError(f"--strategy {printable(self._strategy)}: {self._complaint()}")
        found: dict[str, Any] = json.loads(line)
        if "try" in found:
            return self._named[found["try"]]
        return Choice(self._named[found["chosen"]], str(found["why"]))

    def tell(self, cost: float | None) -> None:
        """What the settings tried cost, in any unit; None where they failed."""
        self._say(cost)

    def _say(self, value: object) -> None:
        assert self._process.stdin is not None  # noqa: S101 - for mypy: it is a pipe
        with contextlib.suppress(OSError):  # it has ended, and `asks` says why
            print(json.dumps(value), file=self._process.stdin, flush=True)

    def _complaint(self) -> str:
        assert self._process.stderr is not None  # noqa: S101 - for mypy: it is a pipe
        return printable(self._process.stderr.read().strip().removeprefix("starling-repository: "))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

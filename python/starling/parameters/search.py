"""The search: a strategy says what to run, what it chose is compared with the MPI library as it is, in turn."""

from __future__ import annotations

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from starling.parameters.journal import Journal, Line, Of, key
from starling.parameters.runs import Answer, Failed, Figure, Measured, Runner
from starling.parameters.space import Settings
from starling.parameters.strategist import Choice, Strategist
from starling.verdicts.compare import Comparison

_PATIENCE = 20.0
"""A run that takes so many times as long as the library as it is counts as failed ..."""
_LEAST_PATIENCE = 60.0
"""... but not before so many seconds."""
_FOR_SEARCH = 0.8
"""Share of the budget after which the search ends, so that what it found can be compared."""
_LEAST_PAIRS = 2
"""Pairs that are run whatever the budget: one tells nothing of the scatter."""


class DefaultError(Exception):
    """The program fails with the MPI library as it is; `said` are its last lines, `status` its exit status."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"the run without any parameter gave no figure: {failed.why}")
        self.said, self.status = failed.said, failed.status


@dataclass
class Outcome:
    """What was found."""

    figure: Figure
    candidates: Sequence[Settings]
    default: list[float] = field(default_factory=list)
    """Figures of the library as it is."""
    found: dict[tuple[tuple[str, str], ...], list[float]] = field(default_factory=dict)
    """Figures of the settings that were tried, by their `key`."""
    failed: dict[tuple[tuple[str, str], ...], str] = field(default_factory=dict)
    chosen: Settings | None = None
    """None where all settings that were tried failed."""
    why: str = ""
    complete: bool = True
    """The strategy came to its end."""
    pairs: list[tuple[float, float]] = field(default_factory=list)
    """Figures of the library as it is and with the chosen settings, measured in turn."""
    broken: str = ""
    """Why a run of these pairs failed; no other followed."""

    @property
    def comparison(self) -> Comparison | None:
        """Native is the library as it is, tuned with the settings; None without a pair."""
        if not self.pairs:
            return None
        native, tuned = zip(*(map(self.figure.cost, pair) for pair in self.pairs), strict=True)
        return Comparison((), native, tuned)

    @property
    def is_better(self) -> bool:
        """Whether the chosen settings are better than none, with 95 % confidence."""
        comparison = self.comparison
        return (
            not self.broken
            and comparison is not None
            and comparison.margin is not None
            and comparison.ratio - comparison.margin > 1
        )

    def cost(self, settings: Settings) -> float:
        """The median cost of settings; infinite where they failed or were not tried."""
        one = key(settings)
        if one in self.failed or not self.found.get(one):
            return math.inf
        return self.figure.cost(median(self.found[one]))


Tell = Callable[[str, Settings], None]
"""Is told what runs next: what for, and with which settings."""


class Search:
    """A search that may have begun earlier: what the journal has is not measured again."""

    def __init__(
        self,
        runner: Runner,
        outcome: Outcome,
        journal: Journal,
        budget: float | None,
        tell: Tell,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runner, self._journal, self._tell, self._clock = runner, journal, tell, clock
        self._outcome = outcome
        self._budget = math.inf if budget is None else budget
        self._before = journal.elapsed
        self._began = clock()
        self._patience: float | None = None
        self._kept: dict[tuple[tuple[str, str], ...], deque[Line]] = defaultdict(deque)
        self._pairs: list[Line] = []
        for line in journal.lines:
            if line.of == "search":
                self._kept[key(line.settings)].append(line)
            elif line.of == "pair":
                self._pairs.append(line)

    @property
    def _elapsed(self) -> float:
        return self._before + self._clock() - self._began

    def run(self, strategy: str, repetitions: int, pairs: int, environ: Mapping[str, str]) -> None:
        """Searches. Raises DefaultError, SpaceError, JournalError, JobError, RepositoryError."""
        with Strategist(strategy, self._outcome.candidates, repetitions, environ) as strategist:
            asked = strategist.asks()  # tells of a wrong strategy before anything runs
            self._as_it_is()
            # A strategy takes costs for seconds; other figures may be of any size.
            in_seconds = self._outcome.figure.expression is None
            unit = 1.0 if in_seconds else self._outcome.figure.cost(self._outcome.default[0])
            while not isinstance(asked, Choice):
                answer = self._of(asked)
                if answer is None:
                    self._best_so_far()
                    break
                strategist.tell(answer / unit if math.isfinite(answer) else None)
                asked = strategist.asks()
            else:
                # Among one candidate there is nothing to search.
                if not self._outcome.found.get(key(asked.settings)):
                    self._of(asked.settings)
                if math.isfinite(self._outcome.cost(asked.settings)):
                    self._outcome.chosen, self._outcome.why = asked.settings, asked.why if in_seconds else ""
        if self._outcome.chosen is not None:
            self._compare(self._outcome.chosen, pairs)

    def _best_so_far(self) -> None:
        self._outcome.complete = False
        best = min(self._outcome.candidates, key=self._outcome.cost)
        if math.isfinite(self._outcome.cost(best)):
            self._outcome.chosen = best
            tried = len(self._outcome.found)
            self._outcome.why = f"the best of the {tried} that were tried before the budget was used up"

    def _as_it_is(self) -> None:
        """One run without parameters: whether the line works, and how long it takes."""
        line = next((line for line in self._journal.lines if line.of == "default"), None)
        if line is None:
            self._tell("the line alone", {})
            answer = self._runner.run({}, None)
            if isinstance(answer, Failed):
                raise DefaultError(answer)
            line = Line("default", {}, [answer.figure], "", answer.took)
            self._journal.add(line)
        self._outcome.default.extend(line.figures)
        self._patience = max(_PATIENCE * line.took, _LEAST_PATIENCE)

    def _of(self, settings: Settings) -> float | None:
        """The cost of a run with settings, infinite where it failed; None where the budget has no more of them."""
        one = key(settings)
        if self._kept[one]:
            line = self._kept[one].popleft()
        elif self._elapsed > _FOR_SEARCH * self._budget:
            return None
        else:
            self._tell("searching", settings)
            answer = self._runner.run(settings, self._patience)
            line = _line("search", settings, [answer])
            self._journal.add(line)
        if line.failed:
            self._outcome.failed[one] = line.failed
            return math.inf
        self._outcome.found.setdefault(one, []).extend(line.figures)
        return self._outcome.figure.cost(line.figures[0])

    def _compare(self, settings: Settings, pairs: int) -> None:
        """The library as it is and with the settings, in turn; which comes first changes."""
        kept = deque(line for line in self._pairs if key(line.settings) == key(settings))
        for number in range(pairs):
            if kept:
                line = kept.popleft()
            elif number >= _LEAST_PAIRS and self._elapsed > self._budget:
                return
            else:
                line = self._pair(settings, number)
                self._journal.add(line)
            if line.failed:
                self._outcome.broken = line.failed
                return
            self._outcome.pairs.append((line.figures[0], line.figures[1]))

    def _pair(self, settings: Settings, number: int) -> Line:
        nothing: Settings = {}
        both = [nothing, settings] if number % 2 == 0 else [settings, nothing]
        answers = []
        for one in both:
            self._tell(f"comparing, pair {number + 1}", one)
            answers.append(self._runner.run(one, self._patience))
        return _line("pair", settings, answers if number % 2 == 0 else answers[::-1])


def _line(of: Of, settings: Settings, answers: Sequence[Answer]) -> Line:
    failed = next((one for one in answers if isinstance(one, Failed)), None)
    figures = [one.figure for one in answers if isinstance(one, Measured)]
    took = sum(one.took for one in answers)
    if failed is not None:
        return Line(of, settings, [], failed.why, took)
    return Line(of, settings, figures, "", took)

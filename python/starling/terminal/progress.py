"""How far a command that runs programs has come, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from starling.terminal.console import terminal


@contextmanager
def progress(total: int) -> Iterator[Callable[[int, str], None]]:
    """A function that is told how many of `total` runs are done and what the next one is. Silent without a terminal."""
    console = terminal(to_stderr=True)
    if not console.is_terminal:
        yield lambda _done, _what: None
        return
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)

        def show(done: int, what: str) -> None:
            bar.update(task, completed=done, description=f"run {done + 1} of {total}: {what}")

        yield show

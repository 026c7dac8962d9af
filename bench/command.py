"""What the scripts of this folder share: how they tell mistakes, and `measure ... -- LAUNCHER`, then `draw`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from starling.lab.measured import MeasuredError
from starling.messages import MISUSE


@contextmanager
def mistakes_told() -> Iterator[None]:
    """Ends the script at a MeasuredError: its sentence in one line on stderr, and the exit status of wrong use."""
    try:
        yield
    except MeasuredError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(MISUSE)


def command_line(
    doc: str | None,
    add_options: Callable[[argparse.ArgumentParser], None],
    measure: Callable[[argparse.Namespace], None],
    draw: Callable[[argparse.Namespace], None] | None = None,
    *,
    on_lab: bool = True,
    needs_lab: bool = True,
) -> None:
    """Measures into `options.output`, or draws `options.measured` as `options.picture` where there is a `draw`.

    `on_lab`: measuring needs a launcher; with `needs_lab` also the platform from `starling lab run`.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    add_options(measuring)
    measuring.add_argument("-o", "--output", type=Path, required=True)
    if on_lab:
        measuring.add_argument("launcher", nargs="+", metavar="LAUNCHER", help="without a program")
    measuring.set_defaults(does=measure)
    if draw is not None:
        drawing = commands.add_parser("draw")
        drawing.add_argument("measured", type=Path, nargs="+")
        drawing.add_argument("picture", type=Path)
        drawing.set_defaults(does=draw)
    options = parser.parse_args()
    with mistakes_told():
        if on_lab and needs_lab and options.does is measure and "STARLING_PLATFORM" not in os.environ:
            raise MeasuredError("no lab: put `starling lab run --` before it")
        options.does(options)

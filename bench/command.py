"""The command line that the scripts of this folder share: `measure ... -- LAUNCHER`, then `draw`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def command_line(
    doc: str | None,
    add_options: Callable[[argparse.ArgumentParser], None],
    measure: Callable[[argparse.Namespace], None],
    draw: Callable[[argparse.Namespace], None],
) -> None:
    """Measures into `options.output`, or draws `options.measured` as `options.picture` and prints tables."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    add_options(measuring)
    measuring.add_argument("-o", "--output", type=Path, required=True)
    measuring.add_argument("launcher", nargs="*", metavar="LAUNCHER", help="without a program")
    measuring.set_defaults(does=measure)
    drawing = commands.add_parser("draw")
    drawing.add_argument("measured", type=Path, nargs="+")
    drawing.add_argument("picture", type=Path)
    drawing.set_defaults(does=draw)
    options = parser.parse_args()
    options.does(options)

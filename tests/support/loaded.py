"""A process that has loaded the command and forks itself for each request: a program for `support.command`.

A request is a line of JSON with the members of `Request`; the answer is a line with the exit status.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import runpy
import sys
from pathlib import Path
from typing import TypedDict

import typer.main

from starling.commands import cli

MODELS = ("lab.measured", "lab.state", "networks.platform_file", "records.report", "tables.table", "terminal.console")
"""Modules that commands load when they need them, and that take long."""


class Request(TypedDict):
    """What a command is started with: its words, its variables, where it is, and the files that it writes to."""

    script: str
    """A Python program of that name in place of the command, where it is not empty."""
    words: list[str]
    env: dict[str, str]
    cwd: str
    stdout: str
    stderr: str


def become(request: Request) -> None:
    """Makes this process the command, but for what it is about to do."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, file in ((1, request["stdout"]), (2, request["stderr"])):
        os.dup2(os.open(file, os.O_WRONLY), number)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.argv = [request["script"] or sys.argv[0], *request["words"]]


def main() -> None:
    """Serves until there are no more requests; a forked process is the command from then on, and ends as it does."""
    typer.main.get_command = functools.cache(typer.main.get_command)  # it reads what all functions say of their options
    typer.main.get_command(cli.app)
    for name in MODELS:
        importlib.import_module(f"starling.{name}")
    gc.freeze()  # what is loaded is no garbage, and to look at it makes copies of its pages
    for line in iter(sys.stdin.readline, ""):
        forked = os.fork()
        if not forked:
            request: Request = json.loads(line)
            become(request)
            if request["script"]:
                sys.path[0] = str(Path(request["script"]).parent)
                runpy.run_path(request["script"], run_name="__main__")
            else:
                runpy.run_module("starling", run_name="__main__")
            return
        _, status = os.waitpid(forked, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()

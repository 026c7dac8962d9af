"""Commands are made once for all tests of a process."""

import functools

import typer.main

# Before typer.testing takes it. It reads what all functions say of their options: most of a short command's time.
typer.main.get_command = functools.cache(typer.main.get_command)

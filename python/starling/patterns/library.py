"""The library in this process, and its C functions."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import Any

from starling.installation import variants
from starling.launchers import launcher

FAILED = 13
"""STARLING_ERROR_FAILED: the function of the set failed on this rank."""


class Error(RuntimeError):
    """A call that the library refused: the code of starling/patterns.h, and what is wrong."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@functools.cache
def library() -> ctypes.CDLL:
    """The library: the one that is preloaded or linked, else the one for the MPI of this interpreter, loaded now.

    Raises Error where it comes too late to stand in front of MPI, or is not built.
    """
    loaded = ctypes.CDLL(None)
    if not hasattr(loaded, "starling_error_detail"):
        if "mpi4py.MPI" in sys.modules:
            raise Error(17, "import starling.patterns before mpi4py.MPI, or run the program by starling run")
        line = [sys.executable]
        choice = variants.choose(line, launcher.locate(line), os.environ)
        file = variants.library(choice.variant, os.environ) if choice else None
        if file is None:
            raise Error(17, "the MPI of this interpreter is not known; run the program by starling run --mpi FLAVOUR")
        loaded = ctypes.CDLL(str(file), mode=ctypes.RTLD_GLOBAL)
    loaded.starling_error_text.restype = ctypes.c_char_p
    loaded.starling_error_detail.restype = ctypes.c_char_p
    return loaded


def called(name: str, *arguments: Any) -> int:
    """The code that a function returns."""
    return int(getattr(library(), name)(*arguments))


def fault(code: int) -> Error:
    """The error of the latest call, which returned that code."""
    detail = library().starling_error_detail() or library().starling_error_text(code)
    return Error(code, detail.decode(errors="replace"))


def call(name: str, *arguments: Any) -> None:
    """Calls a function. Raises Error where it fails."""
    code = called(name, *arguments)
    if code != 0:
        raise fault(code)


def text(given: str | None) -> bytes | None:
    """A text for C."""
    return None if given is None else given.encode()


def integers(values: Any) -> ctypes.Array[ctypes.c_int]:
    """Integers for C."""
    given = [int(one) for one in values]
    return (ctypes.c_int * max(1, len(given)))(*given)

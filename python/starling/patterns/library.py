"""The library in this process, and its C functions."""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
from typing import Any

HANDLE = 2
"""STARLING_ERROR_HANDLE: a handle that is freed."""
ATTRIBUTE = 8
"""STARLING_ERROR_ATTRIBUTE."""
FAILED = 13
"""STARLING_ERROR_FAILED: the function of the set failed on this rank."""
INACTIVE = 17
"""STARLING_ERROR_INACTIVE: the library is not loaded, or not in use."""

HOW = "start the program by: starling run -- mpirun ... python ..."
"""What to do where the library is missing."""


class Error(RuntimeError):
    """A call that the library refused: what is wrong, and in `code` the number that starling/patterns.h gives it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@functools.cache
def library() -> ctypes.CDLL | None:
    """The library that `starling run` has preloaded, which cannot be loaded later; None where it is missing."""
    loaded = ctypes.CDLL(None)
    if hasattr(loaded, "starling_library"):  # it opens the library for the MPI that is loaded by then
        importlib.import_module("mpi4py.MPI")
        loaded.starling_library.restype = ctypes.c_char_p
        loaded = ctypes.CDLL(os.fsdecode(loaded.starling_library()) or None)
    if not hasattr(loaded, "starling_error_detail"):
        return None
    loaded.starling_error_text.restype = ctypes.c_char_p
    loaded.starling_error_detail.restype = ctypes.c_char_p
    return loaded


def called(name: str, *arguments: Any) -> int:
    """The code that a function returns; 0 where there is no library, whose objects are then empty."""
    loaded = library()
    return 0 if loaded is None else int(getattr(loaded, name)(*arguments))


def fault(code: int) -> Error:
    """The error of the latest call, which returned that code; where there is no library, that."""
    loaded = library()
    if loaded is None:
        return Error(INACTIVE, f"the library is not loaded; {HOW}")
    detail = loaded.starling_error_detail() or loaded.starling_error_text(code)
    return Error(code, detail.decode(errors="replace"))


def call(name: str, *arguments: Any) -> None:
    """Calls a function where there is the library. Raises Error where it fails."""
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

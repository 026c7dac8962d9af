"""Ranks of a PMIx job meet in fences without data; fails where one leaves before all have come.

fences.py FILE: FILE has a byte for each rank, all 0.
"""

import ctypes
import mmap
import sys
from pathlib import Path

NO_INFO = (None, ctypes.c_size_t(0))


class Process(ctypes.Structure):
    """pmix_proc_t."""

    _fields_ = (("namespace", ctypes.c_char * 256), ("rank", ctypes.c_uint32))


def main() -> None:
    pmix = ctypes.CDLL("libpmix.so.2")
    me = Process()
    assert pmix.PMIx_Init(ctypes.byref(me), *NO_INFO) == 0
    with Path(sys.argv[1]).open("r+b") as file, mmap.mmap(file.fileno(), 0) as fences:
        for fence in range(1, 51):
            fences[me.rank] = fence
            assert pmix.PMIx_Fence(None, ctypes.c_size_t(0), *NO_INFO) == 0
            come = fences[:]
            assert min(come) >= fence, f"rank {me.rank} left fence {fence}; so far each rank came to {list(come)}"
    pmix.PMIx_Finalize(*NO_INFO)


if __name__ == "__main__":
    main()

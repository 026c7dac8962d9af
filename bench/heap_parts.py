"""Where the heap of a communicator with 16 keys goes: `python bench/heap_parts.py [STRATEGY ...]`, or of the `lottery`.

As `bench/figures.py --memory` measures it, on 2 ranks of Open MPI, of the rank that takes more: KiB a key, by what
allocated it. It needs the symbols of the library as it is built, in build-test/wheel, which the installed one lacks.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from support.mpis import compile_c, debian_mpis, run_ranks

HERE = Path(__file__).parent
LIBRARY = HERE.parent / "build-test/wheel/libstarling-openmpi.so"
KEYS = 16
PARTS = {
    "times of calls, for the record": r"Tuner::(begin_samples|end|add_bookkeeping|rest)\b|Context::let_rest",
    "decisions": r"Strategy::decide|::why",
    "numbers of agreements": r"Arrivals::|CallTimes::|Tuner::agree\b",
    "the strategy": r"strategies::|DynamicAeos|Search|Trials|Waiting|Lottery",
    "plans and operations": r"ScheduleCarrier::|Plans::|bind\b",
    "carriers": r"carrier_for|Context::make_carrier",
    "context and tuner": r"Tuner::|Context::|Communicator::context|Communicator::look_up",
}
"""What allocated it: the innermost caller that one of these is found in."""


def functions(addresses: Iterable[str]) -> dict[str, str]:
    """The function at each address of the library."""
    asked = sorted(set(addresses))
    told = subprocess.run(
        ["addr2line", "-Cfe", str(LIBRARY)], input="\n".join(asked), check=True, capture_output=True, text=True
    ).stdout
    return dict(zip(asked, told.splitlines()[::2], strict=True))


def part_of(callers: Iterable[str]) -> str:
    """The part of a block that was allocated by `callers`, innermost first."""
    for caller in callers:
        name = re.sub(r"\(.*", "", caller.replace("(anonymous namespace)::", ""))
        for part, pattern in PARTS.items():
            if re.search(pattern, name) and not name.startswith(("std::", "void std::")):
                return part
    return "all else of the communicator"


def parts(trace: Path) -> Counter[str]:
    """Bytes by part."""
    blocks = [line.split() for line in trace.read_text().splitlines()]
    own = f"{LIBRARY.resolve()}+"
    names = functions(caller.removeprefix(own) for _, *callers in blocks for caller in callers if own in caller)
    found: Counter[str] = Counter()
    for size, *callers in blocks:
        inner = [names[caller.removeprefix(own)] for caller in callers if own in caller]
        found[part_of(inner) if inner else "the MPI library"] += int(size)
    return found


def main() -> None:
    """Prints a table for each strategy."""
    mpi = next(one for one in debian_mpis() if one.flavour == "openmpi")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hook = folder / "heap_parts.so"
        command = ["gcc", "-O2", "-shared", "-fPIC", str(HERE / "heap_parts.c"), "-o", str(hook)]
        subprocess.run(command, check=True)
        program = str(compile_c(mpi, HERE / "keys.c", folder))
        for strategy in sys.argv[1:] or ["lottery"]:
            traces = folder / f"{strategy}-"
            env = {
                "LD_PRELOAD": f"{hook} {LIBRARY.resolve()}",
                "HEAP_PARTS": str(traces),
                "STARLING_HISTORY": "off",
                "STARLING_RECORD": os.devnull,
                "STARLING_STRATEGY": strategy,
            }
            # The first communicator also pays for what is kept for all.
            run_ranks(mpi, 2, [program, str(KEYS), "400", "3"], env, 400).check()
            found = max((parts(one) for one in folder.glob(f"{strategy}-*")), key=lambda one: sum(one.values()))
            print(f"{strategy}: {sum(found.values()) / 1024:.1f} KiB; a key:")
            for part, size in found.most_common():
                print(f"  {part:32} {size / 1024 / KEYS:5.2f} KiB")


if __name__ == "__main__":
    main()

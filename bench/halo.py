"""Halo exchange: each implementation of table 1 against one written by hand, in one run (bench/halo.cpp).

usage: PYTHONPATH=tests python bench/halo.py [--ranks N] [--calls N] [--blocks N]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from support.mpis import Mpi, compile_cxx, debian_mpis, run_ranks, runtime

HERE = Path(__file__).parent
CASES = ((1, 1, 1), (3, 4, 1), (3, 32, 1))
"""Dimensions, inner cells along each, width of the halo."""


def measured(mpi: Mpi, program: Path, ranks: int, case: tuple[int, ...], calls: int, blocks: int) -> list[str]:
    """A line of name, microseconds and ratio for each way to exchange."""
    argv = [str(program), *map(str, case), str(calls), str(blocks)]
    return run_ranks(mpi, ranks, argv, timeout=600).check().stdout.splitlines()


def main() -> None:
    """Prints a table for each MPI library and case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--blocks", type=int, default=21)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="starling-halo-") as folder:
        for mpi in debian_mpis():
            program = compile_cxx(
                mpi, HERE / "halo.cpp", Path(folder), ["-O2", f"-DSTARLING_ABI={mpi.abi}", *runtime(mpi), "-ldl"]
            )
            for case in CASES:
                dimensions, inner, width = case
                print(f"\n{mpi}, {options.ranks} ranks, {dimensions} dimensions of {inner} cells, halo {width}")
                print(f"{'':22}{'microseconds':>14}{'by hand = 1':>14}")
                for line in measured(mpi, program, options.ranks, case, options.calls, options.blocks):
                    name, microseconds, ratio = line.split()
                    print(f"{name:22}{float(microseconds):14.2f}{float(ratio):14.3f}")


if __name__ == "__main__":
    main()

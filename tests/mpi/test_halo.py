"""Halo exchange on real MPI libraries: every implementation on random grids, and arrays that do not fit together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mpi.test_operations import runtime
from support.mpis import Mpi, compile_cxx, debian_mpis, run_ranks

HERE = Path(__file__).parent

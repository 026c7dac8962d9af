"""Starling makes the collectives of any MPI program adapt to the machine, the network and the program itself."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("starling-mpi")
except PackageNotFoundError:  # run from the sources
    __version__ = "0+sources"

"""The formats of `starling export`, by themselves: the command line names them before it loads what writes them."""

from enum import StrEnum


class Format(StrEnum):
    """What a table can be exported to."""

    OPENMPI_RULES = "openmpi-rules"
    OPENMPI_JSON = "openmpi-json"
    MPICH_JSON = "mpich-json"
    MPICH_ENV = "mpich-env"
    IMPI_ENV = "impi-env"
    UCC = "ucc"

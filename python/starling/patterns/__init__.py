"""Patterns of the application's own, for programs with mpi4py.

Such programs are run by `starling run` (docs/patterns.md).
"""

from starling.patterns.library import Error
from starling.patterns.nouns import (
    Attribute,
    AttributeSet,
    Figures,
    Function,
    FunctionSet,
    Map,
    Request,
    Timer,
    Topology,
    Vector,
)

__all__ = [
    "Attribute",
    "AttributeSet",
    "Error",
    "Figures",
    "Function",
    "FunctionSet",
    "Map",
    "Request",
    "Timer",
    "Topology",
    "Vector",
]

"""Starling makes the collectives of any MPI program adapt to the machine, the network and the program itself."""

from __future__ import annotations


def __getattr__(name: str) -> str:
    """`__version__`, read on first use from the sources installed with the package."""
    if name != "__version__":
        raise AttributeError(f"module {__name__} has no attribute {name}")
    for folder in __path__:
        try:
            with open(f"{folder}/sources/VERSION", encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes longer
                return file.read().strip()
        except OSError:
            continue
    return "0+sources"

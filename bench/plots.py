"""Pictures of measurements: reproducible SVG files."""

from __future__ import annotations

from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from starling.lab.measured import MeasuredError
from starling.messages import not_written

ENOUGH = 4
"""Labels that an axis needs."""
STEPS = ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7))
"""Numbers of a decade that are labelled, from coarse to fine."""


def pyplot() -> Any:
    """Matplotlib's pyplot, for files only. Raises MeasuredError where it is not installed."""
    try:
        import matplotlib as mpl
        from matplotlib import pyplot as plotting
    except ModuleNotFoundError as error:
        raise MeasuredError("matplotlib, which draws, is not installed; run: pip install '.[plots]'") from error

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "starling"
    return plotting


def logarithmic(panel: Any) -> None:
    """A logarithmic y axis with plain numbers and a grid."""
    panel.set(yscale="log")
    plain(panel.yaxis)
    panel.grid(visible=True, which="both", alpha=0.3)


def plain(axis: Any) -> None:
    """Plain numbers on a logarithmic axis, enough to read it by: the fewer decades, the more of each."""
    from matplotlib import ticker

    locator = ticker.LogLocator()
    locator.tick_values = _numbers
    axis.set_major_locator(locator)
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def _numbers(least: float, most: float) -> list[float]:
    """Round numbers from about the least to the most, as many as the coarsest steps with enough of them give."""
    from matplotlib import ticker

    decades = range(floor(log10(least)), ceil(log10(most)) + 1)
    for steps in STEPS:
        found = [step * 10.0**decade for decade in decades for step in steps]
        if sum(least <= one <= most for one in found) >= ENOUGH:
            return found
    return [one for one in ticker.MaxNLocator(2 * ENOUGH, steps=[1, 2, 5, 10]).tick_values(least, most) if one > 0]


def save(figure: Any, path: Path) -> None:
    """Saves without the date, so that the file changes only with its content. Raises MeasuredError."""
    try:
        figure.savefig(path, metadata={"Date": None})
    except OSError as error:
        raise MeasuredError(not_written(path, error)) from error

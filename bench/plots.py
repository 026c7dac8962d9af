"""Pictures of measurements: reproducible SVG files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starling.lab.measured import MeasuredError
from starling.messages import not_written


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
    from matplotlib import ticker

    panel.set(yscale="log")
    for axis in (panel.yaxis.set_major_formatter, panel.yaxis.set_minor_formatter):
        labels = ticker.LogFormatter(minor_thresholds=(1.5, 0.6))  # decades: where there are more, fewer labels
        labels._num_to_string = lambda x, *_: f"{x:g}"  # no power of ten
        axis(labels)
    panel.grid(visible=True, which="both", alpha=0.3)


def save(figure: Any, path: Path) -> None:
    """Saves without the date, so that the file changes only with its content. Raises MeasuredError."""
    try:
        figure.savefig(path, metadata={"Date": None})
    except OSError as error:
        raise MeasuredError(not_written(path, error)) from error

"""Bytes and seconds for people."""

from __future__ import annotations

import math


def human_bytes(number: int | None) -> str:
    """`8 B`, `64 KiB`, `1.5 MiB`; `-` where ranks cannot know it."""
    if number is None:
        return "-"
    value = float(number)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.4g} {unit}"


def human_seconds(number: float | None) -> str:
    """Three figures and a fitting unit: `3.21 us`, `12.0 ms`, `1.50 s`; `-` for an unknown time."""
    if number is None or not math.isfinite(number):
        return "-"
    absolute = abs(number)
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if absolute * factor >= 0.9995:
            scaled = number * factor
            digits = max(0, 3 - len(str(int(abs(scaled)))))
            return f"{scaled:.{digits}f} {unit}"
    return "0 s" if absolute < 1e-10 else f"{number * 1e9:.0f} ns"

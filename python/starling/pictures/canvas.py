"""Parts of the pictures of schedules: colours, scale, arrows. All lengths are in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

LEFT = 76.0
"""Where time begins; labels of ranks are left of it."""
TOP = 76.0
"""The line of rank 0; title and numbers of steps are above it."""

STYLE = """
text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; fill: #24292f; }
.title { font-size: 15px; font-weight: 600; }
.root-name { font-weight: 700; }
.faint { fill: #5b6570; }
.card { fill: #ffffff; stroke: #d5dae0; }
.rank { stroke: #b4bcc6; stroke-width: 1.2; }
.step { stroke: #e3e7ec; stroke-width: 1; }
.store path { fill: #2f6fb3; stroke: #2f6fb3; }
.combine path, circle.combine { fill: #c2561a; stroke: #c2561a; }
.sync path { fill: #6b7683; stroke: #6b7683; }
.sync .shaft { stroke-dasharray: 5 4; }
.shaft { fill: none !important; stroke-linecap: butt; }
.head { stroke-width: 0; }
circle.copy { fill: #ffffff; stroke: #2f6fb3; stroke-width: 1.4; }
.sub rect { fill: #e9e3f5; stroke: #6e56a8; }
.sub circle { fill: #6e56a8; }
.sub text { fill: #49367a; font-size: 11px; }
@media (prefers-color-scheme: dark) {
  text { fill: #e3e8ee; }
  .faint { fill: #9aa6b3; }
  .card { fill: #14181d; stroke: #343c46; }
  .rank { stroke: #55606d; }
  .step { stroke: #262d35; }
  .store path { fill: #6cabea; stroke: #6cabea; }
  .combine path, circle.combine { fill: #ee8d4f; stroke: #ee8d4f; }
  .sync path { fill: #8f9baa; stroke: #8f9baa; }
  circle.copy { fill: #14181d; stroke: #6cabea; }
  .sub rect { fill: #2d2543; stroke: #a58fdb; }
  .sub circle { fill: #a58fdb; }
  .sub text { fill: #d2c4f2; }
}
"""


def number(value: float) -> str:
    """At most one decimal, none where it is 0."""
    return f"{value:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Scale:
    """From rank, time and number of blocks to pixels."""

    unit: float
    pitch: float
    most_blocks: int

    def x(self, time: float) -> float:
        """Where that time is."""
        return LEFT + self.unit * time

    def y(self, rank: float) -> float:
        """Where the line of that rank is."""
        return TOP + self.pitch * rank

    def thickness(self, blocks: int) -> float:
        """Width of a message's line: a constant more for every doubling, limited so that lines do not merge."""
        if blocks == 0:
            return 1.0
        doublings = math.log2(max(self.most_blocks, 2))
        return 1.5 + min(1.1, (0.18 * self.pitch - 1.5) / doublings) * math.log2(blocks)


def arrow(kind: str, start: tuple[float, float], end: tuple[float, float], thickness: float, label: str = "") -> str:
    """A line with a head whose tip is at `end`."""
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1)
    along, across = ((x2 - x1) / length, (y2 - y1) / length), 2.6 + 0.75 * thickness
    head = 2.2 * across
    bx, by = x2 - head * along[0], y2 - head * along[1]
    left = f"{number(bx - across * along[1])} {number(by + across * along[0])}"
    right = f"{number(bx + across * along[1])} {number(by - across * along[0])}"
    title = f"<title>{escape(label)}</title>" if label else ""
    return (
        f'<g class="{kind}">{title}'
        f'<path class="shaft" stroke-width="{number(thickness)}"'
        f' d="M{number(x1)} {number(y1)}L{number(bx)} {number(by)}"/>'
        f'<path class="head" d="M{number(x2)} {number(y2)}L{left}L{right}Z"/></g>'
    )

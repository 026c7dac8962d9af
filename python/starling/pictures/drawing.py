"""A picture of what all ranks do in one candidate: a self-contained SVG, drawn from the schedule itself.

Ranks are lines, logical time goes to the right (starling.timeline). Browsers show details under the pointer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from starling.pictures.canvas import LEFT, STYLE, Scale, arrow, number
from starling.pictures.timeline import Blocks, Local, Message, Plan, TimedShared, Timeline, Work, timeline

_RIGHT = 24.0
_LEAST_WIDTH = 560.0
_LETTER = 6.6
"""An upper bound for the mean width of a letter of the legend."""
_BAR = 20.0
"""Width of a shared step's bar."""


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" + "s" * (count != 1)


def _blocks_text(blocks: Blocks) -> str:
    """`recv block 3`, `scratch 0 blocks 2-5`."""
    last = blocks.first + blocks.count - 1
    return f"{blocks.buffer} block" + (f" {blocks.first}" if blocks.count == 1 else f"s {blocks.first}-{last}")


def _kind(message: Message) -> str:
    """The class of a message in the picture."""
    if message.sent.count == 0:
        return "sync"
    return "combine" if message.combined else "store"


def _scale(ranks: int, found: Timeline) -> Scale:
    """The scale of a picture about 800 wide, wider where lines would get too steep."""
    pitch = 34.0 if ranks <= 10 else 26.0 if ranks <= 20 else 20.0
    height = pitch * ranks
    unit = min(max(max(760.0, 1.6 * height) / max(found.end, 1.0), 44.0, height / 7), 460.0)
    return Scale(unit, pitch, max((message.sent.count for message in found.messages), default=0))


def _message(message: Message, beside: float, scale: Scale) -> str:
    """Its arrow, moved by `beside` pixels. It ends shortly before the arrival, to leave a gap before the next."""
    gap = min(9.0, 0.12 * scale.unit)
    label = f"rank {message.sender} to rank {message.receiver}: " + (
        f"{_blocks_text(message.sent)} into {_blocks_text(message.received)}" if message.sent.count else "no data"
    )
    return arrow(
        _kind(message),
        (scale.x(message.start), scale.y(message.sender) + beside),
        (scale.x(message.arrival) - gap, scale.y(message.receiver) + beside),
        scale.thickness(message.sent.count),
        label + (", combined there" if message.combined else ""),
    )


def _messages(messages: Sequence[Message], scale: Scale) -> Iterable[str]:
    """Arrows, side by side where several go the same way at once; thin ones last, so that none is hidden."""
    ways: dict[tuple[int, int, float, float], list[Message]] = {}
    for one in sorted(messages, key=lambda one: -one.sent.count):
        ways.setdefault((one.sender, one.receiver, one.start, one.arrival), []).append(one)
    apart = 0.13 * scale.pitch
    for side_by_side in ways.values():
        step = min(apart, 0.7 * scale.pitch / len(side_by_side))
        for index, one in enumerate(side_by_side):
            yield _message(one, (index - (len(side_by_side) - 1) / 2) * step, scale)


def _local(one: Local) -> str:
    return f"{one.kind} {_blocks_text(one.source)} {'with' if one.kind == 'combine' else 'to'} {_blocks_text(one.into)}"


def _dot(work: Work, scale: Scale) -> str:
    """A filled dot where something is combined, else a hollow one."""
    kind = "combine" if any(one.kind == "combine" for one in work.locals) else "copy"
    label = f"rank {work.rank}: " + "; ".join(map(_local, work.locals))
    x, y = scale.x(work.time) - (4 if kind == "combine" else 0), scale.y(work.rank)
    size = 4.2 if kind == "combine" else 3.2
    return (
        f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(size)}">'
        f"<title>{escape(label)}</title></circle>"
    )


def _lanes(together: Sequence[TimedShared]) -> list[tuple[int, int]]:
    """The lane of each bar and the number of lanes at its time, so that bars of different groups do not overlap."""
    lane_of: dict[int, int] = {}
    by_start: dict[float, list[int]] = {}
    for index, one in enumerate(together):
        by_start.setdefault(one.start, []).append(index)
    lanes_at = {}
    for start, indices in by_start.items():
        free_from: list[int] = []
        for index in sorted(indices, key=lambda index: min(together[index].step.group)):
            group = together[index].step.group
            lane = next((i for i, free in enumerate(free_from) if free <= min(group)), len(free_from))
            free_from[lane:] = [max(group) + 1, *free_from[lane + 1 :]]
            lane_of[index] = lane
        lanes_at[start] = len(free_from)
    return [(lane_of[index], lanes_at[one.start]) for index, one in enumerate(together)]


def _bar(one: TimedShared, lane: int, lanes: int, scale: Scale) -> str:
    """A bar over its group, with dots where members enter and leave, and its name along it."""
    group = one.step.group
    width = min(_BAR, 0.8 * scale.unit / lanes)
    middle = scale.x(one.start + 0.5) + (lane - (lanes - 1) / 2) * min(2 * width, scale.unit / lanes)
    margin = min(10.0, 0.4 * scale.pitch)
    top, bottom = scale.y(min(group)) - margin, scale.y(max(group)) + margin
    dots = "".join(
        f'<circle cx="{number(middle + side * width / 2)}" cy="{number(scale.y(rank))}" r="2.6"/>'
        for rank in group
        for side in (-1, 1)
    )
    name = ""
    if bottom - top >= _LETTER * len(one.step.name) + 8 and width >= 13:
        name = (
            f'<text text-anchor="middle" dy="0.35em" transform="translate({number(middle)}'
            f' {number((top + bottom) / 2)}) rotate(-90)">{one.step.name}</text>'
        )
    return (
        f'<g class="sub"><title>{one.step.title} on ranks {", ".join(map(str, group))}</title>'
        f'<rect x="{number(middle - width / 2)}" y="{number(top)}" width="{number(width)}"'
        f' height="{number(bottom - top)}" rx="5"/>{dots}{name}</g>'
    )


def _steps(plan: Plan, found: Timeline, scale: Scale) -> Iterable[str]:
    """A thin line with its number where the first message of each step starts, counted without local work."""
    counted = timeline(plan, local=0.0)
    first: dict[int, float] = {}
    times = [one.start for one in found.messages] + [one.start for one in found.together]
    steps = [one.start for one in counted.messages] + [one.start for one in counted.together]
    for time, before in zip(times, steps, strict=True):
        step = round(before) + 1
        first[step] = min(first.get(step, time), time)
    top, bottom = scale.y(0) - 14, scale.y(len(plan.rounds) - 1) + 14
    for step, time in sorted(first.items()):
        x = number(scale.x(time))
        yield f'<path class="step" d="M{x} {number(top)}V{number(bottom)}"/>'
        yield f'<text class="faint" x="{x}" y="{number(top - 5)}" text-anchor="middle">{step}</text>'
    if first:
        yield f'<text class="faint" x="16" y="{number(top - 5)}">step</text>'


def _legend_entries(found: Timeline, scale: Scale) -> Iterable[tuple[str, str]]:
    """Signs with their meanings; a sign begins at x = 0 and is 30 wide around the line y = 0."""
    kinds = {_kind(message) for message in found.messages}
    if "store" in kinds:
        yield arrow("store", (0, 0), (30, 0), 2), "message to be stored"
    if "combine" in kinds:
        yield arrow("combine", (0, 0), (30, 0), 2), "message to be combined"
    if "sync" in kinds:
        yield arrow("sync", (0, 0), (30, 0), 1), "message without data"
    counts = sorted({message.sent.count for message in found.messages} - {0})
    if counts not in ([], [1]):
        for count in sorted({counts[0], counts[-1]}):
            thickness = number(scale.thickness(count))
            line = f'<path class="shaft" stroke-width="{thickness}" d="M0 0H30"/>'
            yield f'<g class="store">{line}</g>', _plural(count, "block")
    local = {one.kind for work in found.work for one in work.locals}
    if "combine" in local:
        yield '<circle class="combine" cx="15" cy="0" r="4.2"/>', "applies the operator"
    if any(all(one.kind == "copy" for one in work.locals) for work in found.work):
        yield '<circle class="copy" cx="15" cy="0" r="3.2"/>', "copies within the rank"
    for kind in sorted({one.step.kind for one in found.together}):
        yield '<g class="sub"><rect x="7" y="-8" width="16" height="16" rx="4"/></g>', kind


def _legend(found: Timeline, scale: Scale, width: float, top: float) -> tuple[list[str], float]:
    """The legend in lines of at most `width`, and where it ends."""
    placed = []
    x, y = 16.0, top
    for sign, meaning in _legend_entries(found, scale):
        wide = 38 + _LETTER * len(meaning) + 22
        if x > 16 and x + wide - 22 > width - 16:
            x, y = 16.0, y + 22
        placed.append(
            f'<g transform="translate({number(x)} {number(y)})">{sign}'
            f'<text x="38" y="0" dy="0.35em">{meaning}</text></g>'
        )
        x += wide
    return placed, y + 18 if placed else top


def _summary(plan: Plan, found: Timeline) -> str:
    with_data = sum(1 for message in found.messages if message.sent.count)
    parts = [_plural(len(plan.rounds), "rank")]
    if plan.root is not None:
        parts.append(f"root {plan.root}")
    if with_data:
        parts += [_plural(plan.blocks, "block"), _plural(with_data, "message")]
    if with_data < len(found.messages):
        parts.append(_plural(len(found.messages) - with_data, "message") + " without data")
    return ", ".join(parts)


def draw(plan: Plan) -> str:
    """The picture of a plan as SVG. Raises starling.timeline.TimelineError for a plan that cannot be carried out."""
    found = timeline(plan)
    ranks = len(plan.rounds)
    scale = _scale(ranks, found)
    width = max(scale.x(found.end) + _RIGHT, _LEAST_WIDTH)
    legend, height = _legend(found, scale, width, scale.y(ranks - 1) + 42)

    parts = list(_steps(plan, found, scale))
    for rank in range(ranks):
        y = number(scale.y(rank))
        parts.append(f'<path class="rank" d="M{number(LEFT)} {y}H{number(scale.x(found.end))}"/>')
        what = "root" if rank == plan.root else "rank"
        parts.append(f'<text class="{what}-name" x="16" y="{y}" dy="0.35em">{what} {rank}</text>')
    parts += [
        _bar(one, lane, lanes, scale) for one, (lane, lanes) in zip(found.together, _lanes(found.together), strict=True)
    ]
    parts += _messages(found.messages, scale)
    parts += [_dot(one, scale) for one in found.work]

    size = f"{number(width)} {number(height)}"
    title = f"{plan.name} on {_plural(ranks, 'rank')}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{number(width)}"'
            f' height="{number(height)}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="card" x="0.5" y="0.5" width="{number(width - 1)}" height="{number(height - 1)}" rx="8"/>',
            f'<text x="16" y="26"><tspan class="title">{escape(plan.name)}</tspan>'
            f'<tspan class="faint" dx="12">{escape(_summary(plan, found))}</tspan></text>',
            *parts,
            *legend,
            "</svg>",
            "",
        ]
    )

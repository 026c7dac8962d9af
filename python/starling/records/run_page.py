"""A run as one page for a browser: what it gained, where its time went, what was tried and chosen, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from starling.messages import in_one_line
from starling.records import html
from starling.records import report as reports
from starling.records.record import Candidate, Context, RunRecord
from starling.terminal.figures import human_seconds

_DRAWN = 10
"""Contexts with most time, of which there are pictures."""
_LISTED = 300
"""Contexts in the table."""
_MOST_CANDIDATES = 16
"""Candidates of a picture: the fastest, and native."""
_WIDTH, _LEFT, _RIGHT, _ROW = 1040, 290, 150, 22
"""Of pictures, in pixels."""
_COLOURS = ("#2f6fb3", "#b84d00", "#1f7f59", "#a34d8d", "#8f5f00", "#1c7da3", "#7a5195", "#7d602a")
"""Candidates' colours, in the order in which a context used them, dark enough for white names; native's is grey."""
_STYLE = """
.verdict { font-size: 1.15em; font-weight: 600; border-left: 4px solid var(--good); padding-left: .7em; margin: 1em 0; }
.verdict.lost { border-color: var(--bad); }
.tick { stroke: var(--text); stroke-width: 2; } .dot { fill: var(--moving); }
.least { stroke: var(--faint); } .chosen { fill: var(--good); }
svg .inside { fill: #ffffff; } .choices { --native: #66717c; } details { margin: .4em 0; } summary { cursor: pointer; }
td.why { white-space: normal; min-width: 24em; }
"""


def _name(context: Context) -> str:
    return f"{reports.kind(context)} {reports.size(context)}, {context.ranks} ranks"


def _svg(rows: int, parts: Sequence[str], kind: str) -> str:
    height = rows * _ROW + 12
    return (
        f'<svg class="{kind}" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'style="max-width:100%;height:auto">{"".join(parts)}</svg>'
    )


def _rect(x: float, y: float, width: float, kind: str, height: float = _ROW - 8) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{height:.0f}"/>'


def _natively(context: Context) -> float | None:
    """Seconds that the context would have taken by the MPI library alone; None where that is not known."""
    return None if context.saved is None or context.spent is None else context.spent + context.saved


def _times(contexts: Sequence[Context]) -> str:
    """A bar for each context: its time, what trying cost in another colour, and a mark where native would have been."""
    longest = max((max(one.spent or 0.0, _natively(one) or 0.0) for one in contexts), default=0.0) or 1.0
    scale = (_WIDTH - _LEFT - _RIGHT) / longest
    parts = []
    for row, one in enumerate(contexts):
        y = row * _ROW + 6
        spent, tuning = one.spent or 0.0, min(one.tuning or 0.0, one.spent or 0.0)
        native = _natively(one)
        told = f"{_name(one)}: {human_seconds(spent)}, of which trying {human_seconds(tuning)}"
        told += "" if native is None else f"; natively {human_seconds(native)}"
        parts += [
            f"<g><title>{escape(in_one_line(told))}</title>",
            html.text(_LEFT - 8, y + 12, html.fitting(_name(one), _LEFT - 8), "end"),
            _rect(_LEFT, y, scale * (spent - tuning), "moving"),
            _rect(_LEFT + scale * (spent - tuning), y, scale * tuning, "waiting"),
        ]
        end, label = spent, human_seconds(spent)
        if native is not None:
            x = _LEFT + scale * native
            parts.append(f'<path class="tick" d="M{x:.1f} {y - 3}V{y + _ROW - 5}"/>')
            end, label = max(end, native), f"{label}; native {human_seconds(native)}"
        parts += [html.text(_LEFT + scale * end + 6, y + 12, label, "start", "faint"), "</g>"]
    return _svg(len(contexts), parts, "times")


def _uses(context: Context) -> Iterator[tuple[int, int, str]]:
    """First call, last call and name of what was chosen, one after the other."""
    chosen, since = "native", 0
    if context.decisions and context.decisions[0].from_:
        chosen = context.decisions[0].from_
    for decision in context.decisions:
        if decision.call > since:
            yield since, decision.call, chosen
        chosen, since = decision.to or "native", decision.call
    if context.calls > since:
        yield since, context.calls, chosen


def _choices(contexts: Sequence[Context]) -> str:
    """A line for each context: what was chosen from which call on."""
    parts = []
    across = _WIDTH - _LEFT - _RIGHT
    for row, one in enumerate(contexts):
        y = row * _ROW + 6
        colours: dict[str, str] = {}
        # Half of the line for the first calls: on a plain scale nobody would see what came before the last choice.
        scale = across / math.log1p(max(1, one.calls))
        parts.append(html.text(_LEFT - 8, y + 12, html.fitting(_name(one), _LEFT - 8), "end"))
        for first, last, name in _uses(one):
            x, end = _LEFT + scale * math.log1p(first), _LEFT + scale * math.log1p(last)
            colour = "var(--native)" if name == "native" else colours.setdefault(name, _COLOURS[len(colours) % 8])
            told = f"calls {first + 1} to {last}: {name}"
            parts += [
                f"<g><title>{escape(in_one_line(told))}</title>"
                f'<rect x="{x:.1f}" y="{y}" width="{max(1.0, end - x - 1):.1f}" height="{_ROW - 6}" fill="{colour}"/>'
            ]
            if end - x > 7 * len(name) + 6:
                parts.append(html.text(x + 5, y + 12, name, "start", "inside"))
            parts.append("</g>")
        calls = f"{one.calls} call{'s' * (one.calls != 1)}"
        parts.append(html.text(_WIDTH - _RIGHT + 6, y + 12, calls, "start", "faint"))
    return _svg(len(contexts), parts, "choices")


def _time(candidate: Candidate) -> float | None:
    return candidate.all_ranks_s if candidate.all_ranks_s is not None else candidate.median_s


def _candidates(context: Context) -> str:
    """A row for each candidate that was measured: the time that counts, and from its least call on a thin line."""
    timed = sorted(((_time(one) or 0.0, one) for one in context.candidates if _time(one)), key=lambda pair: pair[0])
    shown = [pair for place, pair in enumerate(timed) if place < _MOST_CANDIDATES or pair[1].name == "native"]
    if not shown:
        return ""
    low = min(min(seconds, one.min_s or seconds) for seconds, one in shown)
    high = max(seconds for seconds, _ in shown)
    # Names of algorithms with parameters are long; half of the picture at most is for them.
    left = min(max(_LEFT, *(html.CHARACTER * len(one.public_name) + 8 for _, one in shown)), _WIDTH // 2)
    scale = (_WIDTH - left - _RIGHT) / (math.log(high / low) or 1.0)

    def place(seconds: float) -> float:
        return left + scale * math.log(max(seconds, low) / low)

    parts = []
    for row, (seconds, one) in enumerate(shown):
        y = row * _ROW + 14
        name = one.public_name
        kind = "chosen" if name == context.winner else "native" if name == "native" else "dot"
        least = one.min_s if one.min_s is not None else seconds
        told = f"{name}: {human_seconds(seconds)}, least {human_seconds(least)}, {one.samples} calls"
        parts += [
            f"<g><title>{escape(in_one_line(told))}</title>",
            html.text(left - 8, y + 4, html.fitting(name, left - 8), "end"),
            f'<path class="least" d="M{place(min(least, seconds)):.1f} {y}H{place(seconds):.1f}"/>',
            f'<circle class="{kind}" cx="{place(seconds):.1f}" cy="{y}" r="5"/>',
            html.text(place(seconds) + 9, y + 4, human_seconds(seconds), "start", "faint"),
            "</g>",
        ]
    hidden = len(timed) - len(shown)
    more = f"<p class=faint>and {hidden} slower ones</p>" if hidden else ""
    return _svg(len(shown), parts, "candidates") + more


def _why(context: Context) -> str:
    """Every decision with its reason."""
    rows = "".join(
        f"<tr><td>{one.call}</td><td class=left>{escape(in_one_line(one.from_ or 'start'))}</td>"
        f"<td class=left>{escape(in_one_line(one.to or '-'))}</td>"
        f"<td class='left why'>{escape(in_one_line(one.why))}</td></tr>"
        for one in context.decisions
    )
    dropped = (
        f"<p class=faint>{context.decisions_dropped} earlier ones are not in the record</p>"
        if context.decisions_dropped
        else ""
    )
    titles = "<tr><th>call</th><th class=left>from</th><th class=left>to</th><th class=left>why</th></tr>"
    return f"{dropped}<div class=wide><table>{titles}{rows}</table></div>"


def page(record: RunRecord) -> str:
    """The page as HTML."""
    parts = [html.beginning(record.title, "a tuned run", reports.heading(record).removeprefix(": "), _STYLE)]
    if record.run.unfinished:
        parts.append(f"<p><b>{escape(reports.UNFINISHED)}</b></p>")
    contexts = sorted(record.contexts, key=lambda one: -(one.spent or 0.0))
    if not contexts:
        return "".join([*parts, "<p>No collective was called.</p>", html.END])
    if told := reports.verdict(record):
        parts.append(f"<p class='verdict{' lost' if told.startswith('Lost') else ''}'>{escape(told)}</p>")
    if told := reports.waiting(record):
        parts.append(f"<p>{escape(told)}</p>")
    told = reports.summary(record)
    parts.append(f"<p>{escape(told[:1].upper() + told[1:])}.</p>")
    drawn = contexts[:_DRAWN]
    parts += [
        "<h2>Where the time in collectives went</h2><p>Of the slowest rank, where ranks agreed on times."
        "<span class='key moving'></span>calls<span class='key waiting'></span>what trying cost; the mark is where the "
        "MPI library alone would have been</p>",
        _times(drawn),
        "<h2>What was chosen when</h2><p class=choices>From the first call to the last, on a logarithmic scale."
        "<span class='key native'></span>native; single trials between decisions are not drawn</p>",
        _choices(drawn),
        "<h2>How long the candidates took</h2><p>A call, on a logarithmic scale; the line goes to the quickest call on "
        "rank 0. Green is what is used.</p>",
    ]
    for number, one in enumerate(drawn):
        if picture := _candidates(one):
            is_open = " open" if number == 0 else ""
            parts.append(f"<details{is_open}><summary>{escape(_name(one))}</summary>{picture}</details>")
    if any(one.decisions for one in contexts):
        parts.append("<h2>Every decision, and why</h2>")
    for one in contexts[:_LISTED]:
        if one.decisions:
            parts.append(f"<details><summary>{escape(_name(one))}: {escape(one.winner)}</summary>{_why(one)}</details>")
    columns = reports.columns(contexts[:_LISTED])
    rows = list(zip(*(column.cells for column in columns), strict=True))
    left = [i for i, column in enumerate(columns) if not column.right]
    parts += ["<h2>Contexts</h2>", html.table([column.title for column in columns], rows, left)]
    if len(contexts) > _LISTED:
        parts.append(f"<p class=faint>and {len(contexts) - _LISTED} lighter ones</p>")
    parts += [f"<p class=faint>{escape(note)}</p>" for note in reports.notes(contexts[:_LISTED], stages=True)]
    rows = [(name, value or "none") for name, value in sorted(record.run.settings.items())]
    settings = html.table(["setting", "value"], rows, [0, 1])
    parts.append(f"<h2>Settings</h2><details><summary>all that were in force</summary>{settings}</details>")
    return "".join([*parts, html.END])

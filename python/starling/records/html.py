"""What pages for a browser are made of: style, tables, texts in pictures. They load nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from starling.messages import in_one_line

_MOST_OF_TITLE = 120
"""Characters of a command line that are shown."""
CHARACTER = 7
"""Pixels of a letter in a picture, at most."""

STYLE = """
:root { color-scheme: light dark; --text: #24292f; --faint: #5b6570; --line: #d5dae0; --back: #ffffff;
  --moving: #2f6fb3; --waiting: #e5a13a; --native: #9aa4ae; --good: #1a7f4b; --bad: #b3372f; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e8ee; --faint: #9aa6b3; --line: #343c46; --back: #14181d;
  --moving: #6cabea; --waiting: #d99426; --native: #6d7884; --good: #57c08a; --bad: #ef8a80; } }
@media print { body { max-width: none; } details > * { display: block; } }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; color: var(--text);
  background: var(--back); max-width: 1100px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.35em; margin-bottom: 0; overflow-wrap: anywhere; } h2 { font-size: 1.1em; margin-top: 2em; }
p { margin: .3em 0; } .faint { color: var(--faint); }
figure { display: inline-block; vertical-align: top; margin: 1em 2em 0 0; max-width: 100%; overflow-x: auto; }
figcaption b { margin-right: .5em; }
svg text { font: 12px system-ui, "DejaVu Sans", Helvetica, Arial, sans-serif; fill: var(--text); }
svg .faint { fill: var(--faint); } svg .axis { stroke: var(--line); }
.moving { fill: var(--moving); background: var(--moving); }
.waiting { fill: var(--waiting); background: var(--waiting); }
.native { fill: var(--native); background: var(--native); }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
.wide { overflow-x: auto; } table { border-collapse: collapse; white-space: nowrap; font-size: 14px; }
th, td { padding: .2em .6em; text-align: right; border-bottom: 1px solid var(--line); }
th.left, td.left { text-align: left; }
"""


def text(x: float, y: float, words: str, anchor: str = "middle", kind: str = "") -> str:
    """Words in a picture."""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" class="{kind}">{escape(in_one_line(words))}</text>'


def fitting(words: str, pixels: float) -> str:
    """The beginning of some words that fits in so many pixels of a picture, else all of them."""
    most = int(pixels / CHARACTER)
    return words if len(words) <= most else f"{words[: most - 3]}..."


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int]) -> str:
    """A table whose columns `left` are aligned to the left."""

    def row(tag: str, cells: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{' class=left' if i in left else ''}>{escape(in_one_line(cell))}</{tag}>"
            for i, cell in enumerate(cells)
        )

    body = "".join(f"<tr>{row('td', cells)}</tr>" for cells in rows)
    return f"<div class=wide><table><tr>{row('th', titles)}</tr>{body}</table></div>"


def beginning(title: str, window: str, heading: str, style: str = "") -> str:
    """The start of a page: the title of its window, its headline and the line below."""
    whole = in_one_line(title)
    shown = escape(whole if len(whole) <= _MOST_OF_TITLE else f"{whole[: _MOST_OF_TITLE - 3]}...")
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width,initial-scale=1">'
        f"<title>{shown}: {escape(window)}</title><style>{STYLE}{style}</style>"
        f'<h1 title="{escape(whole)}">{shown}</h1>'
        f"<p class=faint>{escape(in_one_line(heading))}</p>"
    )


END = "</html>\n"

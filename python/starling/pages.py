"""Pages of the docs of which a part is made from the code.

The part stands between two comments, `<!-- NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from starling.messages import MISUSE, log


def with_part(text: str, name: str, part: str) -> str:
    """A page with the part of that name as it is now."""
    place = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    return place.sub(lambda found: f"{found[1]}{part}{found[2]}", text)


def put(words: Sequence[str], module: str, name: str, part: str) -> int:
    """Puts the part into the page that `words`, a command line without its command, name. Returns the exit status."""
    if len(words) != 1:
        log(f"python -m {module} PAGE.md")
        return MISUSE
    path = Path(words[0])
    path.write_text(with_part(path.read_text(encoding="utf-8"), name, part), encoding="utf-8")
    return 0

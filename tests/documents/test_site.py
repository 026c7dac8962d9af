"""The documentation's site: its links lead somewhere, it shows what pages have, and it loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from support.mpis import ROOT

LOADS = {"src", "srcset", "data", "poster"}
"""Attributes whose address a browser loads by itself; of `link` that is `href`."""
ELSEWHERE = re.compile(r"^(https?:)?//")


@dataclass
class Html(HTMLParser):
    """What a page of the site has."""

    file: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    @cached_property
    def text(self) -> str:
        """As it is in the file."""
        return self.file.read_text()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loads += [value for name, value in given.items() if name in LOADS]
        if tag == "link" and given.get("rel") != "canonical":
            self.loads.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Html]:
    """Every page of the site, built without network and with warnings as errors."""
    folder = tmp_path_factory.mktemp("site")
    offline = ["unshare", "--net"] if os.geteuid() == 0 else []
    line = [*offline, sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(
        line, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {file: Html(file) for file in sorted(folder.rglob("*.html"))}


def test_every_page_of_the_repository_is_on_it(site: dict[Path, Html]) -> None:
    pages = {str(page.relative_to(ROOT / "docs").with_suffix(".html")) for page in (ROOT / "docs").rglob("*.md")}
    places = {page.replace("README.html", "index.html") for page in pages} | {"index.html", "contributing.html"}
    top = min(file.parent for file in site)
    assert places <= {str(file.relative_to(top)) for file in site}


def test_every_link_and_anchor_leads_somewhere(site: dict[Path, Html]) -> None:
    lost = []
    for file, page in site.items():
        if file.name == "404.html":  # its links begin at the site's own address
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            there = there / "index.html" if there.is_dir() else there
            anchor = unquote(parts.fragment)
            known = site[there].anchors if there in site else set()
            if not there.exists() or (anchor and there in site and anchor not in known):
                lost.append(f"{file.name}: {link}")
    assert lost == []


def test_it_loads_nothing_from_elsewhere(site: dict[Path, Html]) -> None:
    found = [f"{file.name}: {one}" for file, page in site.items() for one in page.loads if ELSEWHERE.match(one)]
    for style in min(file.parent for file in site).rglob("*.css"):
        text = style.read_text()
        loaded = re.findall(r"""(?:url\(|@import\s+)["']?([^"')\s]+)""", text)
        found += [f"{style.name}: {one}" for one in loaded if ELSEWHERE.match(one)]
    assert found == []


def test_tables_and_lists_are_none_of_the_text(site: dict[Path, Html]) -> None:
    """Python's Markdown wants blank lines where the repository's view needs none."""
    wrong = re.compile(r"<p>(?:(?!</p>).)*^(?:\| ?-|[-*] |\d+\. |```)", re.DOTALL | re.MULTILINE)
    assert [file.name for file, page in site.items() if wrong.search(page.text)] == []


def test_cells_have_no_backslash_before_a_bar(site: dict[Path, Html]) -> None:
    (page,) = [page for file, page in site.items() if file.name == "command-line.html"]
    assert "<code>--probe on|start|off</code>" in page.text
    assert not [file.name for file, page in site.items() if re.search(r"<td[^\n]*\\\|[^\n]*</td>", page.text)]

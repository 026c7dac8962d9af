"""Makes the documentation's site of the repository: pages that lie above docs, and links from docs to other files.

mkdocs calls the functions named `on_...`. README.md becomes the first page and CONTRIBUTING.md another one. A file of
any other kind to which a page links, such as an example, is copied into the site; a folder becomes a list of its files.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
ABOVE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md"}
"""Pages that lie above docs, and their places on the site."""
FILES = "files"
"""The site's folder of files that lie outside of docs."""
_LINK = re.compile(r"(?<=\]\()(?!https?://|mailto:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?<=[^|\n]\n)(?=\|.*\|\n\|[ -])")
_NESTED = re.compile(r"^  (?=\S)", re.MULTILINE)
_CELL = re.compile(r"<td.*?</td>", re.DOTALL)
_LIST = re.compile(r"(?<=[^\s-]:\n)(?= *- )")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lists the pages of a folder where the navigation has `folder/*`, its README first."""
    config.nav = [_expanded(entry) for entry in config.nav or []]
    return config


def _expanded(entry: Any) -> Any:
    if isinstance(entry, dict):
        return {title: _expanded(below) for title, below in entry.items()}
    if isinstance(entry, list):
        return [_expanded(one) for one in entry]
    if not entry.endswith("/*"):
        return entry
    folder = ROOT / "docs" / entry.removesuffix("/*")
    pages = sorted(folder.glob("*.md"), key=lambda page: (page.name != "README.md", page.name))
    return [str(page.relative_to(ROOT / "docs")) for page in pages]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages above docs, and what pages link to outside of docs."""
    for source, place in ABOVE.items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text()))
    files.append(File.generated(config, "wide.css", abs_src_path=str(Path(__file__).with_name("wide.css"))))
    linked = {path for file in files.documentation_pages() for path in _outside(file.content_string, _source(file))}
    for path in sorted(linked):
        there = ROOT / path
        if not there.exists():
            raise PluginError(f"a page links to {path}, which does not exist")
        if there.is_dir():
            names = sorted(one.name for one in there.iterdir() if not one.name.startswith((".", "__")))
            files.append(File.generated(config, f"{FILES}/{path}.txt", content="\n".join([f"{path}:", *names, ""])))
        else:
            # Browsers show text; what else a name ends in, they would save.
            files.append(File.generated(config, f"{FILES}/{path}.txt", content=there.read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page's text with links as the site has them.

    Python's Markdown wants blank lines before tables and lists, and what belongs to a list four columns in.
    """
    del config, files
    source = _source(page.file)
    here = posixpath.dirname(page.file.src_uri)

    def to_site(link: re.Match[str]) -> str:
        return posixpath.relpath(_place(_absolute(link[1], source)), here or ".") + (link[2] or "")

    parts = _CODE.split(markdown)
    parts[::2] = [
        _LINK.sub(to_site, _TABLE.sub("\n", _LIST.sub("\n", _NESTED.sub("    ", part)))) for part in parts[::2]
    ]
    return "".join(parts)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page without the backslashes that keep a `|` from ending a cell: Markdown leaves them in code."""
    del page, config, files
    return _CELL.sub(lambda cell: cell[0].replace(r"\|", "|"), html)


def _source(file: File) -> str:
    """A page's own file, from the top of the repository."""
    above = {place: source for source, place in ABOVE.items()}
    return above.get(file.src_uri, f"docs/{file.src_uri}")


def _absolute(link: str, source: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def _place(path: str) -> str:
    """Where the site has a file of the repository."""
    if path in ABOVE:
        return ABOVE[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{FILES}/{path}.txt"


def _outside(text: str, source: str) -> set[str]:
    links = [link[1] for part in _CODE.split(text)[::2] for link in _LINK.finditer(part)]
    paths = {_absolute(link, source) for link in links}
    return {path for path in paths if path not in ABOVE and not path.startswith("docs/")}

"""The pages below docs/collectives are those generated from the repository."""

import re
from pathlib import Path

from starling.algorithms import reference

PAGES = Path(__file__).resolve().parents[2] / "docs/collectives"


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_committed_pages_are_up_to_date(tmp_path: Path) -> None:
    reference.write(tmp_path)
    written, committed = texts(tmp_path), texts(PAGES)
    differing = [name for name in written.keys() | committed.keys() if written.get(name) != committed.get(name)]
    assert not differing, f"run make docs: it changes {', '.join(sorted(differing))}"


def test_pages_of_deleted_algorithms_are_removed(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for old in ("alltofew.md", "pictures/alltofew-ring.svg"):
        (tmp_path / old).touch()
    assert reference.main([str(tmp_path)]) == 0
    assert "alltofew" not in " ".join(texts(tmp_path))


def test_every_link_and_picture_leads_somewhere() -> None:
    pages = texts(PAGES)
    used = set()
    for page in (name for name in pages if name.endswith(".md")):
        for target in re.findall(r"\]\(([^)]+)\)", pages[page]):
            file, _, section = target.partition("#")
            assert (file or page) in pages, f"{page}: {target}"
            assert not section or f"\n## {section}\n" in pages[file or page], f"{page}: {target}"
            used.add(file)
    assert {name for name in pages if name.endswith(".svg")} <= used


def test_it_takes_one_folder(tmp_path: Path) -> None:
    assert reference.main([]) == 2
    assert reference.main([str(tmp_path), "more"]) == 2

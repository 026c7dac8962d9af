"""The manual pages below docs/man are those made from the commands, and groff shows them as they are meant."""

import subprocess
from pathlib import Path

from starling.commands import manual

FOLDER = Path(__file__).resolve().parents[2] / "docs/man"


def test_the_committed_pages_are_up_to_date(tmp_path: Path) -> None:
    (tmp_path / "starling-former.1").touch()
    assert manual.main([str(tmp_path)]) == 0
    written, committed = ({one.name: one.read_text() for one in place.iterdir()} for place in (tmp_path, FOLDER))
    differing = [name for name in written.keys() | committed.keys() if written.get(name) != committed.get(name)]
    assert not differing, f"run make docs: it changes {', '.join(sorted(differing))}"
    assert manual.main([]) == 2


def test_groff_has_nothing_to_say_of_them_and_shows_examples_as_they_are_typed() -> None:
    files = sorted(map(str, FOLDER.iterdir()))
    line = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=200n", *files]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "starling run --strategy star -- mpirun -n 64 ./app input.txt" in done.stdout
    assert "starling-lab-up - Make a lab, and compare" in done.stdout
    assert "--ranks-per-host" in done.stdout


def test_a_page_has_every_option_of_its_command() -> None:
    page = manual.pages()["starling-history-clear.1"].replace("\\-", "-")
    for text in ("--older-than AGE", "--yes", "-y", "--json", "--history DIR", "30d, 12h", "-h, --help"):
        assert text in page
    assert "<str>" not in page


def test_what_roff_would_take_for_a_request_is_text() -> None:
    assert manual._roff(".TH \\x\n'a") == "\\&.TH \\(rsx\n\\&'a"

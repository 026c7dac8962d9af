"""Pages are run as they say: what differs fails, and what may differ from run to run does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.console import agree, run_page

SHOWN = "allgather 64 KiB 16 settled segmented_ring?segment=8192 82.8 ms 1.97x 316 ms 1.95%"


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("allgather  64 KiB 16 settled native 155 us - 0 s 3%", True),
        ("allgather  64 KiB\n16 settled ring_light_barrier 1.2 s - 4 ns 0.1 %", True),
        ("allgather 128 KiB 16 settled native 155 us - 0 s 3%", False),
        ("allgather  64 KiB  8 settled native 155 us - 0 s 3%", False),
        ("allgather  64 KiB 16 settled unknown 155 us - 0 s 3%", False),
        ("allgather  64 KiB 16 settled native 155 us - 0 s 3% more", False),
    ],
)
def test_measured_numbers_and_ways_may_differ(printed: str, same: bool) -> None:
    assert agree(SHOWN, printed) == same


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("", "", True),
        ("", "warning", False),
        ("...", "", True),
        ("a ... z", "a b\nc z", True),
        ("a\n...\nz", "a z", True),
        ("a ... z", "a b", False),
        ("norm 2.996967977348 after", "norm 2.996967977349 after", False),
        ("on 2026-11-24T20:40:52Z", "on 2027-01-01T00:00:00Z", True),
        ("see /home/me/t.json", "see /tmp/x/t.json", True),
        ("see /home/me/t.json", "see /tmp/x/u.json", False),
        ("record /a/20261124T204055-h0-1.json;", "record ~/b/20271124T204055-node1-17.json;", True),
        ("4.1.4", "5.0.11", False),
        ("took 275\nms", "took 3 s", True),
        (
            "tuned 1.38 +- 0.06 times as fast: 963 ms less of 3.47 s (medians)\n\npair",
            "tuned 1.27 times as fast: no difference that 3 pairs of runs can show, these differ too much\n\npair",
            True,
        ),
        ("tuned 1.38 +- 0.06 times as fast: 963 ms less of 3.47 s (medians)", "tuned 1.38 times as fast: or so", False),
        (
            "Saved 2.92 s against native, with which the run would have taken 13.1 s instead of 10.2 s; trying",
            "Lost 92 ms against native, 1.3% of the run; trying",
            True,
        ),
        (
            "Saved 2.92 s against native, with which the run would have taken 13.1 s instead of 10.2 s; trying",
            "Saved 92 ms against native, with which the run would have taken 1.3 s instead of 1.2 s, by typical calls; "
            "1.04 s of delays count neither as saved nor as lost; trying",
            True,
        ),
        (
            "Lost 92 ms against native, 1.3% of the run; trying",
            "What was saved is not known: delays of calls hide it where 91% of the time in collectives went; trying",
            True,
        ),
        ("Lost 92 ms against native, 1.3% of the run; trying", "Saved it; trying", False),
        (
            "allgather 82.8 ms 1.97x 316 ms\nin all",
            "allgather 82.1 ms* 1.92x* 8.12 s\n*: rank 0's time. Others may: roots do before they do.\nin all",
            True,
        ),
        (
            "allgather 82.8 ms 1.97x 316 ms\nin all",
            "allgather 82.1 ms* 1.92x* 8.12 s\n*: somebody's time.\nin all",
            False,
        ),
        (
            "Starling could save less than 1.90 s (63.6 % of the run), which is all that is no waiting\nfirst:",
            "nothing to save: no way that was measured here is faster by 1.0 % of the run\nfirst:",
            True,
        ),
    ],
)
def test_words_are_compared_and_dots_stand_for_anything(shown: str, printed: str, same: bool) -> None:
    assert agree(shown, printed) == same


def page(folder: Path, text: str) -> Path:
    file = folder / "page.md"
    file.write_text(text)
    (folder / "in").mkdir()
    return file


def test_files_are_saved_and_commands_follow_each_other(tmp_path: Path) -> None:
    text = (
        '```sh title="a.sh"\necho "$WHO" \'$x\'\n```\nnot run:\n```sh\nfalse\n```\n'
        "```console\n$ export WHO=me\n$ sh \\\n    a.sh\nme $x\n```\n"
    )
    run_page(page(tmp_path, text), tmp_path / "in")


@pytest.mark.parametrize(
    ("commands", "complaint"),
    [
        ("$ true\n$ echo one\ntwo", r"page.md:3: echo one\n.*one\n.*two"),
        ("$ false", "exit status 1"),
        ("$ exit 3", "page.md:2: exit 3"),
        ("two\n$ echo", "begins with a command"),
    ],
)
def test_what_differs_or_fails_is_told_with_its_line(tmp_path: Path, commands: str, complaint: str) -> None:
    with pytest.raises(AssertionError, match=f"(?s){complaint}"):
        run_page(page(tmp_path, f"```console\n{commands}\n```\n"), tmp_path / "in")


def test_a_page_without_commands_proves_nothing(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no console block"):
        run_page(page(tmp_path, "text\n"), tmp_path / "in")

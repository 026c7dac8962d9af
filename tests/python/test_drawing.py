"""The picture of a schedule."""

import dataclasses
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from starling.algorithms import repository
from starling.commands.cli import app
from starling.installation.questions import UnknownError
from starling.pictures.drawing import draw
from starling.pictures.timeline import timeline

SVG = "{http://www.w3.org/2000/svg}"


def messages(picture: ElementTree.Element) -> list[ElementTree.Element]:
    """The arrows that stand for messages; those of the legend have no title."""
    return [
        group
        for group in picture.iter(f"{SVG}g")
        if group.get("class") in {"store", "combine", "sync"} and group.find(f"{SVG}title") is not None
    ]


def drawn(candidate: str, ranks: int = 8, root: int = 0) -> ElementTree.Element:
    return ElementTree.fromstring(draw(repository.plan(candidate, ranks, root)))


def every_candidate() -> list[str]:
    """Each algorithm with the first value of its parameters, with each synchronisation."""
    return [f"{entry['collective']}:{entry['name']}" for entry in repository.listing()["algorithms"]]


def size_of(picture: ElementTree.Element) -> tuple[float, float]:
    return float(picture.get("width", "0")), float(picture.get("height", "0"))


@pytest.mark.parametrize("ranks", [1, 4, 8])
def test_every_algorithm_is_drawn_with_each_message_once(ranks: int) -> None:
    for candidate in every_candidate():
        try:
            plan = repository.plan(candidate, ranks)
        except UnknownError as refusal:
            assert f"does not serve {ranks} rank{'s' * (ranks != 1)}: " in str(refusal), candidate
            continue
        assert plan.mistake == "", candidate
        picture = ElementTree.fromstring(draw(plan))
        sent = sum(len(one.sends) for rounds in plan.rounds for one in rounds)
        assert len(messages(picture)) == sent, candidate


def test_a_wrong_algorithm_is_drawn_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dataclasses.replace(repository.plan("allgather:ring", 4), mistake="rank 0 in round 1 writes outside recv")
    monkeypatch.setattr(repository, "plan", lambda *_: wrong)
    picture = tmp_path / "ring.svg"
    done = CliRunner().invoke(app, ["algorithms", "allgather:ring", "--ranks", "4", "--draw", str(picture)])
    assert done.exit_code == 1
    told = "allgather:ring is wrong on 4 ranks, and drawn as it is: rank 0 in round 1 writes outside recv"
    assert told in " ".join(done.output.split())
    assert picture.exists()


def test_nothing_lies_outside_the_picture() -> None:
    for candidate in ("alltoall:simple", "allreduce:rab1", "allgather:groups", "barrier:tree", "bcast:binomial"):
        picture = drawn(candidate)
        width, height = size_of(picture)
        for path in picture.iter(f"{SVG}path"):
            for point in path.get("d", "").replace("M", " ").replace("L", ",").replace("Z", "").split(","):
                numbers = point.split()
                if len(numbers) == 2 and not set("HV") & set(point):
                    assert 0 <= float(numbers[0]) <= width, (candidate, point)
                    assert -8 <= float(numbers[1]) <= height, (candidate, point)


def test_alltoall_sends_a_message_from_every_rank_to_every_other() -> None:
    titles = [one.findtext(f"{SVG}title", "").split(":")[0] for one in messages(drawn("alltoall:ring"))]
    assert sorted(titles) == sorted(f"rank {a} to rank {b}" for a in range(8) for b in range(8) if a != b)


def test_colours_tell_what_is_combined_from_what_is_stored() -> None:
    kinds = Counter(one.get("class") for one in messages(drawn("allreduce:ring")))
    assert kinds == {"combine": 56, "store": 56}
    assert {one.get("class") for one in messages(drawn("bcast:binomial"))} == {"store"}
    assert {one.get("class") for one in messages(drawn("barrier:dissemination"))} == {"sync"}


def test_a_line_is_thicker_for_more_blocks() -> None:
    widths = {}
    for one in messages(drawn("allgather:recursive_doubling")):
        shaft = one.find(f"{SVG}path")
        assert shaft is not None
        widths[one.findtext(f"{SVG}title", "").count("blocks")] = float(shaft.get("stroke-width", "0"))
    assert widths[0] < widths[2]


def test_every_shared_step_is_a_bar_with_its_name() -> None:
    bars = [group for group in drawn("allgather:groups").iter(f"{SVG}g") if group.find(f"{SVG}rect") is not None]
    titles = [bar.findtext(f"{SVG}title") for bar in bars]
    assert "allgather of the MPI library on ranks 0, 1, 2, 3" in titles
    assert sum(title is not None for title in titles) == 6
    assert [bar.findtext(f"{SVG}text") for bar in bars if bar.findtext(f"{SVG}title")] == ["allgather"] * 6


def test_the_root_is_named() -> None:
    labels = [text.text for text in drawn("bcast:chain", ranks=5, root=3).iter(f"{SVG}text")]
    assert [label for label in labels if label in {"root 3", "rank 3"}] == ["root 3"]


def test_a_large_picture_holds_all_ranks() -> None:
    plan = repository.plan("alltoall:bruck", 32)
    picture = ElementTree.fromstring(draw(plan))
    assert len(messages(picture)) == len(timeline(plan).messages)
    labels = {text.text for text in picture.iter(f"{SVG}text")}
    assert {f"rank {rank}" for rank in range(32)} <= labels


@pytest.mark.parametrize(
    ("candidate", "ranks", "root", "blocks", "why"),
    [
        ("alltoall:rung", 8, 0, None, "no algorithm alltoall:rung; there are: native, bruck, "),
        (
            "alltoall:native",
            8,
            0,
            None,
            "alltoall:native: not a schedule of the repository; ",
        ),
        ("allfoo:ring", 8, 0, None, "no collective allfoo"),
        ("alltoall", 8, 0, None, "alltoall: name an algorithm as in alltoall:ring"),
        ("bcast:chain?size=4", 8, 0, None, "bcast:chain has no parameter 'size'; it has segment (none, 4096"),
        ("alltoall:ring?k=2", 8, 0, None, "alltoall:ring has no parameter 'k'; it has none"),
        ("alltoall:pair", 6, 0, None, "alltoall:pair does not serve 6 ranks: needs a power of two of ranks"),
        ("bcast:chain", 4, 4, None, "4: the root must be a number from 0 to 3"),
        ("alltoall:ring", 4, 1, None, "alltoall has no root"),
        ("bcast:chain", 4, 0, 3, "bcast:chain?segment=none does not divide its data into 3 blocks"),
        ("bcast:chain", 2000, 0, None, "2000: ranks must be a number from 1 to 1024"),
    ],
)
def test_unknown_candidates_and_values_are_refused_in_one_line(
    candidate: str, ranks: int, root: int, blocks: int | None, why: str
) -> None:
    with pytest.raises(UnknownError) as refusal:
        repository.plan(candidate, ranks, root, blocks)
    assert str(refusal.value).startswith(why)
    assert "\n" not in str(refusal.value)


def test_segments_are_blocks_four_unless_another_number_is_asked_for() -> None:
    assert repository.plan("bcast:chain", 4).blocks == 1
    assert repository.plan("bcast:chain?segment=8192", 4).blocks == 4
    assert repository.plan("bcast:chain?segment=8192", 4, blocks=7).blocks == 7
    assert repository.plan("allreduce:ring", 6).blocks == 6

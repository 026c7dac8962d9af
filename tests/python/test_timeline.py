"""When the rounds of a schedule happen in logical time."""

import pytest

from starling.pictures.timeline import Blocks, Local, Plan, Round, Shared, TimelineError, Transfer, timeline


def block(first: int = 0, count: int = 1, buffer: str = "recv") -> Blocks:
    return Blocks(buffer, first, count)


def to(peer: int, blocks: Blocks) -> Round:
    return Round(sends=(Transfer(peer, blocks),))


def of(peer: int, blocks: Blocks, *work: Local) -> Round:
    return Round(receives=(Transfer(peer, blocks),), locals=work)


def plan(*rounds: tuple[Round, ...]) -> Plan:
    return Plan("bcast:test", 4, 0, rounds)


def test_the_kth_message_of_a_pair_goes_with_the_kth_receive() -> None:
    found = timeline(plan((to(1, block(0)), to(1, block(2))), (of(0, block(1)), of(0, block(3)))))
    assert [(one.sent.first, one.received.first) for one in found.messages] == [(0, 1), (2, 3)]
    assert [(one.start, one.arrival) for one in found.messages] == [(0, 1), (1, 2)]


def test_a_message_arrives_one_unit_after_the_later_of_its_ends_has_come() -> None:
    late = (of(0, block()), to(2, block()))
    found = timeline(plan((to(1, block()),), late, (of(1, block()),)))
    assert [(one.sender, one.start, one.arrival) for one in found.messages] == [(0, 0, 1), (1, 1, 2)]


def test_a_sender_waits_in_its_round_for_a_late_receiver() -> None:
    early = (to(2, block()), to(1, block()))
    late = (of(0, block()),)
    busy = (of(3, block()), of(0, block()))
    found = timeline(plan(early, late, busy, (to(2, block()),)))
    times = {(one.sender, one.receiver): (one.start, one.arrival) for one in found.messages}
    assert times == {(3, 2): (0, 1), (0, 2): (0, 2), (0, 1): (2, 3)}


def test_local_work_alone_takes_a_short_while_and_after_messages_none() -> None:
    copy = Local("copy", block(0), block(1))
    found = timeline(plan((Round(locals=(copy,)), to(1, block())), (of(0, block(), copy),)), local=0.25)
    assert [(one.rank, one.time) for one in found.work] == [(0, 0.25), (1, 1.25)]
    assert found.end == 1.25


@pytest.mark.parametrize(
    ("operand", "combined"), [(block(1), True), (block(2), False), (block(1, buffer="scratch 0"), False)]
)
def test_what_arrives_is_combined_where_the_round_combines_it(operand: Blocks, combined: bool) -> None:
    for work in (Local("combine", operand, block(0)), Local("combine", block(0), operand)):
        found = timeline(plan((to(1, block()),), (of(0, block(1), work),)))
        assert [one.combined for one in found.messages] == [combined]


def test_a_copy_of_what_arrives_combines_nothing() -> None:
    found = timeline(plan((to(1, block()),), (of(0, block(1), Local("copy", block(1), block(0))),)))
    assert not found.messages[0].combined


def test_what_is_combined_after_a_copy_is_combined() -> None:
    work = (Local("copy", block(1), block(2)), Local("combine", block(0), block(2)))
    assert timeline(plan((to(1, block()),), (of(0, block(1), *work),))).messages[0].combined


def test_a_shared_step_begins_when_its_last_member_comes() -> None:
    both = Round(shared=Shared("allgather", "allgather of all", "collective", (0, 2)))
    found = timeline(plan((both,), (to(2, block()),), (of(1, block()), both)))
    assert [(one.start, one.end) for one in found.together] == [(1, 2)]


def test_a_group_with_two_shared_steps_has_two_events() -> None:
    both = Round(shared=Shared("barrier", "barrier of all", "collective", (0, 1)))
    found = timeline(plan((both, both), (both, both)))
    assert [one.start for one in found.together] == [0, 1]


def test_messages_that_nobody_receives_are_refused() -> None:
    with pytest.raises(TimelineError, match="rank 0 sends 1 messages to rank 1, which receives 0"):
        timeline(plan((to(1, block()),), ()))


def test_ranks_that_wait_for_each_other_are_refused() -> None:
    one = (of(1, block()), to(1, block()))
    other = (of(0, block()), to(0, block()))
    with pytest.raises(TimelineError, match="rank 0 waits for ever in round 0"):
        timeline(plan(one, other))


def test_a_plan_is_read_as_the_repository_lists_it() -> None:
    combining = {"kind": "local_work", "works": [["combine", ["recv", 0, 1], ["scratch 0", 1, 1]]]}
    receiving = {"kind": "messages", "receives": [[1, "recv", 0, 2]], "sends": []}
    meeting = {"kind": "x", "name": "barrier", "title": "barrier of all", "says": "collective", "group": 1}
    found = Plan.from_json(
        {
            "collective": "scan",
            "name": "x?k=2",
            "rooted": False,
            "mistake": "",
            "root": 0,
            "blocks": 2,
            "groups": [[0, 2], [1, 3, 5]],
            "ranks": [[[receiving, combining], [meeting], []]],
        }
    )
    combine = Local("combine", block(0), block(1, buffer="scratch 0"))
    together = Shared("barrier", "barrier of all", "collective", (1, 3, 5))
    rounds = (of(1, block(0, 2), combine), Round(shared=together), Round())
    assert found == Plan("scan:x?k=2", 2, None, (rounds,))

"""When answers of a race count that wait for their time, in simulated time: races that follow, the end, a slow disk."""

from __future__ import annotations

import asyncio

from fairplay.games.steps import Conversation, Outcome, Race
from tests.server.played import Played, playing, turned
from tests.server.snap import Snap, ask, first_of


def one_of_a_race_then_alone(snap: Snap) -> Conversation:
    """Have a race with a handicap of 10 seconds for seat 0 and of 1 for seat 1, ask seat 2, and have a race again."""
    snap.hear((yield Race(ask(0, 1), handicap_s={0: 10.0, 1: 1.0})))
    yield ask(2)[0]
    snap.hear((yield Race(ask(0, 1))))
    return Outcome([])


@playing(one_of_a_race_then_alone, 3)
async def test_an_answer_that_comes_later_and_counts_earlier_is_first(at: Played) -> None:
    at.hands[0].say("a")
    await asyncio.sleep(2.0)
    at.hands[1].say("b")
    await asyncio.sleep(0.9)
    assert at.snap.received == []
    await asyncio.sleep(0.2)
    assert at.snap.received == [[(1, "b")]]
    await asyncio.sleep(20.0)  # the time of the answer that was dropped is over
    assert at.hands[2].asked == 1
    at.hands[2].say("c")
    at.hands[0].say("d")
    await turned()
    assert at.snap.received == [[(1, "b")], [(0, "d")]]


@playing(first_of([0, 1], 2, handicap_s={0: 5.0}), 2)
async def test_nothing_counts_when_the_time_of_an_answer_comes_whose_race_is_over(at: Played) -> None:
    at.hands[0].say("dropped")
    at.hands[1].say("first")
    await asyncio.sleep(10.0)
    assert at.snap.received == [[(1, "first")]]
    at.hands[1].say("again")
    await turned()
    assert at.snap.received == [[(1, "first")], [(1, "again")]]


@playing(first_of([0, 1, 2], 2, handicap_s={0: 5.0, 2: 8.0}), 3)
async def test_an_answer_waits_for_its_own_time_although_one_that_was_dropped_would_have_counted_before(
    at: Played,
) -> None:
    at.hands[0].say("dropped")
    at.hands[1].say("first")
    await turned()
    at.hands[2].say("second")
    await asyncio.sleep(7.9)
    assert at.snap.received == [[(1, "first")]]
    await asyncio.sleep(0.2)
    assert at.snap.received == [[(1, "first")], [(2, "second")]]


@playing(first_of([0, 1], 2, handicap_s={0: 5.0}), 2)
async def test_a_game_that_is_stopped_while_an_answer_waits_stays_stopped(at: Played) -> None:
    at.hands[0].say("early")
    at.running.stop("enough")
    await asyncio.sleep(10.0)
    assert at.snap.received == []
    assert at.journal.kinds() == ["game", "result"]


@playing(one_of_a_race_then_alone, 3)
async def test_an_answer_that_came_while_the_record_was_behind_does_not_hold_up_the_races_that_follow(
    at: Played,
) -> None:
    at.journal.hold_up()
    at.hands[1].say("b")
    await asyncio.sleep(1.0)
    assert at.snap.received == [[(1, "b")]]
    at.hands[0].say("dropped")
    at.journal.catch_up()
    await turned()
    await asyncio.sleep(20.0)
    at.hands[2].say("c")
    at.hands[1].say("d")
    await asyncio.sleep(1.0)
    assert at.snap.received == [[(1, "b")], [(1, "d")]]


@playing(first_of([0, 1], 2, handicap_s={0: 5.0}), 2)
async def test_nothing_is_due_at_the_time_of_an_answer_that_came_while_the_record_was_behind(at: Played) -> None:
    at.journal.hold_up()
    at.hands[1].say("b")
    await asyncio.sleep(1.0)
    at.hands[0].say("dropped")
    at.journal.catch_up()
    await asyncio.sleep(10.0)
    assert at.snap.received == [[(1, "b")]]
    at.hands[1].say("d")
    await asyncio.sleep(1.0)
    assert at.snap.received == [[(1, "b")], [(1, "d")]]

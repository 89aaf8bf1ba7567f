"""Players that join a game that goes on: in which order, and when."""

from __future__ import annotations

from fairplay.games.steps import Conversation, Joined, Outcome, Race, Show
from tests.server.played import played, turned, until
from tests.server.snap import Snap, ask


def one_race(snap: Snap) -> Conversation:
    """Wait for a race with one player, and for the answers of all who join it."""
    yield Show(None)
    calls, next_seat = ask(0), 1
    while calls:
        arrivals = yield Race(calls, next_seat=next_seat)
        came = {each.seat for each in arrivals if not isinstance(each.answer, Joined)}
        calls = [call for call in calls if call.seat not in came]
        for each in arrivals:
            if isinstance(each.answer, Joined):
                calls += ask(next_seat)
                next_seat += 1
    return Outcome([[(seat, 0) for seat in range(next_seat)]])


def race_between_turns(_: Snap) -> Conversation:
    """Nobody can join while one player is asked."""
    yield Show(None)
    yield ask(0)[0]
    yield Race(ask(0), next_seat=1)
    yield ask(0)[0]
    return Outcome([[(0, 0)]])


async def test_who_left_before_it_has_joined_fails_in_its_first_call() -> None:
    async with played(one_race, 1) as at:
        at.begin()
        hand, reached = at.join("late")
        at.leave(1)
        reached.set_result(hand)
        await until(lambda: bool(at.received.settled))
        assert (hand.asked, at.received.settled) == (0, [(1, "late", "CallError")])


async def test_nobody_joins_while_the_game_does_not_wait_for_a_race() -> None:
    async with played(race_between_turns, 1) as at:
        at.begin()
        hand, reached = at.join("late")
        reached.set_result(hand)
        await turned(6)
        assert at.running.newcomers == []
        at.hands[0].say("now")
        await until(lambda: bool(at.running.newcomers))
        assert at.journal.kinds() == ["game", "call", "joined"]

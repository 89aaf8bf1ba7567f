"""One game as its driver runs it: begun, resumed anywhere, left, held up by its record, stopped."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fairplay.games.steps import Arrival, Conversation, Outcome, Show
from fairplay.server.net.errors import Refusal
from fairplay.v1.referee_pb2 import GameStatus
from tests.server.played import Played, played, turned, until
from tests.server.snap import Snap, ask, everybody

# --- from record to game ---


async def test_a_game_whose_rules_failed_before_that_was_recorded_is_aborted(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: Snap) -> Conversation:
        yield Show(None)
        yield ask(0)[0]
        raise RuntimeError("a secret of the rules")

    async with played(fails, 1) as at:
        at.begin()
        at.hands[0].say("x")
        await at.running.over
        before = at.journal.entries[:-1]
    caplog.clear()
    async with played(fails, 1, entries=before) as again:
        again.begin()
        result = (await again.running.over).result
    assert result.aborted == "the referee failed; its log says more"
    assert "a secret of the rules" in caplog.text


async def test_a_game_that_was_stopped_before_its_links_were_open_asks_nobody() -> None:
    async with played(everybody([0, 1, 2]), 3) as at:
        at.running.stop("")
        at.begin()
        game = await at.running.over
        assert (game.result.aborted, game.status) == ("the game was stopped", GameStatus.GAME_STATUS_ABORTED)
        assert [hand.asked for hand in at.hands] == [0, 0, 0]
        assert at.journal.kinds() == ["game", "result"]


# --- the end ---


@pytest.fixture
async def looked_at() -> AsyncIterator[None]:
    """Fail the test if the event loop is told of an error at which nobody has looked."""
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    yield
    gc.collect(1)
    assert reported == []


@pytest.mark.usefixtures("looked_at")
async def test_nobody_has_to_wait_for_a_game_that_is_left_where_it_is() -> None:
    at = Played(everybody([0, 1]), 2)
    at.begin()
    at.running.suspend()
    at.running.suspend()
    await turned()
    with pytest.raises(Refusal, match="shuts down"):
        await at.running.over
    assert [hand.cancelled for hand in at.hands] == [1, 1]
    at = Played(everybody([0]), 1)
    at.running.suspend()
    await turned()
    del at


@pytest.mark.usefixtures("looked_at")
async def test_a_game_ends_for_its_watchers_although_nobody_waits_for_it_any_more() -> None:
    async with played(everybody([0, 1]), 2) as at:
        at.begin()
        at.running.over.cancel()
        at.running.stop("enough")
        await turned()
        assert at.received.ended == 1


# --- a disk that does not keep up ---


async def test_a_game_waits_for_its_record_before_it_asks() -> None:
    async with played(everybody([0, 1, 2]), 3) as at:
        at.journal.hold_up()
        at.begin()
        await turned()
        assert [hand.asked for hand in at.hands] == [0, 0, 0]
        at.journal.catch_up()
        await turned(6)
        assert [hand.asked for hand in at.hands] == [1, 1, 1]
        assert not at.running.over.done()


async def test_no_answer_of_a_race_counts_while_the_game_waits_for_its_record() -> None:
    async with played(everybody([0, 1, 2]), 3) as at:
        at.begin()
        at.journal.hold_up()
        at.hands[0].say("a")
        await turned()
        at.hands[1].say("b")
        await turned()
        assert at.snap.received == [[(0, "a")]]
        at.journal.catch_up()
        await turned(6)
        assert at.snap.received == [[(0, "a")], [(1, "b")]]


async def test_a_game_that_is_stopped_while_it_waits_for_its_record_asks_nobody() -> None:
    async with played(everybody([0]), 1) as at:
        at.journal.hold_up()
        at.begin()
        at.running.stop("enough")
        at.journal.catch_up()
        await at.running.over
        await turned()
        assert at.hands[0].asked == 0


# --- players that leave and come back ---


async def test_only_a_call_that_is_open_while_a_player_is_away_fails() -> None:
    def alternately(snap: Snap) -> Conversation:
        for seat in (0, 1, 0, 1):
            snap.hear([Arrival(seat, (yield ask(seat)[0]), 0.0)])
        return Outcome([])

    async with played(alternately, 2) as at:
        at.begin()
        at.leave(1)
        assert at.running.come_back(1)
        at.hands[0].say("a")
        at.hands[1].say("b")
        at.leave(1)
        at.hands[0].say("c")
        await until(lambda: len(at.snap.received) == 4)
        assert at.snap.received == [[(0, "a")], [(1, "b")], [(0, "c")], [(1, "CallError")]]


# --- the time of players ---

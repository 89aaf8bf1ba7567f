"""Watchers that leave too much unread are sent the whole tournament again."""

from __future__ import annotations

import pytest

from fairplay.server.manager.tournament import Watchers
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.tournament_pb2 import Tournament


def news(number: int) -> WatchTournamentResponse:
    return WatchTournamentResponse(withdrawn=f"p{number}")


@pytest.mark.parametrize("unread", [1_000, 1_001])
async def test_a_thousand_events_may_be_unread(unread: int) -> None:
    message, watchers_ = Tournament(tournament_id="t"), Watchers()
    slow = watchers_.follow(message)
    await anext(slow)
    for number in range(unread):
        watchers_.tell(news(number))
    watchers_.close()
    kinds = [event.WhichOneof("event") async for event in slow]
    assert kinds == (["withdrawn"] * 1_000 if unread == 1_000 else ["tournament"])


async def test_who_comes_after_the_end_is_sent_the_tournament_alone() -> None:
    all_of_them = Watchers()
    all_of_them.close()
    assert [event.WhichOneof("event") async for event in all_of_them.follow(Tournament())] == ["tournament"]

"""Watchers that read slowly, or not at all, cost no more than others."""

from __future__ import annotations

import pytest

from fairplay.server.manager import watchers
from fairplay.server.manager.watchers import Watchers
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.tournament_pb2 import Tournament, TournamentStatus


def news(number: int) -> WatchTournamentResponse:
    return WatchTournamentResponse(withdrawn=f"p{number}")


async def test_who_leaves_too_much_unread_is_sent_the_whole_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchers, "MAX_UNREAD", 3)
    message, all_of_them = Tournament(tournament_id="t"), Watchers()
    slow, quick = all_of_them.follow(message), all_of_them.follow(message)
    assert (await anext(slow)).HasField("tournament") and (await anext(quick)).HasField("tournament")
    for number in range(10):
        all_of_them.tell(news(number))
        assert (await anext(quick)).withdrawn == f"p{number}"
    message.status = TournamentStatus.TOURNAMENT_STATUS_RUNNING
    assert (await anext(slow)).tournament.status == TournamentStatus.TOURNAMENT_STATUS_RUNNING
    all_of_them.tell(news(11))
    all_of_them.close()
    assert [event.withdrawn async for event in slow] == ["p11"]
    assert [event.withdrawn async for event in quick] == ["p11"]
    assert not all_of_them.anybody


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

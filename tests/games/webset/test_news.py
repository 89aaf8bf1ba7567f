"""The news of Webset: what spectators and players have still to be told."""

from __future__ import annotations

from fairplay.games.webset.protocol.news import News, Parcel
from fairplay.games.webset.rules import Status
from fairplay.webset.v1.webset_pb2 import Event

FIRST, SECOND, THIRD = (Event(revision=number) for number in (1, 2, 3))


def test_spectators_are_shown_each_event_once() -> None:
    news = News(2)
    news.add(FIRST)
    news.add(SECOND)
    assert news.take_unshown() == [FIRST, SECOND]
    assert news.take_unshown() == []
    news.add(THIRD)
    assert news.take_unshown() == [THIRD]


def test_a_player_is_told_again_what_it_has_not_answered() -> None:
    news = News(2)
    assert not news.waits_for(0)
    news.add(FIRST)
    assert news.waits_for(0)
    assert news.load(0) == news.load(0) == Parcel(None, None, [FIRST])
    news.add(SECOND)
    news.deliver(0)
    assert news.load(0) == Parcel(None, None, [SECOND])
    assert news.load(1) == Parcel(None, None, [FIRST, SECOND])
    news.deliver(0)
    assert not news.waits_for(0)


def test_what_became_of_an_act_is_told_to_its_player_alone() -> None:
    news = News(2)
    news.add_result(1, Status.BAD_SET, "webset.take.set")
    assert (news.waits_for(0), news.waits_for(1)) == (False, True)
    assert news.load(1) == Parcel(Status.BAD_SET, "webset.take.set", [])
    news.deliver(1)
    assert news.load(1) == Parcel(None, None, [])


def test_who_joins_is_told_nothing_of_what_was_before() -> None:
    news = News(1)
    news.add(FIRST)
    news.add_player()
    assert not news.waits_for(1)
    news.deliver(1)
    assert not news.waits_for(1)
    news.add(SECOND)
    assert news.load(1) == Parcel(None, None, [SECOND])

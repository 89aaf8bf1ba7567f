"""Rounds of long tournaments: the latest are shown, those before are packed, and all can be listed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.manager.standing import Archive
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import RoundGame, Tournament


def played(sizes: list[int], most: int) -> tuple[Tournament, Archive]:
    """Begin and end rounds of so many games, one after the other."""
    message = Tournament()
    archive = Archive(message, most)
    for number, size in enumerate(sizes, start=1):
        round_ = message.rounds.add(number=number)
        archive.begin(size)
        for place in range(size):
            round_.games.add(game_id=f"{number}/{place}", result=GameResult(aborted="rain"))
        archive.pack(number)
    return message, archive


@given(sizes=st.lists(st.integers(1, 5), max_size=30), most=st.integers(1, 12), limit=st.integers(1, 9))
def test_all_games_are_listed_in_their_order_and_few_are_shown(sizes: list[int], most: int, limit: int) -> None:
    message, archive = played(sizes, most)
    found: list[RoundGame] = []
    while page := archive.games(len(found), limit):
        assert len(page) <= limit
        found += page
    expected = [f"{number}/{place}" for number, size in enumerate(sizes, start=1) for place in range(size)]
    assert [game.game_id for game in found] == expected
    assert all(f"{game.round_number}/" in game.game_id and game.HasField("result") for game in found)
    shown = sum(len(round_.games) for round_ in message.rounds)
    assert shown <= most or len(message.rounds) == 1
    latest = range(len(sizes) + 1 - len(message.rounds), len(sizes) + 1)
    assert [round_.number for round_ in message.rounds] == list(latest)


@pytest.mark.parametrize(("latest", "shown"), [(4_998, [1, 2]), (4_999, [2])])
def test_the_last_5_000_games_are_shown(latest: int, shown: list[int]) -> None:
    message = Tournament()
    archive = Archive(message)
    for number, size in enumerate((2, latest), start=1):
        message.rounds.add(number=number).games.extend([RoundGame()] * size)
        archive.begin(size)
        archive.pack(number)
    assert [round_.number for round_ in message.rounds] == shown
    assert len(archive.games(0, 10_000)) == latest + 2

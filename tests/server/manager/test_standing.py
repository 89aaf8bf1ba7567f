"""Standings while a tournament runs: what they count, and when they are computed anew."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fairplay.formats.format import full_format
from fairplay.games.kit.tournament import Failures, Pairing, Played
from fairplay.server.manager import standing
from fairplay.server.manager.standing import LiveStandings, pause_s
from fairplay.v1.game_pb2 import Player
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from fairplay.v1.tournament_pb2 import RoundRobin, Tournament, TournamentFormat, TournamentPlan, TournamentResult


class Time:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(standing, "time", SimpleNamespace(monotonic=made.monotonic))
    return made


def live() -> LiveStandings:
    format_ = full_format(TournamentFormat(round_robin=RoundRobin()), range(2, 5))
    message = Tournament(plan=TournamentPlan(game="fish", format=format_), secret=b"secret")
    message.entrants.extend(Player(name=name) for name in "abc")
    return LiveStandings(message, Failures(3))


def won(winner: int, loser: int, round_number: int) -> Played:
    groups = [RankGroup(players=[RankedPlayer(seat=seat)]) for seat in (0, 1)]
    return Played(round_number, 1, Pairing((winner, loser)), GameResult(ranking=groups))


def test_standings_take_half_a_per_cent_of_the_time_and_come_once_a_second_at_most() -> None:
    assert [pause_s(took_s) for took_s in (0.0, 0.005, 0.0051, 0.1)] == pytest.approx([1.0, 1.0, 1.02, 20.0])


async def test_standings_count_the_games_of_rounds_that_are_over() -> None:
    standings = live()
    standings.add([won(2, 0, 1), won(2, 1, 1)])
    standings.add([won(0, 1, 2)])
    found = await standings.latest()
    assert [(line.name, line.game_count) for line in found.standings] == [("c", 2), ("a", 2), ("b", 2)]
    assert (found.round_count, found.complete) == (2, False)


async def test_standings_are_computed_again_when_something_is_new_and_time_has_gone(time: Time) -> None:
    standings = live()
    assert standings.due
    first = await standings.latest()
    time.now += 1_000
    assert not standings.due
    assert await standings.latest() is first
    standings.add([won(2, 0, 1)])
    assert standings.due
    second = await standings.latest()
    standings.add([won(2, 0, 2)])
    time.now += 0.99
    assert not standings.due
    assert await standings.latest() is second
    time.now += 0.02
    assert standings.due
    assert (await standings.latest()).round_count == 2


@pytest.mark.parametrize("byes", [[], [1]])
async def test_a_bye_is_news(byes: list[int], time: Time) -> None:
    standings = live()
    await standings.latest()
    time.now += 1_000
    standings.add_byes(byes)
    assert standings.due is bool(byes)


async def test_the_last_standings_are_due_at_once_and_in_the_order_of_the_result(time: Time) -> None:
    standings = live()
    standings.add([won(2, 0, 1)])
    await standings.latest()
    assert not standings.due
    standings.finish(TournamentResult(winners=["b"], others=["a", "c"]))
    assert standings.due
    found: Any = await standings.latest()
    assert [line.name for line in found.standings] == ["b", "a", "c"]
    assert found.complete

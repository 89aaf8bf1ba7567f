"""What holds for every format: it ends, names only games that can be played, and does the same again."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.formats.format import Terms, find, registered
from fairplay.games.kit.tournament import Order, Pairing, PlayRound, Results, Schedule, answer_round
from fairplay.games.kit.tournament import play as play_tournament
from fairplay.v1.player_pb2 import StartResponse
from fairplay.v1.tournament_pb2 import (
    DoubleElimination,
    Gauntlet,
    Knockout,
    Ladder,
    RoundRobin,
    Stage,
    Stages,
    Swiss,
    TournamentFormat,
)
from tests.formats.harness import chance, play

SIZES = [range(2, 3), range(2, 5), range(3, 4), range(2, 9), range(1, 6)]
FORMATS: dict[str, list[Message]] = {
    "knockout": [Knockout(), Knockout(games_per_match=3)],
    "double-elimination": [DoubleElimination(), DoubleElimination(games_per_match=4)],
    "round-robin": [RoundRobin(), RoundRobin(seat_count=3), RoundRobin(cycle_count=2)],
    "swiss": [Swiss(), Swiss(seat_count=3), Swiss(seat_count=3, round_count=5)],
    "gauntlet": [Gauntlet(), Gauntlet(seat_count=3, meeting_count=2), Gauntlet(challengers=["p1", "p2"])],
    "ladder": [Ladder(game_limit=24), Ladder(game_limit=24, seat_count=3, precision=200)],
    "stages": [
        Stages(
            stages=[
                Stage(format=TournamentFormat(swiss=Swiss()), top_count=4),
                Stage(format=TournamentFormat(knockout=Knockout(games_per_match=2))),
            ]
        ),
        Stages(
            stages=[
                Stage(format=TournamentFormat(round_robin=RoundRobin()), top_count=4),
                Stage(format=TournamentFormat(double_elimination=DoubleElimination()), top_count=3),
                Stage(format=TournamentFormat(ladder=Ladder(game_limit=12))),
            ]
        ),
    ],
}
CASES = [(name, settings) for name, each in FORMATS.items() for settings in each]


def test_every_format_is_tried() -> None:
    assert set(FORMATS) == set(registered())


@pytest.mark.parametrize(("name", "message"), CASES)
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_every_format_ends_whatever_happens(name: str, message: Message, data: st.DataObject) -> None:
    sizes = data.draw(st.sampled_from(SIZES))
    count = data.draw(st.integers(2, 14))
    format_ = find(name)
    full_terms = Terms([f"p{number}" for number in range(count)], sizes, 0, format_.strikes_withdrawn)
    deal_count = data.draw(st.integers(0, 2)) if format_.ranks else 0
    try:
        format_.check(format_.full_settings(message, sizes), full_terms._replace(deal_count=deal_count))
    except ValueError as error:
        assert str(error)[-1] not in ".\n"
        return
    missing = data.draw(st.sets(st.integers(0, count - 1)))
    decide = chance(
        data.draw(st.integers(0, 100)),
        ties=data.draw(st.sampled_from([0.0, 0.2, 1.0])),
        failures=data.draw(st.sampled_from([0.0, 0.1, 1.0])),
        aborted=data.draw(st.sampled_from([0.0, 0.1, 1.0])),
    )
    allowed = data.draw(st.sampled_from([0, 1, 3, 1_000]))
    again: dict[str, Any] = {
        "sizes": sizes,
        "deal_count": deal_count,
        "decide": decide,
        "allowed": allowed,
        "missing": sorted(missing),
    }
    event = play(name, message, count, **again)
    assert play(name, message, count, **again) == event


class _Prefix:
    """A schedule that is fed with results that are known, one round after the other."""

    def __init__(self, name: str, message: Message, sizes: range, decide: Any) -> None:
        self._decide = decide
        format_ = find(name)
        terms = Terms([f"p{number}" for number in range(8)], sizes, 0, format_.strikes_withdrawn)
        self._schedule = format_.schedule(format_.full_settings(message, sizes), terms, range(8), Random(5))
        self.steps = [next(self._schedule)]

    def go_on(self) -> bool:
        step: PlayRound = self.steps[-1]
        results = answer_round(len(self.steps), step, [self._decide(game) for game in step.games])
        try:
            self.steps.append(self._schedule.send(Results(results, frozenset())))
        except StopIteration:
            return False
        return True


def test_the_same_results_so_far_lead_to_the_same_games() -> None:
    """Whatever comes later: two plans that have been fed the same name the same games next."""
    for name, message in CASES:
        change = 3
        first, other = (_Prefix(name, message, range(2, 5), chance(1)) for _ in range(2))
        for _ in range(change):
            assert first.go_on() == other.go_on()
            assert first.steps == other.steps
        other._decide = chance(2)
        while first.go_on() and other.go_on():
            pass
        assert first.steps[: change + 1] == other.steps[: change + 1]


def test_a_plan_for_nobody_or_one_ends_at_once() -> None:
    for name, message in CASES:
        assert play(name, message, 6, missing=range(6)).games == []
        event = play(name, message, 6, missing=[0, 1, 3, 4, 5])
        assert event.games == []
        assert event.order == ((2,), ())


def test_the_best_wins_where_the_better_always_beats_the_worse() -> None:
    for name, message in CASES:
        event = play(name, message, 8)
        assert 0 in event.order.winners
        if name != "gauntlet":
            assert event.order.winners == (0,)


def test_deals_are_numbered_through_and_played_from_every_seat() -> None:
    for name in list(FORMATS):
        format_ = find(name)
        if not format_.ranks:
            with pytest.raises(ValueError, match="games_per_match"):
                play(name, FORMATS[name][0], 8, deal_count=2)
            continue
        event = play(name, FORMATS[name][0], 8, deal_count=2)
        deals: dict[int, list[tuple[int, ...]]] = {}
        for game in event.games:
            assert game.deal > 0
            deals.setdefault(game.deal, []).append(game.entrants)
        assert sorted(deals) == list(range(1, len(deals) + 1))
        for games in deals.values():
            assert len({frozenset(game) for game in games}) == 1
            assert len({game[0] for game in games}) == len(games) == len(games[0])


@pytest.mark.parametrize("game", [(0,), (0, 1, 2)])
def test_a_game_that_cannot_be_played_is_a_fault_of_the_format(game: tuple[int, ...]) -> None:
    def schedule(_: Sequence[int]) -> Schedule:
        yield PlayRound((Pairing(game),))
        return Order((), ())

    conversation = play_tournament("t", 3, range(2, 3), schedule)
    conversation.send(None)
    with pytest.raises(ValueError, match="names a game that cannot be played"):
        conversation.send({seat: StartResponse() for seat in range(3)})

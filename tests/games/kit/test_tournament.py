"""What all formats share: rounds ahead of others, failures, and who is withdrawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from fairplay.games.kit.player_service import START
from fairplay.games.kit.tournament import (
    Failures,
    Order,
    Pairing,
    Played,
    PlayRound,
    Results,
    Rounds,
    Schedule,
    play,
)
from fairplay.games.steps import CallAll, Eliminate
from fairplay.v1.misconduct_pb2 import CallError, Misconduct
from fairplay.v1.player_pb2 import EndResponse, StartResponse
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup

TWO = range(2, 3)


def result(*failed: int) -> GameResult:
    """The result of a game that the first seat wins, unless it fails."""
    first = [RankGroup(players=[RankedPlayer(seat=0)])] if 0 not in failed else []
    return GameResult(ranking=first, misconducts=[Misconduct(seat=seat) for seat in failed])


def one_after_the_other(ahead: int, received: list[Results]) -> Any:
    """A schedule of three rounds of one game each, between 0 and 1, 1 and 2, and 2 and 0."""

    def schedule(entrants: Sequence[int]) -> Schedule:
        for pair in ((0, 1), (1, 2), (2, 0)):
            results = yield PlayRound((Pairing(pair),), ahead)
            received.append(results)
        return Order((0,), (1, 2))

    return schedule


def advance(conversation: Any, answer: Any = None) -> Any:
    """Send an answer, and answer calls as players that never fail do, up to the next round."""
    step = conversation.send(answer)
    while isinstance(step, CallAll | Eliminate):
        answers = {}
        if isinstance(step, CallAll):
            answers = {call.seat: StartResponse() if call.method is START else EndResponse() for call in step.calls}
        step = conversation.send(answers)
    return step


def test_rounds_are_answered_as_they_are_due() -> None:
    received: list[Results] = []
    conversation, rounds = play("t", 3, TWO, one_after_the_other(1, received), Failures(3)), Rounds()
    step = advance(conversation)
    assert rounds.begin(step) == 1
    assert rounds.answer() == ()  # the second round is named before the first is over
    assert rounds.begin(advance(conversation, ())) == 2
    assert rounds.answer() is None
    rounds.record(Played(2, 1, Pairing((1, 2)), result(1)))
    assert rounds.answer() is None  # whatever comes first, rounds are answered in their order
    rounds.record(Played(1, 1, Pairing((0, 1)), result()))
    first = rounds.answer()
    assert first == (Played(1, 1, Pairing((0, 1)), result()),)
    rounds.begin(advance(conversation, first))
    second = rounds.answer()
    assert second == (Played(2, 1, Pairing((1, 2)), result(1)),)
    assert second[0].failed == [2]
    waiting = advance(conversation, second)
    assert waiting == PlayRound(())  # the schedule is over; the last game is waited for
    assert rounds.begin(waiting) == 3
    assert rounds.answer() is None
    rounds.record(Played(3, 1, Pairing((2, 0)), result()))
    third = rounds.answer()
    assert third is not None
    with pytest.raises(StopIteration) as stop:
        advance(conversation, third)
    assert stop.value.value == Order((0,), (1, 2))
    assert [len(each.played) for each in received] == [0, 1, 1]


def test_an_entrant_is_withdrawn_with_one_failure_more_than_are_allowed() -> None:
    def schedule(entrants: Sequence[int]) -> Schedule:
        assert [*entrants] == [0, 1, 2]  # one failure, in Start, is allowed
        for _ in range(3):
            yield PlayRound((Pairing((0, 2)),))
        return Order((0,), (1, 2))

    failures = Failures(1)
    conversation = play("t", 3, TWO, schedule, failures)
    starts = conversation.send(None)
    assert isinstance(starts, CallAll)
    step = conversation.send({0: StartResponse(), 1: StartResponse(), 2: CallError(message="dead")})
    assert isinstance(step, Eliminate)
    step = conversation.send(None)
    assert isinstance(step, PlayRound)
    conversation.send((Played(1, 1, step.games[0], result()),))
    with pytest.raises(ValueError, match=r"a game that cannot be played, of the entrants \(0, 2\)"):
        conversation.send((Played(2, 1, step.games[0], result(1)),))
    assert failures.counts == {2: 2}
    assert failures.withdrawn == {2}


@pytest.mark.parametrize("game", [(0,), (0, 1, 2)])
def test_a_game_that_cannot_be_played_is_a_fault_of_the_format(game: tuple[int, ...]) -> None:
    def schedule(entrants: Sequence[int]) -> Schedule:
        yield PlayRound((Pairing(game),))
        return Order((), ())

    with pytest.raises(ValueError, match="names a game that cannot be played"):
        advance(play("t", 3, TWO, schedule))


def test_in_a_league_a_winner_that_fails_end_has_won_all_the_same() -> None:
    def schedule(entrants: Sequence[int]) -> Schedule:
        yield PlayRound(())
        return Order((1,), (2, 0))

    failures = Failures(3)
    conversation = play("t", 3, TWO, schedule, failures)
    conversation.send(None)
    conversation.send({seat: StartResponse() for seat in range(3)})
    conversation.send(())
    conversation.send({1: CallError(message="dead")})
    conversation.send(None)
    with pytest.raises(StopIteration) as stop:
        conversation.send({0: EndResponse(), 2: EndResponse()})
    assert stop.value.value == Order((1,), (2, 0))
    assert failures.counts == {1: 1}


def test_a_cancelled_tournament_forgets_games_that_are_not_over() -> None:
    rounds = Rounds()
    rounds.begin(PlayRound((Pairing((0, 1)), Pairing((2, 3)))))
    rounds.record(Played(1, 2, Pairing((2, 3)), result()))
    assert rounds.drain() == (Played(1, 2, Pairing((2, 3)), result()),)
    assert rounds.answer() == ()

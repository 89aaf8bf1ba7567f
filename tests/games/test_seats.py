"""Every request of every game names the seat of its player, and all that a player needs that knows nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from fairplay.games.game import Game, find, registered
from fairplay.games.steps import Call, CallAll, Eliminate, Outcome, Step, answer_step, calls_in
from fairplay.player.handlers import Handlers
from fairplay.v1.misconduct_pb2 import CallError

FOR_ALL = {"UpdateGameBoard"}
"""Methods whose request is one message for all players."""
GAMES: dict[str, dict[str, Any]] = {
    "fish": {},
    "q": {},
    "bazaar": {},
    "eriantys": {"mode": "MODE_EXPERT"},
    "webset": {"aspects": 3},
}


def played(
    name: str, answer: Callable[[Call], Any], seed: int = 1, **settings: Any
) -> Iterator[tuple[Step, Any] | Outcome]:
    """Yield each step of a game of all its seats with its answer, then its outcome."""
    game = find(name)
    full = game.full_settings(game.settings_type(**(GAMES[name] | settings)))
    conversation = game.play("g", full, ["player"] * max(game.seats[:4]), Random(seed), None)
    answered: Any = None
    while True:
        try:
            step = conversation.send(answered)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            yield outcome
            return
        answered = answer_step(step, answer)
        if isinstance(step, CallAll):
            answered = dict(sorted(answered.items(), reverse=True))
        yield step, answered


def asked(game: Game, strategy: str = "random") -> Callable[[Call], Any]:
    """Return what a player answers that is started for every single call."""

    def answer(call: Call) -> Any:
        handlers = Handlers(game.player(strategy))
        return call.method.response.FromString(
            handlers.call_now(call.method.path, call.request.SerializeToString(deterministic=True))
        )

    return answer


def test_the_games_are_all_here() -> None:
    assert set(GAMES) <= set(registered())


@pytest.mark.parametrize("name", GAMES)
def test_every_request_names_the_seat_of_its_player(name: str) -> None:
    answer, counts = asked(find(name)), dict.fromkeys((method.name for method in find(name).methods), 0)

    def fails(call: Call) -> Any:
        counts[call.method.name] += 1
        late = call.seat == 1 and counts[call.method.name] > 4
        return CallError(message="gone") if late else answer(call)

    seats = set()
    for step in played(name, fails):
        for call in () if isinstance(step, Outcome) else calls_in(step[0]):
            seats.add(call.seat)
            if call.method.name not in FOR_ALL:
                assert call.request.seat == call.seat, call.method.name
    assert len(seats) == max(find(name).seats[:4])


@pytest.mark.parametrize("name", GAMES)
def test_a_player_that_was_restarted_before_each_call_plays_a_whole_game(name: str) -> None:
    steps = list(played(name, asked(find(name), "first")))
    assert not [step for step in steps if not isinstance(step, Outcome) and isinstance(step[0], Eliminate)]
    assert isinstance(steps[-1], Outcome)


@pytest.mark.parametrize("name", GAMES)
def test_the_seat_has_the_same_place_beside_the_game_in_every_request(name: str) -> None:
    for method in find(name).methods:
        fields = {field.name: field.number for field in method.request.DESCRIPTOR.fields}
        assert fields["game_id"] == 1
        assert method.name in FOR_ALL or fields["seat"] == 2

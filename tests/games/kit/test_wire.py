"""Requests put together from serialised parts: the bytes of the whole message."""

from __future__ import annotations

from random import Random

import pytest
from google.protobuf.message import Message

from fairplay.games.game import find, registered
from fairplay.games.steps import Call, answer_step, calls_in
from fairplay.player.handlers import reply_of

MOST_CALLS = 400


def test_a_call_has_its_request_as_message_and_as_bytes_whichever_it_was_made_of() -> None:
    method, kind = find("fish").methods[0], next(iter(_calls("fish"))).kind
    message = method.request(game_id="game", seat=2)
    for given_as in (message, message.SerializeToString()):
        call = Call(2, method, given_as, kind)
        assert (call.request, call.data) == (message, message.SerializeToString())


@pytest.mark.parametrize("game", sorted(registered()))
def test_every_request_of_a_game_has_the_bytes_of_its_message(game: str) -> None:
    for call in _calls(game):
        message: Message = call.method.request.FromString(call.data)
        assert message.SerializeToString() == call.data, call
        if call.method.name != "UpdateGameBoard":
            assert getattr(message, "seat") == call.seat  # noqa: B009 - messages of any game


def _calls(name: str) -> list[Call]:
    """Return the calls of a game between reference players, or its first ones."""
    game, calls, answer = find(name), list[Call](), None
    seats = range(min(game.seats.stop - 1, 3))
    players = [game.player("first") for _ in seats]
    settings = game.full_settings(game.settings_type())
    conversation = game.play("game", settings, [f"p{seat}" for seat in seats], Random(3), None)
    while len(calls) < MOST_CALLS:
        try:
            step = conversation.send(answer)
        except StopIteration:
            break
        calls += calls_in(step)
        answer = answer_step(step, lambda call: reply_of(players[call.seat], call))
    return calls

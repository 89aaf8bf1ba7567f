"""Requests put together from serialised parts: the bytes of the whole message."""

from __future__ import annotations

from random import Random

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from fairplay.fish.v1 import fish_pb2, fish_player_pb2
from fairplay.games.game import find, registered
from fairplay.games.kit.wire import Heads, packed, varint, write_field, write_number, write_numbers, zigzag
from fairplay.games.steps import Call, answer_step, calls_in
from fairplay.player.handlers import reply_of
from fairplay.q.v1 import q_pb2

MOST_CALLS = 400


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**32 - 1), max_size=4), st.integers(-(2**31), 2**31 - 1))
def test_numbers_are_written_as_protobuf_writes_them(number: int, numbers: list[int], signed: int) -> None:
    written = write_number(fish_pb2.State, "revision")(number)
    assert written == fish_pb2.State(revision=number).SerializeToString()
    assert write_numbers(fish_pb2.State, "fish")(numbers) == fish_pb2.State(fish=numbers).SerializeToString()
    rows = write_field(q_pb2.State, "rows")(varint(zigzag(signed)))
    assert rows == q_pb2.State(rows=[signed]).SerializeToString()


@given(st.lists(st.integers(0, 300)))
def test_a_list_is_as_long_as_its_numbers_need(numbers: list[int]) -> None:
    assert packed(numbers) == b"".join(map(varint, numbers))


def test_a_zero_is_written_only_where_it_differs_from_nothing() -> None:
    assert write_number(q_pb2.State, "pile_left")(0) == b""
    assert write_number(q_pb2.State, "turn")(0) == q_pb2.State(turn=0).SerializeToString() != b""


@given(st.text(min_size=1, max_size=200), st.integers(0, 300))
def test_a_request_begins_with_the_game_and_the_seat(game_id: str, seat: int) -> None:
    request = fish_player_pb2.TakeTurnRequest
    assert Heads(request, game_id)[seat] == request(game_id=game_id, seat=seat).SerializeToString()


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

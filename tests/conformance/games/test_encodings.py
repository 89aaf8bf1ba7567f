"""Requests in pieces say what they say in one."""

from __future__ import annotations

from itertools import islice

import pytest

from fairplay.conformance.games.encodings import in_pieces
from fairplay.fish.v1.fish_player_pb2 import TakeTurnRequest
from fairplay.games.game import find, registered
from fairplay.games.machine import GameMachine
from fairplay.games.steps import calls_in
from fairplay.games.transcript import game_rng
from fairplay.player.handlers import reply_of
from fairplay.v1.player_pb2 import EndRequest


@pytest.mark.parametrize("name", registered())
def test_a_request_in_pieces_is_read_as_the_same(name: str) -> None:
    game = find(name)
    names = [f"player{seat}" for seat in range(game.seats.start)]
    machine = GameMachine(game.play("game", game.full_settings(game.settings_type()), names, game_rng(1), None))
    player = game.player("first")
    steps = islice(machine.play(lambda call: reply_of(player, call)), 100)
    requests = [call.request for step in steps for call in calls_in(step)]
    assert all(type(each).FromString(in_pieces(each)) == each for each in requests)
    assert any(in_pieces(each) != each.SerializeToString() for each in requests)


def test_half_of_a_list_is_not_packed() -> None:
    request = TakeTurnRequest()
    request.state.fish.extend([1, 2, 3])
    key = request.state.DESCRIPTOR.fields_by_name["fish"].number << 3
    assert in_pieces(request).endswith(bytes([key, 1, key, 2, key | 2, 1, 3]))


def test_zeros_and_empty_lists_are_written_out() -> None:
    assert in_pieces(EndRequest(won=True)) == b"\n\x00\x10\x01"

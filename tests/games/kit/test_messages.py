"""What the kit does for messages of settings."""

from __future__ import annotations

from random import Random

import pytest

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish import protocol
from fairplay.games.kit.messages import read_draw_state, without_unknown_choices


def test_settings_that_are_remembered_belong_to_their_message() -> None:
    small, large = (protocol.read_settings(fish_pb2.Settings(rows=rows, columns=4)) for rows in (3, 5))
    assert (small.rows, large.rows) == (3, 5)
    assert protocol.read_settings(fish_pb2.Settings(rows=3, columns=4)) is small


def test_a_player_takes_a_choice_of_a_later_revision_for_none() -> None:
    settings = fish_pb2.Settings(rows=3, lone_survivor=99, action_list=fish_pb2.ACTION_LIST_MOVES)  # type: ignore[arg-type]
    known = fish_pb2.Settings(rows=3, action_list=fish_pb2.ACTION_LIST_MOVES)
    assert without_unknown_choices(settings) == known


def test_a_state_of_draws_has_eight_bytes_or_is_drawn() -> None:
    assert read_draw_state(bytes([1, 2, 3, 4, 5, 6, 7, 8]), Random(1)) == 0x0102030405060708
    assert read_draw_state(b"", Random(1)) == Random(1).getrandbits(64)
    for length in (1, 7, 9):
        with pytest.raises(ValueError, match=f"draw_state has {length} bytes: it must have 8, or none"):
            read_draw_state(bytes(length), Random(1))

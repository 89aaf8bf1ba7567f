"""What the kit does for messages of settings."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish.protocol import codec
from fairplay.games.kit.messages import enum_word, fill, given, read_draw_state, remember_settings
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.webset.v1 import webset_pb2


def test_settings_are_read_once_until_they_change() -> None:
    read: list[int] = []

    @remember_settings
    def settings(message: fish_pb2.Settings) -> int:
        read.append(message.rows)
        if message.rows == 9:
            raise ValueError("nine")
        return message.rows

    message = fish_pb2.Settings(rows=4)
    assert [settings(message), settings(fish_pb2.Settings(rows=4))] == [4, 4]
    message.rows = 5
    assert settings(message) == 5
    assert read == [4, 5]
    for _ in range(2):
        with pytest.raises(ValueError, match="nine"):
            settings(fish_pb2.Settings(rows=9))


def test_settings_that_are_remembered_belong_to_their_message() -> None:
    small, large = (codec.settings(fish_pb2.Settings(rows=rows, columns=4)) for rows in (3, 5))
    assert (small.rows, large.rows) == (3, 5)
    assert codec.settings(fish_pb2.Settings(rows=3, columns=4)) is small


@pytest.mark.parametrize(
    ("enum", "value", "word"),
    [
        (fish_pb2.Color, fish_pb2.COLOR_RED, "red"),
        (MisconductKind, MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION, "rule violation"),
        (MisconductKind, 0, "unspecified"),
        (MisconductKind, 99, "99"),
    ],
)
def test_a_value_of_an_enum_is_a_word_or_a_number_that_nobody_knows(enum: Any, value: int, word: str) -> None:
    assert enum_word(enum, value) == word


def test_a_state_of_draws_has_eight_bytes_or_is_drawn() -> None:
    assert read_draw_state(bytes([1, 2, 3, 4, 5, 6, 7, 8]), Random(1)) == 0x0102030405060708
    assert read_draw_state(b"", Random(1)) == Random(1).getrandbits(64)
    for length in (1, 7, 9):
        with pytest.raises(ValueError, match=f"draw_state has {length} bytes: it must have 8, or none"):
            read_draw_state(bytes(length), Random(1))


def test_what_settings_have_no_value_for_is_left_out_of_their_message() -> None:
    class Some:
        profile, score_floor, aspects = "seed", None, 0

        def __getattr__(self, name: str) -> None:
            return None

    message = fill(webset_pb2.Settings(), Some())
    assert message == webset_pb2.Settings(profile=webset_pb2.PROFILE_SEED, aspects=0)
    assert message.HasField("aspects")
    assert given(message) == {"profile": "seed", "aspects": 0}

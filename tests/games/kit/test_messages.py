"""What the kit does for messages of settings."""

from __future__ import annotations

import pytest

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish.protocol import codec
from fairplay.games.kit.messages import remember_settings


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

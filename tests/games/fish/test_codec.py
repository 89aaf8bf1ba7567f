"""Boards that come in settings."""

from __future__ import annotations

import pytest

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish.protocol import codec


@pytest.mark.parametrize(("columns", "fish"), [(0, []), (0, [1, 1]), (2, []), (2, [1, 1, 1])])
def test_a_board_without_whole_rows_is_refused(columns: int, fish: list[int]) -> None:
    settings = fish_pb2.Settings(board=fish_pb2.Board(columns=columns, fish=fish))
    with pytest.raises(ValueError, match=f"board has {len(fish)} tiles in rows of {columns}"):
        codec.settings(settings)


def test_a_board_of_settings_has_its_rows() -> None:
    settings = fish_pb2.Settings(board=fish_pb2.Board(columns=3, fish=[1, 2, 3, 4, 5, 1]))
    assert codec.settings(settings).board == ((1, 2, 3), (4, 5, 1))

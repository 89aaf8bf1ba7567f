"""Boards that come in settings."""

from __future__ import annotations

import pytest

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish.protocol import codec


@pytest.mark.parametrize(("columns", "fish"), [(0, [1, 1]), (2, [1, 1, 1])])
def test_a_board_without_whole_rows_is_refused(columns: int, fish: list[int]) -> None:
    settings = fish_pb2.Settings(board=fish_pb2.Board(columns=columns, fish=fish))
    with pytest.raises(ValueError, match=f"board has {len(fish)} tiles in rows of {columns}"):
        codec.settings(settings)

"""Whole games of Q go as they always went. `python -m tests.games.q.golden_games` writes them anew."""

from __future__ import annotations

import pytest

from tests.games.q.golden_games import GAMES, GOLDEN, retold


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_is_played_as_ever(name: str) -> None:
    assert retold(name) == (GOLDEN / f"{name}.txt").read_text("utf-8")

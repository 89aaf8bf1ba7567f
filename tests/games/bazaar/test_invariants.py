"""What no game of Bazaar can be like (section 10), by the smallest change that breaks it, and what one just can be."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.games.bazaar import rules
from fairplay.games.bazaar.rules.pieces import Card, EquationTable, pack, parse_bag, parse_card
from fairplay.games.bazaar.rules.state import Phase, Player, Settings, Standing, State, invariant

ORDERED = Settings(draw="ordered")
RED, WHITE = (parse_card("rrrrr"),), (parse_card("wwwww"),)
WON = (Player(score=20), Player())
FAILED = (Player(score=20, standing=Standing.FAILED), Player())


def game(**changes: Any) -> State:
    """Return a game of two players who have nothing, before a turn of the first one."""
    start = rules.resume(
        changes.pop("settings", ORDERED),
        EquationTable(()),
        bank=parse_bag("rwbgy"),
        visible=RED * 4,
        pile=WHITE * 2,
        players=(Player(), Player()),
    )
    return start._replace(**changes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"bank": pack([20] * 4 + [21])}, "at most 100 pebbles together, not 101"),
        ({"bank": pack([20] * 5), "players": (Player(parse_bag("r")), Player())}, "together, not 101"),
        ({"players": (Player(wallet=-1), Player())}, "five counts"),
        ({"visible": (*RED * 3, Card(parse_bag("rrrr"), False))}, "A card shows 5 pebbles"),
        ({"visible": RED * 5, "pile": ()}, "At most 4 cards are visible, not 5"),
        ({"visible": RED * 3}, "no hidden card is left"),
        ({"pile": WHITE * 17}, "At most 20 cards"),
        ({"players": (Player(),) * 7}, "at most 6 players, not 7"),
        ({"players": (Player(), Player(score=-1))}, "A score is never negative"),
        ({"turns": -1}, "are never negative"),
        *(
            ({"players": (Player(), Player(*got)._replace(standing=Standing.OUT))}, "has no pebbles, points or cards")
            for got in ((parse_bag("r"),), (0, 1), (0, 0, RED))
        ),
        ({"players": (Player(), Player(standing=Standing.FAILED))}, "only when the game is over"),
        ({"active": 2}, "The active seat"),
        ({"players": WON}, "A call is due"),
        ({"phase": Phase.OVER}, "nothing has ended it"),
        ({"players": (Player(score=19, standing=Standing.FAILED), Player()), "phase": Phase.OVER}, "has ended it"),
    ],
)
def test_what_no_game_can_be_like_is_named(changes: dict[str, Any], sentence: str) -> None:
    assert sentence in (invariant(game(**changes)) or "")

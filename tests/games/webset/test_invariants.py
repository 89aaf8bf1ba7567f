"""What no game of Webset can be like (section 4.5), by the smallest change that breaks it, and what one just can be."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.games.webset.rules import invariants
from fairplay.games.webset.rules.cards import EMPTY
from fairplay.games.webset.rules.settings import settings_of
from fairplay.games.webset.rules.state import Phase, Player, Standing, solutions
from tests.games.webset.tables import UNSHUFFLED, fresh, without_sets

START = fresh()
WITHOUT_SETS = without_sets(12)
EMPTY_SLOTS = (EMPTY,) * (len(START.table) - 12)
OUT, FAILED = Player(standing=Standing.OUT), Player(standing=Standing.FAILED)
LOCKED = Player(locked=True)
ONE_SET = Player(cards=(12, 13, 14), points=1)
WITHOUT_SET = {"deck": UNSHUFFLED[15:], "players": (ONE_SET, Player())}
CALLED = {"phase": Phase.CALLED, "caller": 1, "call_count": 1}
SHOWN = {"settings": settings_of(show_enabled=True), "phase": Phase.SHOWING}
SOLUTION_COUNT = len(solutions(START))
LOCKING = settings_of(locked_until_change=True)
VOTING = settings_of(more_rule="all_agree")
CAP = START.settings.act_cap
PICKING = CALLED | {"settings": settings_of(selection="single")}
NAMED = Player(cards=(0, 1, 2, 3, 4, 5))
SOLVED = {"settings": settings_of(rounds="puzzle"), "phase": Phase.OVER, "players": (NAMED, NAMED)}
NINE = (*range(9), *[EMPTY] * 12)
NONE_THERE = {
    "table": (*WITHOUT_SETS, *EMPTY_SLOTS),
    "deck": tuple(card for card in UNSHUFFLED if card not in WITHOUT_SETS),
}


@pytest.mark.parametrize(
    "changes",
    [
        {"players": (Player(),) * 8},
        WITHOUT_SET,
        {"table": (EMPTY, *range(1, 12), *EMPTY_SLOTS), "deck": (), "discarded": (0, *UNSHUFFLED[12:])},
        {"settings": LOCKING, "players": (LOCKED, Player(), OUT)},
        {"settings": VOTING, "votes": (0,)},
        {"players": (FAILED, Player()), "phase": Phase.OVER},
        {"players": (OUT, OUT), "phase": Phase.OVER},
        {"act_count": CAP, "phase": Phase.OVER},
        CALLED,
        SHOWN | {"displayed": SOLUTION_COUNT - 1},
        {"revision": 2**53, "call_count": 2**31},
        PICKING | {"picked": (0, 11)},
        SOLVED | {"players": (Player(cards=tuple(range(12))), Player(cards=(0, 1, 2, 5, 8, 2, 5, 3, 4)))},
        {"settings": settings_of(refill_rule="seed_base"), "table": NINE, "deck": UNSHUFFLED[9:]},
        NONE_THERE | CALLED,
        NONE_THERE | {"phase": Phase.OVER},
    ],
)
def test_what_a_game_can_just_be_like_is_sound(changes: dict[str, Any]) -> None:
    assert invariants.invariant(START._replace(**changes)) is None

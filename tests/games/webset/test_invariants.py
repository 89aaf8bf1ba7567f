"""What no game of Webset can be like (section 4.5), by the smallest change that breaks it, and what one just can be."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.games.kit.settings import MAX_COUNT
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


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"table": START.table[:-1]}, "20 slots: it must have 21"),
        (
            {"table": (EMPTY, *range(1, 12), *EMPTY_SLOTS), "deck": (*UNSHUFFLED[12:], 0)},
            "Only 11 cards lie on the table although the deck has some: 12 must",
        ),
        ({"table": (EMPTY, *range(1, 12), 0, *EMPTY_SLOTS[1:])}, "A slot of the base area is empty"),
        *(({name: -1}, "are never negative") for name in ("revision", "act_count", "call_count", "draw_state")),
        ({"settings": LOCKING, "players": (LOCKED, LOCKED)}, "Everybody is locked out"),
        (CALLED | {"call_count": 0}, "none was accepted, or in rounds"),
        ({"revision": 2**53 + 1}, "The revision is at most 9,007,199,254,740,992"),
        ({"call_count": MAX_COUNT + 1}, f"counts are at most {MAX_COUNT:,}"),
        (PICKING | {"picked": (0, 1, 2)}, "Up to two cards"),
        (PICKING | {"picked": (0, 0)}, "not different ones of the table"),
        (SOLVED | {"players": (NAMED, Player(cards=(0, 1, 2, 2, 1, 0)))}, "Player 1 has named a set twice"),
        (SOLVED | {"players": (NAMED, Player(cards=(12, 13, 14)))}, "one that is not on the table"),
        (NONE_THERE, "the referee deals by itself"),
        (SHOWN | {"displayed": SOLUTION_COUNT}, f"Solution {SOLUTION_COUNT} is displayed"),
        ({"players": (OUT, OUT)}, "nobody is in it"),
    ],
)
def test_what_no_game_can_be_like_is_named(changes: dict[str, Any], sentence: str) -> None:
    assert sentence in (invariants.invariant(START._replace(**changes)) or "")

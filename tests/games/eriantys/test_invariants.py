"""What no game of Eriantys can be like (section 6.4): each invariant by the smallest change that breaks it alone."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.rules.invariants import invariant
from fairplay.games.eriantys.rules.state import (
    NOBODY,
    Group,
    Phase,
    PlayAssistant,
    Reason,
    Settings,
    Standing,
    State,
    size_of,
    unseen,
)
from tests.games.eriantys.tables import NONE, expert, fresh, students, table

WITH_HERBALIST = expert(5, 1, 2)
PLANNING = fresh(WITH_HERBALIST, 3)
BASIC = fresh(Settings(), 2)
TURN = table(2, WITH_HERBALIST, phase=Phase.STUDENTS, entrances=["GREEN7", "RED7"], clouds=(NONE, NONE))
MOVING = table(2, expert(1, 2, 3), entrances=["GREEN4", "RED7"], clouds=(NONE, NONE))
OVER = rules.apply(PLANNING, PlayAssistant(1))._replace(
    phase=Phase.OVER, active=NOBODY, queue=(), reason=Reason.BAG_EMPTY, round=1
)

LAST_TOWER = BASIC._replace(phase=Phase.OVER, active=NOBODY, queue=(), reason=Reason.LAST_TOWER)


def changed(state: State, **changes: Any) -> State:
    """Return the state with these changes; the bag holds all students that are nowhere else."""
    after = state._replace(**changes)
    return after if "bag" in changes or len(after.entrances) != len(after.sides) else _filled(after)


def _filled(state: State) -> State:
    try:
        return state._replace(bag=unseen(state))
    except (IndexError, ValueError):
        return state


def at(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])


def single(state: State, place: int, **changes: Any) -> dict[str, Any]:
    return {"groups": at(state.groups, place, state.groups[place]._replace(**changes))}


def card(state: State, place: int, **changes: Any) -> dict[str, Any]:
    return {"cards": at(state.cards, place, state.cards[place]._replace(**changes))}


def conquered(count: int, left: int) -> dict[str, Any]:
    """A group with so many towers of the first of two sides, to which so many are left."""
    places = merged(BASIC, [count, 1, 11 - count], [0, NOBODY, 1])
    return places | {"towers": (left, places["towers"][1])}


def merged(state: State, sizes: list[int], towers: list[int]) -> dict[str, Any]:
    """Groups of these sizes with towers of these sides, without students, and the towers that are left then."""
    total = size_of(len(state.sides)).towers
    tiles, found = iter(range(12)), []
    for size, tower in zip(sizes, towers, strict=True):
        found.append(Group(tuple(next(tiles) for _ in range(size)), NONE, tower))
    built = [sum(size for size, tower in zip(sizes, towers, strict=True) if tower == side) for side in range(2)]
    return {"groups": tuple(found), "towers": tuple(total - count for count in built), "mother_nature": 0}


@pytest.mark.parametrize(
    ("state", "changes"),
    [
        (PLANNING, {"reserve": 0, "coins": (1, 1, PLANNING.reserve + 1)}),
        (PLANNING, {"paid_seats": at(PLANNING.paid_seats, 0, (1 << 15) - 1)}),
        (PLANNING, {"mother_nature": 11}),
        (PLANNING, {"entrances": at(PLANNING.entrances, 0, students("GREEN9"))}),
        (BASIC, merged(BASIC, [4, 4, 2, 1, 1], [0, 1, 0, 1, NOBODY])),
        (BASIC, merged(BASIC, [1] * 12, [0, NOBODY] * 6)),
        (TURN, {"to_move": 1, "entrances": (students("GREEN5"), NONE)}),
        (MOVING, {"played": 1}),
        (LAST_TOWER, conquered(8, 0)),
        (LAST_TOWER, conquered(9, 0)),
        (PLANNING, single(PLANNING, 3, no_entry=2) | card(PLANNING, 0, no_entry=2)),
        (OVER, {"hands": at(OVER.hands, 0, ()), "round": 10}),
        (
            BASIC,
            {
                "hands": at(BASIC.hands, 1 - BASIC.active, ()),
                "standings": at(BASIC.standings, 1 - BASIC.active, Standing.AWAY),
                "last_round": Reason.LAST_ASSISTANT,
                "round": 11,
            },
        ),
    ],
)
def test_what_a_game_can_just_be_like_is_sound(state: State, changes: dict[str, Any]) -> None:
    assert invariant(changed(state, **changes)) is None

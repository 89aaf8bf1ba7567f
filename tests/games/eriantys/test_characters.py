"""Expert mode: coins, and the twelve characters with the cases of eriantys.md sections 5.1 to 5.5 and 7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.rules import RULES
from fairplay.games.eriantys.rules.board import influences
from fairplay.games.eriantys.rules.characters import NAMES, character_cost
from fairplay.games.eriantys.rules.invariants import invariant
from fairplay.games.eriantys.rules.state import (
    NOBODY,
    Card,
    MoveMotherNature,
    Phase,
    PlayCharacter,
    Reason,
    Settings,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    unseen,
)
from tests.games.eriantys.tables import (
    BLUE,
    GREEN,
    NONE,
    PINK,
    RED,
    expert,
    fresh,
    group_at,
    moved,
    played,
    students,
    table,
    tower_at,
)


def at_table(
    character: int,
    on_card: str | None = None,
    chosen: dict[str, Any] | None = None,
    seat_count: int = 2,
    **position: Any,
) -> State:
    """Return a turn in which everybody has five coins and a character is in play, with these students on it."""
    position.setdefault("phase", Phase.STUDENTS)
    position.setdefault("entrances", ["GREEN", "GREEN"])
    state = table(seat_count, expert(character, **chosen or {}), coins=(5,) * seat_count, **position)
    reserve = 20 - 5 * seat_count
    if on_card is not None:
        state = state._replace(cards=(state.cards[0]._replace(students=students(on_card)), *state.cards[1:]))
        state = state._replace(bag=unseen(state))
    state = state._replace(reserve=reserve)
    assert invariant(state) is None
    return state


def plays(state: State, character: int) -> list[PlayCharacter]:
    """Return the listed ways to play a character."""
    return [one for one in rules.legal(state) if isinstance(one, PlayCharacter) and one.character == character]


def emptied(state: State, left: str = "") -> State:
    """Return the state with only these students in the bag."""
    spare = tuple(total - kept for total, kept in zip(unseen(state), students(left), strict=True))
    return state._replace(aside=spare, bag=students(left))


# Coins (5.1, 5.2, 7.6)


@pytest.mark.parametrize("before", [0, 1, 2, 8])
def test_c_01_coin_seats_pay(before: int) -> None:
    start = at_table(4, rooms=[f"RED{before}"] if before else ["", ""], entrances=["RED"], professors={RED: 0})
    state = played(start, ToDiningRoom(RED))
    assert state.coins[0] - start.coins[0] == (before + 1 in (3, 6, 9))
    assert invariant(state) is None


def test_no_coins_in_basic_mode() -> None:
    start = table(phase=Phase.STUDENTS, rooms=["RED2"], entrances=["RED"], professors={RED: 0})
    state = played(start, ToDiningRoom(RED))
    assert (state.coins, state.reserve) == ((0, 0), 0)


def test_c_03_the_price_grows_once() -> None:
    start = at_table(12)
    state = played(start, PlayCharacter(12, RED))
    assert (state.coins[0], state.reserve) == (2, start.reserve + 2)
    again = state._replace(played=0, coins=(5, 5), reserve=9)
    assert character_cost(again.cards[0]) == 4
    state = played(again, PlayCharacter(12, RED))
    assert (state.coins[0], state.reserve) == (1, 13)
    assert character_cost(state.cards[0]) == 4


def test_c_04_an_empty_reserve_pays_nothing() -> None:
    start = at_table(4, rooms=["RED2"], entrances=["RED"], professors={RED: 0})
    start = start._replace(reserve=0, coins=(10, 10))
    state = played(start, ToDiningRoom(RED))
    assert (state.coins, state.reserve) == ((10, 10), 0)


def test_what_is_paid_can_be_earned_again_by_the_same_character() -> None:
    start = at_table(11, "RED2 BLUE2", rooms=["RED2"], professors={RED: 0})
    start = start._replace(reserve=0, coins=(10, 10))
    state = played(start, PlayCharacter(11, RED))
    assert (state.coins, state.reserve) == ((9, 10), 0)


def test_c_06_minstrel_earns() -> None:
    start = at_table(10, rooms=["BLUE2 RED1"], entrances=["BLUE"], professors={BLUE: 0, RED: 0})
    state = played(start, PlayCharacter(10, swaps=((BLUE, RED),)))
    assert state.coins[0] == 5 - 1 + 1
    unpaid = minstrel(["BLUE2 RED1"], {BLUE: 0, RED: 0}, "BLUE", coins_from_characters=False)
    assert played(unpaid, PlayCharacter(10, swaps=((BLUE, RED),))).coins[0] == 4


def test_princess_earns_unless_students_of_characters_do_not_pay() -> None:
    for paying, coins in ((True, 4), (False, 3)):
        start = at_table(11, "RED2 BLUE2", {"coins_from_characters": paying}, rooms=["RED2"], professors={RED: 0})
        assert played(start, PlayCharacter(11, RED)).coins[0] == coins


def test_c_08_no_character_while_planning() -> None:
    state = fresh(expert(4))
    assert rules.violation(state, PlayCharacter(4)) == "eriantys.action.phase"


def test_a_coin_seat_may_pay_once_only() -> None:
    for once, coins in ((False, 7), (True, 6)):
        start = at_table(
            4, chosen={"coin_seat_once": once}, rooms=["RED2"], entrances=["RED3 BLUE"], professors={RED: 0}
        )
        state = played(start, ToDiningRoom(RED))
        state = state._replace(dining_rooms=(students("RED2"), NONE), aside=students("RED"))
        state = played(state, ToDiningRoom(RED))
        assert state.coins[0] == coins
        assert invariant(state) is None


# Playing characters (5.2)


def test_one_character_in_a_turn() -> None:
    state = played(at_table(4), PlayCharacter(4))
    assert rules.violation(state, PlayCharacter(4)) == "eriantys.character.once"
    assert not plays(state, 4)


def test_coins_are_needed() -> None:
    state = at_table(6)._replace(coins=(2, 8))
    assert rules.violation(state, PlayCharacter(6)) == "eriantys.character.coins"
    assert not plays(state, 6)


def test_effects_end_with_the_turn() -> None:
    start = at_table(9, phase=Phase.CLOUD, queue=(1,), entrances=["RED4", "RED7"])
    state = played(start, PlayCharacter(9, RED), TakeCloud(0))
    assert (state.active, state.played, state.ignored) == (1, 0, NOBODY)


def test_several_players_use_the_same_character_in_a_round() -> None:
    start = at_table(4, phase=Phase.CLOUD, queue=(1,), entrances=["RED4", "RED7"])
    state = played(start, PlayCharacter(4), TakeCloud(0))
    assert played(state, PlayCharacter(4)).coins == (4, 3)


@pytest.mark.parametrize(
    ("character", "action", "broken"),
    [
        (1, PlayCharacter(1), "eriantys.character.color"),
        (1, PlayCharacter(1, RED), "eriantys.character.island"),
        (1, PlayCharacter(1, RED, 12), "eriantys.island.known"),
        (1, PlayCharacter(1, BLUE, 3), "eriantys.character.card-students"),
        (2, PlayCharacter(2, RED), "eriantys.character.color"),
        (4, PlayCharacter(4, swaps=((RED, RED),)), "eriantys.character.swap-count"),
        (4, PlayCharacter(5, None, 1), "eriantys.character.in-play"),
        (7, PlayCharacter(7, swaps=((RED, GREEN),) * 4), "eriantys.character.swap-count"),
        (7, PlayCharacter(7, swaps=((BLUE, GREEN),)), "eriantys.character.card-students"),
        (7, PlayCharacter(7, swaps=((RED, GREEN),) * 2), "eriantys.character.swap-entrance"),
        (10, PlayCharacter(10, swaps=((GREEN, BLUE),)), "eriantys.character.swap-dining-room"),
        (10, PlayCharacter(10, swaps=((GREEN, PINK),)), "eriantys.character.table-full"),
    ],
)
def test_impossible_parameters_are_refused(character: int, action: PlayCharacter, broken: str) -> None:
    on_card = "RED3" if character in (1, 7, 11) else None
    state = at_table(character, on_card, rooms=["GREEN10 PINK", ""], professors={GREEN: 0, PINK: 0})
    assert rules.violation(state, action) == broken
    assert broken in RULES
    assert rules.violation(state._replace(settings=Settings()), action) == "eriantys.character.expert"


def test_characters_have_names_and_prices() -> None:
    assert len(set(NAMES.values())) == 12
    costs = [character_cost(Card(character, False, NONE, 0)) for character in NAMES]
    assert costs == [1, 2, 3] * 4


@pytest.mark.parametrize("character", [4, 9])
def test_characters_that_help_mother_nature_may_be_refused_after_her_move(character: int) -> None:
    action = PlayCharacter(character, RED if character == 9 else None)
    for late, broken in (("allow", None), ("refuse", "eriantys.character.late")):
        state = at_table(character, chosen={"late_character": late}, phase=Phase.CLOUD)
        assert rules.violation(state, action) == broken
        assert bool(plays(state, character)) == (broken is None)
        assert rules.violation(at_table(character, chosen={"late_character": late}), action) is None
        others = at_table(2, chosen={"late_character": late}, phase=Phase.CLOUD)
        assert rules.violation(others, PlayCharacter(2)) is None


def test_no_character_once_the_clouds_are_closed_and_mother_nature_has_moved() -> None:
    start = at_table(4, phase=Phase.MOTHER_NATURE, clouds_closed=True, queue=(1,), last_round=Reason.BAG_EMPTY)
    state = played(start, MoveMotherNature(1))
    assert state.active == 1


# 1 Monk, 11 Princess


def test_monk_moves_a_student_from_the_card_to_an_island() -> None:
    start = at_table(1, "RED3 BLUE")
    state = played(start, PlayCharacter(1, RED, 4))
    assert group_at(state, 4).students == students("RED")
    assert sum(state.cards[0].students) == 4
    assert sum(state.bag) == sum(start.bag) - 1
    assert len(plays(start, 1)) == 2 * 12
    assert state.last_round is Reason.NONE
    assert invariant(state) is None


@pytest.mark.parametrize("action", [PlayCharacter(1, RED, 4), PlayCharacter(11, RED)])
def test_the_last_student_drawn_onto_a_card_makes_the_last_round(action: PlayCharacter) -> None:
    start = emptied(at_table(action.character, "RED3 BLUE"), "PINK")
    state = played(start, action)
    assert state.cards[0].students == students("RED2 BLUE PINK")
    assert (state.last_round, state.clouds_closed) == (Reason.BAG_EMPTY, False)


@pytest.mark.parametrize("action", [PlayCharacter(1, RED, 4), PlayCharacter(11, RED)])
def test_an_empty_bag_does_not_refill_a_card(action: PlayCharacter) -> None:
    start = emptied(at_table(action.character, "RED"))
    state = played(start, action)
    assert state.cards[0].students == NONE
    again = state._replace(played=0)
    assert not plays(again, action.character)
    assert rules.violation(again, action) == "eriantys.character.card-students"
    assert state.last_round is Reason.NONE


def test_princess_seats_a_student_with_professor_and_coin() -> None:
    start = at_table(11, "RED2 BLUE2", rooms=["RED2", "RED2"], professors={RED: 1})
    state = played(start, PlayCharacter(11, RED))
    assert (state.dining_rooms[0], state.professors[RED], state.coins[0]) == (students("RED3"), 0, 5 - 2 + 1)
    assert sum(state.cards[0].students) == 4


def test_princess_cannot_fill_a_full_table() -> None:
    state = at_table(11, "RED4", rooms=["RED10"], professors={RED: 0})
    assert rules.violation(state, PlayCharacter(11, RED)) == "eriantys.character.table-full"
    assert not plays(state, 11)


# 2 Farmer


def farmer(after: str) -> State:
    return at_table(
        2,
        chosen={"farmer_after_turn": after},
        phase=Phase.MOTHER_NATURE,
        active=1,
        rooms=["RED3", "RED3"],
        held={1: "RED2"},
        professors={RED: 0},
        queue=(0,),
        entrances=["RED7", "RED4"],
    )


@pytest.mark.parametrize(("after", "during", "at_last"), [("keep", 1, 1), ("revert", 1, 0), ("influence_only", 0, 0)])
def test_p_05_farmer_takes_when_level(after: str, during: int, at_last: int) -> None:
    state = played(farmer(after), PlayCharacter(2))
    assert state.professors[RED] == during
    state = moved(state, 1)
    assert tower_at(state, 1) == 1
    state = played(state, TakeCloud(0))
    assert (state.active, state.professors[RED]) == (0, at_last)
    assert invariant(state) is None


def test_p_06_the_old_owner_takes_it_back_with_one_more() -> None:
    state = played(farmer("keep"), PlayCharacter(2), MoveMotherNature(2), TakeCloud(0), ToDiningRoom(RED))
    assert state.professors[RED] == 0


def test_p_07_farmer_needs_a_student() -> None:
    state = played(at_table(2), PlayCharacter(2))
    assert state.professors == (NOBODY,) * 5


def test_farmer_takes_from_later_placements_too() -> None:
    start = at_table(2, rooms=["BLUE1", "BLUE2"], professors={BLUE: 1}, entrances=["BLUE3"])
    assert played(start, PlayCharacter(2), ToDiningRoom(BLUE)).professors[BLUE] == 0
    assert played(start, ToDiningRoom(BLUE), PlayCharacter(2)).professors[BLUE] == 0
    reverting = at_table(
        2, chosen={"farmer_after_turn": "revert"}, rooms=["BLUE1", "BLUE2"], professors={BLUE: 1}, entrances=["BLUE3"]
    )
    level = played(reverting, PlayCharacter(2), ToDiningRoom(BLUE))
    assert level.borrowed[BLUE] == 1
    ahead = played(level, ToDiningRoom(BLUE), ToIsland(BLUE, 5), MoveMotherNature(1), TakeCloud(0))
    assert ahead.professors[BLUE] == 0


def test_only_the_farmer_borrows() -> None:
    start = at_table(
        4, chosen={"farmer_after_turn": "revert"}, rooms=["RED2", "RED2"], professors={RED: 1}, entrances=["RED"]
    )
    state = played(start, ToDiningRoom(RED))
    assert (state.professors[RED], state.borrowed) == (0, (NOBODY,) * 5)


def test_at_the_end_of_a_farmers_turn_only_borrowed_professors_go_back() -> None:
    reverting = {"farmer_after_turn": "revert"}
    start = at_table(
        2,
        chosen=reverting,
        phase=Phase.MOTHER_NATURE,
        seat_count=3,
        rooms=["RED2 BLUE2", "RED2", "BLUE2"],
        professors={RED: 1, BLUE: 0},
    )
    state = played(start, PlayCharacter(2))
    assert (state.professors, state.borrowed) == ((-1, 0, -1, -1, 0), (-1, 1, -1, -1, -1))
    ended = played(state, MoveMotherNature(1), TakeCloud(0))
    assert (ended.professors, ended.borrowed) == ((-1, 1, -1, -1, 0), (-1,) * 5)
    elsewhere = state._replace(professors=(-1, 2, -1, -1, 0))
    assert played(elsewhere, MoveMotherNature(1), TakeCloud(0)).professors == (-1, 2, -1, -1, 0)


def test_a_farmer_that_is_eliminated_gives_back_what_it_has_borrowed() -> None:
    start = at_table(
        2,
        chosen={"farmer_after_turn": "revert"},
        seat_count=3,
        rooms=["RED2", "RED2", "RED2"],
        professors={RED: 1},
        entrances=["GREEN9", "GREEN9", "GREEN"],
    )
    state = played(start, PlayCharacter(2))
    assert rules.eliminate(state, 0).professors[RED] == 1
    assert rules.eliminate(state, 1).borrowed == (NOBODY,) * 5
    assert rules.eliminate(state, 2).borrowed[RED] == 1


def test_influence_follows_the_professors_unless_the_farmer_affects_influence_only() -> None:
    cases = (("keep", 2, [0, 2]), ("revert", 2, [0, 2]), ("influence_only", 2, [2, 0]), ("influence_only", 0, [0, 2]))
    for after, character, expected in cases:
        state = at_table(
            2,
            chosen={"farmer_after_turn": after},
            rooms=["RED2", "RED2"],
            held={1: "RED2 BLUE"},
            professors={RED: 1},
            played=character,
        )
        assert influences(state, group_at(state, 1)) == expected


@pytest.mark.parametrize("rooms", [["RED1", "RED2"], ["", ""]])
def test_a_farmer_that_affects_influence_only_needs_students_and_nobody_with_more(rooms: list[str]) -> None:
    state = at_table(
        2, chosen={"farmer_after_turn": "influence_only"}, rooms=rooms, held={1: "RED2"}, professors={RED: 1}, played=2
    )
    assert influences(state, group_at(state, 1)) == [0, 2]


def test_farmer_is_not_level_if_somebody_else_has_more() -> None:
    start = at_table(
        2,
        chosen={"professor_recheck_on_removal": False},
        seat_count=3,
        rooms=["RED1", "RED1", "RED2"],
        professors={RED: 1},
    )
    assert played(start, PlayCharacter(2)).professors[RED] == 1


# 3 Herald


def test_herald_resolves_an_island_and_mother_nature_moves_afterwards() -> None:
    start = at_table(3, phase=Phase.MOTHER_NATURE, held={1: "RED", 6: "RED"}, professors={RED: 0})
    state = played(start, PlayCharacter(3, None, 6))
    assert (tower_at(state, 6), state.mother_nature, state.phase) == (0, 0, Phase.MOTHER_NATURE)
    assert tower_at(moved(state, 1), 1) == 0


def test_herald_can_merge_under_mother_nature() -> None:
    start = at_table(3, phase=Phase.CLOUD, mother_nature=11, groups=[([0], 0)], held={1: "RED"}, professors={RED: 0})
    state = played(start, PlayCharacter(3, None, 1))
    assert len(state.groups) == 11
    assert state.groups[state.mother_nature].tiles == (11,)


def test_herald_can_end_the_game() -> None:
    start = at_table(3, groups=[([1, 2, 3], 0), ([5, 6, 7, 8], 0)], held={4: "RED"}, professors={RED: 0})
    state = played(start, PlayCharacter(3, None, 4))
    assert (state.reason, rules.winners(state), rules.turn(state)) == (Reason.LAST_TOWER, (0,), None)
    assert invariant(state) is None


@pytest.mark.parametrize(("respects", "tower", "left"), [(True, NOBODY, 0), (False, 0, 1)])
def test_herald_and_a_no_entry_tile(respects: bool, tower: int, left: int) -> None:
    start = table(
        2,
        expert(3, 5, herald_respects_no_entry=respects),
        held={4: "RED"},
        no_entry={4: 1},
        professors={RED: 0},
        coins=(5, 5),
    )
    state = played(start, PlayCharacter(3, None, 4))
    assert (tower_at(state, 4), group_at(state, 4).no_entry) == (tower, left)


# 5 Herbalist


def test_herbalist_puts_a_tile_that_waits_for_the_next_stop() -> None:
    start = at_table(5, phase=Phase.MOTHER_NATURE, held={0: "RED"}, professors={RED: 0})
    state = played(start, PlayCharacter(5, None, 0))
    assert (group_at(state, 0).no_entry, state.cards[0].no_entry) == (1, 3)
    state = moved(state._replace(mother_nature=9), 0)
    assert (group_at(state, 0).no_entry, tower_at(state, 0), state.cards[0].no_entry) == (0, NOBODY, 4)
    assert state.phase is Phase.CLOUD


def test_herbalist_needs_a_tile() -> None:
    start = at_table(5, no_entry={1: 4})
    assert rules.violation(start, PlayCharacter(5, None, 2)) == "eriantys.character.no-entry-left"
    assert not plays(start, 5)


@pytest.mark.parametrize(("stack", "broken"), [(True, None), (False, "eriantys.character.no-entry-one")])
def test_a_second_tile_on_one_island(stack: bool, broken: str | None) -> None:
    start = at_table(5, chosen={"no_entry_stack": stack}, no_entry={3: 1})
    assert rules.violation(start, PlayCharacter(5, None, 3)) == broken
    assert len(plays(start, 5)) == 12 - (broken is not None)


@pytest.mark.parametrize(("stack", "on_island", "on_card"), [(True, 2, 2), (False, 1, 3)])
def test_tiles_add_up_when_groups_merge(stack: bool, on_island: int, on_card: int) -> None:
    start = at_table(
        5,
        chosen={"no_entry_stack": stack},
        phase=Phase.MOTHER_NATURE,
        groups=[([2], 0), ([4], 0)],
        held={3: "RED"},
        no_entry={2: 1, 4: 1},
        professors={RED: 0},
    )
    state = moved(start, 3)
    assert (group_at(state, 3).no_entry, state.cards[0].no_entry) == (on_island, on_card)
    assert invariant(state) is None
    without = start._replace(groups=tuple(group._replace(no_entry=0) for group in start.groups))
    after = moved(without, 3)
    assert (group_at(after, 3).no_entry, after.cards) == (0, without.cards)


# 7 Jester


def test_jester_exchanges_students_at_the_same_time() -> None:
    start = at_table(7, "RED3 BLUE3", entrances=["GREEN2 PINK5"])
    state = played(start, PlayCharacter(7, swaps=((RED, GREEN), (RED, GREEN), (BLUE, PINK))))
    assert state.entrances[0] == students("RED2 BLUE PINK4")
    assert state.cards[0].students == students("RED BLUE2 GREEN2 PINK")
    assert state.to_move == start.to_move


@pytest.mark.parametrize(("character", "count"), [(7, 1), (10, 1)])
def test_no_exchange_at_all_where_that_is_allowed(character: int, count: int) -> None:
    on_card = "RED6" if character == 7 else None
    nothing = PlayCharacter(character)
    refused = at_table(character, on_card)
    assert rules.violation(refused, nothing) == "eriantys.character.swap-count"
    allowed = at_table(character, on_card, {"allow_zero_swaps": True})
    assert plays(allowed, character).count(nothing) == count
    state = played(allowed, nothing)
    assert (state.entrances, state.coins[0]) == (allowed.entrances, 4)


# 10 Minstrel


def minstrel(rooms: Sequence[str], professors: dict[int, int], entrance: str = "GREEN2", **chosen: Any) -> State:
    seats = max(2, len(rooms))
    return at_table(10, chosen=chosen, seat_count=seats, rooms=rooms, professors=professors, entrances=[entrance])


def test_minstrel_exchanges_entrance_and_dining_room() -> None:
    start = minstrel(["RED2 BLUE"], {RED: 0, BLUE: 0})
    state = played(start, PlayCharacter(10, swaps=((GREEN, RED), (GREEN, BLUE))))
    assert (state.entrances[0], state.dining_rooms[0]) == (students("RED BLUE"), students("RED GREEN2"))
    assert state.professors[GREEN] == 0
    assert state.to_move == start.to_move


def test_minstrel_needs_students_on_both_sides() -> None:
    assert not plays(minstrel(["", ""], {}), 10)
    assert not plays(at_table(10, phase=Phase.MOTHER_NATURE, rooms=["RED"], professors={RED: 0}, entrances=[""]), 10)


def test_minstrel_exchanges_at_a_full_table() -> None:
    start = minstrel(["RED10 BLUE"], {RED: 0, BLUE: 0}, "RED GREEN")
    assert rules.violation(start, PlayCharacter(10, swaps=((RED, RED),))) is None
    assert rules.violation(start, PlayCharacter(10, swaps=((RED, RED), (GREEN, BLUE)))) is None
    assert rules.violation(start, PlayCharacter(10, swaps=((RED, BLUE),))) == "eriantys.character.table-full"
    listed = plays(start, 10)
    assert PlayCharacter(10, swaps=((RED, BLUE),)) not in listed
    assert PlayCharacter(10, swaps=((RED, RED),)) in listed


def test_minstrel_loses_a_professor_to_whoever_has_most() -> None:
    start = minstrel(["RED2", "RED2"], {RED: 0})
    swap = PlayCharacter(10, swaps=((GREEN, RED),))
    assert played(start, swap).professors[RED] == 1
    kept = minstrel(["RED2", "RED2"], {RED: 0}, professor_recheck_on_removal=False)
    assert played(kept, swap).professors[RED] == 0


def test_p_13_a_shared_maximum_leaves_the_owner() -> None:
    start = minstrel(["RED2", "RED2", "RED2"], {RED: 0})
    state = played(start, PlayCharacter(10, swaps=((GREEN, RED),)))
    assert state.professors[RED] == 0
    assert invariant(state) is None


@pytest.mark.parametrize(("zero", "owner"), [("keep", 0), ("release", NOBODY)])
def test_minstrel_gives_up_the_last_student_of_a_colour(zero: str, owner: int) -> None:
    start = minstrel(["RED"], {RED: 0}, professor_zero_owner=zero)
    assert played(start, PlayCharacter(10, swaps=((GREEN, RED),))).professors[RED] == owner


def test_a_professor_is_not_released_while_somebody_has_students() -> None:
    start = minstrel(["RED", "RED"], {RED: 0}, professor_zero_owner="release")
    assert played(start, PlayCharacter(10, swaps=((GREEN, RED),))).professors[RED] == 1
    level = minstrel(["RED3", "RED2", "RED2"], {RED: 0}, professor_zero_owner="release")
    assert played(level, PlayCharacter(10, swaps=((GREEN, RED), (GREEN, RED)))).professors[RED] == 0


# 12 Thief


def test_p_09_thief_takes_three_from_everybody() -> None:
    start = at_table(12, seat_count=3, rooms=["RED5", "RED4", "RED"], professors={RED: 0})
    state = played(start, PlayCharacter(12, RED))
    assert [room[RED] for room in state.dining_rooms] == [2, 1, 0]
    assert (state.professors[RED], state.bag[RED] - start.bag[RED]) == (0, 7)


@pytest.mark.parametrize(("zero", "owner"), [("keep", 0), ("release", NOBODY)])
def test_p_10_a_professor_without_students(zero: str, owner: int) -> None:
    start = at_table(12, chosen={"professor_zero_owner": zero}, rooms=["RED2", ""], professors={RED: 0})
    assert played(start, PlayCharacter(12, RED)).professors[RED] == owner


@pytest.mark.parametrize(("latched", "last"), [(True, Reason.BAG_EMPTY), (False, Reason.NONE)])
def test_b_09_the_last_round_stays_the_last_one(latched: bool, last: Reason) -> None:
    start = at_table(
        12,
        chosen={"bag_end_latched": latched},
        phase=Phase.MOTHER_NATURE,
        rooms=["RED3", "RED3"],
        professors={RED: 0},
        entrances=["BLUE4", "BLUE7"],
        last_round=Reason.BAG_EMPTY,
        clouds_closed=True,
    )
    state = played(emptied(start), PlayCharacter(12, RED))
    assert (sum(state.bag), state.last_round) == (6, last)
    state = moved(state, 1)
    if latched:
        assert (state.phase, state.reason) == (Phase.OVER, Reason.BAG_EMPTY)
    else:
        assert (state.phase, state.clouds_closed) == (Phase.ASSISTANT, False)


def test_a_theft_of_nothing_leaves_the_last_round() -> None:
    start = at_table(12, chosen={"bag_end_latched": False}, rooms=["RED3", ""], professors={RED: 0})
    state = played(start._replace(last_round=Reason.BAG_EMPTY), PlayCharacter(12, BLUE))
    assert state.last_round is Reason.BAG_EMPTY


def test_a_last_assistant_keeps_the_round_the_last_one() -> None:
    start = at_table(12, chosen={"bag_end_latched": False}, rooms=["RED3", ""], professors={RED: 0})
    start = start._replace(last_round=Reason.BAG_EMPTY, hands=((), (1,)), round=10)
    assert played(start, PlayCharacter(12, RED)).last_round is Reason.LAST_ASSISTANT

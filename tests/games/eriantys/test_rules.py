"""The rules of Eriantys: the vectors of eriantys.md section 7 by their ids, the trace X-01, and random games."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.rules import RULES
from fairplay.games.eriantys.rules.board import draw_one, influences
from fairplay.games.eriantys.rules.invariants import invariant
from fairplay.games.eriantys.rules.legality import choice_violation, most_steps
from fairplay.games.eriantys.rules.state import (
    NOBODY,
    Action,
    ChooseTowers,
    DrawModel,
    EndTurn,
    Group,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    PlayCharacter,
    Reason,
    Settings,
    Standing,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    choosers,
    members,
    settings_problem,
    size_of,
    unseen,
    view_of,
)
from fairplay.games.eriantys.rules.turns import choose
from tests.games.eriantys.tables import (
    BLUE,
    CHOICES,
    EXPERT,
    GREEN,
    NONE,
    PINK,
    RED,
    YELLOW,
    canonical,
    expert,
    fresh,
    group_at,
    moved,
    played,
    states,
    students,
    table,
    tower_at,
)

BASIC = Settings()


# 7.1 Influence and conquest: Mother Nature goes from island 0 to island 1


I_05: dict[str, Any] = {
    "held": {1: "YELLOW2 RED2 PINK BLUE GREEN"},
    "professors": {YELLOW: 0, BLUE: 0, GREEN: 2, PINK: 1, RED: 3},
}


def test_i_05_partners_count_together() -> None:
    start = table(4, **I_05)
    assert influences(start, group_at(start, 1)) == [4, 3]
    assert tower_at(moved(start, 1), 1) == 0


I_06: dict[str, Any] = {"groups": [([1, 2, 3], 0)], "held": {1: "BLUE2 RED4"}, "professors": {BLUE: 0, RED: 1}}


def with_character(action: PlayCharacter, active: int = 0, seat_count: int = 2, **position: Any) -> State:
    start = table(seat_count, expert(action.character), active=active, coins=(5,) * seat_count, **position)
    return played(start, action)


def test_i_07_centaur() -> None:
    start = with_character(PlayCharacter(6), **I_06)
    assert influences(start, group_at(start, 1)) == [2, 4]
    state = moved(start, 1)
    assert (tower_at(state, 1), state.towers) == (1, (8, 5))


def test_i_09_mushroom_hunter_against_the_owner() -> None:
    start = with_character(PlayCharacter(9, BLUE), active=1, **I_06)
    assert influences(start, group_at(start, 1)) == [3, 4]
    assert tower_at(moved(start, 1), 1) == 1


def test_i_10_mushroom_hunter_against_the_other() -> None:
    start = with_character(PlayCharacter(9, RED), **I_06)
    assert influences(start, group_at(start, 1)) == [5, 0]
    assert tower_at(moved(start, 1), 1) == 0


def test_i_11_knight_on_an_empty_island() -> None:
    start = with_character(PlayCharacter(8), active=1)
    assert influences(start, group_at(start, 1)) == [0, 2]
    assert tower_at(moved(start, 1), 1) == 1


def test_i_18_a_no_entry_tile_stops_everything() -> None:
    start = table(
        2,
        expert(5),
        groups=[([1], 0), ([2], 1)],
        held={1: "BLUE3 RED YELLOW2"},
        professors={YELLOW: 0, BLUE: 1, RED: 1},
        no_entry={1: 1},
    )
    assert start.cards[0].no_entry == 3
    state = moved(start, 1)
    assert (tower_at(state, 1), group_at(state, 1).no_entry, state.cards[0].no_entry) == (0, 0, 4)
    assert len(state.groups) == 12


def test_i_20_nobody_on_an_island_with_a_tower_changes_nothing() -> None:
    start = with_character(PlayCharacter(6), groups=[([1], 0)])
    assert influences(start, group_at(start, 1)) == [0, 0]
    assert tower_at(moved(start, 1), 1) == 0


def test_i_22_knight_counts_for_the_team() -> None:
    start = with_character(PlayCharacter(8), active=1, seat_count=4, **I_05)
    assert influences(start, group_at(start, 1)) == [4, 5]
    assert tower_at(moved(start, 1), 1) == 1


# 7.2 Professors (those of characters: test_characters.py)


# 7.3 Merging


def tiles(state: State) -> list[tuple[int, ...]]:
    return [group.tiles for group in state.groups]


def test_m_10_postman() -> None:
    start = with_character(PlayCharacter(4))
    assert most_steps(start) == 7
    assert rules.violation(start, MoveMotherNature(7)) is None
    assert rules.violation(start, MoveMotherNature(8)) == "eriantys.mother-nature.steps"
    assert rules.legal(start) == tuple(map(MoveMotherNature, range(1, 8)))


# 7.4 Turn order


def planning(seat_count: int, *hands: Sequence[int], first: int = 0, round_: int = 1) -> State:
    state = fresh(Settings(first_player="first_seat"), seat_count)
    order = [(first + step) % seat_count for step in range(seat_count)]
    given = tuple(tuple(hand) for hand in hands) or state.hands
    return state._replace(first=first, active=order[0], queue=tuple(order[1:]), hands=given, round=round_)


def finished_round(state: State) -> tuple[State, list[int]]:
    """Return the state in the next planning phase, and who acted in which order."""
    actors: list[int] = []
    begun = state.round
    while state.round == begun and state.phase is not Phase.OVER:
        if state.phase is not Phase.ASSISTANT and state.active not in actors:
            actors.append(state.active)
        state = rules.apply(state, rules.legal(state)[0])
    return state, actors


def test_t_04_a_hand_of_played_values_may_repeat_one() -> None:
    state = played(planning(2, [4], [4], round_=10, first=1), PlayAssistant(4))
    assert rules.legal(state) == [PlayAssistant(4)]
    state = played(state, PlayAssistant(4))
    assert (state.active, state.queue) == (1, (0,))
    again = played(planning(2, [4, 5], [4], round_=9, first=0), PlayAssistant(4), PlayAssistant(4))
    following, actors = finished_round(again._replace(last_round=Reason.NONE))
    assert actors == [0, 1]
    assert following.first == 0


# 7.5 Bag and rounds


def bags_after_refills(settings: Settings, seat_count: int, seed: int = 1) -> tuple[int, list[int], State]:
    """Return the bag before the first refill, after each one, and the end of a game in which nobody builds or draws."""
    state = rules.initial(settings, seat_count, Random(seed))
    before, sizes = sum(state.bag), []
    while state.phase is not Phase.OVER:
        begun = state.round
        if state.phase is Phase.MOTHER_NATURE:  # nothing is conquered
            state = state._replace(professors=(NOBODY,) * 5)
        state = rules.apply(state, rules.legal(state)[-1 if state.phase is Phase.ASSISTANT else 0])
        if state.round > begun:
            sizes.append(sum(state.bag))
    return before, sizes, state


@pytest.mark.parametrize(
    ("settings", "seats", "before", "left", "refills"),
    [
        pytest.param(BASIC, 3, 93, 9, 7, id="B-02"),
        pytest.param(BASIC, 4, 92, 8, 7, id="B-03"),
        pytest.param(expert(1, 7, 11), 3, 79, 7, 6, id="B-05"),
        pytest.param(expert(1, 7, 11), 4, 78, 6, 6, id="B-07"),
    ],
)
def test_a_short_refill_makes_the_last_round(
    settings: Settings, seats: int, before: int, left: int, refills: int
) -> None:
    bag, sizes, end = bags_after_refills(settings, seats)
    assert bag == before
    assert sizes[refills - 1] == left
    assert sizes[refills:] == [0]
    assert (end.round, end.reason, end.clouds_closed) == (refills + 1, Reason.BAG_EMPTY, True)
    assert sum(map(sum, end.clouds)) == left


def short_of_students(settings: Settings, seat_count: int = 3) -> State:
    """Return the end of round 7 with nine students in the bag: one more action, and the clouds are refilled."""
    state = table(seat_count, settings, phase=Phase.CLOUD, round=7)
    clouds = (NONE, *[students("PINK4")] * (seat_count - 1))
    state = state._replace(clouds=(clouds[1], *[NONE] * (seat_count - 1)))
    spare = tuple(total - kept for total, kept in zip(unseen(state), students("RED5 BLUE4"), strict=True))
    state = state._replace(aside=spare)
    return state._replace(bag=unseen(state), hands=((8, 9, 10),) * 3)


def test_a_short_refill_leaves_clouds_that_are_not_full_where_that_is_chosen() -> None:
    state = played(short_of_students(Settings(short_refill="partial")), TakeCloud(0))
    assert [sum(cloud) for cloud in state.clouds] == [4, 4, 1]
    assert (state.clouds_closed, state.last_round) == (False, Reason.BAG_EMPTY)


def test_a_short_refill_ends_the_game_where_that_is_chosen() -> None:
    state = played(short_of_students(Settings(short_refill="end_now")), TakeCloud(0))
    assert (state.phase, state.reason) == (Phase.OVER, Reason.BAG_EMPTY)
    assert sum(state.bag) == 9
    assert fresh(Settings(short_refill="end_now")).phase is Phase.ASSISTANT


@pytest.mark.parametrize(("model", "least", "most"), [("uniform_student", 85, 100), ("uniform_color", 10, 35)])
def test_students_or_colours_are_equally_likely(model: DrawModel, least: int, most: int) -> None:
    draw_state, found = 1, []
    for _ in range(100):
        draw_state, color, bag = draw_one(draw_state, students("GREEN96 RED YELLOW PINK BLUE"), model)
        assert sum(bag) == 99
        found.append(color)
    assert least <= found.count(GREEN) <= most
    assert draw_one(1, students("PINK2"), model)[1:] == (PINK, students("PINK"))


def test_an_exact_refill_makes_the_last_round_with_its_clouds() -> None:
    start = short_of_students(BASIC)
    more = students("GREEN3")
    aside = tuple(total - three for total, three in zip(start.aside, more, strict=True))
    start = start._replace(aside=aside, bag=tuple(map(sum, zip(start.bag, more, strict=True))))
    state = played(start, TakeCloud(0))
    assert [sum(cloud) for cloud in state.clouds] == [4, 4, 4]
    assert (sum(state.bag), state.clouds_closed, state.last_round) == (0, False, Reason.BAG_EMPTY)


def test_a_player_finds_no_cloud_in_a_partial_round() -> None:
    start = table(clouds=(NONE, NONE), last_round=Reason.BAG_EMPTY)
    state = moved(start, 1)
    assert (state.phase, state.reason) == (Phase.OVER, Reason.BAG_EMPTY)


def test_the_clouds_may_be_refilled_after_the_assistants() -> None:
    state = fresh(Settings(refill_when="after_assistants"), 3)
    assert (state.phase, sum(map(sum, state.clouds)), state.clouds_closed) == (Phase.ASSISTANT, 0, False)
    state = played(state, PlayAssistant(1), PlayAssistant(2), PlayAssistant(3))
    assert (state.phase, [sum(cloud) for cloud in state.clouds]) == (Phase.STUDENTS, [4, 4, 4])


# 7.7 The end of the game


def ended(state: State, reason: Reason = Reason.BAG_EMPTY) -> State:
    return state._replace(phase=Phase.OVER, active=NOBODY, reason=reason, queue=(), to_move=0)


def test_e_08_a_last_tower_wins_in_the_last_round_too() -> None:
    start = table(
        groups=[([2, 3, 4], 1), ([6, 7, 8, 9], 1)],
        held={0: "RED"},
        professors={RED: 1},
        mother_nature=11,
        last_round=Reason.BAG_EMPTY,
    )
    assert moved(start, 0).reason is Reason.LAST_TOWER


def test_level_sides_draw() -> None:
    state = ended(table(groups=[([0], 0), ([2], 1)], professors={RED: 0, BLUE: 1}))
    assert rules.winners(state) == ()
    assert rules.ranking(state) == ((0, 1),)
    behind = ended(table(3, groups=[([0], 0), ([2], 0)]))
    assert (rules.winners(behind), rules.ranking(behind)) == ((0,), ((0,), (1, 2)))
    tied = state._replace(settings=Settings(draw_result="tied"))
    assert rules.winners(tied) == (0, 1)


def test_a_side_that_is_short_of_towers_wins_with_its_last_one() -> None:
    """4.3: four islands are conquered with three towers."""
    start = table(
        groups=[(range(1, 5), 0), (range(6, 11), 1)], held={1: "BLUE6"}, professors={BLUE: 1}, mother_nature=0, active=1
    )
    assert start.towers == (4, 3)
    state = moved(start, 1)
    assert (state.towers, tower_at(state, 1), rules.winners(state)) == ((8, 0), 1, (1,))
    assert rules.scores(state) == (0, 8)
    assert invariant(state) is None


def test_the_winner_of_the_last_tower_is_fixed_and_the_board_merges_all_the_same() -> None:
    start = table(groups=[([1, 2, 3], 1), ([5, 6, 7, 8], 1)], held={4: "RED"}, professors={RED: 1})
    state = moved(start, 4)
    assert tiles(state)[1] == tuple(range(1, 9))
    assert invariant(state) is None
    assert state.reason is Reason.LAST_TOWER


# 7.8 Set-up


def test_characters_hold_their_students_and_tiles() -> None:
    state = rules.initial(expert(1, 5, 7), 2, Random(2))
    assert [(sum(card.students), card.no_entry) for card in state.cards] == [(4, 0), (0, 4), (6, 0)]
    other = rules.initial(expert(11, 2, 3), 2, Random(2))
    assert [sum(card.students) for card in other.cards] == [4, 0, 0]


def test_characters_may_be_drawn_before_the_entrances() -> None:
    first = rules.initial(expert(7, 1, 11), 2, Random(5))
    second = rules.initial(expert(7, 1, 11, setup_draw_order="characters_first"), 2, Random(5))
    assert first.groups == second.groups
    assert first.entrances != second.entrances
    assert invariant(second) is None


def test_partners_may_sit_beside_each_other() -> None:
    state = rules.initial(Settings(team_seating="adjacent"), 4, Random(5))
    assert state.sides == (0, 0, 1, 1)
    assert choosers(state) == (0, 2)
    assert members(state, 1) == (2, 3)


def test_tower_colours_are_asked_for_in_turn_or_at_once() -> None:
    state = rules.initial(BASIC, 3, Random(0))
    assert rules.legal(state) == [ChooseTowers(0), ChooseTowers(1), ChooseTowers(2)]
    state = choose(state, 2, 1)
    assert choosers(state) == (0, 1)
    assert view_of(state, 1).active == 1
    assert view_of(state, 2).active == state.active == 0
    assert choice_violation(state, 1, 1) == "eriantys.towers.taken"
    assert choice_violation(state, 1, 3) == "eriantys.towers.known"
    assert choice_violation(state, 1, -1) == "eriantys.towers.known"
    assert choice_violation(state, 2, 0) == "eriantys.action.phase"
    state = choose(choose(state, 1, 0), 0, 2)
    assert (state.tower_colors, state.phase) == ((2, 0, 1), Phase.ASSISTANT)
    assert choice_violation(state, 1, 1) == "eriantys.action.phase"
    assert choice_violation(ended(state), 1, 1) == "eriantys.action.game-over"


# 7.9 The worked trace


def check_entrances(state: State, ann: str, bob: str) -> None:
    assert state.entrances == (students(ann), students(bob))


def x_01() -> State:
    """Return the fixed set-up, with the first refill done."""
    rng = Random(1)
    state = rules.initial(Settings(first_player="first_seat", mn_start="chosen", mn_island=0), 2, rng)
    order = "GREEN RED YELLOW PINK BLUE"
    held = ["", *order.split(), "", *order.split()]
    state = state._replace(
        groups=tuple(Group((tile,), students(text)) for tile, text in enumerate(held)),
        entrances=(students("GREEN2 RED2 YELLOW PINK BLUE"), students("RED2 PINK2 BLUE3")),
    )
    state = state._replace(bag=unseen(state))
    assert sum(state.bag) == 106
    return refilled(played(state, ChooseTowers(1), ChooseTowers(0)), "GREEN RED BLUE", "YELLOW2 PINK")


def refilled(state: State, *clouds: str) -> State:
    """Return the state with these draws in place of those made."""
    state = state._replace(clouds=tuple(map(students, clouds)))
    return state._replace(bag=unseen(state))


def test_x_01_two_rounds() -> None:
    state = x_01()
    assert sum(state.bag) == 100
    state = played(state, PlayAssistant(4), PlayAssistant(2))
    assert (state.active, state.queue) == (1, (0,))
    state = played(state, ToDiningRoom(BLUE))
    assert state.professors[BLUE] == 1
    state = played(state, ToDiningRoom(BLUE), ToIsland(RED, 1))
    assert (state.dining_rooms[1], group_at(state, 1).students) == (students("BLUE2"), students("GREEN RED"))
    assert rules.legal(state) == (MoveMotherNature(1),)
    state = played(state, MoveMotherNature(1))
    assert (state.mother_nature, tower_at(state, 1)) == (1, NOBODY)
    state = played(state, TakeCloud(0))
    assert state.entrances[1] == students("GREEN RED2 PINK2 BLUE2")
    state = played(state, ToDiningRoom(GREEN), ToIsland(GREEN, 2), ToDiningRoom(RED))
    assert (state.professors[GREEN], state.professors[RED]) == (0, 0)
    assert group_at(state, 2).students == students("GREEN RED")
    state = played(state, MoveMotherNature(1))
    assert (tower_at(state, 2), state.towers, len(state.groups)) == (0, (7, 8), 12)
    assert rules.legal(state) == [TakeCloud(1)]
    state = refilled(played(state, TakeCloud(1)), "GREEN RED PINK", "YELLOW BLUE2")
    check_entrances(state, "RED YELLOW3 PINK2 BLUE", "GREEN RED2 PINK2 BLUE2")
    assert (sum(state.bag), state.active, state.queue) == (94, 1, (0,))
    second_round_of_x_01(state)


def second_round_of_x_01(state: State) -> None:
    state = played(state, PlayAssistant(5), PlayAssistant(1))
    assert (state.active, state.queue) == (0, (1,))
    state = played(state, ToDiningRoom(YELLOW), ToDiningRoom(YELLOW), ToIsland(RED, 3))
    assert state.professors[YELLOW] == 0
    assert group_at(state, 3).students == students("RED YELLOW")
    state = played(state, MoveMotherNature(1))
    whole = group_at(state, 3)
    assert (whole.tiles, whole.students, whole.tower) == ((2, 3), students("GREEN RED2 YELLOW"), 0)
    assert (len(state.groups), state.towers[0]) == (11, 6)
    assert state.groups[state.mother_nature] == whole
    state = played(state, TakeCloud(0))
    assert state.entrances[0] == students("GREEN RED YELLOW PINK3 BLUE")
    state = played(state, ToDiningRoom(RED))
    assert state.professors[RED] == 0
    state = played(state, ToDiningRoom(RED), ToIsland(BLUE, 3))
    assert state.professors[RED] == 1
    assert group_at(state, 2).students == students("GREEN RED2 YELLOW BLUE")
    assert influences(state, group_at(state, 2)) == [4, 3]
    state = played(state, MoveMotherNature(2))
    assert (tower_at(state, 5), state.towers) == (1, (6, 7))
    state = played(state, TakeCloud(1))
    check_entrances(state, "GREEN RED YELLOW PINK3 BLUE", "GREEN YELLOW PINK2 BLUE3")
    assert state.professors == (0, 1, 0, NOBODY, 1)
    assert (state.round, state.first) == (3, 0)
    assert [len(hand) for hand in state.hands] == [8, 8]
    assert sum(state.bag) + sum(map(sum, state.clouds)) == 94


# Random games: the invariants of 6.4, and legal against violation


MODES: list[Settings] = [BASIC, Settings(mode="expert")]


def random_settings(rng: Random) -> Settings:
    chosen = {name: rng.choice(values) for name, values in CHOICES.items()}
    return Settings(**{**chosen, "mode": "expert", "characters": ()})


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("settings", MODES, ids=["basic", "expert"])
def test_the_invariants_hold_after_every_action(settings: Settings, seats: int) -> None:
    for seed in range(20):
        before = None
        for state in states(settings, seats, seed):
            assert invariant(state) is None
            if before is not None:
                assert state.revision == before.revision + 1
                check_turn(before, state)
            before = state
        assert rules.turn(state) is None
        assert state.reason in (Reason.LAST_TOWER, Reason.FEW_GROUPS, Reason.BAG_EMPTY, Reason.LAST_ASSISTANT)


def check_turn(before: State, state: State) -> None:
    """Check invariants 5 and 7, for players none of whom is ever skipped."""
    size = size_of(len(state.sides))
    for seat, entrance in enumerate(state.entrances):
        if seat != state.active and not state.clouds_closed and state.phase is not Phase.OVER:
            assert sum(entrance) == size.entrance
        planned = state.phase is not Phase.ASSISTANT or seat in state.planned
        if state.phase not in (Phase.TOWERS, Phase.OVER):
            assert len(state.hands[seat]) == 10 - state.round + (not planned)
    assert state.round in (before.round, before.round + 1)


def test_the_invariants_hold_under_every_setting() -> None:
    for seed in range(60):
        settings = random_settings(Random(seed))
        for state in states(settings, 2 + seed % 3, seed):
            assert invariant(state) is None, settings


@limits(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(2, 4))
@example(67627, 4)  # of two with as many students of a colour that nobody owns, one leaves
def test_the_game_goes_on_whoever_is_lost(seed: int, seats: int) -> None:
    rng = Random(seed)
    state = rules.initial(random_settings(rng), seats, rng)
    while rules.turn(state) is not None:
        seat = rng.randrange(seats)
        change = rng.choice([rules.eliminate, rules.disconnect, rules.reconnect])
        before = state
        gone = rng.random() < 0.02
        state = change(state, seat) if gone else rules.apply(state, rng.choice(rules.legal(state)))
        assert invariant(state) is None
        assert state == before or state.revision > before.revision
    ranked = [seat for group in rules.ranking(state) for seat in group]
    assert sorted(ranked) == [at for at in range(seats) if state.standings[at] in (Standing.IN, Standing.AWAY)]
    assert set(rules.winners(state)) <= set(ranked)


_SMALL = range(-2, 14)
_ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(ChooseTowers, st.sampled_from(_SMALL)),
    st.builds(PlayAssistant, st.sampled_from(_SMALL)),
    st.builds(ToDiningRoom, st.sampled_from(_SMALL)),
    st.builds(ToIsland, st.sampled_from(_SMALL), st.sampled_from(_SMALL)),
    st.builds(MoveMotherNature, st.sampled_from(_SMALL)),
    st.builds(TakeCloud, st.sampled_from(_SMALL)),
    st.builds(
        PlayCharacter,
        st.sampled_from(_SMALL),
        st.none() | st.sampled_from(_SMALL),
        st.none() | st.sampled_from(_SMALL),
        st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 5)), max_size=4).map(tuple),
    ),
    st.just(EndTurn()),
)
_GAMES = [
    state
    for seed in range(6)
    for state in states(random_settings(Random(seed)), 2 + seed % 3, seed)
    if seed % 2 or state.revision % 7 == 0
]


@limits(deadline=None, max_examples=300)
@given(st.sampled_from(_GAMES), _ACTIONS)
def test_what_is_not_listed_is_refused_with_a_rule(state: State, action: Action) -> None:
    broken = rules.violation(state, action)
    if broken is None:
        assert canonical(state, action) in rules.legal(state)
        assert invariant(rules.apply(state, action)) is None
    else:
        assert broken in RULES
        assert action not in rules.legal(state)


@limits(deadline=None, max_examples=100)
@given(st.sampled_from(_GAMES), st.randoms(use_true_random=False))
def test_what_is_listed_is_accepted_and_listed_once(state: State, rng: Random) -> None:
    listed = list(rules.legal(state))
    assert len(set(listed)) == len(listed)
    for action in rng.sample(listed, min(len(listed), 30)):
        assert rules.violation(state, action) is None
        assert canonical(state, action) == action
        assert invariant(rules.apply(state, action)) is None


def test_equivalent_actions_have_one_form() -> None:
    state = table(phase=Phase.STUDENTS, entrances=["RED3"], groups=[([3, 4, 5], 0)])
    assert canonical(state, ToIsland(RED, 5)) == ToIsland(RED, 3)
    assert played(state, ToIsland(RED, 5)) == played(state, ToIsland(RED, 3))


# Refusals, one by one


@pytest.mark.parametrize(
    ("phase", "action", "broken"),
    [
        (Phase.STUDENTS, MoveMotherNature(1), "eriantys.action.phase"),
        (Phase.STUDENTS, ToDiningRoom(5), "eriantys.color.known"),
        (Phase.STUDENTS, ToDiningRoom(BLUE), "eriantys.student.entrance"),
        (Phase.STUDENTS, ToDiningRoom(RED), "eriantys.student.table-full"),
        (Phase.STUDENTS, ToIsland(GREEN, 12), "eriantys.island.known"),
        (Phase.STUDENTS, PlayCharacter(1, RED, 3), "eriantys.character.expert"),
        (Phase.MOTHER_NATURE, MoveMotherNature(0), "eriantys.mother-nature.steps"),
        (Phase.CLOUD, TakeCloud(2), "eriantys.cloud.known"),
        (Phase.CLOUD, TakeCloud(1), "eriantys.cloud.empty"),
        (Phase.ASSISTANT, PlayAssistant(0), "eriantys.assistant.range"),
        (Phase.ASSISTANT, PlayAssistant(10), "eriantys.assistant.in-hand"),
        (Phase.OVER, TakeCloud(0), "eriantys.action.game-over"),
    ],
)
def test_a_refusal_names_its_rule(phase: Phase, action: Action, broken: str) -> None:
    state = table(phase=phase, rooms=["RED10"], professors={RED: 0}, entrances=["RED GREEN2"])
    state = state._replace(clouds=(students("PINK3"), NONE), planned=() if phase is Phase.ASSISTANT else state.planned)
    assert rules.violation(state, action) == broken
    assert broken in RULES


def test_a_full_table_keeps_no_student_from_an_island() -> None:
    state = table(phase=Phase.STUDENTS, rooms=["RED10"], professors={RED: 0}, entrances=["RED"])
    assert rules.violation(state, ToIsland(RED, 3)) is None
    assert rules.legal(state) == [ToIsland(RED, island) for island in range(12)]


def test_islands_may_be_named_by_their_groups() -> None:
    start = table(2, Settings(island_address="group"), phase=Phase.STUDENTS, entrances=["RED"], groups=[([0, 1], 0)])
    assert ToIsland(RED, 10) in rules.legal(start)
    assert rules.violation(start, ToIsland(RED, 11)) == "eriantys.island.known"
    assert group_at(played(start, ToIsland(RED, 1)), 2).students == students("RED")
    assert group_at(played(start, ToIsland(RED, 0)), 1).students == students("RED")
    assert rules.violation(start, ToIsland(RED, -1)) == "eriantys.island.known"
    assert canonical(start, ToIsland(RED, 1)) == ToIsland(RED, 1)


# Players that leave and come back


def test_an_eliminated_players_goods_leave_the_game() -> None:
    start = table(
        3,
        EXPERT,
        phase=Phase.STUDENTS,
        rooms=["RED3 BLUE2", "RED2", "RED1 BLUE1"],
        professors={RED: 0, BLUE: 0},
        entrances=["GREEN9", "YELLOW9", "GREEN4 BLUE5"],
        queue=(1, 2),
    )
    state = rules.eliminate(start, 0)
    assert state.professors[RED] == 1
    assert state.professors[BLUE] == 2
    assert state.aside == students("GREEN9 RED3 BLUE2")
    assert (state.coins[0], state.reserve) == (0, start.reserve + 1)
    assert state.active == 1
    assert rules.eliminate(state, 0) == state
    assert invariant(state) is None


def test_towers_of_an_eliminated_side_wait_to_be_conquered() -> None:
    start = table(3, groups=[([1, 2, 3], 0)], held={1: "RED"}, professors={RED: 1}, active=1)
    state = rules.eliminate(start, 0)
    assert influences(state, group_at(state, 1)) == [0, 1, 0]
    assert tower_at(moved(state, 1), 1) == 1


def test_an_eliminated_player_that_has_no_towers_yet_leaves_the_choice_to_others() -> None:
    three = rules.eliminate(rules.initial(BASIC, 3, Random(0)), 0)
    assert choosers(three) == (1, 2)
    four = rules.eliminate(rules.initial(BASIC, 4, Random(0)), 0)
    assert choosers(four) == (1, 2)


def test_nobody_has_won_where_a_lost_player_has_ended_the_game_or_while_it_goes_on() -> None:
    ahead = table(groups=[([1], 0)])
    assert rules.ranking(ahead) == ((0,), (1,))
    assert rules.winners(ahead) == ()
    state = rules.disconnect(table(3, groups=[([1], 0)]), 1)
    assert (rules.winners(state), rules.ranking(state)) == ((), ((0,), (2,)))


SKIP = Settings(on_disconnect="skip_turns")


@pytest.mark.parametrize(
    ("phase", "changes"), [(Phase.STUDENTS, {"played": 8}), (Phase.MOTHER_NATURE, {}), (Phase.END_TURN, {})]
)
def test_a_turn_is_finished_from_wherever_it_is_interrupted(phase: Phase, changes: dict[str, Any]) -> None:
    settings = expert(8, on_disconnect="skip_turns", explicit_end_turn=True)
    start = table(2, settings, phase=phase, entrances=["RED4", "BLUE7"], queue=(1,), **changes)
    if phase is Phase.END_TURN:
        start = start._replace(entrances=(students("RED7"), start.entrances[1]))
    state = rules.disconnect(start, 0)
    assert (state.active, state.phase, state.played, state.standings[0]) == (1, Phase.STUDENTS, 0, Standing.AWAY)
    assert (state.mother_nature, any(state.clouds[0])) == (int(phase < Phase.CLOUD), phase is Phase.END_TURN)
    assert sum(state.entrances[0]) == 7 - (changes.get("to_move", 3) if phase is Phase.STUDENTS else 0)


def test_the_last_turn_of_a_round_is_finished_and_not_the_next_one_of_the_same_player() -> None:
    start = table(2, SKIP, phase=Phase.STUDENTS, entrances=["RED7", "BLUE7"], round=2)
    start = played(start._replace(standings=(Standing.IN, Standing.AWAY)), ToDiningRoom(RED))
    state = rules.disconnect(start, 0)
    assert (state.reason, state.round, state.hands) == (Reason.DISCONNECTED, 3, start.hands)


def test_a_round_in_which_nobody_could_plan_leaves_the_first_player() -> None:
    state = fresh(Settings(on_disconnect="skip_turns", first_player="first_seat"))
    state = rules.reconnect(rules.disconnect(state, 1), 1)
    state = state._replace(queue=())
    state = rules.disconnect(state, 0)
    assert (state.round, state.first, state.active, state.phase) == (2, 0, 1, Phase.ASSISTANT)


# What a seat sees


def test_a_view_lists_the_same_actions() -> None:
    for state in states(Settings(mode="expert"), 3, 11):
        if state.phase is not Phase.OVER:
            assert list(rules.legal(view_of(state, state.active))) == list(rules.legal(state))


# Settings and states from outside


@pytest.mark.parametrize("characters", [(1, 2), (1, 1, 2), (0, 1, 2)])
def test_characters_are_three_different_ones_or_drawn(characters: tuple[int, ...]) -> None:
    assert settings_problem(Settings(characters=characters)) is not None


def test_e_03_three_groups_end_the_game_at_once() -> None:
    start = table(groups=[(range(4), 0), ([5, 6], 0), (range(7, 11), 1)], held={4: "RED"}, professors={RED: 0})
    state = moved(start, 4)
    assert tiles(state) == [tuple(range(7)), (7, 8, 9, 10), (11,)]
    assert (state.reason, state.towers, rules.winners(state)) == (Reason.FEW_GROUPS, (1, 4), (0,))

"""The rules of fish against fish.md, its worked vectors, and a second model that shares nothing with the first."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any, NamedTuple, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.fish import rules
from fairplay.games.fish.rules import Settings, State
from fairplay.games.fish.rules.board import Action, Move, Place, board_of, board_of_rows, geometry

# A model of its own: tiles by (y, x), where x counts half periods, so that directions are the same in every row.

Spot = tuple[int, int]
DIRECTIONS = ((-2, 0), (-1, 1), (1, 1), (2, 0), (1, -1), (-1, -1))  # N, NE, SE, S, SW, NW


def spot(cell: int, columns: int) -> Spot:
    row, column = divmod(cell, columns)
    return row, 2 * column + row % 2


def cell_of(place: Spot, columns: int) -> int:
    return place[0] * columns + place[1] // 2


def walk(free: set[Spot], start: Spot) -> list[Spot]:
    found = []
    for down, right in DIRECTIONS:
        y, x = start[0] + down, start[1] + right
        while (y, x) in free:
            found.append((y, x))
            y, x = y + down, x + right
    return found


class Naive(NamedTuple):
    """What a state says, in the model's terms."""

    tiles: dict[Spot, int]
    penguins: list[list[Spot]]

    @classmethod
    def of(cls, state: State) -> Naive:
        columns = state.board.columns
        tiles = {spot(cell, columns): fish for cell, fish in enumerate(rules.tiles(state)) if fish}
        return cls(tiles, [[spot(cell, columns) for cell in own] for own in state.places])

    def free(self) -> set[Spot]:
        return set(self.tiles) - {place for own in self.penguins for place in own}

    def moves(self, seat: int) -> list[tuple[Spot, Spot]]:
        free = self.free()
        return [(start, end) for start in self.penguins[seat] for end in walk(free, start)]


def expected_actions(state: State) -> set[tuple[int, ...]]:
    naive, columns = Naive.of(state), state.board.columns
    if rules.placing(state):
        return {(cell_of(place, columns),) for place in naive.free()}
    return {(cell_of(start, columns), cell_of(end, columns)) for start, end in naive.moves(state.seat)}


def expected_turn(state: State, first: int) -> int | None:
    """Who acts, searched from a seat on."""
    naive, count = Naive.of(state), len(state.places)
    around = [seat for seat in (*range(first, count), *range(first)) if state.alive[seat]]
    if not around or (state.lone_survivor == "stop" and len(around) == 1):
        return None
    to_place = [seat for seat in around if len(state.places[seat]) < state.penguins]
    to_move = [seat for seat in around if naive.moves(seat)]
    return next(iter(to_place or to_move), None)


# Games to play


class Setup(NamedTuple):
    settings: Settings
    seats: int
    seed: int


def boards(max_side: int, max_fish: int = 5) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    """Ragged boards with holes."""
    row = st.lists(st.integers(0, max_fish) | st.just(1), max_size=max_side).map(tuple)
    return st.lists(row, min_size=1, max_size=max_side).map(tuple)


def enough_tiles(setup: Setup) -> bool:
    settings = setup.settings
    tiles = settings.rows * settings.columns - settings.holes
    if settings.board is not None:
        tiles = sum(fish > 0 for row in settings.board for fish in row)
    return tiles >= setup.seats * (settings.penguin_base - setup.seats)


def setups(max_side: int = 6) -> st.SearchStrategy[Setup]:
    """Games that can begin, with all settings."""
    settings = st.builds(
        Settings,
        rows=st.integers(1, max_side),
        columns=st.integers(1, max_side),
        fish=st.integers(1, 3),
        random_fish=st.booleans(),
        holes=st.integers(0, 6),
        board=st.none() | boards(max_side),
        penguin_base=st.integers(5, 7),
        penguin_count_basis=st.sampled_from(get_args(rules.PenguinCountBasis)),
        announce_order=st.sampled_from(get_args(rules.AnnounceOrder)),
        lone_survivor=st.sampled_from(get_args(rules.LoneSurvivor)),
        action_list=st.sampled_from(get_args(rules.ActionList)),
    )
    games = st.builds(Setup, settings, st.integers(2, 4), st.integers(0, 2**32))
    return games.filter(lambda setup: rules.settings_problem(setup.settings) is None and enough_tiles(setup))


def begin(setup: Setup) -> State:
    return rules.initial(setup.settings, setup.seats, Random(setup.seed))


def play(setup: Setup) -> list[State]:
    """All states of a game of random actions."""
    rng = Random(setup.seed)
    states = [begin(setup)]
    while rules.turn(states[-1]) is not None:
        states.append(rules.apply(states[-1], rng.choice(rules.legal(states[-1]))))
    return states


def moving(board: Sequence[Sequence[int]], *places: Sequence[tuple[int, int]], **fields: Any) -> State:
    """A state after placement, its penguins as (row, column)."""
    known = board_of_rows(board)
    cells = [[row * known.columns + column for row, column in own] for own in places]
    return rules.state_of(known, cells, **{"penguins": min(map(len, cells)), **fields})


def move(state: State, source: tuple[int, int], target: tuple[int, int]) -> Move:
    columns = state.board.columns
    return Move(source[0] * columns + source[1], target[0] * columns + target[1])


# The worked vectors (section 12)


# Settings and fresh games


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"fish": 4, "max_fish": 3}, "fish"),
        ({"holes": 25}, "holes"),
        ({"board": ()}, "board"),
        ({"board": ((1,),) * 26}, "board"),
        ({"board": ((1,) * 26,)}, "board"),
        ({"board": ((1, 6),)}, "board"),
        ({"board": ((1, 3),), "max_fish": 2}, "board"),
    ],
)
def test_a_wrong_setting_is_named(changed: dict[str, Any], field: str) -> None:
    problem = rules.settings_problem(Settings(**changed))
    assert problem is not None
    assert problem[0] == field
    assert problem[1].startswith(field)
    with pytest.raises(ValueError, match=field):
        rules.initial(Settings(**changed), 2, Random(0))


@pytest.mark.parametrize(
    "changed",
    [{"fish": 3, "max_fish": 3}, {"holes": 24}, {"board": ((1, 3),), "max_fish": 3}],
)
def test_a_setting_may_be_either_end_of_what_others_allow(changed: dict[str, Any]) -> None:
    assert rules.settings_problem(Settings(**changed)) is None


def test_a_board_overrides_what_would_draw_one() -> None:
    settings = Settings(rows=0, columns=99, fish=0, holes=-1, random_fish=True, board=((1, 2, 3, 4, 5),) * 2)
    assert rules.settings_problem(settings) is None
    assert rules.tiles(rules.initial(settings, 2, Random(0))) == (1, 2, 3, 4, 5) * 2


def test_short_rows_end_in_holes() -> None:
    board = board_of_rows([[1, 2], [], [3, 4, 5]])
    assert (board.rows, board.columns, board.fish) == (3, 3, (1, 2, 0, 0, 0, 0, 3, 4, 5))


def test_a_board_must_have_a_tile_for_every_penguin() -> None:
    with pytest.raises(ValueError, match=r"7 tiles: 2 players with 4 penguins each need 8"):
        rules.initial(Settings(rows=3, columns=3, holes=2), 2, Random(0))
    rules.initial(Settings(rows=3, columns=3, holes=1), 2, Random(0))


@given(st.integers(1, 5), st.integers(0, 17), st.integers(0, 2**32))
def test_drawn_boards_have_the_fish_and_the_holes_asked_for(max_fish: int, holes: int, seed: int) -> None:
    settings = Settings(rows=5, columns=5, random_fish=True, max_fish=max_fish, fish=1, holes=holes)
    fish = rules.tiles(rules.initial(settings, 2, Random(seed)))
    assert fish.count(0) == holes
    assert set(fish) <= set(range(max_fish + 1))


def test_tiles_with_a_random_number_of_fish_have_any_from_one_to_the_most() -> None:
    settings = Settings(rows=25, columns=25, random_fish=True, max_fish=5, fish=1)
    assert set(rules.tiles(rules.initial(settings, 2, Random(0)))) == {1, 2, 3, 4, 5}


def test_the_survivors_of_the_announcements_may_decide_the_number_of_penguins() -> None:
    settings = Settings(penguin_count_basis="survivors")
    state = rules.eliminate(rules.initial(settings, 4, Random(0)), 2)
    fixed = rules.fix_penguins(state, settings)
    assert (state.penguins, fixed.penguins, fixed.revision) == (2, 3, state.revision + 1)
    assert rules.fix_penguins(state, Settings()) == state
    assert rules.fix_penguins(fixed, settings) == fixed
    placed = rules.apply(fixed, Place(0))
    assert rules.fix_penguins(rules.eliminate(placed, 3), settings).penguins == 3


def test_nobody_surviving_the_announcements_ends_the_game() -> None:
    settings = Settings(penguin_count_basis="survivors")
    state = rules.initial(settings, 2, Random(0))
    for seat in (0, 1):
        state = rules.eliminate(state, seat)
    assert rules.fix_penguins(state, settings) == state
    assert rules.turn(state) is None
    assert rules.ranking(state) == ()


# Geometry


@given(boards(9), st.data())
def test_reach_is_what_a_walk_finds(board: tuple[tuple[int, ...], ...], data: st.DataObject) -> None:
    if not any(board):
        board = ((1,),)
    state = moving(board, [], [])
    size, columns = state.board.geometry.size, state.board.columns
    penguins = data.draw(st.lists(st.integers(0, size - 1), max_size=6, unique=True))
    state = rules.state_of(state.board, [penguins], penguins=0)
    free = Naive.of(state).free()
    for cell in range(size):
        found = [cell_of(end, columns) for end in walk(free, spot(cell, columns))]
        assert list(rules.reach(state, cell)) == found


def test_a_state_survives_copying_and_pickling() -> None:
    state = play(Setup(Settings(), 3, 5))[12]
    assert pickle.loads(pickle.dumps(state)) == state
    assert copy.deepcopy(state) == state
    assert hash(pickle.loads(pickle.dumps(state))) == hash(state)


# Whole games


@given(setups())
def test_random_games_keep_the_rules_at_every_step(setup: Setup) -> None:
    rng, state = Random(setup.seed), begin(setup)
    while (seat := rules.turn(state)) is not None:
        assert rules.invariant(state) is None
        listed = rules.legal(state)
        assert len(set(listed)) == len(listed)
        assert {tuple(action) for action in listed} == expected_actions(state)
        assert all(rules.violation(state, action) is None for action in listed)
        chosen = rng.choice(listed)
        after = rules.apply(state, chosen)
        check_step(state, chosen, after)
        assert rules.turn(after) == expected_turn(after, (seat + 1) % setup.seats)
        state = after
    assert rules.legal(state) == ()
    assert rules.invariant(state) is None


def check_step(before: State, action: Action, after: State) -> None:
    assert after.revision == before.revision + 1
    assert after.board is before.board
    mine, others = before.seat, [seat for seat in range(len(before.places)) if seat != before.seat]
    assert [after.places[seat] for seat in others] == [before.places[seat] for seat in others]
    tiles, won = list(rules.tiles(before)), 0
    if isinstance(action, Move):
        expected = [action.target if cell == action.source else cell for cell in before.places[mine]]
        won, tiles[action.source] = tiles[action.source], 0
    else:
        expected = [*before.places[mine], action.cell]
    assert list(after.places[mine]) == expected
    assert list(rules.tiles(after)) == tiles
    assert after.scores[mine] - before.scores[mine] == won
    assert [after.scores[seat] for seat in others] == [before.scores[seat] for seat in others]


@given(setups(max_side=5))
def test_whatever_is_not_listed_breaks_a_listed_rule(setup: Setup) -> None:
    states = play(setup)
    for state in Random(setup.seed).sample(states, min(4, len(states))):
        size = state.board.geometry.size
        cells = [-size, -1, *range(size), size, 10**9]
        listed = set(rules.legal(state))
        pairs = [Move(*pair) for pair in product(cells, cells)]
        actions: list[Action | None] = [None, *map(Place, cells), *pairs]
        for action in actions:
            assert (rules.violation(state, action) in rules.RULES) is (action not in listed)
            assert (rules.violation(state, action) is None) is (action in listed)


@given(setups(), st.floats(0.02, 0.4))
def test_eliminations_at_any_time_take_the_penguins_and_nothing_else(setup: Setup, how_often: float) -> None:
    rng, state = Random(setup.seed), begin(setup)
    for _ in range(2 * state.board.geometry.size + 40):
        if rng.random() < how_often:
            state = checked_elimination(state, rng.randrange(setup.seats))
        elif rules.legal(state):
            state = rules.apply(state, rng.choice(rules.legal(state)))
        elif (seat := rules.turn(state)) is not None:
            assert rules.placing(state)
            assert rules.violation(state, Place(0)) in ("fish.place.free", "fish.place.tile")
            state = checked_elimination(state, seat)
        assert rules.invariant(state) is None
    assert rules.turn(state) is None or rules.legal(state)


def checked_elimination(before: State, seat: int) -> State:
    after = rules.eliminate(before, seat)
    if not before.alive[seat]:
        assert after == before
        return after
    assert after.revision == before.revision + 1
    assert not after.alive[seat]
    assert after.places == tuple(() if each == seat else own for each, own in enumerate(before.places))
    assert (rules.tiles(after), after.scores) == (rules.tiles(before), before.scores)
    assert seat not in [each for group in rules.ranking(after) for each in group]
    first = (seat + 1) % len(before.places) if seat == before.seat else before.seat
    assert rules.turn(after) == expected_turn(after, first)
    return after


# Refusals

# cells 0 1 2 / 3 4 5 / 6 7 8: red on 0 and 8, white on 3 and 2, a hole at 5
CORNER = ([[1, 2, 3], [4, 5, 0], [1, 2, 3]], [(0, 0), (2, 2)], [(1, 0), (0, 2)])


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (None, "fish.move.mandatory"),
        (Place(1), "fish.place.before-moving"),
        (Move(0, 9), "fish.move.on-board"),
        (Move(1, 4), "fish.move.own-penguin"),
        (Move(0, 0), "fish.move.not-stay"),
        (Move(0, 5), "fish.move.tile"),
        (Move(0, 4), "fish.move.straight-line"),
        (Move(8, 2), "fish.move.clear-path"),
        (Move(0, 6), None),
    ],
)
def test_a_refused_move_names_the_rule_that_helps(answer: Action | None, rule: str | None) -> None:
    assert rules.violation(moving(*CORNER), answer) == rule


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (Move(0, 1), "fish.place.before-moving"),
        (Place(8), "fish.place.on-board"),
        (Place(2), "fish.place.tile"),
        (Place(0), "fish.place.free"),
        (Place(1), None),
    ],
)
def test_a_refused_place_names_the_rule_that_helps(answer: Action | None, rule: str | None) -> None:
    board = board_of_rows([[1, 1, 0, 1], [1, 1, 1, 1]])
    state = rules.state_of(board, [[0], []], penguins=3, seat=1)
    assert rules.violation(state, answer) == rule


def test_the_eliminated_are_not_passed_over() -> None:
    state = moving([[1] * 6] * 6, [(0, 0)], [(0, 2)], [(0, 4)])
    gone = rules.eliminate(state, 1)
    after = rules.apply(gone, Move(0, 6))
    assert (rules.turn(after), rules.skipped(gone, after)) == (2, ())


# Turns and eliminations in particular places


def test_equal_scores_share_a_group_and_the_eliminated_are_not_ranked() -> None:
    state = moving([[1, 1, 1, 1]], [(0, 0)], [(0, 1)], [(0, 2)], [(0, 3)], scores=[3, 9, 9, 12])
    assert rules.ranking(state) == ((3,), (1, 2), (0,))
    assert rules.ranking(rules.eliminate(state, 3)) == ((1, 2), (0,))
    assert rules.scores(rules.eliminate(state, 3)) == (3, 9, 9, 12)


# States from outside


@given(setups())
def test_a_state_can_be_rebuilt_from_what_is_seen_of_it(setup: Setup) -> None:
    for state in play(setup):
        board = board_of(state.board.columns, rules.tiles(state))
        rebuilt = rules.state_of(
            board,
            state.places,
            penguins=state.penguins,
            scores=state.scores,
            alive=state.alive,
            seat=state.seat,
            lone_survivor=state.lone_survivor,
            revision=state.revision,
        )
        assert rebuilt == state._replace(board=board)
        assert rules.invariant(rebuilt) is None


def test_the_longest_lines_are_remembered_within_bounds() -> None:
    setup = Setup(Settings(rows=25, columns=25, random_fish=True), 4, 1)
    for seed in range(40):
        for state in play(setup._replace(seed=seed))[::80]:
            assert {tuple(action) for action in rules.legal(state)} == expected_actions(state)
    known = geometry(25, 25).lines
    assert 0 < sum(len(moves) for lines in known for _, moves, _ in lines) <= 20_000


@pytest.mark.parametrize(
    ("places", "fields", "complaint"),
    [
        ([[]] * 5, {}, "5 seats"),
        ([[0], [1]], {"scores": [1]}, "1 scores"),
        ([[0], [1]], {"alive": [True]}, "1 survivors"),
        ([[0], [1]], {"seat": 2}, "seat 2"),
        ([[0], [6]], {}, "cell 6"),
    ],
)
def test_facts_that_make_no_state_are_refused(places: list[list[int]], fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        rules.state_of(board_of(3, [1] * 6), places, penguins=1, **fields)


@pytest.mark.parametrize(
    ("places", "fields", "complaint"),
    [
        ([[0], [1]], {"alive": [True, False]}, "eliminated"),
        ([[0], [1]], {"scores": [0, -1]}, "negative"),
        ([[0], [1]], {"revision": -1}, "negative"),
        ([[0, 1], [2], [3, 4]], {"penguins": 2, "seat": 0}, None),
        ([[0], []], {"seat": 1}, None),
    ],
)
def test_the_invariant_names_what_cannot_be(
    places: list[list[int]], fields: dict[str, Any], complaint: str | None
) -> None:
    state = rules.state_of(board_of(3, [1, 1, 1, 1, 1, 0]), places, **{"penguins": 1, **fields})
    problem = rules.invariant(state)
    assert (problem is None) if complaint is None else (problem is not None and complaint in problem)


def test_the_invariant_sees_fish_that_nobody_has_and_turns_that_cannot_be() -> None:
    state = moving([[1, 1], [1, 1]], [(0, 0)], [(0, 1)])
    assert rules.invariant(state) is None
    assert "nobody's score" in (rules.invariant(state._replace(taken=0b1111)) or "")
    assert "the turn" in (rules.invariant(state._replace(over=True)) or "")

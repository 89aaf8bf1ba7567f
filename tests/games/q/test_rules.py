"""The rules of the Q game: the worked vectors of q.md by their ids, random games, and each case of its sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.q import rules
from fairplay.games.q.rules import RULES
from fairplay.games.q.rules.board import COLORS, Board, Coordinate, Placement, placements, points
from fairplay.games.q.rules.state import (
    PASS,
    REPLACE,
    Action,
    Extension,
    Settings,
    State,
    invariant,
)
from tests.games.q.playing import extension, table, tile, tiles

settings_of_a_game = st.builds(
    Settings,
    hand_size=st.integers(1, 7),
    copies_per_kind=st.integers(1, 5),
    fit_rule=st.sampled_from(["q", "qwirkle"]),
    undelivered_tiles=st.sampled_from(["lost", "return"]),
    lone_survivor=st.sampled_from(["play_on", "stop"]),
)
games = st.builds(
    lambda settings, count, seed: rules.initial(settings, count, Random(seed)),
    settings_of_a_game,
    st.integers(2, 4),
    st.integers(0, 2**32),
)
seeds = st.integers(0, 2**32).map(Random)


def row_of(names: str) -> dict[Coordinate, str]:
    return {(0, column): name.strip() for column, name in enumerate(names.split(","))}


def random_action(state: State, rng: Random) -> Action:
    """A legal action by chance, which may place several tiles; the words are rare, so that games last."""
    listed = rules.legal(state)
    action = rng.choice(listed)
    if not isinstance(action, Extension) and rng.random() < 0.8:
        action = listed[0]
    while isinstance(action, Extension) and rng.random() < 0.6:
        row, column, _ = action.placements[-1]
        spot = rng.choice([(row, column + 1), (row, column - 1), (row + 1, column), (row - 1, column)])
        seat = rules.turn(state)
        assert seat is not None
        longer = Extension((*action.placements, Placement(*spot, rng.choice(state.hands[seat]))))
        if rules.violation(state, longer) is not None:
            break
        action = longer
    return action


def play_on(state: State, rng: Random, turns: int) -> State:
    for _ in range(turns):
        if rules.turn(state) is None:
            break
        state = rules.apply(state, random_action(state, rng))
        if rng.random() < 0.9:
            state = rules.delivered(state)
        elif state.delivery:
            state = rules.eliminate(state, state.delivery.seat)
        if rng.random() < 0.02:
            state = rules.eliminate(state, rng.randrange(len(state.hands)))
    return state


def all_tiles(state: State) -> Counter[int]:
    hands = [held for hand in state.hands for held in hand]
    return Counter([*state.board.tiles.values(), *hands, *state.pile, *state.lost])


def naive_runs(laid: Mapping[Coordinate, int]) -> list[list[Coordinate]]:
    """Every maximal run of the map, of one tile too, found by looking at every row and every column."""
    rows, columns = [row for row, _ in laid], [column for _, column in laid]
    across = [[(row, c) for c in range(min(columns), max(columns) + 2)] for row in set(rows)]
    along = [[(r, column) for r in range(min(rows), max(rows) + 2)] for column in set(columns)]
    runs: list[list[Coordinate]] = []
    for line in across + along:
        run: list[Coordinate] = []
        for cell in line:
            if cell in laid:
                run.append(cell)
                continue
            runs, run = runs + [run] * bool(run), []
    return runs


def naive_score(laid: Mapping[Coordinate, int], placed: Sequence[Placement], q_bonus: int) -> int:
    total = len(placed)
    cells = {(row, column) for row, column, _ in placed}
    for run in naive_runs(laid):
        if len(run) > 1 and cells & set(run):
            kinds = [laid[cell] for cell in run]
            complete = len({kind // 6 for kind in kinds}) == 6 or len({kind % 6 for kind in kinds}) == 6
            total += len(run) + (q_bonus if len(run) == 6 and complete else 0)
    return total


def naive_fit(laid: Mapping[Coordinate, int], row: int, column: int, kind: int) -> bool:
    """Rule 4 of section 3 and the neighbourhood of rule 3, word by word."""
    if (row, column) in laid:
        return False
    beside = [laid[cell] for cell in [(row, column - 1), (row, column + 1)] if cell in laid]
    above_and_below = [laid[cell] for cell in [(row - 1, column), (row + 1, column)] if cell in laid]
    matches = [
        all(other % 6 == kind % 6 for other in line) or all(other // 6 == kind // 6 for other in line)
        for line in (beside, above_and_below)
    ]
    return bool(beside + above_and_below) and all(matches)


# The worked vectors (section 12)


@pytest.mark.parametrize(
    ("bonuses", "rest", "total"),
    [((6, 6), "blue star", 14), ((8, 4), "", 20)],
)
def test_q2_a_q_and_the_finish_bonus(bonuses: tuple[int, int], rest: str, total: int) -> None:
    on_map = row_of("red star, red 8star, red square, red circle")
    settings = Settings(q_bonus=bonuses[0], finish_bonus=bonuses[1])
    state = table(f"red clover, red diamond, {rest}", "", on_map=on_map, settings=settings)
    placed = extension((0, 4, "red clover"), (0, 5, "red diamond"))
    assert rules.scores(rules.apply(state, placed)) == (total, 0)


# Settings and fresh games (sections 1 and 10)


def test_a_game_needs_tiles_for_everybody() -> None:
    barely = Settings(hand_size=17, copies_per_kind=1)
    assert len(rules.initial(barely, 2, Random(0)).pile) == 36 - 2 * 17 - 1
    with pytest.raises(ValueError, match="are 36 tiles: 3 players with 17 each and one tile on the map need 52"):
        rules.initial(barely, 3, Random(0))


# Legality (section 3)


BASE = {(0, 0): "red star", (0, 1): "red square"}


@pytest.mark.parametrize(
    ("placed", "broken"),
    [
        (extension((0, -1, "red clover"), (0, 2, "red clover")), None),  # not next to each other
        (extension((-1, 0, "blue star"), (-2, 0, "blue clover")), None),
        (extension(), "q.extension.not-empty"),
        (extension(*[(0, 2 + step, "red clover") for step in range(3)]), "q.extension.own-tiles"),  # it holds two
        (extension((0, 2, "red clover"), (1, 1, "red clover")), "q.extension.one-line"),
        (extension((0, 2, "red clover"), (0, 2, "red clover")), "q.extension.free"),
        (extension((1, 2, "red clover")), "q.extension.adjacent"),  # a corner is no side
        (extension((0, 3, "blue clover"), (0, 2, "red clover")), "q.extension.adjacent"),  # in this order
        (extension((0, 2, "blue clover")), "q.extension.fit"),
        (extension((-1_000_001, 0, "red clover")), "q.coordinate.range"),
        (Extension((Placement(0, 2, 36),)), "q.tile.known"),
    ],
)
def test_an_extension_is_refused_by_the_rule_it_breaks(placed: Extension, broken: str | None) -> None:
    state = table("red clover, red clover, blue clover, blue star", "", on_map=BASE)
    before = dict(state.board.tiles)
    assert rules.violation(state, placed) == broken
    assert state.board.tiles == before


@pytest.mark.parametrize(("pile", "hand", "legal"), [(2, 2, True), (1, 2, False), (0, 0, True), (0, 1, False)])
def test_a_hand_can_be_replaced_if_the_pile_holds_as_many(pile: int, hand: int, legal: bool) -> None:
    state = table(", ".join(["red star"] * hand), "", pile=", ".join(["red star"] * pile))
    assert rules.violation(state, REPLACE) == (None if legal else "q.replace.pile")
    assert (REPLACE in rules.legal(state)) == legal
    assert rules.violation(state, PASS) is None


def test_duplicates_and_long_lines_are_fine_unless_the_rule_of_qwirkle_holds() -> None:
    row = row_of("red star, red 8star, red square, red circle, red clover, red diamond")
    seventh = extension((0, 6, "red star"))
    for fit_rule, broken in (("q", None), ("qwirkle", "q.extension.fit")):
        settings = Settings(fit_rule=fit_rule)  # type: ignore[arg-type]
        assert rules.violation(table("red star", "", on_map=row, settings=settings), seventh) == broken


def test_the_rule_of_qwirkle_looks_at_whole_lines() -> None:
    row = row_of("red star, red 8star")
    by_shape = extension((0, 2, "blue 8star"))
    assert rules.violation(table("blue 8star", "", on_map=row), by_shape) is None
    qwirkle = Settings(fit_rule="qwirkle")
    assert rules.violation(table("blue 8star", "", on_map=row, settings=qwirkle), by_shape) == "q.extension.fit"


@pytest.mark.parametrize(
    ("row", "spot", "fit"),
    [
        ("green 8star, blue 8star", 2, "red 8star, yellow 8star, orange 8star, purple 8star"),
        ("green 8star, green circle", 2, "green star, green square, green clover, green diamond"),
        ("green 8star, , blue circle", 1, ""),
    ],
)
def test_under_the_rule_of_qwirkle_a_tile_continues_its_whole_line(row: str, spot: int, fit: str) -> None:
    board = Board({cell: tile(name) for cell, name in row_of(row).items() if name}, whole_lines=True)
    assert [kind for kind in range(36) if (0, spot) in placements(board, kind)] == list(tiles(fit))


@pytest.mark.parametrize("corner", [(1_000_000, 0), (0, -1_000_000)])
def test_no_spot_beyond_the_greatest_coordinate_comes_with_a_tile(corner: tuple[int, int]) -> None:
    row, column = corner
    inward = row - (row > 0) + (row < 0), column - (row == 0) * ((column > 0) - (column < 0))
    edge = table("red star", "", on_map={inward: "red star"}).board
    assert corner in edge.spots
    spots = edge.put([Placement(row, column, tile("red star"))]).spots
    assert corner not in spots
    assert spots == Board({corner: tile("red star"), inward: tile("red star")}).spots
    assert all(abs(each) <= 1_000_000 for spot in spots for each in spot)


@given(games, seeds, st.integers(0, 40))
def test_listed_actions_are_legal_and_other_placements_are_refused(state: State, rng: Random, turns: int) -> None:
    state = play_on(state, rng, turns)
    listed = list(rules.legal(state))
    assert all(rules.violation(state, action) is None for action in listed)
    assert len(set(listed)) == len(listed)
    seat = rules.turn(state)
    if seat is None:
        return
    laid = state.board.tiles
    for _ in range(30):
        row, column = rng.choice(list(laid))
        kind = rng.choice([*state.hands[seat], rng.randrange(36)])
        single = Placement(row + rng.randint(-2, 2), column + rng.randint(-2, 2), kind)
        broken = rules.violation(state, Extension((single,)))
        assert (broken is None) == (Extension((single,)) in listed)
        assert broken is None or broken in RULES
        if state.settings.fit_rule == "q":
            assert (broken is None) == (naive_fit(laid, *single) and kind in state.hands[seat])


@given(games, seeds, st.integers(1, 60))
def test_the_index_of_spots_is_that_of_a_new_map(state: State, rng: Random, turns: int) -> None:
    board = play_on(state, rng, turns).board
    anew = Board(board.tiles, board.whole_lines)
    assert board.spots == anew.spots
    assert board == anew
    assert hash(board) == hash(anew)
    for kind in range(36):
        assert placements(board, kind) == [spot for spot in sorted(anew.spots) if anew.spots[spot] >> kind & 1]


# Scores (section 4)


@given(games, seeds, st.integers(0, 60))
def test_scores_agree_with_counting_all_runs_of_the_map(state: State, rng: Random, turns: int) -> None:
    state = play_on(state, rng, turns)
    seat = rules.turn(state)
    if seat is None or not isinstance(action := random_action(state, rng), Extension):
        return
    after = rules.apply(state, action)
    gain = after.points[seat] - state.points[seat]
    finish = 4 if len(action.placements) == len(state.hands[seat]) else 0
    assert gain == naive_score(after.board.tiles, action.placements, 8) + finish
    assert points(after.board.tiles, action.placements, 8) + finish == gain


def test_a_run_of_seven_pays_no_bonus() -> None:
    on_map = row_of("red star, red 8star, red square, red circle, red clover")
    placed = extension((0, 5, "red diamond"), (0, 6, "red diamond"))
    after = rules.apply(table("red diamond, red diamond, red star", "", on_map=on_map), placed)
    assert rules.scores(after) == (2 + 7, 0)


def test_each_q_of_a_turn_pays() -> None:
    row = row_of("red star, red 8star, red square, red circle, red clover")
    column = {(down, 5): f"{color} diamond" for down, color in enumerate(COLORS) if down}
    under = {(1, 4): "green clover"}  # joins the column to the row
    state = table("red diamond, red star", "", on_map=row | column | under)
    after = rules.apply(state, extension((0, 5, "red diamond")))
    assert rules.scores(after) == (1 + 6 + 8 + 6 + 8, 0)


# Turns (sections 2 and 3)


@given(games, seeds)
def test_tiles_are_conserved_and_states_stay_sound(state: State, rng: Random) -> None:
    dealt = all_tiles(state)
    for _ in range(60):
        assert all_tiles(state) == dealt
        assert invariant(state) is None
        if state.settings.undelivered_tiles == "return":
            assert state.lost == ()
        if rules.turn(state) is None:
            break
        revision = state.revision
        state = play_on(state, rng, 1)
        assert state.revision > revision


# Elimination (section 5)


@pytest.mark.parametrize(
    ("choice", "pile", "lost"),
    [("lost", "yellow star, blue clover", "green star"), ("return", "yellow star, green star, blue clover", "")],
)
def test_failing_in_new_tiles_leaves_what_was_placed(choice: str, pile: str, lost: str) -> None:
    settings = Settings(undelivered_tiles=choice)  # type: ignore[arg-type]
    state = table("red square, blue clover", "red star", pile="green star, yellow star", settings=settings)
    after = rules.eliminate(rules.apply(state, extension((0, 1, "red square"))), 0)
    assert after.board.tiles == {(0, 0): tile("red star"), (0, 1): tile("red square")}
    assert after.pile == tiles(pile)
    assert after.lost == tiles(lost)
    assert after.hands == ((), tiles("red star"))
    next_round = rules.apply(after, PASS)
    assert rules.turn(next_round) == 1  # somebody placed: the round does not end the game


def test_a_last_player_that_fails_its_delivery_after_the_round_leaves_the_next_round_to_the_others() -> None:
    state = rules.apply(table("blue clover", "red square, red star", pile="red clover"), PASS)
    state = rules.eliminate(rules.apply(state, extension((0, 1, "red square"))), 1)
    assert rules.turn(state) == 0
    assert rules.turn(rules.apply(state, PASS)) is None


# The end (section 6)


def test_a_round_that_ends_with_an_elimination_ends_the_game_unless_somebody_placed() -> None:
    state = rules.apply(table("red square", "red star"), PASS)
    assert rules.turn(rules.eliminate(state, 1)) is None
    placed = rules.apply(table("red square, red star", "red star"), extension((0, 1, "red square")))
    assert rules.turn(rules.eliminate(rules.delivered(placed), 1)) == 0


@pytest.mark.parametrize(("choice", "mover"), [("play_on", 1), ("stop", None)])
def test_a_lone_survivor_plays_on_unless_the_knob_says_stop(choice: str, mover: int | None) -> None:
    settings = Settings(lone_survivor=choice)  # type: ignore[arg-type]
    state = rules.eliminate(table("red star", "red square, red star", settings=settings, pile="red star"), 0)
    assert rules.turn(state) == mover
    if mover is None:
        assert rules.winners(state) == (1,)
        return
    state = rules.apply(state, extension((0, 1, "red square")))
    assert rules.turn(state) == 1
    assert rules.turn(rules.apply(state, PASS)) is None


def test_a_player_that_fails_its_last_delivery_is_not_the_one_to_beat() -> None:
    state = rules.apply(table("blue star", "blue star", pile="red star", points=[1, 5]), PASS)
    over = rules.apply(state, REPLACE)
    assert rules.turn(over) is None
    assert rules.winners(rules.eliminate(over, 1)) == (0,)


# States given from outside


def test_under_the_rule_of_qwirkle_whole_lines_must_match() -> None:
    qwirkle = Settings(fit_rule="qwirkle")
    for names in ("red star, red 8star, blue 8star", "red star, red 8star, red star"):
        row = row_of(names)
        assert invariant(table("red star", "", on_map=row)) is None
        assert "matches" in (invariant(table("red star", "", on_map=row, settings=qwirkle)) or "")

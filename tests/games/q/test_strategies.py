"""The reference players of the Q game: legal and deterministic whatever they see, and each on its own terms."""

from __future__ import annotations

import pytest

from fairplay.games.q import rules
from fairplay.games.q.players import STRATEGIES, strategy
from fairplay.games.q.rules.board import Board, Coordinate, Placement, tile_of
from fairplay.games.q.rules.state import PASS, REPLACE, Extension, View, Word


def tile(name: str) -> int:
    color, shape = name.split()
    return tile_of(shape, color)


def seen(hand: str, on_map: dict[Coordinate, str], pile: int = 0, score: int = 0, other: int = 0) -> View:
    board = Board({cell: tile(name) for cell, name in on_map.items()})
    held = tuple(tile(name.strip()) for name in hand.split(",") if name.strip())
    return View(board, held, score, (other,), pile, 0)


def extension(*placed: tuple[int, int, str]) -> Extension:
    return Extension(tuple(Placement(row, column, tile(name)) for row, column, name in placed))


# All of them


@pytest.mark.parametrize("name", ["ldasg", "best"])
@pytest.mark.parametrize(("pile", "word"), [(2, REPLACE), (1, PASS)])
def test_who_can_place_nothing_replaces_or_else_passes(name: str, pile: int, word: Word) -> None:
    assert strategy(name)(seen("blue circle, green clover", {(0, 0): "red star"}, pile)) is word


@pytest.mark.parametrize("name", list(STRATEGIES))
def test_an_empty_hand_is_no_surprise(name: str) -> None:
    assert strategy(name)(seen("", {(0, 0): "red star"})) in (REPLACE, PASS)


# first and random


def test_first_finds_a_spot_where_the_map_ends() -> None:
    edge = {(1_000_000, 0): "red star"}
    assert strategy("first")(seen("red star", edge)) == extension((999_999, 0, "red star"))


# dag and ldasg (section 9)


def test_dag_takes_the_smallest_tile_that_fits_to_its_first_spot() -> None:
    view = seen("blue diamond, red square, green square", {(0, 0): "red star"})
    assert strategy("dag")(view) == extension((-1, 0, "red square"), (-2, 0, "green square"))


def test_ldasg_prefers_the_spot_with_most_neighbours_and_then_the_first() -> None:
    corner = {(0, 0): "red star", (1, 0): "red star", (1, 1): "red star"}
    assert strategy("dag")(seen("red clover", corner)) == extension((-1, 0, "red clover"))
    assert strategy("ldasg")(seen("red clover", corner)) == extension((0, 1, "red clover"))
    assert strategy("ldasg")(seen("red clover", {(0, 0): "red star"})) == extension((-1, 0, "red clover"))


@pytest.mark.parametrize("name", ["dag", "ldasg"])
def test_a_step_that_leaves_the_line_ends_the_extension_and_no_other_is_tried(name: str) -> None:
    """The most common student bug: the green circle, whose first spot is (-2, 1), would be legal at (0, 2) as well."""
    on_map = {(0, 0): "red star", (0, 1): "green star", (-1, 1): "green clover"}
    view = seen("green circle, red 8star", on_map)
    longer = extension((0, -1, "red 8star"), (0, 2, "green circle"))
    assert rules.breach(view.board, view.hand, 0, longer) is None
    assert strategy(name)(view) == extension((0, -1, "red 8star"))


def test_the_pile_does_not_matter_once_a_tile_is_placed() -> None:
    view = seen("red square, blue clover", {(0, 0): "red star"}, pile=0)
    assert strategy("ldasg")(view) == extension((-1, 0, "red square"))


# best


def test_best_finishes_when_that_wins_and_not_when_that_loses() -> None:
    on_map = {(0, 0): "red star"}
    ahead = strategy("best")(seen("red square, red circle", on_map, score=5, other=5))
    assert isinstance(ahead, Extension)
    assert len(ahead.placements) == 2
    behind = strategy("best")(seen("red square, red circle", on_map, pile=9, other=50))
    assert isinstance(behind, Extension)
    assert len(behind.placements) == 1
    assert strategy("best")(seen("red square", on_map, other=50)) is PASS

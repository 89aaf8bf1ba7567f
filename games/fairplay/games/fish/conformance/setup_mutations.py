"""Wrong answers to Setup: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse
from fairplay.games.fish.conformance import situations
from fairplay.games.fish.conformance.declaring import ANYWHERE, FAR_CELL, cells, holes, others_cells, placing
from fairplay.games.fish.rules import State
from fairplay.games.kit.conformance import (
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    collect_mutations,
    mutation,
    whole_game,
    with_field,
    without_field,
)


@mutation("Setup", "fish.place.required", *ANYWHERE, "fish.place.last-free-tile", "fish.seats.announced-one-by-one")
def places_nothing(request: SetupRequest, reply: SetupResponse, rng: Random) -> SetupResponse | None:
    """Leaves out the place of its penguin."""
    return without_field(reply, "place")


@mutation("Setup", "fish.place.required", "fish.place.zero", only=situations.first_cell_free)
def places_on_nothing_for_zero(request: SetupRequest, reply: SetupResponse, rng: Random) -> SetupResponse:
    """Leaves out the place of its penguin where it is 0."""
    return SetupResponse()


@placing("fish.place.free", *ANYWHERE, "fish.place.last-free-tile")
def places_on_opponent(state: State) -> Iterable[int]:
    """Places a penguin where an opponent's stands."""
    return others_cells(state)


@placing("fish.place.free", *ANYWHERE, "fish.place.most-penguins")
def places_on_own_penguin(state: State) -> Iterable[int]:
    """Places a penguin where one of its own stands."""
    return state.places[0]


@placing("fish.place.free", "fish.place.between-holes", "fish.place.resumed")
def places_on_first_tile(state: State) -> Iterable[int]:
    """Always takes the first tile, whether a penguin stands there or not."""
    return [next(cell for cell in cells(state) if state.board.fish[cell])]


@placing(
    "fish.place.free",
    "fish.place.most-penguins",
    "fish.place.last-free-tile",
    WHOLE_GAME,
    only=situations.last_penguin,
)
def places_last_penguin_on_another(state: State) -> Iterable[int]:
    """Places its last penguin, and only that one, on another."""
    return cells(state)


@placing(
    "fish.place.free",
    "fish.seats.last-of-four",
    "fish.place.last-free-tile",
    whole_game(3, 4),
    only=situations.black,
)
def places_on_penguin_as_black(state: State) -> Iterable[int]:
    """Places a penguin on another, but only as the fourth player."""
    return cells(state)


@placing("fish.place.tile", "fish.place.between-holes", "fish.place.short-rows", "fish.board.many-holes")
def places_on_hole(state: State) -> Iterable[int]:
    """Places a penguin on a hole."""
    return holes(state)


@placing("fish.place.tile", "fish.place.short-rows")
def places_behind_short_row(state: State) -> Iterable[int]:
    """Places a penguin on a hole at the end of a row."""
    return cells(state)[state.board.columns - 1 :: state.board.columns]


@placing("fish.place.on-board", *ANYWHERE, "fish.board.largest", "fish.place.one-row")
def places_one_too_far(state: State) -> Iterable[int]:
    """Places a penguin on the cell after the last one."""
    return [state.board.geometry.size]


@mutation("Setup", "fish.place.on-board", *ANYWHERE, "fish.place.one-row")
def places_far_away(request: SetupRequest, reply: SetupResponse, rng: Random) -> SetupResponse | None:
    """Names the greatest number there is as the place of its penguin."""
    return with_field(reply, "place", FAR_CELL)


@placing("fish.place.on-board", "fish.board.wide")
def places_by_column(state: State) -> Iterable[int]:
    """Numbers the cells column by column, with as many rows as there are columns on a wide board."""
    return [cell % state.board.columns * state.board.columns for cell in cells(state)]


@placing("fish.place.free", UNUSUAL_SETTINGS, only=situations.more_penguins_than_usual)
def places_more_penguins_on_another(state: State) -> Iterable[int]:
    """Believes that three or four players never place more penguins than usual, and puts the rest on its own."""
    return state.places[0]


MUTATIONS = collect_mutations(globals())

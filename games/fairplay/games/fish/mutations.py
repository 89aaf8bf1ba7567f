"""Wrong answers in Fish: each breaks one rule, and is caught by the cases that it names.

The player under test is seat 0 of every state. A mutation is declared by what it places, moves or answers; some show
themselves in special situations only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from random import Random
from typing import Any

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse, TakeTurnRequest, TakeTurnResponse
from fairplay.games.conformance import Mutation
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import build_action, read_view
from fairplay.games.fish.rules import State
from fairplay.games.fish.rules.board import Move, Place, neighbours
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    build_mutation,
    choose,
    collect_mutations,
    mutation,
    whole_game,
    with_field,
    without_field,
)

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
HISTORIES = ("fish.history.moves", "fish.history.resumed")
FAR_CELL = 2**32 - 1
"""The greatest number that fits into a reply."""


def wrong(
    method: str, rule: str, *cases: str, only: Callable[[Any], bool] | None = None
) -> Callable[[Callable[[State], Iterable[Any]]], Mutation]:
    """Declare a mutation that places a penguin on one of the returned cells, or makes one of the returned moves.

    Of those only the ones that break the rule are taken; None is a skip.
    """

    def declare(found: Callable[[State], Iterable[Any]]) -> Mutation:
        def mutate(request: Any, reply: Any, rng: Random) -> SetupResponse | TakeTurnResponse | None:
            state = read_view(request.state)
            actions = map(Place, found(state)) if method == "Setup" else found(state)
            chosen = choose(([action] for action in actions if rules.violation(state, action) == rule), rng)
            if chosen is None:
                return None
            [action] = chosen
            if isinstance(action, Place):
                return SetupResponse(place=action.cell)
            return TakeTurnResponse(action=build_action(action))

        return build_mutation(found, method, rule, cases, mutate, only)

    return declare


placing, moving = partial(wrong, "Setup"), partial(wrong, "TakeTurn")
skipping = partial(moving, "fish.move.mandatory")

# Cells


def cells(state: State) -> range:
    """Return all cells of the board."""
    return range(state.board.geometry.size)


def others_cells(state: State) -> list[int]:
    """Return the cells with penguins of others."""
    return [cell for own in state.places[1:] for cell in own]


def holes(state: State) -> list[int]:
    """Return the cells without a tile."""
    return [cell for cell in cells(state) if rules.holes(state) >> cell & 1]


def is_single_move(state: State) -> bool:
    """Return whether there is one legal move."""
    return len(rules.moves(state, 0)) == 1


def is_last_turn(state: State) -> bool:
    """Return whether any move ends the game."""
    return all(rules.apply(state, move).over for move in rules.moves(state, 0))


def is_square(state: State) -> bool:
    """Return whether the board has as many rows as columns."""
    return state.board.rows == state.board.columns


# Setup


@mutation("Setup", "fish.place.required", *ANYWHERE, "fish.place.last-free-tile", "fish.seats.announced-one-by-one")
def places_nothing(request: SetupRequest, reply: SetupResponse, rng: Random) -> SetupResponse | None:
    """Leaves out the place of its penguin."""
    return without_field(reply, "place")


@mutation("Setup", "fish.place.required", "fish.place.zero")
def places_on_nothing_for_zero(request: SetupRequest, reply: SetupResponse, rng: Random) -> SetupResponse | None:
    """Leaves out the place of its penguin where it is 0."""
    return None if read_view(request.state).taken & 1 else SetupResponse()


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


@placing("fish.place.free", "fish.place.most-penguins", "fish.place.last-free-tile", WHOLE_GAME)
def places_last_penguin_on_another(state: State) -> Iterable[int]:
    """Places its last penguin, and only that one, on another."""
    return cells(state) if len(state.places[0]) == state.penguins - 1 else ()


@placing(
    "fish.place.free",
    "fish.seats.last-of-four",
    "fish.place.last-free-tile",
    whole_game(3, 4),
    only=lambda request: request.state.players[0].color == fish_pb2.COLOR_BLACK,
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


@placing("fish.place.free", UNUSUAL_SETTINGS)
def places_more_penguins_on_another(state: State) -> Iterable[int]:
    """Believes that three or four players never place more penguins than usual, and puts the rest on its own."""
    count = len(state.places)
    return state.places[0] if count > 2 and len(state.places[0]) >= rules.Settings().penguin_base - count else ()


# TakeTurn: form


@mutation("TakeTurn", "fish.action.required", *ANYWHERE, "fish.turn.single-legal-move", *HISTORIES)
def answers_nothing(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
    """Answers take-turn with an empty message."""
    return without_field(reply, "action")


@mutation("TakeTurn", "fish.action.required", *ANYWHERE, "fish.board.one-column")
def moves_without_source(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
    """Leaves out which penguin moves."""
    return without_field(reply, "action.source")


@mutation("TakeTurn", "fish.action.required", *ANYWHERE, "fish.board.one-column")
def moves_without_target(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
    """Leaves out where the penguin goes."""
    return without_field(reply, "action.target")


@mutation("TakeTurn", "fish.action.required", "fish.turn.zero", "fish.move.edges-and-corners")
def leaves_out_zero(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
    """Leaves out source or target where it is 0."""
    move = choose([move for move in rules.moves(read_view(request.state), 0) if 0 in move], rng)
    if move is None:
        return None
    action = fish_pb2.Action(target=move.target) if move.source == 0 else fish_pb2.Action(source=move.source)
    return TakeTurnResponse(action=action)


@moving("fish.move.on-board", *ANYWHERE, "fish.board.largest", "fish.move.edges-and-corners")
def moves_one_too_far_off(state: State) -> Iterable[Move]:
    """Moves to the cell after the last one."""
    return [Move(state.places[0][0], state.board.geometry.size)]


@mutation("TakeTurn", "fish.move.on-board", *ANYWHERE)
def moves_from_far_away(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
    """Names the greatest number there is as the place of a penguin."""
    return with_field(reply, "action.source", FAR_CELL)


# TakeTurn: which penguin


@skipping(*ANYWHERE, "fish.turn.others-stuck", "fish.resume.two-left")
def skips(state: State) -> Iterable[None]:
    """Skips its turn."""
    return [None]


@mutation("TakeTurn", "fish.move.mandatory", *ANYWHERE, "fish.turn.single-legal-move")
def says_skip_beside_a_move(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
    """Makes a move and says that it is a skip."""
    return with_field(reply, "action.skip", True)


@skipping("fish.turn.single-legal-move", "fish.turn.zero")
def skips_single_move(state: State) -> Iterable[None]:
    """Skips its turn where there is a single legal move."""
    return [None] if is_single_move(state) else ()


@skipping("fish.turn.last-of-the-game")
def skips_last_turn(state: State) -> Iterable[None]:
    """Skips the last turn of the game."""
    return [None] if is_last_turn(state) else ()


@skipping("fish.history.skips", only=lambda request: any(action.skip for action in request.actions))
def skips_after_a_skip(state: State) -> Iterable[None]:
    """Skips its turn where it was told that somebody else was passed over."""
    return [None]


@moving("fish.move.own-penguin", *ANYWHERE, "fish.resume.late-and-rich")
def moves_opponents_penguin(state: State) -> Iterable[Move]:
    """Makes a move with a penguin of the next player."""
    return rules.moves(state, 1) if len(state.places) > 1 else []


@moving(
    "fish.move.own-penguin",
    "fish.resume.two-left",
    only=lambda request: [each.color > fish_pb2.COLOR_WHITE for each in request.state.players] == [True, True],
)
def moves_penguin_of_red_or_white(state: State) -> Iterable[Move]:
    """Believes that two players are always red and white."""
    return rules.moves(state, 1)


@moving("fish.move.own-penguin", *ANYWHERE, "fish.move.even-rows")
def moves_from_empty_tile(state: State) -> Iterable[Move]:
    """Makes a move from a tile without a penguin."""
    return [Move(cell, state.places[0][0]) for cell in cells(state) if not state.taken >> cell & 1]


@moving("fish.move.own-penguin", *ANYWHERE, "fish.move.over-holes")
def moves_from_hole(state: State) -> Iterable[Move]:
    """Moves a penguin that has left already, from the hole where it stood."""
    return [Move(hole, state.places[0][0]) for hole in holes(state)]


@moving("fish.move.own-penguin", "fish.board.tall", "fish.board.wide")
def numbers_cells_by_column(state: State) -> Iterable[Move]:
    """Numbers the cells column by column."""
    rows, columns = state.board.rows, state.board.columns
    for source, target in () if is_square(state) else rules.moves(state, 0):
        yield Move(source % columns * rows + source // columns, target % columns * rows + target // columns)


# TakeTurn: where to


def anywhere(state: State) -> Iterator[Move]:
    """Find the moves to all cells, in reach or not."""
    return (Move(source, target) for source in state.places[0] for target in cells(state))


def lines(state: State) -> Iterator[tuple[Move, ...]]:
    """Find the moves over an empty board from each of the player's cells in each direction, nearest first."""
    return (ray for cell in state.places[0] for ray in state.board.geometry.rays[cell])


def jumps(state: State, over: Collection[int]) -> Iterator[Move]:
    """Find the moves to free tiles, at the first taken cell of whose way is one of these."""
    for ray in lines(state):
        blocks = [steps for steps, move in enumerate(ray) if state.taken >> move.target & 1]
        if blocks and ray[blocks[0]].target in over:
            yield from (move for move in ray[blocks[0] :] if not state.taken >> move.target & 1)


def steps_of_wrong_parity(state: State) -> Iterator[Move]:
    """Find the steps from odd rows to where they would lead from an even one, and the other way round."""
    columns = state.board.columns
    for cell in state.places[0]:
        side = -1 if cell // columns % 2 else 1
        if 0 <= cell % columns + side < columns:
            yield from (Move(cell, cell + side - columns), Move(cell, cell + side + columns))


@moving("fish.move.not-stay", *ANYWHERE, "fish.turn.others-stuck")
def stays(state: State) -> Iterable[Move]:
    """Moves a penguin to where it stands."""
    return [Move(cell, cell) for cell in state.places[0]]


@moving("fish.move.not-stay", "fish.turn.single-legal-move")
def stays_with_single_move(state: State) -> Iterable[Move]:
    """Stays where there is a single legal move."""
    return [Move(cell, cell) for cell in state.places[0]] if is_single_move(state) else ()


@moving("fish.move.straight-line", *ANYWHERE, "fish.move.even-rows", "fish.move.odd-rows")
def moves_in_the_row(state: State) -> Iterable[Move]:
    """Moves to the next cell of the same row, as if tiles were squares."""
    return (Move(cell, cell + step) for cell in state.places[0] for step in (-1, 1))


@moving("fish.move.straight-line", *ANYWHERE, "fish.move.even-rows", "fish.move.odd-rows")
def mixes_up_odd_and_even_rows(state: State) -> Iterable[Move]:
    """Steps from odd rows as if they were even, and the other way round."""
    return steps_of_wrong_parity(state)


@moving("fish.move.straight-line", "fish.move.odd-rows", WHOLE_GAME)
def mixes_up_odd_rows(state: State) -> Iterable[Move]:
    """Steps from odd rows as if they were even."""
    return (move for move in steps_of_wrong_parity(state) if move.source // state.board.columns % 2)


@moving("fish.move.straight-line", "fish.move.edges-and-corners")
def wraps_around(state: State) -> Iterable[Move]:
    """Steps over an edge of the board, to the other side."""
    columns = state.board.columns
    for cell in state.places[0]:
        if cell // columns % 2 == 0 and cell % columns == 0:
            yield from (Move(cell, cell - 1), Move(cell, cell + 2 * columns - 1), Move(cell, cell + columns - 1))
        if cell // columns % 2 == 1 and cell % columns == columns - 1:
            yield from (Move(cell, cell + 1), Move(cell, cell + columns + 1), Move(cell, cell - columns + 1))


@moving("fish.move.straight-line", *ANYWHERE, "fish.move.over-penguins")
def turns_on_the_way(state: State) -> Iterable[Move]:
    """Makes two moves in one."""
    for first in rules.moves(state, 0):
        moved = state._replace(places=((first.target,), *state.places[1:]), taken=state.taken | 1 << first.target)
        yield from (Move(first.source, then.target) for then in rules.moves(moved, 0))


@moving("fish.move.tile", *ANYWHERE, "fish.move.over-holes", "fish.turn.last-penguin-only")
def moves_onto_hole(state: State) -> Iterable[Move]:
    """Moves to a hole."""
    return anywhere(state)


@moving("fish.move.tile", "fish.turn.last-of-the-game", "fish.turn.zero")
def moves_onto_hole_in_last_turn(state: State) -> Iterable[Move]:
    """Moves to a hole in the last turn of the game."""
    return anywhere(state) if is_last_turn(state) else ()


@moving("fish.move.clear-path", "fish.move.over-holes", WHOLE_GAME)
def moves_over_hole(state: State) -> Iterable[Move]:
    """Moves over a hole to a tile behind it."""
    return jumps(state, holes(state))


@moving("fish.move.clear-path", "fish.move.over-penguins")
def moves_over_opponent(state: State) -> Iterable[Move]:
    """Moves over an opponent's penguin."""
    return jumps(state, others_cells(state))


@moving("fish.move.clear-path", "fish.move.over-penguins", WHOLE_GAME)
def moves_over_own_penguin(state: State) -> Iterable[Move]:
    """Moves over one of its own penguins."""
    return jumps(state, state.places[0])


@moving("fish.move.clear-path", *ANYWHERE, "fish.move.over-penguins")
def moves_onto_penguin(state: State) -> Iterable[Move]:
    """Moves onto a penguin."""
    return (move for ray in lines(state) for move in ray if any(move.target in own for own in state.places))


@moving("fish.move.clear-path", "fish.turn.last-penguin-only")
def moves_stuck_penguin(state: State) -> Iterable[Move]:
    """Always moves its first penguin, onto another where it is stuck."""
    first = state.places[0][0]
    return [] if rules.reach(state, first) else [Move(first, cell) for cell in neighbours(state.board, first)]


@moving("fish.move.straight-line", UNUSUAL_SETTINGS)
def moves_as_on_a_square(state: State) -> Iterable[Move]:
    """Steps to wrong neighbours where three or more players are on a board that is not square."""
    return steps_of_wrong_parity(state) if len(state.places) > 2 and not is_square(state) else ()


MUTATIONS = collect_mutations(globals())

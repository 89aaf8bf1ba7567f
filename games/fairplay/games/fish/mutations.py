"""Wrong answers in Fish: each breaks one rule, and is caught by the cases that it names.

The player under test is seat 0 of every state. Some mutations show themselves in special situations only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from random import Random
from typing import Any

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse, TakeTurnRequest, TakeTurnResponse
from fairplay.games.conformance import Failing
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import build_action, read_view
from fairplay.games.fish.rules import State
from fairplay.games.fish.rules.board import Move, Place, neighbours
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    Breaking,
    Wrong,
    build_mutations,
    changing,
    choose,
    where,
    whole_game,
    without,
)

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
HISTORIES = ("history.moves", "history.resumed")
FAR_CELL = 2**32 - 1
"""The greatest number that fits into a reply."""


def build_turn(move: Move | None) -> TakeTurnResponse:
    """Return the reply with a move; None: a skip."""
    return TakeTurnResponse(action=build_action(move))


def shown(request: SetupRequest | TakeTurnRequest, reply: Any) -> State:
    """Return the state that a request shows."""
    return read_view(request.state)


setup, turn = partial(Wrong, "Setup"), partial(Wrong, "TakeTurn")
place: Breaking[State, int] = Breaking(
    "fish",
    "Setup",
    shown,
    lambda state, cell: rules.violation(state, Place(cell)),
    lambda cell: SetupResponse(place=cell),
)
move = Breaking("fish", "TakeTurn", shown, rules.violation, build_turn)
skip = partial(move, "move.mandatory")


# What a state holds


def cells(state: State) -> range:
    """Return all cells of the board."""
    return range(state.board.geometry.size)


def own_cells(state: State) -> Collection[int]:
    """Return the cells with penguins of the player."""
    return state.places[0]


def others_cells(state: State) -> list[int]:
    """Return the cells with penguins of others."""
    return [cell for own in state.places[1:] for cell in own]


def holes(state: State) -> list[int]:
    """Return the cells without a tile."""
    return [cell for cell in cells(state) if rules.holes(state) >> cell & 1]


def has_single_move(state: State) -> bool:
    """Return whether there is one legal move."""
    return len(rules.moves(state, 0)) == 1


def is_last_turn(state: State) -> bool:
    """Return whether any move ends the game."""
    return all(rules.apply(state, move).over for move in rules.moves(state, 0))


def is_square(state: State) -> bool:
    """Return whether the board has as many rows as columns."""
    return state.board.rows == state.board.columns


def has_many_placed(state: State) -> bool:
    """Return whether three or four players have placed as many penguins as they usually have."""
    count = len(state.places)
    return count > 2 and len(state.places[0]) >= rules.Settings().penguin_base - count


# Replies


def nothing_for_zero(request: SetupRequest, reply: SetupResponse, rng: Random) -> SetupResponse | None:
    """Return an empty reply where cell 0 is free."""
    return None if read_view(request.state).taken & 1 else SetupResponse()


def move_without_zero(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
    """Return a legal move without its source or target that is 0."""
    found = choose([move for move in rules.moves(read_view(request.state), 0) if 0 in move], rng)
    if found is None:
        return None
    action = fish_pb2.Action(target=found.target) if found.source == 0 else fish_pb2.Action(source=found.source)
    return TakeTurnResponse(action=action)


# Moves


def skips(state: State) -> list[None]:
    """Return a skip."""
    return [None]


def anywhere(state: State) -> Iterator[Move]:
    """Find the moves to all cells, in reach or not."""
    return (Move(source, target) for source in state.places[0] for target in cells(state))


def from_cells(state: State, sources: Iterable[int]) -> Iterator[Move]:
    """Find the moves from other cells to the first penguin."""
    return (Move(source, state.places[0][0]) for source in sources)


def stays(state: State) -> list[Move]:
    """Find the moves of penguins to where they stand."""
    return [Move(cell, cell) for cell in state.places[0]]


def lines(state: State) -> Iterator[tuple[Move, ...]]:
    """Find the moves over an empty board from each of the player's cells in each direction, nearest first."""
    return (ray for cell in state.places[0] for ray in state.board.geometry.rays[cell])


def jumps(state: State, over: Collection[int]) -> Iterator[Move]:
    """Find the moves to free tiles, at the first taken cell of whose way is one of these."""
    for ray in lines(state):
        blocks = [steps for steps, move in enumerate(ray) if state.taken >> move.target & 1]
        if blocks and ray[blocks[0]].target in over:
            yield from (move for move in ray[blocks[0] :] if not state.taken >> move.target & 1)


def onto_penguins(state: State) -> Iterator[Move]:
    """Find the moves in a line to cells with penguins."""
    return (move for ray in lines(state) for move in ray if any(move.target in own for own in state.places))


def numbered_by_column(state: State) -> Iterator[Move]:
    """Find the legal moves with cells that are numbered column by column."""
    rows, columns = state.board.rows, state.board.columns
    for source, target in rules.moves(state, 0):
        yield Move(source % columns * rows + source // columns, target % columns * rows + target // columns)


def steps_of_wrong_parity(state: State) -> Iterator[Move]:
    """Find the steps from odd rows to where they would lead from an even one, and the other way round."""
    columns = state.board.columns
    for cell in state.places[0]:
        side = -1 if cell // columns % 2 else 1
        if 0 <= cell % columns + side < columns:
            yield from (Move(cell, cell + side - columns), Move(cell, cell + side + columns))


def steps_over_the_edge(state: State) -> Iterator[Move]:
    """Find the steps over an edge of the board, to the other side."""
    columns = state.board.columns
    for cell in state.places[0]:
        if cell // columns % 2 == 0 and cell % columns == 0:
            yield from (Move(cell, cell - 1), Move(cell, cell + 2 * columns - 1), Move(cell, cell + columns - 1))
        if cell // columns % 2 == 1 and cell % columns == columns - 1:
            yield from (Move(cell, cell + 1), Move(cell, cell + columns + 1), Move(cell, cell - columns + 1))


def two_in_one(state: State) -> Iterator[Move]:
    """Find the moves that are two legal ones of the same penguin."""
    for first in rules.moves(state, 0):
        moved = state._replace(places=((first.target,), *state.places[1:]), taken=state.taken | 1 << first.target)
        yield from (Move(first.source, then.target) for then in rules.moves(moved, 0))


def stuck_first_penguin(state: State) -> list[Move]:
    """Find the steps of the first penguin where it is stuck."""
    first = state.places[0][0]
    return [] if rules.reach(state, first) else [Move(first, cell) for cell in neighbours(state.board, first)]


WRONG_ANSWERS = {
    # Setup
    "places-nothing: Leaves out the place of its penguin.": setup(
        "place.required", without("place"), [*ANYWHERE, "place.last-free-tile", "seats.announced-one-by-one"]
    ),
    "places-on-nothing-for-zero: Leaves out the place of its penguin where it is 0.": setup(
        "place.required", nothing_for_zero, ["place.zero"]
    ),
    "places-on-opponent: Places a penguin where an opponent's stands.": place(
        "place.free", others_cells, [*ANYWHERE, "place.last-free-tile"]
    ),
    "places-on-own-penguin: Places a penguin where one of its own stands.": place(
        "place.free", own_cells, [*ANYWHERE, "place.most-penguins"]
    ),
    "places-on-first-tile: Always takes the first tile, whether a penguin stands there or not.": place(
        "place.free",
        lambda state: [next(cell for cell in cells(state) if state.board.fish[cell])],
        ["place.between-holes", "place.resumed"],
    ),
    "places-last-penguin-on-another: Places its last penguin, and only that one, on another.": place(
        "place.free",
        where(lambda state: len(state.places[0]) == state.penguins - 1, cells),
        ["place.most-penguins", "place.last-free-tile", WHOLE_GAME],
    ),
    "places-on-penguin-as-black: Places a penguin on another, but only as the fourth player.": place(
        "place.free",
        cells,
        ["seats.last-of-four", "place.last-free-tile", whole_game(3, 4)],
        only=lambda request: request.state.players[0].color == fish_pb2.COLOR_BLACK,
    ),
    "places-on-hole: Places a penguin on a hole.": place(
        "place.tile", holes, ["place.between-holes", "place.short-rows", "board.many-holes"]
    ),
    "places-behind-short-row: Places a penguin on a hole at the end of a row.": place(
        "place.tile", lambda state: cells(state)[state.board.columns - 1 :: state.board.columns], ["place.short-rows"]
    ),
    "places-one-too-far: Places a penguin on the cell after the last one.": place(
        "place.on-board", lambda state: [len(cells(state))], [*ANYWHERE, "board.largest", "place.one-row"]
    ),
    "places-far-away: Names the greatest number there is as the place of its penguin.": setup(
        "place.on-board", changing("place", FAR_CELL), [*ANYWHERE, "place.one-row"]
    ),
    "places-by-column: Numbers the cells column by column, with as many rows as there are columns on a wide board.": (
        place(
            "place.on-board",
            lambda state: [cell % state.board.columns * state.board.columns for cell in cells(state)],
            ["board.wide"],
        )
    ),
    "places-more-penguins-on-another: Believes that three or four players never place more penguins than usual, "
    "and puts the rest on its own.": place("place.free", where(has_many_placed, own_cells), [UNUSUAL_SETTINGS]),
    # TakeTurn: form
    "answers-nothing: Answers take-turn with an empty message.": turn(
        "action.required", without("action"), [*ANYWHERE, "turn.single-legal-move", *HISTORIES]
    ),
    "moves-without-source: Leaves out which penguin moves.": turn(
        "action.required", without("action.source"), [*ANYWHERE, "board.one-column"]
    ),
    "moves-without-target: Leaves out where the penguin goes.": turn(
        "action.required", without("action.target"), [*ANYWHERE, "board.one-column"]
    ),
    "leaves-out-zero: Leaves out source or target where it is 0.": turn(
        "action.required", move_without_zero, ["turn.zero", "move.edges-and-corners"]
    ),
    "moves-one-too-far-off: Moves to the cell after the last one.": move(
        "move.on-board",
        lambda state: [Move(state.places[0][0], len(cells(state)))],
        [*ANYWHERE, "board.largest", "move.edges-and-corners"],
    ),
    "moves-from-far-away: Names the greatest number there is as the place of a penguin.": turn(
        "move.on-board", changing("action.source", FAR_CELL), [*ANYWHERE]
    ),
    # TakeTurn: which penguin
    "skips: Skips its turn.": skip(skips, [*ANYWHERE, "turn.others-stuck", "resume.two-left"]),
    "says-skip-beside-a-move: Makes a move and says that it is a skip.": turn(
        "move.mandatory", changing("action.skip", True), [*ANYWHERE, "turn.single-legal-move"]
    ),
    "skips-single-move: Skips its turn where there is a single legal move.": skip(
        where(has_single_move, skips), ["turn.single-legal-move", "turn.freed", "turn.zero"]
    ),
    "skips-last-turn: Skips the last turn of the game.": skip(where(is_last_turn, skips), ["turn.last-of-the-game"]),
    "skips-after-a-skip: Skips its turn where it was told that somebody else was passed over.": skip(
        skips, ["history.skips"], only=lambda request: any(action.skip for action in request.actions)
    ),
    "moves-opponents-penguin: Makes a move with a penguin of the next player.": move(
        "move.own-penguin",
        lambda state: rules.moves(state, 1) if len(state.places) > 1 else [],
        [*ANYWHERE, "resume.late-and-rich"],
    ),
    "moves-penguin-of-red-or-white: Believes that two players are always red and white.": move(
        "move.own-penguin",
        lambda state: rules.moves(state, 1),
        ["resume.two-left"],
        only=lambda request: [each.color > fish_pb2.COLOR_WHITE for each in request.state.players] == [True, True],
    ),
    "moves-from-empty-tile: Makes a move from a tile without a penguin.": move(
        "move.own-penguin",
        lambda state: from_cells(state, (cell for cell in cells(state) if not state.taken >> cell & 1)),
        [*ANYWHERE, "move.even-rows"],
    ),
    "moves-from-hole: Moves a penguin that has left already, from the hole where it stood.": move(
        "move.own-penguin", lambda state: from_cells(state, holes(state)), [*ANYWHERE, "move.over-holes"]
    ),
    "numbers-cells-by-column: Numbers the cells column by column.": move(
        "move.own-penguin", where(lambda state: not is_square(state), numbered_by_column), ["board.tall", "board.wide"]
    ),
    # TakeTurn: where to
    "stays: Moves a penguin to where it stands.": move("move.not-stay", stays, [*ANYWHERE, "turn.others-stuck"]),
    "stays-with-single-move: Stays where there is a single legal move.": move(
        "move.not-stay", where(has_single_move, stays), ["turn.single-legal-move"]
    ),
    "moves-in-the-row: Moves to the next cell of the same row, as if tiles were squares.": move(
        "move.straight-line",
        lambda state: (Move(cell, cell + step) for cell in state.places[0] for step in (-1, 1)),
        [*ANYWHERE, "move.even-rows", "move.odd-rows"],
    ),
    "mixes-up-odd-and-even-rows: Steps from odd rows as if they were even, and the other way round.": move(
        "move.straight-line", steps_of_wrong_parity, [*ANYWHERE, "move.even-rows", "move.odd-rows"]
    ),
    "mixes-up-odd-rows: Steps from odd rows as if they were even.": move(
        "move.straight-line",
        lambda state: (each for each in steps_of_wrong_parity(state) if each.source // state.board.columns % 2),
        ["move.odd-rows", WHOLE_GAME],
    ),
    "wraps-around: Steps over an edge of the board, to the other side.": move(
        "move.straight-line", steps_over_the_edge, ["move.edges-and-corners"]
    ),
    "turns-on-the-way: Makes two moves in one.": move(
        "move.straight-line", two_in_one, [*ANYWHERE, "move.over-penguins"]
    ),
    "moves-onto-hole: Moves to a hole.": move(
        "move.tile", anywhere, [*ANYWHERE, "move.over-holes", "turn.last-penguin-only"]
    ),
    "moves-onto-hole-in-last-turn: Moves to a hole in the last turn of the game.": move(
        "move.tile", where(is_last_turn, anywhere), ["turn.last-of-the-game", "turn.zero"]
    ),
    "moves-over-hole: Moves over a hole to a tile behind it.": move(
        "move.clear-path", lambda state: jumps(state, holes(state)), ["move.over-holes", WHOLE_GAME]
    ),
    "moves-over-opponent: Moves over an opponent's penguin.": move(
        "move.clear-path", lambda state: jumps(state, others_cells(state)), ["move.over-penguins"]
    ),
    "moves-over-own-penguin: Moves over one of its own penguins.": move(
        "move.clear-path", lambda state: jumps(state, state.places[0]), ["move.over-penguins", WHOLE_GAME]
    ),
    "moves-onto-penguin: Moves onto a penguin.": move(
        "move.clear-path", onto_penguins, [*ANYWHERE, "move.over-penguins"]
    ),
    "moves-stuck-penguin: Always moves its first penguin, onto another where it is stuck.": move(
        "move.clear-path", stuck_first_penguin, ["turn.last-penguin-only"]
    ),
    "moves-as-on-a-square: Steps to wrong neighbours where three or more players are on a board that is not "
    "square.": move(
        "move.straight-line",
        where(lambda state: len(state.places) > 2 and not is_square(state), steps_of_wrong_parity),
        [UNUSUAL_SETTINGS],
    ),
}

MUTATIONS = build_mutations("fish", WRONG_ANSWERS)

FAILING = (
    Failing(
        "has-room-for-eight-penguins",
        "Raises an exception where each player has nine penguins, as only who is left at the beginning may have.",
        ("rules.only-rival-leaves",),
        lambda request: isinstance(request, SetupRequest | TakeTurnRequest) and request.state.penguin_count > 8,
    ),
    Failing(
        "expects-one-skip",
        "Raises an exception where it is told of more than one player that was passed over.",
        ("fish.history.several-skips",),
        lambda request: isinstance(request, TakeTurnRequest) and sum(each.skip for each in request.actions) > 1,
    ),
)

"""Wrong answers to the referee of Fish: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import TypeAlias

from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse, TakeTurnRequest, TakeTurnResponse
from fairplay.games.conformance import Mutation
from fairplay.games.fish import rules
from fairplay.games.fish.conformance import wrong_moves as slips
from fairplay.games.fish.protocol import codec
from fairplay.games.fish.rules import Move, Place, State
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, choose, only_if, put, whole_game, without

Cells: TypeAlias = Callable[[State], Iterable[int]]
Moves: TypeAlias = Callable[[State], Iterable[Move]]
Cases: TypeAlias = tuple[str, ...]

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
FAR_CELL = 2**32 - 1


def _place(
    name: str,
    sentence: str,
    rule: str,
    cases: Cases,
    wrong: Cells,
    only: Callable[[SetupRequest], bool] | None = None,
) -> Mutation:
    """Places the next penguin on one of these cells, of which those count that break the rule."""

    def spoil(request: SetupRequest, reply: SetupResponse, luck: Random) -> SetupResponse | None:
        state = codec.view(request.state)
        cell = choose((cell for cell in wrong(state) if rules.violation(state, Place(cell)) == rule), luck)
        return None if cell is None else SetupResponse(place=cell)

    return Mutation(name, sentence, "Setup", rule, cases, only_if(only, spoil))


def _move(
    name: str,
    sentence: str,
    rule: str,
    cases: Cases,
    wrong: Moves,
    only: Callable[[TakeTurnRequest], bool] | None = None,
) -> Mutation:
    """Makes one of these moves, of which those count that break the rule."""

    def spoil(request: TakeTurnRequest, reply: TakeTurnResponse, luck: Random) -> TakeTurnResponse | None:
        state = codec.view(request.state)
        move = choose((move for move in wrong(state) if rules.violation(state, move) == rule), luck)
        return None if move is None else TakeTurnResponse(action=codec.action_message(move))

    return Mutation(name, sentence, "TakeTurn", rule, cases, only_if(only, spoil))


def _skip(name: str, sentence: str, cases: Cases, only: Callable[[TakeTurnRequest], bool] | None = None) -> Mutation:
    """Skips its turn."""
    reply = TakeTurnResponse(action=codec.action_message(None))
    return Mutation(name, sentence, "TakeTurn", "fish.move.mandatory", cases, only_if(only, lambda *_: reply))


FAULTS: tuple[Mutation, ...] = (
    # Setup
    Mutation(
        "places-nothing",
        "Leaves out the place of its penguin.",
        "Setup",
        "fish.place.required",
        (*ANYWHERE, "fish.place.last-free-tile", "fish.seats.announced-one-by-one"),
        without("place"),
    ),
    Mutation(
        "places-on-nothing-for-zero",
        "Leaves out the place of its penguin where it is 0.",
        "Setup",
        "fish.place.required",
        ("fish.place.zero",),
        only_if(lambda request: not codec.view(request.state).taken & 1, lambda *_: SetupResponse()),
    ),
    _place(
        "places-on-opponent",
        "Places a penguin where an opponent's stands.",
        "fish.place.free",
        (*ANYWHERE, "fish.place.last-free-tile"),
        slips.others_cells,
    ),
    _place(
        "places-on-own-penguin",
        "Places a penguin where one of its own stands.",
        "fish.place.free",
        (*ANYWHERE, "fish.place.most-penguins"),
        lambda state: state.places[0],
    ),
    _place(
        "places-on-first-tile",
        "Always takes the first tile, whether a penguin stands there or not.",
        "fish.place.free",
        ("fish.place.between-holes", "fish.place.resumed"),
        lambda state: [next(cell for cell in slips.cells(state) if state.board.fish[cell])],
    ),
    _place(
        "places-last-penguin-on-another",
        "Places its last penguin, and only that one, on another.",
        "fish.place.free",
        ("fish.place.most-penguins", "fish.place.last-free-tile", WHOLE_GAME),
        slips.cells,
        only=slips.last_penguin,
    ),
    _place(
        "places-on-penguin-as-black",
        "Places a penguin on another, but only as the fourth player.",
        "fish.place.free",
        ("fish.seats.last-of-four", "fish.place.last-free-tile", whole_game(3, 4)),
        slips.cells,
        only=slips.black,
    ),
    _place(
        "places-on-hole",
        "Places a penguin on a hole.",
        "fish.place.tile",
        ("fish.place.between-holes", "fish.place.short-rows", "fish.board.many-holes"),
        slips.holes,
    ),
    _place(
        "places-behind-short-row",
        "Places a penguin on a hole at the end of a row.",
        "fish.place.tile",
        ("fish.place.short-rows",),
        lambda state: slips.cells(state)[state.board.columns - 1 :: state.board.columns],
    ),
    _place(
        "places-one-too-far",
        "Places a penguin on the cell after the last one.",
        "fish.place.on-board",
        (*ANYWHERE, "fish.board.largest", "fish.place.one-row"),
        lambda state: [state.board.geometry.size],
    ),
    Mutation(
        "places-far-away",
        "Names the greatest number there is as the place of its penguin.",
        "Setup",
        "fish.place.on-board",
        (*ANYWHERE, "fish.place.one-row"),
        put("place", FAR_CELL),
    ),
    _place(
        "places-by-column",
        "Numbers the cells column by column, with as many rows as there are columns on a wide board.",
        "fish.place.on-board",
        ("fish.board.wide",),
        lambda state: [cell % state.board.columns * state.board.columns for cell in slips.cells(state)],
    ),
    # TakeTurn: form
    Mutation(
        "answers-nothing",
        "Answers take-turn with an empty message.",
        "TakeTurn",
        "fish.action.required",
        (*ANYWHERE, "fish.turn.single-legal-move", "fish.history.moves", "fish.history.resumed"),
        without("action"),
    ),
    Mutation(
        "moves-without-source",
        "Leaves out which penguin moves.",
        "TakeTurn",
        "fish.action.required",
        (*ANYWHERE, "fish.board.one-column"),
        without("action.source"),
    ),
    Mutation(
        "moves-without-target",
        "Leaves out where the penguin goes.",
        "TakeTurn",
        "fish.action.required",
        (*ANYWHERE, "fish.board.one-column"),
        without("action.target"),
    ),
    Mutation(
        "leaves-out-zero",
        "Leaves out source or target where it is 0.",
        "TakeTurn",
        "fish.action.required",
        ("fish.turn.zero", "fish.move.edges-and-corners"),
        slips.without_zero,
    ),
    _move(
        "moves-one-too-far-off",
        "Moves to the cell after the last one.",
        "fish.move.on-board",
        (*ANYWHERE, "fish.board.largest", "fish.move.edges-and-corners"),
        lambda state: [Move(state.places[0][0], state.board.geometry.size)],
    ),
    Mutation(
        "moves-from-far-away",
        "Names the greatest number there is as the place of a penguin.",
        "TakeTurn",
        "fish.move.on-board",
        ANYWHERE,
        put("action.source", FAR_CELL),
    ),
    # TakeTurn: which penguin
    _skip("skips", "Skips its turn.", (*ANYWHERE, "fish.turn.others-stuck", "fish.resume.two-left")),
    _skip(
        "skips-single-move",
        "Skips its turn where there is a single legal move.",
        ("fish.turn.single-legal-move", "fish.turn.zero"),
        slips.single_move,
    ),
    _skip("skips-last-turn", "Skips the last turn of the game.", ("fish.turn.last-of-the-game",), slips.last_turn),
    _skip(
        "skips-after-a-skip",
        "Skips its turn where it was told that somebody else was passed over.",
        ("fish.history.skips",),
        slips.told_of_a_skip,
    ),
    _move(
        "moves-opponents-penguin",
        "Makes a move with a penguin of the next player.",
        "fish.move.own-penguin",
        (*ANYWHERE, "fish.resume.late-and-rich"),
        lambda state: rules.moves(state, 1) if len(state.places) > 1 else [],
    ),
    _move(
        "moves-penguin-of-red-or-white",
        "Believes that two players are always red and white.",
        "fish.move.own-penguin",
        ("fish.resume.two-left",),
        lambda state: rules.moves(state, 1),
        only=slips.neither_red_nor_white,
    ),
    _move(
        "moves-from-empty-tile",
        "Makes a move from a tile without a penguin.",
        "fish.move.own-penguin",
        (*ANYWHERE, "fish.move.even-rows"),
        lambda state: [Move(cell, state.places[0][0]) for cell in slips.cells(state) if not state.taken >> cell & 1],
    ),
    _move(
        "moves-from-hole",
        "Moves a penguin that has left already, from the hole where it stood.",
        "fish.move.own-penguin",
        (*ANYWHERE, "fish.move.over-holes"),
        lambda state: [Move(hole, state.places[0][0]) for hole in slips.holes(state)],
    ),
    _move(
        "numbers-cells-by-column",
        "Numbers the cells column by column.",
        "fish.move.own-penguin",
        ("fish.board.tall", "fish.board.wide"),
        slips.transposed,
        only=lambda request: len(request.state.fish) != request.state.columns**2,
    ),
    # TakeTurn: where to
    _move(
        "stays",
        "Moves a penguin to where it stands.",
        "fish.move.not-stay",
        (*ANYWHERE, "fish.turn.others-stuck"),
        lambda state: [Move(cell, cell) for cell in state.places[0]],
    ),
    _move(
        "stays-with-single-move",
        "Stays where there is a single legal move.",
        "fish.move.not-stay",
        ("fish.turn.single-legal-move",),
        lambda state: [Move(cell, cell) for cell in state.places[0]],
        only=slips.single_move,
    ),
    _move(
        "moves-in-the-row",
        "Moves to the next cell of the same row, as if tiles were squares.",
        "fish.move.straight-line",
        (*ANYWHERE, "fish.move.even-rows", "fish.move.odd-rows"),
        slips.beside,
    ),
    _move(
        "mixes-up-odd-and-even-rows",
        "Steps from odd rows as if they were even, and the other way round.",
        "fish.move.straight-line",
        (*ANYWHERE, "fish.move.even-rows", "fish.move.odd-rows"),
        slips.with_wrong_parity,
    ),
    _move(
        "mixes-up-odd-rows",
        "Steps from odd rows as if they were even.",
        "fish.move.straight-line",
        ("fish.move.odd-rows", WHOLE_GAME),
        lambda state: [move for move in slips.with_wrong_parity(state) if move.source // state.board.columns % 2],
    ),
    _move(
        "wraps-around",
        "Steps over an edge of the board, to the other side.",
        "fish.move.straight-line",
        ("fish.move.edges-and-corners",),
        slips.wrapped,
    ),
    _move(
        "turns-on-the-way",
        "Makes two moves in one.",
        "fish.move.straight-line",
        (*ANYWHERE, "fish.move.over-penguins"),
        slips.bent,
    ),
    _move(
        "moves-onto-hole",
        "Moves to a hole.",
        "fish.move.tile",
        (*ANYWHERE, "fish.move.over-holes", "fish.turn.last-penguin-only"),
        slips.everywhere,
    ),
    _move(
        "moves-onto-hole-in-last-turn",
        "Moves to a hole in the last turn of the game.",
        "fish.move.tile",
        ("fish.turn.last-of-the-game", "fish.turn.zero"),
        slips.everywhere,
        only=slips.last_turn,
    ),
    _move(
        "moves-over-hole",
        "Moves over a hole to a tile behind it.",
        "fish.move.clear-path",
        ("fish.move.over-holes", WHOLE_GAME),
        lambda state: slips.jumps(state, slips.holes(state)),
    ),
    _move(
        "moves-over-opponent",
        "Moves over an opponent's penguin.",
        "fish.move.clear-path",
        ("fish.move.over-penguins",),
        lambda state: slips.jumps(state, slips.others_cells(state)),
    ),
    _move(
        "moves-over-own-penguin",
        "Moves over one of its own penguins.",
        "fish.move.clear-path",
        ("fish.move.over-penguins", WHOLE_GAME),
        lambda state: slips.jumps(state, state.places[0]),
    ),
    _move(
        "moves-onto-penguin",
        "Moves onto a penguin.",
        "fish.move.clear-path",
        (*ANYWHERE, "fish.move.over-penguins"),
        lambda state: [
            move for ray in slips.lines(state) for move in ray if any(move.target in own for own in state.places)
        ],
    ),
    _move(
        "moves-stuck-penguin",
        "Always moves its first penguin, onto another where it is stuck.",
        "fish.move.clear-path",
        ("fish.turn.last-penguin-only",),
        lambda state: (
            []
            if rules.reach(state, state.places[0][0])
            else [Move(state.places[0][0], cell) for cell in rules.neighbours(state.board, state.places[0][0])]
        ),
    ),
)

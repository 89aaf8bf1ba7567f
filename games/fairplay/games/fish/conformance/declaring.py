"""How wrong answers in Fish are declared: decorators for wrong cells and moves, and the cells that they choose from.

The player under test is seat 0 of every state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse, TakeTurnRequest, TakeTurnResponse
from fairplay.games.conformance import Mutation
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import codec
from fairplay.games.fish.rules import Move, Place, State
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, build_mutation, choose

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
FAR_CELL = 2**32 - 1
"""The greatest number that fits into a reply."""


def placing(
    rule: str, *cases: str, only: Callable[[Any], bool] | None = None
) -> Callable[[Callable[[State], Iterable[int]]], Mutation]:
    """Declare a mutation that places a penguin on one of the returned cells, of those that break the rule."""

    def declare(cells: Callable[[State], Iterable[int]]) -> Mutation:
        def mutate(request: SetupRequest, reply: SetupResponse, rng: Random) -> SetupResponse | None:
            state = codec.view(request.state)
            cell = choose((cell for cell in cells(state) if rules.violation(state, Place(cell)) == rule), rng)
            return None if cell is None else SetupResponse(place=cell)

        return build_mutation(cells, "Setup", rule, cases, mutate, only)

    return declare


def moving(
    rule: str, *cases: str, only: Callable[[Any], bool] | None = None
) -> Callable[[Callable[[State], Iterable[Move]]], Mutation]:
    """Declare a mutation that makes one of the returned moves, of those that break the rule."""

    def declare(moves: Callable[[State], Iterable[Move]]) -> Mutation:
        def mutate(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
            state = codec.view(request.state)
            move = choose((move for move in moves(state) if rules.violation(state, move) == rule), rng)
            return None if move is None else TakeTurnResponse(action=codec.action_message(move))

        return build_mutation(moves, "TakeTurn", rule, cases, mutate, only)

    return declare


def skipping(*cases: str, only: Callable[[Any], bool] | None = None) -> Callable[[Callable[[], None]], Mutation]:
    """Declare a mutation that skips its turn."""
    skip = TakeTurnResponse(action=codec.action_message(None))
    return lambda declared: build_mutation(declared, "TakeTurn", "fish.move.mandatory", cases, lambda *_: skip, only)


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

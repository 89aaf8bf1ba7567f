"""How wrong answers in the Q game are declared: decorators for wrong forms, answers and extensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any, TypeAlias

from fairplay.games.conformance import Mutation
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, build_mutation, choose
from fairplay.games.q import rules
from fairplay.games.q.conformance.extensions import Placed, breach, singles
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules import Coordinate, Extension, Placement, View
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest, TakeTurnResponse

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
Condition: TypeAlias = Callable[[Any], bool]


def reply_of(action: rules.Action) -> TakeTurnResponse:
    """Return the reply with an action."""
    return TakeTurnResponse(action=codec.action_message(action))


def answering(
    rule: str, *cases: str, only: Condition | None = None
) -> Callable[[Callable[[], TakeTurnResponse]], Mutation]:
    """Declare a mutation that always answers what the function returns."""

    def declare(answer: Callable[[], TakeTurnResponse]) -> Mutation:
        return build_mutation(answer, "TakeTurn", rule, cases, lambda *_: answer(), only)

    return declare


def misspelling(
    rule: str, *cases: str, in_row_zero: bool = False
) -> Callable[[Callable[[TakeTurnResponse], TakeTurnResponse | None]], Mutation]:
    """Declare a mutation of the form of a sound placement, which it makes wherever something fits."""

    def declare(misspell: Callable[[TakeTurnResponse], TakeTurnResponse | None]) -> Mutation:
        def mutate(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
            sound = singles(codec.view(request.state))
            single = choose((placed for placed in sound if not (in_row_zero and placed.row)), rng)
            return None if single is None else misspell(reply_of(Extension((single,))))

        return build_mutation(misspell, "TakeTurn", rule, cases, mutate)

    return declare


def extending(
    rule: str, *cases: str, only: Condition | None = None
) -> Callable[[Callable[[View], Iterable[Placed]]], Mutation]:
    """Declare a mutation that makes one of the returned extensions, of those that break the rule."""

    def declare(extensions: Callable[[View], Iterable[Placed]]) -> Mutation:
        def mutate(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
            view = codec.view(request.state)
            placed = choose((placed for placed in extensions(view) if breach(view, placed) == rule), rng)
            return None if placed is None else reply_of(Extension(placed))

        return build_mutation(extensions, "TakeTurn", rule, cases, mutate, only)

    return declare


def misfitting(
    *cases: str, only: Condition | None = None
) -> Callable[[Callable[[View, Coordinate, int], bool]], Mutation]:
    """Declare a mutation that places a tile beside the map where it does not fit, but does as the function says."""

    def declare(matches: Callable[[View, Coordinate, int], bool]) -> Mutation:
        def extensions(view: View) -> Iterable[Placed]:
            tiles = sorted(set(view.hand))
            spots = ((spot, tile) for spot in view.board.spots for tile in tiles)
            return ((Placement(*spot, tile),) for spot, tile in spots if matches(view, spot, tile))

        extensions.__name__, extensions.__doc__ = matches.__name__, matches.__doc__
        return extending("q.extension.fit", *cases, only=only)(extensions)

    return declare

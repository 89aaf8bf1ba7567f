"""How wrong answers in Eriantys are declared, and what several mutations make them of.

A wrong answer is one of many actions that a function yields from what the player sees, where it is the active seat. Of
these only those count that break the rule in question: others are legal, or wrong for another reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from random import Random
from typing import Any, TypeAlias

from fairplay.eriantys.v1.eriantys_player_pb2 import AskTowerColorRequest
from fairplay.games.conformance import Mutation
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.rules import (
    Action,
    MoveMotherNature,
    PlayAssistant,
    PlayCharacter,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
)
from fairplay.games.kit.conformance import build_mutation, choose

WrongActions: TypeAlias = Callable[[State], Iterable[Action]]

TOWER, CARD, ACTION = "AskTowerColor", "AskAssistantCard", "AskAction"
ALL_COLORS = range(len(rules.COLORS))
UNKNOWN_COLOR = len(rules.COLORS)
TILE_COUNT = 12


def seen(request: Any) -> State:
    """Return what a request shows its player, with the player as the one to decide."""
    if isinstance(request, AskTowerColorRequest):
        return codec.read_view(request.state, request.settings, request.seat, ())
    return codec.read_view(request.state, request.settings, request.seat, request.hand)


def wrong_answer(
    method: str, rule: str, *cases: str, only: Callable[[Any], bool] | None = None
) -> Callable[[WrongActions], Mutation]:
    """Declare a mutation of the replies to a method: the decorated function yields actions from a view."""

    def declare(wrong: WrongActions) -> Mutation:
        def mutate(request: Any, reply: Any, rng: Random) -> Any:
            view = seen(request)
            action = choose((action for action in wrong(view) if rules.violation(view, action) == rule), rng)
            return None if action is None else answers.reply_message(action)

        return build_mutation(wrong, method, rule, cases, mutate, only)

    return declare


# Actions


def used_assistants(view: State) -> Iterator[Action]:
    """Yield the assistants that are not in the hand any more."""
    return (PlayAssistant(value) for value in range(1, 11) if value not in view.hands[view.active])


def students_anywhere(view: State) -> Iterator[Action]:
    """Yield every student to its table, and to the first island."""
    yield from map(ToDiningRoom, ALL_COLORS)
    yield from (ToIsland(color, 0) for color in ALL_COLORS)


def one_step(view: State) -> Iterator[Action]:
    """Yield the shortest move of Mother Nature."""
    yield MoveMotherNature(1)


def steps_beyond(view: State, count: int) -> Iterator[Action]:
    """Yield a move of Mother Nature by `count` steps more than she may go."""
    yield MoveMotherNature(rules.most_steps(view) + count)


def clouds(view: State) -> Iterator[Action]:
    """Yield each cloud."""
    return (TakeCloud(cloud) for cloud, _ in enumerate(view.clouds))


# Characters


def characters(view: State) -> Iterator[PlayCharacter]:
    """Yield the characters in play, each with all that it needs, mostly in several ways."""
    for card in view.cards:
        yield from ways_to_play(view, card.character)


def ways_to_play(view: State, number: int) -> Iterator[PlayCharacter]:
    """Yield a character with all that it needs, in play or not."""
    piece = rules.PIECES[number]
    if piece.most_swaps:
        yield from (PlayCharacter(number, swaps=(pair,)) for pair in product(ALL_COLORS, ALL_COLORS))
        return
    colors = (None,) if piece.colors is None else ALL_COLORS
    islands = (None,) if piece.islands is None else rules.addresses(view)
    yield from (PlayCharacter(number, color, island) for color, island in product(colors, islands))


def bare_characters(view: State) -> Iterator[Action]:
    """Yield every character, in play or not, without what it needs."""
    return (PlayCharacter(number) for number in rules.PIECES)


def possible_exchanges(view: State) -> Iterator[PlayCharacter]:
    """Yield the legal exchanges of one student."""
    return (play for play in characters(view) if play.swaps and rules.violation(view, play) is None)

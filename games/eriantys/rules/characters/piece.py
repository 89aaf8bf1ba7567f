"""Eriantys: what each character supplies (eriantys.md section 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from games.eriantys.rules.bag import draw
from games.eriantys.rules.rounds import last_round
from games.eriantys.rules.state import COLOR_COUNT, Card, PlayCharacter, Reason, State, added, plus


class Piece(NamedTuple):
    """One character: what it costs and starts with, and what it needs to know, lists, refuses and does."""

    name: str
    cost: int
    options: Callable[[State, Card], Sequence[PlayCharacter]]
    """All ways to play it now, paying and timing left aside."""
    effect: Callable[[State, Card, PlayCharacter], State]
    """What it does, once paid for."""
    violation: Callable[[State, Card, PlayCharacter], str | None] = lambda _state, _card, _play: None
    """The rule that its parameters break; they are of the right shape and range."""
    needs_color: bool = False
    needs_island: bool = False
    most_swaps: int = 0
    students: int = 0
    no_entry: int = 0
    helps_move_only: bool = False
    """It only helps Mother Nature's move: of no use after it."""


@cache
def play(character: int, color: int | None = None, island: int | None = None) -> PlayCharacter:
    """The action without swaps, made once."""
    return PlayCharacter(character, color, island)


def only_way(state: State, card: Card) -> Sequence[PlayCharacter]:
    """The options of a character that needs to know nothing."""
    del state
    return (play(card.character),)


def lasting(state: State, card: Card, action: PlayCharacter) -> State:
    """The effect of a character that is looked up where it counts, during this turn."""
    del card, action
    return state


def card_colors(card: Card) -> list[int]:
    """The colours of the students on a character."""
    return [color for color in range(COLOR_COUNT) if card.students[color]]


def color_of(action: PlayCharacter) -> int:
    """The colour of an action that is known to have one."""
    assert action.color is not None
    return action.color


def island_of(action: PlayCharacter) -> int:
    """The island of an action that is known to have one."""
    assert action.island is not None
    return action.island


def with_card(state: State, card: Card) -> State:
    """The state with a character replaced by its new form."""
    return state._replace(cards=tuple([card if other.character == card.character else other for other in state.cards]))


def replenished(state: State, card: Card, color: int) -> State:
    """A student leaves a character, and another is drawn onto it if the bag holds one (5.4)."""
    had = any(state.bag)
    luck, drawn, bag = draw(state.luck, state.bag, 1, state.settings.draw_model)
    state = with_card(state, card._replace(students=added(plus(card.students, color, -1), drawn)))
    state = state._replace(luck=luck, bag=bag)
    return last_round(state, Reason.BAG_EMPTY) if had and not any(bag) else state

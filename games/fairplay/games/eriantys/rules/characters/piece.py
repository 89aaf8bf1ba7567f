"""Eriantys: what each character supplies (eriantys.md section 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.bag import draw
from fairplay.games.eriantys.rules.rounds import last_round
from fairplay.games.eriantys.rules.state import COLOR_COUNT, Card, Counts, Reason, State, added, plus


class Exchange(NamedTuple):
    """Any students of the entrance (`given`) for as many others (`taken`), `fewest` to `most` of them."""

    fewest: int
    most: int
    given: Counts
    taken: Counts
    free: Counts | None = None
    """By how many of each colour the given ones may exceed the taken ones; None: by any number."""


class Choice(NamedTuple):
    """All ways to play a character: each of the colours with each of the islands it needs, or an exchange."""

    character: int
    colors: Sequence[int] = ()
    islands: Sequence[int] = ()
    exchange: Exchange | None = None


class Piece(NamedTuple):
    """One character: what it costs and starts with, and what it needs to know, lists, refuses and does."""

    name: str
    cost: int
    effect: Callable[[State, Card, PlayCharacter], State]
    """What it does, once paid for."""
    violation: Callable[[State, Card, PlayCharacter], str | None] = lambda _state, _card, _play: None
    """The rule that its parameters break; they are of the right shape and range."""
    colors: Callable[[State, Card], Sequence[int]] | None = None
    """The colours that will do now, if it needs one; paying and timing are left aside here and below."""
    islands: Callable[[State, Card], Sequence[int]] | None = None
    """The islands that will do now, if it needs one."""
    exchange: Callable[[State, Card], Exchange] | None = None
    """The bounds of the exchange, if it is one."""
    swaps: Callable[[State, Card], Sequence[PlayCharacter]] | None = None
    """All exchanges within the bounds."""
    most_swaps: int = 0
    students: int = 0
    no_entry: int = 0
    helps_move_only: bool = False
    """It only helps Mother Nature's move: of no use after it."""

    def options(self, state: State, card: Card) -> Sequence[PlayCharacter]:
        """Return all ways to play the character now."""
        if self.swaps is not None:
            return self.swaps(state, card)
        colors = (None,) if self.colors is None else self.colors(state, card)
        islands = (None,) if self.islands is None else self.islands(state, card)
        return [play(card.character, color, island) for color in colors for island in islands]

    def choice(self, state: State, card: Card) -> Choice | None:
        """Return all ways in short, free combinations not multiplied out; None: there is no way."""
        if self.exchange is not None:  # a full table forbids none: a student of its colour may be taken for another
            bounds = self.exchange(state, card)
            return Choice(card.character, exchange=bounds) if bounds.fewest <= bounds.most else None
        colors = () if self.colors is None else tuple(self.colors(state, card))
        islands = () if self.islands is None else tuple(self.islands(state, card))
        if (self.colors is not None and not colors) or (self.islands is not None and not islands):
            return None
        return Choice(card.character, colors, islands)


@cache
def play(character: int, color: int | None = None, island: int | None = None) -> PlayCharacter:
    """Return the action without swaps, made once."""
    return PlayCharacter(character, color, island)


def lasting(state: State, card: Card, action: PlayCharacter) -> State:
    """Return the state unchanged: the character is looked up where it counts, during this turn."""
    del card, action
    return state


def any_color(state: State, card: Card) -> Sequence[int]:
    """Return all colours, for a character that takes any."""
    del state, card
    return range(COLOR_COUNT)


def card_colors(state: State, card: Card) -> Sequence[int]:
    """Return the colours of the students on a character."""
    del state
    return [color for color in range(COLOR_COUNT) if card.students[color]]


def color_of(action: PlayCharacter) -> int:
    """Return the colour of an action that is known to have one."""
    assert action.color is not None
    return action.color


def island_of(action: PlayCharacter) -> int:
    """Return the island of an action that is known to have one."""
    assert action.island is not None
    return action.island


def with_card(state: State, card: Card) -> State:
    """Return the state with a character replaced by its new form."""
    return state._replace(cards=tuple([card if other.character == card.character else other for other in state.cards]))


def replenished(state: State, card: Card, color: int) -> State:
    """Return the state without a student of a character, and with another drawn onto it if the bag has one (5.4)."""
    had = any(state.bag)
    draw_state, drawn, bag = draw(state.draw_state, state.bag, 1, state.settings.draw_model)
    state = with_card(state, card._replace(students=added(plus(card.students, color, -1), drawn)))
    state = state._replace(draw_state=draw_state, bag=bag)
    return last_round(state, Reason.BAG_EMPTY) if had and not any(bag) else state


def exchange(state: State, entrance: Counts, others: Counts, most: int) -> Exchange:
    """Return the bounds of an exchange of at most `most` students, as far as settings and numbers of students go."""
    fewest = 0 if state.settings.allow_zero_swaps else 1
    return Exchange(fewest, min(most, sum(entrance), sum(others)), entrance, others)

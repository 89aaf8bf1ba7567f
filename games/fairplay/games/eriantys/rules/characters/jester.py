"""Character 7: exchanges up to three students of the card with as many of the entrance."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Exchange, Piece, exchange, with_card
from fairplay.games.eriantys.rules.options import columns, swaps
from fairplay.games.eriantys.rules.state import Card, State, added, counted, taken, with_counts

_MOST = 3


def _exchange(state: State, card: Card) -> Exchange:
    return exchange(state, state.entrances[state.active], card.students, _MOST)


def _swaps(state: State, card: Card) -> Sequence[PlayCharacter]:
    bounds = _exchange(state, card)
    return swaps(card.character, bounds.taken, bounds.given, range(bounds.fewest, bounds.most + 1))


def _violation(state: State, card: Card, action: PlayCharacter) -> str | None:
    from_card, from_entrance = map(counted, columns(action.swaps))
    if min(taken(card.students, from_card)) < 0:
        return "eriantys.character.card-students"
    if min(taken(state.entrances[state.active], from_entrance)) < 0:
        return "eriantys.character.swap-entrance"
    return None


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    from_card, from_entrance = map(counted, columns(action.swaps))
    entrance = added(taken(state.entrances[state.active], from_entrance), from_card)
    state = state._replace(entrances=with_counts(state.entrances, state.active, entrance))
    return with_card(state, card._replace(students=added(taken(card.students, from_card), from_entrance)))


JESTER = Piece("jester", 1, _effect, _violation, exchange=_exchange, swaps=_swaps, most_swaps=_MOST, students=6)

"""Character 7: exchanges up to three students of the card with as many of the entrance."""

from __future__ import annotations

from collections.abc import Sequence

from games.eriantys.rules.characters.piece import Piece, with_card
from games.eriantys.rules.options import columns, swaps
from games.eriantys.rules.state import Card, PlayCharacter, State, added, counted, taken, with_counts

_MOST = 3


def _options(state: State, card: Card) -> Sequence[PlayCharacter]:
    sizes = range(0 if state.settings.allow_zero_swaps else 1, _MOST + 1)
    return swaps(card.character, card.students, state.entrances[state.active], sizes)


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


JESTER = Piece("jester", 1, _options, _effect, _violation, most_swaps=_MOST, students=6)

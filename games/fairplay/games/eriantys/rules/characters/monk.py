"""Character 1: moves a student from the card to an island."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Piece, card_colors, color_of, island_of, replenished
from fairplay.games.eriantys.rules.islands import addresses, group_of, with_student
from fairplay.games.eriantys.rules.state import Card, State


def _islands(state: State, card: Card) -> Sequence[int]:
    del card
    return addresses(state)


def _violation(state: State, card: Card, action: PlayCharacter) -> str | None:
    del state
    return None if card.students[color_of(action)] else "eriantys.character.card-students"


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    color = color_of(action)
    groups = with_student(state, group_of(state, island_of(action)), color)
    return replenished(state._replace(groups=groups), card, color)


MONK = Piece("monk", 1, _effect, _violation, colors=card_colors, islands=_islands, students=4)

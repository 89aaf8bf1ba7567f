"""Character 11: moves a student from the card to the dining room."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Piece, card_colors, color_of, replenished
from fairplay.games.eriantys.rules.school import seated
from fairplay.games.eriantys.rules.state import TABLE_SEATS, Card, State


def _colors(state: State, card: Card) -> Sequence[int]:
    room = state.dining_rooms[state.active]
    return [color for color in card_colors(state, card) if room[color] < TABLE_SEATS]


def _violation(state: State, card: Card, action: PlayCharacter) -> str | None:
    color = color_of(action)
    if not card.students[color]:
        return "eriantys.character.card-students"
    return "eriantys.character.table-full" if state.dining_rooms[state.active][color] >= TABLE_SEATS else None


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    color = color_of(action)
    return replenished(seated(state, color, pays=state.settings.coins_from_characters), card, color)


PRINCESS = Piece("princess", 2, _effect, _violation, colors=_colors, students=4)

"""Character 9: a colour gives no influence in this turn."""

from __future__ import annotations

from collections.abc import Sequence

from games.eriantys.rules.characters.piece import Piece, color_of, play
from games.eriantys.rules.state import COLOR_COUNT, Card, PlayCharacter, State


def _options(state: State, card: Card) -> Sequence[PlayCharacter]:
    del state
    return [play(card.character, color) for color in range(COLOR_COUNT)]


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    del card
    return state._replace(ignored=color_of(action))


MUSHROOM_HUNTER = Piece("mushroom hunter", 3, _options, _effect, needs_color=True, helps_move_only=True)

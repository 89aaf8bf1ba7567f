"""Character 9: a colour gives no influence in this turn."""

from __future__ import annotations

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Piece, any_color, color_of
from fairplay.games.eriantys.rules.state import Card, State


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    del card
    return state._replace(ignored=color_of(action))


MUSHROOM_HUNTER = Piece("mushroom hunter", 3, _effect, colors=any_color, helps_move_only=True)

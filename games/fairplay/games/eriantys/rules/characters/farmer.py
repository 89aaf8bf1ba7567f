"""Character 2: takes professors when level with their owners."""

from __future__ import annotations

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Piece
from fairplay.games.eriantys.rules.school import with_claim
from fairplay.games.eriantys.rules.state import COLOR_COUNT, Card, State


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    """Return the state with all colours claimed now; students placed later in the turn are looked at then."""
    del card, action
    for color in range(COLOR_COUNT):
        state = with_claim(state, color)
    return state


FARMER = Piece("farmer", 2, _effect)

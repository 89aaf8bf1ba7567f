"""Character 12: everybody returns up to three students of a colour to the bag."""

from __future__ import annotations

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Piece, any_color, color_of
from fairplay.games.eriantys.rules.school import with_zero_check, without_some
from fairplay.games.eriantys.rules.state import Card, Reason, State, plus

_STOLEN = 3


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    """Return the state after the theft. Professors stay: a removal from everybody keeps the order of the counts."""
    del card
    color = color_of(action)
    removed = [without_some(room, color, _STOLEN) for room in state.dining_rooms]
    total = sum([count for _, count in removed])
    state = state._replace(dining_rooms=tuple([room for room, _ in removed]), bag=plus(state.bag, color, total))
    if total and not state.settings.bag_end_latched:
        state = state._replace(last_round=Reason.NONE if all(state.hands) else Reason.LAST_ASSISTANT)
    return with_zero_check(state, color)


THIEF = Piece("thief", 3, _effect, colors=any_color)

"""Character 3: resolves an island as if Mother Nature had stopped there."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Piece, island_of
from fairplay.games.eriantys.rules.islands import addresses, group_of, stop_at
from fairplay.games.eriantys.rules.state import Card, State


def _islands(state: State, card: Card) -> Sequence[int]:
    del card
    return addresses(state)


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    del card
    respects = state.settings.herald_respects_no_entry
    return stop_at(state, group_of(state, island_of(action)), respect_no_entry=respects)


HERALD = Piece("herald", 3, _effect, islands=_islands)

"""Character 5: puts a no-entry tile on an island."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Piece, island_of, with_card
from fairplay.games.eriantys.rules.islands import addresses, group_of, with_group
from fairplay.games.eriantys.rules.state import NO_ENTRY_TILES, Card, Group, State


def _takes(state: State, group: Group) -> bool:
    return state.settings.no_entry_stack or not group.no_entry


def _islands(state: State, card: Card) -> Sequence[int]:
    if not card.no_entry:
        return ()
    pairs = zip(addresses(state), state.groups, strict=True)
    return [island for island, group in pairs if _takes(state, group)]


def _violation(state: State, card: Card, action: PlayCharacter) -> str | None:
    if not card.no_entry:
        return "eriantys.character.no-entry-left"
    group = state.groups[group_of(state, island_of(action))]
    return None if _takes(state, group) else "eriantys.character.no-entry-one"


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    index = group_of(state, island_of(action))
    group = state.groups[index]
    groups = with_group(state.groups, index, group._replace(no_entry=group.no_entry + 1))
    return with_card(state._replace(groups=groups), card._replace(no_entry=card.no_entry - 1))


HERBALIST = Piece("herbalist", 2, _effect, _violation, islands=_islands, no_entry=NO_ENTRY_TILES)

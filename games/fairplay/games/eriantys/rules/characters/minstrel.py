"""Character 10: exchanges up to two students of the entrance with as many of the dining room."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.piece import Exchange, Piece, exchange
from fairplay.games.eriantys.rules.options import columns, swaps
from fairplay.games.eriantys.rules.school import with_claim, with_coins, with_recheck, with_zero_check
from fairplay.games.eriantys.rules.state import TABLE_SEATS, Card, Counts, State, added, counted, taken, with_counts

_MOST = 2


def _exchange(state: State, card: Card) -> Exchange:
    del card
    entrance, room = state.entrances[state.active], state.dining_rooms[state.active]
    bounds = exchange(state, entrance, room, _MOST)
    return bounds._replace(free=tuple([TABLE_SEATS - count for count in room]))


def _swaps(state: State, card: Card) -> Sequence[PlayCharacter]:
    bounds = _exchange(state, card)
    found = swaps(card.character, bounds.given, bounds.taken, range(bounds.fewest, bounds.most + 1))
    if max(bounds.taken) <= TABLE_SEATS - _MOST:
        return found
    return [action for action in found if _violation(state, card, action) is None]


def _violation(state: State, card: Card, action: PlayCharacter) -> str | None:
    del card
    given, got = map(counted, columns(action.swaps))
    left = taken(state.dining_rooms[state.active], got)
    if min(taken(state.entrances[state.active], given)) < 0:
        return "eriantys.character.swap-entrance"
    if min(left) < 0:
        return "eriantys.character.swap-dining-room"
    return "eriantys.character.table-full" if max(added(left, given)) > TABLE_SEATS else None


def _effect(state: State, card: Card, action: PlayCharacter) -> State:
    """Return the state after an exchange: students first, then coins of seats newly taken, then professors (5.4)."""
    del card
    seat = state.active
    given, got = map(counted, columns(action.swaps))
    before = state.dining_rooms[seat]
    after = added(taken(before, got), given)
    entrance = added(taken(state.entrances[seat], given), got)
    state = state._replace(
        entrances=with_counts(state.entrances, seat, entrance),
        dining_rooms=with_counts(state.dining_rooms, seat, after),
    )
    changed = [color for color, count in enumerate(after) if count != before[color]]
    if state.settings.coins_from_characters:
        for color in changed:
            state = with_coins(state, color, before[color], after[color])
    return _with_professors(state, changed, before, after)


def _with_professors(state: State, changed: list[int], before: Counts, after: Counts) -> State:
    for color in changed:
        if after[color] > before[color]:
            state = with_claim(state, color)
        else:
            state = with_recheck(state, color) if state.settings.professor_recheck_on_removal else state
            state = with_zero_check(state, color)
    return state


MINSTREL = Piece("minstrel", 1, _effect, _violation, exchange=_exchange, swaps=_swaps, most_swaps=_MOST)

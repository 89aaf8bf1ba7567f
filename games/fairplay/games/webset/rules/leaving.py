"""Players that leave, and games that end as they stand (section 5, row 18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.games.webset.rules.acts import count_votes, penalise, unlock_all_locked
from fairplay.games.webset.rules.dealing import end, settle
from fairplay.games.webset.rules.state import Phase, Standing, with_player, without_call

if TYPE_CHECKING:
    from fairplay.games.webset.rules.state import State


def eliminate(state: State, seat: int) -> State:
    """Eliminate a player; what it has earned stays visible. Its open call expires.

    Once the game is over, the player has failed when it was told the result. A player that is out stays so.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    revision = state.revision + 1
    if state.phase is Phase.OVER:
        failed = state.players[seat]._replace(standing=Standing.FAILED)
        return with_player(state, seat, failed)._replace(revision=revision)
    if state.caller == seat:
        state = without_call(penalise(state, seat, expired=True))
    state = with_player(state, seat, state.players[seat]._replace(standing=Standing.OUT, locked=False))
    state = state._replace(votes=tuple([other for other in state.votes if other != seat]))
    return settle(count_votes(unlock_all_locked(state)))._replace(revision=revision)


def stop(state: State) -> State:
    """End the game as it stands; one that is over stays as it is."""
    return state if state.phase is Phase.OVER else end(state)._replace(revision=state.revision + 1)

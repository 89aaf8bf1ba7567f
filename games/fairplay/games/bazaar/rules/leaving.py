"""Players that leave a game of Bazaar (bazaar.md section 6)."""

from __future__ import annotations

from fairplay.games.bazaar.rules.pieces import EMPTY
from fairplay.games.bazaar.rules.results import settled
from fairplay.games.bazaar.rules.state import Phase, Player, Standing, State, next_seat, with_player


def eliminate(state: State, seat: int) -> State:
    """Return the state without a player, its pebbles and its cards. What its turn has already changed stays.

    Once the game is over the player has failed when it was told the result: it leaves the ranking, and nobody moves
    up. For a player that is already out the state is returned unchanged.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    if state.phase is Phase.OVER:
        failed = state.players[seat]._replace(standing=Standing.FAILED)
        return state._replace(players=with_player(state.players, seat, failed), revision=state.revision + 1)
    state = _without(state, seat)
    if seat == state.active:
        state = state._replace(active=next_seat(state.players, seat), phase=Phase.REQUEST, turns=state.turns + 1)
    return settled(state)


def eliminate_at_setup(state: State, seat: int) -> State:
    """Return the state without a player that failed at `setup`, before the first turn.

    A game that is resumed between the two calls of a turn goes on there, unless it is this player's turn. A game of
    which somebody failed to be told the result stays over.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    state = _without(state, seat)
    if any(player.standing is Standing.FAILED for player in state.players):
        return state
    active = state.active
    if state.phase is Phase.CARDS and seat != active:
        return settled(state)
    if state.players[active].standing is not Standing.IN:
        active = next_seat(state.players, active)
    return settled(state._replace(active=active, phase=Phase.REQUEST))


def _without(state: State, seat: int) -> State:
    returned = state.players[seat].wallet if state.settings.kick_returns_pebbles else EMPTY
    players = with_player(state.players, seat, Player(standing=Standing.OUT))
    return state._replace(bank=state.bank + returned, players=players, revision=state.revision + 1)

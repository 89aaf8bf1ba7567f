"""Who has won a game of Webset (section 5, row 13)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from fairplay.games.webset.rules.state import Standing

if TYPE_CHECKING:
    from fairplay.games.webset.rules.state import State


def scores(state: State) -> tuple[int, ...]:
    """Return the points by seat, also of players that were eliminated."""
    return tuple(player.points for player in state.players)


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the seats that are left, best first: by points, then sets, then fewer penalties that have a price.

    Seats that are equal in all three share a group. The first group are the winners; it is empty, and stays first, if
    all of them failed when they were told the result.
    """
    stood = [seat for seat, player in enumerate(state.players) if player.standing is not Standing.OUT]
    stood.sort(key=lambda seat: _worth(state, seat), reverse=True)
    groups = [tuple(group) for _, group in groupby(stood, key=lambda seat: _worth(state, seat))]
    left = [tuple(seat for seat in group if state.players[seat].standing is Standing.IN) for group in groups]
    return tuple(group for place, group in enumerate(left) if group or place == 0)


def _worth(state: State, seat: int) -> tuple[int, int, int]:
    player, settings = state.players[seat], state.settings
    wrong = (player.penalties - player.expiries) * bool(settings.penalty_bad)
    expired = player.expiries * bool(settings.penalty_expired)
    return player.points, player.sets, -(wrong + expired)


def ranks(state: State) -> tuple[int, ...]:
    """Return the rank of each seat, shared as in 1, 1, 3; 0 for one that is not ranked."""
    found = [0] * len(state.players)
    better = 0
    for group in ranking(state):
        for seat in group:
            found[seat] = better + 1
        better += len(group)
    return tuple(found)

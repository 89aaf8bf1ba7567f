"""Players that join a game that goes on (section 5, row 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.games.webset.rules.settings import MAX_SEATS
from fairplay.games.webset.rules.state import Phase, Player

if TYPE_CHECKING:
    from fairplay.games.webset.rules.state import State


def next_seat(state: State) -> int | None:
    """Return the seat of a player who would join now; None if nobody can."""
    settings = state.settings
    room = settings.late_join and settings.rounds == "off" and len(state.players) < MAX_SEATS
    return len(state.players) if room and state.phase is not Phase.OVER else None


def join(state: State) -> State:
    """Give a player with no points the seat behind all others; what the others have asked for stays."""
    return state._replace(players=(*state.players, Player()), revision=state.revision + 1)

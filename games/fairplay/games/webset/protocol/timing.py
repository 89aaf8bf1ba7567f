"""The time of a game, from 0: when the table has changed, and when acts count.

It goes on by what answers have taken, as the arrivals say, so that a game that is replayed from its record has the same
time. It is behind real time by what notifications to all players take.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.steps import Arrival, Race
from fairplay.games.webset.rules.settings import Settings

_S, _MS = 1_000_000_000, 1_000_000  # nanoseconds: sums of them are exact


class GameTime:
    """The time of one game."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._now_ns = self._changed_ns = 0
        self._called_ns: dict[int, int] = {}
        self._locked_until_ns: dict[int, int] = {}
        self._windows_ns: dict[int, int] = {}
        """When the window of each call ends."""

    def record_change(self) -> None:
        """Record that the table has changed now."""
        self._changed_ns = self._now_ns

    def record_call(self, seat: int) -> None:
        """Record that a player is called now."""
        self._called_ns[seat] = self._now_ns

    def lock_out(self, seat: int) -> None:
        """Begin the lockout of a player whose call was wrong or has expired: its next act counts later."""
        self._locked_until_ns[seat] = self._now_ns + self._settings.lockout_ms * _MS

    def window_left_s(self, call_count: int) -> float:
        """Return what is left of the window of a call, which begins when this is asked first."""
        end_ns = self._windows_ns.setdefault(call_count, self._now_ns + self._settings.window_ms * _MS)
        return max(end_ns - self._now_ns, _MS) / _S

    def hold_s(self) -> float:
        """Return what is left of the time after a change of the table in which acts are held."""
        until_ns = self._changed_ns + self._settings.min_reaction_ms * _MS
        return max(0, until_ns - self._now_ns) / _S

    def delay_s(self, seat: int) -> float:
        """Return how much later an act of a player counts: its handicap, and what is left of its lockout."""
        handicaps = self._settings.handicaps_ms
        left_ns = max(0, self._locked_until_ns.get(seat, self._now_ns) - self._now_ns)
        return (left_ns + (handicaps[seat] * _MS if seat < len(handicaps) else 0)) / _S

    def advance(self, race: Race, arrivals: Sequence[Arrival]) -> None:
        """Go on to the moment at which these arrivals count."""
        began_ns = self._now_ns
        held_until_ns = began_ns + _nanoseconds(race.hold_s)
        for seat, _, elapsed_s in arrivals:
            since_ns = self._called_ns.get(seat, began_ns)  # who joins was not called
            came_ns = max(held_until_ns, since_ns + _nanoseconds(elapsed_s))
            self._now_ns = max(self._now_ns, came_ns + _nanoseconds(race.handicap_s.get(seat, 0.0)))


def _nanoseconds(seconds: float) -> int:
    return round(seconds * _S)

"""The examinations of those who sign up for tournaments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from fairplay.server.examining.suite import Finding
from fairplay.server.examining.turns import Turns
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import TournamentPlan

Examine: TypeAlias = Callable[[Player, TournamentPlan, str], Awaitable[Finding]]


class Examiner:
    """Examines players of all tournaments of a server, `at_once` at a time; 0: one for every two processors."""

    def __init__(self, examine: Examine, at_once: int = 0) -> None:
        self._examine = examine
        self.turns = Turns(at_once)

    async def examine(self, player: Player, plan: TournamentPlan, secret: str) -> Finding:
        """Examine a player when it is its turn, and return what was found."""
        with self.turns.taken(player.account) as turn:
            await turn.begins
            return await self._examine(player, plan, secret)

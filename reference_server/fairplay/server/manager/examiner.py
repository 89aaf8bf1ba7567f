"""Who is examined next: some players at a time, and the accounts by turns."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from fairplay.games.kit.processors import processors
from fairplay.server.manager.suite import Finding
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import TournamentPlan

MAX_OF_ACCOUNT = 20
MAX_EXAMINATIONS = 1_000
RETRY_S = 30.0

Examine: TypeAlias = Callable[[Player, TournamentPlan, str], Awaitable[Finding]]


class Examiner:
    """The examinations of all tournaments of a server, `at_once` at a time; 0: one for every two processors.

    Accounts take turns: who has many players examined, or slow ones, delays others by one examination at the most.
    """

    def __init__(self, examine: Examine, at_once: int = 0) -> None:
        self._examine = examine
        self._free = at_once or max(1, processors() // 2)
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._counts: Counter[str] = Counter()

    def check_room(self, account: str) -> None:
        """Check that another player of an account may be examined. Raises Refusal if too many are already."""
        if account and self._counts[account] >= MAX_OF_ACCOUNT:
            message = f"{MAX_OF_ACCOUNT} of your players are being examined: sign up when one of them is through"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=RETRY_S)
        if self._counts.total() >= MAX_EXAMINATIONS:
            message = f"{MAX_EXAMINATIONS:,} players are being examined already: sign up later"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=RETRY_S)

    async def examine(self, player: Player, plan: TournamentPlan, secret: str) -> Finding:
        """Examine a player when it is its turn, and return what was found."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(player.account, deque()).append(turn)
        self._counts[player.account] += 1
        self._go_on()
        try:
            await turn
            return await self._examine(player, plan, secret)
        finally:
            self._counts[player.account] -= 1
            if not turn.cancelled():
                self._free += 1
            self._go_on()

    def _go_on(self) -> None:
        """Give their turns to those who wait, as long as there is room."""
        while self._free and self._waiting:
            account, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[account] = turns  # as the last one
            if not turn.cancelled():
                self._free -= 1
                turn.set_result(None)

"""What the games of an account may cost: how many there are at once, and how long and how deep its bots think."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from fairplay.games.game import Game, search_depth_of
from fairplay.server.access.caller import CALLER
from fairplay.server.access.quotas import WAIT_S, QuotaLimits
from fairplay.server.net.errors import Refusal

LONG_S = 3_600.0


class GameQuota:
    """The games that accounts have, and the time that the bots in them have thought, which flows in again.

    Operators, and callers where there are no accounts, have as much as they like.
    """

    def __init__(self, limits: QuotaLimits, now_s: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._now_s = now_s
        self._games: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._thought: dict[str, tuple[float, float]] = {}
        """Account -> when the time was counted, and how much it had in excess of what has flown in, in seconds."""

    def check_strategy(self, game: Game, strategy: str, field: str) -> None:
        """Check how deep a bot of the caller would search. Raises Refusal, which names the field, if too deep."""
        if _account() and (depth := search_depth_of(game, strategy)) > self._limits.search_depth:
            message = f"bots search at most {self._limits.search_depth} deep here, but this one {depth}"
            raise Refusal("INVALID_LINK", f"{message}: give a smaller depth", field)

    def check_room(self) -> None:
        """Check that the caller may begin a game. Raises Refusal, which says when to ask again, if it may not."""
        account = _account()
        if account and self._games[account] >= self._limits.game_count:
            message = f"{self._games[account]} of your games are running, and no more may: wait until one is over"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=WAIT_S)
        if wait_s := self._excess_s(account):
            message = f"the bots in your games have thought too long: begin the next game in {wait_s:.1f} s"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=wait_s)

    def begin(self) -> Callable[[], None]:
        """Count a game of the caller, and return what is to be called at its end."""
        account = _account()
        self._games[account] += 1

        def end() -> None:
            self._games[account] -= 1
            if not self._games[account]:
                del self._games[account]
            self._wake(account)

        return end

    @asynccontextmanager
    async def place(self, given_up: asyncio.Future[None]) -> AsyncIterator[None]:
        """Wait until the caller may begin a game, or nobody wants it any more, and count it while it runs."""
        account = _account()
        while account and not given_up.done() and (wait_s := self._wait_s(account)):
            woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(account, deque()).append(woken)
            await asyncio.wait((woken, given_up), timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
            with suppress(KeyError, ValueError):
                self._waiting[account].remove(woken)
        end = self.begin()
        try:
            yield
        finally:
            end()

    def _wait_s(self, account: str) -> float:
        if self._games[account] >= self._limits.game_count:
            return LONG_S
        return self._excess_s(account)

    def _wake(self, account: str) -> None:
        waiting = self._waiting.get(account)
        if waiting:
            waiting.popleft().set_result(None)
        else:
            self._waiting.pop(account, None)

    # --- the time that bots think ---

    def thinking(self) -> Callable[[float], None]:
        """Return what is to be told of each time that a bot in a game of the caller thinks, in seconds."""
        account = _account()

        def spend(seconds: float) -> None:
            if account:
                self._thought[account] = (self._now_s(), self._owed_s(account) + seconds)

        return spend

    def _owed_s(self, account: str) -> float:
        at_s, owed_s = self._thought.get(account, (0.0, 0.0))
        return max(0.0, owed_s - (self._now_s() - at_s) * self._limits.thinking_share)

    def _excess_s(self, account: str) -> float:
        """Return in how many seconds the account may have bots think again; 0: now."""
        return max(0.0, self._owed_s(account) - self._limits.thinking_burst_s) / self._limits.thinking_share


def _account() -> str:
    """Return the account that pays for what is done now; empty: nobody has to."""
    caller = CALLER.get()
    return "" if caller.operator else caller.account

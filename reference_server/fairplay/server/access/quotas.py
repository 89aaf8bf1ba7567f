"""How much one caller may ask for: an account, or a host where the caller has none."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass

from fairplay.games.game import Game
from fairplay.server.access.caller import CALLER
from fairplay.server.net.errors import Refusal
from fairplay.server.net.peers import Buckets

MAX_BUCKETS = 20_000
WAIT_S = 1.0
"""When to try again what depends on something else to end."""

FAILURES_PER_SECOND, FAILURES_AT_ONCE = 1, 10
"""How often one host may fail: in the long run, and at once."""
MAX_HELD = 1_000
LONG_S = 3_600.0


@dataclass(frozen=True, slots=True)
class QuotaLimits:
    """The limits of one caller; bursts are as much as some seconds bring.

    The bots in its games may think `thinking_share` seconds a second in the long run, and `thinking_burst_s` at once.
    """

    calls_per_second: int = 100
    bytes_per_second: int = 4 * 1024 * 1024
    stream_count: int = 200
    game_count: int = 50
    tournament_count: int = 20
    search_depth: int = 4
    thinking_share: float = 0.5
    thinking_burst_s: float = 120.0
    burst_s: int = 4


class Quotas:
    """What callers have asked for lately, and the streams that they have open."""

    def __init__(self, limits: QuotaLimits, now_s: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._now_s = now_s
        self._calls = Buckets(limits.calls_per_second, limits.calls_per_second * limits.burst_s, MAX_BUCKETS)
        self._bytes = Buckets(limits.bytes_per_second, limits.bytes_per_second * limits.burst_s, MAX_BUCKETS)
        self._streams: Counter[str] = Counter()

    def take(self, who: str, byte_count: int) -> None:
        """Count a call. Raises Refusal, which says when to ask again, if there were too many, or too many bytes."""
        wait_s = self._calls.wait_s(who, self._now_s())
        self._check(wait_s, self.limits.calls_per_second, "calls")
        self.take_bytes(who, byte_count)

    def take_bytes(self, who: str, byte_count: int) -> None:
        """Count bytes that came. Raises Refusal, which says when to send more, if there were too many."""
        wait_s = self._bytes.wait_s(who, self._now_s(), byte_count)
        self._check(wait_s, self.limits.bytes_per_second, "bytes")

    def _check(self, wait_s: float, most: int, what: str) -> None:
        if wait_s:
            message = f"these are more than {most:,} {what} a second: ask again in {wait_s:.1f} s"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=wait_s, limit=most)

    @contextmanager
    def stream(self, who: str) -> Iterator[None]:
        """Count a stream for as long as it is open. Raises Refusal if there are too many."""
        most = self.limits.stream_count
        if self._streams[who] >= most:
            message = f"{most} streams are open already: end some of them first"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=WAIT_S, limit=most)
        self._streams[who] += 1
        try:
            yield
        finally:
            self._streams[who] -= 1
            if not self._streams[who]:
                del self._streams[who]

    def check_tournaments(self, open_count: int) -> None:
        """Raise Refusal if a caller who has so many tournaments that are not over may not create another one."""
        if open_count >= self.limits.tournament_count:
            message = f"{open_count} of your tournaments are not over, and no more may be open: end one, or wait"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=WAIT_S, limit=self.limits.tournament_count)


def payer(account: str, host: str) -> str:
    """Return whose quota a call takes from: the account's, or else the host's."""
    return f"account {account}" if account else f"host {host}"


class Failures:
    """Counts failures by host. Who shows a valid token is never counted, from whatever host."""

    def __init__(self) -> None:
        self._buckets = Buckets(FAILURES_PER_SECOND, FAILURES_AT_ONCE)
        self._held_count = 0

    async def slow_down(self, host: str) -> None:
        """Count a failure. Raises Refusal, after a while, if there were too many."""
        try:
            self._buckets.take(host, time.monotonic())
        except Refusal as refusal:
            if self._held_count < MAX_HELD:
                self._held_count += 1
                try:
                    await asyncio.sleep(refusal.retry_s)
                finally:
                    self._held_count -= 1
            message = "too many calls from here had a wrong token or invitation: ask again later"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=refusal.retry_s) from None


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
        if _account() and (depth := game.search_depth(strategy)) > self._limits.search_depth:
            message = f"bots search at most {self._limits.search_depth} deep here, but this one {depth}"
            most = self._limits.search_depth
            raise Refusal("INVALID_LINK", f"{message}: give a smaller depth", field, given=depth, limit=most)

    def check_room(self) -> None:
        """Check that the caller may begin a game. Raises Refusal, which says when to ask again, if it may not."""
        account = _account()
        if account and self._games[account] >= self._limits.game_count:
            message = f"{self._games[account]} of your games are running, and no more may: wait until one is over"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=WAIT_S, limit=self._limits.game_count)
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

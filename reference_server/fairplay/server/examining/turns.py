"""The turns of examinations: so many at a time, and accounts one after the other."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, zip_longest

from fairplay.games.kit.processors import processors
from fairplay.server.net.errors import Refusal

MAX_OF_ACCOUNT = 20
MAX_EXAMINATIONS = 1_000
FULL_RETRY_S = 30.0


class Turn:
    """The turn of an examination, which may begin when `begins` is done."""

    def __init__(self) -> None:
        self.begins: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Turns:
    """The turns of all examinations of a server, `at_once` at a time; 0: one for every two processors.

    Accounts take turns: who has many players examined, or slow ones, delays others by one examination at the most.
    """

    def __init__(self, at_once: int = 0) -> None:
        self._free = at_once or max(1, processors() // 2)
        self._waiting: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self.changed: Callable[[], None] = _nothing
        """Called when the queue has changed."""

    def check_room(self, account: str) -> None:
        """Check that another player of an account may be examined. Raises Refusal if too many are already."""
        if account and self._counts[account] >= MAX_OF_ACCOUNT:
            message = f"{MAX_OF_ACCOUNT} of your players are being examined: ask when one of them is through"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=FULL_RETRY_S, limit=MAX_OF_ACCOUNT)
        if self._counts.total() >= MAX_EXAMINATIONS:
            message = f"{MAX_EXAMINATIONS:,} players are being examined already: ask later"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=FULL_RETRY_S, limit=MAX_EXAMINATIONS)

    @contextmanager
    def taken(self, account: str) -> Iterator[Turn]:
        """Take the last place in the queue of an account for as long as the examination waits and goes on."""
        turn = Turn()
        self._waiting.setdefault(account, deque()).append(turn)
        self._counts[account] += 1
        self._go_on()
        try:
            yield turn
        finally:
            self._counts[account] -= 1
            if turn.begins.done() and not turn.begins.cancelled():
                self._free += 1
            turn.begins.cancel()
            self._go_on()

    def before(self, turn: Turn) -> int:
        """Return how many wait that come before a turn; 0 also if it has come."""
        order = [each for each in chain(*zip_longest(*self._waiting.values())) if each is not None]
        waiting = [each for each in order if not each.begins.done()]
        return waiting.index(turn) if turn in waiting else 0

    def _go_on(self) -> None:
        """Give their turns to those who wait, as long as there is room."""
        while self._free and self._waiting:
            account, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[account] = turns  # as the last one
            if not turn.begins.done():
                self._free -= 1
                turn.begins.set_result(None)
        self.changed()


def _nothing() -> None:
    """Stand for who is told of changes where nobody is."""

"""An open link to the player under test, called over the server's own links."""

from __future__ import annotations

import asyncio

from fairplay.conformance.player.breaker import Breaker, Budget, is_disconnection
from fairplay.conformance.player.transports import output_of
from fairplay.games.steps import Failure, Method
from fairplay.server.links.dial_in import DialInLink
from fairplay.server.links.link import DeadLink, Link, OpenCall
from fairplay.server.links.programs import ProcessLink
from fairplay.v1.player_pb2 import PlayerDescription


class Connection:
    """An open link to the player."""

    def __init__(self, link: Link, breaker: Breaker, budget: Budget, player_name: str) -> None:
        self._link = link
        self.breaker = breaker
        self.budget = budget
        self.player_name = player_name
        """The name that the player has in its games."""
        self._open: set[OpenCall] = set()
        self.call_count = 0
        self.described = 0
        """How many of these calls were made before there were cases."""
        self.repeatable = True
        """Whether new connections reach the player in the same way."""
        self.lost = isinstance(link, DeadLink)
        """Whether the player was not reached, or is gone."""

    async def ask(self, method: Method, request: bytes, limit_s: float) -> tuple[bytes | Failure, float]:
        """Call a method; return its reply or failure, and the seconds.

        Raises NotTested if the method is not called any more, because such calls hang or end the player, and if the
        time for all calls together is over.
        """
        self.budget.check()
        self.breaker.check(method.path)
        future: asyncio.Future[tuple[bytes | Failure, float]] = asyncio.get_running_loop().create_future()

        def done(outcome: bytes | Failure, elapsed_s: float) -> None:
            if not future.done():
                future.set_result((outcome, elapsed_s))

        self.call_count += 1
        call = self._link.call(method.path, request, limit_s, done)
        self._open.add(call)
        try:
            outcome, elapsed_s = await future
        finally:
            call.cancel()
            self._open.discard(call)
        if not self.lost:  # of the calls that are open when the player ends, the first one is recorded
            self.breaker.record(method, request, limit_s, outcome)
        self.lost = is_disconnection(outcome)
        return outcome, elapsed_s

    @property
    def output(self) -> str:
        """Return the end of what the player's process has written."""
        return output_of(self._link)

    @property
    def process(self) -> ProcessLink | None:
        """Return the link to the player's process, or None if the player was not started here."""
        return self._link if isinstance(self._link, ProcessLink) else None

    @property
    def hello(self) -> PlayerDescription | None:
        """Return what the player said about itself when it dialled in, or None if it did not."""
        return self._link.description if isinstance(self._link, DialInLink | ProcessLink) else None

    async def close(self) -> None:
        """Cancel all calls and close the link."""
        for call in list(self._open):
            call.cancel()
        await self._link.close()

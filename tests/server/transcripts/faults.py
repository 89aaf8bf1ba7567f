"""Players that fail in every way that a referee knows, by a generator of their own, in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random

from fairplay.games.game import Game
from fairplay.games.steps import Failure, Method
from fairplay.server.links.bot import BotLink
from fairplay.server.links.link import (
    MAX_REPLY_BYTES,
    NO_EXTRA,
    Clock,
    Done,
    Metadata,
    OpenCall,
    call_error,
    disconnected,
    too_large,
)
from fairplay.v1.misconduct_pb2 import CallErrorReason
from tests.server.strange import change

STATUS = CallErrorReason.CALL_ERROR_REASON_STATUS
FAULTS = (*4 * ["wrong move"], "malformed", "empty", "padded", "status", "too large", "silent", "late", "lost")
PADDING = b"\xfa\x7c\xd0\x8c\x01" + bytes(18_000)
"""Field 1999, with 18,000 bytes: a reply with it is not recorded whole."""

Note = Callable[[str, bytes], None]


class FaultyLink:
    """The link to a reference player that answers wrongly in so great a share of its calls. `note` hears of each.

    An answer takes one of `delays_s`, in simulated seconds.
    """

    def __init__(
        self,
        clock: Clock,
        game: Game,
        strategy: str,
        share: float,
        delays_s: Sequence[float],
        rng: Random,
        seat: int,
        note: Note,
    ) -> None:
        self._clock = clock
        self._player = BotLink(clock, game.player(strategy))
        self._methods = {method.path: method for method in game.methods}
        self._share = share
        self._delays_s = delays_s
        self._rng = rng
        self._seat = seat
        self._note = note
        self._loop = asyncio.get_running_loop()
        self._lost = False

    def call(
        self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0, extra: Metadata = NO_EXTRA
    ) -> OpenCall:
        """Note the call, and answer it after a while."""
        now = self._loop.time()
        self._note(f"{now:.9f} asked {self._seat} {method} {limit_s:.9f} {bank_s:.9f}", request)
        fault = self._rng.choice(FAULTS) if self._rng.random() < self._share else ""
        delay_s = 30.0 if fault == "late" else self._rng.choice(self._delays_s)
        self._lost = self._lost or fault == "lost"
        inner: OpenCall | None = None

        def cancel(_: OpenCall) -> None:
            self._note(f"{self._loop.time():.9f} cancelled {self._seat} {method}", b"")
            if inner is not None:
                inner.cancel()

        def answered(outcome: bytes | Failure, elapsed_s: float) -> None:
            spoilt = self._spoil(fault, self._methods[method], outcome)
            if fault != "silent":
                self._loop.call_later(delay_s, call.settle, spoilt)

        call = OpenCall(self._clock, limit_s, done, cancel)
        if self._lost:
            self._loop.call_soon(call.settle, disconnected("the player has gone"))
        else:
            inner = self._player.call(method, request, 3_600.0, answered)
        return call

    def _spoil(self, fault: str, method: Method, outcome: bytes | Failure) -> bytes | Failure:
        if not isinstance(outcome, bytes):
            return outcome
        if fault == "wrong move":
            return self._changed(method, outcome)
        spoilt: dict[str, bytes | Failure] = {
            "malformed": self._rng.choice((b"\xff", b"\xff" * 5_000)),
            "empty": b"",
            "padded": outcome + PADDING,
            "status": call_error(STATUS, "the player is confused", code=self._rng.choice((2, 13))),
            "too large": too_large(MAX_REPLY_BYTES + 1),
        }
        return spoilt.get(fault, outcome)

    def _changed(self, method: Method, outcome: bytes) -> bytes:
        reply = method.response.FromString(outcome)
        change(reply, self._rng)
        return reply.SerializeToString()

    async def close(self) -> None:
        """End the reference player."""
        await self._player.close()

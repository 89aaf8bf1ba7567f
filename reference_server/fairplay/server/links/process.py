"""The link to a player that the server has started."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from fairplay.games.steps import Failure
from fairplay.server.links.dial_in import DialInLink, Hub
from fairplay.server.links.link import Clock, DeadLink, Done, Link, OpenCall
from fairplay.server.links.program import Program
from fairplay.v1.connection_pb2 import GoodbyeReason
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from fairplay.v1.player_pb2 import PlayerDescription

KNOWN_LIMIT_S = 1.0
"""How long a call whose connection is lost waits for the end of the process, which says more."""
EXCESS_LIMIT_S = 0.2
"""How long a call that failed otherwise waits for the guard, which may be about to end the process over a limit.

Only the first such call of a process waits: who raises exceptions in every turn is not slowed down by that.
"""
KNOWN_SHARE = 0.5
"""The share of the call's remaining time that it waits at most: it must not become an overrun."""

Release: TypeAlias = "Callable[[], Awaitable[None]]"


class ProcessLink:
    """The link to a started player: calls go the way that the player chose, and fail when its process ends."""

    def __init__(self, clock: Clock, hub: Hub, name: str, program: Program, inner: Link, release: Release) -> None:
        self._clock = clock
        self._hub = hub
        self._name = name
        self._program = program
        self._release = release
        self._inner = inner
        self._has_survived = False
        """Whether the process has outlived a call that failed otherwise than by a lost connection."""
        self._open: dict[OpenCall, OpenCall] = {}  # each call, and the one of the inner link that carries it
        self._tasks = {asyncio.create_task(self._watch())}

    @property
    def guard_id(self) -> int:
        """Return the id of the process from which all processes of the player descend."""
        return self._program.guard_id

    @property
    def output_bytes(self) -> int:
        """Return how much the player has written to its standard output and error, kept or not."""
        return self._program.output_bytes

    @property
    def description(self) -> PlayerDescription | None:
        """Return what the player said about itself when it dialled in; None if it serves."""
        return self._inner.description if isinstance(self._inner, DialInLink) else None

    @property
    def connected(self) -> bool:
        """Return whether the player has dialled in, and its stream lasts."""
        return self._hub.here(self._name)

    @property
    def ended(self) -> bool:
        """Return whether the player's process has ended."""
        return self._program.ended.is_set()

    def dismiss(self, reason: GoodbyeReason.ValueType, message: str) -> None:
        """Say goodbye to a player that has dialled in, and leave its process alone."""
        self._hub.dismiss(self._name, reason, message)

    @property
    def output(self) -> str:
        """Return the end of what the player has written to its standard output and error."""
        return self._program.output

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        """Call the player; a failure carries the end of its output."""
        if self.ended:
            return DeadLink(self._clock, self._program.failure).call(method, request, limit_s, done)

        def settled(outcome: bytes | Failure, elapsed_s: float) -> None:
            if isinstance(outcome, CallError):
                self._fail(open_call, outcome, elapsed_s)
            else:
                self._open.pop(open_call, None)
                open_call.conclude(outcome, elapsed_s)

        open_call = OpenCall(self._clock, limit_s, done, self._drop, watched=False)  # as the inner call is watched
        self._open[open_call] = self._inner.call(method, request, limit_s, settled, bank_s)
        return open_call

    def _drop(self, open_call: OpenCall) -> None:
        if (inner := self._open.pop(open_call, None)) is not None:
            inner.cancel()

    def _fail(self, open_call: OpenCall, failure: CallError, elapsed_s: float) -> None:
        task = asyncio.create_task(self._fail_when_known(open_call, failure, elapsed_s))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fail_when_known(self, open_call: OpenCall, failure: CallError, elapsed_s: float) -> None:
        """Fail a call with how the process ended, if it ends now."""
        # The connection of a process that ends is lost first, and one that fills its disk is refused first; that says
        # nothing to its author.
        lost = failure.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
        left_s = open_call.limit_s - elapsed_s
        if lost or not self._has_survived:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(KNOWN_LIMIT_S if lost else EXCESS_LIMIT_S, KNOWN_SHARE * left_s)):
                    await self._program.ended.wait()
        self._has_survived = self._has_survived or not lost
        self._settle(open_call, self._program.failure if self.ended else failure)

    def _settle(self, open_call: OpenCall, failure: CallError) -> None:
        self._open.pop(open_call, None)
        failure.output = self._program.output
        open_call.settle(failure)

    async def _watch(self) -> None:
        await self._program.ended.wait()
        for open_call, inner in list(self._open.items()):
            inner.cancel()
            self._settle(open_call, self._program.failure)

    async def close(self) -> None:
        """End the process and everything that it started."""
        await self._inner.close()
        self._hub.forget(self._name)
        await self._release()

"""From request bytes to reply bytes, as in `fairplay.player.handlers`, for players that may return anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from fairplay.conformance.zoo.program_behaviour import InvalidRequests, ProgramBehaviour
from fairplay.games.game import Game
from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.player.handlers import Callee, CallFailed, describe, snake_case
from fairplay.player.threads import DaemonThreads


class MutantHandlers(Callee):
    """The methods of a mutant. Bytes that a method returns are sent as they are."""

    def __init__(self, game: Game, player: Any, behaviour: ProgramBehaviour, die: Callable[[], None]) -> None:
        self.description = describe(player)
        self._player = player
        self._invalid_requests = behaviour.invalid_requests
        self._die = die
        self._threads = DaemonThreads()
        self._methods = {method.path: method for method in (*PLAYER_METHODS.values(), *game.methods)}

    @property
    def paths(self) -> Sequence[str]:
        """Return the full names of all methods, including those that the player lacks."""
        return list(self._methods)

    async def call(self, path: str, request: bytes) -> bytes:
        """Call a method in a thread. Raises CallFailed if it is missing or the request is unreadable."""
        method = self._methods.get(path)
        function = None if method is None else getattr(self._player, snake_case(method.name), None)
        if method is None or function is None:
            return self._refuse(grpc.StatusCode.UNIMPLEMENTED, f"this player has no method {path}")
        try:
            asked = method.request.FromString(request)
        except DecodeError:
            return self._refuse(grpc.StatusCode.INVALID_ARGUMENT, f"the request of {path} is unreadable")
        reply: Any = await asyncio.get_running_loop().run_in_executor(self._threads, function, asked)
        if isinstance(reply, bytes):
            return reply
        return b"" if reply is None else bytes(reply.SerializeToString())

    def _refuse(self, code: grpc.StatusCode, message: str) -> bytes:
        if self._invalid_requests is InvalidRequests.DIES:
            self._die()
        if self._invalid_requests is InvalidRequests.ANSWERS:
            return b""
        raise CallFailed(code, message)

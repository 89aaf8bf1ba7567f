"""From bytes to bytes, as in `reference_player.handlers`, but for players that may return anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from fairplay.conformance.zoo.habits import Habits, Nonsense
from fairplay.games.game import Game
from fairplay.player.handlers import PLAYER_METHODS, CallFailed, describe, snake_case
from fairplay.player.threads import DaemonThreads


class ZooHandlers:
    """The methods of a player with a fault. What they return as bytes is passed on as it is."""

    def __init__(self, game: Game, player: Any, habits: Habits, die: Callable[[], None]) -> None:
        self.description = describe(player)
        self._player = player
        self._nonsense = habits.nonsense
        self._die = die
        self._threads = DaemonThreads()
        self._methods = {method.path: method for method in (*PLAYER_METHODS.values(), *game.methods)}

    @property
    def paths(self) -> Sequence[str]:
        """The full names of all methods, those that the player lacks among them."""
        return list(self._methods)

    async def call(self, path: str, request: bytes) -> bytes:
        """Calls a method in a thread of its own. CallFailed: it is not there, or the request cannot be read."""
        method = self._methods.get(path)
        function = None if method is None else getattr(self._player, snake_case(method.name), None)
        if method is None or function is None:
            return self._confused(grpc.StatusCode.UNIMPLEMENTED, f"this player has no method {path}")
        try:
            asked = method.request.FromString(request)
        except DecodeError:
            return self._confused(grpc.StatusCode.INVALID_ARGUMENT, f"the request of {path} is unreadable")
        reply: Any = await asyncio.get_running_loop().run_in_executor(self._threads, function, asked)
        if isinstance(reply, bytes):
            return reply
        return b"" if reply is None else bytes(reply.SerializeToString())

    def _confused(self, code: grpc.StatusCode, message: str) -> bytes:
        if self._nonsense is Nonsense.DIES:
            self._die()
        if self._nonsense is Nonsense.ANSWERS:
            return b""
        raise CallFailed(code, message)

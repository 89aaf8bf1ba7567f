"""Serving a stream of calls, with the defects of a mutant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import grpc

from fairplay.conformance.zoo.program_behaviour import InStream
from fairplay.games.game import Game
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.player import serving
from fairplay.player.handlers import Callee
from fairplay.player.serving import Behaviour
from fairplay.v1.connection_pb2 import Reply
from fairplay.v1.player_pb2 import DescribeResponse
from fairplay.v1.player_stream_pb2 import TakeCallsResponse

ASTRAY = 1_000_000
"""How far the ids of replies are from those of the calls."""


def taking_calls(game: Game, defect: InStream) -> Callable[[Callee], Behaviour]:
    """Return what makes the behaviour of TakeCalls with a defect."""

    def made(handlers: Callee) -> Behaviour:
        sound = serving.taking_calls(_Inner(game, handlers, defect))

        async def take_calls(request: Any, context: Any) -> None:
            if defect is InStream.SILENT:
                while await context.read() is not grpc.aio.EOF:
                    pass
            else:
                await sound(request, _Changing(context, defect))

        return take_calls

    return made


class _Changing:
    """The context of a stream in which the replies of a sound player are changed."""

    def __init__(self, context: Any, defect: InStream) -> None:
        self._context = context
        self._defect = defect
        self.read = context.read
        self.abort = context.abort

    async def write(self, data: bytes) -> None:
        replies = TakeCallsResponse.FromString(data).replies
        await self._context.write(TakeCallsResponse(replies=_changed(replies, self._defect)).SerializeToString())


def _changed(replies: Sequence[Reply], defect: InStream) -> Sequence[Reply]:
    if defect is InStream.TWICE:
        return [*replies, *replies]
    if defect is InStream.ASTRAY:
        return [Reply(id=reply.id + ASTRAY, response=reply.response) for reply in replies]
    return replies


class _Inner(Callee):
    """What answers the calls of a stream."""

    def __init__(self, game: Game, handlers: Callee, defect: InStream) -> None:
        self._game = game
        self._handlers = handlers
        self._defect = defect

    @property
    def paths(self) -> Sequence[str]:
        return self._handlers.paths

    async def call(self, path: str, request: bytes) -> bytes:
        """Call a method. Raises RuntimeError in decisions if that is the defect."""
        if self._defect is InStream.RAISES and path == self._game.turn.path:
            raise RuntimeError("it raises in decisions that are asked for through a stream")
        reply = await self._handlers.call(path, request)
        if self._defect is InStream.RENAMED and path == DESCRIBE.path:
            described = DescribeResponse.FromString(reply)
            described.description.display_name = "somebody else"
            return described.SerializeToString()
        return reply

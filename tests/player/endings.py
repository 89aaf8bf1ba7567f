"""A server that ends the streams of players that dial in as a test wants."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc

from fairplay.server.net.errors import Refusal, abort
from fairplay.v1.connection_pb2 import DialInResponse, Goodbye, GoodbyeReason, Welcome
from fairplay.v1.connection_pb2_grpc import ConnectionServiceServicer, add_ConnectionServiceServicer_to_server

FINISHED = Goodbye(reason=GoodbyeReason.GOODBYE_REASON_FINISHED, message="thank you")

EXHAUSTED = Refusal("TOO_MANY_PLAYERS", "as in the list")
"""What is final though libraries say its status of connections, too: a server gives its reason."""


class Ending(ConnectionServiceServicer):
    """A server that ends one stream after the other with the statuses of a list, after a welcome if it is to say one.

    When the list is over, it says that the player is not needed any more.
    """

    def __init__(self, *statuses: grpc.StatusCode | Refusal, welcomes: bool = True) -> None:
        self.statuses = list(statuses)
        self._welcomes = welcomes

    async def DialIn(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        if self._welcomes or not self.statuses:
            await context.read()
            await context.write(DialInResponse(welcome=Welcome(players=[0])))
        if self.statuses:
            status = self.statuses.pop(0)
            if isinstance(status, Refusal):
                await abort(context, status)
            await context.abort(status, "as in the list")
        await context.write(DialInResponse(goodbye=FINISHED))


@asynccontextmanager
async def ending(servicer: Ending) -> AsyncIterator[str]:
    server = grpc.aio.server()
    add_ConnectionServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)

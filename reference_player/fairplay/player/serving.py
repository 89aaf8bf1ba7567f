"""Players that serve on an address: the server of the game dials them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from fairplay.player.handlers import CallFailed, Handlers

log = logging.getLogger("fairplay.player")

SERVER_OPTIONS = [
    ("grpc.so_reuseport", 0),  # otherwise two players on one port share its calls silently
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
]


class AddressInUseError(OSError):
    """The address to listen on cannot be had."""


async def start_server(handlers: Handlers, address: str) -> tuple[grpc.aio.Server, int]:
    """Start serving a player on HOST:PORT (port 0: any free one), and return the server and its port."""
    server = grpc.aio.server(options=SERVER_OPTIONS)
    server.add_generic_rpc_handlers((_GenericHandler(handlers),))
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise AddressInUseError(
            f"cannot listen on {address}: it is in use, or not an address of this machine"
        ) from error
    await server.start()
    return server, port


async def serve_async(player: object, address: str, ready: Callable[[int], None] | None = None) -> None:
    """Serve a player until cancelled. `ready` is called with the port once the player can be called."""
    server, port = await start_server(Handlers(player), address)
    if ready is not None:
        ready(port)
    try:
        await server.wait_for_termination()
    finally:
        await server.stop(0)


def serve(player: object, address: str) -> None:
    """Serve a player on HOST:PORT until Ctrl-C.

    `player` is a plain object with the methods of the game's diagram in snake_case, each taking the request message
    and returning the response message (None where the response is empty), and an attribute `game`.
    """
    try:
        asyncio.run(serve_async(player, address))
    except KeyboardInterrupt:
        log.info("stopped")


class _GenericHandler(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpcio has no types for it
    """The handler of every method of a player, from bytes to bytes, without generated servicers."""

    def __init__(self, handlers: Handlers) -> None:
        self._methods = {
            path: grpc.unary_unary_rpc_method_handler(_behaviour(handlers, path)) for path in handlers.paths
        }

    def service(self, handler_call_details: Any) -> grpc.RpcMethodHandler | None:
        return self._methods.get(handler_call_details.method)


def _behaviour(handlers: Handlers, path: str) -> Callable[[bytes, Any], Awaitable[bytes]]:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        try:
            return await handlers.call(path, request)
        except CallFailed as failed:
            await context.abort(failed.code, failed.message)
        except Exception as error:
            log.exception("%s raised", path)
            await context.abort(grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}")
        raise AssertionError("abort raises")

    return behaviour

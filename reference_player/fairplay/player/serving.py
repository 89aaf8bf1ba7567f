"""Players that serve on an address: the server of the game dials them."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import grpc

from fairplay.player import standstill
from fairplay.player.handlers import CALL, Callee, CallFailed, CallInfo, Handlers, own_error
from fairplay.player.secrets import SECRET_KEY, secret_of, shows
from fairplay.player.tls import TlsFiles, server_credentials

log = logging.getLogger("fairplay.player")

SERVER_OPTIONS = [
    ("grpc.so_reuseport", 0),  # otherwise two players on one port share its calls silently
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
]


class AddressInUseError(OSError):
    """The address to listen on cannot be had."""


async def start_server(
    handlers: Callee,
    address: str,
    tls: TlsFiles | None = None,
    secret: str = "",
) -> tuple[grpc.aio.Server, int]:
    """Start serving a player on HOST:PORT (port 0: any free one), and return the server and its port.

    With `tls`, over TLS. With a `secret`, calls that do not show it are refused as UNAUTHENTICATED.
    Raises AddressInUseError if it cannot listen there, CredentialsError if `tls` is of no use.
    """
    credentials = server_credentials(tls) if tls is not None else None
    server = grpc.aio.server(options=SERVER_OPTIONS)
    server.add_generic_rpc_handlers((_GenericHandler(handlers, secret),))
    try:
        port = (
            server.add_insecure_port(address) if credentials is None else server.add_secure_port(address, credentials)
        )
    except RuntimeError as error:
        raise AddressInUseError(
            f"cannot listen on {address}: it is in use, or not an address of this machine"
        ) from error
    await server.start()
    return server, port


async def serve_async(
    player: object, address: str, ready: Callable[[int], None] | None = None, tls: TlsFiles | None = None
) -> None:
    """Serve a player until cancelled; see `serve`. `ready` is called with the port once the player can be called."""
    server, port = await start_server(Handlers(player), address, tls, secret_of(player, os.environ))
    if ready is not None:
        ready(port)
    try:
        await server.wait_for_termination()
    finally:
        await server.stop(0)


def serve(player: object, address: str, tls: TlsFiles | None = None) -> None:
    """Serve a player on HOST:PORT until Ctrl-C; with `tls`, over TLS.

    `player` is a plain object with the methods of the game's diagram in snake_case, each taking the request message
    and returning the response message (None where the response is empty), and an attribute `game`. With an attribute
    `secret`, or FAIRPLAY_SECRET in the environment, it answers only calls that show this secret.

    Raises AddressInUseError if it cannot listen there, CredentialsError if `tls` is of no use, SecretError if the
    secret is.
    """
    try:
        standstill.run(serve_async(player, address, tls=tls))
    except KeyboardInterrupt:
        log.info("stopped")


class _GenericHandler(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpcio has no types for it
    """The handler of every method of a player, from bytes to bytes, without generated servicers."""

    def __init__(self, handlers: Callee, secret: str) -> None:
        self._secret = secret
        self._refusal = grpc.unary_unary_rpc_method_handler(_refuse)
        self._methods = {
            path: grpc.unary_unary_rpc_method_handler(_behaviour(handlers, path)) for path in handlers.paths
        }

    def service(self, handler_call_details: Any) -> grpc.RpcMethodHandler | None:
        if self._secret and not shows(handler_call_details.invocation_metadata, self._secret):
            return self._refusal
        return self._methods.get(handler_call_details.method)


def _info(context: Any, limit_s: float | None) -> CallInfo:
    said = {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}
    said.pop(SECRET_KEY, None)
    return CallInfo(limit_s, said)


async def _refuse(_: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
    message = f"this player answers only calls that show its secret in the metadata {SECRET_KEY}"
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, message)
    raise AssertionError("abort raises")


def _behaviour(handlers: Callee, path: str) -> Callable[[bytes, Any], Awaitable[bytes]]:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        CALL.set(partial(_info, context, context.time_remaining()))
        try:
            return await handlers.call(path, request)
        except CallFailed as failed:
            await context.abort(failed.code, failed.message)
        except Exception as error:
            log.error("%s raised", path, exc_info=own_error(error))
            await context.abort(grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}")
        raise AssertionError("abort raises")

    return behaviour

"""What listens for connections of HTTP/2, and has the handlers of gRPC's services serve their calls."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import grpc

from fairplay.server.http2.call import Call
from fairplay.server.http2.connection import END_LIMIT_S, HANDSHAKE_LIMIT_S, Connection

ALPN = ("h2",)
BACKLOG = 1_024
NOT_GRPC = "This address speaks gRPC, and nothing else.\n"


class _Details(NamedTuple):
    """What interceptors are told of a method."""

    method: str
    invocation_metadata: Sequence[tuple[str, str]] = ()


class Listener:
    """A server of methods that take and send streams. Servicers are added to it as to a server of grpc.aio.

    A message has at most `max_message_bytes`; a connection at most `max_calls` open calls, and after `heartbeat_s`
    seconds of silence `answer_s` for a sign of life.
    """

    def __init__(
        self,
        interceptors: Sequence[grpc.aio.ServerInterceptor],
        *,
        max_message_bytes: int,
        max_calls: int,
        heartbeat_s: float,
        answer_s: float,
    ) -> None:
        self.max_message_bytes = max_message_bytes
        self.max_calls = max_calls
        self.heartbeat_s = heartbeat_s
        self.answer_s = answer_s
        self.connections: set[Connection] = set()
        self.idle = asyncio.Event()
        """Set when the last connection has ended."""
        self._interceptors = interceptors
        self._methods: dict[str, grpc.RpcMethodHandler] = {}
        self._server: asyncio.Server | None = None

    def add_generic_rpc_handlers(self, _handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        """Do nothing: the generated code says the same once more, by name."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, grpc.RpcMethodHandler]) -> None:
        """Add the methods of a service."""
        self._methods.update({f"/{service}/{name}": handler for name, handler in handlers.items()})

    async def start(self, listen: str, tls: ssl.SSLContext | None = None) -> int:
        """Listen on HOST:PORT or unix:PATH, and return the port, 0 for a path. Raises OSError if it cannot."""
        for interceptor in reversed(self._interceptors):
            for method, handler in self._methods.items():
                self._methods[method] = await interceptor.intercept_service(partial(_give, handler), _Details(method))
        loop = asyncio.get_running_loop()
        connect = partial(Connection, self)
        limits: dict[str, Any] = {"backlog": BACKLOG}
        if tls is not None:
            limits |= {"ssl": tls, "ssl_handshake_timeout": HANDSHAKE_LIMIT_S, "ssl_shutdown_timeout": END_LIMIT_S}
        if listen.startswith("unix:"):
            self._server = await loop.create_unix_server(connect, listen.removeprefix("unix:"), **limits)
            return 0
        bound = _bind(listen)
        self._server = await loop.create_server(connect, sock=bound, **limits)
        return int(bound.getsockname()[1])

    def serve(self, call: Call) -> None:
        """Begin to serve a call."""
        handler = self._methods.get(call.request.path)
        if not call.request.is_grpc:
            call.serve(PLAIN)
        elif handler is None:
            call.end(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
        else:
            call.serve(handler)

    async def stop(self, grace_s: float) -> None:
        """Take no connections and no calls any more, and end what is open after some seconds."""
        if self._server is not None:
            self._server.close()
        for connection in list(self.connections):
            connection.leave()
        if self.connections:
            self.idle.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.idle.wait(), grace_s)
        for connection in list(self.connections):
            connection.abort()
        await asyncio.sleep(0)  # they learn that they are over


async def _give(handler: grpc.RpcMethodHandler, _details: _Details) -> grpc.RpcMethodHandler:
    return handler


def _bind(listen: str) -> socket.socket:
    """Return a socket for HOST:PORT, which takes IPv4 as well if it takes all of IPv6. Raises OSError or ValueError."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    family, _, _, _, address = socket.getaddrinfo(host or "::", int(port), type=socket.SOCK_STREAM)[0]
    every = address[0] == "::"
    return socket.create_server(address[:2], family=family, dualstack_ipv6=every)


async def _answer_plainly(_: object, call: Call) -> None:
    """Answer a request that is not one of gRPC, once it is complete, if that does not take too long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(HANDSHAKE_LIMIT_S):
            await call.answer("415" if call.request.method == "POST" else "405", NOT_GRPC)


PLAIN = grpc.stream_stream_rpc_method_handler(_answer_plainly)

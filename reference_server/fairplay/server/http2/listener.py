"""What listens for connections of HTTP/2, and has the handlers of gRPC's services serve their calls."""

from __future__ import annotations

import asyncio
import contextlib
import errno
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
MISSING = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Why an address of a name cannot be had although others can: many machines have no IPv6, and call it localhost."""
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
        self._servers: list[asyncio.Server] = []

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
            self._servers.append(await loop.create_unix_server(connect, listen.removeprefix("unix:"), **limits))
            return 0
        port, bound = _bind(listen)
        for each in bound:
            self._servers.append(await loop.create_server(connect, sock=each, **limits))
        return port

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
        for server in self._servers:
            server.close()
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


def _bind(listen: str) -> tuple[int, Sequence[socket.socket]]:
    """Return the port, and a socket of that port for each address of HOST; one takes IPv4 and IPv6 if HOST is "".

    Raises OSError if one of them is taken, or the machine has none of them; ValueError if the port is no number.
    """
    host, _, given = listen.rpartition(":")
    port = int(given)
    host = host.strip("[]") or ("::" if socket.has_dualstack_ipv6() else "0.0.0.0")
    bound: list[socket.socket] = []
    try:
        for family, _, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            where = str(address[0]), port
            try:
                each = socket.create_server(where, family=family, dualstack_ipv6=where[0] == "::")
            except OSError as error:
                if error.errno not in MISSING:
                    raise
            else:
                bound.append(each)
                port = each.getsockname()[1]
        if not bound:
            raise OSError(errno.EADDRNOTAVAIL, f"{host} is not an address of this machine")
    except OSError:
        for each in bound:
            each.close()
        raise
    return port, bound


async def _answer_plainly(_: object, call: Call) -> None:
    """Answer a request that is not one of gRPC, once it is complete, if that does not take too long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(HANDSHAKE_LIMIT_S):
            await call.answer("415" if call.request.method == "POST" else "405", NOT_GRPC)


PLAIN = grpc.stream_stream_rpc_method_handler(_answer_plainly)

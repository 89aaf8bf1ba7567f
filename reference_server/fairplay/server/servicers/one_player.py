"""A server for one started player: ConnectionService and nothing else, for one name and no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import grpc

from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.open_calls import MAX_FRAME_BYTES
from fairplay.server.links.stream import Stream, Write
from fairplay.server.servicers.connection import ConnectionServicer
from fairplay.server.servicers.interceptor import ErrorInterceptor
from fairplay.server.servicers.patience import FIRST_LIMIT_S
from fairplay.v1.connection_pb2 import Hello
from fairplay.v1.connection_pb2_grpc import add_ConnectionServiceServicer_to_server

OPTIONS = [
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_FRAME_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.max_concurrent_streams", 4),  # one is all that a player needs, and a new one after a lost connection
]


class OnePlayer:
    """A hub that admits the player of one name only."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub = hub
        self._name = name

    def admit(self, hello: Hello, write: Write, end: Callable[[], None], host: str = "", account: str = "") -> Stream:
        """Admit the player, as the hub does; it counts as a host of its own. Raises Refusal for any other name."""
        if any(player.name != self._name for player in hello.players):
            raise Refusal("WRONG_TOKEN", f"this address is for {self._name} alone: dial in with FAIRPLAY_NAME")
        return self._hub.admit(hello, write, end, self._name)


class OnePlayerServers:
    """Makes servers for one player each."""

    def __init__(self, hub: Hub, handshake_limit_s: float = FIRST_LIMIT_S) -> None:
        self._hub = hub
        self._handshake_limit_s = handshake_limit_s

    @asynccontextmanager
    async def __call__(self, listen: str, name: str) -> AsyncIterator[str]:
        """Serve on an address, "unix:PATH" or HOST:PORT, for the player of a name, and yield the address.

        Raises OSError if the address cannot be listened on.
        """
        server = grpc.aio.server(interceptors=[ErrorInterceptor()], options=OPTIONS)
        servicer = ConnectionServicer(OnePlayer(self._hub, name), self._handshake_limit_s)
        add_ConnectionServiceServicer_to_server(servicer, server)
        try:
            port = server.add_insecure_port(listen)
        except RuntimeError:
            raise OSError(f"cannot listen on {listen}") from None
        starting = asyncio.ensure_future(server.start())
        try:
            await asyncio.shield(starting)  # gRPC must not be interrupted while it starts
            yield listen if listen.startswith("unix:") else f"{listen.rpartition(':')[0]}:{port}"
        finally:
            await asyncio.wait([starting])
            await server.stop(None)

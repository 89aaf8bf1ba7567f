"""Where a server listens: over TLS or not."""

from __future__ import annotations

from collections.abc import Sequence

import grpc

from fairplay.player.serving import AddressInUseError
from fairplay.player.tls import TlsFiles, server_context, server_credentials
from fairplay.server.http2.connection import MAX_CALLS
from fairplay.server.http2.listener import ALPN, Listener
from fairplay.server.links.open_calls import MAX_FRAME_BYTES
from fairplay.v1.connection_pb2_grpc import ConnectionServiceServicer, add_ConnectionServiceServicer_to_server

HEARTBEAT_S = 30.0
"""How long a connection may be silent before it is asked for a sign of life, where the operator says nothing else."""
MAX_ANSWER_S = 10.0
"""How long the answer may take at the most; with a shorter heartbeat, as long as that."""


def heartbeat_options(heartbeat_s: float) -> list[tuple[str, int]]:
    """Return the options of gRPC with which a connection that has been silent for so long is asked for a sign of life.

    A connection that does not answer is over, and whoever was on it counts as gone.
    """
    every_ms = max(1, round(heartbeat_s * 1_000))
    answer_ms = round(_answer_limit_s(heartbeat_s) * 1_000)
    return [
        ("grpc.keepalive_time_ms", every_ms),
        ("grpc.keepalive_timeout_ms", answer_ms),
        ("grpc.http2.ping_timeout_ms", answer_ms),  # which counts as well, and is a minute otherwise
        ("grpc.http2.min_ping_interval_without_data_ms", min(every_ms, 10_000)),  # otherwise five minutes
        ("grpc.http2.max_pings_without_data", 0),  # otherwise two, and no more until there is something to send
    ]


def _answer_limit_s(heartbeat_s: float) -> float:
    return min(heartbeat_s, MAX_ANSWER_S)


def add_listener(server: grpc.aio.Server, listen: str, tls: TlsFiles | None) -> str:
    """Let a server listen on HOST:PORT, and return where it is reached from this machine.

    Raises AddressInUseError if it cannot, CredentialsError if the files of `tls` are of no use.
    """
    credentials = server_credentials(tls) if tls is not None else None
    try:
        port = server.add_insecure_port(listen) if credentials is None else server.add_secure_port(listen, credentials)
    except RuntimeError:
        port = 0
    if port == 0:
        raise _in_use(listen)
    return _reached_at(listen, port)


class PlayerListener:
    """What listens for players that dial in, and serves nothing but ConnectionService: at half the cost of gRPC's own.

    `max_calls` is how many streams a connection may have open.
    """

    def __init__(
        self,
        servicer: ConnectionServiceServicer,
        interceptors: Sequence[grpc.aio.ServerInterceptor],
        heartbeat_s: float = HEARTBEAT_S,
        max_calls: int = MAX_CALLS,
    ) -> None:
        self._listener = Listener(
            interceptors,
            max_message_bytes=MAX_FRAME_BYTES,
            max_calls=max_calls,
            heartbeat_s=heartbeat_s,
            answer_s=_answer_limit_s(heartbeat_s),
        )
        add_ConnectionServiceServicer_to_server(servicer, self._listener)

    async def start(self, listen: str, tls: TlsFiles | None = None) -> str:
        """Listen on HOST:PORT or unix:PATH, and return where that is reached from this machine.

        Raises AddressInUseError if it cannot, CredentialsError if the files of `tls` are of no use.
        """
        try:
            port = await self._listener.start(listen, server_context(tls, ALPN) if tls is not None else None)
        except (OSError, OverflowError):
            raise _in_use(listen) from None
        return _reached_at(listen, port) if port else listen

    async def stop(self, grace_s: float) -> None:
        """Listen no more, and end the streams that are open after some seconds."""
        await self._listener.stop(grace_s)


def _in_use(listen: str) -> AddressInUseError:
    message = f"cannot listen on {listen}: it is in use, or not an address of this machine; give another --listen"
    return AddressInUseError(message)


def _reached_at(listen: str, port: int) -> str:
    host = listen.rpartition(":")[0]
    return f"{'127.0.0.1' if host in ('0.0.0.0', '[::]', '') else host}:{port}"

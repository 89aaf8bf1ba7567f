"""Where a server listens: over TLS or not."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence

import grpc
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

from fairplay.player.serving import AddressInUseError
from fairplay.player.tls import TlsFiles, server_credentials
from fairplay.server.links.stream import MAX_FRAME_BYTES
from fairplay.server.servicers.info import HealthServicer
from fairplay.v1.connection_pb2 import DESCRIPTOR
from fairplay.v1.connection_pb2_grpc import ConnectionServiceServicer, add_ConnectionServiceServicer_to_server

HANDSHAKE_LIMIT_S = 20.0
"""How long a connection may take until it speaks HTTP/2."""
IDLE_LIMIT_S = 300.0
"""How long a connection may have no calls."""
MAX_HEADER_BYTES = 16 * 1024
OPTIONS = [
    ("grpc.so_reuseport", 0),  # otherwise two servers bind one port silently
    ("grpc.max_receive_message_length", MAX_FRAME_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),  # strictly below the 20 s of our players
    ("grpc.keepalive_permit_without_calls", 1),
    # Each call that was opened costs memory before anything can look at it. One connection has fewer open than may be
    # pending, so that a burst of calls over one connection waits its turn, and is not refused.
    ("grpc.server.max_pending_requests", 6_500),
    ("grpc.server.max_pending_requests_hard_limit", 9_000),
    ("grpc.server_handshake_timeout_ms", round(HANDSHAKE_LIMIT_S * 1_000)),
    ("grpc.max_connection_idle_ms", round(IDLE_LIMIT_S * 1_000)),
    # Otherwise calls whose headers have more than half of it are refused by lot.
    ("grpc.max_metadata_size", MAX_HEADER_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_HEADER_BYTES),
]
MAX_CALLS = 500
"""How many calls a connection may have open; gRPC lets others wait, and says nothing of it.

Calls of one method are begun one after the other, so this is also how many of others those of a connection wait for.
"""
MISSING = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Why an address of a name cannot be had although others can: many machines have no IPv6, and call it localhost."""
PORTS = range(1 << 16)
CONNECTION_SERVICE = DESCRIPTOR.services_by_name["ConnectionService"].full_name
HEARTBEAT_S = 30.0
"""How long a connection may be silent before it is asked for a sign of life, where the operator says nothing else."""
MAX_ANSWER_S = 10.0
"""How long the answer may take at the most; with a shorter heartbeat, as long as that."""


def heartbeat_options(heartbeat_s: float) -> list[tuple[str, int]]:
    """Return the options of gRPC with which a connection that has been silent for so long is asked for a sign of life.

    A connection that does not answer is over, and whoever was on it counts as gone.
    """
    every_ms = max(1, round(heartbeat_s * 1_000))
    answer_ms = round(min(heartbeat_s, MAX_ANSWER_S) * 1_000)
    return [
        ("grpc.keepalive_time_ms", every_ms),
        ("grpc.keepalive_timeout_ms", answer_ms),
        ("grpc.http2.ping_timeout_ms", answer_ms),  # which counts as well, and is a minute otherwise
        ("grpc.http2.min_ping_interval_without_data_ms", min(every_ms, 10_000)),  # otherwise five minutes
        ("grpc.http2.max_pings_without_data", 0),  # otherwise two, and no more until there is something to send
    ]


def new_server(
    interceptors: Sequence[grpc.aio.ServerInterceptor],
    heartbeat_s: float,
    max_connections: int,
    max_calls: int = MAX_CALLS,
) -> grpc.aio.Server:
    """Return a server of gRPC that has no services yet; `max_calls` is how many calls a connection may have open."""
    options = [
        *OPTIONS,
        *heartbeat_options(heartbeat_s),
        ("grpc.max_allowed_incoming_connections", max_connections),  # one more is closed at once
        ("grpc.max_concurrent_streams", max_calls),
    ]
    return grpc.aio.server(interceptors=interceptors, options=options)


def add_listener(server: grpc.aio.Server, listen: str, tls: TlsFiles | None) -> str:
    """Let a server listen on HOST:PORT or unix:PATH, and return where it is reached from this machine.

    Raises AddressInUseError if it cannot, CredentialsError if the files of `tls` are of no use.
    """
    credentials = server_credentials(tls) if tls is not None else None

    def add(address: str) -> int:
        if credentials is None:
            return int(server.add_insecure_port(address))
        return int(server.add_secure_port(address, credentials))

    try:
        if listen.startswith("unix:"):
            add(listen)
            return listen
        port = int(listen.rpartition(":")[2])
        for host in _free_hosts(listen, port):
            port = add(f"{host}:{port}")
    except PermissionError:
        raise AddressInUseError(f"cannot listen on {listen}: ports below 1024 are not for this user") from None
    except (OSError, RuntimeError, ValueError):
        why = "it is in use, or not an address of this machine"
        raise AddressInUseError(f"cannot listen on {listen}: {why}; give another one") from None
    return _reached_at(listen, port)


def _free_hosts(listen: str, port: int) -> list[str]:
    """Return the addresses of HOST that this machine has, each with its port free.

    gRPC by itself is content with one of them: where somebody else has the other, some callers would reach a stranger.
    Raises OSError if one is taken, or there is none; ValueError if the port is none.
    """
    if port not in PORTS:
        raise ValueError(f"{port} is not a port")
    host = listen.rpartition(":")[0].strip("[]") or ("::" if socket.has_dualstack_ipv6() else "0.0.0.0")
    found: dict[str, None] = {}
    for family, _, _, _, (address, *_) in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        try:
            socket.create_server((str(address), port), family=family, dualstack_ipv6=address == "::").close()
        except OSError as error:
            if error.errno not in MISSING:
                raise
        else:
            found[f"[{address}]" if family == socket.AF_INET6 else str(address)] = None
    if not found:
        raise OSError(errno.EADDRNOTAVAIL, f"{host} is not an address of this machine")
    return [*found]


class PlayerListener:
    """A server for players that dial in: ConnectionService and the health service, and nothing else.

    `max_calls` is how many calls a connection may have open.
    """

    def __init__(
        self,
        servicer: ConnectionServiceServicer,
        interceptors: Sequence[grpc.aio.ServerInterceptor],
        max_connections: int,
        heartbeat_s: float = HEARTBEAT_S,
        max_calls: int = MAX_CALLS,
    ) -> None:
        self.health = HealthServicer([CONNECTION_SERVICE])
        self._server = new_server(interceptors, heartbeat_s, max_connections, max_calls)
        add_ConnectionServiceServicer_to_server(servicer, self._server)
        add_HealthServicer_to_server(self.health, self._server)

    async def start(self, listen: str, tls: TlsFiles | None = None) -> str:
        """Listen on HOST:PORT or unix:PATH, and return where that is reached from this machine.

        Raises AddressInUseError if it cannot, CredentialsError if the files of `tls` are of no use.
        """
        address = add_listener(self._server, listen, tls)
        await self._server.start()
        self.health.set(serving=True)
        return address

    async def stop(self, grace_s: float) -> None:
        """Listen no more, and end the streams that are open after some seconds."""
        self.health.set(serving=False)
        await self._server.stop(grace_s)


def _reached_at(listen: str, port: int) -> str:
    host = listen.rpartition(":")[0]
    return f"{'127.0.0.1' if host in ('0.0.0.0', '[::]', '') else host}:{port}"

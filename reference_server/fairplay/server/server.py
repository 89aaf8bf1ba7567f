"""The server: one event loop in which the referee, the manager, the hub and the store work together."""

from __future__ import annotations

import asyncio
import gc
import logging
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from fairplay.player.serving import AddressInUseError
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.links.opening import START_LIMIT_S, Links
from fairplay.server.links.stream import MAX_FRAME_BYTES
from fairplay.server.lobby.limits import LobbyLimits
from fairplay.server.lobby.lobby import Lobby
from fairplay.server.manager.manager import Manager
from fairplay.server.questions import Questions
from fairplay.server.records.store import Store
from fairplay.server.referee import Referee
from fairplay.server.servicers.connection import HANDSHAKE_LIMIT_S, ConnectionServicer
from fairplay.server.servicers.info import ServerServicer
from fairplay.server.servicers.interceptor import ErrorInterceptor
from fairplay.server.servicers.lobby import LobbyServicer, add_to_server
from fairplay.server.servicers.manager import ManagerServicer
from fairplay.server.servicers.records import RecordServicer
from fairplay.server.servicers.referee import RefereeServicer
from fairplay.server.servicers.rules import RulesServicer
from fairplay.v1 import (
    connection_pb2,
    connection_pb2_grpc,
    lobby_pb2,
    manager_pb2,
    manager_pb2_grpc,
    record_service_pb2,
    record_service_pb2_grpc,
    referee_pb2,
    referee_pb2_grpc,
    rules_pb2,
    rules_pb2_grpc,
    server_pb2,
    server_pb2_grpc,
)
from fairplay.v1.connection_pb2 import GoodbyeReason

log = logging.getLogger("fairplay.server")

OPTIONS = [
    ("grpc.so_reuseport", 0),  # otherwise two servers bind one port silently
    ("grpc.max_receive_message_length", MAX_FRAME_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),  # strictly below the 20 s of our players
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.server.max_pending_requests", 20_000),  # bursts above 2,000 would be cancelled
    ("grpc.server.max_pending_requests_hard_limit", 50_000),
]
STOP_LIMIT_S = 1.0
SERVICES = (
    connection_pb2.DESCRIPTOR.services_by_name["ConnectionService"].full_name,
    lobby_pb2.DESCRIPTOR.services_by_name["LobbyService"].full_name,
    manager_pb2.DESCRIPTOR.services_by_name["ManagerService"].full_name,
    record_service_pb2.DESCRIPTOR.services_by_name["RecordService"].full_name,
    referee_pb2.DESCRIPTOR.services_by_name["RefereeService"].full_name,
    rules_pb2.DESCRIPTOR.services_by_name["RulesService"].full_name,
    server_pb2.DESCRIPTOR.services_by_name["ServerService"].full_name,
)


@dataclass(frozen=True, slots=True)
class Config:
    """The options of a server.

    `records` None: records are kept until the server stops. `resume`: go on with all that the records say is not over.
    """

    listen: str = "127.0.0.1:0"
    records: Path | None = None
    allow_exec: bool = False
    resume: bool = True
    start_limit_s: float = START_LIMIT_S
    handshake_limit_s: float = HANDSHAKE_LIMIT_S
    lobby: LobbyLimits = field(default_factory=LobbyLimits)


class Server:
    """A running server. `address` is where it can be reached from this machine."""

    def __init__(self, config: Config, store: Store) -> None:
        self.store = store
        self.clock = Clock()
        self.hub = Hub(self.clock)
        self.links = Links(self.hub, self.clock, allow_exec=config.allow_exec, start_limit_s=config.start_limit_s)
        self.referee = Referee(self.links, store)
        self.manager = Manager(self.referee, self.links, self.hub, store, self.clock)
        self.lobby = Lobby(self.referee, self.links, self.hub, store, config.lobby)
        self.address = ""
        self._config = config
        self._health = health.aio.HealthServicer()
        self._grpc = self._build()

    @classmethod
    async def start(cls, config: Config) -> Server:
        """Start a server.

        Raises AddressInUseError if it cannot listen on the address, RecordsError if the records cannot be used.
        """
        server = cls(config, Store.open(config.records))
        listening = asyncio.ensure_future(server._listen())
        try:
            await asyncio.shield(listening)
        except asyncio.CancelledError:  # gRPC must not be interrupted while it starts
            await asyncio.wait([listening])
            await server.stop()
            raise
        except BaseException:
            await server.store.close()
            raise
        if config.resume:
            server.referee.resume_all()
            await server.manager.resume_all()
            server.lobby.resume_all()
        server.lobby.open()
        return server

    def _build(self) -> grpc.aio.Server:
        server = grpc.aio.server(interceptors=[ErrorInterceptor()], options=OPTIONS)
        referee_pb2_grpc.add_RefereeServiceServicer_to_server(RefereeServicer(self.referee), server)
        manager_pb2_grpc.add_ManagerServiceServicer_to_server(ManagerServicer(self.manager), server)
        add_to_server(LobbyServicer(self.lobby), server)
        record_service_pb2_grpc.add_RecordServiceServicer_to_server(RecordServicer(self.store), server)
        rules_pb2_grpc.add_RulesServiceServicer_to_server(RulesServicer(Questions()), server)
        info = ServerServicer(self._config.start_limit_s, starts_programs=self._config.allow_exec)
        server_pb2_grpc.add_ServerServiceServicer_to_server(info, server)
        connection = ConnectionServicer(self.hub, self._config.handshake_limit_s)
        connection_pb2_grpc.add_ConnectionServiceServicer_to_server(connection, server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        return server

    async def _listen(self) -> None:
        listen = self._config.listen
        try:
            port = self._grpc.add_insecure_port(listen)
        except RuntimeError:
            port = 0
        if port == 0:
            message = (
                f"cannot listen on {listen}: it is in use, or not an address of this machine; give another --listen"
            )
            raise AddressInUseError(message)
        host = listen.rpartition(":")[0]
        self.address = f"{'127.0.0.1' if host in ('0.0.0.0', '[::]', '') else host}:{port}"
        self.links.address = self.address
        await self._grpc.start()
        for service in ("", *SERVICES):
            await self._health.set(service, health_pb2.HealthCheckResponse.SERVING)
        # What lives as long as the server need not be looked at again and again.
        gc.collect()
        gc.freeze()

    async def wait(self) -> None:
        """Wait until the server stops."""
        await self._grpc.wait_for_termination()

    async def stop(self) -> None:
        """Leave games, tournaments and tables where they are, say goodbye, and close the records."""
        await self._health.enter_graceful_shutdown()
        self.links.give_up()
        await self.lobby.close()
        await self.referee.suspend_all()
        await self.manager.suspend_all()
        await self.lobby.suspend_all()
        self.hub.goodbye(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server shuts down")
        await self._grpc.stop(STOP_LIMIT_S)
        await self.store.close()
        await asyncio.sleep(0)

"""The server: one event loop in which the referee, the manager, the hub and the store work together."""

from __future__ import annotations

import asyncio
import gc
import logging
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from grpc_health.v1 import health, health_pb2_grpc

from fairplay.player.channels import NO_CREDENTIALS, Credentials
from fairplay.player.exposure import check_exposure, is_loopback
from fairplay.player.tls import TlsFiles
from fairplay.server.access.accounts import Accounts
from fairplay.server.access.caller import SERVER, Caller, method_roles
from fairplay.server.access.interceptor import AccessInterceptor, Audit
from fairplay.server.access.ownership import Ownership
from fairplay.server.access.quotas import GameQuota, QuotaLimits, Quotas
from fairplay.server.cluster.cluster import make_workers
from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.server.cluster.runner import ClusterRunner
from fairplay.server.examining.certifications import Certifications
from fairplay.server.examining.handover import Handover
from fairplay.server.examining.suite import Suite
from fairplay.server.game.referee import Referee
from fairplay.server.game.runner import LocalRunner, Runner
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.links.networks import ANYWHERE, NOWHERE, DialNetworks
from fairplay.server.links.program import ProgramOptions
from fairplay.server.links.secrets import Secrets
from fairplay.server.links.ways import START_LIMIT_S, Ways
from fairplay.server.lobby.lobby import Lobby
from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.manager.examiner import Examiner
from fairplay.server.manager.manager import KIND, Manager
from fairplay.server.net.connections import ConnectionGuard, ConnectionLimits
from fairplay.server.net.listeners import (
    CONNECTION_SERVICE,
    HEARTBEAT_S,
    PlayerListener,
    add_listener,
    new_server,
)
from fairplay.server.observing.observer import Meter, Observer
from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.certifications import CertificationsDatabase
from fairplay.server.records.place import Place, at
from fairplay.server.records.secrets import SecretsDatabase
from fairplay.server.records.store import Store
from fairplay.server.servicers.accounts import AccountServicer
from fairplay.server.servicers.certifications import CertificationServicer
from fairplay.server.servicers.connection import ConnectionServicer
from fairplay.server.servicers.info import HealthServicer, LoadGauge, ServerServicer
from fairplay.server.servicers.interceptor import FIRST_LIMIT_S, UNREAD_LIMIT_S, ErrorInterceptor
from fairplay.server.servicers.lobby import LobbyServicer, add_to_server
from fairplay.server.servicers.manager import ManagerServicer
from fairplay.server.servicers.referee import RecordServicer, RefereeServicer
from fairplay.server.servicers.reflection import add_reflection
from fairplay.server.servicers.rules import Questions, RulesServicer
from fairplay.v1 import (
    account_pb2,
    account_pb2_grpc,
    certification_pb2,
    certification_pb2_grpc,
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
from fairplay.v1.server_pb2 import ServerLoad

log = logging.getLogger("fairplay.server")

STOP_LIMIT_S = 1.0
SERVICES = (
    account_pb2.DESCRIPTOR.services_by_name["AccountService"].full_name,
    certification_pb2.DESCRIPTOR.services_by_name["CertificationService"].full_name,
    CONNECTION_SERVICE,
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

    `concurrency` is how many games of a tournament are played at once at the most; 0: as many as suit its players.
    `examinations` is how many players are examined at once; 0: one for every two processors. `signing_key`: signs the
    certificates of players that have themselves certified; None: nobody does.
    `records` None: records are kept until the server stops. `resume`: go on with the tournaments whose ids begin like
    this and that are not over; empty: with all that is not; None: with nothing.
    `players`: another address, which players dial in to and which serves nothing else; empty: none.
    `only_connections`: `listen` is such an address, and there is no other one. `tls` None: it speaks no TLS.
    `accounts`: it knows callers by the accounts that are kept beside its records, which must be named. `insecure`: it
    may listen to other machines without TLS and accounts. `credentials`: whom it trusts, and who it is, when it calls
    players over TLS. `quotas` bound what one caller may ask for, where there are accounts. `audit`: the file for who
    did what. `handshake_limit_s`: how long it waits for the first message of a call; `unread_limit_s`: how long for a
    stream to be read. `dial_networks`: where it calls players; None: anywhere if it listens to this machine only, else
    nowhere. `connections`: how many there may be. `heartbeat_s`: how long a connection may be silent before it is asked
    for a sign of life. `meter`: counts what the server does; None: nobody does. `tracer`: is told of each game and
    call; None: nobody is. `cluster`: where the games of tournaments are played; None: in this process.
    """

    listen: str = "127.0.0.1:0"
    players: str = ""
    records: Place | Path | None = None
    allow_exec: bool = False
    resume: str | None = ""
    only_connections: bool = False
    start_limit_s: float = START_LIMIT_S
    handshake_limit_s: float = FIRST_LIMIT_S
    unread_limit_s: float = UNREAD_LIMIT_S
    concurrency: int = 0
    examinations: int = 0
    signing_key: Ed25519PrivateKey | None = None
    programs: ProgramOptions = field(default_factory=ProgramOptions)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    lobby: LobbyLimits = field(default_factory=LobbyLimits)
    tls: TlsFiles | None = None
    accounts: bool = False
    insecure: bool = False
    credentials: Credentials = NO_CREDENTIALS
    quotas: QuotaLimits = field(default_factory=QuotaLimits)
    audit: Path | None = None
    dial_networks: DialNetworks | None = None
    heartbeat_s: float = HEARTBEAT_S
    meter: Meter | None = None
    tracer: Observer | None = None
    cluster: ClusterOptions | None = None


class Server:
    """A running server.

    `address` is where it can be reached from this machine, `players_address` where players dial in.
    """

    def __init__(self, config: Config, store: Store) -> None:
        self.store = store
        self.clock = Clock()
        self.hub = Hub(self.clock)
        options = _hiding(config.programs, config)
        networks = config.dial_networks or (ANYWHERE if is_loopback(config.listen) else NOWHERE)
        ways = Ways(
            programs=options,
            allow_exec=config.allow_exec,
            start_limit_s=config.start_limit_s,
            handshake_limit_s=config.handshake_limit_s,
            credentials=config.credentials,
            networks=networks,
        )
        secrets = Secrets(SecretsDatabase(at(config.records)) if config.records else None)
        self.programs, self.links = ways.open(self.hub, self.clock, secrets, GameQuota(config.quotas))
        self.referee = Referee(self.links, store, [each for each in (config.meter, config.tracer) if each is not None])
        self.handover = Handover(self.hub)
        suite = Suite(options, config.credentials, networks, config.start_limit_s, self.handover)
        self._workers = make_workers(config.cluster) if config.cluster is not None else None
        self.runner: Runner = LocalRunner(self.referee, store)
        if self._workers is not None:
            self.runner = ClusterRunner(self._workers, self.referee, store, ways, secrets)
        self.manager = Manager(
            self.runner,
            self.links,
            self.hub,
            store,
            self.clock,
            game_limit=config.concurrency,
            examiner=Examiner(suite.examine, config.examinations),
            owner=self._owner_of,
        )
        self.certifications = Certifications(
            CertificationsDatabase(at(config.records) if config.records else None),
            suite,
            self.manager.turns,
            self.handover,
            config.signing_key,
        )
        self.lobby = Lobby(self.referee, self.links, self.hub, store, config.lobby)
        self.address = self.players_address = ""
        self._config = config
        self._database = AccountsDatabase(at(config.records)) if config.accounts and config.records else None
        self.accounts = Accounts(self._database) if self._database is not None else None
        self.ownership = Ownership(self._database, store)
        self._health = HealthServicer(SERVICES)
        self._quotas = Quotas(config.quotas)
        self._audit = Audit(config.audit) if config.audit is not None else None
        self._callers = ConnectionGuard(config.connections.most_of_host)
        self._interceptors = self._intercept()
        quotas = self._quotas if self.accounts is not None else None
        self._connections = ConnectionServicer(
            self.hub, config.handshake_limit_s, ownership=self.ownership, quotas=quotas, handover=self.handover
        )
        for_all, for_players = config.connections.of_listeners(shared=bool(config.players))
        self._players = PlayerListener(self._connections, self._interceptors, for_players, config.heartbeat_s)
        self._grpc = self._build(for_all)

    @classmethod
    async def start(cls, config: Config) -> Server:
        """Start a server.

        Raises ExposedError if strangers could reach it and nothing keeps them apart, AddressInUseError if it cannot
        listen on the address, CredentialsError if its certificate is of no use, RecordsError if the records cannot be
        used, ClusterError if there is no cluster.
        """
        needed = {"--tls CERT KEY": config.tls is not None, "--accounts": config.accounts or config.only_connections}
        for listen in filter(None, (config.listen, config.players)):
            check_exposure(listen, needed, insecure=config.insecure)
        store = Store.open(config.records)
        try:
            server = cls(config, store)
        except BaseException:
            await store.close()
            raise
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
        if server._workers is not None:
            try:
                await server._workers.start()
            except BaseException:
                await server.stop()
                raise
        server.links.secrets.load({listing.record_id for listing in store.unfinished()})
        if config.resume == "":
            server.referee.resume_all()
        if config.resume is not None:
            await server.manager.resume_all(config.resume)
        if config.resume == "":
            server.lobby.resume_all()
        if config.resume is not None:
            await server.certifications.load()
        server.lobby.open()
        return server

    def _owner_of(self, tournament_id: str) -> Caller:
        account = self.ownership.owner(KIND, tournament_id)
        return (self.accounts.of(account) if self.accounts is not None else None) or SERVER

    def _intercept(self) -> list[grpc.aio.ServerInterceptor]:
        config = self._config
        interceptors: list[grpc.aio.ServerInterceptor] = [
            ErrorInterceptor(config.handshake_limit_s, config.unread_limit_s, config.meter, self._callers.count_reset)
        ]
        if self.accounts is not None or self._audit is not None:
            quotas = self._quotas if self.accounts is not None else None
            interceptors.append(AccessInterceptor(self.accounts, method_roles(SERVICES), quotas, self._audit))
        return interceptors

    def _build(self, max_connections: int) -> grpc.aio.Server:
        server = new_server(self._interceptors, self._config.heartbeat_s, max_connections)
        connection_pb2_grpc.add_ConnectionServiceServicer_to_server(self._connections, server)
        referee_pb2_grpc.add_RefereeServiceServicer_to_server(RefereeServicer(self.referee, self.ownership), server)
        manager_pb2_grpc.add_ManagerServiceServicer_to_server(
            ManagerServicer(self.manager, self.ownership, self._quotas), server
        )
        add_to_server(LobbyServicer(self.lobby, self.ownership), server)
        certification_pb2_grpc.add_CertificationServiceServicer_to_server(
            CertificationServicer(self.certifications, self.ownership), server
        )
        record_service_pb2_grpc.add_RecordServiceServicer_to_server(RecordServicer(self.store), server)
        rules_pb2_grpc.add_RulesServiceServicer_to_server(RulesServicer(Questions()), server)
        account_pb2_grpc.add_AccountServiceServicer_to_server(AccountServicer(self.accounts), server)
        info = ServerServicer(
            LoadGauge(self._load),
            self._config.start_limit_s,
            starts_programs=self._config.allow_exec,
            knows_accounts=self.accounts is not None,
        )
        server_pb2_grpc.add_ServerServiceServicer_to_server(info, server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        add_reflection((*SERVICES, health.SERVICE_NAME), server)
        return server

    def _load(self) -> ServerLoad:
        return ServerLoad(
            running_game_count=len(self.referee.running_ids),
            open_tournament_count=len(self.manager.open_ids),
            connected_player_count=self.hub.connected_count,
            lobby_user_count=self.lobby.user_count,
            lobby_table_count=self.lobby.table_count,
            unsaved_entry_count=self.store.unsaved_count,
            records_failed=self.store.failure is not None,
        )

    async def _listen(self) -> None:
        config = self._config
        if config.only_connections:
            self.address = self.players_address = await self._players.start(config.listen, config.tls)
        else:
            self.address = self.players_address = add_listener(self._grpc, config.listen, config.tls)
            if config.players:
                self.players_address = await self._players.start(config.players, config.tls)
            await self._grpc.start()
        self._callers.watch({self.address, self.players_address})
        loop = asyncio.get_running_loop()
        self.store.on_failure(lambda: loop.call_soon_threadsafe(partial(self._say, serving=False)))
        self._say(serving=self.store.failure is None)
        # What lives as long as the server need not be looked at again and again.
        gc.collect()
        gc.freeze()

    def _say(self, *, serving: bool) -> None:
        """Say at every address whether the server serves."""
        for each in (self._health, self._players.health):
            each.set(serving=serving)

    async def stop(self) -> None:
        """Leave games, tournaments and tables where they are, say goodbye, and close the records."""
        self._say(serving=False)
        self.links.give_up()
        await self.lobby.close()
        await self.referee.suspend_all()
        await self.manager.suspend_all()
        await self.certifications.close()
        await self.lobby.suspend_all()
        if self._workers is not None:
            await self._workers.close()
        await self.programs.close()
        self.hub.goodbye(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server shuts down")
        await asyncio.gather(self._players.stop(STOP_LIMIT_S), self._grpc.stop(STOP_LIMIT_S))
        await self._callers.stop()
        await self.store.close()
        self.links.secrets.close()
        if self._database is not None:
            self._database.close()
        if self._audit is not None:
            self._audit.close()
        await asyncio.sleep(0)


def _hiding(options: ProgramOptions, config: Config) -> ProgramOptions:
    """Return the options with which programs see nothing that belongs to the server."""
    own = [] if config.records is None else [*at(config.records).folders]
    own += [] if config.tls is None else [config.tls.key]
    own += [file for file in (config.credentials.key, config.audit) if file is not None]
    return replace(options, hidden=[*options.hidden, *own])

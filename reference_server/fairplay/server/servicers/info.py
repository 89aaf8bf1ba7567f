"""ServerService and grpc.health.v1: what this server is and offers, how much it has to do, and whether it serves."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1.health_pb2 import (
    HealthCheckRequest,
    HealthCheckResponse,
    HealthListRequest,
    HealthListResponse,
)
from grpc_health.v1.health_pb2_grpc import HealthServicer as HealthBase

from fairplay.formats import format as formats
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game, find, registered
from fairplay.server import __version__
from fairplay.server.game.plans import full_time_control
from fairplay.server.links.link import MAX_REPLY_BYTES, duration
from fairplay.server.links.stream import MAX_FRAME_BYTES, called_services
from fairplay.v1 import server_pb2 as pb
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from fairplay.v1.server_pb2 import Authentication, GameInfo, ServerInfo, ServerLimits, ServerLoad
from fairplay.v1.server_pb2_grpc import ServerServiceServicer

STATM = Path("/proc/self/statm")
BEAT_S = 0.02
"""How long it waits to see how much later than that it is called."""
SERVING = HealthCheckResponse.SERVING
NOT_SERVING = HealthCheckResponse.NOT_SERVING
MAX_SERVICE_CHARS = 200


def server_info(start_limit_s: float, *, starts_programs: bool, knows_accounts: bool) -> ServerInfo:
    """Return what everybody may know of this server."""
    return ServerInfo(
        version=__version__,
        services=called_services(),
        games=_games(),
        formats=formats.registered(),
        authentication=Authentication.AUTHENTICATION_TOKEN if knows_accounts else Authentication.AUTHENTICATION_NONE,
        limits=ServerLimits(
            max_message_bytes=MAX_FRAME_BYTES,
            max_reply_bytes=MAX_REPLY_BYTES,
            start_limit=duration(start_limit_s),
            starts_programs=starts_programs,
        ),
    )


@cache
def _games() -> tuple[GameInfo, ...]:
    return tuple(game_info(find(name)) for name in registered())


def game_info(game: Game) -> GameInfo:
    """Return what a server says of a game."""
    info = GameInfo(
        name=game.name,
        title=game.title,
        service=game.service,
        min_player_count=game.seats.start,
        max_player_count=game.seats.stop - 1,
        default_settings=wrap(GameSettings, game, game.full_settings(game.settings_type())),
        tournament_settings=wrap(GameSettings, game, game.full_settings(game.tournament_settings)),
        time_control=full_time_control(game, TimeControl()),
    )
    for each in game.settings:
        info.settings.add(name=each.name, meaning=each.meaning, allowed=each.allowed, default_value=each.default)
    for rule_id, sentence in game.rules.items():
        info.rules.add(rule_id=rule_id, sentence=sentence)
    for name, strategy in game.strategies.items():
        info.strategies.add(name=name, sentence=strategy.sentence)
    return info


class LoadGauge:
    """Says how much a server has to do. `counts` returns what it counts itself."""

    def __init__(self, counts: Callable[[], ServerLoad]) -> None:
        self._counts = counts
        self._started_s = time.monotonic()

    async def read(self) -> ServerLoad:
        """Return the load at this moment."""
        load = ServerLoad(
            uptime=duration(time.monotonic() - self._started_s),
            cpu_time=duration(time.process_time()),
            memory_bytes=_memory_bytes(),
            lag=duration(await _lag_s()),
        )
        load.MergeFrom(self._counts())
        return load


async def _lag_s() -> float:
    due_s = time.monotonic() + BEAT_S
    await asyncio.sleep(BEAT_S)
    return max(0.0, time.monotonic() - due_s)


def _memory_bytes() -> int:
    """Return how much memory this process has; 0 where the system does not say so."""
    try:
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


class ServerServicer(ServerServiceServicer):
    """The service that says what everybody may know, and what those need to know who run the server."""

    def __init__(
        self, load: LoadGauge, start_limit_s: float, *, starts_programs: bool, knows_accounts: bool = False
    ) -> None:
        self._load = load
        self._start_limit_s = start_limit_s
        self._starts_programs = starts_programs
        self._knows_accounts = knows_accounts
        self._info: pb.GetServerInfoResponse | None = None

    async def GetServerInfo(self, request: pb.GetServerInfoRequest, context: Any) -> pb.GetServerInfoResponse:  # noqa: N802
        """Return what the server is and offers, which is found out once: games are loaded for it."""
        if self._info is None:
            info = await asyncio.to_thread(
                server_info,
                self._start_limit_s,
                starts_programs=self._starts_programs,
                knows_accounts=self._knows_accounts,
            )
            self._info = pb.GetServerInfoResponse(server=info)
        return self._info

    async def GetServerLoad(self, request: pb.GetServerLoadRequest, context: Any) -> pb.GetServerLoadResponse:  # noqa: N802
        """Return how much the server has to do."""
        return pb.GetServerLoadResponse(load=await self._load.read())


class HealthServicer(HealthBase):  # type: ignore[misc]  # grpc_health has no types
    """The health of the services of these names, all alike, and of the server as a whole, the empty name."""

    def __init__(self, services: Iterable[str]) -> None:
        self._services = frozenset(["", *services])
        self._status = NOT_SERVING
        self._changed = asyncio.Event()

    def set(self, *, serving: bool) -> None:
        """Change the health of all services."""
        self._status = SERVING if serving else NOT_SERVING
        self._changed.set()
        self._changed = asyncio.Event()

    async def Check(self, request: HealthCheckRequest, context: Any) -> HealthCheckResponse:  # noqa: N802
        """Return the health of a service now."""
        if request.service not in self._services:
            message = f"there is no service {request.service[:MAX_SERVICE_CHARS]!r}"
            await context.abort(grpc.StatusCode.NOT_FOUND, message)
        return HealthCheckResponse(status=self._status)

    async def List(self, request: HealthListRequest, context: Any) -> HealthListResponse:  # noqa: N802
        """Return the health of all services now."""
        return HealthListResponse(
            statuses={name: HealthCheckResponse(status=self._status) for name in sorted(self._services)}
        )

    async def Watch(self, request: HealthCheckRequest, context: Any) -> None:  # noqa: N802
        """Stream the health of a service, now and whenever it changes. Who does not read holds up nobody."""
        known = request.service in self._services
        while True:
            changed = self._changed
            status = self._status if known else HealthCheckResponse.SERVICE_UNKNOWN
            await context.write(HealthCheckResponse(status=status))
            await changed.wait()

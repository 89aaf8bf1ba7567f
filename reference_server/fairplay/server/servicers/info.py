"""ServerService: what this server is and offers, and how much it has to do."""

from __future__ import annotations

import asyncio
from typing import Any

from fairplay.server.observing.load import LoadGauge
from fairplay.server.servicers.server_info import server_info
from fairplay.v1 import server_pb2 as pb
from fairplay.v1.server_pb2_grpc import ServerServiceServicer


class ServerServicer(ServerServiceServicer):
    """The service that says what everybody may know, and what those need to know who run the server."""

    def __init__(
        self, load: LoadGauge, start_limit_s: float, *, starts_programs: bool, knows_accounts: bool = False
    ) -> None:
        self._load = load
        self._start_limit_s = start_limit_s
        self._starts_programs = starts_programs
        self._knows_accounts = knows_accounts

    async def GetServerInfo(self, request: pb.GetServerInfoRequest, context: Any) -> pb.GetServerInfoResponse:  # noqa: N802
        """Return what the server is and offers."""
        info = await asyncio.to_thread(
            server_info,
            self._start_limit_s,
            starts_programs=self._starts_programs,
            knows_accounts=self._knows_accounts,
        )
        return pb.GetServerInfoResponse(server=info)

    async def GetServerLoad(self, request: pb.GetServerLoadRequest, context: Any) -> pb.GetServerLoadResponse:  # noqa: N802
        """Return how much the server has to do."""
        return pb.GetServerLoadResponse(load=await self._load.read())

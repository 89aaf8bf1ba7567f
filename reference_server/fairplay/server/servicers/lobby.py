"""LobbyService: users and tables."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from fairplay.server.access.caller import CALLER
from fairplay.server.access.ownership import Ownership
from fairplay.server.links.link import duration
from fairplay.server.lobby.lobby import Lobby
from fairplay.server.lobby.users import User
from fairplay.server.net.errors import Refusal
from fairplay.server.net.peers import caller_host, visitor_of
from fairplay.server.net.text import check_user_name
from fairplay.server.servicers.public import cursor_of, page_size, token_of
from fairplay.v1 import lobby_pb2 as pb
from fairplay.v1.lobby_pb2_grpc import LobbyServiceServicer

MAX_HELD = 2_000
SERVICE = pb.DESCRIPTOR.services_by_name["LobbyService"]


class LobbyServicer(LobbyServiceServicer):
    """The service that hands requests to the lobby."""

    def __init__(self, lobby: Lobby, ownership: Ownership) -> None:
        self._lobby = lobby
        self._ownership = ownership
        self._held_count = 0

    async def _user(self, request: Any, context: Any) -> User:
        try:
            user = self._lobby.user(request.token, caller_host(context))
            self._ownership.check_name(user.name)
            return user
        except Refusal as refusal:
            await self._hold(refusal.retry_s)
            raise

    async def _hold(self, seconds: float) -> None:
        """Delay the answer to a user that asks too often: otherwise refusing would slow the others down."""
        if seconds and self._held_count < MAX_HELD:
            self._held_count += 1
            try:
                await asyncio.sleep(seconds)
            finally:
                self._held_count -= 1

    async def Enter(self, request: pb.EnterRequest, context: Any) -> pb.EnterResponse:  # noqa: N802
        """Enter the lobby."""
        await self._ownership.claim_names([check_user_name(request.name)], "name")
        try:
            user = self._lobby.enter(request.name, request.token, caller_host(context))
        except Refusal as refusal:
            await self._hold(refusal.retry_s)
            raise
        limits = self._lobby.limits
        return pb.EnterResponse(
            token=user.token,
            grace_period=duration(limits.grace_s),
            requests_per_second=limits.requests_per_second,
            name=user.name,
        )

    async def Rename(self, request: pb.RenameRequest, context: Any) -> pb.RenameResponse:  # noqa: N802
        """Give a user another name."""
        user = await self._user(request, context)
        await self._ownership.claim_names([check_user_name(request.name)], "name")
        return pb.RenameResponse(name=self._lobby.rename(user, request.name))

    async def Leave(self, request: pb.LeaveRequest, context: Any) -> pb.LeaveResponse:  # noqa: N802
        """Leave the lobby."""
        self._lobby.leave(await self._user(request, context))
        return pb.LeaveResponse()

    async def Attend(  # type: ignore[override]  # noqa: N802 - writes serialised events through the context
        self, request: pb.AttendRequest, context: Any
    ) -> None:
        """Stream what happens."""
        user = await self._user(request, context)
        stream = self._lobby.attend(user, request.after_sequence)
        context.add_done_callback(lambda _: self._lobby.closed(user))
        try:
            await stream.run(context.write)
        finally:
            self._lobby.detach(user, stream)

    async def ListTables(self, request: pb.ListTablesRequest, context: Any) -> pb.ListTablesResponse:  # noqa: N802
        """Return a page of tables."""
        await self._user(request, context)
        tables, cursor = self._lobby.tables(request.game, page_size(request.page_size), cursor_of(request))
        return pb.ListTablesResponse(tables=tables, next_page_token=token_of(request, cursor))

    async def CreateTable(self, request: pb.CreateTableRequest, context: Any) -> pb.CreateTableResponse:  # noqa: N802
        """Create a table."""
        return pb.CreateTableResponse(table=self._lobby.create(await self._user(request, context), request))

    async def WatchTable(self, request: pb.WatchTableRequest, context: Any) -> pb.WatchTableResponse:  # noqa: N802
        """Go to a table to watch it."""
        return pb.WatchTableResponse(table=self._lobby.watch(await self._user(request, context), request.table))

    async def JoinTable(self, request: pb.JoinTableRequest, context: Any) -> pb.JoinTableResponse:  # noqa: N802
        """Take a seat."""
        user = await self._user(request, context)
        self._ownership.check_link(request.link, "link")
        by_visitor = visitor_of(context) is not None
        joined = await self._lobby.join(user, request.table, request.link, request.secret, by_visitor=by_visitor)
        return pb.JoinTableResponse(table=joined)

    async def SetBots(self, request: pb.SetBotsRequest, context: Any) -> pb.SetBotsResponse:  # noqa: N802
        """Bring bots to a table, or send them away."""
        user = await self._user(request, context)
        return pb.SetBotsResponse(table=await self._lobby.starts.set_bots(user, request.count, request.link))

    async def SetReady(self, request: pb.SetReadyRequest, context: Any) -> pb.SetReadyResponse:  # noqa: N802
        """Say whether a user is ready."""
        user = await self._user(request, context)
        return pb.SetReadyResponse(table=await self._lobby.starts.set_ready(user, ready=request.ready))

    async def LeaveTable(self, request: pb.LeaveTableRequest, context: Any) -> pb.LeaveTableResponse:  # noqa: N802
        """Leave a table."""
        self._lobby.leave_table(await self._user(request, context))
        return pb.LeaveTableResponse()

    async def DeleteTable(self, request: pb.DeleteTableRequest, context: Any) -> pb.DeleteTableResponse:  # noqa: N802
        """Delete a table."""
        user = await self._user(request, context)
        self._lobby.delete(user, request.table, by_operator=self._ownership.known and CALLER.get().operator)
        return pb.DeleteTableResponse()

    async def StartTable(self, request: pb.StartTableRequest, context: Any) -> pb.StartTableResponse:  # noqa: N802
        """Start a game."""
        return pb.StartTableResponse(table=await self._lobby.starts.start(await self._user(request, context)))

    async def Say(self, request: pb.SayRequest, context: Any) -> pb.SayResponse:  # noqa: N802
        """Say something."""
        self._lobby.say(await self._user(request, context), request.text)
        return pb.SayResponse()


def add_to_server(servicer: LobbyServicer, server: grpc.aio.Server) -> None:
    """Add the service as the generated function does, but serialise what Attend writes once for all who read it."""
    handlers = {method.name: _handler(servicer, method) for method in SERVICE.methods}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE.full_name, handlers)])


def _handler(servicer: LobbyServicer, method: MethodDescriptor) -> grpc.RpcMethodHandler:
    behaviour, parse = getattr(servicer, method.name), GetMessageClass(method.input_type).FromString
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(behaviour, parse)
    serialise = GetMessageClass(method.output_type).SerializeToString
    return grpc.unary_unary_rpc_method_handler(behaviour, parse, serialise)

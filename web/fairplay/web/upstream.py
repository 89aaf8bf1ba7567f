"""The server whose games the pages show: its public services, reached through one channel."""

from __future__ import annotations

import time

import grpc

from fairplay.player.channels import Credentials, open_channel
from fairplay.player.dialing import CHANNEL_OPTIONS
from fairplay.v1.account_pb2 import CreateAccountRequest, CreateAccountResponse, GetAccountRequest
from fairplay.v1.account_pb2_grpc import AccountServiceStub
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.record_service_pb2_grpc import RecordServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.rules_pb2_grpc import RulesServiceStub
from fairplay.v1.server_pb2 import (
    Authentication,
    GameInfo,
    GetServerInfoRequest,
    GetServerLoadRequest,
    ServerInfo,
    ServerLoad,
)
from fairplay.v1.server_pb2_grpc import ServerServiceStub

ANSWER_LIMIT_S = 10.0
INFO_AGE_S = 60.0
PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
"""What requests end with while a server is away."""


def knows_accounts(info: ServerInfo) -> bool:
    """Return whether a server knows its callers by accounts."""
    return info.authentication == Authentication.AUTHENTICATION_TOKEN


class Upstream:
    """The services of a server, with the credentials of the pages themselves. Visitors have channels of their own."""

    def __init__(self, address: str, credentials: Credentials) -> None:
        self.address = address
        self.credentials = credentials
        self.channel = open_channel(address, credentials, CHANNEL_OPTIONS)
        self.referee = RefereeServiceStub(self.channel)
        self.manager = ManagerServiceStub(self.channel)
        self.records = RecordServiceStub(self.channel)
        self.rules = RulesServiceStub(self.channel)
        self._server = ServerServiceStub(self.channel)
        self._info = ServerInfo()
        self._info_until_s = 0.0

    async def info(self) -> ServerInfo:
        """Return what the server says of itself, at most a minute old."""
        if time.monotonic() >= self._info_until_s:
            reply = await self._server.GetServerInfo(GetServerInfoRequest(), timeout=ANSWER_LIMIT_S)
            self._info, self._info_until_s = reply.server, time.monotonic() + INFO_AGE_S
        return self._info

    async def game(self, name: str) -> GameInfo | None:
        """Return a game that the server offers, or None if it does not."""
        return next((game for game in (await self.info()).games if game.name == name), None)

    async def create_account(self, name: str, invitation: str) -> CreateAccountResponse:
        """Make an account for somebody who was invited. Raises grpc.aio.AioRpcError if that is refused."""
        asked = CreateAccountRequest(name=name, invitation=invitation)
        made: CreateAccountResponse = await AccountServiceStub(self.channel).CreateAccount(
            asked, timeout=ANSWER_LIMIT_S
        )
        return made

    async def role(self, channel: grpc.aio.Channel) -> int:
        """Return the role in which the server sees the caller behind a channel, a `Role`."""
        reply = await AccountServiceStub(channel).GetAccount(GetAccountRequest(), timeout=ANSWER_LIMIT_S)
        return int(reply.account.role)

    async def load(self, channel: grpc.aio.Channel) -> ServerLoad | None:
        """Return how much the server has to do, to the caller behind a channel; None if it is too old to say so."""
        try:
            reply = await ServerServiceStub(channel).GetServerLoad(GetServerLoadRequest(), timeout=ANSWER_LIMIT_S)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                return None
            raise
        load: ServerLoad = reply.load
        return load

    async def close(self) -> None:
        """Close the channel."""
        await self.channel.close()

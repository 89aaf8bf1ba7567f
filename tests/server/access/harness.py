"""A server that knows accounts, and callers of every role."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from fairplay.player.channels import Credentials, open_channel
from fairplay.server.access.accounts import Accounts
from fairplay.server.net.errors import reason_of
from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.place import at
from fairplay.server.server import Config, Server

ROLES = {"alice": "player", "bob": "player", "ora": "organiser", "orb": "organiser", "root": "operator"}
"""Accounts and their roles."""
NOBODY = "nobody"
HIDDEN = "Internal error from Core"
"""What gRPC says in place of a refusal that comes just while it writes."""


class Callers:
    """A running server, and a channel for each account; NOBODY's carries no token."""

    def __init__(self, server: Server, tokens: dict[str, str], channels: dict[str, grpc.aio.Channel]) -> None:
        self.server = server
        self.tokens = tokens
        self.channels = channels

    async def reason(self, caller: str, method: MethodDescriptor, request: Message) -> str:
        """Call a method; return the reason of the refusal, empty if there is an answer."""
        channel, path = self.channels[caller], f"/{method.containing_service.full_name}/{method.name}"
        parse, serialise = GetMessageClass(method.output_type).FromString, type(request).SerializeToString
        try:
            async with asyncio.timeout(30):
                if method.client_streaming:
                    stream: Any = channel.stream_stream(path, serialise, parse)()
                    await stream.wait_for_connection()  # where most refusals come, and are not hidden
                    await stream.write(request)
                    answer = await stream.read()
                    if answer is grpc.aio.EOF:
                        await _raise(stream)
                    stream.cancel()
                elif method.server_streaming:
                    stream = channel.unary_stream(path, serialise, parse)(request)
                    await stream.read()
                    stream.cancel()
                else:
                    await channel.unary_unary(path, serialise, parse)(request)
        except grpc.aio.AioRpcError as error:
            if error.details() == HIDDEN:
                return await self.reason(caller, method, request)
            assert error.code() is not grpc.StatusCode.INTERNAL, error.details()
            assert not any(token in str(error) for token in self.tokens.values())
            return reason_of(error) or error.code().name
        return ""


async def _raise(stream: Any) -> None:
    raise grpc.aio.AioRpcError(
        await stream.code(), await stream.initial_metadata(), await stream.trailing_metadata(), await stream.details()
    )


def add_accounts(records: Path) -> dict[str, str]:
    """Add the accounts, and return a token of each."""
    database = AccountsDatabase(at(records))
    accounts = Accounts(database)
    tokens = {}
    for name, role in ROLES.items():
        accounts.add(name, role)
        tokens[name], _ = accounts.new_token(name, 3_600.0)
    database.close()
    return tokens


@asynccontextmanager
async def calling(records: Path, **options: Any) -> AsyncIterator[Callers]:
    """Start a server with accounts in a directory, and open the channels."""
    tokens = add_accounts(records)
    server = await Server.start(Config(records=records, accounts=True, **options))
    try:
        async with AsyncExitStack() as stack:
            channels = {
                name: await stack.enter_async_context(open_channel(server.address, Credentials(token=token)))
                for name, token in {**tokens, NOBODY: ""}.items()
            }
            yield Callers(server, tokens, channels)
    finally:
        await server.stop()

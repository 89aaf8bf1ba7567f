"""Plays a game of Nim at a table of a lobby, and prints who has won: run where Nim is installed."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from fairplay.server.server import Config, Server
from fairplay.v1 import lobby_pb2 as pb
from fairplay.v1.lobby_pb2_grpc import LobbyServiceStub
from fairplay.v1.table_pb2 import TableStatus

PLAYERS = {"ann": "bot:best", "bob": "bot:first", "cy": "bot:random"}


async def main() -> None:
    server = await Server.start(Config())
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = LobbyServiceStub(channel)
        tokens = {name: (await stub.Enter(pb.EnterRequest(name=name))).token for name in PLAYERS}
        events = stub.Attend(pb.AttendRequest(token=tokens["ann"]))
        await stub.CreateTable(pb.CreateTableRequest(token=tokens["ann"], name="heaps", game="nim"))
        for name, link in PLAYERS.items():
            await stub.JoinTable(pb.JoinTableRequest(token=tokens[name], table="heaps", link=link))
        await stub.StartTable(pb.StartTableRequest(token=tokens["ann"]))
        over = None
        while over is None:
            reported = [event.table for event in (await events.read()).events]
            over = next((table for table in reported if table.status == TableStatus.TABLE_STATUS_OVER), None)
        print(*(player.name for player in over.result.ranking[0].players))  # noqa: T201
        events.cancel()
    await server.stop()


asyncio.run(main())

"""A lobby that does what a real one does only in trouble: it forgets users, ends streams and refuses."""

# ruff: noqa: N802 - the methods have the names of the contract

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc

from fairplay.v1 import lobby_pb2
from fairplay.v1.lobby_pb2 import AttendResponse, LobbyEvent
from fairplay.v1.lobby_pb2_grpc import LobbyServiceServicer, add_LobbyServiceServicer_to_server
from fairplay.v1.table_pb2 import User

Context = Any


class FakeLobby:
    """Lets everybody in and tells them what the test says."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.streams: list[asyncio.Queue[LobbyEvent | grpc.StatusCode]] = []
        self.sequence = 0
        self.attended: list[int] = []
        self.entered: list[tuple[str, str]] = []
        self.refusals: list[tuple[grpc.StatusCode, str]] = []
        self.speaks = asyncio.Event()
        """Set as long as it tells anybody anything."""
        self.speaks.set()

    def tell(self, **event: Any) -> None:
        self.sequence += 1
        for stream in self.streams:
            stream.put_nowait(LobbyEvent(sequence=self.sequence, **event))

    def end_streams(self, code: grpc.StatusCode) -> None:
        while self.streams:
            self.streams.pop().put_nowait(code)

    async def Enter(self, request: Any, context: Context) -> lobby_pb2.EnterResponse:
        self.entered.append((request.name, request.token))
        if self.refusals:
            await context.abort(*self.refusals.pop(0))
        token = request.token or f"token of {request.name}"
        self.names[token] = request.name
        return lobby_pb2.EnterResponse(token=token)

    async def Attend(self, request: Any, context: Context) -> None:
        if request.token not in self.names:
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "nobody here has this token")
        await self.speaks.wait()
        self.attended.append(request.after_sequence)
        events: asyncio.Queue[LobbyEvent | grpc.StatusCode] = asyncio.Queue()
        self.streams.append(events)
        self.sequence += 1
        users = [User(name=name) for name in self.names.values()]
        events.put_nowait(LobbyEvent(sequence=self.sequence, lobby=lobby_pb2.Lobby(users=users)))
        while not isinstance(event := await events.get(), grpc.StatusCode):
            await context.write(AttendResponse(events=[event]))
        await context.abort(event, "the stream is over")

    async def Leave(self, request: Any, context: Context) -> lobby_pb2.LeaveResponse:
        del self.names[request.token]
        return lobby_pb2.LeaveResponse()


def servicer(fake: FakeLobby) -> Any:
    """Return the servicer of a fake: other methods are not implemented."""
    made: Any = type("Servicer", (LobbyServiceServicer,), {"__abstractmethods__": frozenset()})()
    made.Enter, made.Attend, made.Leave = fake.Enter, fake.Attend, fake.Leave
    return made


@asynccontextmanager
async def fake_lobby(port: int = 0) -> AsyncIterator[tuple[FakeLobby, str]]:
    """Serve a fake lobby, with its address."""
    fake, server = FakeLobby(), grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    add_LobbyServiceServicer_to_server(servicer(fake), server)
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield fake, f"127.0.0.1:{port}"
    finally:
        fake.end_streams(grpc.StatusCode.UNAVAILABLE)
        await server.stop(0)

"""What the tests of the server share: a server on a free port, plans, and players that dial in by hand."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.fish.v1 import fish_pb2
from fairplay.games.game import find
from fairplay.player.channels import NO_CREDENTIALS, Credentials
from fairplay.player.dialing import Hosted, dial_in_async
from fairplay.player.handlers import Handlers
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import Call, DialInRequest, DialInResponse, Hello, HostedPlayer, Reply
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub
from fairplay.v1.game_pb2 import Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan

ONE_MOVE = fish_pb2.State(
    columns=3,
    fish=[3] * 9,
    players=[
        fish_pb2.Player(color=fish_pb2.Color.COLOR_RED, places=[0, 2, 4, 6]),
        fish_pb2.Player(color=fish_pb2.Color.COLOR_WHITE, places=[1, 3, 5, 7]),
    ],
    penguin_count=4,
)
"""F3 of the rules' worked vectors: red moves once, then nobody can."""


def own_address() -> str:
    """Return an address of this machine that is not loopback; what is sent there does not leave it.

    Skips the test if there is none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no other address than those of loopback")
        return str(probe.getsockname()[0])


def seconds(value: float) -> Duration:
    return Duration(seconds=int(value), nanos=int(value % 1 * 1e9))


def plan(*links: str, seed: int = 1, limit_s: float = 5.0, **settings: Any) -> GamePlan:
    """Return the plan of a game of Fish between players a, b, c, d on these links."""
    made = GamePlan(
        game="fish",
        players=[Player(name=name, link=link) for name, link in zip("abcd", links, strict=False)],
        seed=seed,
        time_control=TimeControl(decision_limit=seconds(limit_s), first_decision_limit=seconds(limit_s)),
    )
    made.settings.fish.SetInParent()
    for key, value in settings.items():
        setattr(made.settings.fish, key, value)
    return made


@asynccontextmanager
async def serving(config: Config | None = None) -> AsyncIterator[Server]:
    server = await Server.start(config or Config(allow_exec=True, start_limit_s=5.0))
    try:
        yield server
    finally:
        await server.stop()


@asynccontextmanager
async def dialled_in(
    server: Server,
    *players: tuple[str, object],
    resume_s: float = 0.0,
    token: str = "token",
    credentials: Credentials = NO_CREDENTIALS,
) -> AsyncIterator[None]:
    """Dial in with player objects over one stream, with the SDK."""
    hosted = [Hosted(player, name, token) for name, player in players]
    task = asyncio.create_task(
        dial_in_async(hosted, server.players_address, resume_s=resume_s, credentials=credentials)
    )
    async with asyncio.timeout(30):
        for name, _ in players:
            await server.hub.arrived(name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


Answer = Callable[[Call], Sequence[Reply]]
AnyAnswer = TypeVar("AnyAnswer", bound=Answer)


class ByHand:
    """A program that dials in and does with the stream whatever a test wants."""

    def __init__(self, server: Server, *names: str, token: str = "token") -> None:
        self.hello = Hello(players=[HostedPlayer(name=name, token=token) for name in names])
        self.channel = grpc.aio.insecure_channel(
            server.players_address,
            options=[("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)],
        )
        self.stream: Any = ConnectionServiceStub(self.channel).DialIn()
        self.calls: list[Call] = []

    async def __aenter__(self) -> ByHand:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stream.cancel()
        await self.channel.close()

    async def say_hello(self) -> DialInResponse:
        await self.stream.write(DialInRequest(hello=self.hello))
        frame: DialInResponse = await self.stream.read()
        if frame is grpc.aio.EOF:
            raise AssertionError(await self.stream.code(), await self.stream.details())
        return frame

    async def frame(self) -> DialInResponse:
        async with asyncio.timeout(30):
            frame: DialInResponse = await self.stream.read()
        return frame

    async def next_call(self) -> Call:
        """Return the next call, whatever frames come before."""
        while not self.calls:
            frame = await self.frame()
            assert frame is not grpc.aio.EOF
            self.calls.extend(frame.calls)
        return self.calls.pop(0)

    async def reply(self, *replies: Reply) -> None:
        await self.stream.write(DialInRequest(replies=replies))

    async def play(self, answer: Answer) -> None:
        """Answer calls until the stream ends."""
        while (frame := await self.stream.read()) is not grpc.aio.EOF:
            for call in frame.calls:
                self.calls.append(call)
                if replies := answer(call):
                    await self.reply(*replies)

    @asynccontextmanager
    async def answering(self, answer: AnyAnswer) -> AsyncIterator[AnyAnswer]:
        """Answer calls for as long as the context lasts, and yield what answers them."""
        playing = asyncio.create_task(self.play(answer))
        try:
            yield answer
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)


def sound(strategy: str = "first", game: str = "fish") -> Callable[[Call], Reply]:
    """Return a function that answers as a reference player does."""
    handlers = Handlers(find(game).player(strategy))

    def answer(call: Call) -> Reply:
        return Reply(id=call.id, response=handlers.call_now(call.method_name, call.request))

    return answer


async def refusals(*calls: Any) -> list[grpc.aio.AioRpcError]:
    """Make calls at the same time, so that no busy machine spreads them, and return what is said to those refused."""
    found = await asyncio.gather(*calls, return_exceptions=True)
    refused = [each for each in found if isinstance(each, grpc.aio.AioRpcError)]
    assert not [each for each in found if isinstance(each, BaseException) and each not in refused]
    assert {(each.code().name, reason_of(each)) for each in refused} <= {("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS")}
    return refused

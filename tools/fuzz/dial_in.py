"""The attack on ConnectionService: streams of strangers, and of entrants who have a name and a token of their own.

The neighbour's player has dialled in, and plays meanwhile. Strangers send hellos for its name, replies to calls that
were not made to them, frames in the wrong order, huge ones and random bytes. Entrants dial in under names of their own,
have games played, and answer their calls in every wrong way.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.protobuf.descriptor_pool import Default
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError

from fairplay.games.game import find
from fairplay.player.dialing import Hosted, dial_in_async
from fairplay.player.handlers import Handlers
from fairplay.v1.connection_pb2 import Call, DialInRequest, DialInResponse, Failure, Hello, HostedPlayer, Reply
from fairplay.v1.game_pb2 import Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tools.fuzz.attack import GAME, Report, play_on, random_message, unknown_field

PATH = "/fairplay.v1.ConnectionService/DialIn"
NEIGHBOUR = "ann"
STRANGERS, ENTRANTS = 20, 4
STREAM_LIMIT_S = 5.0
WELCOME_LIMIT_S = 60.0
ANSWER_LIMIT = Duration(nanos=500_000_000)
MANY_IDS = 5_000
"""Ids of calls are low numbers: these are those of the neighbour's calls, too."""
SOUND_SHARE = 0.6
LARGE, HUGE = 64 * 1024, 5 * 1024 * 1024
LARGEST = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


class DialInAttack:
    """An attack on the dial-in side of a server, at the address `players`, by the frames that `seed` draws."""

    def __init__(self, server: str, players: str, seed: int) -> None:
        self.report = Report()
        self._server = server
        self._players = players
        self._rng = random.Random(seed)
        self._token = self._rng.randbytes(16).hex()
        self._entrants = 0

    async def run(self, frames: int, limit_s: float) -> None:
        """Send so many frames, or as many as there is time for."""
        give_up, over = time.monotonic() + limit_s, asyncio.Event()
        async with (
            grpc.aio.insecure_channel(self._players, options=LARGEST) as channel,
            grpc.aio.insecure_channel(self._server) as neighbours,
            self._neighbours_player(),
            asyncio.TaskGroup() as group,
        ):
            group.create_task(play_on(neighbours, f"dial-in:{NEIGHBOUR}", self.report, over))
            try:
                while self.report.frame_count < frames and time.monotonic() < give_up:
                    strangers = (self._stranger(channel) for _ in range(STRANGERS))
                    await asyncio.gather(*strangers, *(self._entrant(channel, neighbours) for _ in range(ENTRANTS)))
            finally:
                over.set()

    @asynccontextmanager
    async def _neighbours_player(self) -> AsyncIterator[None]:
        welcome = asyncio.Event()
        hosted = [Hosted(find(GAME).player("first"), NEIGHBOUR, self._token)]
        player = asyncio.create_task(dial_in_async(hosted, self._players, on_welcome=lambda _: welcome.set()))
        try:
            async with asyncio.timeout(WELCOME_LIMIT_S):
                await welcome.wait()
            yield
        finally:
            player.cancel()
            await asyncio.wait([player])

    # --- strangers ---

    async def _stranger(self, channel: grpc.aio.Channel) -> None:
        """Send frames that were drawn before, and read what comes until the server ends the stream or says nothing."""
        frames = [self._frame() for _ in range(self._rng.randrange(1, 12))]
        begins = self._rng.random()
        if begins < 0.3:  # as somebody may, under a name that is free
            frames.insert(0, self._hello(f"s{self._rng.randrange(50)}", self._rng.choice(["", "mine"])))
        elif begins < 0.5:
            frames.insert(0, self._hello(NEIGHBOUR, self._rng.choice(["", "mine", self._token[:-1], "x" * 1_000])))
        stream: Any = channel.stream_stream(PATH)()
        try:
            async with asyncio.timeout(STREAM_LIMIT_S):
                for frame in frames:
                    await self._write(stream, frame)
                if self._rng.random() < 0.5:
                    await stream.done_writing()
                    while (came := await stream.read()) is not grpc.aio.EOF:
                        self._look(came, frames)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, TimeoutError):
            pass  # the server has ended the stream before it has read everything, or says nothing
        if not stream.done():
            stream.cancel()
        self.report.count_status((await stream.code()).name)

    def _look(self, came: bytes, frames: Sequence[bytes]) -> None:
        """Count it if a stranger is welcome under the name of the neighbour's player, or sent its calls."""
        frame = DialInResponse.FromString(came)
        try:
            names = [player.name for player in DialInRequest.FromString(frames[0]).hello.players]
        except DecodeError:
            names = []
        self.report.stolen_count += bool(frame.calls) or (frame.HasField("welcome") and NEIGHBOUR in names)

    async def _write(self, stream: Any, frame: bytes) -> None:
        self.report.frame_count += 1
        self.report.sent_bytes += len(frame)
        await stream.write(frame)

    def _frame(self) -> bytes:
        rng = self._rng
        stranger = f"s{rng.randrange(50)}"
        kinds: dict[Callable[[], bytes], int] = {
            lambda: rng.randbytes(rng.randrange(300)): 20,
            lambda: bytes(random_message(rng, DialInRequest.DESCRIPTOR).SerializeToString()): 20,
            lambda: _frame_of([self._forged() for _ in range(rng.randrange(300))]): 20,
            lambda: self._hello(rng.choice([NEIGHBOUR, stranger, "", "\u202e", "x" * 65]), "mine"): 10,
            lambda: self._hello(*(f"s{number}" for number in range(rng.choice([2, 1_000, 1_001]))), "mine"): 5,
            lambda: self._hello(stranger, "mine") + unknown_field(bytes(rng.randrange(LARGE))): 24,
            lambda: unknown_field(bytes(rng.randrange(HUGE))): 1,
        }
        return self._any(kinds)()

    def _any(self, kinds: Mapping[Callable[[], bytes], int]) -> Callable[[], bytes]:
        return self._rng.choices([*kinds], [*kinds.values()])[0]

    def _hello(self, *names_and_token: str) -> bytes:
        *names, token = names_and_token
        hello = Hello(
            players=[HostedPlayer(name=name, token=token) for name in names],
            resume_token=self._rng.randbytes(self._rng.choice([0, 16, 100])),
            resume_window=Duration(seconds=self._rng.choice([0, 0, 1, -1, 2**40])),
        )
        return DialInRequest(hello=hello).SerializeToString()

    def _forged(self) -> Reply:
        return Reply(id=self._rng.randrange(MANY_IDS), response=self._rng.randbytes(self._rng.randrange(40)))

    # --- entrants ---

    async def _entrant(self, channel: grpc.aio.Channel, server: grpc.aio.Channel) -> None:
        """Dial in under a name of its own, and have a game played against a bot, which must not suffer from it."""
        self._entrants += 1
        name = f"e{self._entrants}"
        stream: Any = channel.stream_stream(PATH)()
        hello = Hello(players=[HostedPlayer(name=name, token="own")], resume_window=Duration(nanos=1))
        answering = asyncio.create_task(self._answer_all(stream, DialInRequest(hello=hello).SerializeToString()))
        plan = GamePlan(
            game=GAME,
            players=[Player(name="evil", link=f"dial-in:{name}"), Player(name="bob", link="bot:first")],
            time_control=TimeControl(decision_limit=ANSWER_LIMIT, first_decision_limit=ANSWER_LIMIT),
        )
        try:
            game = (await RefereeServiceStub(server).PlayGame(PlayGameRequest(plan=plan))).game
        finally:
            stream.cancel()
            await asyncio.wait([answering])
        self.report.entrant_game_count += 1
        self.report.failed_game_count += any(each.player == "bob" for each in game.result.misconducts)
        self.report.failed_game_count += bool(game.result.aborted)

    async def _answer_all(self, stream: Any, hello: bytes) -> None:
        handlers = Handlers(find(GAME).player("first"))
        try:
            await self._write(stream, hello)
            while (came := await stream.read()) is not grpc.aio.EOF:
                for call in DialInResponse.FromString(came).calls:
                    for frame in self._answers(call, handlers):
                        await self._write(stream, frame)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            self.report.count_status("ENTRANT ENDED")
        except asyncio.CancelledError:
            if not stream.cancelled():
                raise

    def _answers(self, call: Call, handlers: Handlers) -> Sequence[bytes]:
        """Return the frames with which an entrant answers a call: mostly soundly, so that the game goes on."""
        rng = self._rng
        response = handlers.call_now(call.method_name, call.request)
        sound = Reply(id=call.id, response=response)
        if rng.random() < SOUND_SHARE:
            return [_frame_of([sound])]
        kinds: dict[Callable[[], bytes], int] = {
            lambda: _frame_of([*(self._forged() for _ in range(rng.randrange(300))), sound, sound]): 4,
            lambda: _frame_of([Reply(id=call.id, response=rng.randbytes(rng.randrange(100)))]): 2,
            lambda: _frame_of([Reply(id=call.id, response=self._random_answer(call))]): 3,
            lambda: _frame_of([Reply(id=call.id, response=response + unknown_field(bytes(rng.randrange(LARGE))))]): 3,
            lambda: _frame_of([Reply(id=call.id, response=unknown_field(bytes(rng.randrange(HUGE))))]): 1,
            lambda: _frame_of([Reply(id=call.id, failure=_random_failure(rng))]): 2,
            lambda: b"": 1,
            self._frame: 2,
        }
        return [self._any(kinds)()]

    def _random_answer(self, call: Call) -> bytes:
        service, _, method = call.method_name[1:].partition("/")
        described = Default().FindServiceByName(service).methods_by_name[method]
        return bytes(random_message(self._rng, described.output_type).SerializeToString())


def _random_failure(rng: random.Random) -> Failure:
    return Failure(code=rng.randrange(-3, 30), message="\u202e" * rng.randrange(LARGE))


def _frame_of(replies: Sequence[Reply]) -> bytes:
    return DialInRequest(replies=replies).SerializeToString()

"""Streams to players that serve: calls go through one while it lasts, and unary calls take its place in every case."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.secrets import SECRET_KEY
from fairplay.player.serving import TAKE_CALLS, start_server
from fairplay.server.links.dial_out import DialOutLink, dial_out_link
from fairplay.server.links.link import Clock, Link
from fairplay.server.links.open_calls import MAX_STRAY_REPLIES
from fairplay.server.links.player_stream import PlayerStream
from fairplay.server.server import Server
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallErrorReason, MisconductKind, Overrun
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse
from fairplay.v1.player_stream_pb2 import TakeCallsRequest, TakeCallsResponse
from fairplay.v1.referee_pb2 import Game
from tests.server.harness import SHORT_S, plan, serving, sound

DESCRIBE = "/fairplay.v1.PlayerService/Describe"
TAKE_TURN = "/fairplay.fish.v1.FishPlayerService/TakeTurn"
AMPLE_S = 60.0
READY = TakeCallsResponse().SerializeToString()

TakeCalls: TypeAlias = Callable[[Any, Any], Awaitable[None]]


class ByHand(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpcio has no types for it
    """A player of Fish that serves soundly, with a stream that does whatever a test wants."""

    def __init__(self, take_calls: TakeCalls | None) -> None:
        self._take_calls = take_calls
        self._sound = Handlers(find("fish").player("first"))
        self.unary: list[str] = []
        """The methods that were called by unary calls, in order."""
        self.streamed: list[Call] = []
        """The calls that came through streams."""
        self.cancelled: list[int] = []
        self.limits_s: list[float] = []
        """The deadlines of the unary calls."""
        self.banks: list[str] = []
        """What unary calls say of banks."""

    def service(self, handler_call_details: Any) -> Any:
        method = handler_call_details.method
        if method == TAKE_CALLS:
            return None if self._take_calls is None else grpc.stream_stream_rpc_method_handler(self._stream)

        async def answer(request: bytes, context: Any) -> bytes:
            self.unary.append(method)
            self.limits_s.append(context.time_remaining())
            self.banks += [value for key, value in context.invocation_metadata() if key == "fairplay-bank-ms"]
            return self._sound.call_now(method, request)

        return grpc.unary_unary_rpc_method_handler(answer)

    async def _stream(self, requests: Any, context: Any) -> None:
        assert self._take_calls is not None
        assert await context.read() == TakeCallsRequest().SerializeToString()
        await self._take_calls(requests, context)

    async def read(self, context: Any) -> list[Call]:
        """Return the calls of the next frame; none when the server has ended the stream."""
        data = await context.read()
        if data is grpc.aio.EOF:
            return []
        frame = TakeCallsRequest.FromString(data)
        self.cancelled.extend(frame.cancelled)
        self.streamed.extend(frame.calls)
        return list(frame.calls)


def frame(*replies: Reply) -> bytes:
    return TakeCallsResponse(replies=replies).SerializeToString()


@asynccontextmanager
async def listening(player: ByHand) -> AsyncIterator[str]:
    """Serve a player, and yield its address."""
    serving_it = grpc.aio.server()
    serving_it.add_generic_rpc_handlers((player,))
    port = serving_it.add_insecure_port("127.0.0.1:0")
    await serving_it.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await serving_it.stop(0)


@asynccontextmanager
async def linked(player: ByHand, clock: Clock | None = None) -> AsyncIterator[DialOutLink]:
    """Serve a player, and yield the link to it."""
    async with listening(player) as address:
        link = await dial_out_link(clock or Clock(), address, AMPLE_S)
        assert isinstance(link, DialOutLink)
        try:
            yield link
        finally:
            await link.close()


async def ask(link: Link, method: str = DESCRIBE, limit_s: float = AMPLE_S, bank_s: float = 0.0) -> Any:
    """Call a method, and return what became of that."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    link.call(method, b"", limit_s, lambda outcome, _: future.set_result(outcome), bank_s)
    return await future


def name_in(outcome: Any) -> str:
    assert isinstance(outcome, bytes), outcome
    return str(DescribeResponse.FromString(outcome).description.display_name)


async def against_bot(server: Server, link: Link, limit_s: float = 30.0) -> Game:
    bot = await server.links.open(Player(name="b", link="bot:first"), find("fish"))
    return await server.referee.play(plan("bot:first", "bot:first", limit_s=limit_s), links=[link, bot])


class RefusesLate(ByHand):
    """A player without a stream, in a language whose gRPC refuses an unknown method when its first message has come."""

    def __init__(self) -> None:
        super().__init__(self._refuse)

    async def _stream(self, requests: Any, context: Any) -> None:
        await context.read()
        await self._refuse(requests, context)

    async def _refuse(self, _: Any, context: Any) -> None:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no such method")


async def test_a_player_that_refuses_the_stream_when_a_message_comes_has_refused_it() -> None:
    async with linked(RefusesLate()) as link, asyncio.timeout(AMPLE_S):
        assert await link.open_stream() is None


async def test_a_stream_that_is_over_before_anybody_asks_for_it_was_served() -> None:
    async def ends(_: Any, context: Any) -> None:
        await context.write(READY)

    over = asyncio.Event()
    async with listening(ByHand(ends)) as address, grpc.aio.insecure_channel(address) as channel:
        stream = PlayerStream(Clock(), channel, (), lambda _: over.set())
        async with asyncio.timeout(AMPLE_S):
            await over.wait()
            assert await stream.opens()
        assert not stream.is_open
        await stream.close()


async def sounds(player: ByHand, context: Any) -> None:
    """Be a sound stream."""
    answer = sound()
    await context.write(READY)
    while calls := await player.read(context):
        await context.write(frame(*map(answer, calls)))


# What goes through the stream


async def test_a_player_that_serves_a_stream_is_called_through_it_alone() -> None:
    player = ByHand(lambda _, context: sounds(player, context))
    async with serving() as server, linked(player, server.clock) as link:
        assert await link.open_stream() is not None
        game = await against_bot(server, link)
    assert not game.result.misconducts
    assert player.unary == []
    assert {call.player for call in player.streamed} == {0}
    assert all(call.time_limit.ToMilliseconds() for call in player.streamed)


async def test_the_kit_offers_the_stream_and_answers_through_it_as_without() -> None:
    fish = find("fish")
    served, port = await start_server(Handlers(fish.player("minimax")), "127.0.0.1:0")
    games = []
    async with serving() as server:
        for stream in (True, False):
            link = await dial_out_link(server.clock, f"127.0.0.1:{port}", AMPLE_S, stream=stream)
            assert isinstance(link, DialOutLink)
            opened = await link.open_stream() if stream else None
            games.append(await against_bot(server, link))
            found = await link.open_stream()
            assert found is not None
            assert found is (opened or await link.open_stream())
            await link.close()
    await served.stop(0)
    assert not games[0].result.misconducts
    assert games[0].result == games[1].result


async def test_the_stream_shows_the_secret_and_without_it_is_refused() -> None:
    served, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0", secret="right")
    for secret in ("right", "wrong"):
        link = await dial_out_link(Clock(), f"127.0.0.1:{port}", AMPLE_S, secret=secret)
        assert isinstance(link, DialOutLink)
        assert (await link.open_stream() is not None) is (secret == "right")
        outcome = await ask(link)
        if secret == "right":
            assert name_in(outcome) == "first"
        else:
            assert outcome.status_code == grpc.StatusCode.UNAUTHENTICATED.value[0]
            assert SECRET_KEY in outcome.message
        await link.close()
    await served.stop(0)


# Unary calls in its place


async def test_a_player_without_a_stream_is_called_as_ever() -> None:
    player = ByHand(None)
    async with serving() as server, linked(player, server.clock) as link:
        assert await link.open_stream() is None
        game = await against_bot(server, link)
    assert not game.result.misconducts
    assert player.streamed == []


async def test_a_player_is_called_at_once_whether_its_stream_opens_or_not() -> None:
    async def never(_: Any, context: Any) -> None:
        await context.read()

    player = ByHand(never)
    async with linked(player) as link:
        assert name_in(await ask(link)) == "first"
    assert player.unary == [DESCRIBE]


@pytest.mark.parametrize("status", [None, grpc.StatusCode.UNAVAILABLE])
async def test_a_stream_that_ends_in_mid_game_costs_nothing(status: Any) -> None:
    async def take_calls(_: Any, context: Any) -> None:
        answer = sound()
        await context.write(READY)
        while len(player.streamed) < 8:
            for call in await player.read(context):
                if call.method_name != TAKE_TURN:
                    await context.write(frame(answer(call)))
                else:  # a call stays open
                    if status is not None:
                        await context.abort(status, "this stream ends")
                    return

    player = ByHand(take_calls)
    async with serving() as server, linked(player, server.clock) as link:
        assert await link.open_stream() is not None
        game = await against_bot(server, link)
    assert not game.result.misconducts
    assert player.streamed[-1].method_name == player.unary[0] == TAKE_TURN
    assert set(player.unary) == {TAKE_TURN}


async def test_an_open_call_goes_on_with_what_is_left_of_its_time() -> None:
    async def take_calls(_: Any, context: Any) -> None:
        await context.write(READY)
        await player.read(context)
        passed_s.append(AMPLE_S / 2)

    passed_s: list[float] = []
    player = ByHand(take_calls)
    async with linked(player, Clock(lambda: time.monotonic() + sum(passed_s))) as link:
        assert await link.open_stream() is not None
        assert name_in(await ask(link, bank_s=7.5)) == "first"
    assert player.unary == [DESCRIBE]
    assert player.banks == ["7500"]
    assert 0 < player.limits_s[0] <= AMPLE_S / 2


async def test_a_call_that_goes_on_without_the_stream_can_be_cancelled() -> None:
    over = asyncio.Event()
    began = asyncio.Event()

    async def take_calls(_: Any, context: Any) -> None:
        await context.write(READY)
        await player.read(context)

    class Slow(ByHand):
        def service(self, handler_call_details: Any) -> Any:
            if handler_call_details.method == TAKE_CALLS:
                return super().service(handler_call_details)

            async def answer(request: bytes, context: Any) -> bytes:
                began.set()
                try:
                    await asyncio.sleep(AMPLE_S)
                finally:
                    over.set()
                return b""

            return grpc.unary_unary_rpc_method_handler(answer)

    player = Slow(take_calls)
    async with linked(player) as link:
        assert await link.open_stream() is not None
        call = link.call(DESCRIBE, b"", AMPLE_S, lambda *_: None)
        async with asyncio.timeout(AMPLE_S):
            await began.wait()
            call.cancel()
            await over.wait()


async def floods(player: ByHand, context: Any, data: bytes) -> None:
    await context.write(READY)
    await player.read(context)
    while True:
        await context.write(data)
        await asyncio.sleep(0)  # otherwise the end of the stream is never noticed


FLOODS = {
    "strays": frame(*[Reply(id=2**52)] * 100),
    "nothing": frame(),
    "garbage": b"\xff\xff",
    "too much": frame(Reply(id=2**52, response=bytes(8 * 1024 * 1024))),
}


@pytest.mark.parametrize("data", FLOODS.values(), ids=FLOODS)
async def test_a_stream_that_breaks_the_contract_is_ended_and_its_calls_go_on(data: bytes) -> None:
    over = asyncio.Event()

    async def flood_until_it_is_over(_: Any, context: Any) -> None:
        try:
            await floods(player, context, data)
        finally:
            over.set()

    player = ByHand(flood_until_it_is_over)
    async with linked(player) as link:
        stream = await link.open_stream()
        assert stream is not None
        assert name_in(await ask(link)) == "first"
        async with asyncio.timeout(AMPLE_S):
            await over.wait()
        assert not stream.is_open
        assert stream.stray_reply_count in (0, MAX_STRAY_REPLIES + 1)
        assert name_in(await ask(link)) == "first"
    assert player.unary == [DESCRIBE, DESCRIBE]


# Blame


async def outcome_of(answer: Callable[[Call], Sequence[Reply]], limit_s: float = AMPLE_S) -> tuple[Any, ByHand]:
    """Return what becomes of a call that a stream answers so, and the player."""

    async def take_calls(_: Any, context: Any) -> None:
        await context.write(READY)
        while calls := await player.read(context):
            await context.write(frame(*(reply for call in calls for reply in answer(call))))

    player = ByHand(take_calls)
    async with linked(player) as link:
        assert await link.open_stream() is not None
        outcome = await ask(link, limit_s=limit_s)
        async with asyncio.timeout(AMPLE_S):
            while isinstance(outcome, Overrun) and not player.cancelled:
                await asyncio.sleep(0.01)
    assert player.unary == []
    return outcome, player


async def test_a_reply_to_another_call_is_no_answer_and_the_player_hears_that_its_time_is_over() -> None:
    outcome, player = await outcome_of(lambda call: [Reply(id=call.id + 1_000)] * 3, SHORT_S)
    assert isinstance(outcome, Overrun)
    assert player.cancelled == [player.streamed[0].id]


async def test_a_player_that_is_gone_is_disconnected_as_without_a_stream() -> None:
    async def take_calls(_: Any, context: Any) -> None:
        await context.write(READY)
        await player.read(context)
        stopping.append(asyncio.create_task(serving_it.stop(0)))
        await asyncio.sleep(AMPLE_S)

    stopping: list[asyncio.Task[None]] = []
    player = ByHand(take_calls)
    serving_it = grpc.aio.server()
    serving_it.add_generic_rpc_handlers((player,))
    port = serving_it.add_insecure_port("127.0.0.1:0")
    await serving_it.start()
    link = await dial_out_link(Clock(), f"127.0.0.1:{port}", AMPLE_S)
    assert isinstance(link, DialOutLink)
    assert await link.open_stream() is not None
    outcome = await ask(link)
    assert outcome.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
    await link.close()
    await asyncio.gather(*stopping)


async def test_a_player_that_hangs_in_its_stream_costs_its_limit_and_no_other_call() -> None:
    async def take_calls(_: Any, context: Any) -> None:
        answer = sound()
        await context.write(READY)
        while calls := await player.read(context):
            await context.write(frame(*(answer(call) for call in calls if call.method_name == DESCRIBE)))

    player = ByHand(take_calls)
    async with serving() as server, linked(player, server.clock) as link:
        assert await link.open_stream() is not None
        game = await against_bot(server, link, SHORT_S)
        assert name_in(await ask(link)) == "first"
    (misconduct,) = game.result.misconducts
    assert misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT


# The player's side, in the kit


@asynccontextmanager
async def open_stream(player: object) -> AsyncIterator[Any]:
    """Serve a player with the kit, and yield the server's end of a stream to it."""
    served, port = await start_server(Handlers(player), "127.0.0.1:0")
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stream = channel.stream_stream(TAKE_CALLS)()
        assert await stream.read() == READY
        yield stream
        stream.cancel()
    await served.stop(0)


async def test_a_call_of_no_player_or_method_fails_alone() -> None:
    calls = [
        Call(id=1, player=7, method_name=DESCRIBE),
        Call(id=2, method_name="/no.such/Method"),
        Call(id=3, method_name=TAKE_TURN, request=b"\xff"),
        Call(id=4, method_name=DESCRIBE, request=DescribeRequest().SerializeToString()),
    ]
    replies: dict[int, Reply] = {}
    async with open_stream(find("fish").player("first")) as stream:
        await stream.write(TakeCallsRequest(calls=calls).SerializeToString())
        while len(replies) < len(calls):
            replies |= {reply.id: reply for reply in TakeCallsResponse.FromString(await stream.read()).replies}
    codes = [grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INVALID_ARGUMENT]
    assert [replies[number].failure.code for number in (1, 2, 3)] == [code.value[0] for code in codes]
    assert name_in(replies[4].response) == "first"


async def test_an_unreadable_frame_ends_the_stream_with_the_reason() -> None:
    async with open_stream(find("fish").player("first")) as stream:
        await stream.write(b"\xff\xff")
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await stream.read()
    assert ended.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_cancelled_call_and_those_of_a_stream_that_ends_are_given_up() -> None:
    class Waiting:
        game = "fish"
        began = 0
        given_up = 0

        async def play_as(self, _: Any) -> None:
            self.began += 1
            try:
                await asyncio.sleep(AMPLE_S)
            finally:
                self.given_up += 1

    player = Waiting()
    play_as = "/fairplay.fish.v1.FishPlayerService/PlayAs"

    async def until(holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(AMPLE_S):
            while not holds():
                await asyncio.sleep(0.01)

    async with open_stream(player) as stream:
        calls = [Call(id=number, method_name=play_as) for number in (1, 2)]
        await stream.write(TakeCallsRequest(calls=calls).SerializeToString())
        await until(lambda: player.began == 2)
        await stream.write(TakeCallsRequest(cancelled=[1]).SerializeToString())
        await until(lambda: player.given_up == 1)
        stream.cancel()
        await until(lambda: player.given_up == 2)

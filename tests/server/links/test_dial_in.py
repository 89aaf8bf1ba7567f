"""Players that dial in: what the contract of ConnectionService promises, and what a bad one costs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import grpc
import pytest
from h2.connection import H2Connection
from h2.settings import SettingCodes

from benchmarks.half_open import call_head
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import (
    Call,
    DialInRequest,
    DialInResponse,
    Hello,
    HostedPlayer,
    Reply,
)
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct
from fairplay.v1.referee_pb2 import Game
from tests.server.harness import ByHand, plan, serving, sound

PLAYERS = "127.0.0.1:0"
"""Where the server listens for players alone. Other tests dial in at the address that serves everything."""


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(Config(players=PLAYERS, allow_exec=True, start_limit_s=5.0)) as running:
        yield running


async def against_bot(server: Server, by_hand: ByHand, answer: Any) -> Game:
    """Play a game between the program dialled in by hand as "x" and a reference player."""
    await by_hand.say_hello()
    async with by_hand.answering(answer):
        return await server.referee.play(plan("dial-in:x", "bot:first"))


def blamed(game: Game) -> Misconduct:
    """Return the one misconduct of a game that the other player won."""
    assert [player.name for player in game.result.ranking[0].players] == ["b"]
    (misconduct,) = game.result.misconducts
    assert misconduct.player == "a"
    return misconduct


async def test_replies_come_in_any_order_and_in_parts(server: Server) -> None:
    async with ByHand(server, "x", "y") as by_hand:
        await by_hand.say_hello()
        answer = sound()

        async def answer_backwards() -> None:
            while True:
                held = [await by_hand.next_call()]
                while by_hand.calls:
                    held.append(by_hand.calls.pop())
                for call in held:
                    await by_hand.reply(answer(call))

        answering = asyncio.create_task(answer_backwards())
        games = await asyncio.gather(*(server.referee.play(plan("dial-in:x", "bot:first", seed=n)) for n in range(6)))
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)
        assert not any(game.result.misconducts for game in games)


async def end_soundly(playing: Awaitable[Game], *players: ByHand) -> None:
    """Have players answer as reference players do until a game is over, and check that nobody has failed."""
    answer = sound()
    async with contextlib.AsyncExitStack() as answering:
        for each in players:
            await answering.enter_async_context(each.answering(lambda call: [answer(call)]))
        game = await playing
    assert not game.result.misconducts


@pytest.mark.parametrize(
    "wrong",
    [
        lambda hello: DialInRequest(hello=hello).SerializeToString(),
        lambda _: b"\xff",
        lambda _: DialInRequest(replies=[Reply(id=10**12 + n) for n in range(1_100)]).SerializeToString(),
    ],
    ids=["a second hello", "no frame", "a flood"],
)
async def test_a_stream_that_breaks_the_contract_in_a_game_may_be_taken_up_again(server: Server, wrong: Any) -> None:
    async with (
        grpc.aio.insecure_channel(server.players_address) as channel,
        ByHand(server, "x") as back,
    ):
        stream = channel.stream_stream("/fairplay.v1.ConnectionService/DialIn")()
        back.hello.resume_window.seconds = 60
        await stream.write(DialInRequest(hello=back.hello).SerializeToString())
        welcome = DialInResponse.FromString(await stream.read()).welcome
        playing = asyncio.create_task(server.referee.play(plan("dial-in:x", "bot:first", limit_s=30)))
        (open_call,) = DialInResponse.FromString(await stream.read()).calls
        await stream.write(wrong(back.hello))
        assert await stream.code() is not grpc.StatusCode.OK
        back.hello.resume_token = welcome.resume_token
        again = (await back.say_hello()).welcome
        assert (again.resumed, list(again.open_calls)) == (True, [open_call.id])
        await end_soundly(playing, back)


async def test_a_call_may_be_answered_before_it_has_come_again(server: Server) -> None:
    async with ByHand(server, "x") as lost, ByHand(server, "x") as back:
        lost.hello.resume_window.seconds = 60
        back.hello.resume_token = (await lost.say_hello()).welcome.resume_token
        playing = asyncio.create_task(server.referee.play(plan("dial-in:x", "bot:first", limit_s=30)))
        open_call = await lost.next_call()
        lost.stream.cancel()
        await back.stream.write(DialInRequest(hello=back.hello))
        await back.reply(sound()(open_call))  # and once more when it has come again, which is nobody's fault
        await end_soundly(playing, back)
    assert server.hub.stray_reply_count == 0


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Reply(), "the reply has neither a response nor a failure"),
        (Reply(response=b"", metadata={"a-bin": ""}), "the metadata of the reply has a key that is not allowed: 'a-b"),
        (
            Reply(response=b"", metadata={"k": "ä"}),
            "the metadata of the reply has a value for k that is not allowed: 'ä'",
        ),
    ],
    ids=["no outcome", "a key of gRPC", "not ASCII"],
)
async def test_a_malformed_reply_is_an_unparsable_one(server: Server, reply: Reply, sentence: str) -> None:
    def answer(call: Call) -> list[Reply]:
        reply.id = call.id
        return [reply]

    async with ByHand(server, "x") as by_hand:
        game = await against_bot(server, by_hand, answer)
    misconduct = blamed(game)
    assert misconduct.call_error.reason == CallErrorReason.CALL_ERROR_REASON_UNPARSABLE
    assert misconduct.call_error.message.startswith(sentence)


async def test_a_player_whose_stream_is_ended_for_its_replies_is_told_so(server: Server) -> None:
    async with ByHand(server, "x") as by_hand:
        game = await against_bot(server, by_hand, lambda _: [Reply(id=10**12 + n) for n in range(1_100)])
    assert blamed(game).call_error.message.endswith("more than 1,000 replies came that nobody asked for")


async def by_bytes(server: Server, window: int, messages: bytes) -> None:
    """Dial in as "x" without gRPC, taking so many bytes of the stream; then send messages and see that this ends it."""
    host, port = server.players_address.rsplit(":", 1)
    _, writer = await asyncio.open_connection(host, int(port))
    connection = H2Connection()
    connection.initiate_connection()
    connection.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: window})
    connection.send_headers(1, call_head("/fairplay.v1.ConnectionService/DialIn"))
    hello = DialInRequest(hello=Hello(players=[HostedPlayer(name="x")])).SerializeToString()
    connection.send_data(1, b"\0" + len(hello).to_bytes(4, "big") + hello)
    writer.write(connection.data_to_send())
    async with asyncio.timeout(30):
        await server.hub.arrived("x")
        connection.send_data(1, messages)
        writer.write(connection.data_to_send())
        while server.hub.here("x"):
            await asyncio.sleep(0.01)
    writer.close()


async def test_a_stream_ends_at_a_flood_of_frames_without_replies(server: Server) -> None:
    await by_bytes(server, 65_535, b"\0\0\0\0\0" * 3_000)
    assert server.hub.stray_reply_count == 0


async def test_a_broken_frame_while_the_welcome_cannot_be_sent_is_logged_by_nobody(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    await by_bytes(server, 0, b"\0\0\0\0\2no")
    await server.stop()
    assert [record.getMessage() for record in caplog.records] == []

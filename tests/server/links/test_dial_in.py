"""Players that dial in: what the contract of ConnectionService promises, and what a bad one costs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from benchmarks.half_open import END_HEADERS, HEADERS, PREFACE, call_head
from benchmarks.half_open import frame as http2_frame
from fairplay.games.game import find
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import (
    Call,
    DialInRequest,
    DialInResponse,
    Failure,
    GoodbyeReason,
    Hello,
    HostedPlayer,
    Reply,
)
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind
from fairplay.v1.referee_pb2 import Game
from tests.server.harness import SHORT_S, ByHand, dialled_in, plan, serving, sound

DATA, SETTINGS = 0, 4
NO_WINDOW = bytes([0, 4, 0, 0, 0, 0])
"""The setting of a client of HTTP/2 that takes no byte of any stream."""
TAKE_TURN = "/fairplay.fish.v1.FishPlayerService/TakeTurn"


PLAYERS = "127.0.0.1:0"
"""Where the server listens for players alone. Other tests dial in at the address that serves everything."""


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(Config(players=PLAYERS, allow_exec=True, start_limit_s=5.0)) as running:
        yield running


async def against_bot(server: Server, by_hand: ByHand, answer: Any, limit_s: float = 5.0) -> Game:
    """Play a game between the program dialled in by hand as "x" and a reference player."""
    await by_hand.say_hello()
    async with by_hand.answering(answer):
        return await server.referee.play(plan("dial-in:x", "bot:first", limit_s=limit_s))


def blamed(game: Game) -> Misconduct:
    """Return the one misconduct of a game that the other player won."""
    assert [player.name for player in game.result.ranking[0].players] == ["b"]
    (misconduct,) = game.result.misconducts
    assert misconduct.player == "a"
    return misconduct


async def test_a_program_hosts_several_players_over_one_stream(server: Server) -> None:
    players = [(name, find("fish").player("random")) for name in "wxyz"]
    async with dialled_in(server, *players):
        game = await server.referee.play(plan(*(f"dial-in:{name}" for name in "wxyz")))
    assert not game.result.misconducts
    assert sum(len(group.players) for group in game.result.ranking) == 4


async def test_many_games_run_at_once_over_the_same_streams(server: Server) -> None:
    async with dialled_in(server, ("x", find("fish").player("first")), ("y", find("fish").player("greedy"))):
        plans = [plan("dial-in:x", "dial-in:y", seed=seed, random_fish=True) for seed in range(40)]
        games = await asyncio.gather(*(server.referee.play(each) for each in plans))
    assert not any(game.result.misconducts for game in games)


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


async def test_replies_that_nobody_asked_for_are_ignored_and_counted(server: Server) -> None:
    answer = sound()

    def replies(call: Call) -> list[Reply]:
        return [answer(call)] * 2 + [Reply(id=10**12, response=b"")]

    async with ByHand(server, "x") as by_hand:
        game = await against_bot(server, by_hand, replies)
    assert not game.result.misconducts
    assert server.hub.stray_reply_count > 0


async def test_metadata_of_replies_within_their_limits_are_ignored(server: Server) -> None:
    answer, metadata = sound(), {f"{number:064}": "~" * 256 for number in range(16)}

    def reply(call: Call) -> list[Reply]:
        assert dict(call.metadata) == {}
        return [Reply(id=call.id, response=answer(call).response, metadata=metadata)]

    async with ByHand(server, "x") as by_hand:
        game = await against_bot(server, by_hand, reply)
    assert not game.result.misconducts


async def test_a_late_reply_is_never_taken_for_another_call(server: Server) -> None:
    answer = sound()
    late: list[Reply] = []

    def replies(call: Call) -> list[Reply]:
        if call.method_name == TAKE_TURN and not late:
            late.append(answer(call))
            return []
        return [*late[:1], answer(call)]

    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        async with by_hand.answering(replies):
            first = await server.referee.play(plan("dial-in:x", "bot:first", limit_s=SHORT_S))
            second = await server.referee.play(plan("dial-in:x", "bot:first", seed=2))
    assert blamed(first).kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT
    assert not second.result.misconducts
    assert server.hub.stray_reply_count > 0


async def test_a_player_that_never_answers_costs_its_limit_and_is_told_that_it_is_over(server: Server) -> None:
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        calls: list[Call] = []

        def hang(call: Call) -> list[Reply]:
            calls.append(call)
            return []

        async with by_hand.answering(hang):
            game = await server.referee.play(plan("dial-in:x", "bot:first", limit_s=SHORT_S))
            misconduct = blamed(game)
            async with asyncio.timeout(30):
                await by_hand.told_of_cancelling.wait()
    assert misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT
    assert misconduct.overrun.limit == Duration(nanos=int(SHORT_S * 1e9))
    assert len(calls) == 1
    assert by_hand.cancelled == [by_hand.calls[0].id]


async def test_garbage_is_an_exception_with_the_bytes_as_evidence(server: Server) -> None:
    async with ByHand(server, "x") as by_hand:
        game = await against_bot(server, by_hand, lambda call: [Reply(id=call.id, response=b"\xff\xff\xff")])
    misconduct = blamed(game)
    assert misconduct.kind == MisconductKind.MISCONDUCT_KIND_EXCEPTION
    assert misconduct.call_error.reason == CallErrorReason.CALL_ERROR_REASON_UNPARSABLE
    assert misconduct.unparsable_reply == b"\xff\xff\xff"


@pytest.mark.parametrize(
    ("byte_count", "reason"),
    [
        (1_048_576, CallErrorReason.CALL_ERROR_REASON_UNPARSABLE),
        (1_048_577, CallErrorReason.CALL_ERROR_REASON_TOO_LARGE),
    ],
)
async def test_a_reply_of_more_than_a_mebibyte_is_too_large(
    server: Server, byte_count: int, reason: CallErrorReason.ValueType
) -> None:
    async with ByHand(server, "x") as by_hand:
        response = b"\x00" * byte_count
        game = await against_bot(server, by_hand, lambda call: [Reply(id=call.id, response=response)])
    assert blamed(game).call_error.reason == reason
    assert len(blamed(game).unparsable_reply) in (0, 4_096)


async def test_a_frame_of_100_megabytes_ends_the_connection_and_touches_no_other(server: Server) -> None:
    async with ByHand(server, "x") as by_hand, dialled_in(server, ("y", find("fish").player("first"))):
        huge = b"\x00" * 100_000_000
        game = await against_bot(server, by_hand, lambda call: [Reply(id=call.id, response=huge)])
        assert blamed(game).call_error.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
        other = await server.referee.play(plan("dial-in:y", "bot:first"))
    assert not other.result.misconducts


async def test_closing_the_stream_in_mid_call_costs_nothing(server: Server) -> None:
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        playing = asyncio.create_task(server.referee.play(plan("dial-in:x", "bot:first", limit_s=3_600)))
        await by_hand.next_call()
        by_hand.stream.cancel()
        async with asyncio.timeout(60):
            game = await playing
    assert blamed(game).call_error.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED


async def end_soundly(playing: Awaitable[Game], *players: ByHand) -> None:
    """Have players answer as reference players do until a game is over, and check that nobody has failed."""
    answer = sound()
    async with contextlib.AsyncExitStack() as answering:
        for each in players:
            await answering.enter_async_context(each.answering(lambda call: [answer(call)]))
        game = await playing
    assert not game.result.misconducts


@pytest.mark.parametrize(
    ("names", "token", "resumed"),
    [
        ("yx", True, True),
        ("x", True, False),
        ("zyx", True, False),
        ("xy", False, False),
    ],
    ids=["another order", "fewer players", "more players", "a fresh start"],
)
async def test_whoever_dials_in_after_a_loss_gets_the_open_calls_again_at_once(
    server: Server, names: str, token: bool, resumed: bool
) -> None:
    async with ByHand(server, "x", "y") as lost, ByHand(server, *names) as back:
        lost.hello.resume_window.seconds = 60
        welcome = (await lost.say_hello()).welcome
        assert not welcome.resumed
        playing = asyncio.create_task(server.referee.play(plan("dial-in:x", "bot:first", limit_s=30)))
        open_call = await lost.next_call()
        lost.stream.cancel()
        if token:
            back.hello.resume_token = welcome.resume_token
        back_welcome = (await back.say_hello()).welcome
        assert (back_welcome.resumed, list(back_welcome.open_calls)) == (resumed, [open_call.id])
        again = await back.next_call()
        assert (again.id, again.method_name, again.request) == (open_call.id, open_call.method_name, open_call.request)
        assert again.player == back_welcome.players[names.index("x")]
        assert 0 < again.time_limit.ToNanoseconds() < open_call.time_limit.ToNanoseconds()
        await back.reply(sound()(again))
        await end_soundly(playing, back)


async def test_players_that_a_fresh_hello_does_not_name_keep_their_window(server: Server) -> None:
    async with ByHand(server, "x", "y") as lost, ByHand(server, "x") as first, ByHand(server, "y") as second:
        lost.hello.resume_window.seconds = 60
        welcome = (await lost.say_hello()).welcome
        playing = asyncio.create_task(server.referee.play(plan("dial-in:x", "dial-in:y", limit_s=30)))
        open_call = await lost.next_call()
        await first.say_hello()  # while the former stream is up
        frame = await lost.frame()
        while not frame.HasField("goodbye"):
            frame = await lost.frame()
        assert frame.goodbye.reason == GoodbyeReason.GOODBYE_REASON_REPLACED
        assert await lost.stream.read() is grpc.aio.EOF
        assert await lost.stream.code() is grpc.StatusCode.OK
        assert (await first.next_call()).id == open_call.id
        second.hello.resume_token = welcome.resume_token
        assert (await second.say_hello()).welcome.resumed
        await first.reply(sound()(open_call))
        await end_soundly(playing, first, second)


async def test_replies_on_a_connection_that_another_one_has_replaced_are_ignored(server: Server) -> None:
    async with ByHand(server, "x") as first, ByHand(server, "x") as second:
        first.hello.resume_window.seconds = 60
        second.hello.resume_token = (await first.say_hello()).welcome.resume_token
        playing = asyncio.create_task(server.referee.play(plan("dial-in:x", "bot:first", limit_s=30)))
        open_call = await first.next_call()
        assert (await second.say_hello()).welcome.resumed
        # The server ends the former connection: mostly the reply comes in time, but it may be too late to send it.
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await first.reply(Reply(id=open_call.id, response=b"\xff"))
        await end_soundly(playing, second)


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


async def test_a_program_that_half_closes_has_left_and_is_not_waited_for(server: Server) -> None:
    async with ByHand(server, "x") as by_hand, ByHand(server, "x", token="other") as other:
        by_hand.hello.resume_window.seconds = 300
        by_hand.hello.players[0].token = ""
        await by_hand.say_hello()
        playing = asyncio.create_task(server.referee.play(plan("dial-in:x", "bot:first", limit_s=600)))
        call = await by_hand.next_call()
        await by_hand.reply(sound()(call))
        await by_hand.next_call()
        await by_hand.stream.done_writing()
        async with asyncio.timeout(30):
            game = await playing
            while await by_hand.stream.read() is not grpc.aio.EOF:
                pass
        assert await by_hand.stream.code() is grpc.StatusCode.OK
        assert (await other.say_hello()).HasField("welcome")
    assert blamed(game).call_error.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED
    assert blamed(game).call_number > 1


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Reply(), "the reply has neither a response nor a failure"),
        (Reply(failure=Failure(message="oh")), "the reply is a failure with the code 0, which is none of gRPC's, 1 to"),
        (Reply(failure=Failure(code=17)), "the reply is a failure with the code 17, which is none of gRPC's, 1 to 16"),
        (
            Reply(response=b"", metadata={str(number): "" for number in range(17)}),
            "the metadata of the reply has 17 entries: at most 16 are allowed",
        ),
        (Reply(response=b"", metadata={"Key": ""}), "the metadata of the reply has a key that is not allowed: 'Key'"),
        (Reply(response=b"", metadata={"a-bin": ""}), "the metadata of the reply has a key that is not allowed: 'a-b"),
        (
            Reply(response=b"", metadata={"k": "ä"}),
            "the metadata of the reply has a value for k that is not allowed: 'ä'",
        ),
        (
            Reply(response=b"", metadata={"k": 257 * "x"}),
            "the metadata of the reply has a value for k of 257 characters: Reply.metadata allows at most 256",
        ),
    ],
    ids=["no outcome", "code 0", "code 17", "many entries", "upper case", "a key of gRPC", "not ASCII", "long"],
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


async def test_a_lost_stream_that_does_not_come_back_ends_its_calls_after_the_window(server: Server) -> None:
    async with ByHand(server, "x") as lost:
        lost.hello.resume_window.nanos = 50_000_000
        await lost.say_hello()
        playing = asyncio.create_task(server.referee.play(plan("dial-in:x", "bot:first", limit_s=30)))
        await lost.next_call()
        lost.stream.cancel()
        async with asyncio.timeout(30):
            game = await playing
    assert blamed(game).call_error.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED


async def test_the_same_name_and_token_take_the_place_of_a_stream(server: Server) -> None:
    async with ByHand(server, "x") as first, ByHand(server, "x") as second:
        await first.say_hello()
        await second.say_hello()
        assert (await first.frame()).goodbye.reason == GoodbyeReason.GOODBYE_REASON_REPLACED
        assert await first.stream.read() is grpc.aio.EOF
        await end_soundly(server.referee.play(plan("dial-in:x", "bot:first")), second)


async def refused(server: Server, by_hand: ByHand, *frames: DialInRequest) -> tuple[grpc.StatusCode, str]:
    """Return how the server ends a stream on which these frames come first."""
    for frame in frames:
        await by_hand.stream.write(frame)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        while await by_hand.stream.read() is not grpc.aio.EOF:
            pass
        raise AssertionError("the stream ended well")
    return failed.value.code(), reason_of(failed.value)


def hello(*names: str, token: str = "token", window_s: int = 0) -> DialInRequest:
    players = [HostedPlayer(name=name, token=token) for name in names]
    return DialInRequest(hello=Hello(players=players, resume_window=Duration(seconds=window_s)))


@pytest.mark.parametrize(
    ("frames", "code", "reason"),
    [
        ([hello()], grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_HELLO"),
        ([hello("x", "x")], grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_HELLO"),
        ([hello("no blanks")], grpc.StatusCode.INVALID_ARGUMENT, "NAME_INVALID"),
        ([hello("..")], grpc.StatusCode.INVALID_ARGUMENT, "NAME_INVALID"),
        ([hello("x", token="t" * 257)], grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_HELLO"),
        ([hello(*(f"p{n}" for n in range(1_001)))], grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_PLAYERS"),
        ([hello("x", window_s=-1)], grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_HELLO"),
        ([DialInRequest()], grpc.StatusCode.INVALID_ARGUMENT, "PROTOCOL_BROKEN"),
        (
            [DialInRequest(hello=hello("x").hello, replies=[Reply(id=1)])],
            grpc.StatusCode.INVALID_ARGUMENT,
            "PROTOCOL_BROKEN",
        ),
        ([hello("x"), hello("y")], grpc.StatusCode.INVALID_ARGUMENT, "PROTOCOL_BROKEN"),
        (
            [hello("x"), DialInRequest(replies=[Reply(id=n) for n in range(1_100)])],
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "REPLY_FLOOD",
        ),
    ],
)
async def test_a_stream_that_breaks_the_contract_is_ended_with_the_reason(
    server: Server, frames: list[DialInRequest], code: grpc.StatusCode, reason: str
) -> None:
    async with ByHand(server) as by_hand:
        assert await refused(server, by_hand, *frames) == (code, reason)


@pytest.mark.parametrize(
    "frames",
    [
        [hello("n" * 64)],
        [hello("x", token="ä" * 128)],
        [hello(*(f"p{n}" for n in range(1_000)))],
        [hello("x"), DialInRequest(replies=[Reply(id=n) for n in range(1_000)])],
    ],
    ids=["name of 64 characters", "token of 256 bytes", "1,000 players", "1,000 stray replies"],
)
async def test_a_stream_may_go_to_the_limits_of_the_contract(server: Server, frames: list[DialInRequest]) -> None:
    async with ByHand(server) as by_hand:
        for frame in frames:
            await by_hand.stream.write(frame)
        assert (await by_hand.frame()).HasField("welcome")
        name = frames[0].hello.players[0].name
        playing = asyncio.create_task(server.referee.play(plan(f"dial-in:{name}", "bot:first")))
        assert (await by_hand.next_call()).method_name.endswith("PlayAs")
        await by_hand.stream.done_writing()
        await playing


async def test_a_token_is_measured_in_bytes(server: Server) -> None:
    async with ByHand(server) as by_hand:
        status = await refused(server, by_hand, hello("x", token="ä" * 128 + "a"))
    assert status == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_HELLO")


async def test_a_taken_name_is_refused_and_its_owner_plays_on(server: Server) -> None:
    async with dialled_in(server, ("x", find("fish").player("first"))), ByHand(server, "x", token="other") as thief:
        status = await refused(server, thief, hello("x", token="other"))
        assert status == (grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN")
        game = await server.referee.play(plan("dial-in:x", "bot:first"))
    assert not game.result.misconducts


async def test_silence_in_the_handshake_ends_the_connection() -> None:
    async with serving(Config(players=PLAYERS, handshake_limit_s=0.05)) as server, ByHand(server) as by_hand:
        assert await refused(server, by_hand) == (grpc.StatusCode.DEADLINE_EXCEEDED, "HELLO_MISSING")


async def test_a_player_that_does_not_dial_in_is_blamed_after_the_start_limit() -> None:
    async with serving(Config(start_limit_s=0.05)) as server:
        game = await server.referee.play(plan("dial-in:nobody", "bot:first"))
    assert "did not dial in within 0.05 s" in blamed(game).call_error.message


async def by_bytes(server: Server, settings: bytes = b"") -> asyncio.StreamWriter:
    """Dial in as "x" by hand, with these settings of HTTP/2, and return what writes to the connection."""
    hello = DialInRequest(hello=Hello(players=[HostedPlayer(name="x")])).SerializeToString()
    host, port = server.players_address.rsplit(":", 1)
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(PREFACE + http2_frame(SETTINGS, 0, 0, settings))
    writer.write(http2_frame(HEADERS, END_HEADERS, 1, call_head("/fairplay.v1.ConnectionService/DialIn")))
    writer.write(http2_frame(DATA, 0, 1, b"\0" + len(hello).to_bytes(4, "big") + hello))
    return writer


async def test_frames_without_replies_are_counted_as_replies_that_nobody_asked_for(server: Server) -> None:
    writer = await by_bytes(server)
    async with asyncio.timeout(30):
        await server.hub.arrived("x")
        writer.write(http2_frame(DATA, 0, 1, b"\0\0\0\0\0" * 3_000))
        while server.hub.here("x"):
            await asyncio.sleep(0.01)
    writer.close()
    assert server.hub.stray_reply_count > 1_000


async def test_a_broken_frame_while_the_welcome_cannot_be_sent_is_logged_by_nobody(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    writer = await by_bytes(server, NO_WINDOW)
    async with asyncio.timeout(30):
        await server.hub.arrived("x")
        writer.write(http2_frame(DATA, 0, 1, b"\0\0\0\0\2no"))
        while server.hub.here("x"):
            await asyncio.sleep(0.01)
    writer.close()
    await server.stop()
    assert [record.getMessage() for record in caplog.records] == []

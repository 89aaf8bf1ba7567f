"""WatchGame: when things happened, and whom a game waits for."""

from __future__ import annotations

import time
from typing import Any

import grpc

from fairplay.server.server import Server
from fairplay.v1 import referee_pb2 as pb
from tests.server.harness import ByHand, plan, sound


def begin(made: pb.GamePlan) -> pb.CreateGameRequest:
    return pb.CreateGameRequest(game_id="g", plan=made)


async def test_spectators_are_told_whom_a_game_waits_for_and_until_when(server: Server, referee: Any) -> None:
    answer = sound()
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        game = (await referee.CreateGame(begin(plan("dial-in:x", "bot:first", limit_s=60)))).game
        assert game.status == pb.GameStatus.GAME_STATUS_RUNNING
        call = await by_hand.next_call()
        stream = referee.WatchGame(pb.WatchGameRequest(game_id="g"))
        shown, asked = await stream.read(), await stream.read()
        assert shown.HasField("state")
        (player,) = asked.asked.players
        assert (player.seat, player.method_name) == (0, call.method_name)
        assert asked.sequence == shown.sequence
        now_ns = time.time_ns()
        assert shown.time.ToNanoseconds() <= asked.time.ToNanoseconds() <= now_ns
        assert 0 < player.deadline.ToNanoseconds() - now_ns < 60e9
        await by_hand.reply(answer(call))
        second = await by_hand.next_call()
        event = await stream.read()
        while not event.HasField("asked") or event.asked.players[0].method_name != second.method_name:
            event = await stream.read()
        await referee.StopGame(pb.StopGameRequest(game_id="g"))
        rest = [event]
        while (event := await stream.read()) is not grpc.aio.EOF:
            rest.append(event)
    assert rest[-1].finished.aborted
    assert rest[-1].time == (await referee.GetGame(pb.GetGameRequest(game_id="g"))).game.end_time


async def test_the_events_of_a_finished_game_have_the_times_of_the_game(referee: Any) -> None:
    game = (await referee.PlayGame(pb.PlayGameRequest(game_id="g", plan=plan("bot:first", "bot:random")))).game
    events = [event async for event in referee.WatchGame(pb.WatchGameRequest(game_id="g"))]
    times = [event.time.ToNanoseconds() for event in events]
    assert times == sorted(times)
    assert times[0] == game.start_time.ToNanoseconds()
    assert times[-1] == game.end_time.ToNanoseconds()
    assert not any(event.HasField("asked") for event in events)

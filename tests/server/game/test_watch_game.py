"""WatchGame and CreateGame: when things happened, whom a game waits for, and what stays hidden while it runs."""

from __future__ import annotations

import time
from typing import Any

import grpc
import pytest

from fairplay.server.net.errors import reason_of
from fairplay.server.server import Server
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.game_pb2 import Player
from tests.server.harness import ByHand, plan, seconds, sound


def q_plan(*links: str) -> pb.GamePlan:
    made = pb.GamePlan(game="q", players=[Player(name=name, link=link) for name, link in zip("ab", links, strict=True)])
    for limit in (made.time_control.decision_limit, made.time_control.notification_limit):
        limit.CopyFrom(seconds(60))
    return made


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


async def test_hidden_things_are_shown_only_once_the_game_is_over(server: Server, referee: Any) -> None:
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        await referee.CreateGame(begin(q_plan("dial-in:x", "bot:first")))
        await by_hand.next_call()
        stream = referee.WatchGame(pb.WatchGameRequest(game_id="g"))
        running = (await stream.read()).state.q
        assert not running.pile
        stream.cancel()
        await referee.StopGame(pb.StopGameRequest(game_id="g"))
    events = [event async for event in referee.WatchGame(pb.WatchGameRequest(game_id="g"))]
    assert events[0].state.q.pile
    assert events[-1].HasField("finished")


async def test_a_created_game_is_the_one_that_is_played_under_its_id(server: Server, referee: Any) -> None:
    made, answer = plan("dial-in:x", "bot:first"), sound()
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        created = [(await referee.CreateGame(begin(made))).game for _ in range(2)]
        assert created[0] == created[1]
        assert not any(player.link for player in created[0].plan.players)
        assert not created[0].plan.HasField("seed")
        assert [player.name for player in created[0].players] == ["a", "b"]
        other = pb.CreateGameRequest(game_id="g", plan=plan("bot:first", "bot:first"))
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await referee.CreateGame(other)
        assert reason_of(error.value) == "ID_REUSED"
        async with by_hand.answering(lambda call: [answer(call)]):
            played = (await referee.PlayGame(pb.PlayGameRequest(game_id="g", plan=made))).game
    assert played.status == pb.GameStatus.GAME_STATUS_FINISHED
    assert (await referee.CreateGame(begin(made))).game.result == played.result
